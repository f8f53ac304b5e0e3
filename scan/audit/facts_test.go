package audit

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Of a fetch without a scheme nobody knows which file was sent.
func TestInformedByAnAnswerOfUnknownScheme(t *testing.T) {
	const private = "User-agent: *\nDisallow: /private/\n"
	hosts, err := origin.Parse("example.com")
	if err != nil {
		t.Fatal(err)
	}
	auditor := func(http, https string) *Auditor {
		return New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{Hosts: hosts},
			version{at: "http://example.com", from: -9 * day0, body: http},
			version{at: "https://example.com", from: -9 * day0, body: https})})
	}
	for _, c := range []struct {
		name         string
		http, https  string
		fetch, visit string // hosts
		want         int64
	}{
		{"both unknown, one file", private, private, "example.com", "example.com", 1},
		{"both unknown, two files that forbid", private, private + "Disallow: /x/\n", "example.com", "example.com", 1},
		{"fetch unknown", private, private + "Disallow: /x/\n", "example.com", "example.com:443", 0},
		{"visit unknown, told by one", private, private + "Disallow: /x/\n", "example.com:443", "example.com", 0},
		{"both known", private, private + "Disallow: /x/\n", "example.com:443", "example.com:443", 1},
		{"the other's", private, private, "example.com:80", "example.com:443", 0},
	} {
		row := auditEntries(t, auditor(c.http, c.https),
			entry{vhost: c.fetch, target: "/robots.txt", status: "304", time: at(-600)},
			entry{vhost: c.visit, target: "/private/", time: at(-500)}).row("GPTBot")
		if row.Verdicts[Violation] != 1 || row.Informed() != c.want {
			t.Errorf("%s: %d informed of %d violations, want %d of 1", c.name, row.Informed(), row.Verdicts[Violation], c.want)
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
	bing := r.row("bingbot")
	if bing == nil || bing.RobotsTxt.Fetches != 2 || bing.RobotsTxt.Gaps != 1 || r.row("GPTBot") != nil {
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
	a := New(Config{Crawlers: setOf(t, list), Policy: constant("User-agent: *\nDisallow: /p\n", nil), Addresses: true})
	run := func(addresses ...string) *Run {
		r := begin(t, a)
		w := r.Worker()
		for _, addr := range addresses {
			for _, e := range []entry{{addr: addr, agent: "DNSBot/1", target: "/p"},
				{addr: addr, agent: "DNSBot/1", target: "/p/2"}, {addr: addr, target: "/p"}} {
				w.Chunk(byName(t, "combined"), []byte(e.String()))
			}
		}
		w.Chunk(byName(t, "combined"), []byte(entry{addr: "192.0.2.200", agent: "DNSBot/1"}.String()))
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
	got := report(t, r)
	if row := got.row("DNSBot"); row.Identity[Verified] != 6 || row.Identity[Unverified] != 15 ||
		row.VerifiedContent() != 6 {
		t.Errorf("%+v", row.Identity)
	}
	if row := got.row("GPTBot"); row.Identity[Verified] != 0 {
		t.Errorf("GPTBot: %+v", row.Identity)
	}
}

// TestFetchesOfAnUnknownSchemeInformOnlyTogether: two fetches of which nobody knows
// whether they were by http or https may both have been answered what permits.
func TestFetchesOfAnUnknownSchemeInformOnlyTogether(t *testing.T) {
	const forbid, permit = "User-agent: *\nDisallow: /z\n", "User-agent: *\nDisallow:\n"
	p := history(t, policy.Options{},
		version{at: "http://example.com", from: -9 * day0, body: forbid},
		version{at: "http://example.com", from: -5 * day0, body: permit},
		version{at: "http://example.com", from: -1 * day0, body: forbid},
		version{at: "https://example.com", from: -9 * day0, body: permit},
		version{at: "https://example.com", from: -5 * day0, body: forbid})
	a := New(Config{Crawlers: crawlers(t), Policy: p})
	fetch := func(vhost string, n int) entry {
		return entry{vhost: vhost, target: "/robots.txt", status: "304", time: at(n)}
	}
	request := func(vhost string) entry { return entry{vhost: vhost, target: "/z", time: at(5 * day0)} }
	for name, c := range map[string]struct {
		log  []entry
		want bool
	}{
		"each forbids on one": {[]entry{fetch("example.com", -7*day0), fetch("example.com", -3*day0),
			request("example.com")}, false},
		"one forbids on both": {[]entry{fetch("example.com", 0), request("example.com")}, true},
		"both schemes were fetched": {[]entry{fetch("example.com:80", -7*day0), fetch("example.com:443", -3*day0),
			request("example.com")}, true},
		"only one scheme was":        {[]entry{fetch("example.com:80", -7*day0), request("example.com")}, false},
		"the request has a scheme":   {[]entry{fetch("example.com", 0), request("example.com:443")}, false},
		"both have the same, and it": {[]entry{fetch("example.com:443", 0), request("example.com:443")}, true},
	} {
		r := auditEntries(t, a, c.log...)
		if v := r.row("GPTBot").Violations; len(v) != 1 || v[0].Informed != c.want {
			t.Errorf("%s: %+v, want informed %v", name, v, c.want)
		}
	}
}

// TestFetchOfAnUnknownHostClears: who was told by some host that there is no
// robots.txt may have been told so by this one.
func TestFetchOfAnUnknownHostClears(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "https://example.com")
	for status, want := range map[string]map[string]int64{
		"404": {"no_policy": 1, "robots_fetch": 1}, "301": {"indeterminate": 1, "robots_fetch": 1},
		"304": {"violation": 1, "robots_fetch": 1},
	} {
		r := auditEntries(t, a, entry{vhost: "-", target: "/robots.txt", status: status, time: at(0)},
			entry{vhost: "example.com:443", time: at(60)})
		wantCounts(t, status, r.row("GPTBot").Verdicts, want)
	}
}
