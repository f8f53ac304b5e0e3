package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Bounds on what strangers can make a tally hold: names that unknown crawlers
// give themselves, rules of each of these that are listed, and hosts without a
// policy.
const (
	maxNames     = 4096
	maxNameRules = 256
	maxHosts     = 1000
	maxHostName  = 255
	maxSizes     = 1000
	// maxUnparsed is how many lines that cannot be read are quoted.
	maxUnparsed = 5
)

// tally is what was counted in a part of the input. It belongs to one goroutine.
//
// Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + the requests of all
// rows, always.
type tally struct {
	Lines, Blank, Unparsed, NotCrawlers, OtherHost, NotJudged int64
	// RobotsRequests are the GETs of /robots.txt of any client, and RobotsServed
	// those of them that were answered with a body, or 304.
	RobotsRequests, RobotsServed int64
	// Elsewhere are the GETs of /robots.txt of other hosts: they show that the log has
	// such requests. EndInZero are the crawlers' requests from addresses of IPv4 whose
	// last number is 0, as it is where a log does not keep the ends.
	Elsewhere, EndInZero int64

	known map[*crawler.Profile]*row
	// unknown are rows of unknown crawlers by their names in lower case, while lines
	// are read: there may be more of some of them among the late records.
	unknown map[string]*row
	// listed are the most frequent unknown crawlers, and others is all the rest, once
	// the late records have been settled.
	listed   []*row
	others   *row
	cited    map[citedKey]int64 // violations, by the version that they quote
	hosts    *bounded[string, int64]
	hostRest int64 // requests for hosts that hosts has no room for
	sizes    *bounded[sizeKey, sizeCount]
	sizeRest int64 // answers to robots.txt whose size sizes has no room for
	unparsed samples
	span     span
	samples  int // of each row
}

// newTally returns an empty tally.
func (a *Auditor) newTally() *tally {
	return &tally{
		known:    map[*crawler.Profile]*row{},
		unknown:  map[string]*row{},
		cited:    map[citedKey]int64{},
		hosts:    newBounded[string, int64](maxHosts, hashString),
		sizes:    newBounded[sizeKey, sizeCount](maxSizes, hashSize),
		unparsed: samples{most: maxUnparsed},
		samples:  a.config.Samples,
	}
}

// span is the time from the first request of a crawler to the last, in
// nanoseconds since 1970.
type span struct {
	first, last int64
	any         bool
}

func (s *span) add(time int64) { s.merge(span{time, time, true}) }

func (s *span) merge(other span) {
	switch {
	case !other.any:
	case !s.any:
		*s = other
	default:
		s.first, s.last = min(s.first, other.first), max(s.last, other.last)
	}
}

// ruleKey names a rule: the origins that the request may have gone to, the index of
// the version in the versions of the first of them, and the line in it.
type ruleKey struct {
	at      policy.Site
	version int32
	line    uint32
}

// citedKey names a version of an origin.
type citedKey struct{ origin, version int32 }

// row is what was counted of one crawler.
type row struct {
	name       string // as it spells itself
	requests   int64
	verdicts   [verdicts]int64
	reasons    [reasons]int64
	identities [identities]int64
	violations map[violation]int64
	rules      map[ruleKey]int64 // violations of each
	ruleRest   int64             // and of those that are not kept
	samples    samples

	graceInformed int64
	fetches       *fetches // of robots.txt; nil if there are none
	// Known once the late records have been settled:
	fetchGaps fetchGaps
	delays    []delayGaps
}

// violation is one kind of violations.
type violation struct {
	identity Identity
	outcome  Outcome
	method   Method
	informed bool
}

// fetches are a crawler's GETs of /robots.txt, the spoofed left out.
type fetches struct {
	span    span
	answers map[int]int64 // by status
	// refused counts, by status, the answers that there is no robots.txt where the
	// policy has one.
	refused map[int]int64
}

func (r *row) fetched() *fetches {
	if r.fetches == nil {
		r.fetches = &fetches{answers: map[int]int64{}, refused: map[int]int64{}}
	}
	return r.fetches
}

func (r *row) count(i Identity, d decision) {
	r.identities[i]++
	r.verdicts[d.verdict]++
	if d.verdict == Indeterminate {
		r.reasons[d.reason]++
	}
}

func (t *tally) newRow(name string) *row {
	return &row{name: name, rules: map[ruleKey]int64{}, samples: samples{most: t.samples}}
}

// rowOf returns the row for a claim.
func (t *tally) rowOf(c crawler.Claim) *row {
	if c.Profile != nil {
		r := t.known[c.Profile]
		if r == nil {
			r = t.newRow(c.Name)
			t.known[c.Profile] = r
		}
		return r
	}
	key := strings.ToLower(c.Name)
	r := t.unknown[key]
	if r == nil {
		r = t.newRow(c.Name)
		t.unknown[key] = r
	}
	// Of several spellings of a name the smallest is shown, whichever came first.
	r.name = min(r.name, c.Name)
	return r
}

// addHost counts a request for a host without a policy.
func (t *tally) addHost(host string, n int64) {
	if _, kept := t.hosts.kept[host]; !kept && !t.hosts.admits(host) {
		t.hostRest += n
		return
	}
	t.hosts.kept[host] += n
	t.hosts.prune(2, t.foldHost)
}

func (t *tally) foldHost(_ string, n int64) { t.hostRest += n }

// listRules keeps the rules that were violated most often, and counts the
// violations of all others together.
func (r *row) listRules() {
	if len(r.rules) <= maxNameRules {
		return
	}
	keys := slices.SortedFunc(maps.Keys(r.rules), func(x, y ruleKey) int {
		return cmp.Or(cmp.Compare(r.rules[y], r.rules[x]), compareRules(x, y))
	})
	for _, k := range keys[maxNameRules:] {
		r.ruleRest += r.rules[k]
		delete(r.rules, k)
	}
}

func compareRules(x, y ruleKey) int {
	return cmp.Or(cmp.Compare(x.at.First, y.at.First), cmp.Compare(x.at.N, y.at.N),
		cmp.Compare(x.version, y.version), cmp.Compare(x.line, y.line))
}

// violate counts violations of a kind.
func (r *row) violate(v violation, n int64) {
	if r.violations == nil {
		r.violations = map[violation]int64{}
	}
	r.violations[v] += n
}

// addSize counts answers to robots.txt of a size.
func (t *tally) addSize(k sizeKey, c sizeCount) {
	if _, kept := t.sizes.kept[k]; !kept && !t.sizes.admits(k) {
		t.sizeRest += c.n
		return
	}
	t.sizes.kept[k] = t.sizes.kept[k].plus(c)
	t.sizes.prune(2, t.foldSize)
}

func (t *tally) foldSize(_ sizeKey, c sizeCount) { t.sizeRest += c.n }

// merge adds what was counted in another row.
func (r *row) merge(other *row) {
	r.requests += other.requests
	for i, n := range other.verdicts {
		r.verdicts[i] += n
	}
	for i, n := range other.reasons {
		r.reasons[i] += n
	}
	for i, n := range other.identities {
		r.identities[i] += n
	}
	for v, n := range other.violations {
		r.violate(v, n)
	}
	r.graceInformed += other.graceInformed
	if f := other.fetches; f != nil {
		r.fetched().span.merge(f.span)
		addAll(r.fetches.answers, f.answers)
		addAll(r.fetches.refused, f.refused)
	}
	addAll(r.rules, other.rules)
	r.ruleRest += other.ruleRest
	r.samples.merge(&other.samples)
}

func addAll[K comparable](to, from map[K]int64) { addTimes(to, from, 1) }

// addTimes adds all numbers n times.
func addTimes[K comparable](to, from map[K]int64, n int64) {
	for k, of := range from {
		to[k] += of * n
	}
}

// merge adds what was counted in another part of the input, whose unknown crawlers
// are all among the late records. The other tally is not to be used afterwards.
func (t *tally) merge(other *tally) {
	t.Lines += other.Lines
	t.Blank += other.Blank
	t.Unparsed += other.Unparsed
	t.NotCrawlers += other.NotCrawlers
	t.OtherHost += other.OtherHost
	t.NotJudged += other.NotJudged
	t.RobotsRequests += other.RobotsRequests
	t.RobotsServed += other.RobotsServed
	t.Elsewhere += other.Elsewhere
	t.EndInZero += other.EndInZero
	for p, r := range other.known {
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r)
	}
	t.hosts.meet(other.hosts, t.foldHost)
	t.hostRest += other.hostRest
	for host, n := range other.hosts.kept {
		t.addHost(host, n)
	}
	t.sizes.meet(other.sizes, t.foldSize)
	t.sizeRest += other.sizeRest
	for k, c := range other.sizes.kept {
		t.addSize(k, c)
	}
	t.unparsed.merge(&other.unparsed)
	t.span.merge(other.span)
}
