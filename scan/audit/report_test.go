package audit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

func TestOrderOfCrawlersAndRules(t *testing.T) {
	log := []entry{
		{agent: "Zed-Bot", target: "/r/1/"}, {agent: "Zed-Bot", target: "/r/1/"}, {agent: "Zed-Bot", target: "/r/2/"},
		{agent: gptbot, target: "/r/5/"}, {agent: gptbot, target: "/r/0/"}, {agent: gptbot, target: "/r/3/"},
		{agent: gptbot, target: "/r/3/"},
		{agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot},
		{agent: acmebot, target: "/r/4/"}, {agent: googlebot, target: "/r/4/"}, {agent: "abc-bot"},
	}
	r := auditEntries(t, newAuditor(t, manyRules(9)), log...)
	var got []string
	for _, c := range r.Crawlers {
		s := c.Crawler
		for _, rule := range c.Rules {
			s += fmt.Sprintf(" %d:%d", rule.Line, rule.Violations)
		}
		got = append(got, s)
	}
	want := "GPTBot 5:2 2:1 7:1, Zed-Bot 3:2 4:1, AcmeBot 6:1, Googlebot 6:1, MJ12bot, abc-bot"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if r.Totals.Verdicts[report.Violation] != 9 || r.Totals.Requests != 15 || r.Totals.Outcomes[report.Content] != 9 {
		t.Errorf("totals %+v", r.Totals)
	}
}

// TestLongHostIsNotReadAsOne: to read an IDN takes time that grows with the square
// of its length. What cannot be a name is quoted as it is, and not made Punycode.
func TestLongHostIsNotReadAsOne(t *testing.T) {
	long := strings.Repeat("日本", 1000)
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for _, e := range []entry{{vhost: long}, {vhost: "x", target: "http://" + long + "/"}} {
		r := auditEntries(t, a, e)
		if r.OtherHost != 1 || !strings.Contains(r.OtherHosts[0].Host, "日本日本") {
			t.Errorf("%d, %v", r.OtherHost, r.OtherHosts)
		}
	}
	// A name as long as names may be is one.
	name := strings.Repeat("ö", 50) + ".example"
	r := auditEntries(t, newAuditor(t, robotsTxtBody, "https://"+name), entry{vhost: strings.ToUpper(name) + ":443"})
	if r.Totals.Requests != 1 {
		t.Error("a long name is not found")
	}
}

// A name that looks like a crawler's in other letters is not shown as that crawler's.
func TestNamesInOtherLetters(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: constant(robotsTxtBody, nil)})
	r := auditEntries(t, a, entry{agent: "G\u043e\u043eglebot/2.1 (+http://x.example)"})
	if len(r.Crawlers) != 1 || r.Crawlers[0].Crawler != `G\u{43e}\u{43e}glebot` {
		t.Errorf("%+v", r.Crawlers)
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestNothingInAReportActsOnATerminal: whatever the lines are, Texts makes all strings of
// the report printable.
func TestNothingInAReportActsOnATerminal(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for round := range rounds {
		rng := rand.New(rand.NewPCG(10, uint64(round)))
		lines := messyLog(rng, 300, true)
		for range 50 {
			odd := strings.NewReplacer("\n", "", "\"", "", " ", "").Replace(randomBytes(rng, 10))
			lines = append(lines, entry{vhost: "example.com", target: "/private/" + odd}.String(),
				entry{vhost: "h" + odd}.String(), entry{vhost: "example.com", agent: odd + "zbot/1.0 (http://x)"}.String(), odd)
		}
		r := auditText(t, a, "vhost_combined", strings.Join(lines, "\n"))
		before := marshal(t, r)
		checkPrintable(t, decode(t, marshal(t, report.Texts(r, report.Printable))))
		if marshal(t, r) != before {
			t.Error("the report itself is another now")
		}
	}
}

func checkPrintable(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		for _, c := range v {
			// Where JSON cannot say a byte it says U+FFFD.
			if !strconv.IsPrint(c) || c == utf8.RuneError {
				t.Fatalf("%q", v)
			}
		}
	case []any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	case map[string]any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	}
}

// TestEnumsOfReports: what a report calls identities and crawlers without a name is what package
// crawler has.
func TestEnumsOfReports(t *testing.T) {
	for identity, state := range map[report.Identity]crawler.State{
		report.Verified: crawler.Verified, report.SpoofedIdentity: crawler.Spoofed,
		report.Unverified: crawler.Unverified, report.Unverifiable: crawler.Unverifiable,
	} {
		if identity != report.Identity(state) {
			t.Errorf("%s has the number %d, the state %d", identity, identity, state)
		}
	}
	if report.Nameless != crawler.Nameless {
		t.Errorf("a crawler without a name is %q in a report, and %q in package crawler", report.Nameless, crawler.Nameless)
	}
}
