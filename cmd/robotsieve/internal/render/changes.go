package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// beforeAfter has a table for each change of robots.txt.
func (d doc) beforeAfter() (list []block) {
	for _, c := range d.Changes {
		t := newTable(15, changeColumns(&c))
		for i := range c.Crawlers {
			t.add(nil, 1, &c.Crawlers[i])
		}
		list = append(list, block{
			Heading: "Before and after", Table: t.leaves("crawler"),
			Title: strings.TrimSpace(fmt.Sprintf("%s %s, %s in place of %s:", c.Origin, c.Time, cmp.Or(c.NewFile, "no file"),
				cmp.Or(c.OldFile, "no file"))),
			Text: []string{fmt.Sprintf("%.1f days before %s; %.1f days after %s.", c.DaysBefore, c.Since, c.DaysAfter, c.Time)},
		}.withFigures())
	}
	if n := len(list); n > 0 {
		text := "Changed paths are those on which the old and the new file differ for the crawler. The first fetch is the " +
			"first GET that was sent the new file, by its size, or 304. A difference is not proof that the change caused it."
		if d.ChangesNotListed > 0 {
			text += " " + english.Plural(d.ChangesNotListed, "more change") + " with fewer requests."
		}
		list[n-1].Text = append(list[n-1].Text, text)
	}
	return list
}

// changeColumns are the columns of the table of a change.
func changeColumns(c *report.RobotsChange) columns[changed] {
	perDay := func(heading string, days float64, n func(*changed) int64) column[changed] {
		return valueFrom(heading, func(of *changed) value {
			if days < 1 {
				return words("?")
			}
			return words(fmt.Sprintf("%.1f", float64(n(of))/days))
		})
	}
	return columns[changed]{
		textFrom("crawler", func(of *changed) string { return Cut(of.Crawler, maxNameShown) }),
		perDay("requests \u200ba day before", c.DaysBefore, func(of *changed) int64 { return of.Before }),
		perDay("after", c.DaysAfter, func(of *changed) int64 { return of.After }),
		perDay("changed \u200bpaths \u200ba day before", c.DaysBefore, func(of *changed) int64 { return of.ChangedBefore }),
		perDay("after", c.DaysAfter, func(of *changed) int64 { return of.ChangedAfter }),
		valueFrom("first fetch \u200bof the new", func(of *changed) value {
			if of.FetchSeconds == nil {
				return words("none logged")
			}
			return words("after " + seconds(float64(*of.FetchSeconds)))
		}),
	}
}

type changed = report.ChangedCrawler
