package audit

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// answerKind is the meaning of an answer to a GET of /robots.txt. Of two answers at one
// moment, a redirect comes before the file that it led to.
type answerKind uint8

const (
	toldNothing  answerKind = iota // to an agent that is not bound
	toldNone                       // there is none: everything is allowed
	toldLimited                    // 429: it failed for Google's crawlers, there is none for all others
	toldFailed                     // 503, or no answer at all
	toldError                      // another 5xx, which Google may take for a 404
	toldRedirect                   // it is elsewhere
	toldMoved                      // so too, but the log does not tell the scheme: perhaps from http to https
	toldFile                       // a body
	toldSame                       // not modified
	answerKinds
)

// failed tells whether a GET that was answered so has failed.
func (k answerKind) failed(google bool) bool {
	return k == toldFailed || k == toldError || google && k == toldLimited
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
	case meaning == answer.None:
		return toldNone
	case status/100 == 5 && status != 503:
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
// were: minutes in which nobody got a file, and which sizes files had. The final pass
// makes them before it comes to the first operator.
type answersToAll struct {
	policy  *policy.Policy
	span    int64                // how long the span of a request is at least
	origins map[int32]*byKind    // the minutes of answers, by their beginnings
	any     byKind               // where the origin is not known
	ofSize  map[int64][]int32    // the origins that ever had a file of a size
	usual   map[versionKey]int64 // the size that most answers had while a version was in force
	counted sizeCount
	// mostTold bounds facts.told, in bytes, by the size of the policy: clients may invent
	// any number of names. A crawler of which there is no room to note what it was told
	// does not count as informed.
	mostTold int
}

const (
	toldBytes        = 4 << 20
	toldVersionBytes = 1 << 10
)

// sizeCount counts the answers of a version.
type sizeCount struct {
	of      versionKey
	all     int64
	size    int64 // that comes now
	same    int64 // its answers so far
	most, n int64 // the most frequent size
}

func newAnswersToAll(p *policy.Policy) *answersToAll {
	from, to := p.Span(0)
	a := &answersToAll{policy: p, span: to - from, origins: map[int32]*byKind{}, ofSize: map[int64][]int32{}, usual: map[versionKey]int64{}, mostTold: toldBytes}
	for o := range int32(len(p.Origins())) {
		a.mostTold += toldVersionBytes * len(p.Versions(o))
		for _, v := range p.Versions(o) {
			if list := a.ofSize[v.Size]; v.Copy >= 0 && !slices.Contains(list[max(0, len(list)-1):], o) {
				a.ofSize[v.Size] = append(list, o)
			}
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

// add adds answers in a minute: that there is none, or toldFile for all that do not fail.
// They come in the order of time. Answers of several hosts are not those of each: only that
// there is no robots.txt counts, in favour of crawlers.
func (a *answersToAll) add(at policy.Site, from int64, kind answerKind) {
	gap := a.span - minute // see noneToAll
	if at.N == 0 {
		a.any[kind].add(from, gap)
	}
	if kind == toldFile && !oneHost(a.policy, at) {
		return
	}
	for o := at.First; o < at.First+at.N; o++ {
		if a.origins[o] == nil {
			a.origins[o] = &byKind{}
		}
		a.origins[o][kind].add(from, gap)
	}
}

// oneHost tells whether a site is one host, whose scheme may not be known.
func oneHost(p *policy.Policy, at policy.Site) bool {
	return at.N > 0 && sameHost(p, at.First, at.First+at.N-1)
}

// noneToAll tells whether clients asked for the robots.txt of an origin in [from, to], were
// told that there is none, and nobody got anything else. At the ends of the interval a
// minute counts only in favour of that.
func (a *answersToAll) noneToAll(o int32, from, to int64, google bool) bool {
	of := cmp.Or(a.origins[o], &byKind{})
	return (of.none(from-minute+1, to, google) || a.any.none(from-minute+1, to, google)) && !of[toldFile].meets(from, to-minute+1)
}

// addSize adds n answers of a size while a version was in force. Those of a version come
// together, and those of one size among them.
func (a *answersToAll) addSize(of versionKey, size, n int64) {
	if of != a.counted.of {
		a.endSizes()
		a.counted = sizeCount{of: of}
	}
	c := &a.counted
	c.all += n
	if c.size != size {
		c.size, c.same = size, 0
	}
	if c.same += n; c.same > c.n {
		c.most, c.n = size, c.same
	}
}

// endSizes keeps the size that more than half of a version's answers had, unless another
// file of the origin has it: then it is more likely that this was sent.
func (a *answersToAll) endSizes() {
	c := a.counted
	if _, another := slices.BinarySearch(a.ofSize[c.most], c.of.origin); c.n > c.all-c.n && !another {
		a.usual[c.of] = c.most
	}
	a.counted = sizeCount{}
}

// hasSize tells whether a file of a size may be one of the versions first to last-1: its
// size is theirs or, where no answer of the whole log had the size of a file that was in
// force, the usual one.
func (a *answersToAll) hasSize(o int32, first, last int, size int64) bool {
	for i, v := range a.policy.Versions(o)[first:last] {
		usual, known := a.usual[versionKey{o, int32(first + i)}]
		if size > 0 && (v.Size == size && v.Copy >= 0 || known && usual == size) {
			return true
		}
	}
	return false
}
