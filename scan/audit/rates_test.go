package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

func TestQuantilesOfManyGapsAreExactToThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{exactGaps - 1, exactGaps, exactGaps + 1, 20 * exactGaps} {
		var list []int64
		g := &gaps{}
		for range n {
			list = append(list, rng.Int64N(1<<rng.IntN(40)))
			g.add(list[len(list)-1], 0, 1)
		}
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

const delayedBody = "User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n"

// visitsOf reads visits such as "example.com 0; www.example.com 9 192.0.2.2 acmebot": of a host by
// https, so many seconds after someTime, perhaps from another address, perhaps by another than
// GPTBot.
func visitsOf(t *testing.T, text, target string) (list []entry) {
	t.Helper()
	for visit := range strings.SplitSeq(text, "; ") {
		e, n, who := entry{target: target}, 0, "gptbot"
		if found, _ := fmt.Sscan(visit, &e.vhost, &n, &e.addr, &who); found < 2 {
			t.Fatal(visit)
		}
		e.vhost, e.time, e.agent = e.vhost+":443", at(n), headersOf[who]
		list = append(list, e)
	}
	return list
}

func TestGapsAreOfOneAddressAndSite(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody}, version{at: "https://www.example.com", from: -9 * day0,
			body: "User-agent: *\nCrawl-delay: 0.5\n"},
		version{at: "https://no.example.com", from: -9 * day0, body: robotsTxtBody})})
	for log, want := range map[string]string{ // the delay, the gaps, those shorter, the median and the tenth percentile
		"example.com 0":                                  "",
		"example.com 0; example.com 1 192.0.2.2":         "",
		"example.com 0; www.example.com 1":               "",
		"example.com 0; example.com 1 192.0.2.1 acmebot": "",
		"no.example.com 0; no.example.com 1":             "", // no delay is stated
		"example.com 0; example.com 4":                   "{https://example.com 5 1 1 4 4}",
		"example.com 0; example.com 5":                   "{https://example.com 5 1 0 5 5}",
		"example.com 0; example.com 0; example.com 0":    "{https://example.com 5 2 2 0 0}",
		"example.com 9; example.com 0; example.com 0":    "{https://example.com 5 2 1 0 0}",
		"example.com 0; www.example.com 1; example.com 7; www.example.com 2": "{https://example.com 5 1 0 7 7} " +
			"{https://www.example.com 0.5 1 0 1 1}",
		"example.com 0; example.com 1 192.0.2.2; example.com 2; example.com 11 192.0.2.2": "{https://example.com 5 2 1 2 2}",
		"example.com 0; example.com 1 192.0.2.1 chatgpt; example.com 2 192.0.2.1 chatgpt; example.com 10": "" +
			"{https://example.com 5 1 0 10 10}", // not of one who is exempt
	} {
		r := auditEntries(t, a, visitsOf(t, log, "/")...)
		if got := strings.Trim(fmt.Sprint(rowOf(r, "GPTBot").CrawlDelay), "[]"); got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
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
			[]report.DelayInfo{{Origin: "https://example.com", Delay: 5, Gaps: 2, Shorter: 0, Median: 30, P10: 30}}) {
			t.Errorf("%v: %d crawlers, %+v", names, len(r.Crawlers), r.Crawlers[0].CrawlDelay)
		}
	}
}

// Each gap is measured by the delay stated at its end, and the one shown is that of the last
// request. The longest that package compile takes for a delay is a year.
func TestDelayThatChanges(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -900 * day0, body: fmt.Sprintf("User-agent: *\nCrawl-delay: %d\n", 366*day0)},
		version{from: -9 * day0, body: delayedBody}, version{from: 0, body: "User-agent: *\nCrawl-delay: 20\n"})})
	for log, want := range map[string]string{
		"example.com -3600; example.com -3590; example.com 10800; example.com 10810": "[{https://example.com 20 3 1 10 10}]",
		"example.com -17280000; example.com -8640000": "" +
			"[{https://example.com 3.16224e+07 1 1 8.64e+06 8.64e+06}]",
	} {
		if got := fmt.Sprint(rowOf(auditEntries(t, a, visitsOf(t, log, "/")...), "GPTBot").CrawlDelay); got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
	}
}

func TestGapsOfCenturiesAreNotNegative(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: delayedBody})})
	r := auditEntries(t, a, entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/1701:00:00:00 +0000"},
		entry{vhost: "example.com:443", target: "/robots.txt", time: "01/Jan/2199:00:00:00 +0000"})
	if got := rowOf(r, "GPTBot").RobotsTxt; got.MedianGap < 490*365*day0 || got.LongestGap != got.MedianGap ||
		got.Within24h != 0 {
		t.Errorf("%+v", got)
	}
}

func TestGapsBetweenFetchesOfRobotsTxt(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: robotsTxtBody}, version{at: "https://www.example.com", from: -9 * day0,
			body: robotsTxtBody})})
	for log, want := range map[string]string{ // the gaps, the median, the longest, and the share within a day
		"example.com 0":                                                            "0 0 0 0",
		"example.com 0; www.example.com 9":                                         "0 0 0 0",
		"example.com 0; example.com 86400":                                         "1 86400 86400 1",
		"example.com 0; example.com 86401":                                         "1 86401 86401 0",
		"example.com 0; example.com 0; example.com 0":                              "2 0 0 1",
		"example.com 9; example.com 3; example.com 0":                              "2 3 6 1",
		"example.com 0; www.example.com 5; example.com 10; www.example.com 172805": "2 10 172800 0.5",
	} {
		got := rowOf(auditEntries(t, a, visitsOf(t, log, "/robots.txt")...), "GPTBot").RobotsTxt
		if s := fmt.Sprint(got.Gaps, got.MedianGap, got.LongestGap, got.Within24h); s != want ||
			got.Fetches != int64(strings.Count(log, ";")+1) {
			t.Errorf("%s: %+v, want %s", log, got, want)
		}
	}
}
