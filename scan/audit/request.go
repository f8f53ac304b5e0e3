package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// request counts the record of a crawler: a verdict that no other line can change is
// counted in its row, and any other request becomes a deferred record.
func (w *Worker) request(c *agent) {
	t, r := w.tally, &w.record
	if r.Target[0] == '*' || string(r.Method) == "CONNECT" {
		t.NotJudged++
		return
	}
	at := w.site()
	if at.other {
		t.OtherHost++
		t.hosts.add(at.host, tallied{n: 1})
		if string(r.Method) == "GET" && w.isRobotsFetch() {
			t.Elsewhere++
		}
		return
	}
	if r.HasTime {
		t.period.add(r.Time)
	}
	c, identity := w.identify(c)
	c.row.requests++
	fetch := w.isRobotsFetch()
	if fetch {
		w.robotsRequest(at, c, identity)
	}
	var l *policy.Lawful // of the first origin that it may have gone to
	if at.N > 0 && r.HasTime && identity != SpoofedIdentity && !c.exempt() {
		l = w.auditor.config.Policy.Lawful(at.First, r.Time, c.google)
		w.delayed(at, c, l)
	}
	d, ok := w.early(at, c, identity, fetch, l)
	if !ok {
		w.deferRequest(at, c, identity)
		return
	}
	c.row.count(identity, d, 1)
	if w.auditor.config.Judged != nil {
		w.giveJudged(c, identity, d)
	}
}

// outcome returns the outcome of the record.
func (w *Worker) outcome() Outcome {
	r := &w.record
	return outcomeOf(r.Status, r.Size, methodOf(r.Method))
}

// giveJudged calls Config.Judged for the record.
func (w *Worker) giveJudged(c *agent, identity Identity, d decision) {
	r := &w.record
	w.judged = Judged{
		Line: beginning(r.Line), Time: r.Time, HasTime: r.HasTime,
		Crawler: c.Name, Profile: c.Profile, Identity: identity, Outcome: w.outcome(), Method: methodOf(r.Method),
		Verdict: d.verdict, Reason: d.reason, N: 1,
	}
	w.auditor.config.Judged(&w.judged)
}

// identify returns the crawler that sent the record, and how far that is proven: of
// a header that names several crawlers it is the one that the address verifies.
func (w *Worker) identify(c *agent) (*agent, Identity) {
	r := &w.record
	addr := w.auditor.config.ClientIP.Of(r.Addr, r.Forwarded)
	if n := len(addr); n > 2 && addr[n-1] == '0' && addr[n-2] == '.' {
		w.tally.EndInZero++
	}
	if !c.Ambiguous {
		return c, identityOf[c.proof.Identify(addr, r.Time, r.HasTime)]
	}
	claim, state := w.auditor.config.Identities.Identify(c.Claim, addr, r.Time, r.HasTime)
	if !claim.Ambiguous {
		c = w.knownAgent(claim.Profile)
	}
	return c, identityOf[state]
}

// identityOf translates the states of package crawler.
var identityOf = [...]Identity{
	crawler.Verified: Verified, crawler.Spoofed: SpoofedIdentity,
	crawler.Unverified: Unverified, crawler.Unverifiable: Unverifiable,
}

// early gives the record its verdict, if no other line of the log can change it.
// The order of the questions is part of the specification (audit-rules 1). l are the
// lawful copies of the first origin. The rules decide for each origin alone (judge,
// judgeAll): decide gives the verdict by the answers of the copies, and final tells
// whether it is final. Deferred requests go to decide again.
func (w *Worker) early(at site, c *agent, identity Identity, fetch bool, l *policy.Lawful) (d decision, ok bool) {
	r := &w.record
	switch {
	case identity == SpoofedIdentity:
		return decision{verdict: Spoofed}, true
	case c.exempt():
		return decision{verdict: Exempt}, true
	case fetch:
		return decision{verdict: RobotsFetch}, true
	case !r.HasTime:
		return indeterminate(NoTime), true
	case at.N == 0:
		return indeterminate(NoHost), true
	case c.Ambiguous:
		return indeterminate(AmbiguousAgent), true
	case r.Truncated:
		return indeterminate(Truncated), true
	}
	d, ok = w.judge(at.First, c, l)
	for i := int32(1); ok && i < at.N; i++ {
		o := at.First + i
		other := w.auditor.config.Policy.Lawful(o, r.Time, c.google)
		if other == l {
			continue // they have one history, as http and https of a host nearly always do
		}
		var e decision
		e, ok = w.judge(o, c, other)
		d = together(d, e, w.auditor.sameHost(at.First, o))
	}
	return d, ok
}

// judge gives the record its verdict on one origin by its lawful copies, if that is
// final. Nearly always there is one copy, and it permits.
func (w *Worker) judge(o int32, c *agent, l *policy.Lawful) (d decision, ok bool) {
	b := w.bindingAt(c, o)
	if len(l.Bodies) == 1 && len(l.Hops) == 0 && !l.Redirected &&
		b.Judge(&w.scratch, l.Bodies[0], w.record.Target).Answer == policy.Permits {
		return decision{verdict: Allowed}, true
	}
	return w.judgeAll(o, b, l)
}

func (w *Worker) judgeAll(o int32, b *policy.Binding, l *policy.Lawful) (d decision, ok bool) {
	if n := w.auditor.config.Policy.Copies(o); n > cap(w.answers) {
		w.answers = make([]policy.Answer, n)
	}
	w.answers = w.answers[:cap(w.answers)]
	for _, copies := range [2][]int32{l.Bodies, l.Hops} {
		for _, i := range copies {
			w.answers[i] = b.Judge(&w.scratch, i, w.record.Target).Answer
		}
	}
	return final(l, w.answers)
}

// sameHost tells whether two origins have one host.
func (a *Auditor) sameHost(x, y int32) bool {
	origins := a.config.Policy.Origins()
	return origins[x].Host == origins[y].Host
}

const robotsTxt = "/robots.txt"

// isRobotsFetch tells whether the record asks for /robots.txt itself, by any
// method, without a query.
func (w *Worker) isRobotsFetch() bool {
	target := w.record.Target
	if target[0] == '/' && !bytes.HasPrefix(target, []byte(robotsTxt)) {
		return false
	}
	return string(automaton.RFC9309.TargetPath(&w.scratch, target)) == robotsTxt
}

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
			of |= otherOperator
		}
		w.deferFetch(at, c, of)
	}
}

// answered counts an answer to a GET of robots.txt, and its size if the status is 200 and
// the log tells size, time and site.
func (w *Worker) answered(at site) {
	r := &w.record
	w.tally.RobotsRequests++
	switch answerOf(r.Status, r.Size) {
	case toldRules:
		w.tally.RobotsServed++
	case toldNone, toldLimited:
		w.tally.RobotsNone++
	case toldNothing:
		w.tally.RobotsFailed++
	}
	if r.Status != 200 || r.Size < 0 || !r.HasTime || at.N == 0 {
		return
	}
	first, last := w.auditor.config.Policy.InForce(at.First, r.Time)
	w.tally.sizes.add(sizeKey{at.Site, int32(first), int32(last), r.Size}, tallied{1, period{r.Time, r.Time, true}})
}

// hadBody tells whether every version that the site may have had at the record's time
// is a file with rules or comments, so that an answer without a body came from
// something else than the site.
func (w *Worker) hadBody(at site) bool {
	for i := range at.N {
		first, last := w.auditor.config.Policy.InForce(at.First+i, w.record.Time)
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

// delayed keeps the record if the version that a violation would quote asks its crawler
// to wait between two requests.
func (w *Worker) delayed(at site, c *agent, l *policy.Lawful) {
	if l.Cited < 0 || delaySupport(c.Profile) == "no" {
		return
	}
	cited := w.auditor.config.Policy.Versions(at.First)[l.Cited]
	if delay, ok := w.bindingAt(c, at.First).Delay(cited.Copy); ok {
		w.deferDelayed(at, c, delay)
	}
}
