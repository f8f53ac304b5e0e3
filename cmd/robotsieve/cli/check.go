package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newCheck(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check (--robots FILE | --rules ARCHIVE | --warc FILE) --agent NAME... [URL...]",
		Short: "Explain what a robots.txt says, about URLs or in general",
		Long: `Check prints for each URL whether the agent may fetch it, which rule decided, in
which group, and why. Without a URL it says in words what robots.txt says: who is
barred, wholly or in part, with the shortest paths that show it, what each group
permits, and a note on each line that its author may not have meant.

With --against OLD it says what changed from OLD, and for whom, with a shortest path
for each rule that decides; --output changes prints nothing else. That nothing
changed is proved for all paths, even if the files differ. --fail-on makes a gate of
it: the exit status is 1 if there is a note of a severity or a graver one, or if
anything changed.

If NAME is a known crawler, such as Googlebot-Image, its product tokens are tried
in their order, and robots.txt is read in its own way; otherwise NAME is the
product token. A URL may be a bare path: text that begins with one slash or two is
a request target without a host. If the only URL is -, URLs are read from
stdin, one a line. With --rules each URL is judged by the rules of its own origin,
in an archive that robotsieve compile made.

With --warc each URL is looked up in a WARC file, and check also prints what the
newest capture of the page states in robots meta tags and X-Robots-Tag headers. It
says when robots.txt keeps the agent from ever seeing them. Without --robots and
--rules, the robots.txt is that of the origin in the same file, as it was when the
page was captured.

With --quiet nothing is printed, and the exit status is 1 if an agent may not
fetch a URL or, without a URL, if --fail-on holds.

With --jsonl, cases are read from stdin, one JSON object a line, with robots,
agent and url (or robots_b64, agent_b64, url_b64). Each is answered with a line
{"allowed":true,"line":0}. The agent is then always a bare product token, the
dialect is rfc9309 unless given, and the dialect decides how the url is read:
google takes the x of "//x" for a host.`,
		Example: `  robotsieve check --robots robots.txt
  robotsieve check --robots robots.txt --against old.txt --fail-on error,change
  robotsieve check --robots robots.txt --sitemap sitemap.xml
  robotsieve check --robots robots.txt --agent GPTBot https://example.com/archive/
  robotsieve check --robots robots.txt --agent MyBot --dialect google --output json /a /b
  robotsieve check --warc crawl.warc.gz --agent Googlebot https://example.com/old-page
  robotsieve check --jsonl --dialect google --max-bytes 0 < cases.jsonl`,
	}
	c := &checkFlags{}
	o := &c.options
	o.Robots.Stdin, o.Messages = s.in, s.messages()
	robotsFlags(cmd, &o.Robots, &c.agent.Dialect)
	cmd.Flags().StringVar(&o.Archive, "rules", "", "an archive of robotsieve compile to judge by")
	_ = cmd.MarkFlagFilename("rules", "rsv")
	cmd.Flags().StringVar(&o.AsOf, "as-of", "", "with --rules: judge by the robots.txt in force at this time: "+
		"2026-11-22T05:00:00Z, or a date, which is its midnight in UTC")
	cmd.Flags().StringVar(&c.warc, "warc", "", "a WARC file whose captures of the URLs are explained")
	_ = cmd.MarkFlagFilename("warc", "warc", "gz", "zst")
	agentsFlag(cmd, &c.names, "a crawler that would fetch the URLs; can be repeated")
	crawlersFlag(cmd, &c.agent.Crawlers)
	jsonl := cmd.Flags().Bool("jsonl", false, "read cases from stdin, one JSON object a line")
	cmd.Flags().BoolVar(&c.quiet, "quiet", false,
		"print nothing; exit with status 1 if an agent may not fetch a URL, or --fail-on holds")
	choice(cmd, "output", "text", "form of the answers; sarif, and changes for --against, without a URL only",
		to(&c.output), "text", "json", "ndjson", "csv", "sarif", "changes")
	cmd.Flags().StringVar(&o.Against.Name, "against", "",
		"without a URL: an older robots.txt; say what changed since, for whom (- is stdin)")
	cmd.Flags().StringArrayVar(&o.Sitemaps, "sitemap", nil,
		"without a URL: a sitemap of the site, or another list of its URLs; note what is forbidden; can be repeated")
	_ = cmd.MarkFlagFilename("sitemap", "xml", "gz", "txt", "csv")
	cmd.Flags().BoolVar(&o.Crossings, "crossings", false, "without a URL: also note rules that exceptions or rules for "+
		"certain queries contradict")
	failOnFlag(cmd, &c.failOn)
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if *jsonl {
			if len(urls) > 0 || o.Robots.Name != "" || o.Archive != "" || c.warc != "" || len(c.names) > 0 ||
				c.agent.Crawlers != "" || c.quiet || cmd.Flags().Changed("output") || o.Against.Name != "" ||
				len(c.failOn) > 0 || len(o.Sitemaps) > 0 || o.Crossings {
				return usageError("--jsonl reads robots.txt, agent and URL from stdin, and has its own form of output")
			}
			options := compile.Options{MaxBytes: o.Robots.MaxBytes}
			if c.agent.Dialect != nil {
				options.Dialect = *c.agent.Dialect
			}
			if err := job.RefuseStreams(s.out, s.err, s.in, "-"); err != nil {
				return err
			}
			return runBatch(s, options)
		}
		for _, name := range c.names {
			agent := c.agent
			agent.Name = name
			o.Agents = append(o.Agents, agent)
		}
		o.Crawlers = c.agent.Crawlers
		o.Against.Stdin, o.Against.MaxBytes = o.Robots.Stdin, o.Robots.MaxBytes
		return c.run(cmd.Context(), s, urls)
	}
	return cmd
}

// describeArchive says what the archive has.
func (f *checkFlags) describeArchive(ctx context.Context, s streams) error {
	if err := job.RefuseStreams(s.out, s.err, s.in, f.options.Archive); err != nil {
		return err
	}
	sum, err := job.ListArchive(ctx, f.options.Archive, nil)
	if err != nil {
		return err
	}
	if f.output == "text" {
		err = writeArchive(s.out, sum)
	} else {
		err = render.WriteJSON(s.out, sum, "")
	}
	return writing("what the archive has", err)
}

// checkFlags are the flags of check.
type checkFlags struct {
	options job.CheckOptions
	names   []string
	agent   job.Agent // each agent, but for its name
	warc    string    // a file of captures; "" for none
	output  string
	quiet   bool
	failOn  []string // severities, and onChange
}

func (f *checkFlags) run(ctx context.Context, s streams, urls []string) error {
	fromStdin := len(urls) == 1 && urls[0] == "-"
	if err := f.refuse(urls); err != nil {
		return err
	}
	switch {
	case f.warc != "":
		return f.runPages(ctx, s, urls)
	case fromStdin && f.options.Robots.Name == "-":
		return usageError("robots.txt and the URLs cannot both be stdin")
	case len(urls) > 0 && len(f.names) == 0:
		return usageError("no agent: name the crawler with --agent NAME")
	case len(urls) == 0 && f.options.Archive != "" && f.options.Robots.Name == "":
		return f.describeArchive(ctx, s)
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, slices.Concat(stdinIn(urls), f.options.Sitemaps,
		[]string{f.options.Robots.Name, f.options.Against.Name, f.options.Archive, f.agent.Crawlers})...); err != nil {
		return err
	}
	c, err := job.NewChecker(ctx, f.options)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing can be done about an error
	if len(urls) == 0 {
		return f.describe(ctx, s, c)
	}
	if f.quiet {
		s.out = io.Discard
	}
	w := newAnswerWriter(s, f.output, len(f.names) > 1)
	ask := func(url string) error {
		answers, err := c.Check(url)
		for _, a := range answers {
			w.write(a, a, func() { w.text(report.Texts(a, report.Printable)) })
		}
		return err
	}
	if fromStdin {
		line := int64(0)
		err = eachLine(s.in, "URLs", func(url string) error {
			line++
			if err := ask(url); err != nil {
				return fmt.Errorf("line %s of stdin: %w", english.Grouped(line), err)
			}
			return nil
		})
	} else {
		for i := 0; i < len(urls) && err == nil; i++ {
			err = ask(urls[i])
		}
	}
	return f.end(w, err, "the archive does not tell the robots.txt of the origin")
}

// refuse refuses flags that have no use with the others: those of a description for anything else,
// and the reverse.
func (f *checkFlags) refuse(urls []string) error {
	old, describes := f.options.Against.Name, len(urls) == 0 && f.warc == "" && f.options.Robots.Name != ""
	switch {
	case !describes && old != "":
		return usageError("--against compares what --robots says in general: it takes no URL, --rules or --warc")
	case !describes && len(f.options.Sitemaps) > 0:
		return usageError("--sitemap is about what --robots says in general: it takes no URL, --rules or --warc")
	case !describes && len(f.failOn) > 0:
		return usageError("--fail-on is about what --robots says in general: it takes no URL, --rules or --warc")
	case !describes && f.options.Crossings:
		return usageError("--crossings is about what --robots says in general: it takes no URL, --rules or --warc")
	case old == "" && f.output == "changes":
		return usageError("the form changes is for changes: name the older robots.txt with --against OLD")
	case !describes && f.output == "sarif":
		return usageError("the form sarif is for what --robots says in general: it takes no URL, --rules or --warc")
	case old == "-" && f.options.Robots.Name == "-":
		return usageError("--robots and --against cannot both be stdin")
	case old != "" && old == f.options.Robots.Name:
		return usageError("--robots and --against are the same file")
	case old == "" && slices.Contains(f.failOn, onChange):
		return usageError("--fail-on change can never hold: name the older robots.txt with --against OLD")
	case describes && f.quiet && len(f.failOn) == 0:
		return usageError("--quiet tells by the exit status whether an agent may not fetch a URL, " +
			"or whether --fail-on holds: give one of them")
	case len(urls) == 0 && f.warc == "" && !describes && (f.quiet || f.output == "csv"):
		return usageError("no URL: --quiet and the form csv are for answers on URLs, or for --robots")
	}
	return nil
}

// answerWriter prints answers in one of their forms.
type answerWriter struct {
	w    *bufio.Writer
	form string
	json jsonList

	several    bool  // there are several agents
	unknown    int64 // answers without a verdict
	disallowed bool  // an answer was
}

func newAnswerWriter(s streams, form string, several bool) *answerWriter {
	b := bufio.NewWriter(s.out)
	if form == "csv" {
		fmt.Fprint(b, render.CSVLine("url", "agent", "dialect", "allowed", "line", "rule", "unknown"))
	}
	return &answerWriter{w: b, form: form, several: several, json: jsonList{w: b}}
}

// write prints an answer, or what has more than that, and counts its verdict. text prints it for
// people.
func (w *answerWriter) write(a job.Answer, more any, text func()) {
	if a.Unknown {
		w.unknown++
	}
	w.disallowed = w.disallowed || !a.Allowed && !a.Unknown
	switch w.form {
	case "json":
		w.json.add(more)
	case "ndjson":
		_ = render.WriteJSON(w.w, more, "") // close returns the error
	case "csv":
		a = report.Texts(a, report.Printable)
		fmt.Fprint(w.w, render.CSVLine(a.URL, a.Agent, a.Dialect, a.Allowed, a.Line, a.Rule, a.Unknown))
	default:
		text()
	}
}

func (w *answerWriter) text(a job.Answer) {
	line := func(format string, args ...any) {
		fmt.Fprintf(w.w, format+"\n", args...)
	}
	line("%-10s  %s", a.Verdict(), a.URL)
	if w.several {
		line("  agent     %s", a.Agent)
	}
	if a.Line > 0 {
		line("  rule      line %d: %s", a.Line, a.Rule)
	}
	line("  because   %s", a.WhyRule)
	for _, g := range a.Groups {
		line("  group     line %d: User-agent: %s", g.Line, english.List(g.Agents))
	}
	if a.WhyGroup != "" {
		line("  because   %s", a.WhyGroup)
	}
	line("  reading   %s", a.Dialect)
	if a.Contested != "" {
		line("  contested %s", a.Contested)
	}
	if a.Exempt != "" {
		line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
	}
}

func (w *answerWriter) close() error {
	if w.form == "json" {
		w.json.end()
	}
	return writing("the answers", w.w.Flush())
}

// runPages explains what robots.txt and the pages say, as a WARC file has them.
func (f *checkFlags) runPages(ctx context.Context, s streams, urls []string) error {
	switch {
	case f.output == "csv":
		return usageError("--warc has no form csv: what a page states does not fit into a row")
	case len(urls) == 0:
		return usageError("no URL: --warc explains the captures of URLs")
	case f.options.Robots.Name == "-" || f.warc == "-" || len(stdinIn(urls)) > 0:
		return usageError("with --warc nothing is read from stdin")
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, f.warc, f.options.Robots.Name, f.options.Archive,
		f.agent.Crawlers); err != nil {
		return err
	}
	answers, err := job.CheckPages(ctx, f.options, f.warc, urls)
	if f.quiet {
		s.out = io.Discard
	}
	w := newAnswerWriter(s, f.output, len(f.names) > 1)
	for _, a := range answers {
		w.write(a.Answer, a, func() {
			a := report.Texts(a, report.Printable)
			w.text(a.Answer)
			w.pageText(a)
		})
	}
	return f.end(w, err, "the robots.txt of the origin is not known: give it with --robots or --rules")
}

// end ends the answers and returns the error of the command. The reason is why an answer has no
// verdict.
func (f *checkFlags) end(w *answerWriter, err error, reason string) error {
	if err = errors.Join(w.close(), err); err != nil {
		return err
	}
	if w.unknown > 0 {
		return inputError(fmt.Errorf("%s without a verdict, because %s", english.Plural(w.unknown, "answer"), reason))
	}
	if f.quiet && w.disallowed {
		return exitWith(exitFound)
	}
	return nil
}

// pageText prints what follows the verdict on the URL of a captured page.
func (w *answerWriter) pageText(a job.PageAnswer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w.w, "  %-9s "+format+"\n", append([]any{label}, args...)...)
	}
	if a.RobotsTxt != "" {
		line("robots", "%s", a.RobotsTxt)
	}
	c := a.Capture
	capture := []string{fmt.Sprintf("status %d", c.Status)}
	if c.ContentType != "" {
		capture = append(capture, c.ContentType)
	}
	if c.Date != "" {
		capture = append(capture, c.Date)
	}
	if c.Captures > 1 {
		capture = append(capture, fmt.Sprintf("the newest of %s", english.Plural(int64(c.Captures), "capture")))
	}
	line("capture", "%s", strings.Join(capture, ", "))
	for _, s := range a.Statements {
		label, text := "header", s.Source+": "+s.Text
		if s.Source == "meta" {
			label, text = "meta", s.Crawler+": "+s.Text
			if s.Crawler == "" {
				text = "robots: " + s.Text
			}
		}
		if !s.Applies {
			text += " (not for " + a.Agent + ")"
		}
		if len(s.Unknown) > 0 {
			text += " (unknown: " + strings.Join(s.Unknown, ", ") + ")"
		}
		line(label, "%s", text)
	}
	if len(a.Directives) > 0 {
		line("page", "states %s", strings.Join(a.Directives, ", "))
	} else {
		line("page", "states nothing that restricts %s", a.Agent)
	}
	if a.Partial {
		line("but", "not all of its head was read, because it is too large")
	}
	if c.Unread != "" {
		line("but", "the body could not be read to its end: %s", c.Unread)
	}
	if a.Unseen != "" {
		line("unseen", "%s", a.Unseen)
	}
}
