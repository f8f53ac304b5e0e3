package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// answerKind is the meaning of an answer to a GET of /robots.txt. Of two answers at one
// moment, a redirect comes before the file that it led to.
type answerKind uint8

const (
	toldNothing  answerKind = iota // to an agent that is not bound
	toldFollowed                   // a redirect that the source has itself: it has been followed already
	toldNone                       // there is none: everything is allowed
	toldGone                       // so too, by 404 or 410
	toldLimited                    // 429: it failed for Google's crawlers, there is none for all others
	toldFailed                     // it failed, without a status of 5xx
	toldBusy                       // 503
	toldError                      // another 5xx, which Google may take for a 404
	toldRedirect                   // it is elsewhere
	toldMoved                      // so too, but the log does not tell the scheme: perhaps from http to https
	toldFile                       // a body
	toldSame                       // not modified
	answerKinds
)

// failed reports whether a GET that was answered so has failed.
func (k answerKind) failed(google bool) bool {
	return k == toldFailed || k.is5xx() || google && k == toldLimited
}

// is5xx reports whether the status is 5xx.
func (k answerKind) is5xx() bool { return k == toldBusy || k == toldError }

// none reports whether a GET that was answered so says that there is no robots.txt.
func (k answerKind) none(google bool) bool {
	return k == toldNone || k == toldGone || !google && k == toldLimited
}

// answerOf returns the meaning of an answer in the log (audit-rules 2). Package answer
// knows that of the status; a log also has answers with 304, and sizes of bodies.
func answerOf(status int, size int64) answerKind {
	meaning := answer.Of(status, answer.Others)
	switch {
	case status == 304:
		return toldSame
	case meaning == answer.File && hasBody(status, size):
		return toldFile
	case meaning == answer.File:
		return toldNone
	case meaning == answer.Redirect:
		return toldRedirect
	case meaning != answer.Of(status, answer.Google):
		return toldLimited
	case status == 404 || status == 410:
		return toldGone
	case meaning == answer.None:
		return toldNone
	case status == 503:
		return toldBusy
	case status/100 == 5:
		return toldError
	}
	return toldFailed
}

// sizeOf returns the size of an answer if it shows which file was sent, otherwise 0.
func sizeOf(status int, size int64) int64 {
	if status != 200 {
		return 0
	}
	return max(size, 0)
}

// answersToAll are what the log's answers to GETs of /robots.txt show, whoever the clients
// were. The final pass makes them before it comes to the first operator.
type answersToAll struct {
	policy  *policy.Policy
	span    int64 // how long the span of a request is at least
	origins map[int32]*originAnswers
	any     originAnswers     // where the origin is not known
	mostOdd bool              // a file that no version is does not count: most clients were sent such files
	ofSize  map[int64][]int32 // the origins that ever had a file of a size
	// mostTold bounds facts.told, in bytes, by the size of the policy: clients may invent
	// any number of names. A crawler of which there is no room to note what it was told
	// does not count as informed.
	mostTold int
}

const (
	toldBytes        = 4 << 20
	toldVersionBytes = 1 << 10
)

// originAnswers are the answers of one origin to all clients. Minutes are noted by their
// beginnings.
type originAnswers struct {
	gone   moments           // the minutes with a 404 or 410
	errors moments           // the minutes with a 5xx
	told   [answerKinds]bool // the kinds of answers in the whole log; toldFile for all that do not fail
	sizes  sizeCount
}

var noAnswers originAnswers

// sizeCount counts answers 200 with a size.
type sizeCount struct {
	all int64
	odd int64 // those with the size of no version of the origin
}

func (c *sizeCount) add(odd bool, n int64) {
	if c.all += n; odd {
		c.odd += n
	}
}

func newAnswersToAll(p *policy.Policy, sent map[sizesAt]int64) *answersToAll {
	from, to := p.Span(0, false)
	a := &answersToAll{policy: p, span: to - from, origins: map[int32]*originAnswers{}, ofSize: map[int64][]int32{},
		mostTold: toldBytes}
	for o := range int32(len(p.Origins())) {
		a.mostTold += toldVersionBytes * len(p.Versions(o))
		for _, v := range p.Versions(o) {
			if list := a.ofSize[v.Size]; v.Copy >= 0 && !slices.Contains(list[max(0, len(list)-1):], o) {
				a.ofSize[v.Size] = append(list, o)
			}
		}
	}
	for at, n := range sent {
		for _, of := range a.at(policy.Site{First: at.Origin, N: 1}) {
			of.sizes.add(at.Odd, n)
		}
	}
	return a
}

// originsOfSize returns the origins that ever had a file of a size, among those of a site,
// or among all if the site is not known.
func (a *answersToAll) originsOfSize(at policy.Site, size int64) []int32 {
	list := a.ofSize[size]
	if at.N == 0 {
		return list
	}
	first, _ := slices.BinarySearch(list, at.First)
	last, _ := slices.BinarySearch(list, at.First+at.N)
	return list[first:last]
}

// at returns the answers of the origins of a site, or of no origin that is known.
func (a *answersToAll) at(site policy.Site) (list []*originAnswers) {
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

// add adds answers of a kind in a minute. They come in the order of time. Answers of several
// hosts are not those of each: only those count that are in favour of crawlers.
func (a *answersToAll) add(site policy.Site, from int64, kind answerKind) {
	if kind == toldFile && !oneHost(a.policy, site) {
		return
	}
	for _, of := range a.at(site) {
		of.told[kind] = true
		switch {
		case kind == toldGone:
			of.gone.add(from, a.span-minute) // a minute that is partly in a span counts
		case kind.is5xx():
			of.errors.add(from, 0)
		}
	}
}

// oneHost reports whether a site is one host, whose scheme may not be known.
func oneHost(p *policy.Policy, at policy.Site) bool {
	return at.N > 0 && sameHost(p, at.First, at.First+at.N-1)
}

// gone reports whether a GET of the robots.txt of an origin, by anybody, was answered 404 or
// 410 in [from, to].
func (a *answersToAll) gone(o int32, from, to int64) bool {
	of := cmp.Or(a.origins[o], &noAnswers)
	return of.gone.meets(from-minute+1, to) || a.any.gone.meets(from-minute+1, to)
}

// nobodyGot reports whether, in the whole log, clients asked for the robots.txt of an origin,
// were told that there is none, and nobody got one.
func (a *answersToAll) nobodyGot(o int32, google bool) bool {
	of := cmp.Or(a.origins[o], &noAnswers)
	if of.told[toldFile] {
		return false
	}
	for kind := range answerKinds {
		if kind.none(google) && (of.told[kind] || a.any.told[kind]) {
			return true
		}
	}
	return false
}

// lastError returns the last minute in [from, to] in which a GET of the robots.txt of an origin,
// by anybody, was answered 5xx, by its end; math.MinInt64 if there is none.
func (a *answersToAll) lastError(o int32, from, to int64) int64 {
	of := cmp.Or(a.origins[o], &noAnswers)
	last := max(of.errors.last(from-minute+1, to), a.any.errors.last(from-minute+1, to))
	if last > math.MinInt64 {
		last += minute - 1
	}
	return last
}

// hasErrors reports whether a GET of the robots.txt of an origin was ever answered 5xx.
func (a *answersToAll) hasErrors(o int32) bool {
	of := a.origins[o]
	return of != nil && len(of.errors.kept) > 0 || len(a.any.errors.kept) > 0
}
