package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// yearsOf makes a report on so many crawlers over two years, with versions of robots.txt and
// outages.
func yearsOf(crawlers int) *report.Report {
	return reporttest.Report(reporttest.Options{Crawlers: crawlers, Days: 730, Versions: 3, Lines: 600})
}

func pageOf(t testing.TB, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, WriteHTML(&b, r))
	return b.String()
}

// elements calls f with each element of a page.
func elements(t *testing.T, text string, f func(n *html.Node)) {
	t.Helper()
	root := must.Get(html.Parse(strings.NewReader(text)))(t)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			f(n)
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) (text string) {
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	return strings.TrimSpace(text)
}

// TestPageIsSmall checks that a page of 50 crawlers over two years can be mailed, even with many
// versions, rules and long lines, of which it shows some, and that the output is deterministic.
func TestPageIsSmall(t *testing.T) {
	many := reporttest.Report(reporttest.Options{Crawlers: 50, Days: 730, Versions: 700, Lines: 2000})
	for i := range many.Crawlers {
		for j := range many.Crawlers[i].Samples {
			many.Crawlers[i].Samples[j].Line = strings.Repeat("<x> ", 2000)
		}
	}
	for _, r := range []*report.Report{yearsOf(50), many} {
		text := pageOf(t, r)
		if len(text) >= 300_000 || pageOf(t, r) != text {
			t.Errorf("%d bytes, or a page of the same report differs", len(text))
		}
	}
	if n := len(pageScript); n > 5000 {
		t.Errorf("the script has %d bytes", n)
	}
}

// TestPageBeginsWithTheMost checks that tables and strips are sorted by requests, that forbidden is
// the first number of a row, and that the figures at the top match the headline, with and without a
// robots.txt.
func TestPageBeginsWithTheMost(t *testing.T) {
	crawler := func(name string, role report.Role, requests, violations int64) report.CrawlerInfo {
		day := map[report.Verdict][]int64{report.Allowed: {requests - violations}, report.Violation: {violations}}
		return report.CrawlerInfo{Crawler: name, Role: role, Category: "seo", Requests: requests, Bytes: 1000 * requests,
			ViolationBytes: 500 * violations,
			Verdicts:       report.VerdictCounts{report.Allowed: requests - violations, report.Violation: violations},
			Timeline:       report.Timeline{By: report.Day, From: reporttest.Times("2026-11-16T00:00:00Z"), Verdicts: day}}
	}
	r := &report.Report{Crawlers: []report.CrawlerInfo{crawler("Few", "crawler", 1, 1), crawler("Fetch", "fetcher", 9, 1),
		crawler("Many", "crawler", 2043, 0)}, Totals: report.Totals{Requests: 2053, ViolationBytes: 1000}}
	r.Totals.Fetchers.Violations = 1
	for _, policy := range []report.History{report.Constant, report.NoHistory} {
		want := []string{"1 forbidden", "500 bytes sent in answer to them", "2,044 requests by crawlers",
			"2.04 MB sent to crawlers", "2 crawlers", "9 requests by fetchers"}
		if policy == report.NoHistory {
			want = []string{"2,053 requests by crawlers", "2.05 MB sent to crawlers", "3 crawlers"}
		}
		if r.Policy.History = policy; policy == report.NoHistory {
			for i := range r.Crawlers {
				r.Crawlers[i].Verdicts = report.VerdictCounts{report.Indeterminate: r.Crawlers[i].Requests}
				r.Crawlers[i].ViolationBytes = 0
			}
		} else if !strings.Contains(pageOf(t, r), "Forbidden requests got 500 bytes.") {
			t.Error("the sentence has another figure than the head")
		}
		var order, totals, headings []string
		elements(t, pageOf(t, r), func(n *html.Node) {
			switch {
			case attribute(n, "class") == "strip":
				order = append(order, attribute(n, "data-crawler"))
			case n.Data == "dd" && n.Parent.Data == "div":
				totals = append(totals, textOf(n)+" "+textOf(n.PrevSibling))
			case n.Data == "th" && attribute(n, "scope") == "col":
				headings = append(headings, textOf(n))
			}
		})
		if !slices.Equal(order, []string{"Many", "Fetch", "Few"}) || !slices.Equal(totals, want) ||
			policy == report.Constant && headings[1] != "forbidden" {
			t.Errorf("%s: strips of %q, totals %q, columns %q", policy, order, totals, headings)
		}
	}
}

// TestPageOfZone checks that with a time zone columns are its days, even where clocks change, and
// times are local.
func TestPageOfZone(t *testing.T) {
	c := report.CrawlerInfo{Crawler: "Bot", Timeline: report.Timeline{By: report.Day,
		From:     reporttest.Times("2026-10-24T00:00:00+02:00 2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00"),
		Verdicts: map[report.Verdict][]int64{report.Allowed: {1, 2, 3}}}}
	r := &report.Report{TimeZone: "Europe/Berlin", Crawlers: []report.CrawlerInfo{c},
		From: reporttest.Time("2026-10-23T22:10:00Z"), To: reporttest.Time("2026-10-25T23:40:00Z")}
	r.Policy.Versions = []report.VersionInfo{{From: reporttest.Time("2026-10-01T00:00:00Z"), Status: 200},
		{From: reporttest.Time("2026-10-25T23:30:00Z"), Status: 200}}
	wants(t, pageOf(t, r), "2026-10-24 to 2026-10-26 (Europe/Berlin)", `<path class="changed" d="M2-30v48"/>`,
		"From 2026-10-26 00:30:00 &#43;01:00", "peak 3, 2026-10-26", `d="M0 0v-8h1v-8h1v-8h1V0z"`)
	if r.From.String() != "2026-10-23T22:10:00Z" {
		t.Error("the report itself was changed")
	}
}

// TestSourcesSayWhatTheyLeaveOut checks that broken lines and versions of a robots.txt that don't
// fit on the page are mentioned.
func TestSourcesSayWhatTheyLeaveOut(t *testing.T) {
	r := &report.Report{Policy: report.PolicyInfo{History: "deployed"}, Totals: report.Totals{Requests: 1}}
	c := report.CrawlerInfo{Crawler: "Bot"}
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow: /x\n", 600) + strings.Repeat("# none\n", 50))
	for i := range 20 {
		v := report.VersionInfo{Status: 200, From: reporttest.Time(fmt.Sprintf("2026-01-%02dT00:00:00Z", i+1)), Body: body}
		if i != 3 {
			v.Cited = int64(i + 1)
			c.Rules = append(c.Rules, report.RuleInfo{Version: v.From, Line: 2, Violations: v.Cited})
		}
		r.Policy.Versions = append(r.Policy.Versions, v)
	}
	for line := range 601 {
		c.Rules = append(c.Rules, report.RuleInfo{Version: reporttest.Time("2026-01-20T00:00:00Z"), Line: line + 1,
			Violations: 1})
	}
	r.Crawlers = []report.CrawlerInfo{c}
	page := pageOf(t, r)
	wants(t, page, "8 more versions of the file are not shown: of 7 a line was broken.",
		"251 lines, of which 201 were broken", "646 lines that nobody broke")
	if strings.Contains(page, "<summary>From 2026-01-08") || !strings.Contains(page, "<summary>From 2026-01-09") ||
		!strings.Contains(page, "<summary>From 2026-01-20") {
		t.Error("the versions that are shown are not those that were broken most often")
	}
	r.Crawlers[0].RulesNotListed = 1
	if page := pageOf(t, r); strings.Contains(page, "that nobody broke") {
		t.Error("a rule that is not listed may have been broken")
	}
}

// TestPageIsSafe checks that hostile logs and files add no elements or attributes to the page,
// which loads nothing.
func TestPageIsSafe(t *testing.T) {
	shape := func(text string) map[string]bool {
		seen := map[string]bool{}
		elements(t, text, func(n *html.Node) {
			for _, a := range n.Attr {
				seen[n.Data+" "+a.Key] = true
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" ||
					a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
			seen[n.Data] = true
		})
		return seen
	}
	with := func(text string) string {
		r := reporttest.Report(reporttest.Options{Crawlers: 2, Days: 30, Versions: 3, Lines: 20, Texts: []string{text}})
		r.Partial = true
		return pageOf(t, r)
	}
	plain := shape(with("x"))
	for _, attack := range reporttest.Attacks {
		page := with(attack)
		for name := range shape(page) {
			if !plain[name] {
				t.Errorf("%q made %s", attack, name)
			}
		}
		if strings.ContainsAny(page, "\u202e\x1b\x00") {
			t.Errorf("%q came through", attack)
		}
	}
	hostile, _ := hostileReport()
	if hostile.WhatIf = nil; len(pageOf(t, hostile)) == 0 {
		t.Error("no page")
	}
}
