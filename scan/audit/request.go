package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// request counts the record of a crawler. If no other line can change its verdict, it is counted in
// its row, otherwise it becomes a deferred record.
func (w *Worker) request(agent *agent) {
	at, ok := w.scope()
	if !ok {
		return
	}
	record := &w.record
	if w.tally.whatIf != nil {
		w.compare(at, agent)
		return
	}
	addr := w.client()
	if n := len(addr); n > 2 && addr[n-1] == '0' && addr[n-2] == '.' {
		w.tally.EndInZero++
	}
	w.target.findLoss(record)
	ask := w.robotsAsk(record)
	if ask == asksRobots && string(record.Method) == "GET" {
		w.answered(at, false)
	}
	who := w.identify(agent, record, addr)
	for i := range who {
		w.requestBy(at, &who[i], addr, ask)
	}
}

// requestBy counts the record as a client's, asks package judge for the verdict, and passes the event
// to decided or deferRequest.
func (w *Worker) requestBy(at *site, client *client, addr []byte, ask robotsAsk) {
	record := &w.record
	w.countClient(client, record.Claim)
	row, target := client.row(), w.targets.recall(client.agent, record.Target)
	w.see(&row.Figures, record, w.sender, target)
	if record.HasTime && len(w.auditor.changes) > 0 {
		before := len(row.Around)
		for _, side := range w.auditor.changes.around(at.Site, record.Time) {
			row.Around[side.counter]++
		}
		w.quota.held += (len(row.Around) - before) * statusBytes
	}
	if ask == asksRobots && string(record.Method) == "GET" { // HEAD fetches nothing
		w.fetched(at, client, row)
	}
	var lawful *policy.Lawful
	if at.N > 0 && record.HasTime && !client.exempt() {
		lawful = w.policy.Lawful(at.First, record.Time, client.class)
		if client.identity != report.SpoofedIdentity && !client.Overlong && !at.isOtherScheme() {
			if delay, ok := w.delayFor(client.agent, at.First, lawful); ok {
				w.deferDelayed(at, client, delay)
			}
		}
	}
	event := w.newEvent(at, client)
	event.row = row
	isPlain := ask == asksElse && at.N == 1 && !at.isOtherScheme() && target != nil && !target.mayBeAbnormal &&
		record.Lossy == format.Exact && !record.Truncated
	if isPlain && client.allows(target, at.First, lawful) {
		event.Decision.Decision = judge.Decision{Verdict: report.Allowed}
		w.decided(event, client)
		return
	}
	question := w.ask(record, at, client.agent, ask, target)
	question.Lawful = lawful
	decision, final := judge.Decide(w.policy, question, nil)
	event.Decision.Decision = decision
	if !final {
		w.deferRequest(event, client, question)
		return
	}
	if isPlain && decision.Verdict == report.Allowed {
		client.allowed = lawful
	}
	w.decided(event, client)
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
func (w *counting) countClient(client *client, claimed []byte) {
	row := client.agent.row.on(client.when)
	row.Requests++
	switch {
	case client.hasNoList && client.when == always:
		w.tally.NoList++
	case client.hasNoList:
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
	n := row.claimed().len()
	row.Claims.add(claim, tallied{N: 1})
	w.quota.held += memoBytes * max(row.Claims.len()-n, 0)
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
func (w *Worker) fetched(at *site, client *client, row *row) {
	record := &w.record
	if !client.Ambiguous {
		w.countSize(at, client.when) // otherwise it is unclear whose client it is
	}
	fetches := row.fetched()
	known := len(fetches.Answers)
	fetches.Answers[record.Status]++
	if len(fetches.Answers) > known {
		w.quota.held += statusBytes
	}
	kind := w.kindAt(at)
	if !record.HasTime {
		w.tell(at, client, kind, fetchTimeless)
		return
	}
	fetches.Period.add(record.Time)
	isSent := func(v policy.Version) bool { return v.Copy >= 0 && v.Size == record.Size }
	if record.Status == 202 && kind == judge.ToldFile && !w.policy.None() &&
		!at.hasVersion(w.policy, record.Time, isSent) {
		fetches.Challenges++
	}
	if kind.None(client.class) && !client.exempt() && at.hadFile(w.policy, record.Time) {
		fetches.Cleared[record.Status]++
	}
	w.tell(at, client, kind, fetchCounted)
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
func (w *Worker) bySources(agent *agent) (*site, report.Verdict) {
	record := &w.record
	if isNotJudged(record) {
		return nowhere, report.NoPolicy
	}
	at := w.site(record)
	if at.other {
		return at, report.NoPolicy
	}
	w.target.findLoss(record)
	question := w.ask(record, at, agent, w.robotsAsk(record), w.targets.recall(agent, record.Target))
	if at.N > 0 && question.HasTime && !agent.exempt() {
		question.Lawful = w.policy.Lawful(at.First, question.Time, question.Class)
	}
	question.SourceOnly = true
	d, _ := judge.Decide(w.policy, question, nil)
	question.SourceOnly = false
	return at, d.Verdict
}
