package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// request counts the record of a crawler. If no other line can change its verdict, it is counted in
// its row, otherwise it becomes a deferred record.
func (w *Worker) request(c *agent) {
	at, ok := w.scope()
	if !ok {
		return
	}
	r := &w.record
	if w.tally.whatIf != nil {
		w.compare(at, c)
		return
	}
	addr := w.client()
	if n := len(addr); n > 2 && addr[n-1] == '0' && addr[n-2] == '.' {
		w.tally.EndInZero++
	}
	w.target.findLoss(r)
	ask := w.robotsAsk(r)
	if ask == asksRobots && string(r.Method) == "GET" {
		w.answered(at, false)
	}
	who := w.identify(c, r, addr)
	for i := range who {
		w.requestBy(at, &who[i], addr, ask)
	}
}

// requestBy counts the record as a client's, asks package judge for the verdict, and passes the event
// to decided or deferRequest.
func (w *Worker) requestBy(at *site, x *client, addr []byte, ask robotsAsk) {
	r := &w.record
	w.countClient(x, r.Claim)
	row := x.row()
	q := w.ask(r, at, x.agent, ask)
	w.see(&row.Figures, r, w.sender, w.target.recent)
	if r.HasTime && len(w.auditor.changes) > 0 {
		before := len(row.Around)
		for _, side := range w.auditor.changes.around(at.Site, r.Time) {
			row.Around[side.counter]++
		}
		w.quota.held += (len(row.Around) - before) * statusBytes
	}
	if ask == asksRobots && string(r.Method) == "GET" { // HEAD fetches nothing
		w.fetched(at, x, row)
	}
	if at.N > 0 && r.HasTime && !x.exempt() {
		q.Lawful = w.policy.Lawful(at.First, r.Time, x.class)
		if x.identity != report.SpoofedIdentity && !x.Overlong && !q.OtherScheme {
			if delay, ok := w.delayFor(x.agent, at.First, q.Lawful); ok {
				w.deferDelayed(at, x, delay)
			}
		}
	}
	d, final := judge.Decide(w.policy, q, nil)
	e := w.newEvent(at, x)
	e.Decision.Decision, e.row = d, row
	if final {
		w.decided(e, x)
	} else {
		w.deferRequest(e, x, q)
	}
}

// counting counts what does not depend on verdicts.
type counting struct {
	auditor  *Auditor
	tally    *tally
	quota    *quota
	claims   memo[string]
	referer  []byte // the beginning of the last visitor's Referer, up to the byte after its host
	referrer string // the operator of this host, or ""
}

func (w *counting) empty() { w.claims = memo[string]{} }

// countClient counts a request of a client, and the log's claims about it other than its identity.
func (w *counting) countClient(x *client, claimed []byte) {
	r := x.agent.row.on(x.when)
	r.Requests++
	switch {
	case x.hasNoList && x.when == always:
		w.tally.NoList++
	case x.hasNoList:
		w.tally.NoListIf++
	}
	if claimed == nil {
		return
	}
	claim, known := w.claims[string(claimed)]
	if !known {
		claim = shortened(claimed, maxClaim)
		w.claims.keep(w.quota, string(claimed), claim, len(claim))
	}
	n := r.claimed().len()
	r.Claims.add(claim, tallied{N: 1})
	w.quota.held += memoBytes * max(r.Claims.len()-n, 0)
}

// othersFetch handles a request for robots.txt by a client that is no crawler: the answer shows
// which file was in place.
func (w *Worker) othersFetch() {
	if w.tally.whatIf != nil || !w.isRobotsGet() {
		return
	}
	at := w.site(&w.record)
	if at.other {
		w.tally.Elsewhere++
		return
	}
	w.answered(at, true)
	w.countSize(at, always)
	w.giveAnswer(at, nobody)
}

// isRobotsGet reports whether the record is a GET of /robots.txt itself.
func (w *Worker) isRobotsGet() bool {
	return string(w.record.Method) == "GET" && w.robotsAsk(&w.record) == asksRobots
}

// fetched handles a crawler's GET of robots.txt, which is counted in a row.
func (w *Worker) fetched(at *site, x *client, row *row) {
	r := &w.record
	if !x.Ambiguous {
		w.countSize(at, x.when) // otherwise it is unclear whose client it is
	}
	f := row.fetched()
	n := len(f.Answers)
	f.Answers[r.Status]++
	if len(f.Answers) > n {
		w.quota.held += statusBytes
	}
	kind := w.kindAt(at)
	if !r.HasTime {
		w.tell(at, x, kind, fetchTimeless)
		return
	}
	f.Period.add(r.Time)
	if r.Status == 202 && kind == judge.ToldFile && !w.policy.None() &&
		!at.hasVersion(w.policy, r.Time, func(v policy.Version) bool { return v.Copy >= 0 && v.Size == r.Size }) {
		f.Challenges++
	}
	if kind.None(x.class) && !x.exempt() && at.hadFile(w.policy, r.Time) {
		f.Cleared[r.Status]++
	}
	w.tell(at, x, kind, fetchCounted)
}

// kindAt returns the meaning of the record, an answer to a GET of robots.txt.
func (w *Worker) kindAt(at *site) judge.Kind {
	r := &w.record
	return judge.KindAt(w.policy, at.Site, r.Time, judge.Reply{Status: r.Status, HasBody: hasBody(r.Status, r.Size),
		Schemeless: at.schemeless})
}

// tell records what the answer to its fetch of robots.txt told a crawler.
func (w *Worker) tell(at *site, x *client, kind judge.Kind, use fetchUse) {
	size, as := judge.SizeOf(w.record.Status, w.record.Size), x.agent
	if x.Ambiguous {
		as, kind, size = w.knownAgent(x.Profile), judge.ToldNothing, 0 // no crawler is known to have been told
	}
	if as.exempt() {
		kind = judge.ToldNothing // robots.txt does not bind it, so its answers count for no crawler
	}
	f := fetch{Fetch: judge.Fetch{Sender: as.sender(at.Site), Kind: kind, Size: size}, identity: x.identity, use: use,
		when: x.when, address: w.keptAddress()}
	if use != fetchTimeless {
		f.Time = w.record.Time
	}
	f.code(w.begin(as.operator, recordFetch))
	w.keep()
}

// answered counts an answer to a GET of robots.txt. stranger means that the client names no crawler.
func (w *Worker) answered(at *site, stranger bool) {
	t := w.tally
	t.RobotsRequests++
	switch w.showed(at, stranger) {
	case judge.ToldFile, judge.ToldSame:
		t.RobotsServed++
	case judge.ToldNone, judge.ToldGone, judge.ToldLimited:
		t.RobotsNone++
	case judge.ToldFailed, judge.ToldBusy, judge.ToldError:
		t.RobotsFailed++
	}
	if w.record.HasTime && at.N > 0 && judge.SizeOf(w.record.Status, w.record.Size) > 0 {
		w.countListed(at)
	}
}

// showed records what an answer to a GET of robots.txt shows, whoever the client was, and returns its kind.
func (w *Worker) showed(at *site, stranger bool) judge.Kind {
	r := &w.record
	kind := judge.KindOf(r.Status, hasBody(r.Status, r.Size))
	w.deferAnswer(at, kind, stranger)
	return kind
}

// countListed counts the size of an answer to a GET of robots.txt, for the report.
func (w *Worker) countListed(at *site) {
	r, t := &w.record, w.tally
	right := at.hasVersion(w.policy, r.Time, func(v policy.Version) bool { return v.Copy >= 0 && v.Size == r.Size })
	other := !right && (w.policy.None() || !at.hasVersion(w.policy, r.Time, func(v policy.Version) bool {
		return v.Size < 0
	}))
	if right {
		t.SizesRight++
	} else if other {
		t.SizesOther++
	}
	first, last := w.policy.InForce(at.First, r.Time)
	key := sizeKey{at.Site, int32(first), int32(last), r.Size, other}
	t.Sizes.add(key, tallied{N: 1, Period: period{r.Time, r.Time, true}})
}

// countSize counts the size of the record's answer to a GET of robots.txt, if that shows which file was sent.
func (w *Worker) countSize(at *site, when ifCut) {
	size := judge.SizeOf(w.record.Status, w.record.Size)
	if size == 0 {
		return
	}
	for o := at.First; o < at.First+at.N; o++ {
		w.tally.Sent[sizesAt{o, !w.policy.HasSize(o, size), when}]++
	}
}

// referred counts the Referer of a client that is no crawler.
func (w *counting) referred(referer []byte) {
	w.tally.Referers++
	if len(w.referer) == 0 || !bytes.HasPrefix(referer, w.referer) { // most come from the site itself
		from, to := hostOf(referer)
		if from == to {
			return
		}
		w.referrer = w.auditor.config.Crawlers.Referrer(referer[from:min(to, from+maxHostName)])
		w.referer = w.referer[:0]
		if to < len(referer) && to-from <= maxHostName {
			w.referer = append(w.referer, referer[:to+1]...)
		}
	}
	if w.referrer != "" {
		w.tally.Referred[w.referrer]++
	}
}

// undeclared passes the record, which names no crawler, to Undeclared if robots.txt forbids it to *.
func (w *Worker) undeclared() {
	at, verdict := w.bySources(w.everybody.agent)
	if verdict != report.Violation {
		return
	}
	version := w.question.Lawful.Quoted
	e := w.newEvent(at, w.everybody)
	e.Decision.Decision = judge.Decision{Verdict: report.Violation}
	e.Rule = w.auditor.rule(ruleKey{at.Site, version, w.lineOf(w.everybody.agent, at.First, version)}, 0)
	w.describe(e, w.everybody)
	w.give(w.auditor.config.Undeclared, e)
	e.Rule = report.RuleInfo{}
}

// bySources returns the verdict on the record as a crawler's, given only the copies of robots.txt that it may have
// used, which it leaves in w.question. It returns NoPolicy if the record is not to be judged.
func (w *Worker) bySources(c *agent) (*site, report.Verdict) {
	r := &w.record
	if isNotJudged(r) {
		return nowhere, report.NoPolicy
	}
	at := w.site(r)
	if at.other {
		return at, report.NoPolicy
	}
	w.target.findLoss(r)
	q := w.ask(r, at, c, w.robotsAsk(r))
	if at.N > 0 && q.HasTime && !c.exempt() {
		q.Lawful = w.policy.Lawful(at.First, q.Time, q.Class)
	}
	q.SourceOnly = true
	d, _ := judge.Decide(w.policy, q, nil)
	q.SourceOnly = false
	return at, d.Verdict
}
