package audit

import (
	"github.com/robotsieve/robotsieve/scan/policy"
)

// facts are what an operator's crawlers were told by the log's own answers to
// GETs of /robots.txt. They take room in proportion to the days of the log, not
// to its fetches: what counts of these is whether there is one within the window
// of a request, and the first one under each version.
type facts struct {
	policy  *policy.Policy
	origins map[int32]*originFacts
	rules   map[toldKey][]told
}

type originFacts struct{ none, limited, redirect moments }

// toldKey names a crawler on an origin.
type toldKey struct {
	crawler uint16
	origin  int32
}

// told says that a crawler was given the rules when some of the versions
// Versions[first:last] were in force, the first time at moment. unsure: it may
// have been another origin's.
type told struct {
	first, last int
	moment      int64
	unsure      bool
}

func newFacts(p *policy.Policy) *facts {
	return &facts{p, map[int32]*originFacts{}, map[toldKey][]told{}}
}

// add adds a fetch. Fetches come in the order of time.
func (f *facts) add(who who, t int64, kind answerKind) {
	for i := range who.at.N {
		o := who.at.First + i
		switch kind {
		case toldNothing:
		case toldRules:
			f.tell(toldKey{who.crawler, o}, t, who.at.N > 1)
		default:
			of := f.origins[o]
			if of == nil {
				of = &originFacts{}
				f.origins[o] = of
			}
			w := int64(f.policy.Window())
			switch kind {
			case toldNone:
				of.none.add(t, w)
			case toldLimited:
				of.limited.add(t, w)
			case toldRedirect:
				of.redirect.add(t, w)
			}
		}
	}
}

func (f *facts) tell(k toldKey, t int64, unsure bool) {
	s := int64(policy.Skew)
	first, last := f.policy.InForce(k.origin, t-s, t+s)
	// Versions come in the order of time, and so do fetches: if those in force now
	// have been told before, then by one of the last two.
	known := f.rules[k]
	for _, of := range known[max(0, len(known)-2):] {
		if of.first == first && of.last == last && of.unsure == unsure {
			return
		}
	}
	f.rules[k] = append(known, told{first, last, t, unsure})
}

// at returns what an operator's crawler had heard of an origin when its copies
// were these.
func (f *facts) at(o int32, t int64, l *policy.Lawful, google bool) heard {
	of := f.origins[o]
	if of == nil {
		return heard{}
	}
	none := func(from, to int64) bool {
		return of.none.meets(from, to) || !google && of.limited.meets(from, to)
	}
	h := heard{none: none(t, t), redirect: of.redirect.meets(t, t)}
	for _, m := range l.Spells {
		h.none = h.none || none(m.From, m.To)
		h.redirect = h.redirect || of.redirect.meets(m.From, m.To)
	}
	return h
}

// informedSince returns the first moment at which a crawler was given rules that
// forbid a request, by what the origin's copies say of it.
func (f *facts) informedSince(k toldKey, answers []policy.Answer, unsure bool) (since int64, ok bool) {
	versions := f.policy.Versions(k.origin)
	for _, t := range f.rules[k] {
		if t.unsure && !unsure || ok && t.moment >= since {
			continue
		}
		if forbidThroughout(versions[t.first:t.last], answers) {
			since, ok = t.moment, true
		}
	}
	return since, ok
}

func forbidThroughout(versions []policy.Version, answers []policy.Answer) bool {
	for _, v := range versions {
		if v.Status/100 != 2 || v.Copy < 0 || answers[v.Copy] != policy.Forbids {
			return false
		}
	}
	return len(versions) > 0
}

// moments are points in time, as the union of what lies within a window of one of
// them: from the skew before it to the window and the skew after it.
type moments struct {
	spans []span // in order, not touching
}

// add adds a moment, none before those added.
func (m *moments) add(t, window int64) {
	s := int64(policy.Skew)
	from, to := t-s, t+window+s
	if n := len(m.spans); n > 0 && from <= m.spans[n-1].last {
		m.spans[n-1].last = to
		return
	}
	m.spans = append(m.spans, span{from, to, true})
}

// meets tells whether one of the moments is in the window of some moment of
// [from, to].
func (m *moments) meets(from, to int64) bool {
	lo, hi := 0, len(m.spans) // the first span that ends at from or later
	for lo < hi {
		if mid := (lo + hi) / 2; m.spans[mid].last < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(m.spans) && m.spans[lo].first <= to
}
