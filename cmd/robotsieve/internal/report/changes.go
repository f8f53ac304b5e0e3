package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
)

// beforeAfter has a table for each change of robots.txt.
func (d doc) beforeAfter() (list []block) {
	perDay := func(n int64, days float64) string {
		if days < 1 {
			return "?"
		}
		return fmt.Sprintf("%.1f", float64(n)/days)
	}
	for _, c := range d.Changes {
		t := newTable(15, Left("crawler"), Right("requests \u200ba day before", "after",
			"changed \u200bpaths \u200ba day before", "after", "first fetch \u200bof the new"))
		for _, of := range c.Crawlers {
			fetch := "none logged"
			if of.FetchSeconds != nil {
				fetch = "after " + seconds(float64(*of.FetchSeconds))
			}
			t.add(nil, 1, Cut(of.Crawler, maxNameShown), perDay(of.Before, c.DaysBefore), perDay(of.After, c.DaysAfter),
				perDay(of.ChangedBefore, c.DaysBefore), perDay(of.ChangedAfter, c.DaysAfter), fetch)
		}
		title := fmt.Sprintf("%s %s, %s in place of %s:", c.Origin, c.Time, cmp.Or(c.NewFile, "no file"), cmp.Or(c.OldFile, "no file"))
		list = append(list, block{Heading: "Before and after", Title: strings.TrimSpace(title), Table: t.leaves("crawler"),
			Text: []string{fmt.Sprintf("%.1f days before %s; %.1f days after %s.", c.DaysBefore, c.Since, c.DaysAfter, c.Time)},
		}.withFigures())
	}
	if n := len(list); n > 0 {
		text := "Changed paths are those on which the old and the new file differ for the crawler. The first fetch is the first " +
			"GET that was sent the new file, by its size, or 304. A difference is not proof that the change caused it."
		if d.ChangesNotListed > 0 {
			text += " " + english.Plural(d.ChangesNotListed, "more change") + " with fewer requests."
		}
		list[n-1].Text = append(list[n-1].Text, text)
	}
	return list
}
