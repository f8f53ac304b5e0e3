package cli

import (
	"context"
	"fmt"
	"strings"
	_ "time/tzdata" // --time-zone works where the system has no zones, as in a small container

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newAudit(s streams, dns crawler.Resolver) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit [--robots FILE | --policy MANIFEST|DIR] LOG...",
		Short: "Report which crawlers ignored robots.txt, from access logs",
		Long: `Audit reads access logs and gives every request of a crawler one verdict: robots.txt
permitted it, robots.txt forbade it, or it is not known which.

A LOG is a file, plain or compressed (gzip, zstd, bzip2, xz), an archive (tar, also
compressed, or zip) of which each member is a log, a folder with all its subfolders,
a pattern, or - for stdin. Its format is found by its first lines, unless --format
names or describes it: see robotsieve formats.

With --robots one robots.txt is taken as in force throughout. With --policy
requests are judged by the versions that were in force when they were made: a
manifest, which is CSV with the header from,origin,status,file; a folder that
robotsieve history has made; or a folder of dated files
HOST/2026-11-01T00:00:00Z.txt or 2026-11-01/HOST.txt.

With neither nobody is judged. The report says which crawlers came, how much they
requested, how far they were identified, and which sizes their robots.txt had.

A request counts as a violation only if every copy of robots.txt that its crawler
may still have been using forbids it. The log's own answers to /robots.txt are taken
into account.

With --what-if nobody is judged. The report says which requests of crawlers the other
robots.txt would forbid that --robots allows, and the reverse: by crawler and by the
beginning of the path, with the bytes that were sent, and examples.`,
		Example: `  robotsieve audit access.log
  robotsieve audit --robots robots.txt access.log access.log.*.gz
  robotsieve audit --robots robots.txt --host https://example.com vhosts.log
  robotsieve audit --policy manifest.csv --ip-ranges Googlebot=googlebot.json access.log*
  robotsieve audit --robots robots.txt --ip-ranges ranges/ --fail-on 'violation.verified>0' access.log
  robotsieve audit --robots robots.txt --since 2026-11-01 --until 2026-12-01 access.log*
  robotsieve audit --robots robots.txt --what-if new-robots.txt access.log*
  robotsieve audit --policy manifest.csv --state monday.state monday.log.gz
  robotsieve audit --robots robots.txt --evidence november access.log*
  robotsieve audit --robots robots.txt --format /etc/nginx/nginx.conf:main access.log
  zcat old/*.gz | robotsieve audit --robots robots.txt --samples 3 -`,
	}
	flags := cmd.Flags()
	o := &job.AuditOptions{Robots: job.RobotsFile{Stdin: s.in}, Logs: job.Inputs{Stdin: s.in}}
	robotsFlags(cmd, &o.Robots, &o.Dialect)
	choice(cmd, "history", "auto",
		"whether the times of versions are when they were deployed or when they were observed; "+
			"auto is what a manifest says, else deployed for a manifest and observed for others",
		to(&o.History), "auto", "deployed", "observed")
	durationFlag(cmd, &o.Window, "window", "24h", "",
		"how long a crawler may use a copy of robots.txt (RFC 9309 2.4), 24h or more")
	durationFlag(cmd, &o.Delay, "delay", "3h", "",
		"how much longer queues, caches and late logging may keep a copy of robots.txt in use, 3h or more")
	durationFlag(cmd, &o.Skew, "skew", "10m", "", "by how much the clocks of the log and of the versions may differ, "+
		"10m or more")
	durationFlag(cmd, &o.RangesMaxAge, "ranges-max-age", "365d", "d",
		"how long before or after a request a list of addresses may have been made to verify a client, in days")
	resolve := flags.Bool("resolve", false, "look up the names of addresses of violations (uses the network; "+
		"it can verify a client, but never prove an impostor)")
	flags.StringVar(&o.Format, "format", "auto",
		"format of the logs: auto, a name that robotsieve formats lists, "+
			"FILE:NAME for a log_format or LogFormat in a server's configuration, or the words of a format: "+
			"of nginx, Apache, GoAccess or Envoy, the #Fields line of a W3C log, a JSON map, "+
			"or a regular expression with named groups")
	_ = cmd.RegisterFlagCompletionFunc("format", completeFormats)
	flags.StringVar(&o.Since, "since", "", "judge only requests from this time on: 2026-11-22T05:00:00Z, a date, "+
		"which is its midnight in --time-zone, or a number of hours, days or weeks before now, such as 7d; "+
		"answers to robots.txt before it still count for what was sent under each name")
	flags.StringVar(&o.Until, "until", "", "judge only requests before this time, which is not in the period itself; "+
		"likewise")
	flags.StringVar(&o.TimeZone, "time-zone", "", "the zone of dates above, of times in logs that name none, and of "+
		"hours, days and times in the report but the times in JSON: an IANA name such as Europe/Berlin, +02:00, or "+
		"Local (default UTC)")
	memoryFlag(cmd, &o.Memory)
	reporting := addReportFlags(cmd, "ndjson", "parquet")
	list := addRowFlags(cmd)
	flags.StringVar(&o.Policy, "policy", "", "the versions of robots.txt to judge by: "+
		"a manifest (CSV), a folder of history, or a folder of dated files")
	flags.StringVar(&o.WhatIf, "what-if", "", "another robots.txt: say which requests of crawlers it would forbid that "+
		"--robots allows, and the reverse, and judge none (- is stdin)")
	flags.BoolVar(&o.AssumeConstant, "assume-constant", false,
		"take the first version of each origin as in force before all time")
	flags.StringArrayVar(&o.Hosts, "host", nil,
		"judge only this site, such as https://example.com (repeatable); "+
			"needed with --robots if the logs name hosts, and with --policy if they name none; "+
			"HOST=PATTERN gives a site the logs whose names match: a file, a folder, "+
			"an archive or a pattern such as 'logs/a.example*' or '*/a.example-access.log*'")
	flags.StringArrayVar(&o.Ranges, "ip-ranges", nil,
		"the published addresses of a crawler: NAME=FILE, NAME=FILE@2026-11-01 with the day when the list was made, "+
			"NAME=DIR with lists of several dates, or DIR with files NAME.json and NAME.txt; "+
			"NAME is a crawler's name, or an official list's such as googlebot.json, "+
			"which is for all its crawlers (repeatable)")
	flags.StringVar(&o.Names, "resolved-names", "",
		"names of addresses that were looked up elsewhere: lines of ip<TAB>name<TAB>confirmed")
	flags.StringVar(&o.ClientIP, "client-ip", "addr",
		"where the client's address is: addr, xff (needs --trusted-proxies), "+
			"or xff:-N for the Nth address from the right of X-Forwarded-For: the field that the format says; "+
			"in the format combined, the first quoted field after the User-Agent")
	flags.StringArrayVar(&o.TrustedProxies, "trusted-proxies", nil,
		"addresses or CIDR ranges of one's own proxies, for --client-ip xff (repeatable)")
	flags.IntVar(&o.Samples, "samples", 0, "show this many raw log lines of the violations of each crawler, "+
		"at most 256 KB of them and 4 MB in all; 3 with --html, none with --anonymize")
	percentFlag(cmd, &o.MaxUnparsed, "max-unparsed", "5",
		"per cent of the lines of a log that may be unreadable; more make the report partial")
	flags.BoolVar(&o.AllowDuplicates, "allow-duplicates", false, "count a log also if another one has the same content")
	flags.BoolVar(&o.Hash, "sha256", false, "state the SHA-256 also of uncompressed logs of more than 128 MiB in "+
		"all, which takes about half a second a gigabyte")
	flags.StringVar(&o.State, "state", "", "also write the state of this part of the input to a file, for merge")
	flags.StringVar(&o.Evidence, "evidence", "", "also make a folder with the log lines of all violations, "+
		"what they are judged by, and a letter for each crawler, for robotsieve verify; "+
		"nothing of other visitors is in it")
	flags.StringVar(&o.MadeBy, "made-by", "", "with --evidence: who made it, as the letters are to say")
	addFlag(cmd, "stringArray", "block", "", "also write rules that refuse those who broke robots.txt, and impostors: "+
		"KIND=FILE, with a KIND of "+strings.Join(job.BlockKinds(), ", ")+"; the logs are read again to say whom else "+
		"they would have refused (repeatable)", func(text string) error {
		b, err := job.ParseBlock(text)
		o.Block = append(o.Block, b)
		return err
	})
	flags.BoolVar(&o.BlockSearch, "block-search", false, "put rules of --block in force that may refuse search "+
		"engines, which are comments otherwise")
	flags.BoolVar(&o.BlockNames, "block-names", false, "put rules of --block in force by the names of crawlers that "+
		"nobody can verify, which are comments otherwise")
	forceFlag(cmd, &o.Force)
	flags.StringVar(&o.Sampled, "sampled", "", "how the logs were sampled, such as 1/100: stated in the report")
	crawlersFlag(cmd, &o.Crawlers)
	workersFlag(cmd, &o.Workers, "goroutines that read lines")
	startProfile := profileFlags(cmd, s)
	cmd.RunE = func(cmd *cobra.Command, logs []string) (err error) {
		o.Logs.Names, o.Stdout = logs, s.out
		o.Files, o.By, o.Only, o.Messages = reporting.files, reporting.by, reporting.only, reporting.messages(s)
		if o.Anonymous = list.keyFile != ""; cmd.Flags().Changed("html") && !cmd.Flags().Changed("samples") &&
			!o.Anonymous && o.Robots.Name+o.Policy != "" {
			o.Samples = 3
		}
		for _, name := range []string{"list", "prometheus", "ip-ranges", "resolved-names", "samples"} {
			if o.WhatIf != "" && cmd.Flags().Changed(name) {
				return usageError("--%s is about verdicts, and --what-if gives none", name)
			}
		}
		if o.WhatIf != "" && reporting.output == "csv" {
			return usageError("--output csv has the crawlers' verdicts, and --what-if gives none: use json")
		}
		rows, err := list.chosen(reporting.output, cmd.Flags().Changed("output"))
		if err != nil {
			return err
		}
		if o.Anonymous {
			o.Read = []string{list.keyFile}
		}
		runJob := job.Audit
		if s.elsewhere != nil {
			runJob = func(ctx context.Context, o job.AuditOptions) (*job.Audited, error) {
				return s.elsewhere.Audit(ctx, o, rows)
			}
			if rows.List != "" {
				reporting.output = "text" // --output is that of the rows
			}
		} else if o.Rows, err = list.begin(s, rows); err != nil {
			return err
		}
		if reporting.listed = o.Rows != nil; reporting.listed && isTerminal(s.out) {
			o.Messages.Progress = nil // the rows would run into the bar
		}
		stop, err := startProfile()
		if err != nil {
			return err
		}
		defer stop(&err)
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.Program, o.Command, o.CheckCondition = version(), commandLine(cmd), reporting.check
		if *resolve {
			o.Resolver = &dns
		}
		a, err := runJob(ctx, *o)
		return reporting.finish(s, a, list.end(a, err))
	}
	return cmd
}

func newMerge(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge STATE...",
		Short: "Combine partial audits into one report",
		Long: `Merge adds up the states that audit --state has written, each of a part of the
logs, and prints the report that one audit of all of them would have given.

The parts must have been judged by files of the same content, whatever their
names, and by the same flags. The states contain these, so that no other file is
needed. With --state the sum is also written as a state, which can be merged again.`,
		Example: `  robotsieve audit --policy manifest.csv --state a.state monday.log.gz > /dev/null
  robotsieve audit --policy manifest.csv --state b.state tuesday.log.gz > /dev/null
  robotsieve merge a.state b.state`,
	}
	o, reporting := job.MergeOptions{}, addReportFlags(cmd)
	memoryFlag(cmd, &o.Memory)
	cmd.Flags().BoolVar(&o.AllowDuplicates, "allow-duplicates", false,
		"count a state also if all its inputs are in another one")
	cmd.Flags().StringVar(&o.State, "state", "", "also write the sum to a file, as a state for merge")
	forceFlag(cmd, &o.Force)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.States, o.Stdout = names, s.out
		o.Program, o.Command, o.CheckCondition = version(), commandLine(cmd), reporting.check
		o.Files, o.By, o.Only, o.Messages = reporting.files, reporting.by, reporting.only, reporting.messages(s)
		a, err := job.Merge(ctx, o)
		return reporting.finish(s, a, err)
	}
	return cmd
}

func newVerify(s streams) *cobra.Command {
	o := &job.VerifyOptions{Messages: s.messages()}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check a folder that audit --evidence has made",
		Long: `Verify checks that no file of an evidence folder was changed, added or removed, then
audits the folder's log lines again with the folder's own robots.txt files, lists and
options. The result must be the folder's report and letters, byte for byte: a forged
count or sentence is found even if all hashes were made anew.

Exit status: 0 everything holds; 1 something does not; 3 the folder could not be
checked.`,
		Example: `  robotsieve verify november`,
		Args:    needs("no folder of evidence: name one that audit --evidence has made"),
	}
	memoryFlag(cmd, &o.Memory)
	workersFlag(cmd, &o.Workers, "goroutines that read lines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Dir = args[0]; len(args) > 1 {
			return usageError("%s is one folder too many: verify checks one, and reads no logs", args[1])
		}
		if err := job.RefuseStreams(s.out, s.err, s.in, args...); err != nil {
			return err
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		v, err := job.Verify(ctx, *o)
		if v == nil {
			return err
		}
		code := exitDone
		if len(v.Failed) > 0 {
			code = exitFound
		}
		if err != nil {
			s.warn("%v", err)
			code = codeOf(err)
		}
		if _, err := fmt.Fprint(s.out, verifiedText(v)); err != nil {
			return err
		}
		return exitWith(code)
	}
	return cmd
}

// verifiedText is the result of verify for people.
func verifiedText(v *job.Verified) string {
	var b strings.Builder
	for _, text := range v.Checked {
		fmt.Fprintln(&b, report.Printable(text))
	}
	for _, text := range v.Failed {
		fmt.Fprintln(&b, "Does not hold: "+report.Printable(text)+".")
	}
	return b.String()
}
