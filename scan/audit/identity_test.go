package audit

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// proxiedLog has requests of browsers from some addresses, and then those of Googlebot,
// which was told that there is no robots.txt, from the first of these addresses.
func proxiedLog(lines, addresses int) []string {
	var log []string
	for i := range lines {
		log = append(log, entry{vhost: onSite, addr: fmt.Sprintf("192.0.2.%d", 1+i%addresses), agent: browser,
			target: fmt.Sprintf("/%d", i), time: at(i)}.String())
	}
	for i, target := range []string{"/robots.txt", "/", "/x", "/private/1", "/private/2"} {
		e := entry{vhost: onSite, addr: "192.0.2.1", agent: googlebot, target: target, time: at(i)}
		if i == 0 {
			e.status = "404"
		}
		log = append(log, e.String())
	}
	return log
}

// TestProxiedLog: where nearly all requests come from a few addresses, these are a
// proxy's, and nobody is spoofed or verified by them.
func TestProxiedLog(t *testing.T) {
	set := crawlers(t)
	judged := map[string]int64{"allowed": 2, "robots_fetch": 1, "no_policy": 2}
	for _, c := range []struct {
		name             string
		ranges           string // of Googlebot
		lines, addresses int
		proxied          bool
		identity         string
		verdicts         map[string]int64
		fetches          int64
	}{
		{"eight addresses, none in the list", "203.0.113.0/24", 2000, 8, true, "unverified", judged, 1},
		{"one address, in the list", "192.0.2.0/24", 2000, 1, true, "unverified", judged, 1},
		{"nine addresses, in the list", "192.0.2.0/24", 2000, 9, false, "verified", judged, 1},
		{"few lines, in the list", "192.0.2.0/24", 900, 1, false, "verified", judged, 1},
		{"few lines, not in the list", "203.0.113.0/24", 900, 1, false, "spoofed", map[string]int64{"spoofed": 5}, 0},
	} {
		a := New(Config{Crawlers: set, Policy: history(t, policy.Options{}, version{from: farAgo, body: forbid}),
			Identities: known(t, set, map[string]string{"Googlebot": c.ranges + "\n"})})
		log := proxiedLog(c.lines, c.addresses)
		r := checkOrder(t, a, "vhost_combined", log)
		row := rowOf(r, "Googlebot")
		if r.Proxied != c.proxied || nonZero(t, row.Identity)[c.identity] != 5 || row.RobotsTxt.Fetches != c.fetches {
			t.Errorf("%s: proxied %v, identities %v, %d fetches", c.name, r.Proxied, nonZero(t, row.Identity),
				row.RobotsTxt.Fetches)
		}
		wantCounts(t, c.name, row.Verdicts, c.verdicts)
		// The states of two parts say the same.
		got, err := reportOf(a, stateOf(t, a, log[:len(log)-3]), stateOf(t, a, log[len(log)-3:]))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := marshal(t, got), marshal(t, r); got != want {
			t.Errorf("%s, of two states: %s", c.name, firstDifference(got, want))
		}
	}
}

// TestChoiceOfLines: of more lines than are kept the choice is fair.
func TestChoiceOfLines(t *testing.T) {
	for share, want := range map[int]bool{97: true, 92: false} {
		a := newAuditor(t, forbid)
		a.verifies = true
		run := begin(t, a)
		w := run.Worker()
		var b bytes.Buffer
		for i := range 60_000 {
			e := entry{addr: "192.0.2.1", agent: browser, target: fmt.Sprintf("/%d", i), time: at(i % 5000)}
			if i%100 >= share {
				e.addr = fmt.Sprintf("198.51.%d.%d", i>>8&0xff, i&0xff)
			}
			fmt.Fprintln(&b, e)
		}
		w.Chunk(byName(t, "combined"), nil, b.Bytes())
		if n := len(w.tally.ProxySample.Kept); n > 2*maxLines {
			t.Errorf("%d lines are kept", n)
		}
		if r := resultOf(t, run); r.Proxied != want {
			t.Errorf("%d per cent from one address: proxied %v", share, r.Proxied)
		}
	}
}

// The answer to an ambiguous header counts as a fetch of the first operator only.
func TestFetchOfTwoCrawlersIsCountedOnce(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -90 * day0, body: robotsTxtBody})})
	e := entry{vhost: "example.com:443", target: "/robots.txt", status: "404", agent: twoBots}
	later := e
	later.time = at(3600)
	r := auditEntries(t, a, e, later)
	bing := rowOf(r, "bingbot")
	if bing == nil || bing.RobotsTxt.Fetches != 2 || bing.RobotsTxt.Gaps != 1 || rowOf(r, "GPTBot") != nil {
		t.Errorf("%s", marshal(t, r))
	}
}

// Which addresses are to be looked up depends on nothing but themselves.
func TestUnverified(t *testing.T) {
	list, err := crawler.Read([]byte(`[{"name":"DNSBot","operator":"Names","category":"search","words":["DNSBot"],
	"tokens":["DNSBot"],"obeys":"yes","verify":"dns","domains":["names.example"]},
		{"name":"GPTBot","operator":"OpenAI","category":"ai-training","words":["GPTBot"],"tokens":["GPTBot"],"obeys":"yes",
		"verify":"ranges"}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Config{Crawlers: setOf(t, list), Policy: constant("User-agent: *\nDisallow: /p\n", nil), KeepAddresses: true})
	run := func(addresses ...string) *Run {
		r := begin(t, a)
		w := r.Worker()
		for _, addr := range addresses {
			for _, e := range []entry{{addr: addr, agent: "DNSBot/1", target: "/p"},
				{addr: addr, agent: "DNSBot/1", target: "/p/2"}, {addr: addr, target: "/p"}} {
				w.Chunk(byName(t, "combined"), nil, []byte(e.String()))
			}
		}
		w.Chunk(byName(t, "combined"), nil, []byte(entry{addr: "192.0.2.200", agent: "DNSBot/1"}.String()))
		return r
	}
	var all, backwards []string
	for i := range 100 {
		all = append(all, fmt.Sprintf("192.0.2.%d", i))
		backwards = append([]string{all[i]}, backwards...)
	}
	few, more, err := run(all...).Unverified(10)
	if err != nil || !more || len(few) != 10 {
		t.Fatalf("%v, more %v, %v", few, more, err)
	}
	again, _, _ := run(backwards...).Unverified(10)
	if fmt.Sprint(few) != fmt.Sprint(again) {
		t.Errorf("%v, and in another order %v", few, again)
	}
	r := run(all[:10]...)
	exactly, more, err := r.Unverified(10)
	if err != nil || more || len(exactly) != 10 {
		t.Fatalf("%v, more %v, %v", exactly, more, err)
	}
	for _, pair := range exactly[:3] {
		r.Verify(pair)
	}
	got := resultOf(t, r)
	if row := rowOf(got, "DNSBot"); row.Identity[report.Verified] != 6 || row.Identity[report.Unverified] != 15 ||
		row.VerifiedContent() != 6 {
		t.Errorf("%+v", row.Identity)
	}
	if row := rowOf(got, "GPTBot"); row.Identity[report.Verified] != 0 {
		t.Errorf("GPTBot: %+v", row.Identity)
	}
}
