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
	// maxUnparsed is how many lines that cannot be read are quoted.
	maxUnparsed = 5
	// noLimit is for what robots.txt bounds. Twice as much is an int everywhere.
	noLimit = 1 << 29
)

// Tally is what was counted in a part of the input. Make one with
// Auditor.NewTally. It belongs to one goroutine.
//
// Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + the requests of all
// rows, always.
type Tally struct {
	Lines, Blank, Unparsed, NotCrawlers, OtherHost, NotJudged int64

	known    map[*crawler.Profile]*row
	unknown  *bounded[string, *row] // by name in lower case
	others   *row                   // unknown crawlers that unknown has no room for
	hosts    *bounded[string, int64]
	hostRest int64 // requests for hosts that hosts has no room for
	unparsed samples
	span     span
	samples  int // of each row
}

// NewTally returns an empty tally.
func (a *Auditor) NewTally() *Tally {
	t := &Tally{
		known:    map[*crawler.Profile]*row{},
		unknown:  newBounded[string, *row](maxNames, hashString),
		hosts:    newBounded[string, int64](maxHosts, hashString),
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

// ruleKey names a rule: the index of its origin, and its line in robots.txt.
type ruleKey struct {
	origin int32
	line   uint32
}

func hashRule(k ruleKey) uint64 { return mix(uint64(uint32(k.origin))<<32 | uint64(k.line)) }

// row is what was counted of one crawler.
type row struct {
	name       string // as it spells itself
	requests   int64
	verdicts   [verdicts]int64
	reasons    [reasons]int64
	identities [identities]int64
	violations *violations // nil if there are none
	rules      *bounded[ruleKey, int64]
	ruleRest   int64 // violations of rules that rules has no room for
	samples    samples
}

// violations are counted crosswise.
type violations [identities][outcomes][methods]int64

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

// violate counts one violation.
func (r *row) violate(i Identity, o Outcome, m Method) {
	if r.violations == nil {
		r.violations = &violations{}
	}
	r.violations[i][o][m]++
}

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
	if other.violations != nil {
		if r.violations == nil {
			r.violations = &violations{}
		}
		for i := range other.violations {
			for o := range other.violations[i] {
				for m, n := range other.violations[i][o] {
					r.violations[i][o][m] += n
				}
			}
		}
	}
	r.rules.meet(other.rules, r.foldRule)
	r.ruleRest += other.ruleRest
	for k, n := range other.rules.kept {
		r.addRule(k, n)
	}
	r.samples.merge(&other.samples)
}

// Merge adds what was counted in another part of the input. The other tally is
// not to be used afterwards.
func (t *Tally) Merge(other *Tally) {
	t.Lines += other.Lines
	t.Blank += other.Blank
	t.Unparsed += other.Unparsed
	t.NotCrawlers += other.NotCrawlers
	t.OtherHost += other.OtherHost
	t.NotJudged += other.NotJudged
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
	t.unparsed.merge(&other.unparsed)
	t.span.merge(other.span)
}
