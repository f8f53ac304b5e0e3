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
	maxVersionsShown = 12
	maxFetchersShown = 25
	maxRuleShown     = 100 // characters of a rule
	maxWidth         = 100 // of prose
)

// writeText prints the report for people: first what was found and what that rests
// on, then by whom, then what else there is to know.
func writeText(w *bufio.Writer, r *audit.Report, coloured bool) {
	t := textReport{w, r, coloured}
	t.head()
	t.basis()
	t.crawlers()
	t.indeterminates()
	t.exempt()
	t.rules()
	t.proof()
	t.fetches()
	t.delays()
	t.sizes()
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
		t.line("%s by clients identifying themselves as crawlers, none for what every lawful copy of robots.txt forbids them.",
			plural(t.Totals.Requests, "request"))
	default:
		obtained := t.Totals.Outcomes.Obtained
		t.line("%s of %s by clients identifying themselves as crawlers %s for what every lawful copy of robots.txt",
			t.paint(grouped(v), text.FgRed), plural(t.Totals.Requests, "request"), were(v))
		t.line("forbids them; %s %s answered with the content. They name %s.",
			t.paint(grouped(obtained), text.FgRed), were(obtained), plural(int64(violators), "crawler"))
		t.line("Proven, by verified clients and with the content obtained: %s. Verified are %s of all requests.",
			t.paint(grouped(t.Totals.Proven), text.FgRed), share(t.Totals.VerifiedShare))
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

// share writes a share in per cent, never rounded to none or all.
func share(of float64) string {
	switch {
	case of > 0 && of < 0.001:
		return "less than 0.1 %"
	case of < 1 && of > 0.999:
		return "more than 99.9 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", of*100), ".0") + " %"
}

// basis prints by what was judged.
func (t textReport) basis() {
	p := t.Policy
	t.line("\nJudged by %s%s, with a window of %s:", printable(p.File), forOrigins(p.Origins), hours(time.Duration(p.WindowSeconds)*time.Second))
	if p.History != "constant" {
		t.versions()
	}
	for _, a := range t.Assumptions {
		t.bullet(a)
	}
}

// bullet prints prose in lines of a bearable length.
func (t textReport) bullet(s string) {
	for i, line := range strings.Split(text.WrapSoft(printable(s), maxWidth-2), "\n") {
		bullet := "- "
		if i > 0 {
			bullet = "  "
		}
		t.line("%s%s", bullet, strings.TrimRight(line, " "))
	}
}

// versions lists the versions, those first whose rules were violated.
func (t textReport) versions() {
	list := slices.Clone(t.Policy.Versions)
	slices.SortStableFunc(list, func(x, y audit.VersionInfo) int { return cmp.Compare(y.Cited, x.Cited) })
	w := newTable(table.Row{"version from", "origin", "status", "bytes", "file", "violations"}, []table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, v := range list[:min(len(list), maxVersionsShown)] {
		from, status, cited := "before all time", fmt.Sprint(v.Status), "-"
		if v.From != "" {
			from = clock(v.From)
		}
		if v.Status == 0 {
			status = "unreachable"
		}
		if v.Cited > 0 {
			cited = grouped(v.Cited)
		}
		w.AppendRow(table.Row{from, v.Origin, status, grouped(v.Bytes), cut(v.File, maxRuleShown/2), cited})
	}
	t.line("%s", w.Render())
	if more := len(list) - maxVersionsShown; more > 0 {
		t.line("and %s more: see --output json.", plural(int64(more), "version"))
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
	{"spoofed", func(c *audit.CrawlerInfo) int64 { return c.Verdicts.Spoofed }, false},
}

// bound returns the crawlers that robots.txt binds, or those that are exempt.
func (t textReport) bound(bound bool) []audit.CrawlerInfo {
	return slices.DeleteFunc(slices.Clone(t.Crawlers), func(c audit.CrawlerInfo) bool { return (c.Exempt == "") != bound })
}

// crawlers prints one row a crawler, with the columns in which there is anything.
func (t textReport) crawlers() {
	list := t.bound(true)
	if len(list) == 0 {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(list, func(i audit.CrawlerInfo) bool { return c.of(&i) != 0 })
	})
	header := table.Row{"crawler", "operator"}
	var configs []table.ColumnConfig
	for i, c := range shown {
		header = append(header, c.name)
		configs = append(configs, table.ColumnConfig{Number: i + 3, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w := newTable(header, configs)
	for i := range list[:min(len(list), maxCrawlersShown)] {
		c := &list[i]
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
	if more := len(list) - maxCrawlersShown; more > 0 {
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

// indeterminates says of the requests that could not be decided why.
func (t textReport) indeterminates() {
	var sum audit.ReasonCounts
	for _, c := range t.Crawlers {
		r := c.Reasons
		sum.NoVersion += r.NoVersion
		sum.NoHost += r.NoHost
		sum.NoTime += r.NoTime
		sum.UnknownScheme += r.UnknownScheme
		sum.LossyPath += r.LossyPath
		sum.Truncated += r.Truncated
		sum.AmbiguousAgent += r.AmbiguousAgent
		sum.RedirectedPolicy += r.RedirectedPolicy
		sum.Contested += r.Contested
	}
	t.indeterminate(sum.NoVersion, "may have been made with a copy from before the first version that is known")
	t.indeterminate(sum.NoHost, "cannot be given to a host")
	t.indeterminate(sum.NoTime, "without a time that can be read")
	t.indeterminate(sum.UnknownScheme, "judged differently under http and https, and the log does not tell which it was")
	t.indeterminate(sum.LossyPath, "logged with a path that is not as the client sent it")
	t.indeterminate(sum.Truncated, "truncated: the server logged only the beginning of the target")
	t.indeterminate(sum.AmbiguousAgent, "ambiguous: the User-Agent names crawlers of two operators")
	t.indeterminate(sum.RedirectedPolicy, "under a robots.txt that was a redirect to one that is not known")
	t.indeterminate(sum.Contested, "contested: Google's parser and RFC 9309 read the rule differently")
}

// exempt prints the agents that robots.txt does not bind, apart from the others.
func (t textReport) exempt() {
	list := t.bound(false)
	if len(list) == 0 {
		return
	}
	w := newTable(table.Row{"not bound by robots.txt", "operator", "requests", "spoofed", "why"}, []table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, c := range list {
		w.AppendRow(table.Row{c.Crawler, c.Operator, grouped(c.Requests), grouped(c.Verdicts.Spoofed), cut(strings.TrimSuffix(printable(c.Exempt), "."), maxRuleShown)})
	}
	t.line("\n%s", w.Render())
}

// proof crosses violations by what is known of their clients.
func (t textReport) proof() {
	list := slices.DeleteFunc(t.bound(true), func(c audit.CrawlerInfo) bool { return c.Verdicts.Violation == 0 })
	if len(list) == 0 {
		return
	}
	right := func(n int) table.ColumnConfig {
		return table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	w := newTable(table.Row{"violations of", "identity", "answer", "method", "informed", "requests"}, []table.ColumnConfig{right(6)})
	rows := 0
	for _, c := range list {
		for _, v := range c.Violations {
			if rows++; rows > maxRulesShown {
				continue
			}
			informed := "not known"
			if v.Informed {
				informed = "yes"
			}
			w.AppendRow(table.Row{c.Crawler, v.Identity, v.Outcome, v.Method, informed, grouped(v.N)})
		}
	}
	t.line("\n%s", w.Render())
	if rows > maxRulesShown {
		t.line("and %s more: see --output json.", plural(int64(rows-maxRulesShown), "row"))
	}
}

// fetches prints who fetched robots.txt, and how.
func (t textReport) fetches() {
	if !t.RobotsTxt.Logged {
		return
	}
	list := slices.DeleteFunc(slices.Clone(t.Crawlers), func(c audit.CrawlerInfo) bool { return c.RobotsTxt.Fetches == 0 })
	slices.SortStableFunc(list, func(x, y audit.CrawlerInfo) int { return cmp.Compare(y.RobotsTxt.Fetches, x.RobotsTxt.Fetches) })
	if len(list) == 0 {
		return
	}
	w := newTable(table.Row{"GETs of robots.txt by", "number", "first", "last", "median gap", "gaps of 24 h at most", "answers"}, []table.ColumnConfig{
		{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 5, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, c := range list[:min(len(list), maxFetchersShown)] {
		f := c.RobotsTxt
		gap, daily := "-", "-"
		if f.Gaps > 0 {
			gap, daily = seconds(f.MedianGap), share(f.Within24h)
		}
		w.AppendRow(table.Row{c.Crawler, grouped(f.Fetches), shortClock(f.First), shortClock(f.Last), gap, daily, fetchAnswers(f.Answers)})
	}
	t.line("\n%s", w.Render())
	if more := len(list) - maxFetchersShown; more > 0 {
		t.line("and %s more: see --output json.", plural(int64(more), "crawler"))
	}
}

func fetchAnswers(a audit.AnswerCounts) string {
	var list []string
	for _, of := range []struct {
		name string
		n    int64
	}{
		{"2xx", a.Success}, {"304", a.NotModified}, {"other 3xx", a.Redirect}, {"429", a.TooMany}, {"other 4xx", a.Unavailable}, {"5xx", a.Error}, {"other", a.Other},
	} {
		if of.n > 0 {
			list = append(list, grouped(of.n)+" "+of.name)
		}
	}
	return strings.Join(list, ", ")
}

// delays prints how Crawl-delay was kept.
func (t textReport) delays() {
	w := newTable(table.Row{"Crawl-delay, asked of", "origin", "delay", "gaps", "shorter", "median", "10th percentile"}, []table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 4, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 5, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: 7, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	rows := 0
	for _, c := range t.Crawlers {
		for _, d := range c.CrawlDelay {
			if rows++; rows <= maxFetchersShown {
				w.AppendRow(table.Row{c.Crawler, d.Origin, seconds(d.Delay), grouped(d.Gaps), share(float64(d.Shorter) / float64(d.Gaps)), seconds(d.Median), seconds(d.P10)})
			}
		}
	}
	if rows == 0 {
		return
	}
	t.line("\n%s", w.Render())
	if rows > maxFetchersShown {
		t.line("and %s more: see --output json.", plural(int64(rows-maxFetchersShown), "row"))
	}
	t.line("Gaps between successive requests of one address. RFC 9309 knows no Crawl-delay: none of these is a violation.")
}

// sizes prints the answers to robots.txt that are of another size than the file.
func (t textReport) sizes() {
	if len(t.RobotsTxt.Listed) == 0 {
		return
	}
	w := newTable(table.Row{"answers to robots.txt of", "bytes, not", "number", "first", "last"}, []table.ColumnConfig{
		{Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight},
	})
	for _, d := range t.RobotsTxt.Listed[:min(len(t.RobotsTxt.Listed), maxVersionsShown)] {
		var expected []string
		for _, n := range d.Expected {
			expected = append(expected, grouped(n))
		}
		w.AppendRow(table.Row{grouped(d.Bytes) + " bytes", strings.Join(expected, " or "), grouped(d.N), shortClock(d.First), shortClock(d.Last)})
	}
	t.line("\n%s", w.Render())
	if more := len(t.RobotsTxt.Listed) - maxVersionsShown; more > 0 {
		t.line("and %s more: see --output json.", plural(int64(more), "size"))
	}
}

// shortClock is a time of the report to the minute.
func shortClock(s string) string {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return at.Format("2006-01-02 15:04")
}

// seconds is a time in the unit that suits it.
func seconds(s float64) string {
	switch {
	case s < 120:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	default:
		return fmt.Sprintf("%.0f d", s/86400)
	}
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
		if len(t.Policy.Origins) > 1 && rule.Origin != "" {
			line += "   of " + rule.Origin
		}
		if t.Policy.History != "constant" && rule.Version != "" {
			line += "   since " + shortClock(rule.Version)
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

// footing prints what was read.
func (t textReport) footing() {
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
	if more := len(origins) - maxVersionsShown; more > 0 {
		return fmt.Sprintf(", for %s and %s more", strings.Join(origins[:maxVersionsShown], ", "), plural(int64(more), "origin"))
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
