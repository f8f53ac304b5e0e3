package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// table is a table of the document. A column whose heading begins with > is flush
// right. A row of one cell is a title within the table.
type table struct {
	header []string
	rows   [][]string
	more   string // how much the table leaves out
}

// leavesOut says how many there are that the table does not have.
func (t *table) leavesOut(n int64, noun string) { t.leaves(leftOut{others: n}, noun) }

// leaves is leavesOut with those of fetchers apart.
func (t *table) leaves(out leftOut, noun string) {
	if text := out.text(noun); text != "" {
		t.more = "and " + text + ": see --output json."
	}
}

// leftOut counts what a list leaves out: of fetchers, which are counted apart in the headline, and of
// others.
type leftOut struct{ others, fetchers int64 }

// add counts n of a crawler.
func (l *leftOut) add(c *crawler, n int64) {
	if isFetcher(c) {
		l.fetchers += n
	} else {
		l.others += n
	}
}

// addAll counts crawlers.
func (l leftOut) addAll(list []*crawler) leftOut {
	for _, c := range list {
		l.add(c, crawlersIn(c))
	}
	return l
}

// text names what is counted: crawlers, or something of them.
func (l leftOut) text(noun string) string {
	var parts []string
	if l.others > 0 {
		parts = append(parts, english.Plural(l.others, "more "+noun))
	}
	switch {
	case l.fetchers == 0:
	case noun == "crawler":
		parts = append(parts, english.Plural(l.fetchers, "more fetcher"))
	default:
		parts = append(parts, english.Plural(l.fetchers, "more "+noun)+" by fetchers")
	}
	return strings.Join(parts, " and ")
}

// crawlersIn returns how many crawlers a row is of, and violatorsIn how many of them broke a rule.
func crawlersIn(c *crawler) int64  { return max(c.Names, 1) }
func violatorsIn(c *crawler) int64 { return max(c.Violators, min(c.Verdicts[audit.Violation], 1)) }

// figure writes a number in a table: a dash if it is 0, or negative, which means not known.
func figure(n int64) string {
	if n <= 0 {
		return "-"
	}
	return english.Grouped(n)
}

// informedOf writes how many of a crawler's violations are informed.
func informedOf(c *crawler, n int64) string {
	if !c.InformedKnown {
		return "?"
	}
	return figure(n)
}

// Widths in a table, in characters.
const (
	maxNameShown     = 30
	maxOperatorShown = 14
	maxRuleShown     = 50
	maxFileShown     = 40
)

func shortName(c *audit.CrawlerInfo) string { return Cut(c.Crawler, maxNameShown) }

// beforeAllTime stands for the time from which a version was in force, if it has none.
const beforeAllTime = "before all time"

// byFile and byOrigin return the last cells of a row, if there may be several files or
// origins.
func (d doc) byFile(cell string) []string {
	if d.Policy.History == "constant" {
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

// versions lists the versions in their order: if there are many, those whose rules were
// broken most often.
func (d doc) versions() (b block) {
	b.heading = "Versions of robots.txt"
	if d.Policy.History == "constant" {
		return b
	}
	versions, sum := d.Policy.Versions, int64(0)
	order := make([]int, len(versions))
	for i, v := range versions {
		order[i] = i
		sum += v.Cited
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(versions[y].Cited, versions[x].Cited) })
	t := &b.table
	t.header = append([]string{"version from", ">status", ">bytes", ">violations", "file"}, d.byOrigin("origin")...)
	for _, i := range slices.Sorted(slices.Values(order[:min(len(order), maxVersionsShown)])) {
		v := versions[i]
		status, file := fmt.Sprint(v.Status), v.File
		if v.Status == 0 {
			status = "unreachable"
		}
		if v.Location != "" {
			file = "to " + v.Location
		}
		t.rows = append(t.rows, append([]string{cmp.Or(clock(v.From), beforeAllTime), status, figure(v.Bytes), figure(v.Cited),
			cmp.Or(Cut(file, maxFileShown), "-")}, d.byOrigin(v.Origin)...))
	}
	left, broken := int64(len(versions)-len(t.rows)), int64(0)
	for _, i := range order[len(t.rows):] {
		broken += min(versions[i].Cited, 1)
	}
	if t.leavesOut(left, "version"); broken > 0 {
		t.more = fmt.Sprintf("and %s, of which %s %s broken: see --output json.",
			english.Plural(left, "more version"), english.Grouped(broken), english.Verb(broken, "was", "were"))
	}
	if sum > d.Totals.Verdicts[audit.Violation] {
		b.text = []string{"Where the log does not distinguish http from https, violations are counted for the versions of both."}
	}
	return b
}

// part is some of the crawlers, with the title of their rows in a table.
type part struct {
	title string
	list  []*audit.CrawlerInfo
}

// parts divides the crawlers: those that robots.txt binds, which need no title, the
// fetchers among them, and those that it does not bind.
func (d doc) parts() []part {
	exempt := func(c *audit.CrawlerInfo) bool { return c.Exempt != "" }
	return []part{
		{"", d.without(func(c *audit.CrawlerInfo) bool { return exempt(c) || isFetcher(c) })},
		{"Fetchers, for a person, a subscription or the site's own operator:", d.without(func(c *audit.CrawlerInfo) bool { return !isFetcher(c) })},
		{"Not bound by robots.txt, according to the operator:", d.without(func(c *audit.CrawlerInfo) bool { return !exempt(c) })},
	}
}

// crawlers has a row for each crawler, those that robots.txt does not bind last, and
// one for all.
func (d doc) crawlers() (b block) {
	b.heading = "Crawlers"
	if len(d.Crawlers) == 0 {
		return b
	}
	all := d.pointers()
	shown := slices.DeleteFunc(slices.Concat([]column{requests, verified}, verdicts), func(c column) bool { return c.sum(all) == 0 })
	t := &b.table
	t.header = []string{"crawler"}
	for _, c := range shown {
		t.header = append(t.header, ">"+c.heading)
	}
	add := func(name string, of []*audit.CrawlerInfo) {
		row := []string{name}
		for _, c := range shown {
			text := figure(c.sum(of))
			if c.name == "violation" && text != "-" {
				text = alarm(text)
			}
			row = append(row, text)
		}
		t.rows = append(t.rows, row)
	}
	addAll := func(list []*audit.CrawlerInfo) {
		n := min(len(list), d.most)
		for i := range list[:n] {
			add(shortName(list[i]), list[i:i+1])
		}
		if n < len(list) {
			left := leftOut{}.addAll(list[n:])
			add(fmt.Sprintf("(%s more: see json, csv)", english.Grouped(left.others+left.fetchers)), list[n:])
		}
	}
	for _, part := range d.parts() {
		if part.title != "" && len(part.list) > 0 {
			t.rows = append(t.rows, []string{part.title})
		}
		addAll(part.list)
	}
	if len(d.Crawlers) > 1 {
		add("all", all)
	}
	b.title, b.facts, b.text = "Requests by clients that identify themselves as these crawlers:", legend(shown...), d.undecided()
	return b
}

// claims lists what the logs say about the clients of the crawlers.
func (d doc) claims() (b block) {
	b.heading = "What the logs' CDN says"
	t, rest, unlisted := &b.table, int64(0), int64(0)
	t.header = []string{"requests under the name", "says the log of the client", ">number"}
	for i := range d.Crawlers {
		c := &d.Crawlers[i]
		unlisted += c.ClaimsNotListed
		for _, claim := range c.Claims {
			if len(t.rows) == maxRulesShown {
				rest++
				continue
			}
			t.rows = append(t.rows, []string{shortName(c), Cut(cmp.Or(claim.Claim, noClaim), maxRuleShown), english.Grouped(claim.N)})
		}
	}
	t.leavesOut(rest, "row")
	if len(t.rows) > 0 {
		if unlisted > 0 {
			are := english.Verb(unlisted, "is", "are")
			b.text = []string{english.Plural(unlisted, "request") + " with rarer words " + are + " in no row."}
		}
		b.text = append(b.text, "This is the word of the CDN that wrote the log. "+
			"It plays no part in the identities above: those rest on addresses alone.")
	}
	return b
}

// operators says who the known crawlers are, and what their operators say: of the first
// ones, among which are those that broke rules.
func (d doc) operators() (b block) {
	b.heading = "The operators"
	t := &b.table
	t.header = []string{"crawler", "operator", "category", "robots.txt", "page"}
	known := d.without(func(c *audit.CrawlerInfo) bool { return c.Operator == "" || c.Operator == "unknown" })
	for _, c := range known[:min(len(known), d.most)] {
		t.rows = append(t.rows, []string{shortName(c), Cut(cmp.Or(c.Operator, "-"), maxOperatorShown), cmp.Or(c.Category, "-"), claim(c),
			Cut(cmp.Or(c.Source, "-"), maxFileShown)})
	}
	t.leaves(leftOut{}.addAll(known[len(t.rows):]), "crawler")
	return b
}

// violations splits the violations of each crawler by identity, outcome and method, those of
// fetchers apart.
func (d doc) violations() (b block) {
	b.heading = "How violations were answered"
	names := []string{"requests"}
	for _, c := range outcomes {
		names = append(names, c.name)
	}
	names = append(names, "GET", "HEAD", "other method", "informed")
	t, left := &b.table, maxRulesShown
	t.header = []string{"violations by", "says \u200bthat \u200bit", "identity"}
	for _, name := range names {
		t.header = append(t.header, ">"+cmp.Or(violationHeadings[name], name))
	}
	rest := leftOut{}
	for _, part := range d.parts() {
		title := part.title
		for _, c := range part.list {
			for _, identity := range []audit.Identity{audit.Verified, audit.Unverified, audit.Unverifiable} {
				n := violationsOf(c, identity.String())
				switch {
				case n["requests"] == 0:
					continue
				case left == 0:
					rest.add(c, n["requests"])
					continue
				case title != "":
					t.rows = append(t.rows, []string{title})
					title = ""
				}
				left--
				row := []string{shortName(c), shortClaim(c), identity.String()}
				for _, name := range names {
					row = append(row, figure(n[name]))
				}
				row[len(row)-1] = informedOf(c, n["informed"])
				t.rows = append(t.rows, row)
			}
		}
	}
	t.leaves(rest, "violation")
	if len(t.rows) > 0 {
		b.facts = append(legend(append(slices.Clone(outcomes), informed)...),
			fact{"says that it", "what the operator says of robots.txt, if anything; its page is in the table of operators below"})
	}
	return b
}

// violationsOf sums up the violations of a crawler by clients of an identity: all of them
// as requests, and by outcome, method and informed.
func violationsOf(c *audit.CrawlerInfo, identity string) map[string]int64 {
	n := map[string]int64{}
	for _, v := range c.Violations {
		if v.Identity != identity {
			continue
		}
		method := v.Method
		if method == audit.OtherMethod.String() {
			method += " method"
		}
		for _, name := range []string{"requests", v.Outcome, method} {
			n[name] += v.N
		}
		if v.Informed {
			n["informed"] += v.N
		}
	}
	return n
}

// violationHeadings are headings of the table of violations that are broken, since it is
// wide.
var violationHeadings = map[string]string{
	"requests": "re\u00adquests", "not_modified": "not \u200bmod\u00adified", "redirected": "redi\u00adrected", "refused": "re\u00adfused", "other method": "other \u200bmethod", "informed": "in\u00adformed",
}

// rules lists the rules that were broken, the most often broken first, and those that fetchers
// broke behind the others. A rule is listed
// once for all versions that have it in the same file.
func (d doc) rules() (b block) {
	b.heading = "Rules that were broken"
	type rule struct {
		fetcher                     bool
		crawler, origin, file, text string
		line                        int
	}
	sums := map[rule]int64{}
	var rules []rule
	rest := leftOut{}
	for i := range d.Crawlers {
		c := &d.Crawlers[i]
		for _, r := range c.Rules {
			rule := rule{isFetcher(c), shortName(c), r.Origin, r.File, r.Rule, r.Line}
			if sums[rule] == 0 {
				rules = append(rules, rule)
			}
			sums[rule] += r.Violations
		}
		rest.add(c, c.RulesNotListed)
	}
	// The crawlers are in order, and so are the rules of each.
	last := map[bool]int{true: 1}
	slices.SortStableFunc(rules, func(x, y rule) int {
		return cmp.Or(cmp.Compare(last[x.fetcher], last[y.fetcher]), cmp.Compare(sums[y], sums[x]))
	})
	t := &b.table
	t.header = slices.Concat([]string{">violations", "crawler", ">line", "rule"}, d.byFile("file"), d.byOrigin("origin"))
	for i, r := range rules {
		if i >= maxRulesShown {
			if r.fetcher {
				rest.fetchers += sums[r]
			} else {
				rest.others += sums[r]
			}
			continue
		}
		if r.fetcher && (i == 0 || !rules[i-1].fetcher) {
			t.rows = append(t.rows, []string{"By fetchers:"})
		}
		t.rows = append(t.rows, slices.Concat([]string{english.Grouped(sums[r]), r.crawler, fmt.Sprint(r.line), Cut(r.text, maxRuleShown)},
			d.byFile(Cut(r.file, maxFileShown)), d.byOrigin(r.origin)))
	}
	t.leaves(rest, "violation")
	return b
}

// fetches says which crawlers fetched robots.txt, and how.
func (d doc) fetches() (b block) {
	b.heading = "Fetches of robots.txt"
	if !d.RobotsTxt.Logged {
		return b
	}
	list := d.without(func(c *crawler) bool { return c.RobotsTxt.Fetches == 0 })
	slices.SortStableFunc(list, func(x, y *crawler) int { return cmp.Compare(y.RobotsTxt.Fetches, x.RobotsTxt.Fetches) })
	b.table.header = []string{"GETs of robots.txt by", ">number", "first", "last", ">median gap", ">longest", ">gaps <= 24 h", "answers"}
	for _, c := range list[:min(len(list), maxFetchersShown)] {
		f := c.RobotsTxt
		median, longest, daily := "-", "-", "-"
		if f.Gaps > 0 {
			median, longest, daily = seconds(f.MedianGap), seconds(f.LongestGap), share(f.Within24h)
		}
		var answers []string
		for class, n := range f.Answers {
			if n > 0 {
				answers = append(answers, english.Grouped(n)+" "+audit.AnswerClass(class).String())
			}
		}
		b.table.rows = append(b.table.rows, []string{shortName(c), english.Grouped(f.Fetches), shortClock(f.First), shortClock(f.Last),
			median, longest, daily, strings.Join(answers, ", ")})
	}
	b.table.leaves(leftOut{}.addAll(list[len(b.table.rows):]), "crawler")
	return b
}

// delays says how Crawl-delay was kept.
func (d doc) delays() (b block) {
	b.heading = "Crawl-delay"
	b.table.header = append([]string{"Crawl-delay for", ">delay", ">gaps", ">shorter", ">median", ">10th percentile"}, d.byOrigin("origin")...)
	rest := int64(0)
	for i := range d.Crawlers {
		for _, c := range d.Crawlers[i].CrawlDelay {
			if len(b.table.rows) == maxFetchersShown {
				rest++
				continue
			}
			b.table.rows = append(b.table.rows, append([]string{shortName(&d.Crawlers[i]), seconds(c.Delay), english.Grouped(c.Gaps),
				share(float64(c.Shorter) / float64(c.Gaps)), seconds(c.Median), seconds(c.P10)}, d.byOrigin(c.Origin)...))
		}
	}
	b.table.leavesOut(rest, "row")
	if len(b.table.rows) > 0 {
		b.text = []string{"A gap is the time between successive requests from one address. RFC 9309 does not define Crawl-delay: a shorter gap is not a violation."}
	}
	return b
}

// sizes lists the answers to requests for robots.txt whose size differs from the file.
func (d doc) sizes() (b block) {
	b.heading = "Answers of other sizes than the file"
	list := d.RobotsTxt.Listed
	b.table.header = []string{"answers to robots.txt of", "bytes expected", ">number", "first", "last"}
	for _, s := range list[:min(len(list), maxVersionsShown)] {
		var expected []string
		for _, n := range s.Expected {
			expected = append(expected, english.Grouped(n))
		}
		b.table.rows = append(b.table.rows, []string{english.Plural(s.Bytes, "byte"), cmp.Or(strings.Join(expected, " or "), "-"), english.Grouped(s.N),
			shortClock(s.First), shortClock(s.Last)})
	}
	b.table.leavesOut(int64(len(list)-len(b.table.rows)), "size")
	return b
}
