package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// commandNames are the commands of flagTable. "history" is all sources of history except logs.
var commandNames = []string{"audit", "merge", "verify", "filter", "check", "compile", "history", "history-log",
	"history-git", "history-wayback", "history-index", "history-captures", "crawlers", "formats", "bench"}

type group string

// The groups are headings, in the order of help.
const (
	judging  group = "Rules"
	input    group = "Input"
	identity group = "Identity of clients"
	output   group = "Output"
	limits   group = "Limits"
)

var groups = []group{judging, input, identity, output, limits}

// groupKey is the annotation of a pflag.Flag that holds its group.
const groupKey = "group"

// Messages of several rules.
const (
	whyJudged = "without a robots.txt nothing is judged: --list violations, --list undeclared, --evidence and " +
		"--samples need --robots FILE, or its versions with --policy"
	whyWhatIf = "--what-if judges no request: it has no state, no evidence, no rows, no look-ups, " +
		"no choice of crawlers and no block rules"
	whyConstant = "--history and --assume-constant are for --policy: a robots.txt given by --robots is taken as " +
		"in force throughout"
	whyWithOld = "--what-if compares one robots.txt with another: give the other one with --robots"
	whyAnswers = "no URL: --quiet and the form csv are for answers on URLs, or for --robots"
	whyClass   = "--class needs --list ARCHIVE, and --as-of needs --class or --signals besides"
	whyStdin   = "robots.txt and the URLs cannot both be stdin"
	whyExplain = "--explain shows how logs are read: without it there can be neither LOG nor --format"
	whyOther   = ": it takes no URL, --rules or --warc"
)

// flagTable has a row for each flag, or one for each form that it has. Rules are checked in this order.
var flagTable = sync.OnceValue(func() []flagRow {
	return []flagRow{
		{name: "jsonl", on: "check", group: input, kind: onOff, help: "read cases from stdin, one JSON object a line",
			rules: []rule{{not: "ARG robots rules warc agent crawlers quiet output against fail-on sitemap crossings",
				why: "--jsonl reads robots.txt, agent and URL from stdin, and has its own form of output"}}},

		// Rules
		{name: "robots", on: "audit filter check bench", group: judging, kind: fileName(),
			help: "the robots.txt to judge by (- is stdin)", rules: []rule{
				{on: "audit", with: "robots=-", not: "ARG=-", why: "robots.txt and a log cannot both be stdin"},
				{on: "filter bench", with: "robots=-", not: "ARG=-", why: whyStdin},
				{on: "filter check", not: "rules", why: "--robots and --rules cannot be given together"}}},
		{name: "policy", on: "audit", group: judging, kind: pathName("PATH"),
			help: "versions of robots.txt: a manifest, or a folder of dated files",
			rules: []rule{{not: "what-if", why: whyWithOld},
				{not: "robots", why: "--robots and --policy cannot be given together"}}},
		{name: "rules", on: "check", group: judging, kind: fileName("rsv"),
			help: "an archive made by robotsieve compile"},
		{name: "rules", on: "filter", group: judging, kind: fileName("rsv"),
			help: "an archive of many sites' robots.txt, made by compile"},
		{name: "dialect", on: "audit filter check bench", group: judging,
			kind: oneOf("NAME", append([]string{auto}, automaton.DialectNames()...)...), text: auto,
			help: "how robots.txt is read; auto is the crawler's own way"},
		{name: "dialect", on: "compile", group: judging, text: "rfc9309,google",
			kind: commas("NAMES").offering(automaton.DialectNames()...),
			help: "dialects to hold, of " + strings.Join(automaton.DialectNames(), ", ")},
		{name: "max-bytes", on: "audit filter check bench", group: judging, kind: whole(natural),
			text: fmt.Sprint(compile.DefaultMaxBytes),
			help: "bytes of a robots.txt to read; 0 means up to 256 MiB"},
		{name: "max-bytes", on: "compile", group: judging, kind: whole(natural), text: fmt.Sprint(compile.DefaultMaxBytes),
			help: "bytes of a robots.txt to read; 0 means up to 64 MiB"},
		{name: "agent", on: "filter check", group: judging, kind: agentName.again(),
			help: "a crawler that would fetch the URLs (repeatable)"},
		{name: "agent", on: "bench", group: judging, kind: agentName, help: "the product token of the crawler"},
		{name: "crawlers", on: "audit filter check crawlers", group: judging, kind: fileName("json"),
			help: "a file that changes and extends the known crawlers"},
		{name: "what-if", on: "audit", group: judging, kind: fileName(),
			help: "compare --robots with this robots.txt, and judge nobody (- is stdin)",
			rules: []rule{
				{not: "list prometheus ip-ranges resolved-names samples",
					why: "FLAG is about verdicts, and --what-if gives none"},
				{not: "output=csv", why: "--output csv has the crawlers' verdicts, and --what-if gives none: use json"},
				{needs: "robots", why: whyWithOld},
				{not: "state evidence resolve crawler category block", why: whyWhatIf},
				{with: "what-if=-", not: "robots=- ARG=-",
					why: "stdin can be one of --robots, --what-if and the logs only"}}},
		{name: "history", on: "audit", group: judging, kind: oneOf("TIMES", auto, "deployed", "observed"), text: auto,
			help:  "what the times of versions are; auto follows the manifest",
			rules: []rule{{with: "history=deployed history=observed", needs: "policy", why: whyConstant}}},
		{name: "assume-constant", on: "audit", group: judging, kind: onOff,
			help:  "take each first version as in force before all time",
			rules: []rule{{needs: "policy", why: whyConstant}}},
		{name: "window", on: "audit", group: judging, kind: duration(""), text: "24h",
			help: "how long a crawler may cache robots.txt, at least 24h (RFC 9309)"},
		{name: "delay", on: "audit", group: judging, kind: duration(""), text: "3h",
			help: "how much longer queues and late logging may delay, at least 3h"},
		{name: "skew", on: "audit", group: judging, kind: duration(""), text: "10m",
			help: "how far clocks and times of versions may differ, at least 10m"},
		{name: "any", on: "filter", group: judging, kind: onOff, help: "keep what one of the agents may fetch"},
		{name: "all", on: "filter", group: judging, kind: onOff, help: "keep what all agents may fetch (the default)",
			rules: []rule{{not: "any",
				why: "if any flags in the group [all any] are set none of the others can be; [all any] were all set"}}},
		{name: "as-of", on: "check", group: judging, kind: anyText("TIME"),
			help:  "with --rules: judge by the robots.txt in force at this time",
			rules: []rule{{needs: "rules jsonl", why: "--as-of chooses a version of --rules"}}},
		{name: "as-of", on: "filter", group: judging, kind: anyText("TIME"),
			help: "with --rules: judge by the robots.txt in force at this time",
			rules: []rule{{not: "robots",
				why: "--robots gives one robots.txt for all times: --date-column and --as-of need --rules"}}},
		{name: "no-policy", on: "filter", group: judging, kind: oneOf("ACTION", "keep", "drop"), text: "drop",
			help: "with --rules: URLs of origins whose robots.txt is not known",
			rules: []rule{{not: "robots",
				why: "--no-policy is about origins that are not in an archive: it needs --rules"}}},
		{name: "page", on: "filter", group: judging,
			kind: someText("DIRECTIVES"),
			help: "drop WARC records whose page states a directive, such as noindex,noai"},
		{name: "against", on: "check", group: judging, kind: fileName(),
			help: "without a URL: compare with this older robots.txt (- is stdin)",
			rules: append(describesWithURLs("--against compares what --robots says in general"),
				rule{with: "against=-", not: "robots=-", why: "--robots and --against cannot both be stdin"})},
		{name: "sitemap", on: "check", group: judging, kind: fileName("xml", "gz", "txt", "csv").again(),
			help:  "without a URL: note rules that forbid URLs listed here (repeatable)",
			rules: describesWithURLs("--sitemap is about what --robots says in general")},
		{name: "crossings", on: "check", group: judging, kind: onOff,
			help:  "without a URL: also note rules contradicted by exceptions or queries",
			rules: describesWithURLs("--crossings is about what --robots says in general")},
		{name: "versions", on: "compile", group: judging, kind: oneOf("WHICH", "newest", "all"), text: "newest",
			help: "which copies of an origin's robots.txt to keep"},

		// Input
		{name: "format", on: "audit", group: input, kind: anyText("FORMAT").completed(completeFormats), text: auto,
			help: "format of the logs: auto, a name, or your own words"},
		{name: "format", on: "history-log", group: input, kind: anyText("FORMAT").completed(completeFormats), text: auto,
			help: "format of the logs, as for audit"},
		{name: "format", on: "formats", group: input, kind: anyText("FORMAT").completed(completeFormats), text: auto,
			help: "format of the logs, with --explain", rules: []rule{{needs: "explain", why: whyExplain}}},
		{name: "format", on: "filter", group: input, text: auto,
			kind: oneOf("FORMAT", append([]string{auto}, job.ListFormats()...)...),
			help: "format of the lists"},
		{name: "host", on: "audit", group: input, kind: anyText("HOST").again(),
			help: "the site to judge, or SITE=PATTERN for whose log is whose (repeatable)"},
		{name: "host", on: "history-log", group: input, kind: anyText("HOST").again(),
			help: "the site of logs that name none (repeatable)"},
		{name: "bodies", on: "history-log", group: input, kind: pathName("PATH").again(),
			help: "robots.txt files or folders to compare sizes with (repeatable)"},
		{name: "bodies", on: "history-wayback", group: input, kind: pathName("PATH"),
			help: "the folder of the captures that were downloaded"},
		{name: "bodies", on: "history-index", group: input, kind: pathName("PATH"),
			help: "robots.txt files, which are recognized by their SHA-1"},
		{name: "path", on: "history-git", group: input, kind: anyText("TEXT"),
			help: "where robots.txt is, or a folder of files named by hosts"},
		{name: "origin", on: "history-git", group: input, kind: anyText("TEXT"),
			help: "whose robots.txt it is, such as https://example.com"},
		{name: "fl", on: "history-wayback", group: input, kind: anyText("TEXT"),
			help: "fields of a CDX without a header, such as timestamp,original,statuscode,digest"},
		{name: "since", on: "audit", group: input, kind: anyText("TIME"),
			help: "judge requests from this time, date or age on, such as 7d"},
		{name: "until", on: "audit", group: input, kind: anyText("TIME"),
			help: "judge requests before this time, date or age"},
		{name: "time-zone", on: "audit", group: input, kind: anyText("ZONE"),
			help: "zone of dates, zoneless logs and the report (default UTC)",
			rules: []rule{{with: "time-zone=local", not: "evidence state",
				why: "--time-zone Local is another zone on another machine: give its name for --evidence and " +
					"--state, such as Europe/Berlin"}}},
		{name: "time-zone", on: "history-log", group: input, kind: anyText("ZONE"),
			help: "zone of times in logs that name none (default UTC)"},
		{name: "allow-duplicates", on: "audit", group: input, kind: onOff,
			help: "count a log even if another has the same content"},
		{name: "allow-duplicates", on: "history-log", group: input, kind: onOff,
			help: "read a log even if another has the same content"},
		{name: "allow-duplicates", on: "merge", group: input, kind: onOff,
			help: "count a state even if all its inputs are in another"},
		{name: "max-unparsed", on: "audit", group: input, kind: percent, text: "5",
			help: "per cent of unreadable lines above which a report is partial"},
		{name: "max-unparsed", on: "history-log", group: input, kind: percent, text: "5",
			help: "per cent of unreadable lines above which the exit status is 3"},
		{name: "sampled", on: "audit", group: input, kind: anyText("SHARE"),
			help: "how the logs were sampled, such as 1/100; stated in the report"},
		{name: "sha256", on: "audit", group: input, kind: onOff,
			help: "also hash uncompressed logs over 128 MiB"},
		{name: "column", on: "filter", group: input, kind: anyText("COLUMN"),
			help: "column or member with the URL, such as url, 3 or request.url"},
		{name: "date-column", on: "filter", group: input, kind: anyText("COLUMN"),
			help: "with --rules: column or member with the time of capture",
			rules: []rule{{not: "robots",
				why: "--robots gives one robots.txt for all times: --date-column and --as-of need --rules"}}},
		{name: "warc", on: "check", group: input, kind: fileName("warc", "gz", "zst"),
			help: "a WARC file whose captures of the URLs are explained", rules: []rule{
				{not: "output=csv", why: "--warc has no form csv: what a page states does not fit into a row"},
				{with: "warc=- robots=- ARG=-", not: "warc", why: "with --warc nothing is read from stdin"},
				{needs: argument, why: "no URL: --warc explains the captures of URLs"}}},
		{name: "tdmrep", on: "check", group: input, kind: fileName("json"),
			help: "list the preferences of a /.well-known/tdmrep.json (- is stdin)", rules: []rule{
				{not: "ARG robots rules warc jsonl agent crawlers against fail-on sitemap crossings quiet as-of dialect",
					why: "--tdmrep lists what one file says, and is combined with --output text, csv or ndjson only"},
				{not: "output=json output=sarif output=changes",
					why: "--tdmrep has no --output VALUE: choose one of text, csv, ndjson"}}},
		{name: "explain", on: "formats", group: input, kind: onOff, help: "show how the first lines of logs are read"},
		{name: "fields", on: "compile", group: input, kind: someText("NAMES"),
			help: "names of members or columns: host=NAME,body=NAME,..."},
		{name: "fields", on: "history-captures", group: input, kind: anyText("TEXT"),
			help: "names of members or columns: host=NAME,body=NAME,date=NAME,..."},
		{name: "external", on: "bench", group: input, kind: anyText("NAME=COMMAND").again(),
			help: "a parser that answers like check --jsonl: NAME=COMMAND (repeatable)"},
		{name: "list", on: "bench", group: input, kind: onOff, help: "also measure robotsieve by its plain list of rules"},

		// Identity of clients
		{name: "ip-ranges", on: "audit", group: identity, kind: anyText("NAME=FILE").again(),
			help: "crawlers' published addresses: DIR, NAME=DIR, NAME=FILE or NAME=FILE@DATE (repeatable)"},
		{name: "ranges-max-age", on: "audit", group: identity, kind: duration("d"), text: "365d",
			help: "how far from a request an address list still verifies, in days"},
		{name: "resolved-names", on: "audit", group: identity, kind: fileName(),
			help: "names of addresses looked up elsewhere: ip<TAB>name<TAB>confirmed"},
		{name: "resolve", on: "audit", group: identity, kind: onOff,
			help: "verify clients of violations by DNS (uses the network)",
			rules: []rule{{not: "state",
				why: "--resolve has no effect on a state: look the addresses up elsewhere, and give --resolved-names"}}},
		{name: "client-ip", on: "audit", group: identity, kind: anyText("FIELD"), text: "addr",
			help: "where the client's address is: addr, xff or xff:-N"},
		{name: "trusted-proxies", on: "audit", group: identity, kind: anyText("ADDRESS").again(),
			help: "your own proxies, for --client-ip xff (repeatable)"},

		// Output
		{name: "out", short: "o", on: "compile", group: output, kind: fileName(), help: "the archive to write"},
		{name: "output", short: "o", on: "history", group: output, kind: pathName("DIR"), help: "the folder to write"},
		{name: "output", on: "audit", group: output, text: "text",
			kind: oneOf("FORM", append(render.Outputs(), "ndjson", "parquet")...), help: "form of the report",
			rules: []rule{{with: "output=ndjson output=parquet", needs: "list", why: "--output VALUE is for --list"}}},
		{name: "output", on: "merge", group: output, kind: oneOf("FORM", render.Outputs()...), text: "text",
			help: "form of the report"},
		{name: "output", on: "bench", group: output, kind: oneOf("FORM", "text", "json", "csv"), text: "text",
			help: "form of the report"},
		{name: "output", on: "crawlers", group: output, kind: oneOf("FORM", "text", "json"), text: "text",
			help: "output format"},
		{name: "output", on: "filter", group: output, kind: oneOf("FORM", "text", "json"), text: "text",
			help: "form of the summary on stderr"},
		{name: "output", on: "history-log", group: output, kind: oneOf("FORM", "text", "json", "html"), text: "text",
			help: "form of the result"},
		{name: "output", on: "check", group: output, text: "text",
			kind: oneOf("FORM", "text", "json", "ndjson", "csv", "html", "markdown", "sarif", "changes"),
			help: "form of the answers; sarif and changes need no URL", rules: []rule{
				{with: "output=html output=markdown", needs: "robots", not: "warc rules",
					why: "the forms html and markdown are for what --robots says: they take no --rules or --warc"},
				{with: "output=changes", needs: "against",
					why: "the form changes is for changes: name the older robots.txt with --against OLD"},
				{with: "output=sarif", needs: "robots", not: "ARG warc",
					why: "the form sarif is for what --robots says in general" + whyOther},
				{with: "output=csv", needs: "ARG warc robots tdmrep", why: whyAnswers}}},
		{name: "output", on: "compile", group: output,
			kind: oneOf("FORM", append([]string{"text"}, render.RowOutputs()...)...),
			help: "form of --list, --class or --signals", rules: []rule{
				{needs: "list", why: "--output is the form of --list"},
				{with: "output=text", not: "signals",
					why: "--signals has no --output text: choose one of " + strings.Join(render.RowOutputs(), ", ")},
				{with: "output=csv output=parquet", needs: "class signals",
					why: "--output VALUE is for --class and --signals"}}},
		{name: "urls", on: "history-wayback", group: output, kind: onOff,
			help: "print the URLs of what is missing, and make no folder"},
		{name: "full", on: "audit merge", group: output, kind: onOff,
			help: "print the whole report in text, not one screen"},
		{name: "by", on: "audit merge", group: output, kind: oneOf("UNIT", auto, "hour", "day"), text: auto,
			help: "unit of figures over time; auto is hours up to seven days"},
		{name: "quiet", on: "audit merge", group: output, kind: onOff,
			help: "print no report and no progress"},
		{name: "quiet", on: "check", group: output, kind: onOff,
			help: "print nothing; the exit status is the answer", rules: []rule{
				{needs: "ARG warc robots", why: whyAnswers},
				{needs: "ARG warc fail-on", why: "--quiet answers by its exit status whether an agent may not fetch a URL, " +
					"or whether --fail-on holds: give one of them"}}},
		{name: "html", on: "audit merge", group: output, kind: fileName(),
			help: "also write the report as a self-contained page"},
		{name: "prometheus", on: "audit merge", group: output, kind: fileName(),
			help: "also write figures for Prometheus's textfile collector"},
		{name: "crawler", on: "audit merge", group: output, kind: agentName.again(),
			help: "report only this crawler, by name or product token (repeatable)"},
		{name: "category", on: "audit merge", group: output,
			kind: oneOf("CATEGORY", append([]string{report.AI, report.Unknown}, crawler.Categories()...)...).again(),
			help: "report only crawlers of this category; ai is all ai-... (repeatable)"},
		{name: "fail-on", on: "audit merge", group: output, kind: conditionKind.again(),
			help: "exit with 1 if this holds, such as 'GPTBot:violation>1%' (repeatable)"},
		{name: "fail-on", on: "check", group: output, kind: severityKind.again(),
			help: "without a URL: exit with 1 on error, warning, note or change",
			rules: []rule{describes("--fail-on is about what --robots says in general"),
				{with: "fail-on=change", needs: "against",
					why: "--fail-on change can never hold: name the older robots.txt with --against OLD"}}},
		{name: "list", on: "audit", group: output, kind: oneOf("ROWS", "violations", "all", "undeclared"),
			help: "print a row for each of these requests instead of the report",
			rules: []rule{
				{not: notOfRows(),
					why: "--list has no --output VALUE: choose one of " + strings.Join(render.RowOutputs(), ", ")},
				{with: "list=violations list=undeclared", needs: "robots policy", why: whyJudged},
				{with: "list=undeclared", not: "crawler category",
					why: "--list undeclared lists clients that name no crawler, which --crawler and --category cannot choose"}}},
		{name: "list", on: "compile", group: output, kind: fileName("rsv"),
			help: "print what this archive has, instead of writing one", rules: []rule{
				{not: argument, why: "--list takes one archive, and no sources"},
				{not: "out", why: "--list writes no archive: leave out -o"}}},
		{name: "class", on: "compile", group: output, kind: crawlerNames.again(),
			help:  "with --list: how much is forbidden to these crawlers",
			rules: []rule{{needs: "list", why: whyClass}}},
		{name: "signals", on: "compile", group: output, kind: onOff,
			help: "with --list: the preferences, such as Content-Signal",
			rules: []rule{{needs: "list", why: "--signals needs --list ARCHIVE"},
				{not: "class dump", why: "--signals is a list of its own, without --class or --dump"}}},
		{name: "by", on: "compile", group: output, kind: oneOf("UNIT", "month"),
			help: "with --class: count the sites of each class by month",
			rules: []rule{{needs: "class", why: "--by is for --class"},
				{not: "as-of", why: "--by month has all months, and --as-of chooses one time"}}},
		{name: "as-of", on: "compile", group: output, kind: anyText("TIME"),
			help:  "with --class or --signals: only the versions in force at this time",
			rules: []rule{{needs: "class signals", why: whyClass}}},
		{name: "dump", on: "compile", group: output, kind: onOff, help: "print the machines of robots.txt files instead",
			rules: []rule{{not: "out", why: "--dump writes no archive: leave out -o"},
				{needs: "ARG list", why: "no robots.txt files to dump"}}},
		{name: "lists", on: "crawlers", group: output, kind: onOff,
			help:  "print where operators publish the addresses of their crawlers",
			rules: []rule{{not: argument, why: "--lists and a HEADER exclude each other"}}},
		{name: "anonymize", on: "audit", group: output, kind: fileName(),
			help: "with --list: replace addresses by pseudonyms keyed with this file",
			rules: []rule{{needs: "list", why: "--anonymize is for --list"},
				{not: "evidence samples block", why: "--evidence, --samples and --block write the addresses of clients, " +
					"which --anonymize is to keep back: audit twice"}}},
		{name: "samples", on: "audit", group: output, kind: whole(natural), text: "0",
			help:  "raw log lines to show of each crawler's violations",
			rules: []rule{{needs: "robots policy", why: whyJudged}}},
		{name: "state", on: "audit", group: output, kind: fileName(),
			help: "also write the state of this part of the logs, for merge",
			rules: []rule{{not: "list evidence block", why: "a state has neither requests nor addresses, so an audit with " +
				"--list, --evidence or --block cannot write one"}}},
		{name: "state", on: "merge", group: output, kind: fileName(),
			help: "also write the sum as a state"},
		{name: "evidence", on: "audit", group: output, kind: folderName(),
			help:  "also make a folder with raw lines and letters, for verify",
			rules: []rule{{needs: "robots policy", why: whyJudged}}},
		{name: "made-by", on: "audit", group: output, kind: anyText("NAME"),
			help:  "with --evidence: who made it, for the letters",
			rules: []rule{{needs: "evidence", why: "--made-by is for the letters of --evidence"}}},
		{name: "block", on: "audit", group: output, kind: parsed("KIND=FILE", " ", job.ParseBlock).again(),
			help:  "also write server rules that refuse violators and impostors (repeatable)",
			rules: []rule{{not: "ARG=-", why: "--block reads the logs twice, which stdin cannot be: give their files"}}},
		{name: "block-search", on: "audit", group: output, kind: onOff,
			help:  "with --block: rules that may refuse search engines, too",
			rules: []rule{{needs: "block", why: "--block-search is about the rules of --block"}}},
		{name: "block-names", on: "audit", group: output, kind: onOff,
			help:  "with --block: rules by names that nobody can verify, too",
			rules: []rule{{needs: "block", why: "--block-names is about the rules of --block"}}},
		{name: "keep", on: "filter", group: output, kind: oneOf("WHICH", "allowed", "disallowed"), text: "allowed",
			help: "which URLs to print"},
		{name: "invalid", on: "filter", group: output, kind: oneOf("ACTION", "keep", "drop", "error"), text: "drop",
			help: "rows that have no URL"},
		{name: "annotate", on: "filter", group: output,
			kind: oneOf("FORM", string(job.JSON), string(job.TSV), string(job.Append), string(job.Parquet)),
			help: "print a line for each line instead of the kept ones",
			rules: []rule{{not: "keep invalid no-policy", why: "--annotate prints a line for each line: --keep, --invalid and " +
				"--no-policy say which lines are printed without it"}}},
		{name: "prove", on: "filter", group: output, kind: onOff,
			help: "say how many requests are proved allowed; else exit with 1",
			rules: []rule{{needs: "rules", why: "--prove judges each request by the robots.txt of its time: it needs --rules"},
				{not: "as-of any page", why: "--prove needs the time of each request, and what all agents may fetch: " +
					"it is without --as-of, --any and --page"}}},
		{name: "key", on: "filter", group: output, kind: anyText("COLUMN"),
			help:  "with --annotate parquet: a column instead of the row number",
			rules: []rule{{needs: "annotate=parquet", why: "--key is the key of the rows of --annotate parquet"}}},
		{name: "line-buffered", on: "filter", group: output, kind: onOff,
			help: "answer each line of a pipe as soon as it is read"},
		{name: "force", on: "audit merge compile", group: output, kind: onOff,
			help: "let output files replace files of another kind"},
		{name: "force", on: "history", group: output, kind: onOff, help: "let the folder replace one that history has made"},

		// Limits
		{name: "memory", on: "audit merge verify filter compile history history-log", group: limits,
			kind: kind{value: "SIZE", read: ofMemory}, text: "256MB",
			help: "memory to use, plus 64 MB; the rest spills to temporary files"},
		{name: "workers", on: "audit verify history-log", group: limits, kind: whole(ofWorkers), text: usualWorkers(),
			shown: perProcessor, help: fmt.Sprintf("goroutines that read lines, 1 to %d", maxWorkers)},
		{name: "workers", on: "filter", group: limits, kind: whole(ofWorkers), text: usualWorkers(), shown: perProcessor,
			help: fmt.Sprintf("goroutines that judge rows, 1 to %d", maxWorkers)},
		{name: "timeout", on: "bench", group: limits, kind: timeout, text: time.Minute.String(),
			help: "how long a parser may take to answer about all URLs"},
		{name: "profile", on: "audit filter", group: limits, kind: oneOf("OF", profileModes...), text: profileModes[0],
			help: "write a profile of this run"},
		{name: "profile-dir", on: "audit filter", group: limits, kind: folderName(), text: ".",
			help: "folder for the profile"},
	}
})

// commandRules are rules of commands, independent of any flag.
var commandRules = []rule{
	{on: "history-git", needs: "path",
		why: "history git needs --path: where robots.txt is, or a folder of files named by hosts"},
	{on: "filter", needs: "robots rules", why: whyNoRules},
	{on: "check", needs: "robots rules warc jsonl tdmrep", why: whyNoRules},
	{on: "filter", needs: argument, why: "no list of URLs: name the files, or - for stdin"},
	{on: "filter", needs: "agent", why: whyNoAgent},
	{on: "check", with: argument, needs: "agent", why: whyNoAgent},
	{on: "check", with: "robots=-", not: "ARG=-", why: whyStdin},
	{on: "bench", needs: "robots", why: "no robots.txt: name it with --robots FILE"},
	{on: "bench", needs: "agent", why: whyNoAgent},
}

const (
	whyNoRules = "no rules: name a robots.txt with --robots FILE, or an archive with --rules ARCHIVE"
	whyNoAgent = "no agent: name the crawler with --agent NAME"
)

// describes returns the rule for flags of check that need it to describe a robots.txt in general.
func describes(about string) rule {
	return rule{needs: "robots", not: "ARG warc", why: about + whyOther}
}

// describesWithURLs is describes for flags that also work on a page with verdicts on URLs.
func describesWithURLs(about string) []rule {
	return []rule{{needs: "robots", not: "warc", why: about + whyOther},
		{unless: "output=html output=markdown", not: argument, why: about + whyOther}}
}

// auto is the default of flags whose value can be detected.
const auto = "auto"

// notOfRows lists the outputs that reports have but rows don't, for rules.
func notOfRows() string {
	var list []string
	for _, form := range render.Outputs() {
		if !slices.Contains(render.RowOutputs(), form) {
			list = append(list, "output="+form)
		}
	}
	return strings.Join(list, " ")
}
