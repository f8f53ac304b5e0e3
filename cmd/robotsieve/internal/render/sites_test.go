package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// TestSites checks that the table of sites appears if there are several, with a row for unlisted
// sites, and totals over all.
func TestSites(t *testing.T) {
	of := func(n int) *report.Report {
		r := &report.Report{Schema: report.Schema}
		for i := range n {
			s := report.SiteInfo{Origin: fmt.Sprintf("https://%d.example", i), Crawlers: 3, Bytes: 10}
			s.Add(report.Violation, int64(n-i), 5)
			s.Add(report.Spoofed, 1, 0)
			r.Sites = append(r.Sites, s)
			r.Totals.Requests += s.Requests
			report.AddCounts(r.Totals.Verdicts[:], s.Verdicts[:], 1)
		}
		return r
	}
	if text := written(t, Full, of(1), false); strings.Contains(text, "by site") {
		t.Errorf("a table of one site:\n%s", text)
	}
	r := of(2)
	r.Sites[1].Origin = ""
	wants(t, written(t, Full, r, false), "Requests of crawlers by site:",
		"https://0.example       2         3       1         3\n",
		"(site not known)        1         2       1         3\n", "all                     3         5       2         -\n")
	text := written(t, Full, of(maxCrawlersShown+2), false)
	wants(t, text, "https://59.example ", "(2 more: see json)       3         5       2         -\n", "all ")
	if strings.Contains(text, "https://60.example") {
		t.Errorf("more sites than are shown:\n%s", text)
	}
}
