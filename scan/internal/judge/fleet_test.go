package judge_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/twin"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// Next to the oracle, which knows the specification, these are crawlers that only know RFC 9309: honest ones, which use
// all the freedom that it gives in a world of slow logs, caches, outages and parsers of many kinds, and must never be
// accused; and cheaters, as many of which should be convicted as can be proven.

// simHistory is a world in which fleets crawl. All times are by the log's clock.
type simHistory struct {
	r       *rand.Rand
	w       *simWorld
	real    *simOracle // what each origin's server really has
	told    *simOracle // what the source says it has
	ports   bool       // the log has the port, which shows the scheme
	quiet   bool       // no request for robots.txt is logged
	blocked string     // a host of which nobody gets a file
	honest  []*simFleet
	cheats  []*simCheat

	// Moments at which anybody's GET shows a failure or that there is no file, by origin.
	hiccups map[simOrigin][]simHiccup
}

// simHiccup is an answer that only somebody else's line shows.
type simHiccup struct {
	time   int64
	status int
}

// makeHistory makes a world and lets everybody crawl in it.
func makeHistory(seed uint64) *simHistory {
	m := &simMaker{r: rand.New(rand.NewPCG(seed, 0xf1ee7)), w: &simWorld{seed: seed, format: "vhost_combined"},
		ports: seed%7 != 3}
	m.w.observed = seed%5 == 2
	if seed%5 == 4 {
		m.w.window, m.w.delay, m.w.skew = 48*hour, 6*hour, 30*minute
	}
	if seed%6 == 5 {
		m.w.format = "vhost_zoneless_combined"
	}
	m.makeBodies()
	if m.calm = m.chance(50); m.calm {
		m.bodies[0] = "User-agent: *\nDisallow: /\n"
	}
	for i := range m.bodies { // for who ignores its own group
		m.bodies[i] += "User-agent: " + ownGroupCheat + "\nDisallow: /private/\nDisallow: /a\n"
	}
	m.makeRows()
	h := &simHistory{r: m.r, w: m.w, ports: m.ports, told: newOracle(m.w), hiccups: map[simOrigin][]simHiccup{}}
	h.real = newOracle(&simWorld{rows: h.deployed()})
	if h.quiet = h.chance(30); !h.quiet {
		h.makeHiccups()
		if h.chance(50) {
			h.makeScanners()
		}
	}
	odd := h.r.IntN(30) // selects the clients that get an unknown file, usually none
	for i, names := range [][]string{
		{"Googlebot", "Googlebot-Image", "AdsBot-Google"}, {"GPTBot", "OAI-SearchBot"}, {"ClaudeBot", "Claude-User"},
		{"bingbot"}, {"MJ12bot"},
		{"PetalBot"}, {"YisouSpider"}, {"FooSpider"}, {"tiny-fetcher9"}, {"Bar_crawl"},
	} {
		kind := pick(h.r, simFleetKinds)
		for h.quiet && (kind.unseen || len(kind.answers) > 0) {
			kind = pick(h.r, simFleetKinds) // these need lines that show it
		}
		// Where versions are only observed, most clients are sent a file that nobody knows after the last one,
		// and such a file clears nobody then.
		if i == odd && !h.quiet && !h.w.observed {
			kind = simFleetKind{name: "another file", alien: true}
		}
		h.honest = append(h.honest, h.newFleet(kind, names))
	}
	for _, f := range h.honest {
		f.crawl()
	}
	for _, c := range simCheatKinds() {
		c.h = h
		h.cheats = append(h.cheats, c)
		c.crawl()
	}
	return h
}

func (h *simHistory) chance(n int) bool { return h.r.IntN(100) < n }

// upTo is a time up to a limit, often the limit itself.
func (h *simHistory) upTo(limit int64) int64 {
	if h.chance(40) {
		return limit
	}
	return h.r.Int64N(limit + 1)
}

// deployed returns the rows as they are really put up: earlier or later than a
// manifest says by up to the skew, and by the zone if the log names none; at any time since
// the last observation; and where nothing was observed any more, everything is allowed.
func (h *simHistory) deployed() []simRow {
	places := map[string][]simRow{}
	for _, r := range h.w.rows {
		places[r.as] = append(places[r.as], r)
	}
	late := h.w.observed || h.chance(70) // versions were not put up when the source says
	zone, skew := int64(0), cmp.Or(h.w.skew, simSkew)
	if h.w.isZoneless() {
		zone = pick(h.r, []int64{-1, 1}) * h.upTo(14*hour)
	}
	var all []simRow
	for _, as := range slices.Sorted(maps.Keys(places)) {
		rows := places[as]
		slices.SortFunc(rows, func(x, y simRow) int { return cmp.Compare(x.from, y.from) })
		before, known, off := beginning, int64(0), int64(0)
		for i := range rows {
			from := rows[i].from + zone
			switch {
			case h.w.observed && i > 0:
				off = -h.upTo(from - before - 1)
			case !h.w.observed && late && from-before > 2*skew: // so that all stay in order
				off = pick(h.r, []int64{-1, 1}) * h.upTo(skew)
			}
			known = rows[i].from
			rows[i].from = from + off
			before = from
		}
		if h.w.observed {
			last := max(known+h.told.window+1, before+1)
			rows = append(rows, simRow{as: as, origins: rows[0].origins, from: last, status: 200, body: permitsAll,
				hasBody: true})
		}
		all = append(all, rows...)
	}
	return all
}

// makeHiccups lets other clients be answered that there is no file, or with a failure, of
// which the source does not know; and at times nobody gets a file of a host.
func (h *simHistory) makeHiccups() {
	if h.chance(20) {
		h.blocked = pick(h.r, h.real.origins).host
	}
	for _, at := range h.real.origins {
		for h.chance(60) {
			x := simHiccup{simEpoch + int64(h.r.IntN(simDays*86400)), pick(h.r, []int{404, 410, 500, 503, 503, 503})}
			h.hiccups[at] = append(h.hiccups[at], x)
			h.log(nil, "84.2.3.4", at, x.time, "/robots.txt", x.status, 153)
			if x.status < 500 { // what is missing is missing for everybody
				h.log(nil, "84.2.3.5", at, x.time, "/robots.txt", x.status, 153)
			}
		}
		if at.host == h.blocked {
			h.log(nil, "84.2.3.4", at, simEpoch+int64(h.r.IntN(simDays*86400)), "/robots.txt", 403, 153)
		}
	}
}

// makeScanners makes some sites busy, whose robots.txt other clients get every hour or so, and lets
// scanners ask for it by an address: they are answered 404 by a host that nobody else asks.
func (h *simHistory) makeScanners() {
	for _, at := range h.real.origins {
		if !h.chance(50) {
			continue
		}
		from := simEpoch + int64(h.r.IntN((simDays-20)*86400))
		for t := from; t < from+20*day; t += 1 + h.r.Int64N(2*hour) {
			p, _ := h.version(at, t)
			switch {
			case p == nil || p.redirect || p.failed(false):
			case p.hasFile():
				h.log(nil, fmt.Sprintf("84.3.0.%d", 2+h.r.IntN(200)), at, t, "/robots.txt", 200, int64(len(p.body)))
			default:
				h.log(nil, fmt.Sprintf("84.3.0.%d", 2+h.r.IntN(200)), at, t, "/robots.txt", p.status, 153)
			}
			if h.chance(8) {
				h.log(nil, fmt.Sprintf("84.4.0.%d", 2+h.r.IntN(200)), at, t+h.r.Int64N(hour), "/robots.txt",
					pick(h.r, []int{404, 404, 410}), 162)
			}
		}
	}
}

// log adds the line of a request. Foreign words, if any, are around the crawler's header.
func (h *simHistory) log(bot *simBot, addr string, at simOrigin, t int64, target string, status int, size int64,
	foreign ...string) {
	if h.quiet && target == "/robots.txt" {
		return
	}
	r := simRequest{bot: bot, at: at, addr: addr, time: t, method: "GET", target: target, path: target, status: status,
		size: size}
	if at.host == h.blocked && target == "/robots.txt" && (status/100 == 2 || status/100 == 3) {
		r.status, r.size = 403, 153
	}
	field := fmt.Sprintf("%s:%d", at.host, at.port)
	switch {
	case !h.ports:
		r.at.scheme, r.at.port, field = "", 0, at.host
	case at.port != 80 && at.port != 443:
		r.at.scheme = ""
	}
	if r.foreign = len(foreign) > 0; r.foreign {
		r.wrap = foreign[0]
	}
	zone := 0
	if h.w.isZoneless() {
		zone = simNoZone
	}
	r.render(field, zone)
	h.w.requests = append(h.w.requests, r)
}

// version returns what an origin's server has at a moment, nil before all that is known, and the place of the version.
func (h *simHistory) version(at simOrigin, t int64) (*simPiece, int) {
	for i := range h.real.timelines[at] {
		if p := &h.real.timelines[at][i]; p.from <= t && t < p.to {
			return p, i
		}
	}
	return nil, -1
}

// spell returns where the outage began that the i-th version of an origin belongs to.
func (h *simHistory) spell(at simOrigin, i int, google bool) int {
	pieces := h.real.timelines[at]
	for i > 0 && pieces[i-1].failed(google) {
		i--
	}
	return i
}

// ---- the honest ----

// simFleetKind is a way in which honest machines look guilty.
type simFleetKind struct {
	name     string
	late     bool       // requests are logged late: up to the delay after they are decided
	edges    bool       // caches on the way hand out old copies
	idle     bool       // machines sleep for up to 60 days, and wake in an outage
	exact    bool       // copies are used until the last second
	unseen   bool       // none of its own fetches is logged, only what others were answered in the same minute
	alien    bool       // it is sent a file that nobody knows
	borrowed bool       // it is no crawler, but has one's name in its header
	answers  []simReply // to /robots.txt, which the log shows and the source does not
}

var (
	simRefusals = []simReply{{status: 403, size: 153}, {status: 404, size: 153}, {status: 401, size: -1}, {status: 204},
		{status: 200}, {status: 200, size: -1}, {status: 301, size: 0}}
	simFailures = []simReply{{status: 500, size: 153}, {status: 502, size: 153}, {status: 503}, {status: 429},
		{status: 444}, {status: 499}}
)

var simFleetKinds = []simFleetKind{
	{name: "base"},
	{name: "logged late", late: true},
	{name: "edge caches", edges: true},
	{name: "idle", idle: true},
	{name: "edge caches and idle", edges: true, idle: true, exact: true, late: true},
	{name: "refused in the log only", answers: simRefusals, idle: true},
	{name: "failing in the log only", answers: simFailures, idle: true},
	{name: "at maximum age", exact: true, late: true},
	{name: "seen in others' answers", unseen: true, idle: true, exact: true, late: true},
	{name: "borrowed headers", borrowed: true},
	{name: "all at once", late: true, edges: true, idle: true, exact: true,
		answers: slices.Concat(simRefusals, simFailures)},
}

// simFleet is the machines of one operator.
type simFleet struct {
	simFleetKind
	h       *simHistory
	dialect twin.Dialect // of its parser, which nobody knows
	ends    bool         // any other record ends a run of user-agent lines, to its parser
	normal  bool         // it asks for the normal form of a path
	// if not negative, which of the groups with a token in its header, or for another of its products, binds it
	parts    int
	machines []*simMachine
	logged   int  // of a hundred fetches of which the source knows the answer
	lazy     int  // of a hundred times, a copy that is still good is fetched anew
	calm     bool // its machines come seldom, so that few of its fetches are known
	visits   []simStay
	requests int
}

// simStay is a machine's look at an origin.
type simStay struct {
	time int64
	*simMachine
	at simOrigin
}

// simMachine runs one crawler, with a cache of its own.
type simMachine struct {
	bot    *simBot
	addr   string
	held   map[simOrigin]simHeld  // its last copies
	plans  map[simOrigin]*simPlan // what it goes by
	failed map[simOrigin]int64    // when it first saw the failure that goes on
}

// simHeld is a copy of robots.txt.
type simHeld struct {
	free, none bool // everything is allowed; nothing is held, so that everything is forbidden
	body       string
	fetched    int64
	spent      int64 // of the delay, by a cache on the way
}

// simPlan is what a machine goes by until some moment.
type simPlan struct {
	simHeld
	since, until int64
}

// simReply is an answer to /robots.txt.
type simReply struct {
	status int // or unreachableStatus
	size   int64
}

func (h *simHistory) newFleet(kind simFleetKind, names []string) *simFleet {
	f := &simFleet{simFleetKind: kind, h: h, logged: pick(h.r, []int{0, 50, 100}), lazy: h.r.IntN(40)}
	f.calm = h.chance(40)
	f.ends, f.normal, f.parts = h.chance(40), h.chance(30), h.r.IntN(6)-3
	f.dialect = pick(h.r, []twin.Dialect{twin.Google, twin.RFC9309})
	if f.unseen {
		f.logged = 0
	}
	for i := range 1 + h.r.IntN(5) {
		addr := fmt.Sprintf("45.9.8.%d", i)
		f.machines = append(f.machines, newMachine(simBotNamed(pick(h.r, names)), addr))
	}
	if f.machines[0].bot.google {
		f.dialect, f.ends = twin.Google, false
	}
	return f
}

func newMachine(bot *simBot, addr string) *simMachine {
	return &simMachine{bot, addr, map[simOrigin]simHeld{}, map[simOrigin]*simPlan{}, map[simOrigin]int64{}}
}

// crawl lets the machines go over all origins.
func (f *simFleet) crawl() {
	h := f.h
	for range f.often(60) + h.r.IntN(f.often(60)) {
		f.visit(f.moment(), pick(h.r, f.machines), pick(h.r, h.real.origins))
	}
	if f.idle {
		f.sleep()
	}
	for _, at := range h.real.origins {
		for _, x := range h.hiccups[at] {
			if f.unseen {
				f.visit(x.time-x.time%minute+h.upTo(minute-1), pick(h.r, f.machines), at)
			}
		}
		if f.alien {
			h.log(f.machines[0].bot, "45.9.8.0", at, simEpoch+int64(h.r.IntN(simDays*86400)), "/robots.txt", 200, 7777)
		}
	}
	slices.SortStableFunc(f.visits, func(x, y simStay) int { return cmp.Compare(x.time, y.time) })
	for _, v := range f.visits {
		f.look(v)
	}
}

// often is how many times it does something.
func (f *simFleet) often(n int) int {
	if f.calm {
		return n / 8
	}
	return n
}

func (f *simFleet) visit(t int64, m *simMachine, at simOrigin) {
	f.visits = append(f.visits, simStay{t, m, at})
}

// moment is any, or near a change, or near the end of a copy's life after it.
func (f *simFleet) moment() int64 {
	h := f.h
	if h.chance(40) {
		return simEpoch + int64(h.r.IntN(simDays*86400))
	}
	if f.exact && h.chance(50) {
		return pick(h.r, h.real.w.rows).from - 1
	}
	near := []int64{-hour, -1, 0, 1, hour, 20 * hour, 24*hour - 1, 24 * hour, 25 * hour, 2 * day, 29 * day, 30 * day,
		31 * day, 59 * day, 60 * day}
	return pick(h.r, h.real.w.rows).from + pick(h.r, near)
}

// sleep makes machines that get a copy up to 60 days before they wake, in an outage if there is one.
func (f *simFleet) sleep() {
	h := f.h
	for range f.often(50) {
		m, at := newMachine(pick(h.r, f.machines).bot, "45.9.8.99"), pick(h.r, h.real.origins)
		woken := f.moment()
		for _, p := range h.real.timelines[at] {
			if !p.failed(m.bot.google) || h.chance(50) {
				continue
			}
			woken = p.from + h.upTo(min(p.to-p.from-1, 60*day))
			if p.to-p.from > 30*day && h.chance(50) {
				woken = p.from + 30*day
			}
			for _, old := range h.real.timelines[at] {
				// with what was in force until the second after
				if later := old.to - 1 + 60*day; later >= p.from && later < p.to && h.chance(50) {
					woken = later
				}
			}
		}
		if x := h.hiccups[at]; f.unseen && len(x) > 0 && h.chance(50) {
			woken = pick(h.r, x).time
		}
		f.visit(woken-h.upTo(60*day), m, at)
		if h.chance(40) {
			f.visit(woken-h.upTo(30*day), m, at)
		}
		f.visit(woken, m, at)
	}
}

// look lets a machine see whether it may go to some pages, and go.
func (f *simFleet) look(v simStay) {
	h, t := f.h, v.time
	plan := f.planFor(v)
	if f.exact && plan.until > t && h.chance(50) {
		t = plan.until
	}
	// A crawler is seldom content with one page.
	for range 1 + h.r.IntN(3) {
		target := pick(h.r, simTargets)
		switch {
		case f.borrowed && !v.bot.unknown: // whoever it is, it knows nothing of this crawler's rules
			h.log(v.bot, v.addr, v.at, t, target, 200, 512, foreignTo(h.r, v.bot))
			f.requests++
		case t <= plan.until && f.permits(plan.simHeld, v, target):
			logged := t
			if f.late {
				logged += h.upTo(h.told.delay - plan.spent)
			}
			h.log(v.bot, v.addr, v.at, logged, target, 200, 512)
			f.requests++
		}
		t += int64(h.r.IntN(20))
	}
}

// permits reports whether a copy permits a target, by the fleet's parser.
func (f *simFleet) permits(c simHeld, v simStay, target string) bool {
	if c.free || c.none {
		return !c.none
	}
	if f.normal {
		if target = normalPath(target); isRobotsFetch(target) {
			return true
		}
	}
	for line := range strings.Lines(c.body) {
		rest, found := strings.CutPrefix(line, "Sitemap: ")
		_, rest, _ = strings.Cut(rest, "://"+v.at.host)
		if i := strings.IndexByte(rest, '/'); found && i >= 0 && (i == 0 || rest[0] == ':') && rest[i:] == target+"\n" {
			return true
		}
	}
	way := simReading{dialect: f.dialect, wide: !v.bot.google, body: c.body, tokens: v.bot.tokens}
	others := v.bot.also
	if v.bot.unknown || v.bot.loose {
		others = tokensIn(v.bot.agent, c.body)
	}
	if f.parts >= 0 && len(others) > 0 {
		way.tokens = others[f.parts%len(others)]
	}
	if f.ends {
		way.body = endRuns(f.dialect, c.body)
	}
	allowed, _ := f.h.real.twin.ask(way, v.bot, target)
	return allowed
}

// planFor returns what a machine goes by: what it went by until now if that is not
// too old, or what another machine goes by, or what it gets to know.
func (f *simFleet) planFor(v simStay) *simPlan {
	good := func(p *simPlan) bool { return p != nil && !p.none && p.since <= v.time && v.time <= p.until }
	if p := v.plans[v.at]; good(p) && !f.h.chance(f.lazy) {
		return p
	}
	plan := pick(f.h.r, f.machines).plans[v.at]
	if !f.h.chance(30) || !good(plan) {
		plan = f.fetch(v)
	}
	v.plans[v.at] = plan
	return plan
}

// fetch is a GET of /robots.txt, and what an honest machine makes of its answer.
func (f *simFleet) fetch(v simStay) *simPlan {
	h := f.h
	free := simHeld{free: true, fetched: v.time}
	switch {
	case f.alien:
		if h.chance(50) {
			h.log(v.bot, v.addr, v.at, v.time, "/robots.txt", pick(h.r, []int{200, 304}), 7777)
		}
		return f.with(v, free)
	case v.at.host == h.blocked && h.chance(50):
		return f.with(v, free)
	}
	for _, plan := range []func(simStay) *simPlan{f.likeOthers, f.answered, f.fromCache} {
		if p := plan(v); p != nil {
			return p
		}
	}
	p, i := h.version(v.at, v.time)
	if p == nil {
		// What nobody knows may permit everything.
		return f.with(v, free)
	}
	f.logReply(v, p, false)
	if !p.failed(v.bot.google) {
		return f.with(v, heldOf(p, v.time))
	}
	began := h.real.timelines[v.at][h.spell(v.at, i, v.bot.google)].from
	return f.without(v, p.status, began+30*day <= v.time)
}

// likeOthers is a fetch that is not logged, with the answer that somebody else got within the
// same minute; nil if there is none.
func (f *simFleet) likeOthers(v simStay) *simPlan {
	if !f.unseen {
		return nil
	}
	for _, x := range f.h.hiccups[v.at] {
		switch {
		case x.time/minute != v.time/minute:
		case x.status < 500:
			return f.with(v, simHeld{free: true, fetched: v.time})
		default:
			// Its own first failure is not known to the log.
			plan := f.without(v, 503, false)
			delete(v.failed, v.at)
			return plan
		}
	}
	return nil
}

// answered is a fetch with an answer of which the source does not know; nil if there is none.
func (f *simFleet) answered(v simStay) *simPlan {
	h := f.h
	if len(f.answers) == 0 || h.chance(60) {
		return nil
	}
	reply := pick(h.r, f.answers)
	if reply.status == 301 && !h.isNews(v) {
		return nil
	}
	h.log(v.bot, v.addr, v.at, v.time, "/robots.txt", reply.status, reply.size)
	if isFailure(reply.status, v.bot.google) {
		return f.without(v, reply.status, false)
	}
	return f.with(v, simHeld{free: true, fetched: v.time})
}

// fromCache is a fetch that a cache on the way answers; nil if there is none.
func (f *simFleet) fromCache(v simStay) *simPlan {
	h := f.h
	switch n := h.r.IntN(100); {
	case !f.edges:
	case n < 60:
		// It may keep a version for its max_age, and robots.txt unasked for the delay.
		spent := h.upTo(h.told.delay)
		var kept []*simPiece
		for i := range h.real.timelines[v.at] {
			p := &h.real.timelines[v.at][i]
			if !p.lost && p.inForce(v.time-spent, v.time) && (p.hasFile() || isNone(p.status, 0, v.bot.google)) {
				kept = append(kept, p)
			}
		}
		if len(kept) > 0 {
			p := pick(h.r, kept)
			f.logReply(v, p, false)
			c := heldOf(p, v.time)
			c.spent = spent
			return f.with(v, c)
		}
	case n < 70 && !h.quiet:
		// It may never be told of changes: then the log shows the size.
		p := pick(h.r, h.real.timelines[v.at])
		if p.hasFile() && h.isOf(p.body, v.at) && !hasSize(h.told.around(v.at, v.time), int64(len(p.body))) {
			f.logReply(v, &p, true)
			return f.with(v, heldOf(&p, v.time))
		}
	}
	return nil
}

// isNews reports whether the source does not explain a redirect.
func (h *simHistory) isNews(v simStay) bool {
	redirects := slices.ContainsFunc(h.told.around(v.at, v.time), func(p simPiece) bool { return p.redirect })
	return !redirects && h.ports && v.at.port == simPorts[v.at.scheme]
}

// isOf reports whether the source has a body for an origin.
func (h *simHistory) isOf(body string, at simOrigin) bool {
	return slices.ContainsFunc(h.told.timelines[at], func(p simPiece) bool { return p.hasFile() && p.body == body })
}

// logReply logs a fetch that was answered with a version: with its size where that
// matters, else of a hundred as many as are logged.
func (f *simFleet) logReply(v simStay, p *simPiece, sizeMatters bool) {
	status, size := p.status, int64(len(p.body))
	held, known := v.held[v.at]
	switch {
	case p.redirect:
		status, size = 301, 0
	case p.hasFile() && known && held.body == p.body && !sizeMatters && f.h.chance(50):
		status, size = 304, -1
	}
	if status != unreachableStatus && (sizeMatters || f.h.chance(f.logged)) {
		f.h.log(v.bot, v.addr, v.at, v.time, "/robots.txt", status, size)
	}
}

// heldOf is the copy that a version is. What cannot be known may permit everything,
// and so may what is past the fifth redirect.
func heldOf(p *simPiece, fetched int64) simHeld {
	return simHeld{free: p.lost || p.beyond || !p.hasFile(), body: p.body, fetched: fetched}
}

// with is what follows from an answer: the copy is good for 24 hours (2.4).
func (f *simFleet) with(v simStay, c simHeld) *simPlan {
	v.held[v.at] = c
	delete(v.failed, v.at)
	return &simPlan{c, v.time, v.time + f.h.told.window}
}

// without is what follows from a failure (2.3.1.4): everything is forbidden, but an
// old copy may still be used, 30 days old when the outage began and for 30 days from then;
// and after a month everything is allowed. Google takes some failures for 404.
func (f *simFleet) without(v simStay, status int, month bool) *simPlan {
	first, failing := v.failed[v.at]
	if !failing || v.time-first > 60*day {
		v.failed[v.at] = v.time
	}
	if v.bot.google && isNotFound(status) && f.h.chance(50) {
		return f.with(v, simHeld{free: true, fetched: v.time})
	}
	c, held := v.held[v.at]
	switch {
	case month, failing && v.time-first >= 30*day && v.time-first <= 60*day:
		c = simHeld{free: true}
	case !held || c.fetched < v.time-60*day:
		c = simHeld{none: true}
	}
	return &simPlan{c, v.time, v.time + f.h.told.window}
}

// ---- the cheaters ----

// simCheat is a crawler that breaks the rules in its own way.
type simCheat struct {
	h       *simHistory
	kind    string
	bot     *simBot
	fetches bool
	slow    bool
	keep    int64
	obeys   func(c *simCheat, body, target string) bool // reports whether it goes

	body    map[simOrigin]string // the copy that it holds
	fetched map[simOrigin]int64
}

const ownGroupCheat = "own-group-cheat-bot"

func simCheatKinds() []*simCheat {
	never := func(*simCheat, string, string) bool { return true }
	return []*simCheat{
		{kind: "never fetches, ignores", bot: stranger("never-cheat-bot", "never-cheat-bot/1.0"), obeys: never},
		{kind: "fetches, ignores", bot: stranger("fetch-cheat-bot", "fetch-cheat-bot/1.0"), obeys: never, fetches: true},
		{kind: "keeps a copy for a week", bot: stranger("week-cheat-bot", "week-cheat-bot/1.0"), fetches: true, keep: 7 * day,
			obeys: func(c *simCheat, body, target string) bool { return !c.h.forbids(body, c.bot, target) }},
		{kind: "obeys only Disallow: /", bot: stranger("slash-cheat-bot", "slash-cheat-bot/1.0"), fetches: true,
			obeys: func(c *simCheat, body, _ string) bool { return !c.h.forbids(body, c.bot, "/any/page/at/all") }},
		{kind: "ignores its own group", bot: stranger(ownGroupCheat, ownGroupCheat+"/1.0"), fetches: true,
			obeys: func(c *simCheat, body, target string) bool {
				return !c.h.forbids(body, stranger("nobody-at-all", ""), target)
			}},
		{kind: "slow, ignores", bot: stranger("slow-cheat-bot", "slow-cheat-bot/1.0"), obeys: never, slow: true},
	}
}

// forbids reports whether a body forbids a target, whoever reads it.
func (h *simHistory) forbids(body string, bot *simBot, target string) bool {
	return h.real.twin.judge(body, bot, simOrigin{}, &simRequest{target: target, path: target}).answer == simForbids
}

// crawl lets the cheater go.
func (c *simCheat) crawl() {
	h := c.h
	c.body, c.fetched = map[simOrigin]string{}, map[simOrigin]int64{}
	step := 20 * hour
	if c.slow {
		step = 5 * day
	}
	for t := simEpoch; t < simEpoch+simDays*day; t += 1 + h.r.Int64N(2*step) {
		at, target := pick(h.r, h.real.origins), pick(h.r, simTargets)
		p, _ := h.version(at, t)
		if p == nil || p.lost {
			continue
		}
		if c.fetches && t > c.fetched[at]+c.keep {
			c.fetched[at], c.body[at] = t, p.body
			if p.status != unreachableStatus {
				h.log(c.bot, "185.1.1.1", at, t, "/robots.txt", p.status, int64(len(p.body)))
			}
		}
		if c.obeys(c, c.body[at], target) {
			h.log(c.bot, "185.1.1.1", at, t+1, target, 200, 512)
		}
	}
}

// ---- the tests ----

// caught counts the requests of a cheater that the body in force, or the last one before an outage,
// forbade, and how many of them are reported as violations.
func (h *simHistory) caught(o *simOracle, c *simCheat) (forbidden, violations int) {
	for i := range h.w.requests {
		r := &h.w.requests[i]
		sites, _ := o.sites(r)
		if r.bot != c.bot || isRobotsFetch(r.path) || len(sites) > 1 {
			continue
		}
		p, at := h.version(sites[0], r.time)
		for p != nil && at > 0 && isFailure(p.status, false) {
			at--
			p = &h.real.timelines[sites[0]][at]
		}
		if p != nil && p.hasFile() && h.forbids(p.body, r.bot, r.target) {
			forbidden++
			if o.verdicts[i].verdict == "violation" {
				violations++
			}
		}
	}
	return forbidden, violations
}

// TestTheHonestAreNeverAccused checks that no honest crawler ever has a violation, that every
// figure of the report is true, and that most of what cheaters did is found.
func TestTheHonestAreNeverAccused(t *testing.T) {
	requests, forbidden, violations := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := range seeds(8) {
		h := makeHistory(seed)
		o := newOracle(h.w)
		o.twin = h.real.twin
		truth := o.report()
		if accused := firstAccused(h, o); accused != "" {
			t.Fatalf("seed %d: the specification accuses an honest crawler:\n%s", seed, accused)
		}
		if rep, err := auditedReport(t, h.w); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		} else if len(reporttest.CompareFigures(rep, truth)) > 0 {
			checkWorld(t, h.w)
			t.FailNow()
		}
		for _, f := range h.honest {
			requests[f.name] += f.requests
		}
		for _, c := range h.cheats {
			did, seen := h.caught(o, c)
			forbidden[c.kind], violations[c.kind] = forbidden[c.kind]+did, violations[c.kind]+seen
		}
	}
	t.Logf("requests of the honest, none accused: %v", requests)
	for kind, n := range forbidden {
		t.Logf("%s: %d forbidden requests, %d violations", kind, n, violations[kind])
		if violations[kind] == 0 {
			t.Errorf("%s: never caught", kind)
		}
	}
}

func (h *simHistory) isCheat(name string) bool {
	return slices.ContainsFunc(h.cheats, func(c *simCheat) bool { return c.bot.name == name })
}

// firstAccused shows the reasoning by which an honest crawler was accused.
func firstAccused(h *simHistory, o *simOracle) string {
	for i, v := range o.verdicts {
		if v.verdict != "violation" || h.isCheat(v.crawler.name) {
			continue
		}
		var b strings.Builder
		o.trace = &b
		o.decide(i)
		for _, f := range h.honest {
			if slices.ContainsFunc(f.machines, func(m *simMachine) bool { return m.bot == v.crawler }) {
				fmt.Fprintf(&b, "fleet: %s\n", f.name)
			}
		}
		sites, _ := o.sites(&h.w.requests[i])
		for _, of := range []*simOracle{o, h.real} {
			for _, p := range of.timelines[sites[0]] {
				fmt.Fprintf(&b, "  %s %d %v\n", rfc3339(p.from), p.status, p.maxAge)
			}
		}
		for _, f := range o.gets {
			if slices.Contains(f.sites, sites[0]) && f.by.bot != nil && sameOperator(f.by.bot, v.crawler) {
				fmt.Fprintf(&b, "  %s\n", f.line)
			}
		}
		return h.w.requests[i].line + "\n" + b.String()
	}
	return ""
}
