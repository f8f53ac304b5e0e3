package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/twin"
)

// Beside the oracle, which knows the specification, these are crawlers that know
// only RFC 9309: honest ones, with all the freedom that it gives and in a world of
// slow logs, caches and outages, of whom none may ever be accused; and cheaters, of
// whom as many as can be proven should be.

// simHistory is a world in which fleets crawl. All its times are those of the log's
// clock.
type simHistory struct {
	r      *rand.Rand
	w      *simWorld
	real   *simOracle // tells what each origin's server really has at a moment
	told   *simOracle // tells what the source says of it
	late   bool       // versions were not put up when the source says
	ports  bool       // the log tells the port, and so the scheme
	honest []*simFleet
	cheats []*simCheat
}

// makeHistory makes a world and lets everybody crawl in it.
func makeHistory(seed uint64) *simHistory {
	m := &simMaker{r: rand.New(rand.NewPCG(seed, 0xf1ee7)), w: &simWorld{seed: seed, format: "vhost_combined"}, ports: seed%7 != 3}
	m.w.observed = seed%5 == 2
	if seed%5 == 4 {
		m.w.window, m.w.delay, m.w.skew = 48*hour, 6*hour, 30*minute
	}
	m.makeBodies()
	for i := range m.bodies { // for who ignores its own group
		m.bodies[i] += "User-agent: " + ownGroupCheat + "\nDisallow: /private/\nDisallow: /a\n"
	}
	m.makeRows()
	h := &simHistory{r: m.r, w: m.w, ports: m.ports, told: newOracle(m.w)}
	h.real = newOracle(&simWorld{rows: h.deployed()})
	for _, names := range [][]string{
		{"Googlebot", "Googlebot-Image", "AdsBot-Google"}, {"GPTBot", "OAI-SearchBot"}, {"ClaudeBot", "Claude-User"}, {"bingbot"}, {"MJ12bot"},
		{"FooSpider"}, {"tiny-fetcher9"},
	} {
		h.honest = append(h.honest, h.newFleet(pick(h.r, simFleetKinds), names))
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
// manifest says by up to the skew; at any time since the last observation; and where
// nothing was observed any more, everything is allowed.
func (h *simHistory) deployed() []simRow {
	places := map[string][]simRow{}
	for _, r := range h.w.rows {
		places[r.as] = append(places[r.as], r)
	}
	h.late = h.w.observed || h.chance(70)
	var all []simRow
	for _, as := range slices.Sorted(maps.Keys(places)) {
		rows := places[as]
		slices.SortFunc(rows, func(x, y simRow) int { return cmp.Compare(x.from, y.from) })
		before, off := beginning, int64(0)
		for i := range rows {
			from := rows[i].from
			switch {
			case h.w.observed && i > 0:
				off = -h.upTo(from - before - 1)
			case !h.w.observed && h.late && from-before > 2*h.told.skew: // so that all stay in order
				off = pick(h.r, []int64{-1, 1}) * h.upTo(h.told.skew)
			}
			rows[i].from += off
			before = from
		}
		if h.w.observed {
			rows = append(rows, simRow{as: as, origins: rows[0].origins, from: before + h.told.window + 1, status: 200, body: permitsAll, hasBody: true})
		}
		all = append(all, rows...)
	}
	return all
}

// log adds the line of a request.
func (h *simHistory) log(bot *simBot, addr string, at simOrigin, t int64, target string, status int, size int64) {
	r := simRequest{bot: bot, at: at, addr: addr, time: t, method: "GET", target: target, path: target, status: status, size: size}
	field := fmt.Sprintf("%s:%d", at.host, at.port)
	switch {
	case !h.ports:
		r.at.scheme, r.at.port, field = "", 0, at.host
	case at.port != 80 && at.port != 443:
		r.at.scheme = ""
	}
	r.render(field, 0)
	h.w.requests = append(h.w.requests, r)
}

// version returns what an origin's server has at a moment, nil before all that is
// known, and the place of the version.
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
	for i > 0 && !pieces[i-1].lost && isFailure(pieces[i-1].status, google) {
		i--
	}
	return i
}

// ---- the honest ----

// simFleetKind is a way in which honest machines look guilty.
type simFleetKind struct {
	name    string
	late    bool       // requests are logged late: up to the delay after they are decided
	edges   bool       // caches on the way hand out old copies
	idle    bool       // machines sleep for up to 30 days, and wake in an outage
	exact   bool       // copies are used until the last second
	answers []simReply // to /robots.txt, which the log shows and the source does not
}

var (
	simRefusals = []simReply{{status: 403, size: 153}, {status: 404, size: 153}, {status: 401, size: -1}, {status: 204}, {status: 200}, {status: 200, size: -1}, {status: 301, size: 0}}
	simFailures = []simReply{{status: 500, size: 153}, {status: 502, size: 153}, {status: 503}, {status: 429}, {status: 444}, {status: 499}}
)

var simFleetKinds = []simFleetKind{
	{name: "base"},
	{name: "logged late", late: true},
	{name: "edge caches", edges: true},
	{name: "idle", idle: true},
	{name: "refused in the log only", answers: simRefusals},
	{name: "failing in the log only", answers: simFailures, idle: true},
	{name: "at maximum age", exact: true, late: true},
	{name: "all at once", late: true, edges: true, idle: true, exact: true, answers: slices.Concat(simRefusals, simFailures)},
}

// simFleet is the machines of one operator.
type simFleet struct {
	simFleetKind
	h        *simHistory
	dialect  twin.Dialect // of its parser, which nobody knows
	machines []*simMachine
	parts    bool // a group for a part of its name, or for another of its products, binds it
	logged   int  // of a hundred fetches of which the source knows the answer
	lazy     int  // of a hundred times, a copy that is still good is fetched anew
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
	bot   *simBot
	addr  string
	held  map[simOrigin]simHeld  // its last copies
	plans map[simOrigin]*simPlan // what it goes by
}

// simHeld is a copy of robots.txt.
type simHeld struct {
	free, none bool // everything is allowed; nothing is held, so that everything is forbidden
	body       string
	born       int64 // when the origin's server still had it
}

// simPlan is what a machine goes by until some moment.
type simPlan struct {
	simHeld
	since, until int64
	spent        int64 // of the delay, by a cache on the way
}

// simReply is an answer to /robots.txt.
type simReply struct {
	status int // or unreachableStatus
	size   int64
}

func (h *simHistory) newFleet(kind simFleetKind, names []string) *simFleet {
	f := &simFleet{simFleetKind: kind, h: h, logged: pick(h.r, []int{0, 50, 100}), lazy: h.r.IntN(40)}
	f.parts = h.chance(50)
	f.dialect = pick(h.r, []twin.Dialect{twin.Google, twin.RFC9309})
	for i := range 1 + h.r.IntN(5) {
		addr := fmt.Sprintf("45.9.8.%d", i)
		f.machines = append(f.machines, &simMachine{simBotNamed(pick(h.r, names)), addr, map[simOrigin]simHeld{}, map[simOrigin]*simPlan{}})
	}
	if f.machines[0].bot.google {
		f.dialect = twin.Google
	}
	return f
}

// crawl lets the machines go over all origins.
func (f *simFleet) crawl() {
	h := f.h
	for range 60 + h.r.IntN(60) {
		f.visit(f.moment(), pick(h.r, f.machines), pick(h.r, h.real.origins))
	}
	if f.idle {
		f.sleep()
	}
	slices.SortStableFunc(f.visits, func(x, y simStay) int { return cmp.Compare(x.time, y.time) })
	for _, v := range f.visits {
		f.look(v)
	}
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
	near := []int64{-hour, -1, 0, 1, hour, 20 * hour, 24*hour - 1, 24 * hour, 25 * hour, 2 * day, 29 * day, 30 * day, 31 * day}
	return pick(h.r, h.real.w.rows).from + pick(h.r, near)
}

// sleep makes machines that get a copy up to 30 days before they wake, in an outage
// if there is one.
func (f *simFleet) sleep() {
	h := f.h
	for range 30 {
		m, at := pick(h.r, f.machines), pick(h.r, h.real.origins)
		woken := f.moment()
		fallen := woken
		for i, p := range h.real.timelines[at] {
			if isFailure(p.status, m.bot.google) && h.chance(50) {
				fallen = h.real.timelines[at][h.spell(at, i, m.bot.google)].from
				woken = p.from + h.upTo(min(p.to-p.from-1, 30*day))
			}
		}
		f.visit(fallen-h.upTo(30*day), m, at)
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
		if t <= plan.until && f.permits(plan.simHeld, v, target) {
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

// permits tells whether a copy permits a target, by the fleet's parser.
func (f *simFleet) permits(c simHeld, v simStay, target string) bool {
	if c.free || c.none || strings.Contains(c.body, fmt.Sprintf("Sitemap: %v%s\n", v.at, target)) {
		return !c.none
	}
	way := simReading{dialect: f.dialect, wide: !v.bot.google, body: c.body, tokens: v.bot.tokens}
	others := v.bot.also
	if v.bot.unknown {
		others = partsOf(v.bot.tokens[0], c.body)
	}
	if f.parts && len(others) > 0 {
		way.tokens = others[0]
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
	if plan := f.answered(v); plan != nil {
		return plan
	}
	if plan := f.fromCache(v); plan != nil {
		return plan
	}
	h := f.h
	p, i := h.version(v.at, v.time)
	if p == nil {
		// What nobody knows may permit everything.
		return f.with(v, simHeld{free: true, born: v.time}, 0)
	}
	f.logReply(v, p, false)
	if p.lost || !isFailure(p.status, v.bot.google) {
		return f.with(v, heldOf(p, v.time), 0)
	}
	began := h.real.timelines[v.at][h.spell(v.at, i, v.bot.google)].from
	// By the source the outage may have begun later, by the skew.
	long := began+30*day+h.told.skew <= v.time
	return f.without(v, long || v.bot.google && isNotFound(p.status) && h.chance(50), began-30*day)
}

// answered is a fetch with an answer of which the source does not know; nil if there is
// none.
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
		return f.without(v, v.bot.google && isNotFound(reply.status) && h.chance(50), v.time-30*day)
	}
	return f.with(v, simHeld{free: true, born: v.time}, 0)
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
			if !p.lost && p.inForce(v.time-spent-p.maxAge, v.time) && (p.isBody() || isNone(p.status, 0, v.bot.google)) {
				kept = append(kept, p)
			}
		}
		if len(kept) > 0 {
			p := pick(h.r, kept)
			f.logReply(v, p, false)
			return f.with(v, heldOf(p, min(v.time, p.to-1)), spent)
		}
	case n < 70:
		// It may never be told of changes: then the log shows the size.
		p := pick(h.r, h.real.timelines[v.at])
		get := simGet{simRequest: &simRequest{time: v.time, size: int64(len(p.body))}}
		if p.isBody() && !p.lost && h.isOf(p.body, v.at) && !h.told.hasSize(get, v.at) {
			f.logReply(v, &p, true)
			return f.with(v, heldOf(&p, v.time), 0)
		}
	}
	return nil
}

// isNews tells whether the source does not explain a redirect.
func (h *simHistory) isNews(v simStay) bool {
	redirects := slices.ContainsFunc(h.told.around(v.at, v.time), func(p simPiece) bool { return p.redirect })
	return !redirects && h.ports && v.at.port == simPorts[v.at.scheme]
}

// isOf tells whether the source has a body for an origin.
func (h *simHistory) isOf(body string, at simOrigin) bool {
	return slices.ContainsFunc(h.told.timelines[at], func(p simPiece) bool { return p.isBody() && p.body == body })
}

// logReply logs a fetch that was answered with a version: with its size where that
// matters, else of a hundred as many as are logged.
func (f *simFleet) logReply(v simStay, p *simPiece, sizeMatters bool) {
	status, size := p.status, int64(len(p.body))
	held, known := v.held[v.at]
	switch {
	case p.redirect:
		status, size = 301, 0
	case p.isBody() && known && held.body == p.body && !sizeMatters && f.h.chance(50):
		status, size = 304, -1
	}
	if status != unreachableStatus && (sizeMatters || f.h.chance(f.logged)) {
		f.h.log(v.bot, v.addr, v.at, v.time, "/robots.txt", status, size)
	}
}

// heldOf is the copy that a version is. What cannot be known may permit everything,
// and so may what is past the fifth redirect.
func heldOf(p *simPiece, born int64) simHeld {
	return simHeld{free: p.lost || p.beyond || !p.isBody(), body: p.body, born: born}
}

// with is what follows from an answer: the copy is good for 24 hours (2.4).
func (f *simFleet) with(v simStay, c simHeld, spent int64) *simPlan {
	v.held[v.at] = c
	return &simPlan{c, v.time, v.time + f.h.told.window, spent}
}

// without is what follows from a failure (2.3.1.4): everything is forbidden, but an
// old copy may still be used, up to a limit, and in time everything is allowed.
func (f *simFleet) without(v simStay, free bool, limit int64) *simPlan {
	c, held := v.held[v.at]
	switch {
	case free:
		c = simHeld{free: true}
	case !held || c.born < limit:
		c = simHeld{none: true}
	}
	return &simPlan{c, v.time, v.time + f.h.told.window, 0}
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
	obeys   func(c *simCheat, body, target string) bool // tells whether it goes

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

// forbids tells whether a body forbids a target, whoever reads it.
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

// simCaught counts what cheaters did and what they are accused of.
type simCaught struct {
	forbidden, violations int64 // while there was a body that forbade it
	outage, accused       int64 // in an outage, where the body before it forbade it
}

// add counts the requests of a cheater.
func (n *simCaught) add(h *simHistory, o *simOracle, c *simCheat) {
	for i := range h.w.requests {
		r := &h.w.requests[i]
		if r.bot != c.bot || isRobotsFetch(r.path) {
			continue
		}
		sites, _ := o.sites(r)
		if len(sites) > 1 {
			continue
		}
		p, i0 := h.version(sites[0], r.time)
		forbidden, violations := &n.forbidden, &n.violations
		for p != nil && i0 > 0 && isFailure(p.status, false) {
			forbidden, violations = &n.outage, &n.accused
			i0--
			p = &h.real.timelines[sites[0]][i0]
		}
		if p == nil || p.lost || !p.isBody() || !h.forbids(p.body, r.bot, r.target) {
			continue
		}
		*forbidden++
		if o.verdicts[i].verdict == "violation" {
			*violations++
		}
	}
}

func (n *simCaught) String() string {
	share := func(x, of int64) float64 { return 100 * float64(x) / float64(max(of, 1)) }
	return fmt.Sprintf("%10d %10d %6.1f%% %10d %10d %6.1f%%", n.forbidden, n.violations, share(n.violations, n.forbidden),
		n.outage, n.accused, share(n.accused, n.outage))
}

// No honest crawler has a violation in any history; in all of them every figure is
// the truth; and of what cheaters did most is seen.
func TestAuditNeverAccusesTheHonest(t *testing.T) {
	caught, all := map[string]*simCaught{}, &simCaught{}
	requests, late := map[string]int{}, 0
	for seed := range seeds(t, 60) {
		h := makeHistory(seed)
		o := newOracle(h.w)
		o.twin = h.real.twin
		truth := o.report()
		for _, f := range h.honest {
			requests[f.name] += f.requests
			if h.late {
				late += f.requests
			}
		}
		if accused := firstAccused(h, o); accused != "" {
			t.Fatalf("seed %d: the specification accuses an honest crawler:\n%s", seed, accused)
		}
		rep, err := auditedReport(t, h.w)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, c := range rep.Crawlers {
			if honest := !h.isCheat(c.Crawler); honest && c.Verdicts["violation"] > 0 {
				t.Errorf("seed %d: %s is honest and accused of %d violations", seed, c.Crawler, c.Verdicts["violation"])
			}
		}
		if len(compareReports(rep, truth)) > 0 {
			checkWorld(t, h.w)
		}
		if t.Failed() {
			t.FailNow()
		}
		for _, c := range h.cheats {
			if caught[c.kind] == nil {
				caught[c.kind] = &simCaught{}
			}
			caught[c.kind].add(h, o, c)
			all.add(h, o, c)
		}
	}
	var b strings.Builder
	for _, kind := range simFleetKinds {
		fmt.Fprintf(&b, "%-26s %10d requests, none accused\n", kind.name, requests[kind.name])
	}
	fmt.Fprintf(&b, "%d of these after deployments at other times than the source says\n", late)
	fmt.Fprintf(&b, "%-26s %10s %10s %7s %10s %10s %7s\n", "cheater", "forbidden", "violations", "share", "in outages", "violations", "share")
	for _, c := range simCheatKinds() {
		fmt.Fprintf(&b, "%-26s %v\n", c.kind, caught[c.kind])
		if caught[c.kind].violations == 0 {
			t.Errorf("%s: never caught", c.kind)
		}
	}
	fmt.Fprintf(&b, "%-26s %v\n", "all", all)
	t.Log("Requests that the body in force forbade, or the last body before an outage, and those reported as violations:\n" + b.String())
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
