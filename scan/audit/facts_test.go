package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// informedBy audits a fetch and a violation by GPTBot, and reports whether the
// violation counts as informed.
func informedBy(t *testing.T, a *Auditor, entries ...entry) (violations, informed int64) {
	t.Helper()
	r := auditEntries(t, a, entries...)
	checkSums(t, r)
	for _, c := range r.Crawlers {
		violations += c.Verdicts[Violation]
		informed += c.Informed()
	}
	return violations, informed
}

func TestInformed(t *testing.T) {
	const (
		private = "User-agent: *\nDisallow: /private/\n"
		both    = "User-agent: *\nDisallow: /private/\nDisallow: /new/\n"
	)
	// private is in force for ninety days, then both.
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -90 * day0, body: private}, version{from: 0, body: both})})
	fetch := entry{vhost: "example.com:443", target: "/robots.txt"}
	at := func(n int, e entry) entry {
		if e.time = at(n); e.target == "/robots.txt" && e.size == "" {
			e.size = sizeOfBody(private)
			if n >= 0 {
				e.size = sizeOfBody(both)
			}
		}
		return e
	}
	with := func(status, size string, e entry) entry { e.status, e.size = status, size; return e }
	by := func(agent string, e entry) entry { e.agent = agent; return e }
	visit := entry{vhost: "example.com:443", target: "/private/x"}
	visitNew := entry{vhost: "example.com:443", target: "/new/x"}
	head := fetch
	head.method = "HEAD"
	query := fetch
	query.target = "/robots.txt?x"
	for name, c := range map[string]struct {
		entries []entry
		want    int64 // informed, of one violation
	}{
		"never fetched":       {[]entry{at(-500, visit)}, 0},
		"a second before":     {[]entry{at(-501, fetch), at(-500, visit)}, 1},
		"in the same second":  {[]entry{at(-500, fetch), at(-500, visit)}, 0},
		"a second after":      {[]entry{at(-499, fetch), at(-500, visit)}, 0},
		"days before":         {[]entry{at(-8*day0, fetch), at(-500, visit)}, 1},
		"the earliest counts": {[]entry{at(-400, fetch), at(-501, fetch), at(-500, visit)}, 1},
		"not changed":         {[]entry{at(-600, with("304", "0", fetch)), at(-500, visit)}, 1},
		"answered without a body": {[]entry{at(-3*day0, with("200", "0", fetch)),
			at(-3*day0, by(browser, fetch)), at(-500, visit)}, 0},
		"answered nothing":                  {[]entry{at(-600, with("503", "9", fetch)), at(-500, visit)}, 0},
		"answered elsewhere":                {[]entry{at(-3*day0, with("301", "9", fetch)), at(-500, visit)}, 0},
		"by HEAD":                           {[]entry{at(-600, head), at(-500, visit)}, 0},
		"with a query":                      {[]entry{at(-600, query), at(-500, visit)}, 0},
		"by another crawler":                {[]entry{at(-600, by(mj12bot, fetch)), at(-500, visit)}, 0},
		"by another of the operator":        {[]entry{at(-600, by(chatgpt, fetch)), at(-500, visit)}, 0},
		"by one of two that a header names": {[]entry{at(-600, by(twoBots, fetch)), at(-500, visit)}, 0},
		"an unknown crawler":                {[]entry{at(-600, by(acmebot, fetch)), at(-500, by(acmebot, visit))}, 1},
		"an unknown crawler of another name": {[]entry{at(-600, by("Other-Bot/1 (+http://x.example)", fetch)),
			at(-500, by(acmebot, visit))}, 0},
		"told before it was forbidden":      {[]entry{at(-2*day0, fetch), at(2*day0, visitNew)}, 0},
		"told since it is forbidden":        {[]entry{at(day0, fetch), at(2*day0, visitNew)}, 1},
		"told just before it was forbidden": {[]entry{at(-30, fetch), at(2*day0, visitNew)}, 0},
		"told just after it was forbidden":  {[]entry{at(599, fetch), at(2*day0, visitNew)}, 0},
		"told when both versions forbid":    {[]entry{at(30, fetch), at(2*day0, visit)}, 1},
		"told ten minutes and more after":   {[]entry{at(601, fetch), at(2*day0, visitNew)}, 1},
		"told what no longer is in force":   {[]entry{at(-2*day0, fetch), at(5*day0, visit)}, 1},
		"the answer of another host is no one": {[]entry{{vhost: "www.example.com:443", target: "/robots.txt",
			time: at(-600, fetch).time}, at(-500, visit)}, 0},
	} {
		violations, informed := informedBy(t, a, c.entries...)
		if violations != 1 || informed != c.want {
			t.Errorf("%s: %d informed of %d violations, want %d of 1", name, informed, violations, c.want)
		}
	}
}

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
		violations, informed := informedBy(t, auditor(c.http, c.https),
			entry{vhost: c.fetch, target: "/robots.txt", status: "304", time: at(-600)},
			entry{vhost: c.visit, target: "/private/", time: at(-500)})
		if violations != 1 || informed != c.want {
			t.Errorf("%s: %d informed of %d violations, want %d of 1", c.name, informed, violations, c.want)
		}
	}
}

// What an operator's crawlers were told may clear another of its crawlers, in time.
func TestToldThatThereIsNone(t *testing.T) {
	set := crawlers(t)
	a := New(Config{Crawlers: set, Policy: history(t, policy.Options{},
		version{from: -90 * day0, body: "User-agent: *\nDisallow: /private/\n"}),
		Identities: known(t, set, map[string]string{"MJ12bot": "192.0.2.0/24\n"})})
	fetch := entry{vhost: "example.com:443", target: "/robots.txt", status: "403"}
	gone := entry{vhost: "example.com:443", target: "/robots.txt", status: "404"}
	visit := entry{vhost: "example.com:443", target: "/private/"}
	gotFile := entry{vhost: "example.com:443", target: "/robots.txt", agent: browser, time: at(-120)}
	for _, c := range []struct {
		name   string
		fetch  entry
		who    string // answered
		when   int    // relative to the request
		visits string
		want   string
	}{
		{"a minute before", fetch, gptbot, -60, gptbot, "no_policy"},
		{"a day, three hours and ten minutes before", fetch, gptbot, -day0 - 3*3600 - 600, gptbot, "no_policy"},
		{"more than that before", fetch, gptbot, -day0 - 3*3600 - 601, gptbot, "violation"},
		{"ten minutes after, as clocks differ", fetch, gptbot, 600, gptbot, "no_policy"},
		{"more than that after", fetch, gptbot, 601, gptbot, "violation"},
		{"an exempt agent of the operator", fetch, chatgpt, -60, gptbot, "violation"},
		{"another operator", fetch, mj12bot, -60, gptbot, "violation"},
		{"another operator, by 404", gone, mj12bot, -60, gptbot, "no_policy"},
		{"an exempt agent of the operator, by 404", gone, chatgpt, -60, gptbot, "no_policy"},
		{"one of two that a header names, by 404", gone, twoBots, -60, gptbot, "no_policy"},
		{"anybody, more than ten minutes after, by 404", gone, browser, 660, gptbot, "violation"},
		{"another crawler of the operator", fetch, googlebot, -60, adsbot, "allowed"}, // not bound by *
		{"one of two that a header names", fetch, twoBots, -60, gptbot, "violation"},
		{"the first of the two", fetch, "Mozilla/5.0 (compatible; GPTBot/1.2; bingbot/2.0)", -60, gptbot, "violation"},
		{"too many requests", entry{vhost: "example.com:443", target: "/robots.txt", status: "429"}, gptbot, -60, gptbot,
			"no_policy"},
		{"too many requests, Google's", entry{vhost: "example.com:443", target: "/robots.txt", status: "429"}, googlebot,
			-60, googlebot, "violation"},
		{"an impostor's answer", entry{vhost: "example.com:443", addr: "198.51.100.9", target: "/robots.txt",
			status: "403"}, mj12bot, -60, mj12bot, "violation"},
		{"redirect", entry{vhost: "example.com:443", target: "/robots.txt", status: "302"}, gptbot, -60, gptbot,
			"indeterminate"},
		{"an unknown crawler's own", fetch, acmebot, -60, acmebot, "no_policy"},
		{"an unknown crawler's of another case", fetch, "ACMEBOT/3 (+http://x.example)", -60, acmebot, "no_policy"},
		{"another unknown crawler's", fetch, "Other-Bot/3 (+http://x.example)", -60, acmebot, "violation"},
	} {
		c.fetch.agent, c.fetch.time = c.who, at(c.when)
		visit.agent, visit.time = c.visits, at(0)
		r := auditEntries(t, a, c.fetch, visit, gotFile)
		verdicts := nonZero(t, r.Totals.Verdicts)
		if verdicts[c.want] != 1 {
			t.Errorf("%s: %v, want %s", c.name, verdicts, c.want)
		}
		checkSums(t, r)
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
	checkSums(t, got)
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

// TestNobodyIsInformedByAnother: of crawlers that are listed by one name because of
// dots in theirs or of its length, and of the users of a tool.
func TestNobodyIsInformedByAnother(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /x")
	agent := func(name string) string { return "Mozilla/5.0 (compatible; " + name + "; http://site.example/)" }
	informed := func(fetcher, visitor string, want bool) {
		t.Helper()
		r := auditEntries(t, a, entry{agent: agent(fetcher), target: "/robots.txt", status: "304", time: at(0)},
			entry{agent: agent(visitor), target: "/x", time: at(60)})
		if v := r.Crawlers[0].Violations; len(r.Crawlers) != 1 || len(v) != 1 || v[0].Informed != want {
			t.Errorf("%s fetched: %+v, want informed %v", fetcher, v, want)
		}
	}
	for fetcher, want := range map[string]bool{"beta.acme_bot": true, "BETA.acme_bot": true, "alpha.acme_bot": false,
		"acme_bot": false} {
		informed(fetcher, "beta.acme_bot", want)
	}
	// These two had one hash of 15 bits.
	informed("site99.acme_bot", "site159.acme_bot", false)
	long := strings.Repeat("x", 64)
	informed(long+"A-bot", long+"B-bot", false)
	informed(long+"A-bot", long+"a-bot", true)
}
