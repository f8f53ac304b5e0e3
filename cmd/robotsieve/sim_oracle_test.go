package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/twin"
)

// simOracle tells what the audit must say of a world. It keeps every request and
// every version and decides each request by the words of the specification, which
// stand over the code; nothing is clever, and nothing is shared with the
// implementation: bodies are judged by internal/twin.
type simOracle struct {
	w         *simWorld
	timelines map[simOrigin][]simPiece
	origins   []simOrigin
	identity  []simIdentity // of each request
	gets      []simGet      // that may count as fetches of a robots.txt
	verdicts  []simVerdict  // of each request, once report has run
	twin      simTwin
	trace     *strings.Builder // if not nil, the reasoning is written here
}

const (
	simWindow = 24 * hour
	simSkew   = minute
	thirty    = 30 * day
)

func newOracle(w *simWorld) *simOracle {
	o := &simOracle{w: w, timelines: map[simOrigin][]simPiece{}, twin: simTwin{}, origins: w.origins()}
	for _, at := range o.origins {
		o.timelines[at] = o.timeline(at)
	}
	for i := range w.requests {
		o.identity = append(o.identity, o.identify(&w.requests[i]))
		if r := &w.requests[i]; o.fetches(i) {
			sites, _ := o.sites(r)
			o.gets = append(o.gets, simGet{r, o.identity[i], sites})
		}
	}
	return o
}

func (o *simOracle) say(format string, args ...any) {
	if o.trace != nil {
		fmt.Fprintf(o.trace, format+"\n", args...)
	}
}

// simVerdict is what is said of one request. verdict is empty for a line that is
// no request of a crawler; then bucket says where it is counted.
type simVerdict struct {
	bucket   string // blank, unparsed, not_crawlers, not_judged, other_host or ""
	crawler  *simBot
	identity string
	verdict  string // "violation", "indeterminate:contested", ...
	outcome  string
	method   string
	informed bool
	rule     simRule
}

// simRule is a rule that a violation broke.
type simRule struct {
	origin  string
	line    int
	rule    string
	version string
}

// String is how worked cases spell a verdict.
func (v simVerdict) String() string {
	if v.bucket != "" {
		return v.bucket
	}
	if v.informed {
		return v.verdict + " informed"
	}
	return v.verdict
}

// decide tells what the audit must say of the i-th request.
func (o *simOracle) decide(i int) simVerdict {
	r := &o.w.requests[i]
	switch {
	// 10: "empty lines are counted in `blank` and are not lines"
	case r.blank:
		return simVerdict{bucket: "blank"}
	// 10: "`unparsed` cannot be read as a record of the format"
	case r.garbage:
		return simVerdict{bucket: "unparsed"}
	// 10: "`not_crawlers` names no crawler"
	case r.bot == nil:
		return simVerdict{bucket: "not_crawlers"}
	// 10: "then, of crawlers' lines only, `not_judged` (target `*` or CONNECT)"
	case r.target == "*" || r.method == "CONNECT":
		return simVerdict{bucket: "not_judged"}
	}
	sites, known := o.sites(r)
	// 4: "Requests for origins without a policy are counted as `other_host`"
	if known && len(sites) == 0 {
		return simVerdict{bucket: "other_host"}
	}
	id := o.identity[i]
	v := simVerdict{crawler: id.bot, identity: id.state, outcome: outcome(r.status), method: "other"}
	if r.method == "GET" || r.method == "HEAD" {
		v.method = r.method
	}
	v.verdict = o.verdict(r, id, sites, known, &v)
	return v
}

// verdict decides in the order of section 1: "`spoofed`; `exempt`;
// `robots_fetch`; the reasons `no_time`, `no_host`, `ambiguous_agent`,
// `truncated`; then section 2".
func (o *simOracle) verdict(r *simRequest, id simIdentity, sites []simOrigin, known bool, v *simVerdict) string {
	switch {
	case id.state == "spoofed":
		return "spoofed"
	case id.bot.exempt:
		return "exempt"
	case r.isRobots():
		return "robots_fetch"
	case r.timeless:
		return "indeterminate:no_time"
	case !known:
		return "indeterminate:no_host"
	case id.ambiguous:
		return "indeterminate:ambiguous_agent"
	case r.truncated:
		return "indeterminate:truncated"
	}
	// 4: "without one, the request is judged under every scheme that the source
	// has for the host, and `indeterminate:unknown_scheme` if they disagree"
	var verdict string
	for n, at := range sites {
		one := o.settleAt(at, sites, r, id.bot)
		if n == 0 {
			verdict, v.rule, v.informed = one.verdict, one.rule, one.informed
			continue
		}
		if one.verdict != verdict {
			v.informed = false
			return "indeterminate:unknown_scheme"
		}
		v.informed = v.informed && one.informed
	}
	return verdict
}

// outcome is section 6.
func outcome(status int) string {
	switch {
	case status/100 == 2 || status == 304:
		return "obtained"
	case status/100 == 3:
		return "redirected"
	case status/100 == 5 || slices.Contains([]int{401, 403, 429, 444, 451}, status):
		return "refused"
	}
	return "absent"
}

// sites returns the origins under which a request is judged, in order; known is
// false where nobody can know (no_host).
func (o *simOracle) sites(r *simRequest) (sites []simOrigin, known bool) {
	all := o.origins
	switch {
	// 4: "`--robots FILE` applies to every line"
	case o.w.any():
		return all, true
	// 4: "A log without a host needs `--host`", "with `--policy` everything is `no_host`"
	case r.hostless && len(o.w.hosts) == 0:
		return nil, false
	case r.hostless:
		return all, true
	}
	for _, at := range all {
		if at.host == r.at.host && (r.at.port == 0 || at.port == r.at.port) && (r.at.scheme == "" || at.scheme == r.at.scheme) {
			sites = append(sites, at)
		}
	}
	return sites, true
}

// ---- who it was (8) ----

type simIdentity struct {
	bot       *simBot
	state     string
	ambiguous bool
}

func (o *simOracle) identify(r *simRequest) simIdentity {
	switch {
	case r.bot == nil:
		return simIdentity{}
	case r.rival == nil:
		return simIdentity{bot: r.bot, state: o.state(r.bot, r)}
	}
	// 7: "A header naming crawlers of two operators is
	// `indeterminate:ambiguous_agent`, unless its address verifies one of them;
	// it is counted under the first named."
	first, second := o.state(r.bot, r), o.state(r.rival, r)
	switch {
	case first == "verified":
		return simIdentity{bot: r.bot, state: first}
	case second == "verified":
		return simIdentity{bot: r.rival, state: second}
	case first == "spoofed" && second == "spoofed":
		return simIdentity{r.bot, "spoofed", true}
	case first == "unverifiable" && second == "unverifiable":
		return simIdentity{r.bot, "unverifiable", true}
	}
	return simIdentity{r.bot, "unverified", true}
}

// state is one of the four states of a client that claims to be bot.
func (o *simOracle) state(bot *simBot, r *simRequest) string {
	// "`unverifiable` (...; a private, loopback, link-local or shared address,
	// 100.64.0.0/10 among them, documentation ranges not; hashed addresses)"
	addr, err := netip.ParseAddr(r.addr)
	shared := netip.MustParsePrefix("100.64.0.0/10")
	if err != nil || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || shared.Contains(addr) {
		return "unverifiable"
	}
	given, proves := 0, true
	for _, list := range o.w.ranges {
		if list.bot.name != bot.name {
			continue
		}
		given++
		for _, p := range list.prefixes {
			if covers(p, addr) {
				// "A list whose creationTime is more than 30 days from the
				// request proves membership": a list of any age verifies.
				return "verified"
			}
		}
		// "... not absence"; "a list without a date is taken as current".
		if list.created != 0 && (r.timeless || absolute(r.time-list.created) > thirty) {
			proves = false
		}
	}
	switch {
	case given == 0 && !bot.publishes:
		return "unverifiable" // "the operator publishes nothing"
	case given == 0 || !proves:
		return "unverified" // "no ranges given, or too old for the request's time"
	}
	return "spoofed" // "ranges were given for this crawler and the address is in none of them"
}

func covers(prefix string, addr netip.Addr) bool {
	if p, err := netip.ParsePrefix(prefix); err == nil {
		return p.Contains(addr)
	}
	a, err := netip.ParseAddr(prefix)
	return err == nil && a == addr
}

func absolute(x int64) int64 { return max(x, -x) }

// ---- versions of robots.txt (2) ----

// simPiece is a version in force from its start until just before its end.
type simPiece struct {
	from, to int64
	began    int64 // where the manifest says that it begins
	status   int
	body     string
	hasBody  bool
	maxAge   int64
	lost     bool // a redirect that cannot be followed inside the source
	followed bool // a redirect that can: who got a body there did not get it from this version
}

func (p *simPiece) inForce(from, to int64) bool { return p.from <= to && p.to > from }

// rowsOf returns an origin's rows by time.
func (o *simOracle) rowsOf(at simOrigin) []simRow {
	var rows []simRow
	for _, r := range o.w.rows {
		if slices.Contains(r.origins, at) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y simRow) int { return int(max(-1, min(1, x.from-y.from))) })
	if len(rows) > 0 && (o.w.assume || o.w.constant) {
		rows[0].from = beginning // "lets each origin's first version begin before all time"
	}
	return rows
}

// timeline returns the versions of an origin, in order.
func (o *simOracle) timeline(at simOrigin) []simPiece {
	if o.w.constant {
		return []simPiece{{from: beginning, to: end, began: beginning, status: 200, body: o.w.rows[0].body, hasBody: true}}
	}
	rows := o.rowsOf(at)
	var pieces []simPiece
	for i, r := range rows {
		p := simPiece{from: r.from, to: end, began: r.from, status: r.status, body: r.body, hasBody: r.hasBody, maxAge: r.maxAge}
		if i+1 < len(rows) {
			p.to = rows[i+1].from // "ends where the next begins"
		}
		// "between two differing captures both are in force"
		if o.w.observed && i > 0 && differ(rows[i-1], r) {
			p.from = rows[i-1].from
		}
		// What is seen again is the version that was seen before.
		if o.w.observed && i > 0 && !differ(rows[i-1], r) && r.status/100 != 3 {
			pieces[len(pieces)-1].to = p.to
			continue
		}
		if r.status/100 == 3 {
			pieces = append(pieces, o.follow(at, r, p)...)
		} else {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

func differ(x, y simRow) bool {
	return x.status != y.status || x.body != y.body || x.hasBody != y.hasBody || x.location != y.location || x.maxAge != y.maxAge
}

// follow cuts a redirect where what it leads to changes. "Its `location` names
// another origin of the same source: that origin's version at the moment, up to 5
// hops, its rules read for the origin that was asked; more hops, a hop that the
// source forbids, or nothing there: as 4xx."
func (o *simOracle) follow(at simOrigin, r simRow, p simPiece) []simPiece {
	cuts := []int64{p.from}
	for _, other := range o.w.rows {
		if p.from < other.from && other.from < p.to {
			cuts = append(cuts, other.from)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var pieces []simPiece
	for i, from := range cuts {
		to := p.to
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		q := o.resolve(r, from)
		q.from, q.to = from, to
		if n := len(pieces); n > 0 && pieces[n-1].status == q.status && pieces[n-1].body == q.body &&
			pieces[n-1].lost == q.lost && pieces[n-1].began == q.began {
			pieces[n-1].to = to
			continue
		}
		pieces = append(pieces, q)
	}
	for i := range pieces {
		pieces[i].began = pieces[i].from
	}
	return pieces
}

// resolve tells what a redirect leads to at a moment; began is when that version
// of the target began.
func (o *simOracle) resolve(r simRow, at int64) simPiece {
	for hops := 1; ; hops++ {
		if r.outside {
			return simPiece{status: r.status, lost: true}
		}
		if hops > 5 {
			return simPiece{status: 404}
		}
		next, found := simRow{}, false
		for _, row := range o.rowsOf(r.target) {
			if row.from <= at {
				next, found = row, true
			}
		}
		if !found {
			return simPiece{status: 404}
		}
		if next.status/100 != 3 {
			return simPiece{followed: true, began: next.from, status: next.status, body: next.body, hasBody: next.hasBody, maxAge: next.maxAge}
		}
		r = next
	}
}

// isFailure tells whether (c) is for a status: "5xx, `unreachable` (no answer at
// all) or any code not named here". "408, 444 and 499 are not answers. For
// crawlers of the google dialect 429 counts as 5xx."
func isFailure(status int, google bool) bool {
	return status < 200 || status >= 500 || notAnswers(status) || google && status == 429
}

func notAnswers(status int) bool { return status == 408 || status == 444 || status == 499 }

// ---- lawful copies (2) ----

type copyKind int

const (
	copyBody    copyKind = iota
	copyFree             // everything allowed, by (b)
	copyFailure          // everything allowed, by (c)
)

type simCopy struct {
	kind copyKind
	body string
	why  string
}

// simLawful are the lawful copies at a moment, and what else section 2 asks.
type simLawful struct {
	copies     []simCopy
	unknown    bool // 1: the span, or that of a spell's beginning, starts before the first version
	redirected bool // 2: a redirect that cannot be followed is in the span
	moved      bool // a GET was answered 3xx
}

// lawful adds the lawful copies at the moments from first to last (one moment,
// except for the beginning of a spell between two observations). Spells that
// begin with piece limit or later do not count, "those by (c) of earlier spells
// included".
func (o *simOracle) lawful(l *simLawful, at simOrigin, bot *simBot, first, last int64, limit int) {
	pieces := o.timelines[at]
	window := cmpOr(o.w.window, simWindow)
	from, to := first-window-simSkew, last+simSkew
	if len(pieces) == 0 || from < pieces[0].from && pieces[0].from != beginning {
		l.unknown = true
	}
	spells := map[int]bool{}
	for i := range pieces {
		p := &pieces[i]
		// "a version's `max_age` enlarges it for that version"
		if !p.inForce(first-max(window, p.maxAge)-simSkew, to) {
			continue
		}
		switch {
		case p.lost:
			l.redirected = true
		case isFailure(p.status, bot.google):
			begins := i
			for begins > 0 && isFailure(pieces[begins-1].status, bot.google) {
				begins--
			}
			if begins < limit && !spells[begins] {
				spells[begins] = true
				o.spell(l, at, bot, begins, last)
			}
		case p.status/100 == 2:
			// (a) "the body of every version with status 2xx in force at any moment"
			l.add(simCopy{copyBody, p.body, "version of " + rfc3339(p.began)})
		default:
			// (b) "'everything allowed', for each version with status 4xx"
			l.add(simCopy{copyFree, "", fmt.Sprintf("version of %s is %d", rfc3339(p.began), p.status)})
		}
	}
	// (b) "and for each GET of the origin's /robots.txt logged in that span from
	// this operator's crawlers (not spoofed, exempt agents excepted) that was
	// answered 4xx, 204, or another 2xx with a logged body size of 0 or `-`"
	for _, f := range o.gets {
		if f.time < from || f.time > to || !slices.Contains(f.sites, at) || !sameOperator(f.by.bot, bot) || f.by.bot.exempt {
			continue
		}
		switch {
		case isNoPolicy(f.simRequest, bot.google):
			l.add(simCopy{copyFree, "", fmt.Sprintf("GET of %s was answered %d with %d bytes", rfc3339(f.time), f.status, f.size)})
		// "A GET of /robots.txt by this operator's crawlers logged in the span
		// with 3xx other than 304"
		case f.status/100 == 3 && f.status != 304:
			l.moved = true
		}
	}
}

func (l *simLawful) add(c simCopy) {
	for _, known := range l.copies {
		if known.kind == c.kind && known.body == c.body {
			return
		}
	}
	l.copies = append(l.copies, c)
}

// spell adds what (c) says of the spell that begins with a piece: "all lawful
// copies, those by (c) of earlier spells included, at the moment when its spell
// began ..., and 'everything allowed' if the spell began 30 days before t or
// earlier, or if nothing is known before it, or for crawlers of the google
// dialect".
func (o *simOracle) spell(l *simLawful, at simOrigin, bot *simBot, begins int, t int64) {
	p := o.timelines[at][begins]
	why := ""
	switch {
	case begins == 0:
		why = "nothing is known before the spell"
	case p.from <= t-thirty:
		why = "the spell of " + rfc3339(p.began) + " began 30 days before"
	case bot.google:
		why = "Google takes a 5xx as 404"
	}
	if why != "" {
		l.add(simCopy{copyFailure, "", why})
	}
	if p.from == beginning {
		return // nothing was before
	}
	// Between two observations the spell may have begun at any moment.
	o.lawful(l, at, bot, p.from, p.began, begins)
}

// simGet is a GET of a robots.txt at a known time, by a client that is not
// spoofed.
type simGet struct {
	*simRequest
	by    simIdentity
	sites []simOrigin // whose robots.txt it may be
}

// fetches tells whether the i-th request is a simGet.
func (o *simOracle) fetches(i int) bool {
	r := &o.w.requests[i]
	return !r.blank && !r.garbage && r.bot != nil && r.isRobots() && r.method == "GET" && !r.timeless && o.identity[i].state != "spoofed"
}

// sameOperator: a crawler that is not in the data is its own operator.
func sameOperator(x, y *simBot) bool {
	return x.name == y.name || !x.unknown && !y.unknown && x.operator == y.operator
}

func isNoPolicy(f *simRequest, google bool) bool {
	switch {
	case f.status/100 == 4:
		return !isFailure(f.status, google)
	case f.status == 204:
		return true
	}
	return f.status/100 == 2 && f.size <= 0
}

// ---- settling (2) ----

// settleAt gives the verdict of a request under one origin.
func (o *simOracle) settleAt(at simOrigin, sites []simOrigin, r *simRequest, bot *simBot) simVerdict {
	var l simLawful
	o.lawful(&l, at, bot, r.time, r.time, math.MaxInt)
	answers := make([]simJudgement, len(l.copies))
	for i, c := range l.copies {
		if c.kind == copyBody {
			answers[i] = o.twin.judge(c.body, bot, r.target)
		}
		o.say("  %v: %s %s", at, c.why, answers[i].answer)
	}
	o.say("  %v: unknown %v, redirected %v, moved %v", at, l.unknown, l.redirected, l.moved)
	// 7: "Take contested copies once as forbidding and once as permitting, and
	// settle twice: equal verdicts stand; if they differ and one is `violation`
	// or `indeterminate`: `contested`; otherwise `grace`."
	strict, mild := l.settle(answers, simContested), l.settle(answers, simForbids)
	v := simVerdict{verdict: strict}
	if strict != mild {
		v.verdict = "grace"
		for _, s := range []string{strict, mild} {
			if s == "violation" || strings.HasPrefix(s, "indeterminate") {
				v.verdict = "indeterminate:contested"
			}
		}
	}
	switch v.verdict {
	case "violation":
		v.rule = o.cite(at, sites, r, bot, &l)
		v.informed = o.informed(at, r, bot)
	case "grace":
		v.informed = o.informed(at, r, bot)
	}
	return v
}

// settle gives the verdict where all copies with an answer up to forbidding in
// the order permits, forbids, contested forbid: with contested the contested ones
// do, with forbids they permit.
func (l *simLawful) settle(answers []simJudgement, upTo simAnswer) string {
	var permitting [3]bool
	forbidding := false
	for i, c := range l.copies {
		if a := answers[i].answer; a != simPermits && a <= upTo {
			forbidding = true
		} else {
			permitting[c.kind] = true
		}
	}
	permitted := permitting != [3]bool{}
	switch {
	case l.unknown && !permitted: // 1
		return "indeterminate:no_version"
	case l.redirected: // 2
		return "indeterminate:redirected_policy"
	case l.moved && !permitted: // "where nothing known permits"
		return "indeterminate:redirected_policy"
	case !permitted: // 3
		return "violation"
	case permitting[copyBody] && forbidding: // 5
		return "grace"
	case permitting[copyBody]:
		return "allowed"
	case permitting[copyFailure]: // 4
		return "unreachable"
	}
	return "no_policy"
}

// cite returns the rule that a violation quotes: that of the newest version with
// one of the lawful bodies that began by t + s, else of the oldest of those.
func (o *simOracle) cite(at simOrigin, sites []simOrigin, r *simRequest, bot *simBot, l *simLawful) simRule {
	var cited *simPiece
	for i := range o.timelines[at] {
		p := &o.timelines[at][i]
		lawful := p.status/100 == 2 && !p.lost && slices.ContainsFunc(l.copies, func(c simCopy) bool {
			return c.kind == copyBody && c.body == p.body
		})
		if lawful && (cited == nil || p.began <= r.time+simSkew) {
			cited = p
		}
	}
	line := o.twin.judge(cited.body, bot, r.target).line
	name := at.String()
	switch {
	case o.w.any():
		name = ""
	case len(sites) > 1: // nobody knows which of them it was, perhaps not even the host
		name = at.host
		for _, other := range sites {
			if other.host != at.host {
				name = ""
			}
		}
	}
	return simRule{name, line, ruleText(cited.body, line), rfc3339(cited.began)}
}

// ruleText is the rule on a line: its key as the standard spells it, its value as
// in the file.
func ruleText(body string, line int) string {
	text := strings.Split(body, "\n")[line-1]
	text, _, _ = strings.Cut(text, "#")
	_, value, found := strings.Cut(text, ":")
	if !found {
		_, value, _ = strings.Cut(strings.TrimSpace(text), " ")
	}
	return "Disallow: " + strings.TrimSpace(value)
}

// informed: "when this crawler itself (not spoofed) had at some moment f < t
// fetched (GET, answered 304, or 2xx that (b) does not count as empty) and every
// version in force in [f - s, f + s] has a body that forbids the request".
func (o *simOracle) informed(at simOrigin, r *simRequest, bot *simBot) bool {
	for _, f := range o.gets {
		if f.time >= r.time || !slices.Contains(f.sites, at) || f.by.bot != bot || f.by.ambiguous {
			continue
		}
		if f.status != 304 && (f.status/100 != 2 || isNoPolicy(f.simRequest, bot.google)) {
			continue
		}
		told, versions := true, 0
		for _, p := range o.timelines[at] {
			if !p.inForce(f.time-simSkew, f.time+simSkew) {
				continue
			}
			versions++
			told = told && !p.lost && !p.followed && p.status/100 == 2 && o.twin.judge(p.body, bot, r.target).answer == simForbids
		}
		if told && versions > 0 {
			o.say("  informed by the GET of %s", rfc3339(f.time))
			return true
		}
	}
	return false
}

// ---- what a body says (7) ----

type simAnswer int

const (
	simPermits simAnswer = iota
	simForbids
	simContested
)

func (a simAnswer) String() string { return [...]string{"permits", "forbids", "contested"}[a] }

type simJudgement struct {
	answer simAnswer
	line   int
}

// simTwin remembers what internal/twin has said, which is slow.
type simTwin map[twinKey]twinAnswer

type twinKey struct {
	dialect          twin.Dialect
	wide             bool
	body, token, url string
}

type twinAnswer struct {
	allowed bool
	line    int
}

// simMaxBytes is how much of a robots.txt counts.
const simMaxBytes = 512_000

func (c simTwin) match(k twinKey) (allowed bool, line int) {
	a, known := c[k]
	if !known {
		a.allowed, a.line = twin.Match(k.dialect, []byte(k.body), []byte(k.token), []byte(k.url), simMaxBytes, k.wide)
		c[k] = a
	}
	return a.allowed, a.line
}

// judge asks what a body says of a request: "Crawlers of Google are judged by
// `google` ... For all others ... a copy forbids only where `google` and
// `rfc9309` both forbid, and permits where both permit". "In this `google`
// reading product tokens are cut by rfc9309's rule 2."
func (c simTwin) judge(body string, bot *simBot, target string) simJudgement {
	if bot.google {
		return judgement(c.ask(twin.Google, false, body, bot, target))
	}
	strict, line := c.ask(twin.RFC9309, false, body, bot, target)
	wide, _ := c.ask(twin.Google, true, body, bot, target)
	if strict != wide {
		return simJudgement{simContested, 0}
	}
	return judgement(strict, line)
}

func judgement(allowed bool, line int) simJudgement {
	if allowed {
		return simJudgement{simPermits, 0}
	}
	return simJudgement{simForbids, line}
}

// ask asks one dialect. "The first of its tokens for which the robots.txt has a
// group; none, then `*` unless it ignores `*` (then everything is allowed)."
// "For `google` ... the URL as scheme://host + target": any origin will do.
func (c simTwin) ask(dialect twin.Dialect, wide bool, body string, bot *simBot, target string) (allowed bool, line int) {
	k := twinKey{dialect, wide, body, "", target}
	if dialect == twin.Google && strings.HasPrefix(target, "/") {
		k.url = "https://example.com" + target
	}
	for _, k.token = range bot.tokens {
		if c.hasGroup(k) {
			return c.match(k)
		}
	}
	if bot.noStar {
		return true, 0
	}
	return c.match(k)
}

// hasGroup tells whether a robots.txt has a group for a token: whether a group
// for *, with a rule longer than all others, put before it, does not bind.
func (c simTwin) hasGroup(k twinKey) bool {
	probe := "/" + strings.Repeat("probe", 50)
	k.body = "User-agent: *\nDisallow: " + probe + "\n" + k.body
	k.url = "https://example.com" + probe
	allowed, line := c.match(k)
	return allowed || line != 2
}

func cmpOr(x, y int64) int64 {
	if x != 0 {
		return x
	}
	return y
}

// ---- the report (9, 10) ----

// report sums up what is said of all requests.
func (o *simOracle) report() *simReport {
	rep := &simReport{crawlers: map[string]*simCrawler{}}
	for i := range o.w.requests {
		o.verdicts = append(o.verdicts, o.decide(i))
	}
	for _, v := range o.verdicts {
		switch v.bucket {
		case "blank":
			rep.Blank++
			continue
		case "unparsed":
			rep.Unparsed++
		case "not_crawlers":
			rep.NotCrawlers++
		case "not_judged":
			rep.NotJudged++
		case "other_host":
			rep.OtherHost++
		}
		rep.Lines++
		if v.bucket == "" {
			rep.crawler(v.crawler).count(v)
		}
	}
	for _, c := range rep.crawlers {
		o.addFetches(c)
		o.addDelays(c)
		rep.Crawlers = append(rep.Crawlers, c)
	}
	// "crawlers sorted by violations then name"
	slices.SortFunc(rep.Crawlers, func(x, y *simCrawler) int {
		if d := y.Verdicts["violation"] - x.Verdicts["violation"]; d != 0 {
			return int(d)
		}
		return strings.Compare(x.Crawler, y.Crawler)
	})
	return rep
}

func (rep *simReport) crawler(b *simBot) *simCrawler {
	c := rep.crawlers[b.name]
	if c == nil {
		c = &simCrawler{
			Crawler: b.name, Operator: b.operator,
			Verdicts: map[string]int64{}, Reasons: map[string]int64{}, Outcomes: map[string]int64{}, Identity: map[string]int64{},
			crossed: map[simCrossed]int64{}, rules: map[simRule]int64{}, bot: b,
		}
		rep.crawlers[b.name] = c
	}
	return c
}

func (c *simCrawler) count(v simVerdict) {
	c.Requests++
	c.Identity[v.identity]++
	verdict, reason, _ := strings.Cut(v.verdict, ":")
	c.Verdicts[verdict]++
	if reason != "" {
		c.Reasons[reason]++
	}
	if verdict == "violation" {
		c.Outcomes[v.outcome]++
		c.crossed[simCrossed{v.identity, v.outcome, v.method, v.informed}]++
		c.rules[v.rule]++
	}
	if verdict == "grace" && v.informed {
		c.GraceInformed++
	}
}

// addFetches adds the crawler's own fetches of /robots.txt: "HEAD fetches
// nothing", and a spoofed client is not the crawler. Gaps are between successive
// fetches of the same origin.
func (o *simOracle) addFetches(c *simCrawler) {
	f := &c.RobotsTxt
	f.Answers = map[string]int64{}
	byOrigin := map[string][]int64{}
	first, last := end, beginning
	for i := range o.w.requests {
		r := &o.w.requests[i]
		if o.identity[i].bot != c.bot || o.identity[i].state == "spoofed" || o.verdicts[i].bucket != "" || !r.isRobots() || r.method != "GET" {
			continue
		}
		f.Fetches++
		f.Answers[answerClass(r.status)]++
		if r.timeless {
			continue
		}
		first, last = min(first, r.time), max(last, r.time)
		sites, _ := o.sites(r)
		byOrigin[fmt.Sprint(sites)] = append(byOrigin[fmt.Sprint(sites)], r.time)
	}
	if first != end {
		f.First, f.Last = rfc3339(first), rfc3339(last)
	}
	var gaps []int64
	for _, times := range byOrigin {
		gaps = append(gaps, between(times)...)
	}
	within := 0
	for _, g := range gaps {
		f.longest = max(f.longest, g)
		if g <= 24*hour {
			within++
		}
	}
	f.Gaps, f.gaps = int64(len(gaps)), slices.Sorted(slices.Values(gaps))
	if len(gaps) > 0 {
		f.within = float64(within) / float64(len(gaps))
	}
}

func answerClass(status int) string {
	switch {
	case status == 304, status == 429:
		return fmt.Sprint(status)
	case status >= 200 && status < 600:
		return fmt.Sprintf("%dxx", status/100)
	}
	return "other"
}

// between returns the gaps between successive times.
func between(times []int64) []int64 {
	slices.Sort(times)
	var gaps []int64
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i]-times[i-1])
	}
	return gaps
}

// addDelays is section 9, for worlds with one constant robots.txt: "gaps between
// successive requests of one (crawler, address) on the origin". It binds no exempt
// agent.
func (o *simOracle) addDelays(c *simCrawler) {
	if !o.w.any() || c.bot.exempt {
		return
	}
	delay, found := crawlDelay(o.w.rows[0].body, c.bot)
	if !found {
		return
	}
	byAddr := map[string][]int64{}
	for i := range o.w.requests {
		r := &o.w.requests[i]
		if o.identity[i].bot == c.bot && o.identity[i].state != "spoofed" && !r.timeless && o.verdicts[i].bucket == "" {
			byAddr[r.addr] = append(byAddr[r.addr], r.time)
		}
	}
	d := simDelay{Delay: delay}
	for _, addr := range slices.Sorted(maps.Keys(byAddr)) {
		for _, g := range between(byAddr[addr]) {
			d.all = append(d.all, g)
			if float64(g) < delay {
				d.Shorter++
			}
		}
	}
	if d.Gaps = int64(len(d.all)); d.Gaps > 0 {
		slices.Sort(d.all)
		c.CrawlDelay = append(c.CrawlDelay, d)
	}
}

// crawlDelay returns the delay of the one group of a robots.txt that binds a
// crawler. It understands only what the simulator writes: one Crawl-delay a
// group, and groups with one agent each.
func crawlDelay(body string, bot *simBot) (seconds float64, found bool) {
	groups := map[string]string{}
	agent := ""
	for line := range bytes.Lines([]byte(body)) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch key {
		case "User-agent":
			agent = strings.ToLower(value)
			groups[agent] += ""
		case "Crawl-delay":
			groups[agent] = value
		}
	}
	tokens := slices.Clone(bot.tokens)
	if !bot.noStar {
		tokens = append(tokens, "*")
	}
	for _, token := range tokens {
		if value, ok := groups[strings.ToLower(token)]; ok {
			n, err := fmt.Sscan(value, &seconds)
			return seconds, n == 1 && err == nil
		}
	}
	return 0, false
}
