package audit

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

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
