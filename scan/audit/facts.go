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
	told      int     // bytes of rules
	redirects []fetch // those not yet in originFacts, in the order of time
	bodies    []int32
}

// originFacts has the moments of each kind of answer, and of each size that showed another
// file than those in force.
type originFacts struct {
	byKind
	sizes   map[int64]*moments
	fetches moments   // all of them, if anybody ever got a 5xx
	sent    sizeCount // to all agents of the operator
	odd     bool      // one of the fetches was sent a file that no version is
}

var noFacts originFacts

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

// addSent counts n equal answers by whether a version has the size of the file that was sent.
func (f *facts) addSent(x *fetch, n int64) {
	if x.size == 0 {
		return
	}
	if x.at.N == 0 {
		f.anyOrigin.odd = f.anyOrigin.odd || x.kind == toldFile && len(f.ofSize[x.size]) == 0
	}
	for o := x.at.First; o < x.at.First+x.at.N; o++ {
		of, odd := f.of(o), !f.policy.HasSize(o, x.size)
		of.sent.add(odd, n)
		of.odd = of.odd || odd && x.kind == toldFile // otherwise to an agent that is not bound
	}
}

// add adds what a fetch was answered. Fetches come in the order of time.
func (f *facts) add(x *fetch) {
	f.settle(x.t - followed)
	if x.kind == toldNothing {
		return
	}
	f.addSize(x)
	for i := range x.at.N {
		if o := x.at.First + i; oneHost(f.policy, x.at) && f.hasErrors(o) {
			f.of(o).fetches.add(x.t, 0)
		}
	}
	switch x.kind {
	case toldFollowed:
	case toldFile, toldSame:
		explained := func(r fetch) bool { return r.kind == toldMoved && r.crawlerAt == x.crawlerAt }
		f.redirects = slices.DeleteFunc(f.redirects, explained)
	case toldRedirect, toldMoved:
		if n := len(f.redirects); n == 0 || f.redirects[n-1] != *x {
			f.redirects = append(f.redirects, *x)
		}
		if len(f.redirects) > maxRedirects {
			f.settle(f.redirects[0].t + 1)
		}
	default:
		f.note(x)
	}
}

// maxRedirects bounds the redirects that may still be followed. Of more within a minute the
// first count as not followed, which lets more requests be undecided.
const maxRedirects = 1 << 12

// followed is how long after a redirect the file counts as what it led to.
const followed = minute

// settle notes the redirects before a moment: nothing after it explains them.
func (f *facts) settle(before int64) {
	for len(f.redirects) > 0 && f.redirects[0].t < before {
		f.note(&f.redirects[0])
		f.redirects = f.redirects[1:]
	}
}

// note notes the moment of a fetch for each origin that it may have been from.
func (f *facts) note(x *fetch) {
	kind := min(x.kind, toldRedirect)
	for _, of := range f.at(x.at) {
		of.byKind[kind].add(x.t, f.span)
	}
}

// at returns the facts of each origin of a site, or those of no origin that is known.
func (f *facts) at(site policy.Site) (list []*originFacts) {
	if site.N == 0 {
		return []*originFacts{&f.anyOrigin}
	}
	for o := site.First; o < site.First+site.N; o++ {
		list = append(list, f.of(o))
	}
	return list
}

func (f *facts) of(o int32) *originFacts {
	if f.origins[o] == nil {
		f.origins[o] = &originFacts{}
	}
	return f.origins[o]
}

// addSize notes when a file was sent, for each origin that it may be from and that had a file of
// its size, but not then.
func (f *facts) addSize(x *fetch) {
	if x.size == 0 {
		return
	}
	for _, o := range f.originsOfSize(x.at, x.size) {
		if hasSize(versionsAt(f.policy, o, x.t), x.size) {
			continue
		}
		of := f.of(o)
		if of.sizes == nil {
			of.sizes = map[int64]*moments{}
		}
		if of.sizes[x.size] == nil {
			of.sizes[x.size] = &moments{}
		}
		of.sizes[x.size].add(x.t, f.span)
	}
}

// tell notes which rules a fetch was sent. Fetches come in the order of time.
func (f *facts) tell(x *fetch) {
	versions := f.sent(nil, x)
	// Versions come in the order of time, too: if a fetch has told of those in force now,
	// the last one has.
	known := f.rules[x.sender]
	n := len(known)
	if len(versions) == 0 || n > 0 && slices.Equal(known[n-1].versions, versions) || f.told > f.mostTold {
		return
	}
	f.told += len(x.word) + memoBytes + len(versions)*16
	f.rules[x.sender] = append(known, told{versions, x.t})
}

// showsFile reports whether the size of an answer shows what a crawler was sent: a version, of
// whatever time, of an origin that it may have asked has it.
func (f *facts) showsFile(x *fetch) bool {
	return x.size > 0 && len(f.originsOfSize(x.at, x.size)) > 0
}

// sent appends the versions of each origin of which a fetch was sent one; none if the log
// does not show that for each.
func (f *facts) sent(dst []versionRange, x *fetch) []versionRange {
	if x.kind != toldFile && x.kind != toldSame {
		return dst
	}
	for o := x.at.First; o < x.at.First+x.at.N; o++ {
		first, last := f.policy.InForce(o, x.t)
		if x.kind == toldFile && !hasSize(f.policy.Versions(o)[first:last], x.size) {
			return dst[:0]
		}
		dst = append(dst, versionRange{first, last})
	}
	return dst
}

// lawful returns the copies of an origin that are lawful at a moment by the source and by
// what the log told crawlers of the facts' operator (audit-rules 2), both of them valid
// until the next call.
func (f *facts) lawful(o int32, t int64, google bool) (*policy.Lawful, loggedAnswers) {
	f.settle(math.MaxInt64)
	of := cmp.Or(f.origins[o], &noFacts)
	own := [...]*originFacts{&f.anyOrigin, of}
	meets := func(from, to int64, is func(answerKind, bool) bool) bool {
		return own[0].meets(from, to, google, is) || own[1].meets(from, to, google, is)
	}
	l := f.policy.Lawful(o, t, google)
	from, to := f.policy.Span(t, false)
	if !l.Long && (meets(from, to, answerKind.failed) || f.lastError(o, from, to) > of.fetches.lastBefore(t)) {
		l = f.policy.LawfulLong(o, t, google)
	}
	logged := loggedAnswers{unknown: f.sentUnknown(o)}
	if l.Long {
		from, to = f.policy.Span(t, true)
		asGone := func(k answerKind, google bool) bool { return google && k == toldError }
		logged.unreachable = meets(from, t-int64(policy.LongOutage), answerKind.failed) || meets(from, to, asGone)
	}
	logged.none = f.gone(o, from, to) || f.nobodyGot(o, google) || meets(from, to, answerKind.none)
	logged.redirect = meets(from, to, func(k answerKind, _ bool) bool { return k == toldRedirect })
	f.bodies = f.bodies[:0]
	for size, m := range of.sizes {
		if m.meets(from, to) {
			f.bodies = f.policy.OfSize(o, size, f.bodies)
		}
	}
	logged.bodies = f.bodies
	return l, logged
}

// sentUnknown reports whether crawlers of the operator were sent a file of an origin that is no
// version of it, unless most of the files that other clients were sent are none either.
func (f *facts) sentUnknown(o int32) bool {
	of, toAll := cmp.Or(f.origins[o], &noFacts), cmp.Or(f.answersToAll.origins[o], &noAnswers)
	if !of.odd && !f.anyOrigin.odd {
		return false
	}
	others := sizeCount{toAll.sizes.all - of.sent.all, toAll.sizes.odd - of.sent.odd}
	most := others.odd > others.all-others.odd
	f.mostOdd = f.mostOdd || most
	return !most
}

// decide is the verdict on a request at a moment by all origins of a site. answers are those
// of the copies of each.
func (f *facts) decide(at policy.Site, t int64, google bool, answers [][]policy.Answer) (d decision) {
	for i := range at.N {
		l, logged := f.lawful(at.First+i, t, google)
		e := decide(l, answers[i], logged)
		if i == 0 {
			d = e
		} else {
			d = together(d, e, sameHost(f.policy, at.First, at.First+i))
		}
	}
	return d
}

// informedSince returns the first moment at which a crawler got rules that forbid a
// request, math.MaxInt64 if there is none. answers are those of the copies of each origin
// that the request may have gone to. A fetch that may have been from several origins counts
// only if the rules of all of them forbid the request, and only for a request that may have
// gone to the same ones. Or it fetched from each of them.
func (f *facts) informedSince(from sender, answers [][]policy.Answer) int64 {
	since, each := f.toldSince(from, answers), int64(math.MinInt64)
	for i := range from.at.N {
		one := from
		one.at = policy.Site{First: from.at.First + i, N: 1}
		each = max(each, f.toldSince(one, answers[i:]))
	}
	return min(since, each)
}

// toldSince is informedSince with the fetches from the same site only.
func (f *facts) toldSince(from sender, answers [][]policy.Answer) int64 {
	for _, t := range f.rules[from] {
		if f.forbid(from.at, t.versions, answers) {
			return t.moment // they are in the order of time
		}
	}
	return math.MaxInt64
}

// forbid reports whether all these versions of each origin of a site have bodies that forbid
// a request with these answers.
func (f *facts) forbid(at policy.Site, versions []versionRange, answers [][]policy.Answer) bool {
	for i, r := range versions {
		list := f.policy.Versions(at.First + int32(i))[r.first:r.last]
		if len(list) == 0 || slices.ContainsFunc(list, func(v policy.Version) bool {
			return v.Status/100 != 2 || v.Copy < 0 || answers[i][v.Copy] != policy.Forbids
		}) {
			return false
		}
	}
	return len(versions) > 0
}

// hasSize reports whether one of some versions has a file of a size.
func hasSize(versions []policy.Version, size int64) bool {
	return slices.ContainsFunc(versions, func(v policy.Version) bool { return v.Copy >= 0 && v.Size == size })
}

// versionsAt returns the versions of an origin in force at a moment, within the skew.
func versionsAt(p *policy.Policy, o int32, t int64) []policy.Version {
	first, last := p.InForce(o, t)
	return p.Versions(o)[first:last]
}
