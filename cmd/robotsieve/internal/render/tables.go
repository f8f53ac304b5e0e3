package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// crawlersIn returns how many crawlers a row is of, and violatorsIn how many of them broke a rule.
func crawlersIn(c *crawler) int64  { return max(c.Names, 1) }
func violatorsIn(c *crawler) int64 { return max(c.Violators, min(c.Verdicts[report.Violation], 1)) }

// grouped writes a number in a table: a dash if it is 0, or negative, which means not known.
func grouped(n int64) string {
	if n <= 0 {
		return "-"
	}
	return english.Grouped(n)
}

// groupedList writes several.
func groupedList(list []int64) (texts []string) {
	for _, n := range list {
		texts = append(texts, grouped(n))
	}
	return texts
}

// informedOf writes how many of a crawler's violations are informed.
func informedOf(c *crawler, n int64) string {
	if !c.InformedKnown {
		return "?"
	}
	return grouped(n)
}

// Widths in a table, in characters.
const (
	maxNameShown     = 30
	maxOperatorShown = 14
	maxRuleShown     = 50
	maxFileShown     = 40
)

func shortName(c *crawler) string { return Cut(c.Crawler, maxNameShown) }

// beforeAllTime stands for the time from which a version was in force, if it has none.
const beforeAllTime = "before all time"

// byFile and byOrigin return the last cells of a row, if there may be several files or
// origins.
func (d doc) byFile(cell string) []string {
	if d.Policy.History == report.Constant {
		return nil
	}
	return []string{cell}
}

func (d doc) byOrigin(cell string) []string {
	if len(d.Policy.Origins) <= 1 {
		return nil
	}
	return []string{cmp.Or(cell, "-")}
}

// mostCited returns the indexes of the versions, those whose rules were broken most often first.
func (d doc) mostCited() []int {
	versions := d.Policy.Versions
	order := make([]int, len(versions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(versions[y].Cited, versions[x].Cited) })
	return order
}

// brokenOf counts the versions of these indexes whose rules were broken.
func (d doc) brokenOf(indexes []int) (n int64) {
	for _, i := range indexes {
		n += min(d.Policy.Versions[i].Cited, 1)
	}
	return n
}

// versions lists the versions in their order: if there are many, those whose rules were
// broken most often.
func (d doc) versions() block {
	b := block{Heading: "Versions of robots.txt"}
	if d.Policy.History == report.Constant {
		return b
	}
	order, sum := d.mostCited(), int64(0)
	shown, rest := order[:min(len(order), maxVersionsShown)], order[min(len(order), maxVersionsShown):]
	t := newTable(unbounded, Left("version from"), Right("status", "bytes", "violations"), Left("file"),
		Left(d.byOrigin("origin")...))
	for _, i := range slices.Sorted(slices.Values(shown)) {
		v := d.Policy.Versions[i]
		status, file := fmt.Sprint(v.Status), v.File
		if v.Status == 0 {
			status = "unreachable"
		}
		if v.Location != "" {
			file = "to " + v.Location
		}
		t.add(nil, 1, append([]string{cmp.Or(clock(v.From), beforeAllTime), status, grouped(v.Bytes), grouped(v.Cited),
			cmp.Or(Cut(file, maxFileShown), "-")}, d.byOrigin(v.Origin)...)...)
	}
	t.left.others = int64(len(rest))
	b.Table = t.leaves("version")
	if broken := d.brokenOf(rest); broken > 0 {
		b.Table.More = fmt.Sprintf("and %s, of which %s %s broken: see --output json.",
			english.Plural(t.left.others, "more version"), english.Grouped(broken), english.Verb(broken, "was", "were"))
	}
	for _, v := range d.Policy.Versions {
		sum += v.Cited
	}
	if sum > d.Totals.Verdicts[report.Violation] {
		b.Text = []string{"Where the log does not distinguish http from https, " +
			"violations are counted for the versions of both."}
	}
	return b
}

// part is some of the crawlers, with the title of their rows in a table.
type part struct {
	title string
	list  []*crawler
}

// parts divides the crawlers: those that robots.txt binds, which need no title, the
// fetchers among them, and those that it does not bind.
func (d doc) parts() []part {
	return []part{
		{"", d.without(func(c *crawler) bool { return c.Exempt != "" || isFetcher(c) })},
		{"Fetchers, for a person, a subscription or the site's own operator:",
			d.without(func(c *crawler) bool { return !isFetcher(c) })},
		{"Not bound by robots.txt, according to the operator:",
			d.without(func(c *crawler) bool { return c.Exempt == "" })},
	}
}

// crawlers has a row for each crawler, those that robots.txt does not bind last, and
// one for all.
func (d doc) crawlers() block {
	b := block{Heading: "Crawlers"}
	if len(d.Crawlers) == 0 {
		return b
	}
	all := d.pointers()
	shown := slices.DeleteFunc(slices.Clone(byVerdict), func(f figure) bool { return f.sum(all) == 0 })
	t := newTable(unbounded, Left("crawler"), columnsFor(shown...), Left("category"))
	add := func(name, category string, of ...*crawler) {
		t.add(nil, 1, append(cellsOf(name, shown, of...), cmp.Or(category, "-"))...)
	}
	for _, part := range d.parts() {
		t.begin(part.title)
		n := min(len(part.list), d.most)
		for i := range part.list[:n] {
			add(shortName(part.list[i]), part.list[i].Category, part.list[i])
		}
		if left := part.list[n:]; len(left) > 0 {
			out := leftOut{}.addAll(left)
			add(fmt.Sprintf("(%s more: see json, csv)", english.Grouped(out.others+out.fetchers)), "", left...)
		}
	}
	if len(d.Crawlers) > 1 {
		t.begin("")
		t.Groups = append(t.Groups, group{Sum: true})
		add("all", "", all...)
	}
	b.Title, b.Table = "Requests by clients that identify themselves as these crawlers:", t
	b.Facts, b.Text = legend(shown...), d.undecided()
	return b
}

// cellsOf writes a row of figures of some crawlers together, after a name. Violations need attention.
func cellsOf(name string, figures []figure, of ...*crawler) []string {
	cells := []string{name}
	for _, f := range figures {
		text := grouped(f.sum(of))
		if f.name == report.Violation.String() && text != "-" {
			text = alarm(text)
		}
		cells = append(cells, text)
	}
	return cells
}

// claims lists what the logs say about the clients of the crawlers.
func (d doc) claims() block {
	b, unlisted := block{Heading: "What the logs' CDN says"}, int64(0)
	t := newTable(maxRulesShown, Left("requests under the name", "says the log of the client"), Right("number"))
	for _, c := range d.pointers() {
		unlisted += c.ClaimsNotListed
		for _, claim := range c.Claims {
			t.add(nil, 1, shortName(c), Cut(cmp.Or(claim.Claim, noClaim), maxRuleShown), english.Grouped(claim.N))
		}
	}
	b.Table = t.leaves("row")
	if t.rows > 0 && unlisted > 0 {
		are := english.Verb(unlisted, "is", "are")
		b.Text = []string{english.Plural(unlisted, "request") + " with rarer words " + are + " in no row."}
	}
	if t.rows > 0 {
		b.Text = append(b.Text, "This is the word of the CDN that wrote the log. "+
			"It plays no part in the identities above: those rest on addresses alone.")
	}
	return b
}

// operators says who the known crawlers are, and what their operators say: of the first
// ones, among which are those that broke rules.
func (d doc) operators() block {
	t := newTable(d.most, Left("crawler", "operator", "category", "robots.txt", "page"))
	for _, c := range d.without(func(c *crawler) bool { return c.Operator == "" || c.Operator == report.Unknown }) {
		t.add(c, crawlersIn(c), shortName(c), Cut(cmp.Or(c.Operator, "-"), maxOperatorShown), cmp.Or(c.Category, "-"),
			cmp.Or(claims[c.Obeys].long, "does not say"), Cut(cmp.Or(c.Source, "-"), maxFileShown))
	}
	return block{Heading: "The operators", Table: t.leaves("crawler")}
}

// claims are what operators say about robots.txt, by CrawlerInfo.Obeys.
var claims = map[report.YesNo]struct{ long, short string }{
	report.Yes: {"says that it obeys", "obeys"}, report.No: {"says that it may ignore it", "may ignore"},
}

// violations splits the violations of each crawler by identity, outcome and method, those of
// fetchers apart.
func (d doc) violations() block {
	b := block{Heading: "How violations were answered"}
	t := newTable(maxRulesShown, Left("violations by", "says \u200bthat \u200bit", "identity"),
		Right("re\u00adquests"), columnsFor(outcomes...), Right("GET", "HEAD", "other \u200bmethod"),
		columnsFor(informed))
	for _, part := range d.parts() {
		t.begin(part.title)
		slices.SortStableFunc(part.list, func(x, y *crawler) int {
			return cmp.Compare(y.Verdicts[report.Violation], x.Verdicts[report.Violation])
		})
		for _, c := range part.list {
			for _, identity := range []report.Identity{report.Verified, report.Unverified, report.Unverifiable} {
				if n := violationsOf(c, identity); n.all > 0 {
					t.add(c, n.all, slices.Concat([]string{shortName(c), cmp.Or(claims[c.Obeys].short, "-"),
						identity.String(), grouped(n.all)},
						groupedList(n.outcomes[:]), groupedList(n.methods[:]), []string{informedOf(c, n.informed)})...)
				}
			}
		}
	}
	b.Table = t.leaves("violation")
	if t.rows > 0 {
		b.Facts = append(legend(append(slices.Clone(outcomes), informed)...),
			fact{"says that it", "what the operator says of robots.txt, if anything; " +
				"its page is in the table of operators below"})
	}
	return b
}

// split are sums of violations.
type split struct {
	all, informed int64
	outcomes      report.OutcomeCounts
	methods       [report.Methods]int64
}

// violationsOf sums up the violations of a crawler by clients of an identity.
func violationsOf(c *crawler, identity report.Identity) (s split) {
	for _, v := range c.Violations {
		if v.Identity != identity {
			continue
		}
		s.all += v.N
		s.outcomes[v.Outcome] += v.N
		s.methods[v.Method] += v.N
		if v.Informed {
			s.informed += v.N
		}
	}
	return s
}

// rules lists the rules that were broken, the most often broken first, and those that fetchers
// broke after the others. A rule is listed
// once for all versions that have it in the same file.
func (d doc) rules() block {
	type rule struct {
		crawler            *crawler
		origin, file, text string
		line               int
	}
	sums := map[rule]int64{}
	var rules []rule
	t := newTable(maxRulesShown, Right("violations"), Left("crawler"), Right("line"), Left("rule"),
		Left(d.byFile("file")...), Left(d.byOrigin("origin")...))
	for _, c := range d.pointers() {
		for _, r := range c.Rules {
			rule := rule{c, r.Origin, r.File, r.Rule, r.Line}
			if sums[rule] == 0 {
				rules = append(rules, rule)
			}
			sums[rule] += r.Violations
		}
		t.left.add(c, c.RulesNotListed)
	}
	// The crawlers are in order, and so are the rules of each.
	slices.SortStableFunc(rules, func(x, y rule) int {
		return cmp.Or(fetchersLast(x.crawler, y.crawler), cmp.Compare(sums[y], sums[x]))
	})
	for i, r := range rules {
		if isFetcher(r.crawler) && (i == 0 || !isFetcher(rules[i-1].crawler)) {
			t.begin("By fetchers:")
		}
		t.add(r.crawler, sums[r], slices.Concat([]string{english.Grouped(sums[r]), shortName(r.crawler),
			fmt.Sprint(r.line), Cut(r.text, maxRuleShown)},
			d.byFile(Cut(r.file, maxFileShown)), d.byOrigin(r.origin))...)
	}
	return block{Heading: "Rules that were broken", Table: t.leaves("violation")}
}

// fetches says which crawlers fetched robots.txt, and how.
func (d doc) fetches() block {
	b := block{Heading: "Fetches of robots.txt"}
	if !d.RobotsTxt.Logged {
		return b
	}
	list := d.without(func(c *crawler) bool { return c.RobotsTxt.Fetches == 0 })
	slices.SortStableFunc(list, func(x, y *crawler) int {
		return cmp.Compare(y.RobotsTxt.Fetches,
			x.RobotsTxt.Fetches)
	})
	t := newTable(maxFetchersShown, Left("GETs of robots.txt by"), Right("number"), Left("first", "last"),
		Right("median gap", "longest", "gaps <= 24 h"), Left("answers"))
	for _, c := range list {
		f := c.RobotsTxt
		median, longest, daily := "-", "-", "-"
		if f.Gaps > 0 {
			median, longest, daily = seconds(f.MedianGap), seconds(f.LongestGap), share(f.Within24h)
		}
		var answers []string
		for class, n := range f.Answers {
			if n > 0 {
				answers = append(answers, english.Grouped(n)+" "+report.AnswerClass(class).String())
			}
		}
		t.add(c, crawlersIn(c), shortName(c), english.Grouped(f.Fetches), shortClock(f.First), shortClock(f.Last),
			median, longest, daily, strings.Join(answers, ", "))
	}
	b.Table = t.leaves("crawler")
	return b
}

// delays says how Crawl-delay was kept.
func (d doc) delays() block {
	b := block{Heading: "Crawl-delay"}
	t := newTable(maxFetchersShown, Left("Crawl-delay for"),
		Right("delay", "gaps", "shorter", "median", "10th percentile"), Left(d.byOrigin("origin")...))
	for _, of := range d.pointers() {
		for _, c := range of.CrawlDelay {
			t.add(nil, 1, append([]string{shortName(of), seconds(c.Delay), english.Grouped(c.Gaps),
				share(float64(c.Shorter) / float64(c.Gaps)), seconds(c.Median), seconds(c.P10)},
				d.byOrigin(c.Origin)...)...)
		}
	}
	if b.Table = t.leaves("row"); t.rows > 0 {
		b.Text = []string{"A gap is the time between successive requests from one address. " +
			"RFC 9309 does not define Crawl-delay: a shorter gap is not a violation."}
	}
	return b
}

// sizes lists the answers to requests for robots.txt whose size differs from the file.
func (d doc) sizes() block {
	heading, expectedAs := "Answers of other sizes than the file", []string{"bytes expected"}
	if d.Policy.None() {
		heading, expectedAs = "Sizes of robots.txt that were sent", nil
	}
	t := newTable(maxVersionsShown, Left("answers to robots.txt of"), Left(expectedAs...), Right("number"),
		Left("first", "last"))
	for _, s := range d.RobotsTxt.Listed {
		var expected []string
		for _, n := range s.Expected {
			expected = append(expected, english.Grouped(n))
		}
		cells := []string{english.Plural(s.Bytes, "byte")}
		if expectedAs != nil {
			cells = append(cells, cmp.Or(strings.Join(expected, " or "), "-"))
		}
		t.add(nil, 1, append(cells, english.Grouped(s.N), shortClock(s.First), shortClock(s.Last))...)
	}
	return block{Heading: heading, Table: t.leaves("size")}
}
