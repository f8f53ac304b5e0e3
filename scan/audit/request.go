package audit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// request counts the record of a crawler: a verdict that no other line can change is
// counted in its row, and any other request becomes a deferred record.
func (w *Worker) request(c *agent) {
	at, ok := w.scope()
	if !ok {
		return
	}
	addr := w.client()
	c, identity, hasNoList := w.identify(c, addr)
	c.row.Requests++
	w.countClient(c, addr, hasNoList)
	if identity == SpoofedIdentity {
		w.see(&c.row.impostors().Figures, addr)
	} else {
		w.see(&c.row.Figures, addr)
	}
	w.findLoss()
	ask := w.robotsAsk()
	if ask == asksRobots {
		w.robotsRequest(at, c, identity)
	}
	var l *policy.Lawful // of the first origin that it may have gone to
	if at.N > 0 && w.record.HasTime && !c.exempt() {
		l = w.policy.Lawful(at.First, w.record.Time, c.google)
		if identity != SpoofedIdentity && !c.Overlong {
			w.delayed(at, c, l)
		}
	}
	d, ok := w.early(at, c, ask != asksElse, l)
	var normal []byte
	if (!ok || d.verdict == Allowed) && w.record.Lossy != format.Rewritten && mayBeAbnormal(w.record.Target) {
		normal = w.normalForm()
		ok = ok && (normal == nil || w.record.Lossy != format.Exact || w.isAllowed(at, c, l, normal))
	}
	if ok {
		w.settle(at, c, identity, d)
	} else {
		w.deferRequest(at, c, identity, normal)
	}
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

// settle counts the record with a verdict that no other line can change.
func (w *Worker) settle(at site, c *agent, identity Identity, d decision) {
	row, counted := c.row, identity
	if identity == SpoofedIdentity {
		row, counted = row.impostors(), Unverified
	}
	row.count(counted, d, 1)
	if w.record.HasTime {
		w.quota.held += row.Timeline.add(w.record.Time, d.verdict, 1)
	}
	if config := &w.auditor.config; config.Judged != nil && !config.OnlyViolations {
		w.giveJudged(at, c, identity, d)
	}
}

// outcome returns the outcome of the record.
func (w *Worker) outcome() Outcome {
	r := &w.record
	return outcomeOf(r.Status, r.Size, methodOf(r.Method))
}

// kinds returns the outcome and the method of the record as deferred records have them.
func (w *Worker) kinds() byte { return byte(w.outcome())<<4 | byte(methodOf(w.record.Method)) }

// identify returns the crawler that sent the record, and how far that is proven: of
// a header that names several crawlers it is the one that the address verifies. hasNoList:
// the crawler has lists of addresses, but none speaks of the request.
func (w *Worker) identify(c *agent, addr []byte) (_ *agent, _ Identity, hasNoList bool) {
	r := &w.record
	if !c.Ambiguous {
		identity := identityOf[c.proof.Identify(addr, r.Time, r.HasTime)]
		return c, identity, identity == Unverified && c.proof.HasLists()
	}
	claim, state := w.auditor.config.Identities.Identify(c.Claim, addr, r.Time, r.HasTime)
	if !claim.Ambiguous {
		c = w.verifiedAgent(c, claim.Profile)
	}
	return c, identityOf[state], false
}

// countClient counts what the log tells of a crawler's client beside its identity.
func (w *Worker) countClient(c *agent, addr []byte, hasNoList bool) {
	if n := len(addr); n > 2 && addr[n-1] == '0' && addr[n-2] == '.' {
		w.tally.EndInZero++
	}
	if hasNoList {
		w.tally.NoList++
	}
	if w.record.Claim == nil {
		return
	}
	claim, known := w.claims[string(w.record.Claim)]
	if !known {
		if claim = string(w.record.Claim); len(claim) > maxClaim {
			claim = fmt.Sprintf("%s (longer than %d bytes)", claim[:maxClaim], maxClaim)
		}
		w.claims.keep(&w.quota, w.record.Claim, claim, len(claim))
	}
	n := c.row.claimed().len()
	c.row.Claims.add(claim, tallied{N: 1})
	w.quota.held += memoBytes * max(c.row.Claims.len()-n, 0)
}

// identityOf translates the states of package crawler.
var identityOf = [...]Identity{
	crawler.Verified: Verified, crawler.Spoofed: SpoofedIdentity,
	crawler.Unverified: Unverified, crawler.Unverifiable: Unverifiable,
}

// early gives the record its verdict, if no other line of the log can change it and the
// client is no impostor: that is known at the end, see row.settle.
// The order of the questions is part of the specification (audit-rules 1). l are the
// lawful copies of the first origin.
func (w *Worker) early(at site, c *agent, fetch bool, l *policy.Lawful) (d decision, ok bool) {
	r := &w.record
	switch {
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
	case r.Truncated, c.Overlong:
		return indeterminate(Truncated), true
	}
	return w.verdict(at, c, l, r.Target)
}

// verdict gives the record, with a target, its verdict by all origins that it may have gone to, if
// that is sure. l are the lawful copies of the first.
func (w *Worker) verdict(at site, c *agent, l *policy.Lawful, target []byte) (d decision, ok bool) {
	d, ok = w.sure(at.First, c, l, target)
	for o := at.First + 1; ok && o < at.First+at.N; o++ {
		other := w.policy.Lawful(o, w.record.Time, c.google)
		if other == l && d.verdict == Allowed && !w.bySitemap {
			continue // they have one history, as http and https of a host nearly always do
		}
		var e decision
		e, ok = w.sure(o, c, other, target)
		d = together(d, e, sameHost(w.policy, at.First, o))
	}
	return d, ok
}

// sure is the verdict on one origin, if it is sure. Nearly always all copies permit the target.
func (w *Worker) sure(o int32, c *agent, l *policy.Lawful, target []byte) (d decision, ok bool) {
	redirects := w.policy.MayRedirect(o)
	if len(l.Bodies) > 0 && !redirects && w.record.Lossy == format.Exact &&
		w.bindingAt(c, o).RulesPermit(&w.scratch, target) {
		w.bySitemap = false
		return decision{verdict: Allowed}, true
	}
	w.judgeCopies(c, o, target)
	return sure(l, w.answers, redirects)
}

// normalForm returns the normal form of the record's target, nil if that is the target itself.
func (w *Worker) normalForm() []byte {
	var differs bool
	if w.normal, differs = appendNormal(w.normal[:0], w.record.Target); !differs {
		return nil
	}
	for i, reading := range w.readings.list[:w.readings.n] {
		w.otherReadings.list[i], _ = appendNormal(w.otherReadings.list[i][:0], reading)
	}
	w.otherReadings.n = w.readings.n
	return w.normal
}

// isAllowed reports whether the normal form of a target that is allowed is surely allowed, too. Otherwise the
// request may be evasive. Where the log has changed the path, that is no ground to say so.
func (w *Worker) isAllowed(at site, c *agent, l *policy.Lawful, normal []byte) bool {
	d, ok := w.verdict(at, c, l, normal)
	return ok && d.verdict == Allowed
}

// sameHost reports whether two origins have one host.
func sameHost(p *policy.Policy, x, y int32) bool { return p.Origins()[x].Host == p.Origins()[y].Host }

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
	if string(w.record.Method) != "GET" || w.robotsAsk() != asksRobots {
		return
	}
	if at := w.site(); at.other {
		w.tally.Elsewhere++
	} else {
		w.answered(at)
		w.countSize(at)
		w.giveAnswer(at, nil, Unverified)
	}
}

// robotsRequest looks at a crawler's request for robots.txt. HEAD fetches nothing.
func (w *Worker) robotsRequest(at site, c *agent, identity Identity) {
	r := &w.record
	if string(r.Method) != "GET" {
		return
	}
	w.answered(at)
	if !c.Ambiguous {
		w.countSize(at) // otherwise it is not known whose client it is
	}
	row := c.row
	if identity == SpoofedIdentity {
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
	if kind.none(c.google) && !c.exempt() && w.hadBody(at) {
		f.Refused[r.Status]++
	}
	w.tell(at, c, identity, kind, fetchCounted)
}

// kindAt returns the meaning of the record, an answer to a GET of robots.txt.
func (w *Worker) kindAt(at site) answerKind {
	kind := answerOf(w.record.Status, w.record.Size)
	switch {
	case kind != toldRedirect:
		return kind
	case w.sourceRedirects(at):
		return toldFollowed
	case at.schemeless && oneHost(w.policy, at.Site):
		return toldMoved
	}
	return kind
}

// tell keeps what a crawler was told by the answer to its fetch of robots.txt.
func (w *Worker) tell(at site, c *agent, identity Identity, kind answerKind, use fetchUse) {
	size := sizeOf(w.record.Status, w.record.Size)
	if c.Ambiguous {
		c, kind, size = w.knownAgent(c.Profile), toldNothing, 0 // no crawler is known to have been told
	}
	if c.exempt() {
		kind = toldNothing // robots.txt does not bind it, so its answers count for no crawler
	}
	w.deferFetch(at, c, identity, kind, size, use)
}

// sourceRedirects reports whether the source itself has a redirect at the record's time: for
// an origin of the host or, if there are several, for all of them.
func (w *Worker) sourceRedirects(at site) bool {
	p, n := w.policy, int32(0)
	for o := at.First; o < at.First+at.N; o++ {
		first, last := p.InForce(o, w.record.Time)
		if slices.ContainsFunc(p.Versions(o)[first:last], func(v policy.Version) bool { return v.Status/100 == 3 }) {
			n++
		}
	}
	return n > 0 && (n == at.N || oneHost(p, at.Site))
}

// answered counts an answer to a GET of robots.txt.
func (w *Worker) answered(at site) {
	r, t := &w.record, w.tally
	t.RobotsRequests++
	switch answerOf(r.Status, r.Size) {
	case toldFile, toldSame:
		t.RobotsServed++
	case toldNone, toldGone, toldLimited:
		t.RobotsNone++
	case toldFailed, toldBusy, toldError:
		t.RobotsFailed++
	}
	w.showed(at, true)
}

// showed keeps what an answer to a GET of robots.txt shows, whoever the client was, and lists its
// size if the status is 200 and the log tells size, time and site, in the period.
func (w *Worker) showed(at site, inPeriod bool) {
	r := &w.record
	switch kind := answerOf(r.Status, r.Size); kind {
	case toldNone, toldGone, toldLimited, toldBusy, toldError:
		w.deferAnswer(at, kind)
	case toldFile, toldSame, toldRedirect:
		w.deferAnswer(at, toldFile)
	}
	if inPeriod && r.HasTime && r.Status == 200 && r.Size >= 0 && at.N > 0 {
		w.countListed(at)
	}
}

// countListed counts the size of an answer to a GET of robots.txt for the report.
func (w *Worker) countListed(at site) {
	r, t := &w.record, w.tally
	right := w.hasVersion(at, func(v *policy.Version) bool { return v.Copy >= 0 && v.Size == r.Size })
	other := !right && !w.hasVersion(at, func(v *policy.Version) bool {
		return v.Size < 0 || v.Status == 204 &&
			r.Size == 0
	})
	if right {
		t.SizesRight++
	} else if other {
		t.SizesOther++
	}
	first, last := w.policy.InForce(at.First, r.Time)
	t.Sizes.add(sizeKey{at.Site, int32(first), int32(last), r.Size, other}, tallied{1, period{r.Time, r.Time, true}})
}

// hasVersion reports whether the site had such a version at the record's time.
func (w *Worker) hasVersion(at site, is func(*policy.Version) bool) bool {
	for o := at.First; o < at.First+at.N; o++ {
		versions := versionsAt(w.policy, o, w.record.Time)
		for i := range versions {
			if is(&versions[i]) {
				return true
			}
		}
	}
	return false
}

// hadBody reports whether every version that the site may have had at the record's time
// is a file with rules or comments, so that an answer without a body came from
// something else than the site.
func (w *Worker) hadBody(at site) bool {
	for i := range at.N {
		first, last := w.policy.InForce(at.First+i, w.record.Time)
		for _, v := range w.policy.Versions(at.First + i)[first:last] {
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
	if c.delayOf != l {
		c.delayOf, c.delay, c.isDelayed = l, 0, false
		if l.Cited >= 0 && delaySupport(c.Profile) != "no" {
			cited := w.policy.Versions(at.First)[l.Cited]
			c.delay, c.isDelayed = w.bindingAt(c, at.First).Delay(cited.Copy)
		}
	}
	if c.isDelayed {
		w.deferDelayed(at, c, c.delay)
	}
}
