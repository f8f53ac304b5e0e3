package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
)

// comparing returns an auditor that compares two robots.txt.
func comparing(t testing.TB, before, after string, hosts ...string) *Auditor {
	t.Helper()
	a := newAuditor(t, before, hosts...)
	a.config.WhatIf = policy.Constant(policy.Row{Body: []byte(after), Size: -1, File: "new.txt"}, policy.Options{})
	return New(a.config)
}

// isForbidden is the verdict of one robots.txt by one reading, without a machine.
func isForbidden(body string, r reading.Reading, token, target string) bool {
	return !compile.Ask([]byte(body), []byte(token), []byte(target), r.Options(0)).Allowed()
}

// expect counts a request as the specification has it: by the readings of its crawler.
func expect(to *report.ComparedInfo, readings []reading.Reading, before, after, token, target string) {
	seen := map[*report.ChangeInfo]bool{}
	for _, r := range readings {
		switch was, is := isForbidden(before, r, token, target), isForbidden(after, r, token, target); {
		case was == is:
			seen[&to.Unchanged] = true
		case is:
			seen[&to.Forbidden] = true
		default:
			seen[&to.Allowed] = true
		}
	}
	if len(seen) > 1 {
		to.Undecided.Requests++
		return
	}
	for of := range seen {
		of.Requests++
	}
}

// TestWhatIfAgreesWithOneQuestion checks the counts of each crawler against asking both files about
// each request, for files and targets that readings treat differently, in any order of lines.
func TestWhatIfAgreesWithOneQuestion(t *testing.T) {
	lines := []string{"Disallow: /a", "Allow: /a/b", "Disallow: /*?q", "Disallow: /a%7Eb", "Allow: /a/b$", "Disallow: /",
		"Crawl-delay: 1", "User-agent: GPTBot", "User-agent: MJ12bot", "User-agent: Googlebot", "User-agent: *",
		"User-agent: AcmeBot", "Disallow:", "Sitemap: https://example.com/a/b"}
	targets := []string{"/", "/a", "/a/b", "/a/bc", "/x?q=1", "/a~b", "/a%7eb", "/c/d", "//a"}
	agents := map[string]struct {
		header, listed string
		readings       []reading.Reading
	}{
		"GPTBot": {gptbot, "", reading.UnknownReadings()}, "MJ12bot": {mj12bot, "", reading.UnknownReadings()},
		"Googlebot": {googlebot, "", []reading.Reading{reading.ReadGoogle}},
		"AcmeBot":   {acmebot, report.UnknownCrawlers, reading.UnknownReadings()},
	}
	sum := report.ComparedInfo{}
	for round := range 50 {
		rng := rand.New(rand.NewPCG(33, uint64(round)))
		file := func() string {
			text := "User-agent: *\n"
			for range rng.IntN(9) {
				text += lines[rng.IntN(len(lines))] + "\n"
			}
			return text
		}
		before, after := file(), file()
		var log []string
		want := map[string]*report.ComparedInfo{}
		for name, agent := range agents {
			for _, target := range targets {
				log = append(log, entry{agent: agent.header, target: target}.String())
				for _, of := range []string{"", cmp.Or(agent.listed, name)} {
					if want[of] == nil {
						want[of] = &report.ComparedInfo{}
					}
					expect(want[of], agent.readings, before, after, name, target)
				}
			}
		}
		r := checkOrder(t, comparing(t, before, after), "combined", log)
		for _, got := range append(slices.Clone(r.WhatIf.Crawlers), r.WhatIf.All) {
			of := want[got.Crawler]
			if got.Unchanged.Requests != of.Unchanged.Requests || got.Forbidden.Requests != of.Forbidden.Requests ||
				got.Allowed.Requests != of.Allowed.Requests || got.Undecided.Requests != of.Undecided.Requests {
				t.Fatalf("%q\n got %+v\nwant %+v\nbefore:\n%s\nafter:\n%s", got.Crawler, got, of, before, after)
			}
		}
		sum.Forbidden.Requests += r.WhatIf.All.Forbidden.Requests
		sum.Allowed.Requests += r.WhatIf.All.Allowed.Requests
		sum.Undecided.Requests += r.WhatIf.All.Undecided.Requests
	}
	if min(sum.Forbidden.Requests, sum.Allowed.Requests, sum.Undecided.Requests) < 30 {
		t.Errorf("the files are not worth the test: %+v", sum)
	}
}

func TestWhatIfPrefixes(t *testing.T) {
	var entries []entry
	for _, target := range []string{"/", "/page", "/search?q=/a/", "/a/", "/a/b/c?d", "/a", "/?x", "//", "//a//b",
		"http://example.com/a/x", "http://example.com", "/%61/b", "/a#/b", "/" + strings.Repeat("x", 300) + "/"} {
		entries = append(entries, entry{target: target, size: "10", vhost: "example.com"})
	}
	entries = append(entries, entry{target: "/", size: "-", vhost: "example.com"})
	w := auditEntries(t, comparing(t, "", "User-agent: *\nDisallow: /\n", "example.com"), entries...).WhatIf
	var got []string
	for _, p := range w.All.Forbidden.Prefixes {
		got = append(got, fmt.Sprint(p.Prefix, " ", p.Requests, " ", p.Bytes))
	}
	want := []string{"/ 6 50", "/a/ 3 30", "// 2 20", "/%61/ 1 10", "/? 1 10", "/search? 1 10",
		"/" + strings.Repeat("x", maxPrefix-1) + " 1 10"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if want := []string{"/", "/%61/b", "//"}; !slices.Equal(w.All.Forbidden.Examples, want) {
		t.Errorf("examples %q, not the first by bytes", w.All.Forbidden.Examples)
	}
}

// TestWhatIfCountsTheRestApart checks that each request of a crawler is counted exactly once.
func TestWhatIfCountsTheRestApart(t *testing.T) {
	a := comparing(t, "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /\n", "https://example.com")
	all := []entry{
		{target: "/robots.txt"}, {target: "/robots.txt?x"}, {agent: chatgpt}, {agent: twoBots}, {vhost: "-"},
		{protocol: noProtocol, status: "414"}, {target: "*", method: "OPTIONS"}, {agent: browser, target: "/robots.txt"},
		{time: "-"}, {addr: "198.51.100.7", agent: googlebot}, {agent: browser}, {vhost: "other.example"},
	}
	for i := range all {
		if all[i].vhost == "" {
			all[i].vhost = "example.com:443"
		}
	}
	r := auditEntries(t, a, all...)
	w := r.WhatIf
	left := map[string]int64{"robots": w.RobotsFetch, "exempt": w.Exempt, "forbidden": w.All.Forbidden.Requests,
		"compared": w.All.Compared(), "other hosts": r.OtherHost, "not judged": r.NotJudged}
	want := map[string]int64{"robots": 2, "exempt": 1, "forbidden": 2, "compared": 2, "other hosts": 1, "not judged": 9}
	if fmt.Sprint(left) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", left, want)
	}
	if got := nonZero(t, w.NotCompared); fmt.Sprint(got) != "map[ambiguous_agent:1 no_host:1 truncated:1]" {
		t.Errorf("not compared: %v", got)
	}
	if len(r.Crawlers) > 0 || r.RobotsTxt.Requests > 0 || r.Totals.Requests > 0 {
		t.Errorf("something was judged: %+v %+v", r.Crawlers, r.Totals)
	}
}

// TestWhatIfOfPathsAsLogged checks that a change counts for a decoded path only if it applies to all of its spellings.
func TestWhatIfOfPathsAsLogged(t *testing.T) {
	a := comparing(t, "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /a%3Bb\nDisallow: /c/\n")
	record := func(target string, how format.Lossy) format.Record {
		r := request(target)
		r.Lossy = how
		return r
	}
	for how, want := range map[format.Lossy]string{format.Exact: "unchanged", format.Decoded: "undecided"} {
		all := &auditRecords(t, a, record("/a;b", how)).WhatIf.All
		got := map[int64]string{all.Unchanged.Requests: "unchanged", all.Undecided.Requests: "undecided"}[1]
		if got != want {
			t.Errorf("%v: %s", how, got)
		}
	}
	if w := auditRecords(t, a, record("/c/a b;d", format.Decoded)).WhatIf; w.All.Forbidden.Requests != 1 {
		t.Errorf("forbidden in all spellings: %+v", w.All)
	}
	if w := auditRecords(t, a, record("/c/", format.Rewritten)).WhatIf; w.NotCompared[report.LossyPath] != 1 {
		t.Errorf("a rewritten path was compared: %+v", w)
	}
}

// TestWhatIfOfManyPrefixes checks that more prefixes than are kept, in any order, leave the sums
// right, and that the report warns about the selection.
func TestWhatIfOfManyPrefixes(t *testing.T) {
	var log []string
	for i := range 3 * maxPrefixes {
		log = append(log, entry{target: fmt.Sprintf("/%d/", i), size: "7"}.String())
	}
	a := comparing(t, "", "User-agent: *\nDisallow: /\n")
	r := checkOrder(t, a, "combined", log)
	all, n := &r.WhatIf.All.Forbidden, int64(len(log))
	if all.Requests != n || all.Bytes != 7*n || len(all.Prefixes) > maxPrefixes ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "chosen at random") {
		t.Errorf("%d requests, %d bytes, %d prefixes, warnings %q", all.Requests, all.Bytes, len(all.Prefixes), r.Warnings)
	}
}

// TestWhatIfByOneDialect checks that an explicit dialect leaves nothing undecided.
func TestWhatIfByOneDialect(t *testing.T) {
	after := "User-agent: *\nAllow: /\nUser-agent: GPTBot\nCrawl-delay: 3\nUser-agent: bingbot\nDisallow: /\n"
	a, d := comparing(t, "", after), automaton.RFC9309
	if w := auditEntries(t, a, entry{}).WhatIf; w.All.Undecided.Requests != 1 {
		t.Errorf("parsers that end runs of user-agent lines differ: %+v", w.All)
	}
	a.config.Dialect = &d
	if w := auditEntries(t, New(a.config), entry{}).WhatIf; w.All.Forbidden.Requests != 1 {
		t.Errorf("by RFC 9309 it is forbidden: %+v", w.All)
	}
}

func TestGuardAllocsOfWhatIf(t *testing.T) {
	a := comparing(t, robotsTxtBody, "User-agent: *\nDisallow: /x/\nAllow: /private/\n", "https://example.com")
	guardEntries(t, a, "combined", "", entry{}, entry{target: "/x/y"}, entry{target: "/private/a"},
		entry{agent: googlebot, target: "/x/a%7e"}, entry{agent: acmebot, target: "/x/"}, entry{target: "/robots.txt"})
}
