package render

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestHighest checks that finding how many of 24 rows fit renders a screen at most seven times, and at most
// twice if all of them fit or none does, because each time takes as long as auditing thousands of lines.
func TestHighest(t *testing.T) {
	const least, most = 1, 24
	for room := range most + 2 {
		asked := 0
		got := highest(least, most, func(n int) bool {
			asked++
			return n <= room
		})
		if want := min(max(room, least), most); got != want || asked > 7 || (room < least || room >= most) && asked > 2 {
			t.Errorf("%d fit: got %d after %d questions", room, got, asked)
		}
	}
}

// However few rows fit, a crawler whose verified clients got content, which the headline names, has one.
func TestHeadlineIsInTable(t *testing.T) {
	r := reporttest.Report(reporttest.Options{Crawlers: 12, Days: 30, Versions: 3, Lines: 20})
	var last *report.CrawlerInfo
	for i := range r.Crawlers {
		if c := &r.Crawlers[i]; c.Role == report.RoleCrawler && len(c.Violations) > 0 {
			c.Violations[0].Identity, last = report.Unverified, c
		}
	}
	last.Violations[0].Identity = report.Verified
	for most := range 4 {
		table := doc{r, most, screenWidth}.violators(0).Table
		if !table.has(last.Crawler) || len(table.Groups[0].Rows) != max(most, 1) {
			t.Errorf("of %d rows none is for %s: %+v", most, last.Crawler, table.Groups)
		}
		if !strings.Contains(table.More, "more crawlers") {
			t.Errorf("of %d rows the others are not counted: %q", most, table.More)
		}
	}
}
