package audit

import (
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// Bounds on what strangers can make a tally hold: names that unknown crawlers
// give themselves, rules that one of these breaks, and hosts without a policy.
const (
	maxNames     = 2048
	maxNameRules = 64
	maxHosts     = 1000
	maxHostName  = 255
	maxSizes     = 1000
	// maxUnparsed is how many lines that cannot be read are quoted.
	maxUnparsed = 5
	// noLimit is for what robots.txt bounds. Twice as much is an int everywhere.
	noLimit = 1 << 29
)

// Tally is what was counted in a part of the input. It belongs to one goroutine.
//
// Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + the requests of all
// rows, always.
type Tally struct {
	Lines, Blank, Unparsed, NotCrawlers, OtherHost, NotJudged int64
	// RobotsRequests are the GETs of /robots.txt of any client, and RobotsServed
	// those of them that were answered 2xx or 304.
	RobotsRequests, RobotsServed int64

	known    map[*crawler.Profile]*row
	unknown  *bounded[string, *row] // by name in lower case
	others   *row                   // unknown crawlers that unknown has no room for
	hosts    *bounded[string, int64]
	hostRest int64 // requests for hosts that hosts has no room for
	sizes    *bounded[sizeKey, sizeCount]
	sizeRest int64 // answers to robots.txt whose size sizes has no room for
	unparsed samples
	span     span
	samples  int // of each row
}

// newTally returns an empty tally.
func (a *Auditor) newTally() *Tally {
	t := &Tally{
		known:    map[*crawler.Profile]*row{},
		unknown:  newBounded[string, *row](maxNames, hashString),
		hosts:    newBounded[string, int64](maxHosts, hashString),
		sizes:    newBounded[sizeKey, sizeCount](maxSizes, hashSize),
		unparsed: samples{most: maxUnparsed},
		samples:  a.config.Samples,
	}
	// Not without a limit: a row that is merged into it may have dropped rules,
	// and which these are must not matter.
	t.others = t.newRow("", maxNameRules)
	return t
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

// ruleKey names a rule: the index of its origin, the index of the version in the
// origin's versions, and the line in it. several: the request may have gone to
// other origins of the policy too, and origin is the first of them.
type ruleKey struct {
	origin, version int32
	line            uint32
	several         bool
}

func hashRule(k ruleKey) uint64 {
	h := mix(uint64(uint32(k.origin))<<32 | uint64(k.line))
	if k.several {
		h = ^h
	}
	return mix(h ^ uint64(uint32(k.version)))
}

// row is what was counted of one crawler.
type row struct {
	name       string // as it spells itself
	requests   int64
	verdicts   [verdicts]int64
	reasons    [reasons]int64
	identities [identities]int64
	violations map[violation]int64
	rules      *bounded[ruleKey, int64]
	ruleRest   int64 // violations of rules that rules has no room for
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

func (t *Tally) newRow(name string, maxRules int) *row {
	return &row{
		name:    name,
		rules:   newBounded[ruleKey, int64](maxRules, hashRule),
		samples: samples{most: t.samples},
	}
}

// rowOf returns the row for a claim. Rows of unknown crawlers may leave the tally
// when it is pruned.
func (t *Tally) rowOf(c crawler.Claim) *row {
	if c.Profile != nil {
		r := t.known[c.Profile]
		if r == nil {
			r = t.newRow(c.Name, noLimit)
			t.known[c.Profile] = r
		}
		return r
	}
	return t.unknownRow(strings.ToLower(c.Name), c.Name)
}

func (t *Tally) unknownRow(key, name string) *row {
	r := t.unknown.kept[key]
	if r == nil {
		if !t.unknown.admits(key) {
			return t.others
		}
		r = t.newRow(name, maxNameRules)
		t.unknown.kept[key] = r
	}
	// Of several spellings of a name the smallest is shown, whichever came first.
	r.name = min(r.name, name)
	return r
}

// prune keeps the tally within its bounds, and tells whether rows left it. slack
// is 1 where the bounds are to be met exactly, more to leave room for a while.
func (t *Tally) prune(slack int) bool {
	return t.unknown.prune(slack, t.foldName)
}

func (t *Tally) foldName(_ string, r *row) { t.others.merge(r) }

// addHost counts a request for a host without a policy.
func (t *Tally) addHost(host string, n int64) {
	if _, kept := t.hosts.kept[host]; !kept && !t.hosts.admits(host) {
		t.hostRest += n
		return
	}
	t.hosts.kept[host] += n
	t.hosts.prune(2, t.foldHost)
}

func (t *Tally) foldHost(_ string, n int64) { t.hostRest += n }

// addRule counts violations of a rule.
func (r *row) addRule(k ruleKey, n int64) {
	if _, kept := r.rules.kept[k]; !kept && !r.rules.admits(k) {
		r.ruleRest += n
		return
	}
	r.rules.kept[k] += n
	r.rules.prune(2, r.foldRule)
}

func (r *row) foldRule(_ ruleKey, n int64) { r.ruleRest += n }

// violate counts violations of a kind.
func (r *row) violate(v violation, n int64) {
	if r.violations == nil {
		r.violations = map[violation]int64{}
	}
	r.violations[v] += n
}

// addSize counts answers to robots.txt of a size.
func (t *Tally) addSize(k sizeKey, c sizeCount) {
	if _, kept := t.sizes.kept[k]; !kept && !t.sizes.admits(k) {
		t.sizeRest += c.n
		return
	}
	t.sizes.kept[k] = t.sizes.kept[k].plus(c)
	t.sizes.prune(2, t.foldSize)
}

func (t *Tally) foldSize(_ sizeKey, c sizeCount) { t.sizeRest += c.n }

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
	r.rules.meet(other.rules, r.foldRule)
	r.ruleRest += other.ruleRest
	for k, n := range other.rules.kept {
		r.addRule(k, n)
	}
	r.samples.merge(&other.samples)
}

func addAll[K comparable](to, from map[K]int64) {
	for k, n := range from {
		to[k] += n
	}
}

// merge adds what was counted in another part of the input. The other tally is
// not to be used afterwards.
func (t *Tally) merge(other *Tally) {
	t.Lines += other.Lines
	t.Blank += other.Blank
	t.Unparsed += other.Unparsed
	t.NotCrawlers += other.NotCrawlers
	t.OtherHost += other.OtherHost
	t.NotJudged += other.NotJudged
	t.RobotsRequests += other.RobotsRequests
	t.RobotsServed += other.RobotsServed
	for p, r := range other.known {
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r)
	}
	t.unknown.meet(other.unknown, t.foldName)
	for key, r := range other.unknown.kept {
		t.unknownRow(key, r.name).merge(r)
		t.prune(2)
	}
	t.others.merge(other.others)
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
