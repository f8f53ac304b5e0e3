package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The worked cases of the audit rules. In all of them GPTBot requests
// /private/x, unless they say otherwise.

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

// TestContradicted: the headline is conditional where the answers contradict the files. So it is
// where a file that nobody knows does not clear a crawler, because most others were sent one too.
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

// TestClockWarning: a file that was sent before it was there, by the source.
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

// TestInformedByItsOwnState: a verified client is not informed by what an unverified one
// fetched.
func TestInformedByItsOwnState(t *testing.T) {
	a := auditorBy(t, version{from: farAgo, body: forbid})
	ask, visit := gets(-60, gptbot, "304", "0"), visits(0, "/private/x")
	for _, c := range []struct {
		ask, visit string
		want       int64
	}{{"192.0.2.1", "192.0.2.9", 1}, {"192.0.2.1", "10.0.0.1", 0}, {"10.0.0.1", "192.0.2.1", 0},
		{"10.0.0.1", "10.0.0.2", 1}} {
		ask.addr, visit.addr = c.ask, c.visit
		if got := rowOf(auditEntries(t, a, ask, visit), "GPTBot").Informed(); got != c.want {
			t.Errorf("%s and %s: informed %d, want %d", c.ask, c.visit, got, c.want)
		}
	}
}

func TestEvasive(t *testing.T) {
	const body = "User-agent: *\nDisallow: /private/\nDisallow: /a%7Eb\nAllow: /private/open\nDisallow: /x//y\n"
	for robots, cases := range map[string]map[string]string{
		body: {
			"//private/x":                    "allowed evasive",
			"/./private/x":                   "allowed evasive",
			"/x/../private/x":                "allowed evasive",
			"/x/%2e%2E/private/x":            "allowed evasive",
			"//private//x?y=//z":             "allowed evasive",
			"https://example.com//private/x": "allowed evasive",
			"/a~b/../private/":               "contested evasive",
			"//private/open":                 "allowed",
			"/public/../x":                   "allowed",
			"/public?u=https://x/../":        "allowed",
			"/%2Fprivate/x":                  "allowed",
			"/x/../robots.txt":               "allowed",
			"/x//y":                          "contested",
			"/private/../public":             "contested",
			"/private/%2e%2e/public":         "contested",
			"/private/../robots.txt":         "contested",
			"/private//x":                    "violation",
			"//robots.txt":                   "robots_fetch",
		},
		// /robots.txt is permitted, whatever a parser makes of a rule that forbids it.
		"User-agent: *\nDisallow: /\nAllow: /x\n": {
			"/private/../robots.txt": "contested", "/private/../robots.txt?x": "contested", "/private/../y": "violation",
			"/x/../robots.txt": "allowed", "/x/..//robots.txt": "allowed", "/x/../y": "allowed evasive",
		},
	} {
		a := auditorBy(t, version{from: farAgo, body: robots})
		for target, want := range cases {
			visit := visits(0, target)
			if robots != body {
				visit.agent = googlebot
			}
			r := auditEntries(t, a, visit)
			counts := nonZero(t, r.Crawlers[0].Verdicts)
			if counts["indeterminate"] == 1 {
				counts = nonZero(t, r.Crawlers[0].Reasons)
			}
			got := strings.Join(slices.Collect(maps.Keys(counts)), " ") + strings.Repeat(" evasive", int(r.Totals.Evasive))
			if got != want {
				t.Errorf("%q: %s: %s, want %s", robots, target, got, want)
			}
		}
	}
	// Where another copy permits the normal form, nothing is evaded, nor if its operator was told that
	// there is none.
	a := auditorBy(t, version{from: farAgo, body: permit}, version{from: 0, body: body})
	told := gets(2*day0-60, gptbot, "404", "9")
	for when, want := range map[int]int64{hours: 0, 2 * day0: 1} {
		if r := auditEntries(t, a, visits(when, "//private/x")); r.Totals.Evasive != want {
			t.Errorf("after %d seconds: %d evasive, want %d", when, r.Totals.Evasive, want)
		}
		if r := auditEntries(t, a, visits(2*day0, "//private/x"), told); r.Totals.Evasive != 0 {
			t.Error("evasive, though told that there is no robots.txt")
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

// FuzzNormal: the normal form is its own, and no target that has another is passed over.
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

// Fetchers that are not exempt stand apart.
func TestFetchersStandApart(t *testing.T) {
	set := crawlers(t)
	list := set.Profiles()
	for i := range list {
		if list[i].Name == "FeedBot" {
			list[i].Role = "fetcher"
		}
	}
	a := New(Config{Crawlers: set, Policy: history(t, policy.Options{}, version{from: farAgo, body: forbid}),
		Identities: known(t, set, map[string]string{"FeedBot": "192.0.2.0/24\n"})})
	r := auditEntries(t, a, entry{vhost: onSite, target: "/private/", agent: "Feeds of News"},
		entry{vhost: onSite, target: "/", agent: "Feeds of News"}, visits(0, "/private/"))
	if got := (report.FetcherTotals{Requests: 2, Violations: 1, VerifiedContent: 1}); r.Totals.Fetchers != got ||
		r.Totals.VerifiedContent != 0 ||
		r.Totals.Verdicts[report.Violation] != 2 || rowOf(r, "FeedBot").Role != "fetcher" {
		t.Errorf("%+v", r.Totals)
	}
}
