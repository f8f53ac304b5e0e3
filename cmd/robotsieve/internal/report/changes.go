package report

import (
	"fmt"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Bounds of the tables of changes.
const (
	maxChangesShown = 8
	maxChangedShown = 15 // crawlers of a change
)

// beforeAfter has a table for each change of robots.txt.
func (d doc) beforeAfter() (list []block) {
	for i := range d.Changes[:min(len(d.Changes), maxChangesShown)] {
		c := &d.Changes[i]
		t := newTable(maxChangedShown, Left("crawler"), Right("requests \u200ba day before", "after",
			"changed \u200bpaths \u200ba day before", "after", "first fetch \u200bof the new"))
		for j := range c.Crawlers {
			of := &c.Crawlers[j]
			t.add(nil, 1, Cut(of.Crawler, maxNameShown), perDay(&of.Before.Requests, c.Before), perDay(&of.After.Requests,
				c.After), perDay(of.Before.Paths, c.Before), perDay(of.After.Paths, c.After), d.firstFetch(of))
		}
		b := block{Heading: "Before and after", Title: c.Title(), Table: t.leaves("crawler"),
			Text: []string{fmt.Sprintf("%.1f days before it; %.1f days after it.", c.Before.Days, c.After.Days)}}
		if c.RequestsNotListed > 0 {
			b.Text[0] += fmt.Sprintf(" Other crawlers made %s on both sides.", english.Plural(c.RequestsNotListed, "request"))
		}
		list = append(list, b.withFigures())
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		if more := d.ChangesNotListed + int64(len(d.Changes)-len(list)); more > 0 {
			last.Text = append(last.Text, english.Plural(more, "more change")+" with fewer requests: see --output json.")
		}
		last.Text = append(last.Text, report.ChangesNote)
	}
	return list
}

// perDay writes a number of requests for each day of a side, which may be none.
func perDay(n *int64, s report.ChangeSide) string {
	switch {
	case n == nil:
		return "-"
	case s.Days < 1:
		return "?"
	}
	perDay := float64(*n) / s.Days
	if perDay == 0 || perDay >= 100 {
		return english.Grouped(int64(perDay))
	}
	return fmt.Sprintf("%.1f", perDay)
}

// firstFetch writes when a crawler first fetched the new file, if the log has fetches.
func (d doc) firstFetch(c *report.ChangedCrawler) string {
	switch {
	case c.Before.Paths == nil:
		return "-"
	case !d.RobotsTxt.Logged:
		return "?"
	case c.FetchSeconds == nil:
		return "none logged"
	}
	return "after " + seconds(float64(*c.FetchSeconds))
}
