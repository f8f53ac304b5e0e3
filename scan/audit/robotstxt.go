package audit

import (
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// passerby looks at the record of a client that is no crawler and asks for
// robots.txt: what it was answered tells which file was there.
func (w *Worker) passerby() {
	if string(w.record.Method) != "GET" || !w.isRobotsFetch() {
		return
	}
	if at := w.site(); at.other {
		w.tally.Elsewhere++
	} else {
		w.answered(at)
	}
}

// robotsRequest looks at a crawler's request for robots.txt. HEAD fetches nothing.
func (w *Worker) robotsRequest(at site, c *claim, identity Identity) {
	r := &w.record
	if string(r.Method) != "GET" {
		return
	}
	w.answered(at)
	if identity == SpoofedIdentity {
		return
	}
	kind := answerOf(r.Status, r.Size)
	f := c.row.fetched()
	f.answers[r.Status]++
	if !r.HasTime {
		return
	}
	f.span.add(r.Time)
	told := kind == toldNone || kind == toldLimited && !c.google
	if told && !c.exempt() && w.hadBody(at) {
		f.refused[r.Status]++
	}
	if c.Ambiguous {
		w.keepFetches(at, c.Rivals, kind)
		return
	}
	if c.exempt() {
		kind = toldNothing // it is not bound, so neither is anybody by what it was told
	}
	w.keepFetch(at, c, kind)
}

// keepFetches keeps a fetch by who says to be crawlers of several operators: any of
// these may have been told that there are no rules, none is known to have been told
// the rules. It is counted for the first.
func (w *Worker) keepFetches(at site, rivals []*crawler.Profile, kind answerKind) {
	if kind == toldRules {
		kind = toldNothing
	}
	for i, p := range rivals {
		c, of := w.claimOf(p), kind
		if c.exempt() {
			of = toldNothing
		}
		if i > 0 {
			of |= borrowed
		}
		w.keepFetch(at, c, of)
	}
}

// answered notes that the log has an answer to a GET of robots.txt, and its size
// if that is one of the file.
func (w *Worker) answered(at site) {
	r := &w.record
	w.tally.RobotsRequests++
	if answerOf(r.Status, r.Size) == toldRules {
		w.tally.RobotsServed++
	}
	if r.Status != 200 || r.Size < 0 || !r.HasTime || at.N == 0 {
		return
	}
	first, last := w.auditor.inForce(at.First, r.Time)
	w.tally.addSize(sizeKey{at.Site, int32(first), int32(last), r.Size}, sizeCount{1, span{r.Time, r.Time, true}})
}

// inForce returns which versions of an origin were in force about a moment.
func (a *Auditor) inForce(o int32, t int64) (first, last int) {
	s := int64(policy.Skew)
	return a.config.Policy.InForce(o, t-s, t+s)
}

// hadBody tells whether the source knows of nothing but bodies for the site at the
// record's time, so that an answer without one is somebody else's.
func (w *Worker) hadBody(at site) bool {
	if at.N == 0 {
		return false
	}
	for i := range at.N {
		first, last := w.auditor.inForce(at.First+i, w.record.Time)
		versions := w.auditor.config.Policy.Versions(at.First + i)[first:last]
		for _, v := range versions {
			if v.Status/100 != 2 || v.Size == 0 {
				return false
			}
		}
		if len(versions) == 0 {
			return false
		}
	}
	return true
}

// visit keeps the record if its crawler is asked to wait between two requests: by
// the version that a violation would quote.
func (w *Worker) visit(at site, c *claim, l *policy.Lawful) {
	if l.Cited < 0 {
		return
	}
	copy := w.auditor.config.Policy.Versions(at.First)[l.Cited].Copy
	if delay, ok := w.bindingAt(c, at.First).Delay(copy); ok {
		w.keepVisit(at, c, delay)
	}
}

// sizeKey names answers to robots.txt that are alike: where they came from, which
// of the first origin's versions were in force, and how many bytes were sent.
type sizeKey struct {
	at          policy.Site
	first, last int32
	size        int64
}

func hashSize(k sizeKey) uint64 {
	h := mix(uint64(uint32(k.at.First))<<32 | uint64(uint32(k.at.N)))
	h = mix(h ^ uint64(uint32(k.first))<<32 ^ uint64(uint32(k.last)))
	return mix(h ^ uint64(k.size))
}

// sizeCount says how often such an answer was given, and from when to when.
type sizeCount struct {
	n    int64
	span span
}

func (s sizeCount) plus(other sizeCount) sizeCount {
	s.n += other.n
	s.span.merge(other.span)
	return s
}
