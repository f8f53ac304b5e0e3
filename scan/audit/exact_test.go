package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A crawler had been sent a rule only under its very name, however long names are and
// however alike.
func TestNobodyIsInformedByAnothersFetch(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		fetching, requesting string
		violations, informed int64
	}{
		"the same":                        {"FooBot/1", "FooBot/2", 1, 1},
		"in other case":                   {"FooBot/1", "FOOBOT/1", 1, 1},
		"another":                         {"FooBot/1", "FooBots/1", 1, 0},
		"behind byte 64":                  {long[:64] + "1-bot", long[:64] + "2-bot", 1, 0},
		"the same of 65 bytes":            {long[:61] + "-bot", long[:61] + "-bot", 1, 1},
		"65 bytes and their first 64":     {long[:60] + "-bot", long[:60] + "-bots", 1, 0},
		"behind 1,000 bytes":              {long[:1000] + "1-bot", long[:1000] + "2-bot", 1, 0},
		"the same of 4,096 bytes":         {long[:4092] + "-bot", long[:4092] + "-bot", 1, 1},
		"the same of 4,097 bytes":         {long[:4093] + "-bot", long[:4093] + "-bot", 0, 0},
		"4,096 bytes of a longer one":     {"bot-" + long[:5000], "bot-" + long[:4092], 1, 0},
		"a longer one by its 4,096":       {"bot-" + long[:4092], "bot-" + long[:5000], 0, 0},
		"behind 5,000 bytes":              {long[:5000] + "1-bot", long[:5000] + "2-bot", 0, 0},
		"behind a megabyte":               {long + "1-bot", long + "2-bot", 0, 0},
		"behind 5,000 bytes with dots":    {"a." + long[:5000] + ".1.x-bot", "a." + long[:5000] + ".2.x-bot", 0, 0},
		"octets that are no text":         {"Foo\xfe-bot", "Foo\xff-bot", 1, 0},
		"the Kelvin sign and a k":         {"\u212a-Scrapbot", "K-Scrapbot", 1, 0},
		"letters of another script":       {"\u00c4-Scrapbot", "\u00e4-Scrapbot", 1, 0},
		"a word with and without its dot": {"a.x-bot/1", "b.x-bot/1", 1, 0},
		"the same with a dot":             {"beta.acme_bot", "BETA.acme_bot", 1, 1},
		"another before the dot":          {"alpha.acme_bot", "beta.acme_bot", 1, 0},
		"what follows the dot":            {"acme_bot", "beta.acme_bot", 1, 0},
		"behind 64 bytes, in other case":  {long[:64] + "A-bot", long[:64] + "a-bot", 1, 1},
	} {
		r := auditEntries(t, newAuditor(t, forbid),
			entry{agent: c.fetching + " (+http://x.example)", target: "/robots.txt", status: "304"},
			entry{agent: c.requesting + " (+http://x.example)", target: "/private/x", time: at(60), addr: "198.51.100.9"})
		violations, informed := r.Totals.Verdicts[report.Violation], int64(0)
		for _, row := range r.Crawlers {
			informed += row.Informed()
		}
		if violations != c.violations || informed != c.informed {
			t.Errorf("%s: %d violations, %d informed, want %d and %d", name, violations, informed, c.violations, c.informed)
		}
	}
}

// Crawlers past the 65,536th are themselves: what one does is counted for no other.
func TestMoreProfilesThan65536(t *testing.T) {
	const n, low, high = 70_000, 4_000, 4_000 + 1<<16
	list := make([]crawler.Profile, n)
	for i := range list {
		name := fmt.Sprintf("P%06d-Bot", i)
		list[i] = crawler.Profile{Name: name, Operator: name, Words: []string{name}, Tokens: []string{name}}
	}
	list[low+1].Operator, list[high+1].Operator = "one", "one"
	a := New(Config{Crawlers: setOf(t, list), Policy: constant(forbid, nil)})
	r := auditEntries(t, a,
		entry{agent: list[low].Name, target: "/robots.txt", status: "304"},
		entry{agent: list[high].Name, target: "/private/x", time: at(60)},
		entry{agent: list[low+1].Name, target: "/robots.txt", status: "403"},
		entry{agent: list[high+1].Name, target: "/private/x", time: at(60)},
		entry{agent: list[low].Name + " " + list[high].Name, target: "/private/x", time: at(90)})
	for i, want := range map[int]map[string]int64{
		low: {"robots_fetch": 1, "indeterminate": 1}, high: {"violation": 1}, low + 1: {"robots_fetch": 1}, high +
			1: {"no_policy": 1},
	} {
		wantCounts(t, list[i].Name, rowOf(r, list[i].Name).Verdicts, want)
	}
	if c := rowOf(r, list[high].Name); c.Informed() != 0 {
		t.Error("informed by the fetch of a crawler 65,536 places before")
	}
}

// What the final pass says of a client's identity is what is said of its line alone.
func TestIdentityOfLateRequestsIsExact(t *testing.T) {
	a := stateAuditor(t)
	header := a.config.Crawlers.Reader()
	late := 0
	a.config.Judged = listen(func(j *Event) {
		fields := strings.Split(string(j.Line), `"`)
		claim := header.Read([]byte(fields[5]))
		addr := strings.Fields(fields[0])[1]
		_, state := a.config.Identities.Identify(claim, []byte(addr), j.Time, j.HasTime)
		if want := report.Identity(state); j.Identity != want {
			t.Errorf("%v, not %v: %s", j.Identity, want, j.Line)
		}
		if j.Verdict == report.Violation || j.Verdict == report.Grace {
			late++
		}
	})
	lines := stateLog(rand.New(rand.NewPCG(7, 7)), 900) // too few to show a proxy
	auditText(t, a, "vhost_combined", strings.Join(lines, "\n"))
	if late == 0 {
		t.Error("no verdict came late")
	}
}

// A client whose address the log does not have, or that is so long that it would be cut, is
// not taken for another: no gap is measured.
func TestClientsWithoutAddressAreNotOne(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, addrs := range map[string][2]string{"none": {"-", "-"}, "too long": {long + "1", long + "2"}} {
		a := auditorBy(t, version{from: deployed, body: "User-agent: *\nCrawl-delay: 5\n"}, version{from: 0, body: forbid})
		var list []entry
		for i := range 3 {
			list = append(list, entry{vhost: onSite, addr: addrs[i%2], time: at(i - 1000)})
		}
		fetch, request := gets(2*hours, gptbot, "200", sizeOfBody(forbid)), visits(2*hours+60, "/private/x")
		fetch.addr, request.addr = addrs[0], addrs[1]
		c := rowOf(auditEntries(t, a, append(list, fetch, request)...), "GPTBot")
		if c.Verdicts[report.Grace] != 1 || len(c.CrawlDelay) != 0 {
			t.Errorf("%s: %d in grace, delays %+v", name, c.Verdicts[report.Grace], c.CrawlDelay)
		}
	}
}
