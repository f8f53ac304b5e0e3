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

// beforeAfter has a table for each change: of robots.txt, or of something else.
func (d doc) beforeAfter() (list []block) {
	for i := range d.Changes[:min(len(d.Changes), maxChangesShown)] {
		c := &d.Changes[i]
		paths := "changed \u200bpaths "
		if c.Given {
			paths = "forbidden \u200bpaths "
		}
		t := newTable(maxChangedShown, Left("crawler"), Right("requests \u200ba day before", "after",
			paths+"\u200ba day before", "after", "first fetch \u200bof the new", "last \u200bforbidden",
			"for\u00adbidden \u200bsince", "in \u200bsessions"))
		for j := range c.Crawlers {
			of := &c.Crawlers[j]
			cells := []string{Cut(of.Crawler, maxNameShown), perDay(&of.Before.Requests, &c.Before),
				perDay(&of.After.Requests, &c.After), perDay(of.Before.Paths, &c.Before), perDay(of.After.Paths, &c.After)}
			t.add(nil, 1, append(cells, sinceFetch(of)...)...)
		}
		b := block{Heading: "Before and after", Title: c.Title(), Table: t.leaves("crawler"), Text: []string{c.Sides()}}
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
func perDay(n *int64, s *report.ChangeSide) string {
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

// sinceFetch writes what a crawler did after its first fetch of the new file.
func sinceFetch(c *report.ChangedCrawler) []string {
	switch c.Unknown {
	case report.ChangeGiven, report.ChangeExempt:
		return []string{"-", "-", "-", "-"}
	case report.ChangeNoFetch:
		return []string{"none logged", "?", "?", "?"}
	case report.ChangeNotLogged:
		return []string{"?", "?", "?", "?"}
	}
	last := "none"
	if c.LastSeconds != nil {
		last = "after " + seconds(float64(*c.LastSeconds))
		if c.Ongoing {
			last += " or more"
		}
	}
	return []string{"after " + seconds(float64(*c.FetchSeconds)), last, english.Grouped(c.Forbidden),
		english.Grouped(c.Sessions)}
}
