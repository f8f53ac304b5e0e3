package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newCheck(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check (--robots FILE | --rules ARCHIVE | --warc FILE) --agent NAME... [URL...]",
		Short: "Explain what a robots.txt says, about URLs or in general",
		Long: `Check prints for each URL whether the agent may fetch it, which rule decided, in
which group, and why. Without a URL it says in words what robots.txt says, and
prints a note on each line that its author may not have meant.

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
fetch a URL.

With --jsonl, cases are read from stdin, one JSON object a line, with robots,
agent and url (or robots_b64, agent_b64, url_b64). Each is answered with a line
{"allowed":true,"line":0}. The agent is then always a bare product token, the
dialect is rfc9309 unless given, and the dialect decides how the url is read:
google takes the x of "//x" for a host.`,
		Example: `  robotsieve check --robots robots.txt
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
	cmd.Flags().BoolVar(&c.quiet, "quiet", false, "print nothing; exit with status 1 if an agent may not fetch a URL")
	choice(cmd, "output", "text", "form of the answers", to(&c.output), "text", "json", "ndjson", "csv")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if *jsonl {
			if len(urls) > 0 || o.Robots.Name != "" || o.Archive != "" || c.warc != "" || len(c.names) > 0 ||
				c.agent.Crawlers != "" || c.quiet || cmd.Flags().Changed("output") {
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
		err = report.WriteJSON(s.out, sum, "")
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
}

func (f *checkFlags) run(ctx context.Context, s streams, urls []string) error {
	fromStdin := len(urls) == 1 && urls[0] == "-"
	switch {
	case f.warc != "":
		return f.runPages(ctx, s, urls)
	case fromStdin && f.options.Robots.Name == "-":
		return usageError("robots.txt and the URLs cannot both be stdin")
	case len(urls) > 0 && len(f.names) == 0:
		return usageError("no agent: name the crawler with --agent NAME")
	case len(urls) == 0 && f.quiet:
		return usageError("no URL: --quiet tells by the exit status whether an agent may not fetch a URL")
	case len(urls) == 0 && f.output == "csv":
		return usageError("no URL: the form csv is for answers on URLs")
	case len(urls) == 0 && f.options.Archive != "" && f.options.Robots.Name == "":
		return f.describeArchive(ctx, s)
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, append(stdinIn(urls), f.options.Robots.Name, f.options.Archive,
		f.agent.Crawlers)...); err != nil {
		return err
	}
	c, err := job.NewChecker(ctx, f.options)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing can be done about an error
	if len(urls) == 0 {
		return f.describe(s, c)
	}
	if f.quiet {
		s.out = io.Discard
	}
	w := newAnswerWriter(s, f.output, len(f.names) > 1)
	ask := func(url string) error {
		answers, err := c.Check(url)
		for _, a := range answers {
			w.write(a, a, func() { w.text(audit.Texts(a, audit.Printable)) })
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

// describe prints what robots.txt says.
func (f *checkFlags) describe(s streams, c *job.Checker) error {
	d, err := c.Describe(f.agent.Dialect)
	if err != nil {
		return err
	}
	if f.output != "text" {
		return writing("the answers", report.WriteJSON(s.out, d, ""))
	}
	b := bufio.NewWriter(s.out)
	writeDescription(b, audit.Texts(d, audit.Printable))
	return writing("the answers", b.Flush())
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
		fmt.Fprint(b, report.CSVLine("url", "agent", "dialect", "allowed", "line", "rule", "unknown"))
	}
	return &answerWriter{w: b, form: form, several: several, json: jsonList{w: b}}
}

// write prints an answer, or what has more than that, and counts its verdict. text prints it for people.
func (w *answerWriter) write(a job.Answer, more any, text func()) {
	if a.Unknown {
		w.unknown++
	}
	w.disallowed = w.disallowed || !a.Allowed && !a.Unknown
	switch w.form {
	case "json":
		w.json.add(more)
	case "ndjson":
		_ = report.WriteJSON(w.w, more, "") // close returns the error
	case "csv":
		a = audit.Texts(a, audit.Printable)
		fmt.Fprint(w.w, report.CSVLine(a.URL, a.Agent, a.Dialect, a.Allowed, a.Line, a.Rule, a.Unknown))
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

// writeDescription prints a description as text. An error stays in the writer.
func writeDescription(w *bufio.Writer, d *job.Description) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	count := func(n int, noun string) string { return english.Plural(int64(n), noun) }
	line("%s: %s, %s, %s, read by %s", d.File, count(d.Lines, "line"), count(len(d.Groups)+d.NotListed.Groups, "group"),
		count(d.Rules, "rule"), d.Dialect)
	more := func(n int, noun string) {
		if n > 0 {
			line("  ... and %s", count(n, "more "+noun))
		}
	}
	if len(d.Groups) == 0 {
		line("\nNo line names a user agent: every crawler may fetch everything.")
	}
	for _, g := range d.Groups {
		line("\nline %d: %s", g.Line, crawlersOf(g.Binds, len(d.Groups), d.Dialect))
		if len(g.Binds) == 0 {
			line("  forbids        nothing, because no user-agent line of the group names a crawler")
			continue
		}
		if !slices.ContainsFunc(g.Rules, func(r job.RuleText) bool { return r.Paths != "" }) {
			line("  forbids        nothing, because no rule of the group has an effect")
		}
		for _, r := range g.Rules {
			line("  %-13s  %-40s  line %d: %s", permission(r), cmp.Or(r.Paths, "-"), r.Line, r.Rule)
		}
	}
	more(d.NotListed.Agents, "user-agent line")
	more(d.NotListed.Rules, "rule")
	more(d.NotListed.Groups, "group")
	if d.Rules > 0 {
		line("\nA crawler may fetch every path that no rule of its groups matches.")
	}
	for _, a := range d.Agents {
		line("\n%s: %s", a.Agent, a.WhyGroup)
		for _, g := range a.Groups {
			line("  group     line %d: User-agent: %s", g.Line, english.List(g.Agents))
		}
		if a.Exempt != "" {
			line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
		}
	}
	if len(d.Others) > 0 {
		line("\nLines that are no rules:")
	}
	for _, o := range d.Others {
		line("  line %d: %s", o.Line, o.Text)
	}
	more(d.NotListed.Others, "line")
	if len(d.Notes) == 0 {
		line("\nNo notes.")
		return
	}
	line("\n%s:", count(len(d.Notes)+d.NotListed.Notes, "note"))
	for _, n := range d.Notes {
		text := n.Note
		if n.Text != "" {
			text += fmt.Sprintf(": \"%s\"", n.Text)
		}
		line("  %-7s  line %d: %s", n.Severity, n.Line, text)
	}
	more(d.NotListed.Notes, "note")
}

// crawlersOf says in words which crawlers a group binds, as one of several.
func crawlersOf(names []string, groups int, dialect string) string {
	switch {
	case len(names) == 0:
		return "no crawler"
	case len(names) == 1 && names[0] == "*" && groups > 1:
		return "every crawler that no other group names (*)"
	case len(names) == 1 && names[0] == "*":
		return "every crawler (*)"
	case dialect == automaton.Original.String():
		return "crawlers whose name contains " + strings.Join(names, " or ") + ", and that no group before names"
	default:
		return strings.Join(names, ", ")
	}
}

// permission says what a rule permits.
func permission(r job.RuleText) string {
	switch {
	case r.Paths == "":
		return "has no effect"
	case r.Allow:
		return "may fetch"
	default:
		return "may not fetch"
	}
}
