package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

func written(t *testing.T, output string, r *report.Report, colours bool) string {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, Write(&out, output, r, colours))
	return out.String()
}

// TestOutputsOfTheSample makes all outputs of the sample's report from its JSON. They are the goldens of the command,
// which make golden writes.
func TestOutputsOfTheSample(t *testing.T) {
	r := new(report.Report)
	must.Do(t, json.Unmarshal([]byte(golden(t, "json")), r))
	r = r.Rewrite(report.FromUTF8)
	command := strings.TrimSuffix(r.Command, "json")
	got := map[string]string{"prometheus": strings.Join(promOf(t, r), "\n") + "\n"}
	for _, output := range Outputs() {
		r.Command = command + output
		got[output] = written(t, output, r, false)
	}
	for output, text := range got {
		if want := golden(t, output); text != want {
			t.Errorf("%s differs at %s", output, reporttest.FirstDifference(text, want))
		}
	}
}

func golden(t *testing.T, output string) string {
	t.Helper()
	text := must.Get(os.ReadFile("../../cli/testdata/sample." + output))(t)
	return string(text)
}

func wants(t *testing.T, report string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(report, w) {
			t.Errorf("the report lacks %q:\n%s", w, report)
		}
	}
}

// TestLeftOutIsCountedByItsKind checks that lists count what they leave out, with fetchers separate
// from crawlers, and rows of several crawlers as several.
func TestLeftOutIsCountedByItsKind(t *testing.T) {
	r := &report.Report{Policy: report.PolicyInfo{History: "constant",
		Versions: []report.VersionInfo{{Status: 200, Cited: 300}}}, RobotsTxt: report.RobotsInfo{Logged: true}}
	add := func(n int, name string, role report.Role, broke bool) {
		for i := range n {
			c := report.CrawlerInfo{Crawler: fmt.Sprint(name, i), Role: role, Operator: "X", Requests: 9, Names: 1, Bytes: 1,
				Verdicts:  report.VerdictCounts{report.Allowed: 9},
				RobotsTxt: report.FetchInfo{Fetches: 1}, Claims: []report.ClaimInfo{{Claim: "x", N: 1}}, ClaimsNotListed: 2,
				Paths: report.PathList{Exact: true, List: []report.PathInfo{{Path: "/a", N: 5}, {Path: "/b", N: 3},
					{Path: "/c", N: 1}}},
				CrawlDelay: []report.DelayInfo{{Gaps: 1}}, Samples: []report.SampleInfo{{Line: "x"}},
				Timeline: report.Timeline{By: report.Day, From: reporttest.Times("2026-01-01T00:00:00Z"),
					Verdicts: map[report.Verdict][]int64{report.Allowed: {9}}}}
			if broke {
				c.Violators, c.Verdicts = 1, report.VerdictCounts{report.Violation: 9}
				c.Violations = []report.ViolationInfo{{Identity: report.Unverified, Outcome: report.Content,
					Method: report.Get, N: 9}}
				c.Rules = []report.RuleInfo{{Line: 2, Rule: "Disallow: /", Violations: 8}}
				c.RulesNotListed = 1
			}
			r.Crawlers = append(r.Crawlers, c)
			r.Totals.Requests += 9
		}
	}
	add(64, "Breaker", "crawler", true)
	add(1, report.OtherCrawlers, "crawler", true)
	add(70, "Breaking-Fetcher", "fetcher", true)
	r.Crawlers[64].Names, r.Crawlers[64].Violators = 500, 300
	add(70, "Keeper", "crawler", false)
	add(9, "Keeping-Fetcher", "fetcher", false)
	for i := range 30 {
		r.Operators = append(r.Operators, report.OperatorInfo{Operator: fmt.Sprint("O", i), Crawled: 1,
			Referrers: []string{"x"}})
		r.RobotsTxt.Listed = append(r.RobotsTxt.Listed, report.SizeInfo{Bytes: int64(i), N: 1})
	}
	text := written(t, "text", r, false)
	wants(t, text, "under 364 names;", "and 355 more crawlers and 70 more fetchers.")
	kept := regexp.MustCompile(`No violation: (.*) and (\d+) more crawlers and 9\s+more ` +
		`fetchers\.`).FindStringSubmatch(text)
	if kept == nil || fmt.Sprint(70-len(strings.Split(kept[1], ", "))) != kept[2] {
		t.Errorf("%q: %s", kept, text)
	}
	full := written(t, Full, r, false)
	wants(t, full,
		"(574 more: see json, csv)", "(19 more: see json, csv)", // of 65 rows and 70, and 79
		// traffic and operators, of which 60 are shown
		"and 574 more crawlers and 79 more fetchers: see --output json.",
		"and 609 more crawlers and 79 more fetchers: see --output json.",                  // fetches, of which 25 are shown
		"and 594 more crawlers and 79 more fetchers: see --output json.",                  // paths, three of 40 crawlers
		"and 225 more violations and 630 more violations by fetchers: see --output json.", // by identity
		"and 265 more violations and 630 more violations by fetchers: see --output json.", // by rule
		"and 5 more operators: see --output json.", "and 18 more sizes: see --output json.",
		"and 189 more rows: see --output json.", "428 requests with rarer words are in no row.",
	)
	page := pageOf(t, r)
	wants(t, page, "574 more crawlers and 79 more fetchers are not drawn.",
		"Those of 199 more names are in --output json.")
}

// TestHeadline checks that a headline never claims more than the log shows.
func TestHeadline(t *testing.T) {
	violated := func(verified, content int64) *report.Report {
		c := report.CrawlerInfo{
			Crawler: "Bot", Requests: 9, Verdicts: report.VerdictCounts{report.Violation: 3, report.Allowed: 6},
			Outcomes: report.OutcomeCounts{report.Content: 2},
			Identity: report.IdentityCounts{report.Verified: verified, report.Unverified: 9 - verified},
		}
		if content > 0 {
			c.Violations = []report.ViolationInfo{{Identity: report.Verified, Outcome: report.Content,
				Method: report.Get, N: content}}
		}
		return &report.Report{Totals: report.Totals{Requests: 9, Identity: c.Identity}, Crawlers: []report.CrawlerInfo{c}}
	}
	allowed := &report.Report{Totals: report.Totals{Requests: 2},
		Crawlers: []report.CrawlerInfo{{Requests: 2, Verdicts: report.VerdictCounts{report.Allowed: 2}}}}
	fetched := violated(4, 1)
	fetched.Crawlers[0].Role = "fetcher"
	fetched.Totals.Fetchers = report.FetcherTotals{Requests: 9, Violations: 3}
	contradicted, proxied := violated(4, 1), violated(0, 0)
	contradicted.RobotsTxt.Contradicted = true
	proxied.CanVerify, proxied.Proxied = true, true
	outside, garbage := &report.Report{}, &report.Report{}
	outside.OutsideFrom = reporttest.Time("2026-01-01T00:00:00Z")
	outside.OutsideTo = reporttest.Time("2026-01-02T00:00:00Z")
	outside.Lines, outside.Unparsed = 1, 1 // a line without a time
	outside.OutOfPeriod, garbage.Lines, garbage.Unparsed = 5, 5, 5
	twoVerified := violated(4, 1)
	twoVerified.Crawlers = append(twoVerified.Crawlers, violated(4, 2).Crawlers...)
	twoVerified.Crawlers[1].Crawler = "Rover"
	impostors, onlyImpostors, rest, empty := violated(0, 0), &report.Report{Totals: report.Totals{Requests: 7}},
		violated(0, 0), *allowed
	impostors.Crawlers[0].Requests, impostors.Totals.Requests = 16, 16
	impostors.Crawlers[0].Verdicts[report.Spoofed] = 7
	onlyImpostors.Crawlers = []report.CrawlerInfo{{Crawler: "Bot", Requests: 7,
		Verdicts: report.VerdictCounts{report.Spoofed: 7}}}
	rest.Crawlers[0].Crawler = report.OtherCrawlers
	empty.Policy = report.PolicyInfo{File: "folder/robots.txt", NoRule: "it is empty"}
	unsure := &report.Report{Totals: report.Totals{Requests: 5}, Crawlers: []report.CrawlerInfo{{Requests: 5,
		Verdicts: report.VerdictCounts{report.Allowed: 2, report.Indeterminate: 3}}}}
	for _, c := range []struct {
		report *report.Report
		want   string
	}{
		{&report.Report{}, "The logs have no lines.\n"},
		{violated(0, 0), "3 of 9 crawler requests broke robots.txt, under 1 name; 2 were answered with content. No client " +
			"was verified, because\nno address lists were given (--ip-ranges).\n"},
		{proxied, "3 of 9 crawler requests broke robots.txt, under 1 name; 2 were answered with content. No client was " +
			"verified, because\nthe log has the addresses of a proxy.\n"},
		{violated(4, 0), "3 of 9 crawler requests broke robots.txt, under 1 name; 2 were answered with content. None of " +
			"these was by a verified\nclient.\n"},
		{violated(4, 1), "1 request by verified clients (Bot) broke robots.txt and got content. In all, 3 of 9 crawler " +
			"requests broke it, under\n1 name; 2 got content.\n"},
		{twoVerified, "3 requests by verified clients (Bot 1, Rover 2) broke robots.txt and got content. In all, 6 of 18 " +
			"crawler requests\nbroke it, under 2 names; 4 got content.\n"},
		{impostors, "3 of 9 crawler requests broke robots.txt, under 1 name; 2 were answered with content. No client was " +
			"verified"},
		{onlyImpostors, "No crawler request could be judged: 7 came from impostors.\n"},
		{rest, "3 of 9 crawler requests broke robots.txt, under 1 name; 2 were"},
		{&empty, "Nothing is forbidden, because robots.txt has no rule: it is empty. So this audit says nothing about 2 " +
			"crawler\nrequests.\n"},
		{contradicted, "If the robots.txt given is what was served, which the logged answers contradict: 1 request by " +
			"verified clients (Bot)"},
		{fetched, "3 of 9 requests by fetchers broke robots.txt; a person, a subscription or the site's own operator sent " +
			"them. There are\nno other crawler requests.\n"},
		{outside, "No line is in the period: the lines are from 2026-01-01 00:00:00 UTC to 2026-01-02 00:00:00 UTC.\n"},
		{garbage, "No line could be parsed.\n"},
		{allowed, "2 crawler requests: none broke robots.txt.\n"},
		{unsure, "5 crawler requests: none is known to have broken robots.txt; 3 could not be decided.\n"},
	} {
		if got := written(t, Full, c.report, false); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q first", got, c.want)
		}
	}
}

// TestScreenNamesAICrawlers checks that the AI crawlers that came are always on the first screen,
// once each, and that it has 80 columns and 24 lines, with a policy and without, for any names and paths.
func TestScreenNamesAICrawlers(t *testing.T) {
	for _, none := range []bool{false, true} {
		for _, n := range []struct{ violators, kept, ai int }{
			{0, 0, 1}, {3, 3, 3}, {20, 30, 2}, {20, 0, 25}, {0, 40, 40}, {300, 300, 40},
		} {
			r := &report.Report{From: reporttest.Time("2026-01-01T00:00:00Z"),
				To: reporttest.Time("2026-02-01T00:00:00Z"), CanVerify: true}
			r.Lines, r.Policy.History = 9e6, "constant"
			if none {
				r.Policy.History = "none"
			}
			add := func(name, category string, requests int64, verdict report.Verdict) {
				c := report.CrawlerInfo{Crawler: name, Category: category, Requests: requests, Names: 1, Role: "crawler"}
				c.Verdicts[verdict] = requests
				if verdict == report.Violation {
					c.Violations = []report.ViolationInfo{{Identity: report.Unverified, Outcome: report.Content, N: requests}}
					if len(r.Crawlers) == 0 && category == "seo" {
						c.Violations = append(c.Violations, report.ViolationInfo{Identity: report.Verified, Outcome: report.Content,
							Method: report.Get, Informed: true, N: 2})
					}
					c.Outcomes[report.Content], c.Outcomes[report.NotModified] = requests/2, requests/2
					for j := range 9 {
						path := "/" + strings.Repeat("p", 5+7*len(r.Crawlers)%90+j)
						c.ViolationPaths.List = append(c.ViolationPaths.List, report.PathInfo{Path: path, N: requests})
					}
				}
				r.Crawlers = append(r.Crawlers, c)
				r.Totals.Requests += requests
			}
			for i := range n.violators {
				add(fmt.Sprint(strings.Repeat("LongName", 1+i%5), i), "seo", 30_000, report.Violation)
			}
			for i := range n.kept {
				add(fmt.Sprintf("Keeper%d", i), "search", 1_000, report.Allowed)
			}
			verdicts := []report.Verdict{report.Violation, report.Allowed, report.Indeterminate, report.Exempt}
			for i := range n.ai {
				add(fmt.Sprintf("AI%dBot", i), []string{"ai-training", "ai-search"}[i%2], int64(1+i), verdicts[i%4])
			}
			add("FakedBot", "ai-training", 9, report.Spoofed)
			text := written(t, "text", r, false)
			for line := range strings.Lines(text) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > screenWidth {
					t.Errorf("%+v, none %v: %d characters: %s", n, none, n, line)
				}
			}
			if lines := strings.Count(text, "\n"); lines > screenHeight {
				t.Errorf("%+v, none %v: %d lines:\n%s", n, none, lines, text)
			}
			named := map[string]int{}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.\n", r) }) {
				named[word]++
			}
			for i := range n.ai {
				if name := fmt.Sprintf("AI%dBot", i); named[name] != 1 {
					t.Fatalf("%+v, none %v: %s is named %d times:\n%s", n, none, name, named[name], text)
				}
			}
			if !none && named["FakedBot"] > 0 {
				t.Errorf("%+v: a crawler of which only impostors came is named:\n%s", n, text)
			}
		}
	}
}

// TestAdviceIsWhole checks that advice isn't cut, and that the reasons for a partial report come
// first.
func TestAdviceIsWhole(t *testing.T) {
	r := yearsOf(1)
	r.Partial, r.Unparsed, r.OtherHost, r.Proxied, r.Policy.Notes = true, 7, 5, true, 3
	for _, host := range []string{"http://a.example", "b.example", "c.example", "d.example"} {
		r.OtherHosts = append(r.OtherHosts, report.HostInfo{Host: host, Requests: 1})
	}
	r.Crawlers = append(r.Crawlers, report.CrawlerInfo{})
	r.Crawlers[len(r.Crawlers)-1].Reasons[report.NoHost] = 2
	r.Inputs = []report.InputInfo{{Error: "open a.log: no such file or directory"},
		{Name: "b.log", Format: "combined", Error: "unexpected EOF"}}
	wants(t, strings.Join(strings.Fields(written(t, "text", r, false)), " "),
		"What to fix: - 2 logs could not be read, or not to the end. The first: open a.log: no such file or directory - 7 "+
			"lines could not be parsed",
		"- 5 requests went to hosts without a robots.txt here (http://a.example, b.example, c.example and others): give",
		"- The log names no host for 2 requests, though it does for others: put",
		"- The log has the addresses of a proxy",
		"- robots.txt has 3 lines to look at")
	for text, want := range map[string]string{"b.log: at byte 7: unexpected EOF": "b.log: at byte 7: unexpected EOF",
		"unexpected EOF": "b.log: unexpected EOF"} {
		r.Inputs = []report.InputInfo{{Name: "b.log", Format: "combined", Error: text}} // named once
		wants(t, strings.Join(strings.Fields(written(t, "text", r, false)), " "), "The first: "+want+" - 7 lines")
	}
}

// TestUncountedPathsSaySo checks that if there are too many paths to count each, numbers that may
// be too high are marked, and so is a crawler without listed paths.
func TestUncountedPathsSaySo(t *testing.T) {
	r := &report.Report{Totals: report.Totals{Requests: 1}, Crawlers: []report.CrawlerInfo{
		{Crawler: "Wide", Paths: report.PathList{OthersAtMost: 41}},
		{Crawler: "Deep", Paths: report.PathList{OthersAtMost: 7, List: []report.PathInfo{{Path: "/robots.txt", N: 432},
			{Path: "/a", N: 99, TooHigh: 7}}}},
		{Crawler: "Small", Paths: report.PathList{Exact: true, OthersAtMost: 1, List: []report.PathInfo{{Path: "/b", N: 3}}}},
	}}
	wants(t, written(t, Full, r, false),
		"Wide               at most 41  (each other path: there are too many to count each)\n",
		"Deep                      432  /robots.txt\n"+"Deep                 about 99  /a\n"+
			"Deep                at most 7  (each other path: there are too many to count each)\n"+
			"Small                       3  /b\n",
		"A number with \"about\" is too high by at most a tenth.")
}

// TestInputs checks the descriptions of inputs: whose log it is, why it isn't counted, and why its
// hash is missing.
func TestInputs(t *testing.T) {
	r := &report.Report{Inputs: []report.InputInfo{
		{Name: "a.log", Host: "a.example", Format: "combined", Bytes: 5, Lines: 1, SHA256: "12ab", Complete: true},
		{Name: "b.log", Format: "combined", Codec: "gzip", Disk: 9, DuplicateOf: "a.log", Complete: true},
		{Name: "c.log", Format: "combined", Bytes: 5, Lines: 1, DuplicateOf: "a.log", Complete: true},
		{Name: "d.log", Format: "combined", Bytes: 7, Lines: 2, Unparsed: 1},
		{Name: "e.tar.gz:a.log", Format: "combined", Codec: "gzip", Disk: 7, Bytes: 7, Lines: 2, Complete: true,
			SHA256: "34cd"},
	}}
	wants(t, written(t, Full, r, false), `Read:      a.log, of a.example: combined, 5 bytes, 1 line
           sha256 12ab
           b.log: not counted, as it has the same content as a.log
           c.log: combined, 5 bytes; counted, although it has the same content as a.log
           sha256 not computed, which takes long for large uncompressed logs (robotsieve audit --sha256)
           d.log: combined, 7 bytes; 1 of 2 lines unparsed; not read to the end
           e.tar.gz:a.log: combined, gzip, 7 bytes decompressed, 2 lines
`)
}

// TestManyUnreadInputs checks that a folder of other files doesn't fill the report.
func TestManyUnreadInputs(t *testing.T) {
	r := &report.Report{Inputs: slices.Repeat([]report.InputInfo{{Name: "x", Error: "x: this is XML, not a log"}},
		maxUnreadShown+3)}
	for range maxInputsShown {
		r.Inputs = append(r.Inputs, report.InputInfo{Name: "y", Bytes: 5, Complete: true})
	}
	text := written(t, Full, r, false)
	wants(t, text, "           and 3 more inputs that could not be read (--output json lists all)\n",
		"and 8 more inputs, 40 bytes\n")
	if n := strings.Count(text, "not read: x: this is XML"); n != maxUnreadShown {
		t.Errorf("%d of them are shown", n)
	}
}

// TestColours checks that colours highlight what needs attention without changing the text.
func TestColours(t *testing.T) {
	r := &report.Report{
		Partial: true, Warnings: []string{"a warning"},
		Totals:   report.Totals{Requests: 3, Verdicts: report.VerdictCounts{report.Violation: 3}},
		Crawlers: []report.CrawlerInfo{{Crawler: "Bot", Requests: 3, Verdicts: report.VerdictCounts{report.Violation: 3}}},
	}
	coloured := written(t, Full, r, true)
	wants(t, coloured, "\x1b[33mPARTIAL: ", "\x1b[33ma warning\x1b[0m\n", "\x1b[31m3\x1b[0m of 3 crawler requests",
		"       \x1b[31m3\x1b[0m  ")
	plain := written(t, Full, r, false)
	if strings.NewReplacer("\x1b[31m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(coloured) != plain {
		t.Errorf("%q\nis not\n%q", coloured, plain)
	}
	if strings.ContainsFunc(plain, func(c rune) bool { return c < ' ' && c != '\n' }) {
		t.Errorf("control characters in %q", plain)
	}
}

func TestColumns(t *testing.T) {
	for _, v := range verdictTerms {
		held := v.verdict <= report.Violation // for or against the crawler
		if v.heading == "" || held != (v.excuse == "") || (v.verdict == report.Violation) != (v.layer == "") {
			t.Errorf("the verdict %s has %+v", v.verdict, v)
		}
	}
	if len(verdictTerms) != len(report.VerdictCounts{}) {
		t.Errorf("%d of %d verdicts have a row", len(verdictTerms), len(report.VerdictCounts{}))
	}
	for _, c := range append(reasons, outcomes...) {
		if c.means == "" {
			t.Errorf("%s has no definition", c.name)
		}
	}
}

func TestShareIsNeverRoundedToNoneOrAll(t *testing.T) {
	for of, want := range map[float64]string{
		0: "0 %", 0.0004: "less than 0.1 %", 0.001: "0.1 %", 0.5: "50 %", 0.667: "66.7 %", 0.9991: "more than 99.9 %",
		1: "100 %",
	} {
		if got := share(of); got != want {
			t.Errorf("%v: got %q, want %q", of, got, want)
		}
	}
}
