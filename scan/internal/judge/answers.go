package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Kind is the meaning of an answer to a GET of /robots.txt. Of two answers at one
// moment, a redirect comes before the file that it led to.
type Kind uint8

const (
	ToldNothing  Kind = iota // to an agent that is not bound
	ToldFollowed             // a redirect that the source has itself: it has been followed already
	ToldNone                 // there is none: everything is allowed
	ToldGone                 // so too, by 404 or 410
	ToldLimited              // 429: it failed for Google's crawlers, there is none for all others
	ToldFailed               // it failed, without a status of 5xx
	ToldBusy                 // 503
	ToldError                // another 5xx: see answer.MayBeGone
	ToldRedirect             // it is elsewhere
	ToldMoved                // so too, but the log does not show the scheme: perhaps from http to https
	ToldFile                 // a body
	ToldSame                 // not modified
	Kinds                    // their number
)

// failed reports whether a GET that was answered so has failed.
func (k Kind) failed(by answer.Class) bool {
	return k == ToldFailed || k.Is5xx() || by == answer.Google && k == ToldLimited
}

// mayBeGone is answer.MayBeGone.
func (k Kind) mayBeGone(by answer.Class) bool { return by == answer.Google && k == ToldError }

// Is5xx reports whether the status is 5xx.
func (k Kind) Is5xx() bool { return k == ToldBusy || k == ToldError }

// None reports whether such an answer to a GET means that there is no robots.txt.
func (k Kind) None(by answer.Class) bool {
	return k == ToldNone || k == ToldGone || by != answer.Google && k == ToldLimited
}

// KindOf returns the meaning of an answer in the log (audit-rules 2). Package answer
// knows that of the status; a log also has answers with 304, and may tell whether there was a body.
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

// Reply is an answer to a GET of /robots.txt, as the log has it. Schemeless: the log does not tell the
// scheme of the URL.
type Reply struct {
	Status              int
	HasBody, Schemeless bool
}

// KindAt is KindOf for a GET of a crawler at a moment.
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

// sourceRedirects reports whether the source itself has a redirect at a moment: for
// an origin of the host or, if there are several, for all of them.
func sourceRedirects(p *policy.Policy, at policy.Site, t int64) bool {
	n := int32(0)
	for o := at.First; o < at.First+at.N; o++ {
		if slices.ContainsFunc(p.VersionsAt(o, t), func(v policy.Version) bool { return v.Status/100 == 3 }) {
			n++
		}
	}
	return n > 0 && (n == at.N || p.OneHost(at))
}

// SizeOf returns the size of an answer if it shows which file was sent, otherwise 0. Any 2xx other than
// 204 may be a file: challenge pages are sent with 202.
func SizeOf(status int, size int64) int64 {
	if status/100 != 2 || status == 204 {
		return 0
	}
	return max(size, 0)
}

// Answers are what the log's answers to GETs of /robots.txt show, whoever the clients
// were.
type Answers struct {
	policy  *policy.Policy
	span    int64 // how long the span of a request is at least
	origins map[int32]*originAnswers
	any     originAnswers     // where the origin is not known
	ofSize  map[int64][]int32 // the origins that ever had a file of a size
	// MostOdd: a file that no version is did not count, because most clients were sent such files.
	MostOdd bool
	// Unsure is set if the addresses of clients are unknown, as in a log with a proxy's addresses.
	Unsure bool
	// GoneToStrangers counts the answers 404 and 410 to clients that name no crawler that clear crawlers.
	GoneToStrangers [2]int64
	complete        bool
	disregard       bool // these answers: see Told.ClearedByStrangers
	// mostTold bounds Told.held, in bytes, by the size of the policy: clients may invent
	// any number of names. If there is no memory left for what a crawler was told, the crawler
	// does not count as informed.
	mostTold int
}

const (
	minTold      = 4 << 20
	versionBytes = 1 << 10
	toldBytes    = 256 // besides the versions and the word
)

// originAnswers are the answers of one origin to all clients. Minutes are noted by their
// beginnings.
type originAnswers struct {
	runs   runs
	gone   [2]moments  // the minutes with a 404 or 410 that clears, to clients that name a crawler and to strangers
	errors moments     // the minutes with a 5xx
	told   [Kinds]bool // the kinds of answers in the whole log; ToldFile also stands for ToldSame and ToldRedirect
	sizes  sizeCount
}

var noAnswers originAnswers

// sizeCount counts answers 2xx with a size.
type sizeCount struct {
	all int64
	odd int64 // those with the size of no version of the origin
}

func (c *sizeCount) add(odd bool, n int64) {
	c.all += n
	if odd {
		c.odd += n
	}
}

// NewAnswers returns answers to which AddSent and Add add the answers of the log.
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

// AddSent adds n answers 2xx of an origin with a size: those with the size of no version, which are
// odd, or others.
func (a *Answers) AddSent(o int32, odd bool, n int64) {
	a.at(policy.Site{First: o, N: 1})[0].sizes.add(odd, n)
}

// originsOfSize returns the origins that ever had a file of a size, among those of a site,
// or among all if the site is not known.
func (a *Answers) originsOfSize(at policy.Site, size int64) []int32 {
	list := a.ofSize[size]
	if at.N == 0 {
		return list
	}
	first, _ := slices.BinarySearch(list, at.First)
	last, _ := slices.BinarySearch(list, at.First+at.N)
	return list[first:last]
}

// at returns the answers of the origins of a site, or of no origin that is known.
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

// Add adds n equal answers. They come in the order of time. Answers of several hosts are not those of
// each: only those count that are in favour of crawlers.
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
			n = 0 // it is one answer
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

// clear returns a function that notes answers 404 and 410 of an origin, which do not stand alone.
func (a *Answers) clear(of *originAnswers) func(stranger int, g goneAnswers) {
	return func(stranger int, g goneAnswers) {
		for _, t := range [...]int64{g.first, g.last} {
			of.gone[stranger].add(beginning(t, minute), a.span-minute) // a minute that is partly in a span counts
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

// beginning returns the beginning of the second or minute, by its length, of a time.
func beginning(t, length int64) int64 {
	n := t % length
	if n < 0 {
		n += length
	}
	return t - n
}

// AnswerOf returns an answer of a kind, with as much of its time as matters.
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

// gone reports whether a GET of the robots.txt of an origin, by anybody, was answered 404 or
// 410 in [from, to], and that answer clears.
func (a *Answers) gone(o int32, from, to int64) bool {
	for _, of := range [...]*originAnswers{cmp.Or(a.origins[o], &noAnswers), &a.any} {
		if of.gone[0].meets(from-minute+1, to) || !a.disregard && of.gone[1].meets(from-minute+1, to) {
			return true
		}
	}
	return false
}

// nobodyGot reports whether, in the whole log, clients asked for the robots.txt of an origin,
// were told that there is none, and nobody got one.
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

// lastError returns the last minute in [from, to] in which a GET of the robots.txt of an origin,
// by anybody, was answered 5xx, by its end; math.MinInt64 if there is none.
func (a *Answers) lastError(o int32, from, to int64) int64 {
	of := cmp.Or(a.origins[o], &noAnswers)
	last := max(of.errors.last(from-minute+1, to), a.any.errors.last(from-minute+1, to))
	if last > math.MinInt64 {
		last += minute - 1
	}
	return last
}

// hasErrors reports whether a GET of the robots.txt of an origin was ever answered 5xx.
func (a *Answers) hasErrors(o int32) bool {
	of := a.origins[o]
	return of != nil && len(of.errors.kept) > 0 || len(a.any.errors.kept) > 0
}
