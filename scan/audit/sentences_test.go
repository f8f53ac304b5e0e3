package audit

import (
	"strings"
	"testing"
)

// A single one is, was and has; more are, were and have.
func TestVerbsAgreeWithTheirNumbers(t *testing.T) {
	refused := func(n int64) (list []CrawlerInfo) {
		for range n + 10 {
			list = append(list, CrawlerInfo{RobotsTxt: FetchInfo{Fetches: 1, Refused: []StatusCount{{Status: 403, N: 1}}}})
		}
		return list
	}
	for _, c := range []struct {
		report *Report
		want   string
	}{
		{&Report{RobotsTxt: RobotsInfo{Differing: 1, Sizes: 1}}, "1 of 1 logged answer of /robots.txt with status 200 has another size than the file"},
		{&Report{RobotsTxt: RobotsInfo{Differing: 1, Sizes: 5}}, "1 of 5 logged answers of /robots.txt with status 200 has another size than the file"},
		{&Report{RobotsTxt: RobotsInfo{Differing: 2, Sizes: 5}}, "2 of 5 logged answers of /robots.txt with status 200 have another size than the file"},
		{&Report{RobotsTxt: RobotsInfo{Served: 1}, Crawlers: refused(1)}, "so was 1 more crawler."},
		{&Report{RobotsTxt: RobotsInfo{Served: 1}, Crawlers: refused(2)}, "so were 2 more crawlers."},
		{&Report{RobotsTxt: RobotsInfo{Requests: 1}, Crawlers: refused(-9)}, "crawlers were told once that nothing is forbidden."},
		{&Report{RobotsTxt: RobotsInfo{Requests: 1}, Crawlers: refused(-8)}, "crawlers were told 2 times that nothing is forbidden."},
	} {
		a := newAuditor(t, robotsTxtBody)
		a.describe(c.report, Inputs{})
		got := c.report.Warnings
		if len(got) == 0 || !strings.Contains(got[len(got)-1], c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
