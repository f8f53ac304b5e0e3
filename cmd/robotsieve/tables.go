package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// newTable makes a table of the text report, the columns of these numbers, from 1,
// flush right.
func newTable(header table.Row, right ...int) table.Writer {
	w := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	w.AppendHeader(header)
	var configs []table.ColumnConfig
	for _, n := range right {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(configs)
	return w
}

// versions lists the versions in their order: if they are many, those whose rules
// were violated most.
func (t textReport) versions() {
	if t.Policy.History == "constant" {
		return
	}
	cited := make([]int, len(t.Policy.Versions))
	for i := range cited {
		cited[i] = i
	}
	slices.SortStableFunc(cited, func(x, y int) int { return cmp.Compare(t.Policy.Versions[y].Cited, t.Policy.Versions[x].Cited) })
	shown := slices.Sorted(slices.Values(cited[:min(len(cited), maxVersionsShown)]))
	several := len(t.Policy.Origins) > 1
	header := table.Row{"version from", "status", "bytes", "violations", "file"}
	if several {
		header = append(header, "origin")
	}
	w := newTable(header, 2, 3, 4)
	for _, i := range shown {
		v := t.Policy.Versions[i]
		from, status, file := "before all time", fmt.Sprint(v.Status), v.File
		if v.From != "" {
			from = clock(v.From)
		}
		if v.Status == 0 {
			status = "unreachable"
		}
		if v.Location != "" {
			file = "to " + v.Location
		}
		row := table.Row{from, status, count(v.Bytes), count(v.Cited), cmp.Or(cut(file, maxFileShown), "-")}
		if several {
			row = append(row, v.Origin)
		}
		w.AppendRow(row)
	}
	t.line("\n%s", w.Render())
	if more := len(t.Policy.Versions) - len(shown); more > 0 {
		t.line("and %s more, with fewer violations or none: see --output json.", plural(int64(more), "version"))
	}
	sum := int64(0)
	for _, v := range t.Policy.Versions {
		sum += v.Cited
	}
	if sum > t.Totals.Verdicts[audit.Violation] {
		t.line("Where the log does not tell http from https, violations are counted for the versions of both.")
	}
}

// column is a number in the table of crawlers. What it means is said below the
// table.
type column struct {
	name  string
	of    func(c *audit.CrawlerInfo) int64
	means string
	red   bool
}

var columns = []column{
	{name: "requests", of: func(c *audit.CrawlerInfo) int64 { return c.Requests }},
	{name: "robots\n.txt", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.RobotsFetch] }},
	{name: "allowed", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Allowed] }},
	{name: "viola-\ntion", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Violation] }, red: true},
	{name: "grace", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Grace] },
		means: "grace: some lawful copies forbid it, some permit it."},
	{name: "no\npolicy", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.NoPolicy] },
		means: "no policy: only an answer that there is no robots.txt permits it."},
	{name: "unreach-\nable", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Unreachable] },
		means: "unreachable: only a robots.txt that could not be had permits it."},
	{name: "indeter-\nminate", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Indeterminate] }},
	{name: "exempt", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Exempt] }},
	{name: "spoofed", of: func(c *audit.CrawlerInfo) int64 { return c.Verdicts[audit.Spoofed] },
		means: "spoofed: by somebody else, from an address that is not the crawler's."},
}

// crawlers prints one row a crawler, with the columns in which there is anything,
// and their sums.
func (t textReport) crawlers() {
	if len(t.Crawlers) == 0 {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.sum(t.Crawlers) == 0 })
	header, right := table.Row{"crawler", "operator"}, []int{}
	for i, c := range shown {
		header, right = append(header, c.name), append(right, i+3)
	}
	w := newTable(header, right...)
	add := func(name, operator string, of []audit.CrawlerInfo) {
		row := table.Row{name, operator}
		for _, c := range shown {
			n := c.sum(of)
			cell := count(n)
			if c.red && n > 0 {
				cell = t.paint(cell, text.FgRed)
			}
			row = append(row, cell)
		}
		w.AppendRow(row)
	}
	block := func(list []audit.CrawlerInfo) {
		for i := range list[:min(len(list), maxCrawlersShown)] {
			add(shortName(&list[i]), shortOperator(&list[i]), list[i:i+1])
		}
		if rest := list[min(len(list), maxCrawlersShown):]; len(rest) > 0 {
			add(fmt.Sprintf("(%s more)", grouped(int64(len(rest)))), "see json, csv", rest)
		}
	}
	exempt := func(c audit.CrawlerInfo) bool { return c.Exempt != "" }
	block(slices.DeleteFunc(slices.Clone(t.Crawlers), exempt))
	if unbound := slices.DeleteFunc(slices.Clone(t.Crawlers), func(c audit.CrawlerInfo) bool { return !exempt(c) }); len(unbound) > 0 {
		w.AppendRow(table.Row{"Not bound by it:"})
		block(unbound)
	}
	if len(t.Crawlers) > 1 {
		add("all", "", t.Crawlers)
	}
	t.line("\n%s\n", w.Render())
	t.meaning(shown)
	t.indeterminates()
	t.exempt()
}

func (c column) sum(of []audit.CrawlerInfo) (n int64) {
	for i := range of {
		n += c.of(&of[i])
	}
	return n
}

// meaning says what those of the columns mean that do not say it themselves.
func (t textReport) meaning(shown []column) {
	text := "By clients identifying themselves as these crawlers."
	for _, c := range shown {
		if c.means != "" {
			text += " " + c.means
		}
	}
	if n := t.informedInGrace(); n > 0 {
		text += fmt.Sprintf(" Of those in grace, %s %s informed.", grouped(n), were(n))
	}
	t.wrapped("", text)
}

func (t textReport) informedInGrace() (n int64) {
	for _, c := range t.Crawlers {
		n += c.GraceInformed
	}
	return n
}

// indeterminates says of the requests that could not be decided why.
func (t textReport) indeterminates() {
	for _, reason := range []struct {
		of  audit.Reason
		why string
	}{
		{audit.NoVersion, "may have been made with a copy from before the first version that is known"},
		{audit.NoHost, "cannot be given to a host"},
		{audit.NoTime, "without a time that can be read"},
		{audit.UnknownScheme, "judged differently under http and https, and the log does not tell which it was"},
		{audit.LossyPath, "logged with a path that is not as the client sent it"},
		{audit.Truncated, "truncated: the server logged only the beginning of the target"},
		{audit.AmbiguousAgent, "ambiguous: the User-Agent names crawlers of more than one operator"},
		{audit.RedirectedPolicy, "under a robots.txt that was a redirect to one that is not known"},
		{audit.ContestedRule, "contested: Google's parser and RFC 9309 read the rule differently"},
	} {
		n := int64(0)
		for _, c := range t.Crawlers {
			n += c.Reasons[reason.of]
		}
		if n > 0 {
			t.line("Indeterminate: %s %s.", plural(n, "request"), reason.why)
		}
	}
}

// exempt says why robots.txt does not bind those whom it does not.
func (t textReport) exempt() {
	shown, rest := 0, int64(0)
	for _, c := range t.Crawlers {
		switch {
		case c.Exempt == "":
		case shown == maxNamesShown:
			rest++
		default:
			shown++
			t.wrapped("", fmt.Sprintf("Exempt: %s, %s.", shortName(&c), strings.TrimSuffix(printable(c.Exempt), ".")))
		}
	}
	if rest > 0 {
		t.line("Exempt: %s more, see --output json.", plural(rest, "crawler"))
	}
}

// proof says of violations who is known to have done what, and with what success.
func (t textReport) proof() {
	if t.Totals.Verdicts[audit.Violation] == 0 {
		return
	}
	w := newTable(table.Row{"violations by", "identity", "requests", "obtained", "redirected", "refused", "absent", "GET", "HEAD", "other", "informed"},
		3, 4, 5, 6, 7, 8, 9, 10, 11)
	rows, rest := 0, int64(0)
	for i := range t.Crawlers {
		c := &t.Crawlers[i]
		for _, identity := range []string{"verified", "unverified", "unverifiable"} {
			n := sumsOf(c.Violations, identity)
			if n["all"] == 0 {
				continue
			}
			if rows++; rows > maxRulesShown {
				rest += n["all"]
				continue
			}
			w.AppendRow(table.Row{
				shortName(c), identity, grouped(n["all"]), count(n["obtained"]), count(n["redirected"]), count(n["refused"]), count(n["absent"]),
				count(n["GET"]), count(n["HEAD"]), count(n["other"]), count(n["informed"]),
			})
		}
	}
	t.line("\n%s", w.Render())
	if rest > 0 {
		t.line("and %s of others: see --output json.", plural(rest, "violation"))
	}
	t.line("")
	t.wrapped("", "Obtained is an answer of 2xx and 304, redirected another 3xx, refused 401, 403, 429, 444, 451 and 5xx, absent all others. "+
		"Informed are those of which the log shows it; others may have been, too.")
}

// sumsOf sums violations of clients of an identity: all, by outcome, by method, and
// the informed.
func sumsOf(list []audit.ViolationInfo, identity string) map[string]int64 {
	n := map[string]int64{}
	for _, v := range list {
		if v.Identity != identity {
			continue
		}
		n["all"] += v.N
		n[v.Outcome] += v.N
		n[v.Method] += v.N
		if v.Informed {
			n["informed"] += v.N
		}
	}
	return n
}

// broken is a rule as one crawler violated it, in all versions with the same file.
type broken struct {
	crawler, origin, file, rule string
	line                        int
}

// rules prints which rules were ignored, and by whom, the most often ignored
// first.
func (t textReport) rules() {
	sums := map[broken]int64{}
	var list []broken
	rest := int64(0)
	for i := range t.Crawlers {
		c := &t.Crawlers[i]
		for _, r := range c.Rules {
			b := broken{shortName(c), r.Origin, r.File, r.Rule, r.Line}
			if sums[b] == 0 {
				list = append(list, b)
			}
			sums[b] += r.Violations
		}
		rest += c.RulesNotListed
	}
	if len(list) == 0 {
		return
	}
	// The crawlers are in order, and so are the rules of each.
	slices.SortStableFunc(list, func(x, y broken) int { return cmp.Compare(sums[y], sums[x]) })
	header := table.Row{"violations", "crawler", "line", "rule"}
	files, origins := t.Policy.History != "constant", len(t.Policy.Origins) > 1
	if files {
		header = append(header, "file")
	}
	if origins {
		header = append(header, "origin")
	}
	w := newTable(header, 1, 3)
	for i, b := range list {
		if i >= maxRulesShown {
			rest += sums[b]
			continue
		}
		row := table.Row{grouped(sums[b]), b.crawler, b.line, cut(b.rule, maxRuleShown)}
		if files {
			row = append(row, cut(b.file, maxFileShown))
		}
		if origins {
			row = append(row, cmp.Or(b.origin, "-"))
		}
		w.AppendRow(row)
	}
	t.line("\n%s", w.Render())
	if rest > 0 {
		t.line("and %s of other rules: see --output json.", plural(rest, "violation"))
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
	w := newTable(table.Row{"GETs of robots.txt by", "number", "first", "last", "median gap", "longest", "gaps <= 24 h", "answers"}, 2, 5, 6, 7)
	for i := range list[:min(len(list), maxFetchersShown)] {
		f := list[i].RobotsTxt
		median, longest, daily := "-", "-", "-"
		if f.Gaps > 0 {
			median, longest, daily = seconds(f.MedianGap), seconds(f.LongestGap), share(f.Within24h)
		}
		w.AppendRow(table.Row{shortName(&list[i]), grouped(f.Fetches), shortClock(f.First), shortClock(f.Last), median, longest, daily, fetchAnswers(f.Answers)})
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
		{"2xx", a[audit.AnswerSuccess]}, {"304", a[audit.AnswerNotModified]}, {"other 3xx", a[audit.AnswerRedirect]}, {"429", a[audit.AnswerTooMany]}, {"4xx", a[audit.AnswerUnavailable]}, {"5xx", a[audit.AnswerError]}, {"other", a[audit.AnswerOther]},
	} {
		if of.n > 0 {
			list = append(list, grouped(of.n)+" "+of.name)
		}
	}
	return strings.Join(list, ", ")
}

// delays prints how Crawl-delay was kept.
func (t textReport) delays() {
	header, right := table.Row{"Crawl-delay, asked of", "delay", "gaps", "shorter", "median", "10th percentile"}, []int{2, 3, 4, 5, 6}
	several := len(t.Policy.Origins) > 1
	if several {
		header = append(header, "origin")
	}
	w := newTable(header, right...)
	rows := int64(0)
	for i := range t.Crawlers {
		for _, d := range t.Crawlers[i].CrawlDelay {
			if rows++; rows > maxFetchersShown {
				continue
			}
			row := table.Row{
				shortName(&t.Crawlers[i]), seconds(d.Delay), grouped(d.Gaps), share(float64(d.Shorter) / float64(d.Gaps)), seconds(d.Median), seconds(d.P10),
			}
			if several {
				row = append(row, cmp.Or(d.Origin, "-"))
			}
			w.AppendRow(row)
		}
	}
	if rows == 0 {
		return
	}
	t.line("\n%s", w.Render())
	if more := rows - maxFetchersShown; more > 0 {
		t.line("and %s more: see --output json.", plural(more, "row"))
	}
	t.line("Gaps between successive requests of one address. RFC 9309 knows no Crawl-delay: none of these is a violation.")
}

// sizes prints the answers to robots.txt that are of another size than the file.
func (t textReport) sizes() {
	if len(t.RobotsTxt.Listed) == 0 {
		return
	}
	w := newTable(table.Row{"answers to robots.txt of", "bytes, not", "number", "first", "last"}, 3)
	for _, d := range t.RobotsTxt.Listed[:min(len(t.RobotsTxt.Listed), maxVersionsShown)] {
		var expected []string
		for _, n := range d.Expected {
			expected = append(expected, grouped(n))
		}
		w.AppendRow(table.Row{plural(d.Bytes, "byte"), cmp.Or(strings.Join(expected, " or "), "-"), grouped(d.N), shortClock(d.First), shortClock(d.Last)})
	}
	t.line("\n%s", w.Render())
	if more := len(t.RobotsTxt.Listed) - maxVersionsShown; more > 0 {
		t.line("and %s more: see --output json.", plural(int64(more), "size"))
	}
}
