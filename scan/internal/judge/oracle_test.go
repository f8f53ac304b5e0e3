package judge_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/internal/test/twin"
)

// simOracle reports what the audit must say of a world. It keeps every request and every version
// and decides each request by the words of the specification, which stand over the code; nothing is
// clever, and nothing is shared with the implementation: bodies are judged by internal/test/twin.
type simOracle struct {
	w         *simWorld
	timelines map[simOrigin][]simPiece
	origins   []simOrigin
	identity  []simIdentity // of each request
	gets      []simGet      // the GETs of a robots.txt by anybody
	verdicts  []simVerdict  // of each request, once report has run
	twin      simTwin
	trace     *strings.Builder // if not nil, the reasoning is written here
	copies    map[simMoment]*simLawful

	window, delay, skew int64

	isCut bool // addresses of IPv4 that look cut are
}

const (
	simWindow = 24 * hour
	simLate   = 3 * hour
	simSkew   = 10 * minute
	thirty    = 30 * day
)

func newOracle(w *simWorld) *simOracle {
	o := &simOracle{
		w: w, timelines: map[simOrigin][]simPiece{}, twin: simTwin{}, origins: w.origins(), copies: map[simMoment]*simLawful{},
		window: cmp.Or(w.window, simWindow), delay: cmp.Or(w.delay, simLate), skew: cmp.Or(w.skew, simSkew),
	}
	// 10: "Times of a format that names no zone are taken as UTC with a skew of 14 h and s"
	if w.isZoneless() {
		o.skew += 14 * hour
	}
	for _, at := range o.origins {
		o.timelines[at] = o.timeline(at)
	}
	o.isCut = w.isCut()
	for i := range w.requests {
		r := &w.requests[i]
		o.identity = append(o.identity, o.identify(r))
		if !r.blank && !r.garbage && !r.requestless && r.path == "/robots.txt" && r.method == "GET" {
			sites, known := o.sites(r)
			if !known { // it may be any
				sites = o.origins
			}
			o.gets = append(o.gets, simGet{r, o.identity[i], sites, known})
		}
	}
	return o
}

func (o *simOracle) say(format string, args ...any) {
	if o.trace != nil {
		fmt.Fprintf(o.trace, format+"\n", args...)
	}
}

// simVerdict is the verdict on one request. verdict is empty for a line that isn't a request of a
// crawler; then bucket says where it is counted.
type simVerdict struct {
	bucket   string // blank, unparsed, not_crawlers, not_judged, other_host or ""
	crawler  *simBot
	identity string
	verdict  string // "violation", "indeterminate:contested", ...
	outcome  string
	method   string
	informed bool
	rule     simRule

	evasive bool // of allowed and contested
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
	s := v.verdict
	for _, mark := range []struct {
		set  bool
		name string
	}{{v.informed, " informed"}, {v.evasive, " evasive"}} {
		if mark.set {
			s += mark.name
		}
	}
	return s
}

// decide returns the expected verdict on the i-th request.
func (o *simOracle) decide(i int) simVerdict {
	r := &o.w.requests[i]
	switch {
	// 10: "empty lines are counted in `blank` and are not lines"
	case r.blank:
		return simVerdict{bucket: "blank"}
	// 10: "`unparsed` cannot be read as a record of the format"
	case r.garbage:
		return simVerdict{bucket: "unparsed"}
	// 10: "a line that carries no HTTP request"
	case r.requestless:
		return simVerdict{bucket: "not_judged"}
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
	v := simVerdict{crawler: id.bot, identity: id.state, outcome: outcome(r), method: "other"}
	if r.method == "GET" || r.method == "HEAD" {
		v.method = r.method
	}
	o.judge(r, id, sites, known, &v)
	return v
}

// judge decides in the order of section 1: "`spoofed`; `exempt`; `robots_fetch`;
// the reasons `no_time`, `no_host`, `ambiguous_agent`, `truncated`; then section 2".
func (o *simOracle) judge(r *simRequest, id simIdentity, sites []simOrigin, known bool, v *simVerdict) {
	switch {
	case id.state == "spoofed":
		v.verdict = "spoofed"
	case id.bot.exempt:
		v.verdict = "exempt"
	case isRobotsFetch(r.path):
		v.verdict = "robots_fetch"
	case r.timeless:
		v.verdict = "indeterminate:no_time"
	case !known:
		v.verdict = "indeterminate:no_host"
	case id.ambiguous:
		v.verdict = "indeterminate:ambiguous_agent"
	case r.truncated:
		v.verdict = "indeterminate:truncated"
	default:
		v.verdict, v.rule = o.settle(r, id.bot, sites)
		normal := *r
		normal.path = normalPath(r.path)
		normal.target = strings.TrimSuffix(r.target, r.path) + normal.path
		forbidden := false // 5: "/robots.txt as a normal form is permitted"
		if !isRobotsFetch(normal.path) {
			verdict, _ := o.settle(&normal, id.bot, sites)
			forbidden = verdict == "violation"
		}
		switch v.verdict {
		case "violation":
			// 5: "a `violation` whose normal form would not be one is `indeterminate:contested`, decided after `unknown_scheme`"
			if !forbidden {
				v.verdict, v.rule = "indeterminate:contested", simRule{}
				return
			}
			v.informed = o.informed(r, id, sites)
		case "grace":
			v.informed = o.informed(r, id, sites)
		case "allowed", "indeterminate:contested":
			// 5: "although the normal form of its path ... is forbidden by every copy"
			v.evasive = forbidden
		}
	}
}

// isRobotsFetch is section 1: "`/robots.txt?x` and `//robots.txt` too".
func isRobotsFetch(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return path == "/robots.txt" || path == "//robots.txt"
}

// settle gives the verdict of section 2 under all origins that a request may be for. 4: "judged under every scheme that
// the source has for the host, and `indeterminate:unknown_scheme` if they disagree".
func (o *simOracle) settle(r *simRequest, bot *simBot, sites []simOrigin) (verdict string, rule simRule) {
	scheme, _, _ := strings.Cut(r.target, "://")
	if r.wholeURL && len(sites) > 0 && !slices.ContainsFunc(sites, func(at simOrigin) bool { return at.scheme == scheme }) {
		return "indeterminate:unknown_scheme", simRule{} // 4: "and only the other scheme has a robots.txt here"
	}
	for n, at := range sites {
		one, cited := o.settleAt(at, sites, r, bot)
		if n == 0 {
			verdict, rule = one, cited
		} else if one != verdict && at.host != sites[0].host {
			return "indeterminate:no_host", simRule{} // not even the host is known
		} else if one != verdict {
			return "indeterminate:unknown_scheme", simRule{}
		}
	}
	return verdict, rule
}

// normalPath is section 5: "encoded unreserved octets decoded, dot segments removed; and runs of slashes made one".
func normalPath(target string) string {
	var b strings.Builder
	for rest := target; rest != ""; {
		if len(rest) >= 3 && rest[0] == '%' {
			c, err := strconv.ParseUint(rest[1:3], 16, 8)
			if err == nil && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
				rune(c)) {
				b.WriteByte(byte(c))
				rest = rest[3:]
				continue
			}
		}
		b.WriteByte(rest[0])
		rest = rest[1:]
	}
	path, query, hasQuery := strings.Cut(b.String(), "?")
	segments := strings.Split(path, "/")[1:]
	kept := []string{}
	for i, segment := range segments {
		last := i == len(segments)-1
		switch {
		case segment == "..":
			kept = kept[:max(0, len(kept)-1)]
		case segment != ".":
			kept = append(kept, segment)
		}
		if last && (segment == "." || segment == "..") {
			kept = append(kept, "")
		}
	}
	path = "/" + strings.Join(kept, "/")
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if hasQuery {
		path += "?" + query
	}
	return path
}

// outcome is section 6.
func outcome(r *simRequest) string {
	switch {
	case r.status == 202: // "accepted is not content, and challenges are sent so"
		return "other"
	case r.status/100 == 2 && (r.method == "HEAD" || r.status == 204 || r.size <= 0):
		return "empty"
	case r.status/100 == 2:
		return "content"
	case r.status == 304:
		return "not_modified"
	case r.status/100 == 3:
		return "redirected"
	case r.status/100 == 5 || slices.Contains([]int{401, 402, 403, 429, 444, 451}, r.status):
		return "refused"
	}
	return "other"
}

// sites returns the origins under which a request is judged, in order; known is false where nobody can know (no_host).
func (o *simOracle) sites(r *simRequest) (sites []simOrigin, known bool) {
	all := o.origins
	switch {
	// 4: "`--robots FILE` applies to every line"; "with `--robots` alone in a format that
	// names no host, every line whose target names a host is one", of `other_host`
	case o.w.any() && !r.hostless:
		return nil, true
	case o.w.any():
		return all, true
	// 4: "A log without a host needs `--host`", "with `--policy` everything is `no_host`"
	case r.hostless && len(o.w.hosts) == 0:
		return nil, false
	case r.hostless:
		return all, true
	}
	for _, at := range all {
		port := r.at.port == 0 || at.port == r.at.port || r.at.port == simDefaultPort && at.port == simPorts[at.scheme]
		if at.host == r.at.host && port && (r.at.scheme == "" || at.scheme == r.at.scheme) {
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
	if r.bot == nil {
		return simIdentity{}
	}
	named := []*simBot{r.bot}
	if r.rival != nil {
		named = append(named, r.rival)
	}
	var states []string
	for _, bot := range named {
		state := o.state(bot, r)
		// 7: "A header naming crawlers of two operators is `indeterminate:ambiguous_agent`, unless its
		// address verifies one of them; it is counted under the first named"; "A header is ambiguous
		// too, unless its address verifies the crawler, if it begins with any word other than ...".
		if state == "verified" || r.rival == nil && !r.foreign {
			return simIdentity{bot: bot, state: state}
		}
		states = append(states, state)
	}
	// "Such a header claims nothing, so it is never an impostor."; 11: "an impostor only
	// if it is proven to be none of them"
	if states[0] == "spoofed" && (r.foreign || states[len(states)-1] != "spoofed") {
		states[0] = "unverified"
	}
	return simIdentity{r.bot, states[0], true}
}

// looksCut: "An IPv4 address whose last octet is 0, 1 or 255".
func looksCut(addr netip.Addr) bool {
	return addr.Is4() && slices.Contains([]byte{0, 1, 255}, addr.As4()[3])
}

// isCut: "is taken as cut if at least three distinct addresses of the log's lines (crawlers' or not) are so,
// and they are more than a twentieth of the distinct addresses of that family".
func (w *simWorld) isCut() bool {
	all, cut := map[netip.Addr]bool{}, 0
	for i := range w.requests {
		r := &w.requests[i]
		addr, err := netip.ParseAddr(r.addr)
		if r.blank || r.garbage || r.requestless || err != nil || !addr.Is4() || all[addr] {
			continue
		}
		if all[addr] = true; looksCut(addr) {
			cut++
		}
	}
	return cut >= 3 && cut*20 > len(all)
}

// state is one of the four states of a client that claims to be bot.
func (o *simOracle) state(bot *simBot, r *simRequest) string {
	// "`unverifiable` (...; a private, loopback, link-local or shared address,
	// 100.64.0.0/10 among them, documentation ranges not; hashed addresses)"
	addr, err := netip.ParseAddr(r.addr)
	shared := netip.MustParsePrefix("100.64.0.0/10")
	if err == nil && o.isCut && looksCut(addr) {
		return "unverifiable" // "an address that is cut"
	}
	if err != nil || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || shared.Contains(addr) {
		return "unverifiable"
	}
	given := map[string]bool{} // each FILE: whether it has a list made about the request
	for i, list := range o.w.ranges {
		if !list.isFor(bot) {
			continue
		}
		within := func(before, after int64) bool { // the list is made at most so long before or after the request
			return list.created != 0 && !r.timeless && list.created >= r.time-before && list.created <= r.time+after
		}
		// "*membership* of an address, for requests within a year before or after it
		// was made"; "*Without a date* a list proves membership only".
		if list.has(addr) && (list.created == 0 || within(365*day, 365*day)) {
			return "verified"
		}
		// "one of them was made at most one day before the request or at most 30 days after it"; "absence needs, of each FILE
		// given for the crawler, a list made about the request with addresses of its family". That each list of the crawler
		// made within 30 days lacks the address follows: it is not verified.
		file := cmp.Or(list.series, fmt.Sprint(i))
		given[file] = given[file] || list.knowsFamily(addr) && within(day, thirty)
	}
	switch {
	case len(given) == 0 && !bot.publishes:
		return "unverifiable" // "the operator publishes nothing"
	case len(given) == 0 || slices.Contains(slices.Collect(maps.Values(given)), false):
		return "unverified" // "no ranges given, or none that speaks of the request's time"
	}
	return "spoofed"
}

func (l simRanges) isFor(bot *simBot) bool {
	return l.bot.name == bot.name || slices.Contains(l.also, bot)
}

func (l simRanges) has(addr netip.Addr) bool {
	return slices.ContainsFunc(l.prefixes, func(p string) bool { return covers(p, addr) })
}

func (l simRanges) knowsFamily(addr netip.Addr) bool {
	return slices.ContainsFunc(l.prefixes, func(p string) bool { return strings.Contains(p, ":") == addr.Is6() })
}

func covers(prefix string, addr netip.Addr) bool {
	if p, err := netip.ParsePrefix(prefix); err == nil {
		return p.Contains(addr)
	}
	a, err := netip.ParseAddr(prefix)
	return err == nil && a == addr
}

// ---- versions of robots.txt (2) ----

// simPiece is a version in force from its start until just before its end.
type simPiece struct {
	from, to int64
	began    int64 // where the manifest says that it begins
	status   int
	body     string
	hasBody  bool
	maxAge   int64
	redirect bool // by its own status; what follows is what it leads to
	lost     bool // a redirect that cannot be followed inside the source
	beyond   bool // past the fifth hop
}

// hasFile reports whether a crawler may have got a body from the version.
func (p *simPiece) hasFile() bool { return !p.lost && p.status/100 == 2 && p.status != 204 }

func (p *simPiece) failed(google bool) bool { return !p.lost && isFailure(p.status, google) }

// inForce: "for a version with a max_age it begins that much earlier", each span.
func (p *simPiece) inForce(from, to int64) bool { return p.from <= to && p.to > from-p.maxAge }

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
		p := simPiece{from: r.from, to: end, began: r.from, status: r.status, body: r.body, hasBody: r.hasBody,
			maxAge: r.maxAge}
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
	return x.status != y.status || x.body != y.body || x.hasBody != y.hasBody || x.location != y.location ||
		x.maxAge != y.maxAge
}

// follow cuts a redirect where what it leads to changes.
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
			pieces[n-1].lost == q.lost && pieces[n-1].beyond == q.beyond && pieces[n-1].began == q.began {
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

// resolve tells what a redirect leads to at a moment; began is when that version of the target began. "Its `location`
// names another origin of the same source: that origin's version at the moment, its rules read for the origin that was
// asked. Within five hops the body reached is the copy; past the fifth, both 'everything allowed' and the body at the
// end if the source has it; a hop that the source forbids, or nothing there: none."
func (o *simOracle) resolve(r simRow, at int64) simPiece {
	none := simPiece{status: 404, redirect: true}
	for hops := 1; hops <= 5+len(o.w.rows); hops++ {
		switch {
		case r.outside && hops > 5:
			return none
		case r.outside:
			return simPiece{status: r.status, redirect: true, lost: true}
		}
		next, found := simRow{}, false
		for _, row := range o.rowsOf(r.target) {
			if row.from <= at {
				next, found = row, true
			}
		}
		if !found {
			return none
		}
		if next.status/100 != 3 {
			p := simPiece{redirect: true, began: next.from, status: next.status, body: next.body, hasBody: next.hasBody,
				maxAge: next.maxAge}
			if p.beyond = hops > 5; p.beyond && !p.hasFile() {
				return none
			}
			return p
		}
		r = next
	}
	return none // in a circle
}

// isFailure: "it *failed* if it is 5xx, 444, 499 or has no status, and for crawlers of the google
// dialect 429"; "444, 499, `unreachable` and every code not named here failed".
func isFailure(status int, google bool) bool {
	return status < 200 || status >= 500 || status == 444 || status == 499 || google && status == 429
}

// isNone: "*none* (...) if it is 4xx, 204, or another 2xx with a logged body size of
// 0 or `-`". "The same words hold for versions"; these have no logged size.
func isNone(status int, size int64, google bool) bool {
	return status/100 == 4 && !isFailure(status, google) || status == 204 || status/100 == 2 && size <= 0
}

// isNotFound: "failed with a 5xx other than 503 (Google takes a 5xx that means 'not found' as 404 ...)".
func isNotFound(status int) bool { return status/100 == 5 && status != 503 }

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
	unknown    bool // 1: there may be a copy that nobody knows
	redirected bool // 2: a redirect that cannot be followed is in the span
	moved      bool // a fetch was answered with a redirect that the source does not explain
}

func (l *simLawful) add(kind copyKind, body, why string, args ...any) {
	for _, known := range l.copies {
		if known.kind == kind && known.body == body {
			return
		}
	}
	l.copies = append(l.copies, simCopy{kind, body, fmt.Sprintf(why, args...)})
}

// simMoment is a moment of a crawler on an origin: two targets are often judged there.
type simMoment struct {
	at  simOrigin
	bot *simBot
	t   int64
}

// lawful returns the copies that a crawler may use on an origin at t.
func (o *simOracle) lawful(at simOrigin, bot *simBot, t int64) *simLawful {
	if known := o.copies[simMoment{at, bot, t}]; known != nil {
		return known
	}
	l := &simLawful{}
	o.copies[simMoment{at, bot, t}] = l
	pieces := o.timelines[at]
	// "The *span* is [t - W - d - s, t + s]"
	from, to := t-o.window-o.delay-o.skew, t+o.skew
	if o.failed(at, bot, t, from, to) {
		// (c) "the *long span*, which begins 60 days before the span and ends with it"
		from -= 60 * day
		// "Also 'everything allowed' if a version that failed is in force, or an operator's fetch failed, at any moment from
		// the beginning of the long span to 29 days before t ..., or, for crawlers of the google dialect, if a version or an
		// operator's fetch of the long span failed with a 5xx other than 503"
		for i := range pieces {
			p := &pieces[i]
			if p.failed(bot.google) && (p.inForce(from, t-29*day) || bot.google && isNotFound(p.status) && p.inForce(from, to)) {
				l.add(copyFailure, "", "version of %s is %d", rfc3339(p.began), p.status)
			}
		}
		for _, f := range o.operators(at, bot, from, to) {
			if isFailure(f.status, bot.google) && (f.time <= t-29*day || bot.google && isNotFound(f.status)) {
				l.add(copyFailure, "", "GET of %s was answered %d", rfc3339(f.time), f.status)
			}
		}
	}
	for i := range pieces {
		if pieces[i].inForce(from, to) {
			l.addVersion(&pieces[i], bot)
		}
	}
	o.addAnswers(l, at, bot, from, to)
	// 1: "the span, or the long span where (c) holds, starts (without any max_age) before the
	// origin's first version, or (a) says so"; "With `--history observed` nothing is known either
	// later than W after an origin's last observation, unless `--assume-constant`".
	l.unknown = len(pieces) == 0 || from < pieces[0].from && pieces[0].from != beginning ||
		o.wasSentWhatNobodyKnows(at, bot)
	if o.w.observed && !o.w.assume && len(pieces) > 0 {
		rows := o.rowsOf(at)
		l.unknown = l.unknown || t > rows[len(rows)-1].from+o.window
	}
	return l
}

// failed reports whether (c) holds: "if a version that failed is in force at any moment of
// the span, or an operator's fetch in the span failed, or a GET of it by any client, in the
// span and after the operator's last logged fetch before t, was answered 5xx".
func (o *simOracle) failed(at simOrigin, bot *simBot, t, from, to int64) bool {
	if slices.ContainsFunc(o.timelines[at], func(p simPiece) bool { return p.failed(bot.google) && p.inForce(from, to) }) {
		return true
	}
	since := from
	for _, f := range o.operators(at, bot, from, to) {
		if isFailure(f.status, bot.google) {
			return true
		}
		if f.time < t && f.isOfOneHost() {
			since = max(since, f.time)
		}
	}
	return o.anybody(at, since, to, func(g simGet) bool { return g.status/100 == 5 })
}

// anybody reports whether any client's GET of an origin's robots.txt fulfils a condition, at a moment that may be
// between two: "Answers to anybody are known by the minute; a minute that is partly in a span counts."
func (o *simOracle) anybody(at simOrigin, from, to int64, is func(simGet) bool) bool {
	return slices.ContainsFunc(o.gets, func(g simGet) bool {
		first := g.time - g.time%minute
		return !g.timeless && slices.Contains(g.sites, at) && first <= to && first+minute > from && is(g)
	})
}

// addVersion adds what (a) and (b) say of a version.
func (l *simLawful) addVersion(p *simPiece, bot *simBot) {
	switch {
	case p.lost:
		l.redirected = true
	case p.hasFile():
		// (a) "the body of every version with status 2xx in force at any moment"
		l.add(copyBody, p.body, "version of %s", rfc3339(p.began))
		if p.beyond {
			l.add(copyFree, "", "version of %s is past five hops", rfc3339(p.began))
		}
	case isNone(p.status, 0, bot.google):
		// (b) "'everything allowed', for each version that says none"
		l.add(copyFree, "", "version of %s is %d", rfc3339(p.began), p.status)
	}
}

// addAnswers adds what (a) and (b) say of the answers logged from one moment to another, both included.
func (o *simOracle) addAnswers(l *simLawful, at simOrigin, bot *simBot, from, to int64) {
	for _, f := range o.operators(at, bot, from, to) {
		switch {
		case isNone(f.status, f.size, bot.google):
			// (b) "for each operator's fetch in the span that was answered none"
			l.add(copyFree, "", "GET of %s was answered %d with %d bytes", rfc3339(f.time), f.status, f.size)
		case f.isFile() && !hasSize(o.around(at, f.time), f.size):
			// (a) "answered with a file of a size that no version in force in [f - s, f + s] has: the body of
			// every version of the origin, of whatever time, that has that size"
			for _, p := range o.timelines[at] {
				if p.hasFile() && int64(len(p.body)) == f.size {
					l.add(copyBody, p.body, "GET of %s was answered with %d bytes, as of %s", rfc3339(f.time), f.size,
						rfc3339(p.began))
				}
			}
		case f.status/100 == 3 && f.status != 304:
			// "An operator's fetch in the span answered 3xx other than 304"
			l.moved = l.moved || !o.explained(at, bot, f)
		}
	}
	// (b) "for each GET of the origin's /robots.txt by *any* client in the span that was
	// answered 404 or 410, unless that answer stands alone"
	if o.anybody(at, from, to, func(g simGet) bool { return g.isGone() && !o.standsAlone(at, g) }) {
		l.add(copyFree, "", "somebody was answered 404 or 410")
	}
	// "and at all times if GETs of it by any clients are logged, at least one was answered
	// none, and none of the whole log was answered 304, a non-empty 2xx or another 3xx"
	none, file := false, false
	for _, g := range o.gets {
		if slices.Contains(g.sites, at) {
			none = none || isNone(g.status, g.size, bot.google)
			file = file || g.isOfOneHost() && g.status/100 < 4 && g.status/100 > 1 && !isNone(g.status, g.size, bot.google)
		}
	}
	if none && !file {
		l.add(copyFree, "", "nobody ever got a file")
	}
}

// wasSentWhatNobodyKnows: (a) "if, anywhere in the log, an operator's fetch was answered 200 with a size that no
// version of the origin has, a copy that nobody knows (rule 1), unless most of this origin's 200s with a size that
// clients of other operators were sent have the size of no version". Whose client an ambiguous header is, nobody knows,
// nor whose file was asked for where the log tells no host.
func (o *simOracle) wasSentWhatNobodyKnows(at simOrigin, bot *simBot) bool {
	sent := func(g simGet) bool { return g.isFile() && slices.Contains(g.sites, at) }
	alien := func(g simGet) bool { return sent(g) && !hasSize(o.timelines[at], g.size) }
	if !slices.ContainsFunc(o.operators(at, bot, beginning, end), alien) {
		return false
	}
	all, odd := 0, 0
	for _, g := range o.gets {
		own := g.by.bot != nil && g.by.state != "spoofed" && (g.by.ambiguous || sameOperator(g.by.bot, bot))
		if !own && sent(g) && g.isOfOneHost() {
			all++
			if alien(g) {
				odd++
			}
		}
	}
	return 2*odd <= all
}

// simGet is a GET of a robots.txt, by anybody.
type simGet struct {
	*simRequest
	by    simIdentity
	sites []simOrigin // whose robots.txt it may be
	known bool        // the log has the host
}

// isFile: "2xx other than 204 with a logged size that is not 0".
func (g *simGet) isFile() bool { return g.status/100 == 2 && g.status != 204 && g.size > 0 }

func (g *simGet) isGone() bool { return g.status == 404 || g.status == 410 }

// standsAlone: "A run of 404s and 410s stands alone if it is between two answers with a file (304, or 2xx
// with a body), these are at most d apart, and all of the run went to one client address". "Answers of the
// same second are taken in the order that clears": what is of the second of a file is before and after it.
func (o *simOracle) standsAlone(at simOrigin, gone simGet) bool {
	before, after, last, next := beginning, end, beginning, end // files before it and after it; not of its second
	for _, g := range o.gets {
		if g.timeless || !slices.Contains(g.sites, at) || !g.isOfOneHost() || !g.isFile() && g.status != 304 {
			continue
		}
		if g.time <= gone.time {
			before = max(before, g.time)
		}
		if g.time >= gone.time {
			after = min(after, g.time)
		}
		if g.time < gone.time {
			last = max(last, g.time)
		}
		if g.time > gone.time {
			next = min(next, g.time)
		}
	}
	if !gone.known { // 11: an answer whose host is not known has no place in the order
		return false
	}
	if before == gone.time {
		return o.isRunOfOne(at, last, gone.time) && o.isRunOfOne(at, gone.time, next)
	}
	return o.isRunOfOne(at, before, after)
}

// isRunOfOne reports whether the 404s and 410s between two files, both included, stand alone.
func (o *simOracle) isRunOfOne(at simOrigin, from, to int64) bool {
	if from == beginning || to == end || to-from > o.delay {
		return false
	}
	addr := ""
	for _, g := range o.gets {
		if g.timeless || !g.known || !slices.Contains(g.sites, at) || !g.isGone() || g.time < from || g.time > to {
			continue
		}
		if addr != "" && addr != g.addr {
			return false
		}
		// 11: a cut address is not one client's
		if ip, err := netip.ParseAddr(g.addr); err == nil && o.isCut && looksCut(ip) {
			return false
		}
		addr = g.addr
	}
	return true
}

// isOfOneHost reports whether it is known of which host the robots.txt was asked for.
func (g *simGet) isOfOneHost() bool {
	return g.known && !slices.ContainsFunc(g.sites, func(at simOrigin) bool { return at.host != g.sites[0].host })
}

// operators returns "the *operator's fetches*": "logged GETs of the origin's /robots.txt by
// crawlers of the same operator: not spoofed, not by exempt agents, nor by ambiguous headers".
func (o *simOracle) operators(at simOrigin, bot *simBot, from, to int64) (fetches []simGet) {
	for _, f := range o.gets {
		when := f.time >= from && f.time <= to && !f.timeless || from == beginning
		who := f.by.bot != nil && f.by.state != "spoofed" && !f.by.ambiguous && !f.by.bot.exempt &&
			sameOperator(f.by.bot, bot)
		if when && who && slices.Contains(f.sites, at) {
			fetches = append(fetches, f)
		}
	}
	return fetches
}

// sameOperator: "An unknown crawler is its own operator."
func sameOperator(x, y *simBot) bool {
	return x.name == y.name || !x.unknown && !y.unknown && x.operator == y.operator
}

// around returns the versions in force within the skew of a moment.
func (o *simOracle) around(at simOrigin, moment int64) (pieces []simPiece) {
	for _, p := range o.timelines[at] {
		if p.from <= moment+o.skew && p.to > moment-o.skew {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// hasSize reports whether one of some versions has a file of a size.
func hasSize(pieces []simPiece, size int64) bool {
	return slices.ContainsFunc(pieces, func(p simPiece) bool { return p.hasFile() && int64(len(p.body)) == size })
}

// explained: "Not if the source itself has a 3xx in force at that moment for the origin (or, if the
// log tells no scheme, for one of the host's origins), ...; nor if the log tells no scheme and the
// same crawler was answered 304 or a non-empty 2xx within 60 s after it."
func (o *simOracle) explained(at simOrigin, bot *simBot, f simGet) bool {
	redirects := func(at simOrigin) bool {
		return slices.ContainsFunc(o.around(at, f.time), func(p simPiece) bool { return p.redirect })
	}
	switch {
	case !f.known:
		return false
	case f.at.scheme != "":
		return redirects(at)
	case !f.isOfOneHost():
		return !slices.ContainsFunc(f.sites, func(at simOrigin) bool { return !redirects(at) })
	}
	return slices.ContainsFunc(f.sites, redirects) || slices.ContainsFunc(o.operators(at, bot, f.time, f.time+60),
		func(g simGet) bool {
			return g.by.bot.name == f.by.bot.name && (g.status == 304 || g.status/100 == 2 && !isNone(g.status, g.size, false))
		})
}

// ---- settling (2) ----

// settleAt gives the verdict of a request under one origin, and the rule that it broke.
func (o *simOracle) settleAt(at simOrigin, sites []simOrigin, r *simRequest, bot *simBot) (verdict string,
	rule simRule) {
	l := o.lawful(at, bot, r.time)
	answers := make([]simJudgement, len(l.copies))
	for i, c := range l.copies {
		if c.kind == copyBody {
			answers[i] = o.twin.judge(c.body, bot, at, r)
		}
		o.say("  %v: %s %s", at, c.why, answers[i].answer)
	}
	o.say("  %v: unknown %v, redirected %v, moved %v", at, l.unknown, l.redirected, l.moved)
	// 7: "Take contested copies once as forbidding and once as permitting, and settle twice: equal verdicts stand; if they
	// differ and one is `violation` or `indeterminate`: `contested`; otherwise `grace`."
	strict, mild := l.settle(answers, simContested), l.settle(answers, simForbids)
	if strict != mild {
		for _, s := range []string{strict, mild} {
			if s == "violation" || strings.HasPrefix(s, "indeterminate") {
				return "indeterminate:contested", simRule{}
			}
		}
		return "grace", simRule{}
	}
	if strict == "violation" {
		rule = o.cite(at, sites, r, bot, l)
	}
	return strict, rule
}

// settle gives the verdict where all copies with an answer up to forbidding in the order permits,
// forbids, contested forbid: with contested the contested ones do, with forbids they permit.
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

// cite returns the rule that a violation quotes: from the newest version with one of the lawful
// bodies that began by t + s, or else from the oldest of those.
func (o *simOracle) cite(at simOrigin, sites []simOrigin, r *simRequest, bot *simBot, l *simLawful) simRule {
	var cited *simPiece
	for i := range o.timelines[at] {
		p := &o.timelines[at][i]
		lawful := p.hasFile() && slices.ContainsFunc(l.copies, func(c simCopy) bool {
			return c.kind == copyBody && c.body == p.body
		})
		if lawful && (cited == nil || p.began <= r.time+o.skew) {
			cited = p
		}
	}
	if cited == nil {
		panic("a violation without a copy that forbids it")
	}
	line := o.twin.judge(cited.body, bot, at, r).line
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

// ruleText is the rule on a line: its key as the standard spells it, its value as in the file.
func ruleText(body string, line int) string {
	text := strings.Split(body, "\n")[line-1]
	text, _, _ = strings.Cut(text, "#")
	_, value, found := strings.Cut(text, ":")
	if !found {
		_, value, _ = strings.Cut(strings.TrimSpace(text), " ")
	}
	return "Disallow: " + strings.TrimSpace(value)
}

// informed: "when this crawler under this very name (not spoofed, not ambiguous, of the same
// identity state as the request) had at some moment f < t fetched, and every version in force in
// [f - s, f + s] has a body that forbids the request". 11: "where the log tells no scheme, one
// fetch must have told of each origin that it may have gone to".
//
// A crawler that fetched the robots.txt of each of them was told of each too.
func (o *simOracle) informed(r *simRequest, id simIdentity, sites []simOrigin) bool {
	sent := func(sites []simOrigin) bool {
		return slices.ContainsFunc(o.gets, func(f simGet) bool {
			return f.time < r.time && o.wasSent(f, r, id, sites)
		})
	}
	each := func(at simOrigin) bool { return sent([]simOrigin{at}) }
	return sent(sites) || !slices.ContainsFunc(sites, func(at simOrigin) bool { return !each(at) })
}

// wasSent reports whether a GET sent a client a rule that forbids a request: "A fetch is a
// GET answered 304, or with a file of a size that one of those versions has."
func (o *simOracle) wasSent(f simGet, r *simRequest, id simIdentity, sites []simOrigin) bool {
	if f.timeless || !f.known || f.by.bot == nil || f.by.ambiguous || f.by.bot.name != id.bot.name ||
		f.by.state != id.state ||
		id.bot.nameless || !slices.Equal(f.sites, sites) {
		return false
	}
	for _, at := range sites {
		versions := o.around(at, f.time)
		if f.status != 304 && (!f.isFile() || !hasSize(versions, f.size)) {
			return false
		}
		for _, p := range versions {
			// 11: "a version that is a redirect has no body of its own, wherever it leads"
			if p.redirect || !p.hasFile() || o.twin.judge(p.body, id.bot, at, r).answer != simForbids {
				return false
			}
		}
		if len(versions) == 0 {
			return false
		}
	}
	return true
}

// informedKnown: "where no file that a crawler was sent has the size of a version, it is not known what it was sent".
func (o *simOracle) informedKnown(name string) bool {
	return slices.ContainsFunc(o.gets, func(f simGet) bool {
		return f.by.bot != nil && f.by.bot.name == name && f.by.state != "spoofed" && !f.by.ambiguous && f.isFile() &&
			slices.ContainsFunc(f.sites, func(at simOrigin) bool { return hasSize(o.timelines[at], f.size) })
	})
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

// simTwin remembers what internal/test/twin has said, which is slow.
type simTwin map[twinKey]twinAnswer

type twinKey struct {
	dialect          twin.Dialect
	wide, long       bool
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
		limit := simMaxBytes
		if k.long {
			limit = 0
		}
		a.allowed, a.line = twin.Match(k.dialect, []byte(k.body), []byte(k.token), []byte(k.url), limit, k.wide)
		c[k] = a
	}
	return a.allowed, a.line
}

// judge asks what a body says of a request on an origin. There may be several ways to read it; it
// forbids where all forbid, permits where all permit, and is contested otherwise.
func (c simTwin) judge(body string, bot *simBot, at simOrigin, r *simRequest) simJudgement {
	// 2: "it permits the exact target of its own Sitemap lines of this host, under any scheme and port"
	for line := range strings.Lines(body) {
		if url, found := strings.CutPrefix(strings.TrimSpace(line), "Sitemap: "); found {
			_, rest, _ := strings.Cut(url, "://")
			authority, path, _ := strings.Cut(rest, "/")
			host, _, _ := strings.Cut(authority, ":")
			if "/"+path == r.path && (at == simOrigin{} || at.host == host) {
				return simJudgement{simPermits, 0}
			}
		}
	}
	ways := readings(body, bot, r.agent)
	allowed, line := c.ask(ways[0], bot, r.target)
	for _, way := range ways[1:] {
		if other, _ := c.ask(way, bot, r.target); other != allowed {
			return simJudgement{simContested, 0}
		}
	}
	if allowed {
		return simJudgement{simPermits, 0}
	}
	return simJudgement{simForbids, line}
}

// simReading is one way to read a body.
type simReading struct {
	dialect twin.Dialect
	wide    bool
	long    bool // beyond the limit
	body    string
	tokens  []string
}

// readings returns all ways in which a crawler may read a body.
func readings(body string, bot *simBot, header string) (all []simReading) {
	// 7: "Where one header serves several product tokens (...), a copy forbids only
	// where it forbids under all of them and permits where it permits under all".
	lists := append([][]string{bot.tokens}, bot.also...)
	if bot.unknown || bot.loose {
		lists = append(lists, tokensIn(header, body)...)
	}
	for _, tokens := range lists {
		// "Crawlers of Google are judged by `google` ... For all others ... a copy *forbids* only where `google` and
		// `rfc9309` both forbid". "In this `google` reading product tokens are cut by rfc9309's rule 2."
		if bot.google {
			all = append(all, simReading{twin.Google, false, false, body, tokens})
			continue
		}
		for _, dialect := range []twin.Dialect{twin.RFC9309, twin.Google} {
			all = append(all, simReading{dialect, true, false, body, tokens})
			if ended := endRuns(dialect, body); ended != body {
				all = append(all, simReading{dialect, true, false, ended, tokens})
			}
			if len(body) > simMaxBytes {
				more := pastTheLimit(body)
				all = append(all, simReading{dialect, true, true, more, tokens}, simReading{dialect, true, true,
					endRuns(dialect, more), tokens})
			}
		}
	}
	return all
}

var simContact = regexp.MustCompile(`https?://[^\s;,)]*|[^\s;,(]+@[^\s;,)]+`)

// tokensIn returns the tokens of groups that may bind a crawler by its header: "a group whose token (three letters and
// more) stands anywhere in the header outside URLs and e-mail addresses binds it perhaps".
func tokensIn(header, body string) (lists [][]string) {
	words := strings.ToLower(simContact.ReplaceAllString(header, " "))
	for line := range strings.Lines(body) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		token := strings.ToLower(strings.TrimSpace(value))
		if i := strings.IndexAny(token, " /#"); i >= 0 {
			token = token[:i]
		}
		if strings.EqualFold(key, "user-agent") && len(token) >= 3 && strings.Contains(words, token) {
			lists = append(lists, []string{token})
		}
	}
	return lists
}

// simNames are the names of records that a dialect knows; google's are prefixes.
var simNames = map[twin.Dialect][]string{
	twin.RFC9309: {"user-agent", "allow", "disallow"},
	twin.Google: {"user-agent", "useragent", "user agent", "allow", "disallow", "dissallow", "dissalow", "disalow",
		"diasllow", "disallaw"},
}

// endRuns returns a body in which "every run of user-agent lines [is] ended by any other record (a line with a colon
// whose name that reading does not know ...)": a rule that matches nothing stands in its place.
func endRuns(dialect twin.Dialect, body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		text, _, _ := strings.Cut(line, "#")
		name, _, isRecord := strings.Cut(text, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		known := slices.ContainsFunc(simNames[dialect], func(n string) bool {
			return name == n || dialect == twin.Google && strings.HasPrefix(name, n)
		})
		if isRecord && !known {
			line = "Disallow: x\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// pastTheLimit is what a body says at least: "of the lines past the limit, the
// user-agent and allow lines are read and no others".
func pastTheLimit(body string) string {
	var b strings.Builder
	read := 0
	for line := range strings.Lines(body) {
		read += len(line)
		key, _, _ := strings.Cut(strings.ToLower(line), ":")
		if read <= simMaxBytes || key == "user-agent" || key == "allow" {
			b.WriteString(line)
		} else {
			b.WriteByte('\n') // so that the lines keep their numbers
		}
	}
	return b.String()
}

// ask asks one reading. "The first of its tokens for which the robots.txt has a group; none, then `*` unless it ignores
// `*` (then everything is allowed)." "For `google` ... the URL as scheme://host + target": any origin will do.
func (c simTwin) ask(way simReading, bot *simBot, target string) (allowed bool, line int) {
	k := twinKey{way.dialect, way.wide, way.long, way.body, "", target}
	if way.dialect == twin.Google && strings.HasPrefix(target, "/") {
		k.url = "https://example.com" + target
	}
	for _, k.token = range way.tokens {
		if c.hasGroup(k) {
			return c.match(k)
		}
	}
	if bot.noStar {
		return true, 0
	}
	return c.match(k)
}

// hasGroup reports whether a robots.txt has a group for a token: whether a group
// for *, with a rule longer than all others, put before it, does not bind.
func (c simTwin) hasGroup(k twinKey) bool {
	probe := "/" + strings.Repeat("probe", 50)
	k.body = "User-agent: *\nDisallow: " + probe + "\n" + k.body
	k.url = "https://example.com" + probe
	allowed, line := c.match(k)
	return allowed || line != 2
}

// ---- the report (9, 10) ----

// report sums up the verdicts on all requests.
func (o *simOracle) report() figures {
	f, bots := figures{"schema": "robotsieve.audit/3"}, map[string]*simBot{}
	for i := range o.w.requests {
		o.verdicts = append(o.verdicts, o.decide(i))
	}
	for i, v := range o.verdicts {
		r := &o.w.requests[i]
		if sites, known := o.sites(r); r.path == "/robots.txt" && r.method == "GET" && (len(sites) > 0 || !known) {
			countRobots(f, r)
		}
		if v.bucket != "" {
			f.Add(v.bucket, 1)
		}
		if v.bucket != "blank" {
			f.Add("lines", 1)
		}
		if v.bucket == "not_crawlers" && r.library {
			f.Add("http_libraries", 1)
		}
		if v.bucket == "" {
			bots[v.crawler.name] = v.crawler
			count(f, v)
			if !o.identity[i].ambiguous && v.identity == "unverified" && o.hasLists(v.crawler) {
				f.Add("identity_no_list", 1)
			}
		}
	}
	// 10: "an input of which more than 5 % of the lines are unparsed"
	if 20*f.Number("unparsed") > f.Number("lines") {
		f["partial"] = true
	}
	for name, bot := range bots {
		f[name+": operator"], f[name+": role"] = bot.operator, "crawler"
		if bot.fetcher {
			f[name+": role"] = "fetcher"
		}
		if o.informedKnown(name) {
			f[name+": informed_known"] = true
		}
		o.addFetches(f, name)
		o.addDelays(f, bot)
	}
	// "crawlers sorted by violations then name"
	violations := func(name string) float64 { return f.Number(name + ": verdicts violation") }
	for i, name := range slices.SortedFunc(maps.Keys(bots), func(x, y string) int {
		return cmp.Or(cmp.Compare(violations(y), violations(x)), strings.Compare(x, y))
	}) {
		f[fmt.Sprint("crawler ", i)] = name
	}
	return f
}

// hasLists reports whether lists of addresses are given for a crawler.
func (o *simOracle) hasLists(b *simBot) bool {
	return slices.ContainsFunc(o.w.ranges, func(l simRanges) bool { return l.isFor(b) })
}

// countRobots counts a GET of /robots.txt by anybody.
func countRobots(f figures, r *simRequest) {
	f.Add("robots_txt requests", 1)
	switch {
	case isNone(r.status, r.size, false):
		f.Add("robots_txt none", 1)
	case isFailure(r.status, false):
		f.Add("robots_txt failed", 1)
	case r.status/100 == 2 || r.status == 304:
		f.Add("robots_txt served", 1)
	}
}

// count counts a request of a crawler.
func count(f figures, v simVerdict) {
	isViolation := v.verdict == "violation"
	isContent := isViolation && v.identity == "verified" && v.outcome == "content"
	isFetcher, of := v.crawler.fetcher && !v.crawler.exempt, v.crawler.name+": "
	verdict, reason, _ := strings.Cut(v.verdict, ":")
	for figure, is := range map[string]bool{
		"totals requests": true, "totals evasive": v.evasive, "totals verified_content": isContent && !v.crawler.fetcher,
		"totals fetchers requests": isFetcher, "totals fetchers violation": isFetcher && isViolation,
		"totals fetchers verified_content": isFetcher && isContent,
		of + "requests":                    true, of + "verdicts " + verdict: true, of + "identity " + v.identity: true,
		of + "reasons " + reason: reason != "", of + "outcomes " + v.outcome: isViolation, of + "evasive": v.evasive,
		of + "grace_informed": verdict == "grace" && v.informed,
		fmt.Sprintln(of+"violations", v.identity, v.outcome, v.method, v.informed):        isViolation,
		fmt.Sprintln(of+"rules", v.rule.origin, v.rule.line, v.rule.rule, v.rule.version): isViolation,
	} {
		if is {
			f.Add(figure, 1)
		}
	}
}

// addFetches adds the crawler's own fetches of /robots.txt: "HEAD fetches nothing", and a spoofed
// client is not the crawler. Gaps are between successive fetches of the same origin.
func (o *simOracle) addFetches(f figures, name string) {
	of, byOrigin := name+": robots_txt ", map[string][]int64{}
	first, last := end, beginning
	for i := range o.w.requests {
		r := &o.w.requests[i]
		if !o.isOf(i, name) || o.identity[i].state == "spoofed" || o.verdicts[i].bucket != "" || r.path != "/robots.txt" ||
			r.method != "GET" {
			continue
		}
		f.Add(of+"fetches", 1)
		f.Add(of+"answers "+answerClass(r.status), 1)
		if r.timeless {
			continue
		}
		first, last = min(first, r.time), max(last, r.time)
		sites, _ := o.sites(r)
		byOrigin[fmt.Sprint(sites)] = append(byOrigin[fmt.Sprint(sites)], r.time)
	}
	if first != end {
		f[of+"first"], f[of+"last"] = rfc3339(first), rfc3339(last)
	}
	var gaps []int64
	for _, times := range byOrigin {
		gaps = append(gaps, between(times)...)
	}
	if slices.Sort(gaps); len(gaps) > 0 {
		days, _ := slices.BinarySearch(gaps, 24*hour+1)
		within := float64(days) / float64(len(gaps))
		f[of+"gaps"], f[of+"within_24h"] = float64(len(gaps)), simRange{Low: within - 0.001, High: within + 0.001}
		f[of+"median_gap_seconds"], f[of+"longest_gap_seconds"] = quantile(gaps, 0.5), quantile(gaps, 1)
	}
}

// isOf reports whether a request is counted as a crawler's.
func (o *simOracle) isOf(i int, name string) bool {
	return o.identity[i].bot != nil && o.identity[i].bot.name == name
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

// addDelays is section 9, for worlds with one constant robots.txt: "gaps between successive requests of one (crawler,
// address) on the origin"; "not for crawlers that are known not to support it (Google)". It binds no exempt agent.
func (o *simOracle) addDelays(f figures, bot *simBot) {
	if !o.w.any() || bot.exempt || bot.noDelay {
		return
	}
	delay, found := crawlDelay(o.w.rows[0].body, bot)
	if !found {
		return
	}
	byAddr := map[string][]int64{}
	for i := range o.w.requests {
		r := &o.w.requests[i]
		if o.isOf(i, bot.name) && o.identity[i].state != "spoofed" && !r.timeless && o.verdicts[i].bucket == "" {
			byAddr[r.addr] = append(byAddr[r.addr], r.time)
		}
	}
	var gaps []int64
	for _, times := range byAddr {
		gaps = append(gaps, between(times)...)
	}
	if slices.Sort(gaps); len(gaps) > 0 {
		of := bot.name + ": crawl_delay 0 "
		shorter := slices.IndexFunc(append(gaps, math.MaxInt64), func(g int64) bool { return float64(g) >= delay })
		f.Add(of+"shorter", float64(shorter))
		f[of+"delay_seconds"], f[of+"gaps"] = delay, float64(len(gaps))
		f[of+"median_seconds"], f[of+"p10_seconds"] = quantile(gaps, 0.5), quantile(gaps, 0.1)
	}
}

// crawlDelay returns the delay of the one group of a robots.txt that binds a crawler. It understands only what the
// simulator writes: one Crawl-delay a group, and groups with one agent each.
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
