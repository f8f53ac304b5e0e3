package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/twin"
)

// Beside the oracle, which knows the specification, these are crawlers that know
// only RFC 9309: honest ones, with all the freedom that it gives, of whom none may
// ever be accused; and cheaters, of whom as many as can be proven should be.

// simHistory is a world in which fleets crawl.
type simHistory struct {
	r      *rand.Rand
	w      *simWorld
	served *simOracle // tells what each origin's server has at a moment
	clock  int64      // what the log's clock is off by
	honest []*simFleet
	cheats []*simCheat
}

// makeHistory makes a world and lets everybody crawl in it.
func makeHistory(seed uint64) *simHistory {
	m := &simMaker{r: rand.New(rand.NewPCG(seed, 0xf1ee7)), w: &simWorld{seed: seed, format: "vhost_combined"}, ports: true}
	m.makeBodies()
	for i := range m.bodies { // for who ignores its own group
		m.bodies[i] += "User-agent: " + ownGroupCheat + "\nDisallow: /private/\nDisallow: /a\n"
	}
	m.makeRows()
	h := &simHistory{r: m.r, w: m.w, clock: int64(m.r.IntN(119)) - 59}
	h.served = newOracle(m.w)
	for _, names := range [][]string{
		{"Googlebot", "Googlebot-Image", "AdsBot-Google"}, {"GPTBot", "OAI-SearchBot"}, {"ClaudeBot", "Claude-User"}, {"bingbot"}, {"MJ12bot"},
		{"FooSpider"}, {"tiny-fetcher9"},
	} {
		if h.chance(60) {
			h.honest = append(h.honest, h.newFleet(names))
		}
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

// log adds the line of a request at a moment of the servers' own time.
func (h *simHistory) log(bot *simBot, at simOrigin, t int64, target string, status int, size int64) {
	r := simRequest{bot: bot, at: at, addr: "45.9.8.7", time: t + h.clock, method: "GET", target: target, path: target, status: status, size: size}
	if at.port != 80 && at.port != 443 {
		r.at.scheme = ""
	}
	r.render(fmt.Sprintf("%s:%d", at.host, at.port), 0)
	h.w.requests = append(h.w.requests, r)
}

// version returns what an origin's server has at a moment, nil before all that is
// known, and the place of the version.
func (h *simHistory) version(at simOrigin, t int64) (*simPiece, int) {
	for i := range h.served.timelines[at] {
		if p := &h.served.timelines[at][i]; p.from <= t && t < p.to {
			return p, i
		}
	}
	return nil, -1
}

// known returns the body that an origin's server has at a moment, or had before it
// could not be reached.
func (h *simHistory) known(at simOrigin, t int64) (string, bool) {
	p, i := h.version(at, t)
	for p != nil && i > 0 && isFailure(p.status, false) {
		i--
		p = &h.served.timelines[at][i]
	}
	if p == nil || p.lost || p.status/100 != 2 {
		return "", false
	}
	return p.body, true
}

// spellBegins returns when the spell of failures began that the i-th version of
// an origin belongs to; first if nothing is known before.
func (h *simHistory) spellBegins(at simOrigin, i int, google bool) (t int64, first bool) {
	for i > 0 && isFailure(h.served.timelines[at][i-1].status, google) {
		i--
	}
	return h.served.timelines[at][i].from, i == 0
}

// ---- the honest ----

// simFleet is the machines of one operator.
type simFleet struct {
	h        *simHistory
	dialect  twin.Dialect // of its parser, which nobody knows
	wide     bool
	machines []*simMachine
	logged   int             // of a hundred fetches that succeed
	refused  map[string]bool // crawlers to which a firewall refuses robots.txt at times
	lazy     int             // of a hundred times, a copy that is still good is fetched anew
}

// simMachine runs one crawler, with a cache of its own.
type simMachine struct {
	bot   *simBot
	cache map[simOrigin]*simHeld
}

// simHeld is a copy of robots.txt as a machine holds it.
type simHeld struct {
	free   bool // everything is allowed
	body   string
	at     int64 // when it was fetched, or last could not be fetched anew
	keep   int64 // how long after that it may be used
	failed int64 // since when it could not be fetched, 0: it could
	none   bool  // nothing lawful is held: everything is forbidden
}

func (h *simHistory) newFleet(names []string) *simFleet {
	f := &simFleet{h: h, logged: pick(h.r, []int{0, 50, 100}), lazy: h.r.IntN(40), refused: map[string]bool{}}
	f.dialect, f.wide = pick(h.r, []twin.Dialect{twin.Google, twin.RFC9309}), true
	for range 1 + h.r.IntN(5) {
		f.machines = append(f.machines, &simMachine{simBotNamed(pick(h.r, names)), map[simOrigin]*simHeld{}})
	}
	for _, name := range names {
		f.refused[name] = h.chance(30)
	}
	if f.machines[0].bot.google {
		f.dialect, f.wide = twin.Google, false
	}
	return f
}

// crawl lets the machines go over all origins, in any order.
func (f *simFleet) crawl() {
	h := f.h
	var moments []int64
	for range 60 + h.r.IntN(60) {
		moments = append(moments, f.moment())
	}
	slices.Sort(moments)
	for _, t := range moments {
		m := pick(h.r, f.machines)
		at := pick(h.r, h.served.origins)
		// A crawler is seldom content with one page.
		for range 1 + h.r.IntN(3) {
			target := pick(h.r, simTargets)
			if held := f.copyFor(m, at, t); f.permits(held, m.bot, target) {
				h.log(m.bot, at, t, target, 200, 512)
			}
			t += int64(h.r.IntN(20))
		}
	}
}

// moment is any, or near a change, or near the end of a copy's life after it.
func (f *simFleet) moment() int64 {
	h := f.h
	if h.chance(40) {
		return simEpoch + int64(h.r.IntN(simDays*86400))
	}
	near := []int64{-hour, -1, 0, 1, hour, 20 * hour, 24*hour - 1, 24 * hour, 25 * hour, 2 * day, 29 * day, 30 * day, 31 * day}
	return pick(h.r, h.w.rows).from + pick(h.r, near)
}

func (f *simFleet) permits(c *simHeld, bot *simBot, target string) bool {
	if c.free || c.none {
		return c.free
	}
	allowed, _ := f.h.served.twin.ask(f.dialect, f.wide, c.body, bot, target)
	return allowed
}

// copyFor returns the copy that a machine goes by: its own if that is not too
// old, or that of another machine, or a new one.
func (f *simFleet) copyFor(m *simMachine, at simOrigin, t int64) *simHeld {
	good := func(c *simHeld) bool { return c != nil && !c.none && c.at <= t && t <= c.at+c.keep }
	if c := m.cache[at]; good(c) && !f.h.chance(f.lazy) {
		return c
	}
	if other := pick(f.h.r, f.machines); other.bot.google == m.bot.google && f.h.chance(30) && good(other.cache[at]) {
		shared := *other.cache[at]
		m.cache[at] = &shared
		return &shared
	}
	c := f.fetch(m, at, t, m.cache[at])
	if c.none && f.h.chance(50) { // try again
		c = f.fetch(m, at, t, c)
	}
	m.cache[at] = c
	return c
}

// fetch is a GET of /robots.txt, with what a crawler may make of its answer. A
// server may forget to log it, but a firewall's answer is logged. There is no
// such answer while robots.txt cannot be reached: the specification does not see
// that a crawler may keep it for the rest of the spell.
func (f *simFleet) fetch(m *simMachine, at simOrigin, t int64, old *simHeld) *simHeld {
	h := f.h
	p, i := h.version(at, t)
	failing := p != nil && isFailure(p.status, m.bot.google)
	if f.refused[m.bot.name] && !failing && h.chance(50) {
		h.log(m.bot, at, t, "/robots.txt", pick(h.r, []int{403, 404, 401, 204, 301}), 153)
		return &simHeld{free: true, at: t, keep: 24 * hour}
	}
	status, size := 200, int64(999)
	switch {
	case p == nil || p.lost:
		// What nobody knows may permit everything.
		if p != nil {
			status = p.status
		}
	case p.status != unreachableStatus:
		status = p.status
	}
	if h.chance(f.logged) && (p == nil || p.status != unreachableStatus) {
		h.log(m.bot, at, t, "/robots.txt", status, size)
	}
	switch {
	case p == nil || p.lost:
		return &simHeld{free: true, at: t, keep: 24 * hour}
	case failing:
		return f.fail(m, at, t, i, old)
	case p.status/100 == 4:
		return &simHeld{free: true, at: t, keep: 24 * hour}
	}
	return &simHeld{body: p.body, at: t, keep: max(24*hour, p.maxAge)}
}

// fail is what may be done while robots.txt cannot be reached (2.3.1.4): go on
// with the copy that was good when it began, for as long as it lasts; take
// everything as allowed after 30 days of trying, or if there never was anything
// else; or, being Google, at once.
func (f *simFleet) fail(m *simMachine, at simOrigin, t int64, version int, old *simHeld) *simHeld {
	since, first := f.h.spellBegins(at, version, m.bot.google)
	failed := t
	if old != nil && old.failed >= since {
		failed = old.failed
	}
	switch {
	case first, m.bot.google && f.h.chance(50), failed+30*day <= t:
		return &simHeld{free: true, at: t, keep: 24 * hour, failed: failed}
	case old != nil && !old.none && old.at+old.keep >= since:
		kept := *old
		kept.at, kept.keep, kept.failed = t, 24*hour, failed
		return &kept
	}
	return &simHeld{none: true, at: t, failed: failed}
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

	broke   int64
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
			obeys: func(c *simCheat, body, target string) bool {
				return c.h.served.twin.judge(body, c.bot, target).answer != simForbids
			}},
		{kind: "obeys only Disallow: /", bot: stranger("slash-cheat-bot", "slash-cheat-bot/1.0"), fetches: true,
			obeys: func(c *simCheat, body, _ string) bool {
				return c.h.served.twin.judge(body, c.bot, "/any/page/at/all").answer != simForbids
			}},
		{kind: "ignores its own group", bot: stranger(ownGroupCheat, ownGroupCheat+"/1.0"), fetches: true,
			obeys: func(c *simCheat, body, target string) bool {
				return c.h.served.twin.judge(body, stranger("nobody-at-all", ""), target).answer != simForbids
			}},
		{kind: "slow, ignores", bot: stranger("slow-cheat-bot", "slow-cheat-bot/1.0"), obeys: never, slow: true},
	}
}

// crawl lets the cheater go, and counts how often it broke the rules of the
// version in force, or of the last before an outage.
func (c *simCheat) crawl() {
	h := c.h
	c.body, c.fetched = map[simOrigin]string{}, map[simOrigin]int64{}
	step := 20 * hour
	if c.slow {
		step = 5 * day
	}
	for t := simEpoch; t < simEpoch+simDays*day; t += 1 + h.r.Int64N(2*step) {
		at, target := pick(h.r, h.served.origins), pick(h.r, simTargets)
		p, _ := h.version(at, t)
		if p == nil || p.lost {
			continue
		}
		if c.fetches && t > c.fetched[at]+c.keep {
			c.fetched[at], c.body[at] = t, p.body
			if p.status != unreachableStatus {
				h.log(c.bot, at, t, "/robots.txt", p.status, 999)
			}
		}
		if !c.obeys(c, c.body[at], target) {
			continue
		}
		h.log(c.bot, at, t+1, target, 200, 512)
		if body, ok := h.known(at, t+1); ok && c.h.served.twin.judge(body, c.bot, target).answer == simForbids {
			c.broke++
		}
	}
}

// ---- the tests ----

// A tally of cheaters by kind.
type simCaught struct{ broke, caught int64 }

// accuse checks one history: no honest crawler has a violation in the report.
func accuse(t *testing.T, h *simHistory, rep *simReport, caught map[string]*simCaught) {
	t.Helper()
	for _, c := range rep.Crawlers {
		i := slices.IndexFunc(h.cheats, func(x *simCheat) bool { return x.bot.name == c.Crawler })
		n := c.Verdicts["violation"]
		switch {
		case i < 0 && n > 0:
			t.Errorf("seed %d: %s is honest and accused of %d violations", h.w.seed, c.Crawler, n)
		case i >= 0:
			kind := h.cheats[i].kind
			if caught[kind] == nil {
				caught[kind] = &simCaught{}
			}
			caught[kind].broke += h.cheats[i].broke
			caught[kind].caught += n
		}
	}
}

// logCaught shows the share of each kind of cheater that is caught, and fails for
// one that never is.
func logCaught(t *testing.T, caught map[string]*simCaught) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s %10s %10s %7s\n", "cheater", "forbidden", "violations", "share")
	for _, c := range simCheatKinds() {
		n := caught[c.kind]
		if n == nil || n.caught == 0 {
			t.Errorf("%s: never caught", c.kind)
			continue
		}
		fmt.Fprintf(&b, "%-26s %10d %10d %6.1f%%\n", c.kind, n.broke, n.caught, 100*float64(n.caught)/float64(n.broke))
	}
	t.Log("Requests that the last known version forbade, and those reported as violations:\n" + b.String())
}

func TestOracleNeverAccusesTheHonest(t *testing.T) {
	caught := map[string]*simCaught{}
	for seed := range seeds(t, 200) {
		h := makeHistory(seed)
		o := newOracle(h.w)
		o.twin = h.served.twin
		rep := o.report()
		accuse(t, h, rep, caught)
		if t.Failed() {
			t.Fatal(firstAccused(h, o))
		}
	}
	logCaught(t, caught)
}

// firstAccused shows the reasoning by which an honest crawler was accused.
func firstAccused(h *simHistory, o *simOracle) string {
	for i, v := range o.verdicts {
		if v.verdict == "violation" && !slices.ContainsFunc(h.cheats, func(c *simCheat) bool { return c.bot == v.crawler }) {
			var b strings.Builder
			o.trace = &b
			o.decide(i)
			sites, _ := o.sites(&h.w.requests[i])
			for _, p := range o.timelines[sites[0]] {
				fmt.Fprintf(&b, "  %s %d %v\n", rfc3339(p.from), p.status, p.maxAge)
			}
			return h.w.requests[i].line + "\n" + b.String()
		}
	}
	return ""
}

func TestAuditNeverAccusesTheHonest(t *testing.T) {
	caught := map[string]*simCaught{}
	for seed := range seeds(t, 200) {
		h := makeHistory(seed)
		dir := t.TempDir()
		r := runCommand(t, append(h.w.write(t, dir), writeLog(t, dir, "access.log", h.w.requests)))
		if r.code != exitDone {
			t.Fatalf("seed %d: code %d, stderr %q", seed, r.code, r.err)
		}
		rep, err := parseReport(r.out)
		if err != nil {
			t.Fatal(err)
		}
		accuse(t, h, rep, caught)
	}
	logCaught(t, caught)
}
