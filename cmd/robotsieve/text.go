package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// colours tells whether a stream is to be written to in colours: on a terminal,
// unless the user forbids it (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// Bounds of what the text report lists; the other forms list all.
const (
	maxCrawlersShown = 60
	maxRulesShown    = 40
	maxRuleShown     = 100 // characters of a rule
	maxWidth         = 100 // of prose
)

// writeText prints the report for people: first what was found, then by whom,
// then what it rests on.
func writeText(w *bufio.Writer, r *audit.Report, coloured bool) {
	t := textReport{w, r, coloured}
	t.head()
	t.crawlers()
	t.notJudged()
	t.rules()
	t.samples()
	t.footing()
}

type textReport struct {
	*bufio.Writer
	*audit.Report
	coloured bool
}

func (t textReport) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t textReport) paint(s string, c text.Color) string {
	if !t.coloured {
		return s
	}
	return c.Sprint(s)
}

func (t textReport) head() {
	if t.Partial {
		t.line("%s\n", t.paint("PARTIAL: not all of the input was read; see below.", text.FgYellow))
	}
	violators := 0
	for _, c := range t.Crawlers {
		if c.Verdicts.Violation > 0 {
			violators++
		}
	}
	switch v := t.Totals.Verdicts.Violation; {
	case t.Totals.Requests == 0:
		t.line("No request by a client that identifies itself as a crawler.")
	case v == 0:
		t.line("%s by clients identifying themselves as crawlers, none for what robots.txt forbids them.",
			plural(t.Totals.Requests, "request"))
	default:
		obtained := t.Totals.Outcomes.Obtained
		t.line("%s of %s by clients identifying themselves as crawlers %s for what robots.txt forbids them;",
			t.paint(grouped(v), text.FgRed), plural(t.Totals.Requests, "request"), were(v))
		t.line("%s %s answered with the content. They name %s. Nobody's identity is verified.",
			t.paint(grouped(obtained), text.FgRed), were(obtained), plural(int64(violators), "crawler"))
	}
	t.line("")
	if t.From != "" {
		t.line("From %s to %s.", clock(t.From), clock(t.To))
	}
	t.line("%s = %s not of crawlers + %s of crawlers + %s for other hosts + %s not judged + %s unparsed.",
		plural(t.Lines, "line"), grouped(t.NotCrawlers), plural(t.Totals.Requests, "request"),
		grouped(t.OtherHost), grouped(t.NotJudged), grouped(t.Unparsed))
	for _, w := range t.Warnings {
		t.line("%s %s", t.paint("Warning:", text.FgYellow), printable(w))
	}
}

func were(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// clock is a time of the report in fewer characters.
func clock(s string) string {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return at.Format("2006-01-02 15:04:05 UTC")
}

// column is a number in the table of crawlers.
type column struct {
	name string
	of   func(c *audit.CrawlerInfo) int64
	red  bool
}

var columns = []column{
	{"requests", func(c *audit.CrawlerInfo) int64 { return c.Requests }, false},
	{"robots.txt", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.RobotsFetch }, false},
	{"allowed", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Allowed }, false},
	{"violation", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Violation }, true},
	{"·obtained", func(c *audit.CrawlerInfo) int64 { return c.Outcomes.Obtained }, true},
	{"·redirected", func(c *audit.CrawlerInfo) int64 { return c.Outcomes.Redirected }, false},
	{"·refused", func(c *audit.CrawlerInfo) int64 { return c.Outcomes.Refused }, false},
	{"·absent", func(c *audit.CrawlerInfo) int64 { return c.Outcomes.Absent }, false},
	{"grace", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Grace }, false},
	{"no policy", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.NoPolicy }, false},
	{"unreachable", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Unreachable }, false},
	{"contested", func(c *audit.CrawlerInfo) int64 { return c.Reasons.Contested }, false},
	{"other indeterminate", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Indeterminate - c.Reasons.Contested }, false},
	{"exempt", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Exempt }, false},
	{"spoofed", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Spoofed }, false},
}

// crawlers prints one row a crawler, with the columns in which there is anything.
func (t textReport) crawlers() {
	if len(t.Crawlers) == 0 {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(t.Crawlers, func(i audit.CrawlerInfo) bool { return c.of(&i) != 0 })
	})
	header := table.Row{"crawler", "operator"}
	var configs []table.ColumnConfig
	for i, c := range shown {
		header = append(header, c.name)
		configs = append(configs, table.ColumnConfig{Number: i + 3, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w := newTable(header, configs)
	for i := range t.Crawlers[:min(len(t.Crawlers), maxCrawlersShown)] {
		c := &t.Crawlers[i]
		row := table.Row{c.Crawler, c.Operator}
		for _, column := range shown {
			n := column.of(c)
			cell := grouped(n)
			if n == 0 {
				cell = "-"
			} else if column.red {
				cell = t.paint(cell, text.FgRed)
			}
			row = append(row, cell)
		}
		w.AppendRow(row)
	}
	t.line("\n%s", w.Render())
	if more := len(t.Crawlers) - maxCrawlersShown; more > 0 {
		t.line("and %s more, with fewer violations or none: see --output json or csv.", plural(int64(more), "crawler"))
	}
}

func newTable(header table.Row, configs []table.ColumnConfig) table.Writer {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	w.AppendHeader(header)
	w.SetColumnConfigs(configs)
	return w
}

// notJudged says of the columns that are no verdict on conduct why they are not.
func (t textReport) notJudged() {
	for _, c := range t.Crawlers {
		if c.Exempt != "" {
			t.line("%s is exempt: %s.", c.Crawler, strings.TrimSuffix(printable(c.Exempt), "."))
		}
	}
	var sum audit.ReasonCounts
	for _, c := range t.Crawlers {
		sum.Contested += c.Reasons.Contested
		sum.AmbiguousAgent += c.Reasons.AmbiguousAgent
		sum.Truncated += c.Reasons.Truncated
		sum.NoTime += c.Reasons.NoTime
	}
	t.indeterminate(sum.Contested, "contested: Google's parser and RFC 9309 read the rule differently")
	t.indeterminate(sum.AmbiguousAgent, "ambiguous: the User-Agent names crawlers of two operators")
	t.indeterminate(sum.Truncated, "truncated: the server logged only the beginning of the target")
	t.indeterminate(sum.NoTime, "without a time that can be read")
}

func (t textReport) indeterminate(n int64, why string) {
	if n > 0 {
		t.line("Indeterminate, %s %s.", plural(n, "request"), why)
	}
}

// rules prints which rules were ignored, and by whom, the most often ignored
// first.
func (t textReport) rules() {
	type broken struct {
		crawler string
		audit.RuleInfo
	}
	var all []broken
	rest := int64(0)
	for _, c := range t.Crawlers {
		for _, rule := range c.Rules {
			all = append(all, broken{c.Crawler, rule})
		}
		rest += c.RulesNotListed
	}
	if len(all) == 0 {
		return
	}
	// The crawlers are in order, and so are the rules of each.
	slices.SortStableFunc(all, func(x, y broken) int { return cmp.Compare(y.Violations, x.Violations) })
	for _, rule := range all[min(len(all), maxRulesShown):] {
		rest += rule.Violations
	}
	w := newTable(table.Row{"violations", "crawler", "line", "rule"}, []table.ColumnConfig{
		{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, rule := range all[:min(len(all), maxRulesShown)] {
		line := rule.Rule
		if len(t.Policy.Origins) > 1 {
			line += "   of " + rule.Origin
		}
		w.AppendRow(table.Row{grouped(rule.Violations), rule.crawler, rule.Line, cut(line, maxRuleShown)})
	}
	t.line("\n%s", w.Render())
	if rest > 0 {
		t.line("and %s of other rules: see --output json.", plural(rest, "violation"))
	}
}

func (t textReport) samples() {
	for _, c := range t.Crawlers {
		for i, s := range c.Samples {
			if i == 0 {
				t.line("\nFirst violations of %s, as logged:", c.Crawler)
			}
			t.line("  %s", s.Line)
		}
	}
}

// footing prints what the figures rest on.
func (t textReport) footing() {
	t.line("\nJudged by %s, %s%s.", printable(t.Policy.File), plural(int64(t.Policy.Bytes), "byte"), forOrigins(t.Policy.Origins))
	for _, a := range t.Assumptions {
		for i, line := range strings.Split(text.WrapSoft(printable(a), maxWidth-2), "\n") {
			bullet := "- "
			if i > 0 {
				bullet = "  "
			}
			t.line("%s%s", bullet, strings.TrimRight(line, " "))
		}
	}
	t.line("\nRead:")
	for _, in := range t.Inputs {
		name := in.Name
		if in.Codec != "" && in.Codec != "plain" {
			name += " (" + in.Codec + ")"
		}
		switch {
		case in.Error != "" && in.Format == "":
			t.line("  %s", t.paint("not read: "+in.Error, text.FgYellow))
		case in.Error != "":
			t.line("  %s: %s, %s; %s", name, in.Format, plural(in.Bytes, "byte"), t.paint("broken off: "+in.Error, text.FgYellow))
		case !in.Complete:
			t.line("  %s: %s, %s; %s", name, in.Format, plural(in.Bytes, "byte"), t.paint("not read to its end", text.FgYellow))
		default:
			t.line("  %s: %s, %s", name, in.Format, plural(in.Bytes, "byte"))
		}
	}
	if t.Unparsed > 0 {
		t.line("\n%s could not be read as records. The first, by bytes:", plural(t.Unparsed, "line"))
		for _, s := range t.UnparsedSamples {
			t.line("  %s", cut(s, 160))
		}
	}
	if t.OtherHost > 0 {
		t.line("\n%s of crawlers went to hosts without a policy:", plural(t.OtherHost, "request"))
		for _, h := range t.OtherHosts {
			t.line("  %8s  %s", grouped(h.Requests), h.Host)
		}
		if t.OtherHostsNotListed > 0 {
			t.line("  %8s  others", grouped(t.OtherHostsNotListed))
		}
	}
}

func forOrigins(origins []string) string {
	if len(origins) == 0 {
		return ""
	}
	return ", for " + strings.Join(origins, ", ")
}

// cut shortens text to so many characters.
func cut(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
