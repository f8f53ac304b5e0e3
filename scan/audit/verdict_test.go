package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// wantCounts fails the test unless exactly the given counts are not 0.
func wantCounts(t *testing.T, what string, counts any, want map[string]int64) {
	t.Helper()
	if got := nonZero(t, counts); !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestOnlyRobotsTxtItselfIsAFetch checks that similar targets are judged like any path.
func TestOnlyRobotsTxtItselfIsAFetch(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "http://example.com", "http://robots.txt")
	for _, target := range []string{
		"/blog/robots.txt", "/robots.txt/", "/robots.txt.bak", "/Robots.txt", "/robots.txtx?/robots.txt", "/?/robots.txt",
		"//example.com/robots.txt", "/x//robots.txt", "http://example.com/blog/robots.txt", "http://robots.txt",
		"http://robots.txt/",
	} {
		r := auditEntries(t, a, entry{target: target}, entry{target: target, agent: googlebot})
		if r.Totals.Verdicts[report.Violation] != 2 {
			t.Errorf("%s: %v, want violations", target, nonZero(t, r.Totals.Verdicts))
		}
	}
}

// TestOutcomes has answers by their outcome: status, and perhaps size or method.
func TestOutcomes(t *testing.T) {
	for class, answers := range map[string]string{
		"content":      "200, 201, 206, 299, 200 1, 200 512 POST",
		"not_modified": "304, 304 0, 304 512 HEAD",
		"empty":        "204, 204 512, 200 0, 200 -, 206 0, 200 512 HEAD",
		"redirected":   "300, 301, 302, 303, 305, 307, 308, 399, 301 512 HEAD",
		"refused":      "401, 402, 403, 429, 444, 451, 500, 502, 503, 599",
		"other":        "202, 202 0, 202 512 HEAD, 400, 404, 405, 408, 410, 418, 499, -, 000, 100, 101, 199, 600, 999",
	} {
		var log []entry
		for answer := range strings.SplitSeq(answers, ", ") {
			e := entry{target: "/private/"}
			fmt.Sscan(answer, &e.status, &e.size, &e.method)
			log = append(log, e)
		}
		c := rowOf(auditEntries(t, newAuditor(t, robotsTxtBody), log...), "GPTBot")
		wantCounts(t, class, c.Outcomes, map[string]int64{class: int64(len(log))})
		for _, v := range c.Violations {
			if v.Outcome.String() != class {
				t.Errorf("%s: %+v", class, v)
			}
		}
	}
	for status := 400; status < 500; status++ {
		if is := outcomeOf(status, 1, report.Get) == report.Refused; is != strings.Contains(report.RefusedBy, fmt.Sprint(status)) {
			t.Errorf("%d: refused %v, unlike %s", status, is, report.RefusedBy)
		}
	}
	if got := outcomeOf(200, format.NoSizes, report.Get); got != report.Content {
		t.Errorf("200 in a format without sizes: %v", got)
	}
}

// TestOtherHosts checks the list of hosts without a policy. An invalid host, or one that some client would take for
// another, is one; an impossible name is quoted as it is, since Punycode takes time quadratic in its length.
func TestOtherHosts(t *testing.T) {
	name, long := strings.Repeat("ö", 50)+".example", strings.Repeat("日本", 1000)
	a := newAuditor(t, robotsTxtBody, "https://example.com", "http://[fe80::1]", "https://"+name)
	others := []entry{
		{vhost: "a.example:443"}, {vhost: "A.example:443"}, {vhost: "b.example"}, {vhost: "example.com:80"},
		{vhost: "c\x1b[2Jd:1"}, {vhost: strings.Repeat("x", 300)},
	}
	judged := []entry{{vhost: "example.com:443"}, {vhost: strings.ToUpper(name) + ":443"},
		{vhost: "example.com", target: "https://example.com/target"}}
	r := auditEntries(t, a, slices.Concat(others, judged, []entry{{vhost: "a.example", agent: browser}})...)
	want := []report.HostInfo{
		{Host: "https://a.example", Requests: 2}, {Host: "b.example", Requests: 1}, {Host: "c\x1b[2Jd:1", Requests: 1},
		{Host: "http://example.com", Requests: 1},
		{Host: strings.Repeat("x", 255) + " (longer than 255 bytes)", Requests: 1},
	}
	if r.OtherHost != 6 || fmt.Sprint(r.OtherHosts) != fmt.Sprint(want) || r.Totals.Requests != 3 {
		t.Errorf("%d to others, %d judged: %s\nwant %s", r.OtherHost, r.Totals.Requests, fmt.Sprint(r.OtherHosts), fmt.Sprint(want))
	}
	for _, e := range []entry{
		{target: `https://good.example\@example.com/`}, {target: `https://example.com\/`},
		{target: "http://[fe80::1%25eth0]/"}, {vhost: "fe80::1%eth0"}, {vhost: `example.com\`},
		{vhost: "[fe80::1%25eth0]:80"}, {vhost: long}, {vhost: "x", target: "http://" + long + "/"},
		{vhost: "https://example.com", target: "/field"}, // a URL in the field is not the target that begins alike
	} {
		e.vhost = cmp.Or(e.vhost, "example.com")
		target := entry{vhost: "example.com", target: "https://example.com/target"}
		for _, log := range [][]entry{{e, target}, {target, e}} {
			r := auditEntries(t, a, log...)
			if r.OtherHost != 1 || r.Totals.Requests != 1 || e.vhost == long && !strings.Contains(r.OtherHosts[0].Host, "日本日") {
				t.Errorf("%.80s: %d of another host, %d judged: %+v", e, r.OtherHost, r.Totals.Requests, r.OtherHosts)
			}
		}
	}
}

func TestDialectForAll(t *testing.T) {
	d := automaton.RFC9309
	a := newAuditor(t, "User-agent: *\nDisallow: /a%7Eb\nDissallow: /typo")
	a = New(Config{Crawlers: a.config.Crawlers, Policy: a.config.Policy, Dialect: &d})
	for agent, name := range map[string]string{gptbot: "GPTBot", googlebot: "Googlebot", acmebot: "AcmeBot"} {
		r := auditEntries(t, a, entry{target: "/a~b", agent: agent}, entry{target: "/typo", agent: agent})
		wantCounts(t, name, rowOf(r, name).Verdicts, map[string]int64{"violation": 1, "allowed": 1})
	}
}

func TestSpan(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	r := auditEntries(t, a,
		entry{vhost: "example.com", time: "02/Mar/2026:10:00:00 +0200"},
		entry{vhost: "example.com", time: "01/Mar/2026:23:30:00 -0100", target: "/robots.txt"},
		entry{vhost: "example.com", time: "-"},
		entry{vhost: "other.example", time: "01/Jan/2020:00:00:00 +0000"},
		entry{vhost: "example.com", time: "01/Jan/2020:00:00:00 +0000", agent: browser})
	if r.From.String() != "2026-03-02T00:30:00Z" || r.To.String() != "2026-03-02T08:00:00Z" {
		t.Errorf("from %s to %s", r.From, r.To)
	}
	r = auditEntries(t, a, entry{vhost: "example.com", time: "-"})
	if !r.From.IsZero() || !r.To.IsZero() {
		t.Errorf("without a time: from %q to %q", r.From, r.To)
	}
}

// headersOf are the headers of visitors by the words of visitsOf.
var headersOf = map[string]string{
	"gptbot": gptbot, "googlebot": googlebot, "adsbot": adsbot, "chatgpt": chatgpt, "mj12bot": mj12bot,
	"twobots": twoBots, "browser": browser, "acmebot": acmebot,
}

func sizeOfBody(body string) string { return fmt.Sprint(len(body)) }

const (
	onSite   = "example.com:443"
	forbid   = "User-agent: *\nDisallow: /private/\n"
	permit   = "User-agent: *\nDisallow: /other/\n###\n" // of another size
	hours    = 60 * 60
	farAgo   = -400 * day0
	deployed = -200 * day0 // long before the requests
)

// gets is a GET of robots.txt n seconds after someTime, answered with a status and a size.
func gets(n int, agent, status, size string) entry {
	return entry{vhost: onSite, target: "/robots.txt", agent: agent, time: at(n), status: status, size: size}
}

func visits(n int, target string) entry { return entry{vhost: onSite, target: target, time: at(n)} }

// auditorBy returns an auditor by a history.
func auditorBy(t *testing.T, list ...version) *Auditor {
	t.Helper()
	return New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{}, list...), Samples: 1})
}

// TestContradicted checks that the headline is conditional if the answers contradict the files, or
// if an unknown file does not clear a crawler because most others were sent one too.
func TestContradicted(t *testing.T) {
	right, visit := sizeOfBody(forbid), visits(0, "/private/x")
	file, gone := []version{{from: farAgo, body: forbid}}, []version{{from: farAgo, status: 404}}
	gotRight := []entry{gets(-60, gptbot, "200", right), gets(-61, gptbot, "200", right), gets(-62, gptbot, "200", right)}
	for name, c := range map[string]struct {
		list []version
		log  []entry
		want bool
	}{
		"half have the file's size": {file, []entry{gets(-60, browser, "200", right),
			gets(-60, browser, "200", "9")}, false},
		"most have another": {file, []entry{gets(-60, browser, "200", right),
			gets(-60, browser, "200", "9"), gets(-60, mj12bot, "200", "9")}, true},
		"half are none": {file, []entry{gets(-60, browser, "304", "-"),
			gets(-60, browser, "403", "9")}, false},
		"most are none":                   {file, []entry{gets(-60, browser, "403", "9")}, true},
		"most are none, as the files say": {gone, []entry{gets(-60, browser, "403", "9")}, false},
		"most others were sent an unknown one": {file, append(gotRight, gets(-60, gptbot, "200", "9"),
			gets(-60, browser, "200", "9")), true},
		"half of them were": {file, append(gotRight, gets(-60, gptbot, "200", "9"),
			gets(-60, browser, "200", "9"), gets(-60, mj12bot, "200", right)), false},
		"but the crawler was not": {file, append(gotRight, gets(-60, browser, "200", "9")), false},
	} {
		if got := auditEntries(t, auditorBy(t, c.list...), append(c.log, visit)...).RobotsTxt.Contradicted; got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestClockWarning checks the warning about a file that was sent before the source had it.
func TestClockWarning(t *testing.T) {
	list := []version{{from: farAgo, body: forbid}, {from: 0, body: permit}, {from: day0, body: forbid + "#"}}
	for name, c := range map[string]struct {
		when int
		size string
		want bool
	}{
		"an hour early": {-hours, sizeOfBody(permit), true}, "within the skew": {-599, sizeOfBody(permit), false},
		"the version after the next": {hours, sizeOfBody(forbid + "#"), true},
		"a version of before":        {hours, sizeOfBody(forbid), false},
		"none":                       {-hours, "9", false},
	} {
		r := auditEntries(t, auditorBy(t, list...), gets(c.when, browser, "200", c.size), visits(0, "/"))
		const text = "1 answer to /robots.txt has the size of a version that was not in force yet: "
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), text); got != c.want {
			t.Errorf("%s: %q, want a warning: %v", name, r.Warnings, c.want)
		}
	}
}

func TestNormalForm(t *testing.T) {
	for target, want := range map[string]string{
		"/": "/", "/a/b": "/a/b", "/a//b///c/": "/a/b/c/", "/a/./b": "/a/b", "/a/../b": "/b", "/..": "/",
		"/../../a": "/a", "/a/.": "/a/", "/a/b/..": "/a/", "/a//../b": "/a/b", "/.a/..b": "/.a/..b",
		"/%41%7e%2F": "/A~%2F", "/%4": "/%4", "/%zz%": "/%zz%", "/a?b//../%41": "/a?b//../%41",
		"/a/../b#//": "/b#//", "//": "/", "http://h//a/%2e%2e/b?//": "http://h/b?//", "http://h": "http://h",
	} {
		got, differs := appendNormal([]byte("x"), []byte(target))
		if string(got) != "x"+want || differs != (target != want) {
			t.Errorf("%s: %s, want %s; differs: %v", target, got[1:], want, differs)
		}
		if differs && !mayBeAbnormal([]byte(target)) {
			t.Errorf("%s would be passed over", target)
		}
	}
}

// FuzzNormal checks that a normal form is its own normal form, and that no target with another one is missed.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{"/a//b", "/%2e%2e/", "/aaaaaaa/./b", "/12345678//", "http://h/../x?y#z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || s[0] != '/' {
			return
		}
		once, differs := appendNormal(nil, []byte(s))
		if differs && !mayBeAbnormal([]byte(s)) {
			t.Errorf("%q is passed over", s)
		}
		if again, _ := appendNormal(nil, once); len(once) == 0 || !strings.Contains(s, "%") && string(again) != string(once) {
			t.Errorf("%q: %q, then %q", s, once, again)
		}
	})
}

// answersOf reads answers to /robots.txt such as "example.com:443 -1000 27; example.com 0 7 206
// HEAD": by a host, so many seconds after someTime, with a size, perhaps a status and a method.
func answersOf(t *testing.T, text, agent string) (list []entry) {
	t.Helper()
	for answer := range strings.SplitSeq(text, "; ") {
		e, n := entry{agent: agent}, 0
		if found, _ := fmt.Sscan(answer, &e.vhost, &n, &e.size, &e.status, &e.method); found < 3 {
			t.Fatal(answer)
		}
		e.time, e.target = at(n), "/robots.txt"
		list = append(list, e)
	}
	return list
}

// TestSizesOfRobotsTxt checks that answers to /robots.txt whose size fits no version in force are
// listed with their times, whoever the client was.
func TestSizesOfRobotsTxt(t *testing.T) {
	short, long := "User-agent: *\nDisallow: /p\n", "User-agent: *\nDisallow: /p\nDisallow: /q\n" // 27 and 40 bytes
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -3 * day0, body: short}, version{from: 0, body: long}, version{from: day0, status: 404},
		version{at: "http://example.com", from: -3 * day0, body: long})})
	for _, row := range cases.Rows(t, "sizes.txt") {
		name, log, want := row[0], row[1], strings.Join(row[2:], " ") // of sizes, whether they change, and those listed
		r := auditEntries(t, a, answersOf(t, log, browser)...).RobotsTxt
		differing := int64(0)
		for _, l := range r.Listed {
			differing += l.N
		}
		got := fmt.Sprint(r.Sizes, " ", r.SizesChange, " ", strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(r.Listed), "["), "]"))
		if got != want || r.Differing != differing {
			t.Errorf("%s: %s, %d differ, want %s", name, got, r.Differing, want)
		}
	}
	odd := []entry{{vhost: onSite, target: "/robots.txt", time: "-", size: "7"}, {vhost: onSite, target: "/robots.txt?x",
		size: "7", agent: browser}, {vhost: onSite, target: "/blog/robots.txt", size: "7", agent: browser}}
	if r := auditEntries(t, a, odd...).RobotsTxt; r.Sizes+r.Differing != 0 {
		t.Errorf("at no time, with a query and of a folder: %+v", r)
	}
}

// TestRefusedRobotsTxt checks that a crawler was told that nothing is forbidden if it was refused a
// robots.txt with rules, or got one without a body, whatever the status.
func TestRefusedRobotsTxt(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: robotsTxtBody}, version{from: 0, status: 404}, version{from: 2 * day0, status: 503},
		version{from: 4 * day0, body: robotsTxtBody}, version{at: "http://example.com", from: -9 * day0, status: 404},
		version{at: "https://www.example.com", from: -9 * day0})})
	for _, row := range cases.Rows(t, "refused.txt") {
		answer, refused := row[0], row[1] == "true"
		r := auditEntries(t, a, answersOf(t, answer, gptbot)...)
		list, served := rowOf(r, "GPTBot").RobotsTxt.Cleared, strings.HasSuffix(answer, " 9 200")
		if len(list) == 1 != refused || len(list) == 1 && !strings.HasSuffix(answer, fmt.Sprint(list[0].Status)) ||
			r.RobotsTxt.Served == 1 != served {
			t.Errorf("%s: refused %v, served %d", answer, list, r.RobotsTxt.Served)
		}
	}
}

// TestSizesThatDifferAreAllCounted checks that sizes beyond the listed ones are counted, too.
func TestSizesThatDifferAreAllCounted(t *testing.T) {
	const n = 3 * maxSizes
	var log []string
	for i := range n {
		log = append(log, gets(i, browser, "200", fmt.Sprint(1000+i)).String())
	}
	log = append(log, gets(n, browser, "200", sizeOfBody(forbid)).String())
	r := checkOrder(t, auditorBy(t, version{from: farAgo, body: forbid}), "vhost_combined", log).RobotsTxt
	if r.Sizes != n+1 || r.Differing != n || len(r.Listed) > maxSizes {
		t.Errorf("%d of %d differ, %d listed", r.Differing, r.Sizes, len(r.Listed))
	}
}

// TestSizesOfSeveralOrigins checks that the file of either scheme may have been sent, even if only the other one has
// changed, that an empty answer is expected if the source has no file, and the target's file if it has a redirect.
func TestSizesOfSeveralOrigins(t *testing.T) {
	www, to := version{at: "https://www.example.com", from: farAgo, body: forbid}, "https://www.example.com/robots.txt"
	schemes := []version{{at: "http://example.com", from: farAgo, body: "0"}, {from: farAgo, body: forbid},
		{from: 0, body: permit}}
	right, new := sizeOfBody(forbid), sizeOfBody(permit)
	for name, c := range map[string]struct {
		is    []version
		host  string
		when  int
		size  string
		other int64
	}{
		"204, a file":              {[]version{{from: farAgo, status: 204}, www}, onSite, 0, "9", 1},
		"404, a file":              {[]version{{from: farAgo, status: 404}, www}, onSite, 0, "9", 1},
		"a redirect, the file":     {[]version{{from: farAgo, status: 301, to: to}, www}, onSite, 0, right, 0},
		"a redirect, another file": {[]version{{from: farAgo, status: 301, to: to}, www}, onSite, 0, "9", 1},
		"either scheme, in time":   {schemes, "example.com", hours, new, 0},
		"either scheme, too early": {schemes, "example.com", -hours, new, 1},
	} {
		e := gets(c.when, browser, "200", c.size)
		e.vhost = c.host
		r := auditEntries(t, auditorBy(t, c.is...), e).RobotsTxt
		if r.Differing != c.other || int64(len(r.Listed)) != c.other || r.Sizes != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestNobodyIsInformedByAnothersFetch checks that a crawler is informed only by fetches under
// exactly its name, however long and similar names are.
func TestNobodyIsInformedByAnothersFetch(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		fetching, requesting string
		violations, informed int64
	}{
		"the same":                        {"FooBot/1", "FooBot/2", 1, 1},
		"in other case":                   {"FooBot/1", "FOOBOT/1", 1, 1},
		"behind byte 64":                  {long[:64] + "1-bot", long[:64] + "2-bot", 1, 0},
		"65 bytes and their first 64":     {long[:60] + "-bot", long[:60] + "-bots", 1, 0},
		"the same of 4,097 bytes":         {long[:4093] + "-bot", long[:4093] + "-bot", 0, 0},
		"4,096 bytes of a longer one":     {"bot-" + long[:5000], "bot-" + long[:4092], 1, 0},
		"a longer one by its 4,096":       {"bot-" + long[:4092], "bot-" + long[:5000], 0, 0},
		"behind 5,000 bytes":              {long[:5000] + "1-bot", long[:5000] + "2-bot", 0, 0},
		"octets that are no text":         {"Foo\xfe-bot", "Foo\xff-bot", 1, 0},
		"the Kelvin sign and a k":         {"\u212a-Scrapbot", "K-Scrapbot", 1, 0},
		"a word with and without its dot": {"a.x-bot/1", "b.x-bot/1", 1, 0},
		"the same with a dot":             {"beta.acme_bot", "BETA.acme_bot", 1, 1},
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

// TestMoreProfilesThan65536 checks that crawlers past the 65,536th are not confused with others.
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

// TestClientsWithoutAddressAreNotOne checks that no gap is measured between clients whose addresses
// are missing or too long.
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

// TestCutAddresses checks that IPv4 addresses that end in .0, .1 or .255 count as cut if there are at least three
// distinct ones and more than a twentieth. Their clients are neither verified nor impostors.
func TestCutAddresses(t *testing.T) {
	set := crawlers(t)
	a := New(Config{Crawlers: set, Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{}, version{from: -9 * day0, body: robotsTxtBody})})
	for _, c := range []struct {
		cut, whole int // addresses of browsers
		ends       string
		want       bool
	}{{1, 10, "0", false}, {2, 10, "0", true}, {2, 10, "1", true}, {2, 10, "255", true}, {2, 10, "2", false},
		{2, 57, "0", false}, {2, 56, "0", true}} {
		list := []entry{{vhost: onSite, agent: googlebot, addr: "192.0.2.255", target: "/private/"},
			{vhost: onSite, agent: googlebot, addr: "198.51.100.17", target: "/private/"}}
		for i := range c.cut {
			list = append(list, entry{vhost: onSite, agent: browser, addr: fmt.Sprintf("84.1.%d.%s", i, c.ends)})
		}
		for i := range c.whole - 1 {
			list = append(list, entry{vhost: onSite, agent: browser, addr: fmt.Sprintf("84.2.%d.17", i)})
		}
		r := auditEntries(t, a, list...)
		row := rowOf(r, "Googlebot")
		first := report.Verified
		if c.want {
			first = report.Unverifiable
		}
		if r.AddressesCut != c.want || row.Identity[first] != 1 || row.Identity[report.SpoofedIdentity] != 1 ||
			row.Requests != 2 || row.Verdicts[report.Violation] != 1 {
			t.Errorf("%+v: cut %v, identities %v, verdicts %v", c, r.AddressesCut, row.Identity, row.Verdicts)
		}
	}
}

// TestNobodyStandsAlone checks that a 404 to a cut address, or in a log with a proxy's addresses,
// does not count for one client only.
func TestNobodyStandsAlone(t *testing.T) {
	set := crawlers(t)
	for name, c := range map[string]struct {
		addrs   []string
		proxied bool
		want    int64 // violations
	}{
		"whole":   {[]string{"84.1.1.7", "84.1.2.7", "84.1.3.7", "84.1.4.7"}, false, 1},
		"cut":     {[]string{"84.1.1.0", "84.1.2.0", "84.1.3.0", "84.1.4.0"}, false, 0},
		"proxied": {[]string{"84.1.1.7", "84.1.2.7", "84.1.3.7", "84.1.4.7"}, true, 0},
		"none":    {[]string{"84.1.1.7", "-", "84.1.3.7", "84.1.4.7"}, false, 0},
	} {
		a := New(Config{Crawlers: set, Proxied: &c.proxied,
			Policy: history(t, policy.Options{}, version{from: -9 * day0, body: robotsTxtBody})})
		size := fmt.Sprint(len(robotsTxtBody))
		r := auditEntries(t, a,
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[0], time: at(-3600), size: size},
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[1], time: at(0), status: "404"},
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[2], time: at(3600), size: size},
			entry{vhost: onSite, agent: browser, addr: c.addrs[3]},
			entry{vhost: onSite, agent: googlebot, target: "/private/", time: at(1800)})
		if got := rowOf(r, "Googlebot").Verdicts[report.Violation]; got != c.want {
			t.Errorf("%s: %d violations, want %d", name, got, c.want)
		}
		if want := 1 - c.want; r.RobotsTxt.ClearedByStrangers != want || int64(len(r.RobotsTxt.Strangers)) != want {
			t.Errorf("%s: cleared %d by %v", name, r.RobotsTxt.ClearedByStrangers, r.RobotsTxt.Strangers)
		}
	}
}

// proxiedLog has requests of browsers from several addresses in a network, and then requests of Googlebot, which was
// told that there is no robots.txt, from the first of these addresses.
func proxiedLog(network string, lines, addresses int) []string {
	var log []string
	for i := range lines {
		log = append(log, entry{vhost: onSite, addr: fmt.Sprintf("%s.%d", network, 1+i%addresses), agent: browser,
			target: fmt.Sprintf("/%d", i), time: at(i)}.String())
	}
	for i, target := range []string{"/robots.txt", "/", "/x", "/private/1", "/private/2"} {
		e := entry{vhost: onSite, addr: network + ".1", agent: googlebot, target: target, time: at(i)}
		if i == 0 {
			e.status = "404"
		}
		log = append(log, e.String())
	}
	return log
}

// TestProxiedLog checks that nobody is spoofed or verified if nearly all requests come from a few addresses, or from
// Cloudflare's.
func TestProxiedLog(t *testing.T) {
	set := crawlers(t)
	judged := map[string]int64{"allowed": 2, "robots_fetch": 1, "no_policy": 2}
	for _, c := range []struct {
		name             string
		ranges           string // of Googlebot
		network          string
		lines, addresses int
		proxied          bool
		identity         string
		verdicts         map[string]int64
		fetches          int64
	}{
		{"eight addresses, none in the list", "203.0.113.0/24", "192.0.2", 2000, 8, true, "unverified", judged, 1},
		{"one address, in the list", "192.0.2.0/24", "192.0.2", 2000, 1, true, "unverified", judged, 1},
		{"nine addresses, in the list", "192.0.2.0/24", "192.0.2", 2000, 9, false, "verified", judged, 1},
		{"few lines, in the list", "192.0.2.0/24", "192.0.2", 900, 1, false, "verified", judged, 1},
		{"few lines, not in the list", "203.0.113.0/24", "192.0.2", 900, 1, false, "spoofed", map[string]int64{"spoofed": 5}, 0},
		{"many addresses of a CDN", "203.0.113.0/24", "172.68.9", 20, 20, true, "unverified", judged, 1},
		{"few lines of a CDN", "203.0.113.0/24", "172.68.9", 10, 10, false, "spoofed", map[string]int64{"spoofed": 5}, 0},
	} {
		a := New(Config{Crawlers: set, Policy: history(t, policy.Options{}, version{from: farAgo, body: forbid}),
			Identities: known(t, set, map[string]string{"Googlebot": c.ranges + "\n"})})
		r := auditText(t, a, "vhost_combined", strings.Join(proxiedLog(c.network, c.lines, c.addresses), "\n"))
		row := rowOf(r, "Googlebot")
		if r.Proxied != c.proxied || nonZero(t, row.Identity)[c.identity] != 5 || row.RobotsTxt.Fetches != c.fetches {
			t.Errorf("%s: proxied %v, identities %v, %d fetches", c.name, r.Proxied, nonZero(t, row.Identity),
				row.RobotsTxt.Fetches)
		}
		wantCounts(t, c.name, row.Verdicts, c.verdicts)
	}
}

// TestChoiceOfLines checks that the sample of many lines is fair.
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

// TestUnverified checks that the choice of addresses to look up depends only on the addresses.
func TestUnverified(t *testing.T) {
	list, err := crawler.Read([]byte(`[{"name":"DNSBot","operator":"Names","category":"search","words":["DNSBot"],
	"tokens":["DNSBot"],"obeys":"yes","verify":"dns","domains":["names.example"]},
		{"name":"GPTBot","operator":"OpenAI","category":"ai-training","words":["GPTBot"],"tokens":["GPTBot"],"obeys":"yes",
		"verify":"ranges"}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Config{Crawlers: setOf(t, list), Policy: constant("User-agent: *\nDisallow: /p\n", nil), KeepAddresses: true})
	const dns = "DNSBot/1"
	unverified := func(addresses ...string) (*Run, []crawler.Pair, bool) {
		r := begin(t, a)
		log := entry{addr: "192.0.2.200", agent: dns}.String()
		for _, addr := range addresses {
			log += fmt.Sprintf("\n%s\n%s\n%s", entry{addr: addr, agent: dns, target: "/p"},
				entry{addr: addr, agent: dns, target: "/p/2"}, entry{addr: addr, target: "/p"})
		}
		r.Worker().Chunk(byName(t, "combined"), nil, []byte(log))
		pairs, more, err := r.Unverified(10)
		if err != nil || len(pairs) != 10 {
			t.Fatal(pairs, err)
		}
		return r, pairs, more
	}
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprintf("192.0.2.%d", i))
	}
	_, few, more := unverified(all...)
	r, exactly, none := unverified(all[:10]...)
	slices.Reverse(all)
	if _, again, _ := unverified(all...); fmt.Sprint(few) != fmt.Sprint(again) || !more || none {
		t.Errorf("%v, more %v, %v; in another order %v", few, more, none, again)
	}
	for _, pair := range exactly[:3] {
		r.Verify(pair)
	}
	got := resultOf(t, r)
	if row := rowOf(got, "DNSBot"); row.Identity[report.Verified] != 6 || row.Identity[report.Unverified] != 15 ||
		row.VerifiedContent() != 6 || rowOf(got, "GPTBot").Identity[report.Verified] != 0 {
		t.Errorf("%+v, GPTBot %+v", row.Identity, rowOf(got, "GPTBot").Identity)
	}
}

// periodOfTest is in the middle of stateLog.
func periodOfTest() Period {
	return Period{Since: time.Unix(0, moment(-2*day0)), Until: time.Unix(0, moment(7*day0))}
}

// limited returns an auditor of a period, and appends each verdict in it to a list.
func limited(t testing.TB, p Period, verdicts *[]string) *Auditor {
	a := New(stateAuditor(t).config)
	a.config.Judged = listen(func(j *Event) {
		if !j.HasTime || periodOfTest().contains(j.Time) {
			for range j.N {
				*verdicts = append(*verdicts, fmt.Sprintf("%s %v %v %v %v %s", j.Verdict, j.Reason, j.Identity, j.Informed,
					j.Evasive, j.Line))
			}
		}
	})
	a.config.Period = p
	return New(a.config)
}

// TestAPeriodChangesNoVerdict checks that the requests in a period get the same verdicts as in an
// audit of the whole log: a 404 for robots.txt just before it still clears.
func TestAPeriodChangesNoVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 7))
	for round := range 4 {
		lines := stateLog(rng, 1500)
		lines = append(lines, entry{vhost: "example.com:443", time: "-", target: "/private/"}.String())
		var whole, part []string
		all := auditText(t, limited(t, Period{}, &whole), "vhost_combined", strings.Join(lines, "\n"))
		r := auditText(t, limited(t, periodOfTest(), &part), "vhost_combined", strings.Join(lines, "\n"))
		slices.Sort(whole)
		slices.Sort(part)
		if !slices.Equal(whole, part) {
			t.Fatalf("round %d: %d verdicts differ: %s", round, len(whole),
				firstDifference(strings.Join(part, "\n"), strings.Join(whole, "\n")))
		}
		if len(part) < 100 || r.OutOfPeriod < 100 || r.Lines+r.OutOfPeriod != all.Lines {
			t.Errorf("%d verdicts, %d lines and %d outside of the period of %d", len(part), r.Lines, r.OutOfPeriod, all.Lines)
		}
		if r.Since.String() != "2026-02-28T10:00:00Z" || r.Until.String() != "2026-03-09T10:00:00Z" ||
			r.From.Before(r.Since.Time) || !r.To.Before(r.Until.Time) {
			t.Errorf("%s to %s, requests from %s to %s", r.Since, r.Until, r.From, r.To)
		}
		if r.OutsideFrom.IsZero() || !r.OutsideFrom.Before(r.Since.Time) || r.OutsideTo.Before(r.Until.Time) ||
			!all.OutsideFrom.IsZero() || !all.OutsideTo.IsZero() {
			t.Errorf("lines outside from %s to %s", r.OutsideFrom, r.OutsideTo)
		}
	}
}

// TestFetchesOutsideOfAPeriodAreNoRequests checks that a crawler that only fetched robots.txt
// outside of the period has no row.
func TestFetchesOutsideOfAPeriodAreNoRequests(t *testing.T) {
	c := newAuditor(t, robotsTxtBody, "https://example.com").config
	c.Period.Since = time.Unix(0, moment(100))
	a := New(c)
	r := auditEntries(t, a, entry{target: "/robots.txt"}, entry{target: "/robots.txt", agent: acmebot},
		entry{target: "/robots.txt", agent: twoBots},
		entry{target: "/robots.txt", agent: browser}, entry{target: "/robots.txt", agent: chatgpt},
		entry{agent: browser, time: at(200)})
	if len(r.Crawlers) != 0 || r.Lines != 1 || r.OutOfPeriod != 5 || r.RobotsTxt.Requests != 0 || !r.RobotsTxt.Logged {
		t.Errorf("%d crawlers, %d lines, %d out of the period, %+v", len(r.Crawlers), r.Lines, r.OutOfPeriod, r.RobotsTxt)
	}
}
