package report

import (
	"strings"
	"testing"
)

// TestVerbsAgreeWithTheirNumbers checks that verbs are singular or plural as their subjects are.
func TestVerbsAgreeWithTheirNumbers(t *testing.T) {
	refused := func(crawlers int, served int64) *Report {
		r := &Report{RobotsTxt: RobotsInfo{Requests: 9, Served: served, ClearedBy: []StatusCount{{200, 1}, {403, 2}}}}
		for range crawlers {
			r.Crawlers = append(r.Crawlers, CrawlerInfo{Crawler: "B",
				RobotsTxt: FetchInfo{Fetches: 1, Cleared: []StatusCount{{403, 1}}}})
		}
		return r
	}
	for _, c := range []struct {
		report *Report
		want   string
	}{
		{&Report{RobotsTxt: RobotsInfo{Differing: 1, Sizes: 1}},
			"1 of 1 logged answer to /robots.txt with a file has another size than the one given"},
		{&Report{RobotsTxt: RobotsInfo{Differing: 1, Sizes: 5}},
			"1 of 5 logged answers to /robots.txt with a file has another size than the one given"},
		{&Report{RobotsTxt: RobotsInfo{Differing: 2, Sizes: 5}},
			"2 of 5 logged answers to /robots.txt with a file have another size than the one given"},
		{refused(1, 1), "GETs of /robots.txt under the name B were answered as if there were none, although " +
			"the files given " +
			"have one: status 200 with no body logged (1), 403 (2)."},
		{refused(8, 1), "under the names B, B, B, B, B, B, B, B were answered"},
		{refused(10, 0), "B and 2 more were answered as if"},
		{refused(7, 0), "None of 9 GETs by any client was answered with a file."},
	} {
		(&BasisInfo{}).Describe(c.report, nil, nil)
		got := c.report.Warnings
		if len(got) == 0 || !strings.Contains(got[len(got)-1], c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestOtherSizesAreNamed checks that the warning names the sizes and where to look further.
func TestOtherSizesAreNamed(t *testing.T) {
	size := func(bytes, n int64, expected ...int64) SizeInfo {
		return SizeInfo{Bytes: bytes, N: n, Expected: expected}
	}
	const begin, end = "Most logged answers to /robots.txt do not have the size ",
		". See what was sent when: robotsieve history log."
	for _, c := range []struct {
		history History
		sizes   int64
		listed  []SizeInfo
		want    string
	}{
		{"constant", 4, []SizeInfo{size(60, 3, 1_234)},
			"of the file given (1,234 bytes): 3 of 4 have 60 bytes (3)"},
		{"constant", 4, []SizeInfo{size(60, 2, 30)}, ""}, // half are not most
		{"constant", 0, nil, ""},
		{"constant", 1, []SizeInfo{size(0, 1, 30)}, "of the file given (30 bytes): 1 of 1 has 0 bytes (1)"},
		{"deployed", 9, []SizeInfo{size(1, 2, 30, 40), size(2, 1), size(1, 3, 40, 50), size(3, 1, 60)},
			"of the version in force (30, 40, 50 bytes): 7 of 9 have 1 byte (5), 2 bytes (1), 3 bytes (1)"},
		{"observed", 9, []SizeInfo{size(1, 5), size(2, 1), size(3, 1), size(4, 1), size(5, 1)},
			"of the version in force: 9 of 9 have 1 byte (5), 2 bytes (1), 3 bytes (1), 2 other sizes"},
	} {
		r := &Report{RobotsTxt: RobotsInfo{Sizes: c.sizes, Listed: c.listed}}
		r.Policy.History = c.history
		for _, s := range c.listed {
			r.RobotsTxt.Differing += s.N
		}
		if c.want != "" {
			c.want = begin + c.want + end
		}
		if got := r.OtherSizes(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		r.Policy.Committed = true
		if got := r.OtherSizes(); got != "" && !strings.Contains(got, ". The files come from a git repository") {
			t.Errorf("no probable cause: %q", got)
		}
	}
}
