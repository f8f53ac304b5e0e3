package audit

import (
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// othersFetch looks at the record of a client that is no crawler and asks for
// robots.txt: the answer tells which file was there.
func (w *Worker) othersFetch() {
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
func (w *Worker) robotsRequest(at site, c *agent, identity Identity) {
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
	f.period.add(r.Time)
	told := kind == toldNone || kind == toldLimited && !c.google
	if told && !c.exempt() && w.hadBody(at) {
		f.refused[r.Status]++
	}
	if c.Ambiguous {
		w.deferFetches(at, c.Rivals, kind)
		return
	}
	if c.exempt() {
		kind = toldNothing // robots.txt does not bind it, so its answers count for no crawler
	}
	w.deferFetch(at, c, kind)
}

// deferFetches keeps a fetch by a header that names crawlers of several operators: any
// of these may have been told that there are no rules, none is known to have been told
// the rules. It is counted for the first.
func (w *Worker) deferFetches(at site, rivals []*crawler.Profile, kind answerKind) {
	if kind == toldRules {
		kind = toldNothing
	}
	for i, p := range rivals {
		c, of := w.knownAgent(p), kind
		if c.exempt() {
			of = toldNothing
		}
		if i > 0 {
			of |= borrowed
		}
		w.deferFetch(at, c, of)
	}
}

// answered counts an answer to a GET of robots.txt, and its size if that is the size
// of a file.
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
	w.tally.sizes.add(sizeKey{at.Site, int32(first), int32(last), r.Size}, tallied{1, period{r.Time, r.Time, true}})
}

// inForce returns which versions of an origin were in force about a moment.
func (a *Auditor) inForce(o int32, t int64) (first, last int) {
	s := int64(policy.Skew)
	return a.config.Policy.InForce(o, t-s, t+s)
}

// hadBody tells whether every version that the site may have had at the record's time
// is a file with rules or comments, so that an answer without a body came from
// something else than the site.
func (w *Worker) hadBody(at site) bool {
	for i := range at.N {
		first, last := w.auditor.inForce(at.First+i, w.record.Time)
		for _, v := range w.auditor.config.Policy.Versions(at.First + i)[first:last] {
			if v.Status/100 != 2 || v.Size == 0 {
				return false
			}
		}
		if first == last {
			return false
		}
	}
	return at.N > 0
}

// visit keeps the record if its crawler is asked to wait between two requests by the
// version that a violation would quote.
func (w *Worker) visit(at site, c *agent, l *policy.Lawful) {
	if l.Cited < 0 {
		return
	}
	copy := w.auditor.config.Policy.Versions(at.First)[l.Cited].Copy
	if delay, ok := w.bindingAt(c, at.First).Delay(copy); ok {
		w.deferVisit(at, c, delay)
	}
}

// sizeKey names answers to robots.txt that are alike: by site, by the versions of the
// first origin that were in force, and by the number of bytes sent.
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
