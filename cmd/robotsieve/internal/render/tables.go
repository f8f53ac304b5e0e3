package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// crawlersIn returns how many crawlers a row covers, and violatorsIn how many of them broke a rule.
func crawlersIn(c *crawler) int64  { return max(c.Names, 1) }
func violatorsIn(c *crawler) int64 { return max(c.Violators, min(c.Verdicts[report.Violation], 1)) }

// Widths in a table, in characters.
const (
	maxNameShown     = 30
	maxOperatorShown = 14
	maxRuleShown     = 50
	maxFileShown     = 40
)

func shortName(c *crawler) string { return Cut(c.Crawler, maxNameShown) }

// ofSites returns the column of origins, if there may be several.
func ofSites[T any](d doc, origin func(*T) string) columns[T] {
	if len(d.Policy.Origins) <= 1 {
		return nil
	}
	return columns[T]{wordsFrom("origin", origin)}
}

// mostCited returns the indexes of the versions, most violations first.
func (d doc) mostCited() []int {
	versions := d.Policy.Versions
	order := make([]int, len(versions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(versions[y].Cited, versions[x].Cited) })
	return order
}

func (d doc) brokenOf(indexes []int) (n int64) {
	for _, i := range indexes {
		n += min(d.Policy.Versions[i].Cited, 1)
	}
	return n
}

type version = report.VersionInfo

var versionColumns = columns[version]{
	textFrom("version from", func(v *version) string { return cmp.Or(clock(v.From), "before all time") }),
	valueFrom("status", func(v *version) value {
		if v.Status == 0 {
			return words("unreachable")
		}
		return words(fmt.Sprint(v.Status))
	}),
	countFrom("bytes", func(v *version) int64 { return v.Bytes }),
	countFrom("violations", func(v *version) int64 { return v.Cited }),
	wordsFrom("file", func(v *version) string {
		if v.Location != "" {
			return Cut("to "+v.Location, maxFileShown)
		}
		return Cut(v.File, maxFileShown)
	}),
}

// versions lists the versions in order, if too many only those with the most broken rules.
func (d doc) versions() block {
	b := block{Heading: "Versions of robots.txt"}
	if d.Policy.History == report.Constant {
		return b
	}
	order, sum := d.mostCited(), int64(0)
	shown, rest := order[:min(len(order), maxVersionsShown)], order[min(len(order), maxVersionsShown):]
	t := newTable(unbounded, slices.Concat(versionColumns, ofSites(d, func(v *version) string { return v.Origin })))
	for _, i := range slices.Sorted(slices.Values(shown)) {
		t.add(nil, 1, &d.Policy.Versions[i])
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

// part is a subset of the crawlers, with the title of its rows in a table.
type part struct {
	title string
	list  []*crawler
}

// parts divides the crawlers into bound ones, which need no title, bound fetchers, and those not bound.
func (d doc) parts() []part {
	return []part{
		{"", d.without(func(c *crawler) bool { return c.Exempt != "" || isFetcher(c) })},
		{"Fetchers, for a person, a subscription or the site's own operator:",
			d.without(func(c *crawler) bool { return !isFetcher(c) })},
		{"Not bound by robots.txt, according to the operator:",
			d.without(func(c *crawler) bool { return c.Exempt == "" })},
	}
}

// crawlers has a row for each crawler and a total. Crawlers that robots.txt doesn't bind come last.
func (d doc) crawlers() block {
	b := block{Heading: "Crawlers"}
	if len(d.Crawlers) == 0 {
		return b
	}
	all := d.pointers()
	shown := withSums(byVerdict, all)
	t := newTable(unbounded, slices.Concat(
		columns[crawlers]{textFrom("crawler", func(c *crawlers) string { return c.name })}, summed(shown),
		columns[crawlers]{wordsFrom("category", func(c *crawlers) string { return c.category })}))
	for _, part := range d.parts() {
		t.begin(part.title)
		n := min(len(part.list), d.most)
		for _, c := range part.list[:n] {
			t.add(nil, 1, &crawlers{shortName(c), c.Category, []*crawler{c}})
		}
		if left := part.list[n:]; len(left) > 0 {
			out := leftOut{}.addAll(left)
			name := fmt.Sprintf("(%s more: see json, csv)", english.Grouped(out.others+out.fetchers))
			t.add(nil, 1, &crawlers{name, "", left})
		}
	}
	if len(d.Crawlers) > 1 {
		t.begin("")
		t.sums()
		t.add(nil, 1, &crawlers{"all", "", all})
	}
	b.Title, b.Table = "Requests by clients that identify themselves as these crawlers:", t.table
	b.Facts, b.Text = legend(shown), d.undecided()
	return b
}

// crawlers is a group of crawlers in one row.
type crawlers struct {
	name, category string
	list           []*crawler
}

// summed returns columns that add up over crawlers.
func summed(list columns[crawler]) (sums columns[crawlers]) {
	for _, c := range list {
		of := countFrom(cmp.Or(c.heading, c.name), func(of *crawlers) int64 { return c.sum(of.list) })
		of.alarm = c.alarm
		sums = append(sums, of)
	}
	return sums
}

// withSums returns the columns that aren't 0 in all rows.
func withSums(list columns[crawler], rows []*crawler) columns[crawler] {
	return slices.DeleteFunc(slices.Clone(list), func(c column[crawler]) bool { return c.sum(rows) == 0 })
}

// claim is what a log claims about clients of a crawler.
type claim struct {
	*crawler
	report.ClaimInfo
}

func (d doc) claims() block {
	b, unlisted := block{Heading: "What the logs' CDN says"}, int64(0)
	t := newTable(maxRulesShown, columns[claim]{
		textFrom("requests under the name", func(c *claim) string { return shortName(c.crawler) }),
		textFrom("says the log of the client", func(c *claim) string {
			return Cut(cmp.Or(c.Claim, "nothing"), maxRuleShown)
		}),
		valueFrom("number", func(c *claim) value { return integer(c.N) }),
	})
	for _, c := range d.pointers() {
		unlisted += c.ClaimsNotListed
		for _, info := range c.Claims {
			t.add(nil, 1, &claim{c, info})
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

// operators describes the first known crawlers, and their operators' statements.
func (d doc) operators() block {
	t := newTable(d.most, columns[crawler]{
		textFrom("crawler", shortName),
		wordsFrom("operator", func(c *crawler) string { return Cut(c.Operator, maxOperatorShown) }),
		categoryColumn,
		wordsFrom("robots.txt", func(c *crawler) string { return cmp.Or(obeys[c.Obeys].long, "does not say") }),
		wordsFrom("page", func(c *crawler) string { return Cut(c.Source, maxFileShown) }),
	})
	for _, c := range d.without(func(c *crawler) bool { return c.Operator == "" || c.Operator == report.Unknown }) {
		t.add(c, crawlersIn(c), c)
	}
	return block{Heading: "The operators", Table: t.leaves("crawler")}
}

var categoryColumn = wordsFrom("category", func(c *crawler) string { return c.Category })

var obeys = map[report.YesNo]struct{ long, short string }{
	report.Yes: {"says that it obeys", "obeys"}, report.No: {"says that it may ignore it", "may ignore"},
}

// violations splits violations by identity, outcome and method, with fetchers in rows of their own.
func (d doc) violations() block {
	b := block{Heading: "How violations were answered"}
	t := newTable(maxRulesShown, splitColumns())
	for _, part := range d.parts() {
		t.begin(part.title)
		slices.SortStableFunc(part.list, func(x, y *crawler) int {
			return cmp.Compare(y.Verdicts[report.Violation], x.Verdicts[report.Violation])
		})
		for _, c := range part.list {
			for _, identity := range []report.Identity{report.Verified, report.Unverified, report.Unverifiable} {
				if n := violationsOf(c, identity); n.all > 0 {
					t.add(c, n.all, &n)
				}
			}
		}
	}
	b.Table = t.leaves("violation")
	if t.rows > 0 {
		b.Facts = append(legend(outcomes, columns[crawler]{informed}),
			fact{"says that it", "what the operator says of robots.txt, if anything; " +
				"its page is in the table of operators below"})
	}
	return b
}

// split sums up a crawler's violations by clients with an identity.
type split struct {
	*crawler
	identity      report.Identity
	all, informed int64
	outcomes      report.OutcomeCounts
	methods       [report.Methods]int64
}

func splitColumns() columns[split] {
	list := columns[split]{
		textFrom("violations by", func(s *split) string { return shortName(s.crawler) }),
		wordsFrom("says \u200bthat \u200bit", func(s *split) string { return obeys[s.Obeys].short }),
		textFrom("identity", func(s *split) string { return s.identity.String() }),
		countFrom("re\u00adquests", func(s *split) int64 { return s.all }),
	}
	for o, c := range outcomes {
		list = append(list, countFrom(cmp.Or(c.heading, c.name), func(s *split) int64 { return s.outcomes[o] }))
	}
	for m, heading := range [...]string{report.Get: "GET", report.Head: "HEAD", report.OtherMethod: "other \u200bmethod"} {
		list = append(list, countFrom(heading, func(s *split) int64 { return s.methods[m] }))
	}
	return append(list, valueFrom(informed.heading, func(s *split) value { return informedOf(s.crawler, s.informed) }))
}

func informedOf(c *crawler, n int64) value {
	if !c.InformedKnown {
		return words("?")
	}
	return some(n)
}

func violationsOf(c *crawler, identity report.Identity) split {
	s := split{crawler: c, identity: identity}
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

// rule is a rule that a crawler broke, in all versions of the same file that contain it.
type rule struct {
	crawler            *crawler
	origin, file, text string
	line               int
}

// rules lists the broken rules, once for all versions with the same file, and those of fetchers last.
func (d doc) rules() block {
	sums := map[rule]int64{}
	var rules []rule
	file := columns[rule]{textFrom("file", func(r *rule) string { return Cut(r.file, maxFileShown) })}
	if d.Policy.History == report.Constant {
		file = nil
	}
	t := newTable(maxRulesShown, slices.Concat(columns[rule]{
		valueFrom("violations", func(r *rule) value { return integer(sums[*r]) }),
		textFrom("crawler", func(r *rule) string { return shortName(r.crawler) }),
		valueFrom("line", func(r *rule) value { return words(fmt.Sprint(r.line)) }),
		textFrom("rule", func(r *rule) string { return Cut(r.text, maxRuleShown) }),
	}, file, ofSites(d, func(r *rule) string { return r.origin })))
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
	// The crawlers are sorted, and so are each crawler's rules.
	slices.SortStableFunc(rules, func(x, y rule) int {
		return cmp.Or(fetchersLast(x.crawler, y.crawler), cmp.Compare(sums[y], sums[x]))
	})
	for i, r := range rules {
		if isFetcher(r.crawler) && (i == 0 || !isFetcher(rules[i-1].crawler)) {
			t.begin("By fetchers:")
		}
		t.add(r.crawler, sums[r], &r)
	}
	return block{Heading: "Rules that were broken", Table: t.leaves("violation")}
}

func (d doc) fetches() block {
	b := block{Heading: "Fetches of robots.txt"}
	if !d.RobotsTxt.Logged {
		return b
	}
	list := d.without(func(c *crawler) bool { return c.RobotsTxt.Fetches == 0 })
	slices.SortStableFunc(list, func(x, y *crawler) int { return cmp.Compare(y.RobotsTxt.Fetches, x.RobotsTxt.Fetches) })
	t := newTable(maxFetchersShown, columns[crawler]{
		textFrom("GETs of robots.txt by", shortName),
		valueFrom("number", func(c *crawler) value { return integer(c.RobotsTxt.Fetches) }),
		textFrom("first", func(c *crawler) string { return shortClock(c.RobotsTxt.First) }),
		textFrom("last", func(c *crawler) string { return shortClock(c.RobotsTxt.Last) }),
		valueFrom("median gap", func(c *crawler) value { return gap(c, seconds(c.RobotsTxt.MedianGap)) }),
		valueFrom("longest", func(c *crawler) value { return gap(c, seconds(c.RobotsTxt.LongestGap)) }),
		valueFrom("gaps <= 24 h", func(c *crawler) value { return gap(c, share(c.RobotsTxt.Within24h)) }),
		textFrom("answers", func(c *crawler) string {
			var answers []string
			for class, n := range c.RobotsTxt.Answers {
				if n > 0 {
					answers = append(answers, english.Grouped(n)+" "+report.AnswerClass(class).String())
				}
			}
			return strings.Join(answers, ", ")
		}),
	})
	for _, c := range list {
		t.add(c, crawlersIn(c), c)
	}
	b.Table = t.leaves("crawler")
	return b
}

// gap returns a text about the gaps between fetches, or none if there are none.
func gap(c *crawler, text string) value { return words(text).when(c.RobotsTxt.Gaps > 0) }

type delay struct {
	*crawler
	report.DelayInfo
}

func (d doc) delays() block {
	b := block{Heading: "Crawl-delay"}
	t := newTable(maxFetchersShown, slices.Concat(columns[delay]{
		textFrom("Crawl-delay for", func(of *delay) string { return shortName(of.crawler) }),
		valueFrom("delay", func(of *delay) value { return words(seconds(of.Delay)) }),
		valueFrom("gaps", func(of *delay) value { return integer(of.Gaps) }),
		valueFrom("shorter", func(of *delay) value { return words(share(float64(of.Shorter) / float64(of.Gaps))) }),
		valueFrom("median", func(of *delay) value { return words(seconds(of.Median)) }),
		valueFrom("10th percentile", func(of *delay) value { return words(seconds(of.P10)) }),
	}, ofSites(d, func(of *delay) string { return of.Origin })))
	for _, c := range d.pointers() {
		for _, info := range c.CrawlDelay {
			t.add(nil, 1, &delay{c, info})
		}
	}
	b.Table = t.leaves("row")
	if t.rows > 0 {
		b.Text = []string{"A gap is the time between successive requests from one address. " +
			"RFC 9309 does not define Crawl-delay: a shorter gap is not a violation."}
	}
	return b
}

// sizes lists the answers to requests for robots.txt whose size differs from the file's.
func (d doc) sizes() block {
	heading := "Answers of other sizes than the file"
	list := columns[report.SizeInfo]{
		textFrom("answers to robots.txt of", func(s *report.SizeInfo) string { return english.Plural(s.Bytes, "byte") }),
		wordsFrom("bytes expected", func(s *report.SizeInfo) string {
			var expected []string
			for _, n := range s.Expected {
				expected = append(expected, english.Grouped(n))
			}
			return strings.Join(expected, " or ")
		}),
		valueFrom("number", func(s *report.SizeInfo) value { return integer(s.N) }),
		textFrom("first", func(s *report.SizeInfo) string { return shortClock(s.First) }),
		textFrom("last", func(s *report.SizeInfo) string { return shortClock(s.Last) }),
	}
	if d.Policy.None() {
		heading, list = "Sizes of robots.txt that were sent", slices.Delete(list, 1, 2)
	}
	t := newTable(maxVersionsShown, list)
	for i := range d.RobotsTxt.Listed {
		t.add(nil, 1, &d.RobotsTxt.Listed[i])
	}
	return block{Heading: heading, Table: t.leaves("size")}
}
