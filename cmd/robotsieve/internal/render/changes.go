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
		title := fmt.Sprintf("%s, %s in place of %s:", c.Time, cmp.Or(c.NewFile, "no file"), cmp.Or(c.OldFile, "no file"))
		text := fmt.Sprintf("%.1f days before it; %.1f days after it. Others made %s on both sides.", c.Before.Days,
			c.After.Days, english.Plural(c.RequestsNotListed, "request"))
		if !c.Since.IsZero() {
			text += " The old file was last seen on " + c.Since.String() + ": requests between the two times are not counted."
		}
		list = append(list, block{Heading: "Before and after", Title: strings.TrimSpace(c.Origin + " " + title),
			Table: t.leaves("crawler"), Text: []string{text}}.withFigures())
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		if d.ChangesNotListed > 0 {
			last.Text = append(last.Text, english.Plural(d.ChangesNotListed, "more change")+" with fewer requests.")
		}
		last.Text = append(last.Text, "Changed paths are those on which the old and the new file differ for the crawler, by "+
			"all ways in which it may read them. The first fetch is the first GET that was sent the new file, by its size, or "+
			"304. Other things may have changed on the same day: a difference is not proof that the change caused it. "+
			"Impostors are in no number.")
	}
	return list
}

// changeColumns are those of the table of a change.
func changeColumns(c *report.RobotsChange) columns[changed] {
	perDay := func(heading string, side report.ChangeSide, n func(*changed) int64) column[changed] {
		return valueFrom(heading, func(of *changed) value {
			if side.Days < 1 {
				return words("?")
			}
			return words(fmt.Sprintf("%.1f", float64(n(of))/side.Days))
		})
	}
	return columns[changed]{
		textFrom("crawler", func(of *changed) string { return Cut(of.Crawler, maxNameShown) }),
		perDay("requests \u200ba day before", c.Before, func(of *changed) int64 { return of.Before.Requests }),
		perDay("after", c.After, func(of *changed) int64 { return of.After.Requests }),
		perDay("changed \u200bpaths \u200ba day before", c.Before, func(of *changed) int64 { return of.Before.Paths }),
		perDay("after", c.After, func(of *changed) int64 { return of.After.Paths }),
		valueFrom("first fetch \u200bof the new", func(of *changed) value {
			if of.FetchSeconds == nil {
				return words("none logged")
			}
			return words("after " + seconds(float64(*of.FetchSeconds)))
		}),
	}
}

type changed = report.ChangedCrawler
