package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// facts are what the log's own answers to GETs of /robots.txt told the crawlers of an
// operator. They take room in proportion to the days of the log, not to its fetches.
type facts struct {
	*answersToAll
	origins   map[int32]*originFacts
	anyOrigin originFacts // where the origin is not known
	rules     map[sender][]told
	redirects []fetch // those not yet in originFacts, in the order of time
	failed    policy.Lawful
	bodies    []int32
}

// originFacts has the moments of each kind of answer, and of each size that showed another
// file than those in force.
type originFacts struct {
	moments [toldRedirect + 1]moments
	sizes   map[int64]*moments
}

// told is the first moment at which a crawler got the rules while these versions of
// each of the origins were in force.
type told struct {
	versions []versionRange
	moment   int64
}

// versionRange is Versions[first:last].
type versionRange struct{ first, last int }

func newFacts(all *answersToAll) *facts {
	return &facts{answersToAll: all, origins: map[int32]*originFacts{}, rules: map[sender][]told{}}
}

// add adds a fetch. Fetches come in the order of time.
func (f *facts) add(x *fetch) {
	f.settle(x.t - followed)
	switch x.kind {
	case toldNothing:
	case toldFile, toldSame:
		f.redirects = slices.DeleteFunc(f.redirects, func(r fetch) bool { return r.kind == toldMoved && r.crawlerAt == x.crawlerAt })
		f.addSize(x)
		f.tell(x)
	case toldRedirect, toldMoved:
		if n := len(f.redirects); n == 0 || f.redirects[n-1] != *x {
			f.redirects = append(f.redirects, *x)
		}
	default:
		f.note(x)
	}
}

// followed is how long after a redirect the file counts as what it led to.
const followed = minute

// settle notes the redirects before a moment: nothing behind it explains them.
func (f *facts) settle(before int64) {
	for len(f.redirects) > 0 && f.redirects[0].t < before {
		f.note(&f.redirects[0])
		f.redirects = f.redirects[1:]
	}
}

// note notes the moment of a fetch for each origin that it may have been from.
func (f *facts) note(x *fetch) {
	kind, gap := min(x.kind, toldRedirect), f.span
	if kind != toldNone && kind != toldRedirect {
		gap = 0 // it matters when the first of several failed
	}
	if x.at.N == 0 {
		f.anyOrigin.moments[kind].add(x.t, gap)
	}
	for i := range x.at.N {
		f.of(x.at.First + i).moments[kind].add(x.t, gap)
	}
}

func (f *facts) of(o int32) *originFacts {
	if f.origins[o] == nil {
		f.origins[o] = &originFacts{}
	}
	return f.origins[o]
}

// addSize notes the size of a file, for each origin that it may be from and that had a
// file of that size, but not when it was sent.
func (f *facts) addSize(x *fetch) {
	if x.size == 0 {
		return
	}
	for _, o := range f.originsOfSize(x.at, x.size) {
		first, last := f.policy.InForce(o, x.t)
		if slices.ContainsFunc(f.policy.Versions(o)[first:last], func(v policy.Version) bool {
			return v.Copy >= 0 && (v.Size == x.size || v.Size < 0)
		}) {
			continue
		}
		of := f.of(o)
		if of.sizes[x.size] == nil {
			if of.sizes == nil {
				of.sizes = map[int64]*moments{}
			}
			of.sizes[x.size] = &moments{}
		}
		of.sizes[x.size].add(x.t, f.span)
	}
}

func (f *facts) tell(x *fetch) {
	versions := make([]versionRange, x.at.N)
	for i := range versions {
		o, v := x.at.First+int32(i), &versions[i]
		if v.first, v.last = f.policy.InForce(o, x.t); x.kind == toldFile && !f.hasSize(o, v.first, v.last, x.size) {
			return
		}
	}
	// Versions come in the order of time, and so do fetches: if a fetch has told of
	// the versions in force now, the last one has.
	known := f.rules[x.sender]
	if n := len(known); n == 0 || !slices.Equal(known[n-1].versions, versions) {
		f.rules[x.sender] = append(known, told{versions, x.t})
	}
}

// lawful returns the copies of an origin that are lawful at a moment by the source and by
// what the log told crawlers of the facts' operator (audit-rules 2), both of them valid
// until the next call. The facts of others count too.
func (f *facts) lawful(o int32, t int64, google bool, others ...*facts) (*policy.Lawful, loggedAnswers) {
	from, to := f.policy.Span(t)
	var list [4]*originFacts
	all := f.about(o, list[:0])
	for _, g := range others {
		all = g.about(o, all)
	}
	l := f.policy.Lawful(o, t, google)
	if failed := failedFirst(all, from, to, google); failed < math.MaxInt64 {
		l = f.policy.LawfulFailed(o, t, google, failed, &f.failed)
	}
	logged := loggedAnswers{
		unreachable: google && meet(all, toldError, from, to),
		none:        f.noneToAll(o, from, to, google),
	}
	if l.Outage < math.MaxInt64 {
		from = min(from, max(l.Outage, earliest)-longOutage-int64(f.policy.Skew()))
		logged.none = logged.none || f.noneToAll(o, from, to, google)
	}
	logged.none = logged.none || meet(all, toldNone, from, to) || !google && meet(all, toldLimited, from, to)
	logged.redirect = meet(all, toldRedirect, from, to)
	f.bodies = f.bodies[:0]
	for _, of := range all {
		for size, m := range of.sizes {
			if m.meets(from, to) {
				f.bodies = f.policy.OfSize(o, size, f.bodies)
			}
		}
	}
	logged.bodies = f.bodies
	return l, logged
}

// about appends the facts that may be about an origin.
func (f *facts) about(o int32, list []*originFacts) []*originFacts {
	f.settle(math.MaxInt64)
	if list = append(list, &f.anyOrigin); f.origins[o] != nil {
		list = append(list, f.origins[o])
	}
	return list
}

// longOutage is how old a copy may be while robots.txt is unreachable (RFC 9309 2.3.1.4).
const longOutage = 30 * day * millisecond

// failedFirst returns the moment of the first fetch in [from, to] that failed,
// math.MaxInt64 if there is none.
func failedFirst(all []*originFacts, from, to int64, google bool) int64 {
	first := int64(math.MaxInt64)
	for _, of := range all {
		for _, kind := range [...]answerKind{toldFailed, toldError, toldLimited} {
			if kind != toldLimited || google {
				first = min(first, of.moments[kind].first(from, to))
			}
		}
	}
	return first
}

func meet(all []*originFacts, kind answerKind, from, to int64) bool {
	return slices.ContainsFunc(all, func(of *originFacts) bool { return of.moments[kind].meets(from, to) })
}

// informedSince returns the first moment at which a crawler got rules that forbid a
// request. answers are those of the copies of each origin that the request may have
// gone to. A fetch that may have been from several origins counts only if the rules of
// all of them forbid the request, and only for a request that may have gone to the same
// ones.
func (f *facts) informedSince(from sender, answers [][]policy.Answer) (since int64, ok bool) {
	if since, ok = f.toldSince(from, answers); from.at.N == 1 {
		return since, ok
	}
	// Or it fetched from each of them.
	each := int64(math.MinInt64)
	for i := range from.at.N {
		one := sender{crawlerAt{from.crawler, policy.Site{First: from.at.First + i, N: 1}}, from.identity}
		t, told := f.toldSince(one, answers[i:])
		if !told {
			return since, ok
		}
		each = max(each, t)
	}
	if !ok || each < since {
		return each, from.at.N > 0
	}
	return since, ok
}

// toldSince is informedSince with the fetches from the same site only.
func (f *facts) toldSince(from sender, answers [][]policy.Answer) (since int64, ok bool) {
	for _, t := range f.rules[from] {
		forbidden := len(t.versions) > 0
		for i, v := range t.versions {
			versions := f.policy.Versions(from.at.First + int32(i))[v.first:v.last]
			forbidden = forbidden && forbidThroughout(versions, answers[i])
		}
		if forbidden {
			return t.moment, true // they are in the order of time
		}
	}
	return 0, false
}

// tellsOf tells whether a fetch told its crawler of rules that forbid a request with these
// answers.
func (f *facts) tellsOf(x *fetch, answers [][]policy.Answer) bool {
	if x.kind != toldFile && x.kind != toldSame {
		return false
	}
	for i := range x.at.N {
		o := x.at.First + i
		first, last := f.policy.InForce(o, x.t)
		if x.kind == toldFile && !f.hasSize(o, first, last, x.size) || !forbidThroughout(f.policy.Versions(o)[first:last], answers[i]) {
			return false
		}
	}
	return x.at.N > 0
}

func forbidThroughout(versions []policy.Version, answers []policy.Answer) bool {
	for _, v := range versions {
		if v.Status/100 != 2 || v.Copy < 0 || answers[v.Copy] != policy.Forbids {
			return false
		}
	}
	return len(versions) > 0
}

// moments are points in time, kept as intervals from one of them to another: between two
// moments of an interval no gap is longer than one that is given.
type moments struct {
	intervals []interval // in order
	gap       int64      // at least; 0 while there are few intervals
}

// interval has both its ends.
type interval struct{ first, last int64 }

// maxIntervals bounds the intervals of one list: of a span of 24 hours it has room for all
// years that a log can name. Other lists become coarser, which lets more copies be lawful.
const maxIntervals = 1 << 18

// add adds a moment, none before those added. It joins those that are no farther apart
// than gap: an interval at least as long as that meets the same moments.
func (m *moments) add(t, gap int64) {
	if n := len(m.intervals); n > 0 && t-m.intervals[n-1].last <= max(gap, m.gap) {
		m.intervals[n-1].last = t
		return
	}
	m.intervals = append(m.intervals, interval{t, t})
	for len(m.intervals) > maxIntervals {
		coarser := moments{gap: max(2*m.gap, minute)}
		for _, i := range m.intervals {
			coarser.add(i.first, 0)
			coarser.add(i.last, 0)
		}
		*m = coarser
	}
}

// first returns the first moment in [from, to], math.MaxInt64 if there is none. Of an
// interval it takes each moment as one of them.
func (m *moments) first(from, to int64) int64 {
	i, _ := slices.BinarySearchFunc(m.intervals, from, func(p interval, t int64) int { return cmp.Compare(p.last, t) })
	if i < len(m.intervals) && m.intervals[i].first <= to {
		return max(m.intervals[i].first, from)
	}
	return math.MaxInt64
}

// meets tells whether one of the moments is in [from, to].
func (m *moments) meets(from, to int64) bool { return m.first(from, to) < math.MaxInt64 }
