package audit

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// sums checks that numbers of a report add up, and keeps the name of the first that do not.
type sums struct{ wrong string }

func (s *sums) require(ok bool, what string) {
	if !ok {
		s.wrong = cmp.Or(s.wrong, what)
	}
}

// remainder subtracts the parts of a number from it; -1 if they add up to more, or one is negative.
func remainder(whole int64, parts ...int64) int64 {
	for _, n := range parts {
		if n < 0 || n > whole {
			return -1
		}
		whole -= n
	}
	return whole
}

// equal requires that the parts add up to the whole, and that none is negative.
func (s *sums) equal(what string, whole int64, parts ...int64) {
	s.require(remainder(whole, parts...) == 0, what)
}

// within requires that the parts add up to at most the whole, and that none is negative.
func (s *sums) within(what string, whole int64, parts ...int64) {
	s.require(remainder(whole, parts...) >= 0, what)
}

// anyWrongSum names numbers of a report that do not add up, of all that it has; it is empty if
// all do. It is more than wrongSum, which every report is checked by, may a state be forged or not.
func anyWrongSum(r *report.Report) string {
	s, t := &sums{}, &r.Totals
	var requests []int64
	for i := range r.Crawlers {
		requests = append(requests, r.Crawlers[i].Requests)
	}
	s.equal("requests of all crawlers", t.Requests, requests...)
	s.require(r.Blank >= 0 && r.Other >= 0 && r.OutOfPeriod >= 0, "lines that are not counted as lines")
	s.require((r.OutOfPeriod > 0) == (!r.OutsideFrom.IsZero() && !r.OutsideTo.Before(r.OutsideFrom.Time)),
		"times of lines out of the period")
	s.require(r.OutOfPeriod == 0 || !r.Since.IsZero() || !r.Until.IsZero(), "lines out of a period without bounds")
	s.within("requests of HTTP libraries, of CDNs and without a User-Agent", r.NotCrawlers, r.HTTPLibraries, r.CDNAgents, r.NoAgent)
	s.within("requests that no list speaks of", r.AllRequests(), r.IdentityNoList)
	s.within("requests from addresses that end in zero", r.AllRequests(), r.EndInZero)
	s.require(r.Choice.Others >= 0 && (r.Choice.Others > 0) == (r.Choice.Requests > 0), "other crawlers")
	s.require(!r.Choice.IsAll() || r.Choice.Others == 0, "other crawlers where all were chosen")
	s.equal("requests to other hosts", r.OtherHost, append(countsOf(r.OtherHosts,
		func(h report.HostInfo) int64 { return h.Requests }), r.OtherHostsNotListed)...)
	var ofSites report.SiteInfo
	for i := range r.Sites {
		ofSites.Plus(&r.Sites[i])
	}
	s.equal("requests of all sites", t.Requests, ofSites.Requests)
	s.require(ofSites.Verdicts == t.Verdicts, "verdicts of all sites")
	s.require(ofSites.Bytes == t.Bytes && ofSites.ViolationBytes == t.ViolationBytes, "bytes of all sites")
	for i := range r.Crawlers {
		checkCrawler(&r.Crawlers[i], s)
	}
	s.require(s.wrong != "" || report.TotalsOf(r.Crawlers) == *t, "totals")
	s.within("requests by operator", t.Requests,
		countsOf(r.Operators, func(o report.OperatorInfo) int64 { return o.Crawled })...)
	s.within("visitors by operator", r.NotCrawlers, countsOf(r.Operators,
		func(o report.OperatorInfo) int64 { return o.Referred })...)
	checkRobots(r, s)
	checkVersions(r, s)
	if len(r.Inputs) > 0 {
		s.inputs(r.Inputs, &r.LineCounts)
	}
	return s.wrong
}

// checkRobots checks what is counted of answers to robots.txt.
func checkRobots(r *report.Report, s *sums) {
	t := &r.RobotsTxt
	cleared := map[int]int64{}
	fetches := []int64{}
	for _, c := range r.Crawlers {
		fetches = append(fetches, c.RobotsTxt.Fetches)
		for _, refused := range c.RobotsTxt.Cleared {
			cleared[refused.Status] += refused.N
		}
	}
	s.within("GETs of robots.txt", r.Lines, t.Requests)
	s.within("GETs of robots.txt by crawlers", t.Requests, fetches...)
	s.require(t.Logged || t.Requests == 0, "GETs of robots.txt that are not logged")
	s.within("answers to robots.txt", t.Requests, t.Served, t.None, t.Failed)
	s.require(slices.Equal(t.ClearedBy, statusCounts(cleared)), "answers that there is no robots.txt")
	s.within("sizes of robots.txt", t.Served+t.None, t.Sizes)
	s.within("differing sizes of robots.txt", t.Sizes, t.Differing)
	s.within("differing sizes of robots.txt by size", t.Differing,
		countsOf(t.Listed, func(l report.SizeInfo) int64 { return l.N })...)
}

// checkVersions checks the violations by version: one is counted for each origin that it may
// have been on.
func checkVersions(r *report.Report, s *sums) {
	violations := r.Totals.Verdicts[report.Violation]
	uncited := violations
	for _, v := range r.Policy.Versions {
		s.within("violations by version", violations, v.Cited)
		uncited -= min(uncited, v.Cited)
	}
	s.require(uncited == 0, "violations by version")
}

// inputs checks that the numbers of inputs add up to the lines of all.
func (s *sums) inputs(list []report.InputInfo, lines *report.LineCounts) {
	for _, in := range list {
		s.require(in.Disk >= 0 && in.Bytes >= 0, "bytes of "+report.Printable(in.Name))
		s.require(in.From == 0 && in.To == 0 && in.Of == 0 || 0 <= in.From && in.From < in.To && in.To <= in.Of,
			"range of "+report.Printable(in.Name))
	}
	s.equal("lines by input", lines.Lines, countsOf(list, func(in report.InputInfo) int64 { return in.Lines })...)
	s.equal("lines outside of the period by input", lines.OutOfPeriod,
		countsOf(list, func(in report.InputInfo) int64 { return in.OutOfPeriod })...)
	s.equal("unparsed lines by input", lines.Unparsed,
		countsOf(list, func(in report.InputInfo) int64 { return in.Unparsed })...)
}

// check checks the numbers of a crawler.
func checkCrawler(c *report.CrawlerInfo, s *sums) {
	name := func(what string) string { return what + " of " + report.Printable(c.Crawler) }
	v := &c.Verdicts
	s.require(c.Names == 1 || c.Names > 1 && c.Crawler == report.OtherCrawlers, name("names"))
	s.require((c.Violators > 0) == (v[report.Violation] > 0) && 0 <= c.Violators &&
		c.Violators <= min(c.Names, v[report.Violation]),
		name("violators"))
	s.equal(name("identities"), c.Requests, c.Identity[:]...)
	s.equal(name("reasons"), v[report.Indeterminate], c.Reasons[:]...)
	s.require(v[report.Spoofed] == c.Identity[report.SpoofedIdentity], name("impostors"))
	s.equal(name("violations by rule"), v[report.Violation], append(countsOf(c.Rules,
		func(r report.RuleInfo) int64 { return r.Violations }), c.RulesNotListed)...)
	s.within(name("evasive requests"), v[report.Allowed]+c.Reasons[report.ContestedRule], c.Evasive)
	s.within(name("requests in grace of informed crawlers"), v[report.Grace], c.GraceInformed)
	s.within(name("claims about clients"), c.Requests,
		append(countsOf(c.Claims, func(l report.ClaimInfo) int64 { return l.N }),
			c.ClaimsNotListed)...)
	s.within(name("samples"), v[report.Violation], int64(len(c.Samples)))
	checkViolations(c, s, name)
	checkFetches(c, s, name)
	checkFigures(c, s, name)
	for _, d := range c.CrawlDelay {
		s.within(name("gaps between requests"), c.Requests-1, d.Gaps)
		s.within(name("gaps shorter than the delay"), d.Gaps, d.Shorter)
	}
}

// checkViolations checks that the violations, crosswise, make the outcomes, and that there
// are no more by clients of an identity than requests.
func checkViolations(c *report.CrawlerInfo, s *sums, name func(string) string) {
	byOutcome, byIdentity := map[report.Outcome][]int64{}, map[report.Identity][]int64{}
	kinds := map[report.ViolationInfo]bool{}
	for _, v := range c.Violations {
		s.require(v.N > 0, name("violations of a kind"))
		byOutcome[v.Outcome] = append(byOutcome[v.Outcome], v.N)
		byIdentity[v.Identity] = append(byIdentity[v.Identity], v.N)
		v.N = 0
		s.require(!kinds[v] && v.Method < report.Methods, name("violations of a kind"))
		kinds[v] = true
	}
	for o, n := range c.Outcomes {
		s.equal(name("violations by outcome"), n, byOutcome[report.Outcome(o)]...)
		delete(byOutcome, report.Outcome(o))
	}
	for i, n := range c.Identity {
		s.within(name("violations by identity"), n, byIdentity[report.Identity(i)]...)
		delete(byIdentity, report.Identity(i))
	}
	s.require(len(byOutcome)+len(byIdentity) == 0, name("violations of a kind"))
}

// checkFigures checks what is counted of the requests beside their verdicts.
func checkFigures(c *report.CrawlerInfo, s *sums, name func(string) string) {
	own := remainder(c.Requests, c.Verdicts[report.Spoofed])
	s.within(name("bytes of violations"), c.Bytes, c.ViolationBytes)
	s.equal(name("statuses"), own, countsOf(c.Statuses, func(of report.StatusCount) int64 { return of.N })...)
	for i, of := range c.Statuses {
		s.require(0 <= of.Status && of.Status <= maxStatus && (i == 0 || of.Status > c.Statuses[i-1].Status),
			name("statuses"))
	}
	s.within(name("addresses"), own, c.Addresses.N)
	checkTimeline(&c.Timeline, s, name("requests over time"), c)
	checkPathSums(&c.Paths, s, name("paths"), own)
	checkPathSums(&c.ViolationPaths, s, name("paths of violations"), c.Verdicts[report.Violation])
	s.require(c.ViolationPaths.Exact, name("paths of violations"))
	for _, r := range c.Rules {
		checkPathSums(&r.Paths, s, name("paths of the violations of a rule"), r.Violations)
		s.require(r.Paths.Exact, name("paths of the violations of a rule"))
	}
}

// checkTimeline checks that a timeline has all requests of a crawler with a time. Those without one
// are undecided for that, unless it does not matter.
func checkTimeline(l *report.Timeline, s *sums, what string, c *report.CrawlerInfo) {
	for v, all := range c.Verdicts {
		list := l.Verdicts[report.Verdict(v)]
		s.require(len(list) == len(l.From) || len(list) == 0, what)
		switch report.Verdict(v) {
		case report.RobotsFetch, report.Exempt, report.Spoofed:
			s.within(what, all, list...)
		case report.Indeterminate:
			s.equal(what, all, append(slices.Clone(list), c.Reasons[report.NoTime])...)
		default:
			s.equal(what, all, list...)
		}
	}
	s.require(slices.IsSortedFunc(l.From, func(x, y report.Time) int { return x.Compare(y.Time) }) && l.By < report.Units, what)
}

// checkPathSums checks that paths are of so many requests.
func checkPathSums(p *report.PathList, s *sums, what string, requests int64) {
	counts := countsOf(p.List, func(of report.PathInfo) int64 { return of.N - of.TooHigh })
	if p.Exact {
		counts = append(counts, p.OthersAtMost)
	}
	s.within(what, requests, counts...)
	s.within(what, requests, p.OthersAtMost)
	for i, of := range p.List {
		s.require(of.N > 0 && (i == 0 || of.N <= p.List[i-1].N), what)
		s.require(of.TooHigh == 0 || !p.Exact && of.N >= tooHigh*of.TooHigh && of.TooHigh > 0, what)
	}
}

// checkFetches checks what is counted of a crawler's fetches of robots.txt.
func checkFetches(c *report.CrawlerInfo, s *sums, name func(string) string) {
	t := &c.RobotsTxt
	s.equal(name("answers to fetches of robots.txt"), t.Fetches, t.Answers[:]...)
	s.within(name("fetches of robots.txt"), c.Verdicts[report.RobotsFetch]+c.Verdicts[report.Exempt], t.Fetches)
	s.within(name("gaps between fetches of robots.txt"), max(t.Fetches-1, 0), t.Gaps)
	s.require(t.Fetches > 0 || t.First.IsZero() && t.Last.IsZero(), name("times of fetches of robots.txt"))
	s.require(0 <= t.Within24h && t.Within24h <= 1, name("gaps between fetches of robots.txt"))
	refused, last := report.AnswerCounts{}, -1
	for _, r := range t.Cleared {
		s.require(r.N > 0 && r.Status > last, name("answers that there is no robots.txt"))
		refused[answerClassOf(r.Status)] += r.N
		last = r.Status
	}
	for class, n := range refused {
		s.within(name("answers that there is no robots.txt"), t.Answers[class], n)
	}
}

// countsOf returns one number of each element of a list.
func countsOf[T any](list []T, n func(T) int64) (counts []int64) {
	for _, x := range list {
		counts = append(counts, n(x))
	}
	return counts
}

// Every way to a report checks it.
func TestReportThatDoesNotAddUpIsAnError(t *testing.T) {
	a := stateAuditor(t)
	lines := stateLog(rand.New(rand.NewPCG(3, 4)), 100)
	for name, in := range map[string]Inputs{"whole": {}, "partial": {Partial: true}} {
		run := begin(t, a)
		w := run.Worker()
		w.Chunk(byName(t, "vhost_combined"), nil, []byte(strings.Join(lines, "\n")))
		w.tally.NotCrawlers++
		if _, err := run.Report(in); !errors.Is(err, errSum) || !strings.Contains(err.Error(), "lines") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// States whose sums would overflow are refused, not added up to few.
func TestStatesOfTooManyLinesAreRefused(t *testing.T) {
	a := stateAuditor(t)
	many := a.newTally()
	many.Lines, many.NotCrawlers = mostLines-1, mostLines-1
	state := joined(t, string(a.appendTally(nil, many)))
	if _, err := reportOf(a, state); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		states := make([][]byte, n+2)
		for i := range states {
			states[i] = state
		}
		if _, err := reportOf(a, states...); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "lines in all") {
			t.Errorf("%d states: %v", len(states), err)
		}
	}
}
