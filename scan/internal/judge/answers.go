package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Kind is the meaning of an answer to a GET of /robots.txt. At the same moment, a redirect precedes
// the file that it led to.
type Kind uint8

const (
	ToldNothing  Kind = iota // to an agent that isn't bound
	ToldFollowed             // a redirect that the source has too, already followed
	ToldNone                 // no robots.txt: everything is allowed
	ToldGone                 // the same by 404 or 410
	ToldLimited              // 429: failed for Google's crawlers, no robots.txt for others
	ToldFailed               // failed, without a 5xx status
	ToldBusy                 // 503
	ToldError                // another 5xx: see answer.MayBeGone
	ToldRedirect             // a redirect
	ToldMoved                // a redirect in a log without schemes, perhaps from http to https
	ToldFile                 // a body
	ToldSame                 // not modified
	Kinds                    // their number
)

// failed reports whether a GET with this answer has failed.
func (k Kind) failed(by answer.Class) bool {
	return k == ToldFailed || k.Is5xx() || by == answer.Google && k == ToldLimited
}

// mayBeGone is answer.MayBeGone.
func (k Kind) mayBeGone(by answer.Class) bool { return by == answer.Google && k == ToldError }

// Is5xx reports whether the status is 5xx.
func (k Kind) Is5xx() bool { return k == ToldBusy || k == ToldError }

// None reports whether this answer to a GET means that there is no robots.txt.
func (k Kind) None(by answer.Class) bool {
	return k == ToldNone || k == ToldGone || by != answer.Google && k == ToldLimited
}

// KindOf returns the meaning of a logged answer (audit-rules 2). Package answer defines the
// meanings of statuses. A log also has answers with 304, and may show whether there was a body.
func KindOf(status int, hasBody bool) Kind {
	meaning := answer.Of(status, answer.Others)
	switch {
	case status == 304:
		return ToldSame
	case meaning == answer.File && hasBody:
		return ToldFile
	case meaning == answer.File:
		return ToldNone
	case meaning == answer.Redirect:
		return ToldRedirect
	case meaning != answer.Of(status, answer.Google):
		return ToldLimited
	case status == 404 || status == 410:
		return ToldGone
	case meaning == answer.None:
		return ToldNone
	case answer.MayBeGone(status, answer.Google):
		return ToldError
	case status/100 == 5:
		return ToldBusy
	}
	return ToldFailed
}

// Reply is a logged answer to a GET of /robots.txt. Schemeless means that the log doesn't show the
// scheme of the URL.
type Reply struct {
	Status              int
	HasBody, Schemeless bool
}

// KindAt is KindOf for a crawler's GET at a given time.
func KindAt(p *policy.Policy, at policy.Site, t int64, x Reply) Kind {
	kind := KindOf(x.Status, x.HasBody)
	switch {
	case kind != ToldRedirect:
		return kind
	case sourceRedirects(p, at, t):
		return ToldFollowed
	case x.Schemeless && p.OneHost(at):
		return ToldMoved
	}
	return kind
}

// sourceRedirects reports whether the source itself has a redirect at a given time: for an origin
// of the host or, if there are several, for all of them.
func sourceRedirects(p *policy.Policy, at policy.Site, t int64) bool {
	n := int32(0)
	for o := at.First; o < at.First+at.N; o++ {
		if slices.ContainsFunc(p.VersionsAt(o, t), func(v policy.Version) bool { return v.Status/100 == 3 }) {
			n++
		}
	}
	return n > 0 && (n == at.N || p.OneHost(at))
}

// SizeOf returns the size of an answer if it shows which file was sent, otherwise 0. Any 2xx other
// than 204 may be a file, because challenge pages are sent with 202.
func SizeOf(status int, size int64) int64 {
	if status/100 != 2 || status == 204 {
		return 0
	}
	return max(size, 0)
}

// Answers summarizes the logged answers to all clients' GETs of /robots.txt.
type Answers struct {
	policy  *policy.Policy
	span    int64 // minimum length of a request's span
	origins map[int32]*originAnswers
	any     originAnswers     // where the origin is unknown
	ofSize  map[int64][]int32 // origins that ever had a file of a size
	// MostOdd means that a file without a matching version was ignored, because most clients got such
	// files.
	MostOdd bool
	// Unsure is set if the addresses of clients are unknown, as in a log with a proxy's addresses.
	Unsure bool
	// GoneToStrangers counts the answers 404 and 410 to clients that name no crawler and that clear
	// crawlers.
	GoneToStrangers [2]int64
	complete        bool
	disregard       bool // these answers: see Told.ClearedByStrangers
	// mostTold limits Told.held, in bytes, in proportion to the policy, because clients can invent any
	// number of names. Without memory for what a crawler was told, the crawler doesn't count as
	// informed.
	mostTold int
}

const (
	minTold      = 4 << 20
	versionBytes = 1 << 10
	toldBytes    = 256 // without the versions and the word
)

// originAnswers are the answers of one origin to all clients. Minutes are represented by their
// beginnings.
type originAnswers struct {
	runs   runs
	gone   [2]moments  // minutes with a 404 or 410 that clears, for clients that name a crawler and for strangers
	errors moments     // minutes with a 5xx
	told   [Kinds]bool // kinds of answers in the whole log; ToldFile also covers ToldSame and ToldRedirect
	sizes  sizeCount
}

var noAnswers originAnswers

// sizeCount counts 2xx answers with a size.
type sizeCount struct {
	all int64
	odd int64 // with the size of no version of the origin
}

func (c *sizeCount) add(odd bool, n int64) {
	c.all += n
	if odd {
		c.odd += n
	}
}

// NewAnswers returns empty answers. Use AddSent and Add to add the log's answers.
func NewAnswers(p *policy.Policy) *Answers {
	from, to := p.Span(0, false)
	a := &Answers{policy: p, span: to - from, origins: map[int32]*originAnswers{}, ofSize: map[int64][]int32{},
		mostTold: minTold}
	for o := range int32(len(p.Origins())) {
		a.mostTold += versionBytes * len(p.Versions(o))
		for _, v := range p.Versions(o) {
			if list := a.ofSize[v.Size]; v.Copy >= 0 && !slices.Contains(list[max(0, len(list)-1):], o) {
				a.ofSize[v.Size] = append(list, o)
			}
		}
	}
	return a
}

// AddSent adds n 2xx answers of an origin with a size. Those with the size of no version are odd.
func (a *Answers) AddSent(o int32, odd bool, n int64) {
	a.at(policy.Site{First: o, N: 1})[0].sizes.add(odd, n)
}

// originsOfSize returns the origins of a site that ever had a file of a given size. It considers
// all origins if the site is unknown.
func (a *Answers) originsOfSize(at policy.Site, size int64) []int32 {
	list := a.ofSize[size]
	if at.N == 0 {
		return list
	}
	first, _ := slices.BinarySearch(list, at.First)
	last, _ := slices.BinarySearch(list, at.First+at.N)
	return list[first:last]
}

// at returns the answers of each origin of a site, or of the unknown origin.
func (a *Answers) at(site policy.Site) (list []*originAnswers) {
	if site.N == 0 {
		return []*originAnswers{&a.any}
	}
	for o := site.First; o < site.First+site.N; o++ {
		if a.origins[o] == nil {
			a.origins[o] = &originAnswers{}
		}
		list = append(list, a.origins[o])
	}
	return list
}

// Add adds n equal answers, in order of time. If several hosts are possible, an answer counts for
// each of them only if it favours crawlers.
func (a *Answers) Add(site policy.Site, x Answer, n int64) {
	if a.Unsure {
		x.Client = 0
	}
	isFile := x.Kind == ToldFile || x.Kind == ToldSame || x.Kind == ToldRedirect
	if isFile && !a.policy.OneHost(site) {
		return
	}
	for i, of := range a.at(site) {
		if i > 0 {
			n = 0 // count as one answer
		}
		if isFile {
			of.told[ToldFile] = true
		} else {
			of.told[x.Kind] = true
		}
		switch {
		case !x.HasTime:
		case x.Kind.Is5xx():
			of.errors.add(x.Time, 0)
		case site.N == 0:
			a.clear(of)(index(x.Stranger), x.gone(n))
		default:
			of.runs.add(&x, n, a.delay(), a.clear(of))
		}
	}
}

func (a *Answers) delay() int64 { return int64(a.policy.Delay()) }

// clear returns a function that records answers 404 and 410 of an origin that aren't isolated.
func (a *Answers) clear(of *originAnswers) func(stranger int, g goneAnswers) {
	return func(stranger int, g goneAnswers) {
		for _, t := range [...]int64{g.first, g.last} {
			of.gone[stranger].add(beginning(t, minute), a.span-minute) // a minute that overlaps a span counts
		}
		if stranger == 1 {
			a.GoneToStrangers[0] += g.n[0]
			a.GoneToStrangers[1] += g.n[1]
		}
	}
}

// Complete declares that all answers have been added.
func (a *Answers) Complete() {
	if a.complete {
		return
	}
	a.complete = true
	for _, of := range a.origins {
		of.runs.end(a.delay(), a.clear(of))
	}
}

// beginning returns the beginning of the second or minute that contains a time. length selects
// which.
func beginning(t, length int64) int64 {
	n := t % length
	if n < 0 {
		n += length
	}
	return t - n
}

// AnswerOf returns an answer of a kind, with its time reduced to the precision that matters.
func AnswerOf(kind Kind, t int64, hasTime bool) Answer {
	x := Answer{Kind: kind, HasTime: hasTime}
	switch {
	case kind.Is5xx():
		x.Time = beginning(t, minute)
	case kind == ToldFile || kind == ToldSame || kind == ToldGone:
		x.Time = beginning(t, second)
	default:
		x.HasTime = false
	}
	if !x.HasTime {
		x.Time = 0
	}
	return x
}

// gone reports whether any GET of an origin's robots.txt in [from, to] was answered with a 404 or
// 410 that clears.
func (a *Answers) gone(o int32, from, to int64) bool {
	for _, of := range [...]*originAnswers{cmp.Or(a.origins[o], &noAnswers), &a.any} {
		if of.gone[0].meets(from-minute+1, to) || !a.disregard && of.gone[1].meets(from-minute+1, to) {
			return true
		}
	}
	return false
}

// nobodyGot reports whether clients asked for an origin's robots.txt in the whole log, were told
// that there is none, and never got one.
func (a *Answers) nobodyGot(o int32, by answer.Class) bool {
	of := cmp.Or(a.origins[o], &noAnswers)
	if of.told[ToldFile] {
		return false
	}
	for kind := range Kinds {
		if kind.None(by) && (of.told[kind] || a.any.told[kind]) {
			return true
		}
	}
	return false
}

// lastError returns the end of the last minute in [from, to] in which any GET of an origin's
// robots.txt was answered 5xx, or math.MinInt64 if there is none.
func (a *Answers) lastError(o int32, from, to int64) int64 {
	of := cmp.Or(a.origins[o], &noAnswers)
	last := max(of.errors.last(from-minute+1, to), a.any.errors.last(from-minute+1, to))
	if last > math.MinInt64 {
		last += minute - 1
	}
	return last
}

// hasErrors reports whether any GET of an origin's robots.txt was ever answered 5xx.
func (a *Answers) hasErrors(o int32) bool {
	of := a.origins[o]
	return of != nil && len(of.errors.kept) > 0 || len(a.any.errors.kept) > 0
}
