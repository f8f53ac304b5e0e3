package report

import (
	"strings"
	"testing"
)

// A single one is, was and has; more are, were and have.
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
