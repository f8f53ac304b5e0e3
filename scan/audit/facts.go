package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// facts are what the log's own answers to GETs of /robots.txt told the crawlers of an
// operator. They take room in proportion to the days of the log, not to its fetches:
// a verdict depends on whether there is a fetch within the window of the request, and
// on the first one under each version.
type facts struct {
	policy    *policy.Policy
	origins   map[int32]*originFacts
	anyOrigin originFacts // where the origin is not known
	rules     map[crawlerAt][]told
}

// originFacts has the moments of each kind of answer.
type originFacts [toldRedirect + 1]moments

// told is the first moment at which a crawler got the rules while these versions of
// each of the origins were in force.
type told struct {
	versions []versionRange
	moment   int64
}

// versionRange is Versions[first:last].
type versionRange struct{ first, last int }

func newFacts(p *policy.Policy) *facts {
	return &facts{policy: p, origins: map[int32]*originFacts{}, rules: map[crawlerAt][]told{}}
}

// add adds a fetch. Fetches come in the order of time.
func (f *facts) add(from crawlerAt, t int64, kind answerKind) {
	switch {
	case kind == toldNothing:
	case kind == toldRules:
		f.tell(from, t)
	case from.at.N == 0: // it may have been any of them
		f.anyOrigin[kind].add(t, int64(f.policy.Window()))
	default:
		for i := range from.at.N {
			of := f.origins[from.at.First+i]
			if of == nil {
				of = &originFacts{}
				f.origins[from.at.First+i] = of
			}
			of[kind].add(t, int64(f.policy.Window()))
		}
	}
}

func (f *facts) tell(from crawlerAt, t int64) {
	versions := make([]versionRange, from.at.N)
	for i := range versions {
		versions[i].first, versions[i].last = f.policy.InForce(from.at.First+int32(i), t)
	}
	// Versions come in the order of time, and so do fetches: if a fetch has told of
	// the versions in force now, the last one has.
	known := f.rules[from]
	if n := len(known); n == 0 || !slices.Equal(known[n-1].versions, versions) {
		f.rules[from] = append(known, told{versions, t})
	}
}

// at returns what the operator's crawlers were told of an origin at the times that
// count for its lawful copies l.
func (f *facts) at(o int32, t int64, l *policy.Lawful, google bool) loggedAnswers {
	logged := f.anyOrigin.at(t, l, google)
	if of := f.origins[o]; of != nil {
		more := of.at(t, l, google)
		logged.none, logged.redirect = logged.none || more.none, logged.redirect || more.redirect
	}
	return logged
}

func (o *originFacts) at(t int64, l *policy.Lawful, google bool) loggedAnswers {
	none := func(from, to int64) bool {
		return o[toldNone].meets(from, to) || !google && o[toldLimited].meets(from, to)
	}
	logged := loggedAnswers{none: none(t, t), redirect: o[toldRedirect].meets(t, t)}
	if l.Outage <= t {
		logged.none = logged.none || none(l.Outage, t)
		logged.redirect = logged.redirect || o[toldRedirect].meets(l.Outage, t)
	}
	return logged
}

// informedSince returns the first moment at which a crawler got rules that forbid a
// request. answers are those of the copies of each origin that the request may have
// gone to. A fetch that may have been from several origins counts only if the rules of
// all of them forbid the request, and only for a request that may have gone to the same
// ones.
func (f *facts) informedSince(from crawlerAt, answers [][]policy.Answer) (since int64, ok bool) {
	if since, ok = f.toldSince(from, answers); from.at.N == 1 {
		return since, ok
	}
	// Or it fetched from each of them.
	each := int64(math.MinInt64)
	for i := range from.at.N {
		one := crawlerAt{from.crawler, policy.Site{First: from.at.First + i, N: 1}}
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
func (f *facts) toldSince(from crawlerAt, answers [][]policy.Answer) (since int64, ok bool) {
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

func forbidThroughout(versions []policy.Version, answers []policy.Answer) bool {
	for _, v := range versions {
		if v.Status/100 != 2 || v.Copy < 0 || answers[v.Copy] != policy.Forbids {
			return false
		}
	}
	return len(versions) > 0
}

// moments are points in time, kept as the union of the intervals from the skew before
// each to the window and the skew after it.
type moments struct {
	intervals []period // in order, not touching
}

// add adds a moment, none before those added.
func (m *moments) add(t, window int64) {
	s := int64(policy.MinSkew)
	from, to := t-s, t+window+s
	if n := len(m.intervals); n > 0 && from <= m.intervals[n-1].last {
		m.intervals[n-1].last = to
		return
	}
	m.intervals = append(m.intervals, period{from, to, true})
}

// meets tells whether one of the moments is in the window of some moment of
// [from, to].
func (m *moments) meets(from, to int64) bool {
	i, _ := slices.BinarySearchFunc(m.intervals, from, func(p period, t int64) int { return cmp.Compare(p.last, t) })
	return i < len(m.intervals) && m.intervals[i].first <= to
}
