package audit

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// request counts the record of a crawler: a verdict that no other line can change is
// counted in its row, and any other request becomes a deferred record.
//
// Whether addresses prove anything is known only when all lines have been read (proxied.go).
// Until then an impostor is judged as if it were unverified, and counted in a row of its own
// (row.impostors). row.applyIdentity decides what becomes of that row.
func (w *Worker) request(c *agent) {
	at, ok := w.scope()
	if !ok {
		return
	}
	if w.tally.whatIf != nil {
		w.compare(at, c)
		return
	}
	addr := w.client()
	if n := len(addr); n > 2 && addr[n-1] == '0' && addr[n-2] == '.' {
		w.tally.EndInZero++
	}
	w.findLoss()
	ask := w.robotsAsk()
	if ask == asksRobots && string(w.record.Method) == "GET" {
		w.answered(at, false)
	}
	w.eachIdentity(c, addr, func(c *agent, identity report.Identity, hasNoList bool) {
		w.requestBy(at, c, addr, identity, hasNoList, ask)
	})
}

// requestBy counts the record as one of a crawler, whose identity is proven so far.
func (w *Worker) requestBy(at site, c *agent, addr []byte, identity report.Identity, hasNoList bool, ask robotsAsk) {
	row := c.row.on(w.when)
	row.Requests++
	w.countClient(row, hasNoList)
	own := row
	if identity == report.SpoofedIdentity {
		own = own.impostors()
	}
	w.see(&own.Figures, addr)
	if w.record.HasTime {
		before := len(own.Around)
		for _, side := range w.auditor.changes.around(at.Site, w.record.Time) {
			own.Around[side.counter]++
		}
		w.quota.held += (len(own.Around) - before) * statusBytes
	}
	if ask == asksRobots {
		w.robotsRequest(at, c, identity)
	}
	q := w.asCase(at, c, ask)
	if at.N > 0 && w.record.HasTime && !c.exempt() {
		q.Lawful = w.policy.Lawful(at.First, w.record.Time, c.class)
		if identity != report.SpoofedIdentity && !c.Overlong && !q.OtherScheme {
			w.delayed(at, c, q.Lawful)
		}
	}
	if d, final := judge.Decide(w.policy, q, nil); final {
		w.countFinal(at, c, identity, d)
	} else {
		w.deferRequest(q, at, c, identity)
	}
}

// asCase returns the record as a request to be judged.
func (w *Worker) asCase(at site, c *agent, ask robotsAsk) *judge.Case {
	r := &w.record
	w.subject = c
	w.normal = w.normal[:0]
	if r.Lossy != format.Rewritten && mayBeAbnormal(r.Target) {
		w.findNormal()
	}
	q := &w.question // field by field: a whole one would be copied
	q.Exempt, q.Robots = c.exempt(), ask != asksElse
	q.Ambiguous, q.Truncated, q.OtherScheme = c.Ambiguous, r.Truncated || c.Overlong, at.isOtherScheme()
	q.Time, q.HasTime, q.Site, q.Class = r.Time, r.HasTime, at.Site, c.class
	q.Exact, q.HasNormal, q.Lawful = r.Lossy == format.Exact, len(w.normal) > 0, nil
	return q
}

// scope returns where the record went. ok is false if it is not to be judged, for its target
// or its host, and has been counted as such.
func (w *Worker) scope() (at site, ok bool) {
	t, r := w.tally, &w.record
	if r.Target[0] == '*' || string(r.Method) == "CONNECT" {
		t.NotJudged++
		return site{}, false
	}
	if at = w.site(); at.other {
		t.OtherHost++
		t.Hosts.add(at.host, tallied{N: 1})
		if string(r.Method) == "GET" && w.robotsAsk() == asksRobots {
			t.Elsewhere++
		}
		return at, false
	}
	if r.HasTime {
		t.Period.add(r.Time)
	}
	return at, true
}

// countFinal counts the record with a verdict that no other line can change, but for what
// row.applyIdentity makes of an impostor.
func (w *Worker) countFinal(at site, c *agent, identity report.Identity, d judge.Decision) {
	row, counted := c.row.on(w.when), identity
	if identity == report.SpoofedIdentity {
		row, counted = row.impostors(), report.Unverified
	}
	row.count(counted, d.Verdict, d.Reason, 1)
	w.tally.countSite(at.Site, c.index, c.Profile != nil, d.Verdict, identity == report.SpoofedIdentity, w.when, 1,
		w.record.Size)
	if w.record.HasTime {
		w.quota.held += row.Timeline.add(clock(w.record.Time, w.auditor.config.Zone), d.Verdict, 1)
	}
	if config := &w.auditor.config; config.Judged != nil && !config.OnlyViolations {
		w.giveFinal(at, c, identity, d)
	}
}

// client returns what the log has as the client's address.
func (w *Worker) client() []byte {
	return w.auditor.config.ClientIP.Of(w.record.Addr, w.record.Forwarded)
}

// address returns the client's address as the log has it: nothing where the log has none, or
// one so long that it would have to be cut, since two clients must not become one.
func (w *Worker) address() []byte {
	if a := w.client(); len(a) <= maxHostName && string(a) != "-" {
		return a
	}
	return nil
}

// outcome returns the outcome of the record.
func (w *Worker) outcome() report.Outcome {
	r := &w.record
	return outcomeOf(r.Status, r.Size, methodOf(r.Method))
}

// identify returns the crawler that sent the record, and how far that is proven: of
// a header that names several crawlers it is the one that the address verifies. hasNoList:
// the crawler has lists of addresses, but none speaks of the request.
func (w *Worker) identify(c *agent, addr []byte) (_ *agent, _ report.Identity, hasNoList bool) {
	r := &w.record
	if !c.Ambiguous {
		identity := report.Identity(c.proof.Identify(addr, r.Time, r.HasTime))
		return c, identity, identity == report.Unverified && c.proof.HasLists()
	}
	claim, state := w.auditor.config.Identities.Identify(c.Claim, addr, r.Time, r.HasTime)
	if !claim.Ambiguous {
		c = w.verifiedAgent(c, claim.Profile)
	}
	return c, report.Identity(state), false
}

// countClient counts what the log tells of a crawler's client beside its identity.
func (w *Worker) countClient(r *row, hasNoList bool) {
	switch {
	case hasNoList && w.when == always:
		w.tally.NoList++
	case hasNoList:
		w.tally.NoListIf++
	}
	if w.record.Claim == nil {
		return
	}
	claim, known := w.claims[string(w.record.Claim)]
	if !known {
		claim = shortened(w.record.Claim, maxClaim)
		w.claims.keep(&w.quota, w.record.Claim, claim, len(claim))
	}
	n := r.claimed().len()
	r.Claims.add(claim, tallied{N: 1})
	w.quota.held += memoBytes * max(r.Claims.len()-n, 0)
}

// permitted implements judge.Case.Permit for the record and the crawler that it is judged by.
func (w *Worker) permitted(o int32, normal bool) bool {
	target := w.record.Target
	if normal {
		target = w.normal
	}
	return w.record.Lossy == format.Exact && w.bindingAt(w.subject, o).RulesPermit(&w.scratch, target)
}

// Stances implements judge.Copies. Copies that are alike for the crawler are asked once.
// /robots.txt as a normal form is permitted.
func (w *Worker) Stances(o int32, normal bool) []policy.Stance {
	target, spellings := w.record.Target, &w.spellings
	if normal {
		target, spellings = w.normal, &w.normalSpellings
	}
	binding := w.bindingAt(w.subject, o)
	w.stances = w.stances[:0]
	if normal && w.asksFor(target) != asksElse {
		return append(w.stances, make([]policy.Stance, w.policy.Copies(o))...)
	}
	for i, first := range binding.Alike() {
		if int(first) < i {
			w.stances = append(w.stances, w.stances[first])
		} else {
			w.stances = append(w.stances, w.stanceOf(binding, first, target, spellings))
		}
	}
	return w.stances
}

// stanceOf returns the stance of a copy on a target of the record, of which there are other
// spellings.
func (w *Worker) stanceOf(b *policy.Binding, copy int32, target []byte, of *spellings) policy.Stance {
	if w.record.Lossy == format.Rewritten {
		return b.JudgeUnseen(copy).Stance
	}
	stance := b.Judge(&w.scratch, copy, target).Stance
	if w.record.Lossy == format.Exact {
		return stance
	}
	for _, spelling := range of.list[:of.n] {
		if stance != b.Judge(&w.scratch, copy, spelling).Stance {
			return policy.Unseen
		}
	}
	return stance
}

// findNormal sets w.normal to the normal form of the record's target, unless that is the target
// itself.
func (w *Worker) findNormal() {
	var differs bool
	if w.normal, differs = appendNormal(w.normal, w.record.Target); !differs {
		w.normal = w.normal[:0]
		return
	}
	for i, spelling := range w.spellings.list[:w.spellings.n] {
		w.normalSpellings.list[i], _ = appendNormal(w.normalSpellings.list[i][:0], spelling)
	}
	w.normalSpellings.n = w.spellings.n
}

const robotsTxt = "/robots.txt"

// robotsAsk says how a target asks for robots.txt.
type robotsAsk uint8

const (
	asksElse   robotsAsk = iota // not at all
	asksRobots                  // for /robots.txt itself
	asksLike                    // with a query or more slashes: for something that need not be robots.txt
)

// robotsAsk says how the record asks for robots.txt, by any method.
func (w *Worker) robotsAsk() robotsAsk {
	path := w.record.Target
	if path[0] != '/' {
		path = path[len(w.authority()):]
	}
	if len(path) > 0 && path[0] == '/' && (len(path) < 2 || path[1] != 'r' && path[1] != '/') {
		return asksElse
	}
	return w.asksFor(w.record.Target)
}

func (w *Worker) asksFor(target []byte) robotsAsk {
	if target[0] == '/' && !bytes.HasPrefix(target, []byte(robotsTxt)) && !bytes.HasPrefix(target, []byte("//")) {
		return asksElse
	}
	if !bytes.Contains(target, []byte(robotsTxt)) {
		return asksElse
	}
	path := automaton.RFC9309.TargetPath(&w.scratch, target)
	if string(path) == robotsTxt {
		return asksRobots
	}
	path, _, _ = bytes.Cut(path, []byte("?"))
	if len(path) < len(robotsTxt) || string(path[len(path)-len(robotsTxt):]) != robotsTxt ||
		len(bytes.Trim(path[:len(path)-len(robotsTxt)], "/")) > 0 {
		return asksElse
	}
	return asksLike
}

// othersFetch looks at the record of a client that is no crawler and asks for
// robots.txt: the answer tells which file was there.
func (w *Worker) othersFetch() {
	if string(w.record.Method) != "GET" || w.tally.whatIf != nil || w.robotsAsk() != asksRobots {
		return
	}
	if at := w.site(); at.other {
		w.tally.Elsewhere++
	} else {
		w.answered(at, true)
		w.countSize(at)
		w.giveAnswer(at, nil, report.Unverified)
	}
}

// robotsRequest looks at a crawler's request for robots.txt. HEAD fetches nothing.
func (w *Worker) robotsRequest(at site, c *agent, identity report.Identity) {
	r := &w.record
	if string(r.Method) != "GET" {
		return
	}
	if !c.Ambiguous {
		w.countSize(at) // otherwise it is not known whose client it is
	}
	row := c.row.on(w.when)
	if identity == report.SpoofedIdentity {
		row = row.impostors()
	}
	f := row.fetched()
	n := len(f.Answers)
	if f.Answers[r.Status]++; len(f.Answers) > n {
		w.quota.held += statusBytes
	}
	if !r.HasTime {
		w.tell(at, c, identity, w.kindAt(at), fetchTimeless)
		return
	}
	f.Period.add(r.Time)
	kind := w.kindAt(at)
	if r.Status == 202 && kind == judge.ToldFile && !w.policy.None() &&
		!w.hasVersion(at, func(v policy.Version) bool { return v.Copy >= 0 && v.Size == r.Size }) {
		f.Challenges++
	}
	if kind.None(c.class) && !c.exempt() && w.policyHadFile(at) {
		f.Cleared[r.Status]++
	}
	w.tell(at, c, identity, kind, fetchCounted)
}

// kindAt returns the meaning of the record, an answer to a GET of robots.txt.
func (w *Worker) kindAt(at site) judge.Kind {
	r := &w.record
	return judge.KindAt(w.policy, at.Site, at.schemeless, r.Time, r.Status, hasBody(r.Status, r.Size))
}

// tell keeps what a crawler was told by the answer to its fetch of robots.txt.
func (w *Worker) tell(at site, c *agent, identity report.Identity, kind judge.Kind, use fetchUse) {
	size := judge.SizeOf(w.record.Status, w.record.Size)
	if c.Ambiguous {
		c, kind, size = w.knownAgent(c.Profile), judge.ToldNothing, 0 // no crawler is known to have been told
	}
	if c.exempt() {
		kind = judge.ToldNothing // robots.txt does not bind it, so its answers count for no crawler
	}
	w.deferFetch(at, c, identity, kind, size, use)
}

// answered counts an answer to a GET of robots.txt. stranger: the client names no crawler.
func (w *Worker) answered(at site, stranger bool) {
	t := w.tally
	t.RobotsRequests++
	kind := w.showed(at, stranger)
	switch kind {
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

// showed keeps what an answer to a GET of robots.txt shows, whoever the client was, and returns its kind.
func (w *Worker) showed(at site, stranger bool) judge.Kind {
	r := &w.record
	kind := judge.KindOf(r.Status, hasBody(r.Status, r.Size))
	w.deferAnswer(at, kind, stranger)
	return kind
}

// countListed counts the size of an answer to a GET of robots.txt for the report.
func (w *Worker) countListed(at site) {
	r, t := &w.record, w.tally
	right := w.hasVersion(at, func(v policy.Version) bool { return v.Copy >= 0 && v.Size == r.Size })
	other := !right && (w.policy.None() || !w.hasVersion(at, func(v policy.Version) bool {
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

// hasVersion reports whether the site had such a version at the record's time.
func (w *Worker) hasVersion(at site, is func(policy.Version) bool) bool {
	for o := at.First; o < at.First+at.N; o++ {
		if slices.ContainsFunc(w.policy.VersionsAt(o, w.record.Time), is) {
			return true
		}
	}
	return false
}

// policyHadFile reports whether every version that the site may have had at the record's time
// is a file with rules or comments, so that an answer without a body came from
// something else than the site.
func (w *Worker) policyHadFile(at site) bool {
	for i := range at.N {
		list := w.policy.VersionsAt(at.First+i, w.record.Time)
		if len(list) == 0 || slices.ContainsFunc(list, func(v policy.Version) bool {
			return v.Status/100 != 2 || v.Size == 0 || v.Copy < 0
		}) {
			return false
		}
	}
	return at.N > 0
}

// delayed keeps the record if the version that a violation would quote, of the lawful copies l,
// asks its crawler to wait between two requests.
func (w *Worker) delayed(at site, c *agent, l *policy.Lawful) {
	if c.delayOf != l {
		c.delayOf, c.delay, c.isDelayed = l, 0, false
		if l.Quoted >= 0 && delaySupport(c.Profile) != report.No {
			cited := w.policy.Versions(at.First)[l.Quoted]
			c.delay, c.isDelayed = w.bindingAt(c, at.First).Delay(cited.Copy)
		}
	}
	if c.isDelayed {
		w.deferDelayed(at, c, c.delay)
	}
}
