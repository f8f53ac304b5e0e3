package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Sender is a crawler, the requested site, and how well the crawler's identity is proven.
type Sender struct {
	Crawler  uint32 // the crawler's number; its word, if several share the number
	Word     string
	Site     policy.Site
	Identity uint8
}

// Fetch is a GET of /robots.txt by a crawler.
type Fetch struct {
	Sender
	Time    int64 // in nanoseconds since 1970, if HasTime
	HasTime bool
	Kind    Kind
	Size    int64 // if it shows which file was sent, otherwise 0
}

// Told summarizes the logged answers to an operator's crawlers for GETs of /robots.txt. Its memory
// is proportional to the days of the log, not to the number of fetches.
type Told struct {
	*Answers
	origins   map[int32]*originTold
	anyOrigin originTold // where the origin is unknown
	rules     map[Sender][]rulesTold
	held      int     // bytes of rules
	redirects []Fetch // not yet in originTold, in order of time
	bodies    []int32
}

// originTold has the moments of each kind of answer, and of each size that showed a file other than
// those in force.
type originTold struct {
	byKind
	sizes   map[int64]*moments
	fetches moments   // all fetches, if anybody ever got a 5xx
	sent    sizeCount // to all agents of the operator
	odd     bool      // some fetch got a file that matches no version
}

var nothingTold originTold

// rulesTold is the first moment at which a crawler got the rules while these versions of the
// origins were in force.
type rulesTold struct {
	versions []versionRange
	moment   int64
}

// versionRange is Versions[first:last].
type versionRange struct{ first, last int }

// NewTold returns the state before the first fetch of an operator's crawlers. all must be complete.
func NewTold(all *Answers) *Told {
	return &Told{Answers: all, origins: map[int32]*originTold{}, rules: map[Sender][]rulesTold{}}
}

// Add adds n equal fetches. It reports whether their size shows what the crawler was sent, which
// means that a version of any time has this size, at an origin that the crawler may have asked.
// Fetches with a time must come in order of time.
func (f *Told) Add(x *Fetch, n int64) (shown bool) {
	f.addSent(x, n)
	if x.HasTime {
		f.answered(x)
		f.tell(x)
	}
	return x.Size > 0 && len(f.originsOfSize(x.Site, x.Size)) > 0
}

// addSent counts n equal answers by whether some version has the size of the sent file.
func (f *Told) addSent(x *Fetch, n int64) {
	if x.Size == 0 {
		return
	}
	if x.Site.N == 0 {
		f.anyOrigin.odd = f.anyOrigin.odd || x.Kind == ToldFile && len(f.ofSize[x.Size]) == 0
	}
	for o := x.Site.First; o < x.Site.First+x.Site.N; o++ {
		of, odd := f.of(o), !f.policy.HasSize(o, x.Size)
		of.sent.add(odd, n)
		of.odd = of.odd || odd && x.Kind == ToldFile // otherwise to an agent that isn't bound
	}
}

// answered records the answer of a fetch.
func (f *Told) answered(x *Fetch) {
	f.noteRedirects(x.Time - followed)
	if x.Kind == ToldNothing {
		return
	}
	f.addSize(x)
	for i := range x.Site.N {
		if o := x.Site.First + i; f.policy.OneHost(x.Site) && f.hasErrors(o) {
			f.of(o).fetches.add(x.Time, 0)
		}
	}
	switch x.Kind {
	case ToldFollowed:
	case ToldFile, ToldSame:
		explained := func(r Fetch) bool {
			r.Identity = x.Identity
			return r.Kind == ToldMoved && r.Sender == x.Sender
		}
		f.redirects = slices.DeleteFunc(f.redirects, explained)
	case ToldRedirect, ToldMoved:
		if n := len(f.redirects); n == 0 || f.redirects[n-1] != *x {
			f.redirects = append(f.redirects, *x)
		}
		if len(f.redirects) > maxRedirects {
			f.noteRedirects(f.redirects[0].Time + 1)
		}
	default:
		f.note(x)
	}
}

// maxRedirects limits the redirects that may still be followed. If there are more within a minute,
// the first count as not followed, which leaves more requests undecided.
const maxRedirects = 1 << 12

// followed is how long after a redirect a file counts as its result.
const followed = minute

// noteRedirects records the redirects before a moment that no later answer can explain.
func (f *Told) noteRedirects(before int64) {
	for len(f.redirects) > 0 && f.redirects[0].Time < before {
		f.note(&f.redirects[0])
		f.redirects = f.redirects[1:]
	}
}

// note records the moment of a fetch for each possible origin.
func (f *Told) note(x *Fetch) {
	kind := x.Kind
	if kind == ToldMoved {
		kind = ToldRedirect
	}
	if x.Site.N == 0 {
		f.anyOrigin.byKind[kind].add(x.Time, f.span)
	}
	for o := x.Site.First; o < x.Site.First+x.Site.N; o++ {
		f.of(o).byKind[kind].add(x.Time, f.span)
	}
}

func (f *Told) of(o int32) *originTold {
	if f.origins[o] == nil {
		f.origins[o] = &originTold{}
	}
	return f.origins[o]
}

// addSize records when a file was sent, for each possible origin that had a file of its size, but
// not then.
func (f *Told) addSize(x *Fetch) {
	if x.Size == 0 {
		return
	}
	for _, o := range f.originsOfSize(x.Site, x.Size) {
		if policy.HaveSize(f.policy.VersionsAt(o, x.Time), x.Size) {
			continue
		}
		of := f.of(o)
		if of.sizes == nil {
			of.sizes = map[int64]*moments{}
		}
		if of.sizes[x.Size] == nil {
			of.sizes[x.Size] = &moments{}
		}
		of.sizes[x.Size].add(x.Time, f.span)
	}
}

// tell records which rules a fetch was sent.
func (f *Told) tell(x *Fetch) {
	versions := f.sent(nil, x)
	// Versions are also in order of time. If a fetch has told of those in force now, it is the last
	// one.
	known := f.rules[x.Sender]
	n := len(known)
	if len(versions) == 0 || n > 0 && slices.Equal(known[n-1].versions, versions) || f.held > f.mostTold {
		return
	}
	f.held += len(x.Word) + toldBytes + len(versions)*16
	f.rules[x.Sender] = append(known, rulesTold{versions, x.Time})
}

// sent appends the versions of each origin that a fetch may have been sent. It returns none if the
// log doesn't show that for each origin.
func (f *Told) sent(dst []versionRange, x *Fetch) []versionRange {
	if x.Kind != ToldFile && x.Kind != ToldSame {
		return dst
	}
	for o := x.Site.First; o < x.Site.First+x.Site.N; o++ {
		first, last := f.policy.InForce(o, x.Time)
		if x.Kind == ToldFile && !policy.HaveSize(f.policy.Versions(o)[first:last], x.Size) {
			return dst[:0]
		}
		dst = append(dst, versionRange{first, last})
	}
	return dst
}

// lawful returns the copies of an origin that are lawful at a moment, by the source and by what the
// log told crawlers of the operator (audit-rules 2). Both are valid until the next call.
func (f *Told) lawful(o int32, t int64, by answer.Class) (*policy.Lawful, loggedAnswers) {
	f.noteRedirects(math.MaxInt64)
	of := cmp.Or(f.origins[o], &nothingTold)
	own := [...]*originTold{&f.anyOrigin, of}
	meets := func(from, to int64, is func(Kind, answer.Class) bool) bool {
		return own[0].meets(from, to, by, is) || own[1].meets(from, to, by, is)
	}
	l := f.policy.Lawful(o, t, by)
	from, to := f.policy.Span(t, false)
	if !l.Long && (meets(from, to, Kind.failed) || f.lastError(o, from, to) > of.fetches.lastBefore(t)) {
		l = f.policy.LawfulLong(o, t, by)
	}
	logged := loggedAnswers{unknown: f.sentUnknown(o)}
	if l.Long {
		from, to = f.policy.Span(t, true)
		logged.unreachable = meets(from, t-int64(policy.LongOutage), Kind.failed) || meets(from, to, Kind.mayBeGone)
	}
	logged.none = f.gone(o, from, to) || f.nobodyGot(o, by) || meets(from, to, Kind.None)
	logged.redirect = meets(from, to, func(k Kind, _ answer.Class) bool { return k == ToldRedirect })
	f.bodies = f.bodies[:0]
	for size, m := range of.sizes {
		if m.meets(from, to) {
			f.bodies = f.policy.OfSize(o, size, f.bodies)
		}
	}
	logged.bodies = f.bodies
	return l, logged
}

// sentUnknown reports whether crawlers of the operator were sent an origin's file that matches no
// version. It returns false if most of the files sent to other clients match none either, provided
// the bodies of all versions are known.
func (f *Told) sentUnknown(o int32) bool {
	of, toAll := cmp.Or(f.origins[o], &nothingTold), cmp.Or(f.Answers.origins[o], &noAnswers)
	if !of.odd && !f.anyOrigin.odd {
		return false
	}
	others := sizeCount{toAll.sizes.all - of.sent.all, toAll.sizes.odd - of.sent.odd}
	most := others.odd > others.all-others.odd && !f.policy.Unseen(o)
	f.MostOdd = f.MostOdd || most
	return !most
}

// ClearedByStrangers reports whether a request is not a violation only because clients that name no
// crawler got a 404 or 410.
func (f *Told) ClearedByStrangers(c *Case, d Decision) bool {
	if d.Verdict != report.NoPolicy || f.GoneToStrangers == [2]int64{} {
		return false
	}
	f.disregard = true
	without, _ := Decide(f.policy, c, f)
	f.disregard = false
	return without.Verdict == report.Violation
}

// Informed reports whether a crawler had got rules that forbid a request before a moment. stances
// are the stances of the copies of each possible origin. A fetch that may have been from several
// origins counts only if the rules of all of them forbid the request, and only for a request with
// the same possible origins. Otherwise the crawler must have fetched from each of them.
func (f *Told) Informed(from Sender, t int64, stances [][]policy.Stance) bool {
	if f.toldBefore(from, t, stances) {
		return true
	}
	for i := range from.Site.N {
		one := from
		one.Site = policy.Site{First: from.Site.First + i, N: 1}
		if !f.toldBefore(one, t, stances[i:]) {
			return false
		}
	}
	return true
}

// toldBefore is Informed, restricted to fetches from the same site. Nearly always the last fetch
// decides.
func (f *Told) toldBefore(from Sender, t int64, stances [][]policy.Stance) bool {
	for _, told := range slices.Backward(f.rules[from]) {
		if told.moment < t && f.forbid(from.Site, told.versions, stances) {
			return true
		}
	}
	return false
}

// forbid reports whether all these versions of each origin of a site have bodies that forbid a
// request with these stances.
func (f *Told) forbid(at policy.Site, versions []versionRange, stances [][]policy.Stance) bool {
	for i, r := range versions {
		list := f.policy.Versions(at.First + int32(i))[r.first:r.last]
		if len(list) == 0 || slices.ContainsFunc(list, func(v policy.Version) bool {
			return v.Status/100 != 2 || v.Copy < 0 || stances[i][v.Copy] != policy.Forbids
		}) {
			return false
		}
	}
	return len(versions) > 0
}
