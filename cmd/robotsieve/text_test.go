package main

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// TestTextSaysWhatItLeavesOut checks that a report on many sites stays readable, and
// says how much it does not show.
func TestTextSaysWhatItLeavesOut(t *testing.T) {
	r := &audit.Report{Policy: audit.PolicyInfo{File: "sites", History: "observed"}}
	c := audit.CrawlerInfo{Crawler: "GPTBot", Requests: 60}
	for i := range maxFetchersShown + 5 {
		site := fmt.Sprintf("https://site%d.example", i)
		r.Policy.Origins = append(r.Policy.Origins, site)
		c.CrawlDelay = append(c.CrawlDelay, audit.DelayInfo{Origin: site, Delay: 1, Gaps: 1})
	}
	r.Crawlers = []audit.CrawlerInfo{c}
	var out strings.Builder
	w := bufio.NewWriter(&out)
	writeText(w, r, false)
	w.Flush()
	for _, want := range []string{
		"https://site11.example and 18 origins more, with a window",
		"and 5 rows more: see --output json.\nGaps between",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
