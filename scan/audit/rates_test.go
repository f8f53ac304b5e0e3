package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

func gapsOf(list ...int64) *gaps {
	g := &gaps{}
	for _, millis := range list {
		g.add(millis, 0, 1)
	}
	return g
}

func TestQuantilesOfManyGapsAreExactToThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{exactGaps - 1, exactGaps, exactGaps + 1, 20 * exactGaps} {
		var list []int64
		for range n {
			list = append(list, rng.Int64N(1<<rng.IntN(40)))
		}
		g := gapsOf(list...)
		if exact := n <= exactGaps; (g.h == nil) != exact || len(g.exact) > exactGaps {
			t.Errorf("%d gaps: kept as they are: %v", n, g.h == nil)
		}
		slices.Sort(list)
		for _, percent := range []int64{10, 50} {
			want := list[(int64(n)*percent+99)/100-1]
			if got := g.quantile(percent); max(got-want, want-got) > want/1000+1 {
				t.Errorf("%d gaps: %d %% at %d, want %d", n, percent, got, want)
			}
		}
		if g.max != list[n-1] || g.n != int64(n) {
			t.Errorf("longest %d of %d, want %d of %d", g.max, g.n, list[n-1], n)
		}
	}
}

// A gap of centuries and a gap so many times over do no harm.
func TestGapsBeyondTheHistogram(t *testing.T) {
	g := &gaps{}
	g.add(0, 0, 1<<40)
	g.add(millis(earliest, latest), 0, 1)
	if g.quantile(50) != 0 || g.n != 1<<40+1 || g.max != latest/millisecond-earliest/millisecond {
		t.Errorf("median %d of %d, longest %d", g.quantile(50), g.n, g.max)
	}
}

const delayedBody = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"

// delays audits visits of one line each and returns what is said of a crawler's
// delays.
func delays(t *testing.T, a *Auditor, who string, entries ...entry) []DelayInfo {
	t.Helper()
	r := auditEntries(t, a, entries...)
	return r.row(who).CrawlDelay
}

func TestGapsAreOfOneAddressAndSite(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody}, version{at: "https://www.example.com", from: -9 * day0,
			body: "User-agent: *\nCrawl-delay: 0.5\n"},
		version{at: "https://no.example.com", from: -9 * day0, body: robotsTxtBody})})
	visit := func(vhost, addr string, n int, agent string) entry {
		return entry{vhost: vhost + ":443", addr: addr, time: at(n), agent: agent}
	}
	const one, www, no = "example.com", "www.example.com", "no.example.com"
	const p, q = "192.0.2.1", "192.0.2.2"
	for name, c := range map[string]struct {
		entries []entry
		want    []DelayInfo
	}{
		"one visit has no gap":    {[]entry{visit(one, p, 0, gptbot)}, nil},
		"two addresses have none": {[]entry{visit(one, p, 0, gptbot), visit(one, q, 1, gptbot)}, nil},
		"two sites have none":     {[]entry{visit(one, p, 0, gptbot), visit(www, p, 1, gptbot)}, nil},
		"two crawlers have none":  {[]entry{visit(one, p, 0, gptbot), visit(one, p, 1, acmebot)}, nil},
		"no delay is stated":      {[]entry{visit(no, p, 0, gptbot), visit(no, p, 1, gptbot)}, nil},
		"shorter": {[]entry{visit(one, p, 0, gptbot), visit(one, p, 4, gptbot)},
			[]DelayInfo{{"https://example.com", 5, 1, 1, 4, 4}}},
		"as long as asked": {[]entry{visit(one, p, 0, gptbot), visit(one, p, 5, gptbot)},
			[]DelayInfo{{"https://example.com", 5, 1, 0, 5, 5}}},
		"in the same second": {[]entry{visit(one, p, 0, gptbot), visit(one, p, 0, gptbot),
			visit(one, p, 0, gptbot)}, []DelayInfo{{"https://example.com", 5, 2, 2, 0, 0}}},
		"in the same second and later": {[]entry{visit(one, p, 9, gptbot), visit(one, p, 0, gptbot),
			visit(one, p, 0, gptbot)}, []DelayInfo{{"https://example.com", 5, 2, 1, 0, 0}}},
		"gaps of two addresses": {[]entry{visit(one, p, 0, gptbot), visit(one, q, 1, gptbot),
			visit(one, p, 2, gptbot), visit(one, q, 11, gptbot)}, []DelayInfo{{"https://example.com", 5, 2, 1, 2, 2}}},
		"two sites": {[]entry{visit(one, p, 0, gptbot), visit(www, p, 1, gptbot), visit(one, p, 7, gptbot),
			visit(www, p, 2, gptbot)},
			[]DelayInfo{{"https://example.com", 5, 1, 0, 7, 7}, {"https://www.example.com", 0.5, 1, 0, 1, 1}}},
		"not of one who is exempt": {[]entry{visit(one, p, 0, gptbot), visit(one, p, 1, chatgpt), visit(one, p, 2, chatgpt),
			visit(one, p, 10, gptbot)}, []DelayInfo{{"https://example.com", 5, 1, 0, 10, 10}}},
	} {
		got := delays(t, a, "GPTBot", c.entries...)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Crawlers that are listed by one name, because dots or its length cut it, have gaps of
// their own, also at one address.
func TestGapsAreOfOneWord(t *testing.T) {
	a := newAuditor(t, delayedBody, "https://example.com")
	for _, names := range [][2]string{{"alpha.acme_bot", "beta.acme_bot"},
		{strings.Repeat("x", 64) + "A-bot", strings.Repeat("x", 64) + "B-bot"}} {
		visit := func(name string, n int) entry {
			return entry{vhost: "example.com:443", time: at(n), agent: "Mozilla/5.0 (compatible; " + name +
				"; http://site.example/)"}
		}
		r := auditEntries(t, a, visit(names[0], 100), visit(names[1], 0), visit(names[1], 30), visit(names[0], 150))
		if len(r.Crawlers) != 1 || !slices.Equal(r.Crawlers[0].CrawlDelay,
			[]DelayInfo{{"https://example.com", 5, 2, 0, 30, 30}}) {
			t.Errorf("%v: %d crawlers, %+v", names, len(r.Crawlers), r.Crawlers[0].CrawlDelay)
		}
	}
}

// Each gap is measured by the delay stated at its end, and the one shown is that
// of the last request.
func TestDelayThatChanges(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody}, version{from: 0, body: "User-agent: *\nCrawl-delay: 20\n"})})
	var entries []entry
	for _, n := range []int{-3600, -3590, 3 * 3600, 3*3600 + 10} {
		entries = append(entries, entry{vhost: "example.com:443", time: at(n)})
	}
	got := delays(t, a, "GPTBot", entries...)
	if want := []DelayInfo{{"https://example.com", 20, 3, 1, 10, 10}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The longest that package compile takes for a delay is a year.
func TestDelayOfAYearIsNotCutShort(t *testing.T) {
	const year = 366 * 24 * 60 * 60
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -900 * day0, body: fmt.Sprintf("User-agent: *\nCrawl-delay: %d\nDisallow: /private/\n", year)})})
	visit := func(n int) entry { return entry{vhost: "example.com:443", time: at(n)} }
	got := delays(t, a, "GPTBot", visit(-100*day0), visit(0))
	if want := []DelayInfo{{"https://example.com", year, 1, 1, 100 * day0, 100 * day0}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestGapsOfCenturiesAreNotNegative(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody})})
	r := auditEntries(t, a, entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/1701:00:00:00 +0000"},
		entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/2199:00:00:00 +0000"})
	if got := r.row("GPTBot").RobotsTxt; got.MedianGap < 490*365*day0 || got.LongestGap != got.MedianGap ||
		got.Within24h != 0 {
		t.Errorf("%+v", got)
	}
}

func TestGapsBetweenFetchesOfRobotsTxt(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: robotsTxtBody}, version{at: "https://www.example.com", from: -9 * day0,
			body: robotsTxtBody})})
	fetch := func(vhost string, n int) entry {
		return entry{vhost: vhost + ":443", target: "/robots.txt", time: at(n)}
	}
	for name, c := range map[string]struct {
		entries                      []entry
		gaps                         int64
		median, longest, withinShare float64
	}{
		"one":               {[]entry{fetch("example.com", 0)}, 0, 0, 0, 0},
		"two sites":         {[]entry{fetch("example.com", 0), fetch("www.example.com", 9)}, 0, 0, 0, 0},
		"a day":             {[]entry{fetch("example.com", 0), fetch("example.com", day0)}, 1, day0, day0, 1},
		"more than a day":   {[]entry{fetch("example.com", 0), fetch("example.com", day0+1)}, 1, day0 + 1, day0 + 1, 0},
		"in the one second": {[]entry{fetch("example.com", 0), fetch("example.com", 0), fetch("example.com", 0)}, 2, 0, 0, 1},
		"backwards":         {[]entry{fetch("example.com", 9), fetch("example.com", 3), fetch("example.com", 0)}, 2, 3, 6, 1},
		"of two sites": {[]entry{fetch("example.com", 0), fetch("www.example.com", 5), fetch("example.com", 10),
			fetch("www.example.com", 5+2*day0)},
			2, 10, 2 * day0, 0.5},
	} {
		r := auditEntries(t, a, c.entries...)
		got := r.row("GPTBot").RobotsTxt
		if got.Fetches != int64(len(c.entries)) || got.Gaps != c.gaps || got.MedianGap != c.median ||
			got.LongestGap != c.longest || got.Within24h != c.withinShare {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
