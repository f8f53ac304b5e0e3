package render

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// screen is the report on one screen of 24 lines by 80 characters, if it fits: what happened, which
// crawlers did it, what is excused, what to fix, and how certain it is. The violators with the fewest
// violations are left out, but AI crawlers that came are always named, if necessary instead of all
// violators but one and the crawlers without a violation.
func screen(r *report.Report) document {
	if r.WhatIf != nil {
		return append(doc{r, minViolatorsShown, screenWidth}.comparison(3, 1), block{Text: []string{
			"More: --full, all of it; --html FILE, a page; --output json, for programs. " +
				"Paths that nobody requested: robotsieve check --against."}})
	}
	heights := map[[3]int]int{} // each takes a report
	height := func(most, clean, ai int) int {
		asked := [3]int{most, clean, ai}
		if heights[asked] == 0 {
			var text strings.Builder
			_ = doc{r, most, screenWidth}.screen(clean, ai).writeText(&text, screenWidth, false) // memory has no errors
			heights[asked] = strings.Count(text.String(), "\n")
		}
		return heights[asked]
	}
	most, clean, ai, least, few := screenHeight, screenHeight/2, screenHeight, minViolatorsShown, 1
	if height(least, few, ai) > height(least, few, 0) {
		least = 1 // some AI crawler is in neither list
	}
	most = highest(least, most, func(n int) bool { return height(n, few, ai) <= screenHeight })
	if least == 1 && height(most, few, ai) > screenHeight {
		few = 0
	}
	ai = highest(1, ai, func(n int) bool { return height(most, few, n) <= screenHeight })
	clean = highest(few, clean, func(n int) bool { return height(most, n, ai) <= screenHeight })
	return doc{r, most, screenWidth}.screen(clean, ai)
}

// highest returns the highest number up to most that fits, as all lower ones then do, or else least.
func highest(least, most int, fits func(n int) bool) int {
	switch {
	case most <= least || !fits(least):
		return least
	case fits(most):
		return most
	}
	return least + sort.Search(most-least-1, func(i int) bool { return !fits(least + 1 + i) })
}

// screen has these numbers of lines for crawlers without a violation and AI crawlers named nowhere else.
func (d doc) screen(clean, ai int) document {
	first := block{Text: slices.Concat(d.partial(), d.headline(), []string{d.scope()})}
	if d.Policy.None() {
		return d.unjudgedScreen(first, ai)
	}
	broke := d.violators(min(maxPathedShown, (d.most-1)/2))
	kept, named := d.cleanNamed(clean)
	return withText(first, broke,
		block{Text: slices.Concat(kept, d.otherAI(ai, broke.Table, named), d.notHeld())}, d.advice(),
		block{Text: append(d.certainty(), more)})
}

// otherAI names, within a number of lines, the AI crawlers that came and are in no table or list.
func (d doc) otherAI(lines int, t table, named []*crawler) []string {
	came := d.without(func(c *crawler) bool { return own(c) == 0 || !isAI(c) })
	list := slices.DeleteFunc(slices.Clone(came), func(c *crawler) bool {
		return t.has(shortName(c)) || slices.Contains(named, c)
	})
	if len(list) == 0 || lines == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(x, y *crawler) int { return cmp.Compare(own(y), own(x)) })
	before := "AI crawlers that came: "
	if len(list) < len(came) {
		before = "Other " + before
	}
	text, _ := nameList(before, list, lines)
	return []string{text}
}

const more = "More: --full, all figures; --html FILE, a page; --list violations, each request."

// Limits of the screen.
const (
	maxViolatorsShown = 10 // in Markdown
	minViolatorsShown = 4  // even if the screen gets higher
	maxPathedShown    = 4  // violators shown with their worst paths
	screenWidth       = 80
	screenHeight      = 24
)

// violators is the table of crawlers that broke robots.txt, the first with the paths requested most against
// it, fetchers last. Those named in the headline are always included.
func (d doc) violators(pathed int) block {
	named := len(d.without(func(c *crawler) bool { return !inHeadline(c) }))
	t, others := newTable(max(d.most, named), violatorColumns), max(d.most-named, 0)
	for _, part := range d.parts() {
		t.begin(part.title)
		for _, c := range part.list {
			switch {
			case c.Verdicts[report.Violation] == 0:
				continue
			case inHeadline(c):
			case others == 0:
				t.left.add(c, violatorsIn(c))
				continue
			default:
				others--
			}
			if t.add(c, violatorsIn(c), c) && t.rows <= pathed {
				rows := t.Groups[len(t.Groups)-1].Rows
				rows[len(rows)-1].Below = worst(c)
			}
		}
	}
	t.fit(screenWidth)
	if text := t.left.text("crawler"); text != "" {
		t.More = "and " + text + "."
	}
	return block{Table: t.table}
}

// inHeadline reports whether the headline names a crawler: its verified clients got forbidden content.
func inHeadline(c *crawler) bool { return c.VerifiedContent() > 0 && !isFetcher(c) }

var violatorColumns = columns[crawler]{
	textFrom("broke \u200brobots.txt", func(c *crawler) string { return c.Crawler }),
	textFrom("identity", identityOf),
	valueFrom("requests", func(c *crawler) value { return integer(own(c)) }),
	valueFrom("forbidden", func(c *crawler) value {
		n := c.Verdicts[report.Violation]
		return words(alarm(english.Grouped(n)) + " (" + wholeShare(n, own(c)) + ")")
	}),
	countFrom("content", func(c *crawler) int64 { return c.Outcomes[report.Content] }),
	countFrom("not \u200bmod.", func(c *crawler) int64 { return c.Outcomes[report.NotModified] }),
	valueFrom(informed.heading, func(c *crawler) value { return informedOf(c, c.Informed()) }),
}

// fit cuts the cells of the first column to rows of width characters, and titles and lines below rows
// so that they don't widen the columns.
func (t *table) fit(width int) {
	across, first := width-blanksBetween*(len(t.Columns)-1), width
	for i, c := range t.Columns[1:] {
		most := 0
		for line := range strings.SplitSeq(breaks.Replace(c.Heading), "\n") {
			most = max(most, len([]rune(line)))
		}
		for _, g := range t.Groups {
			for _, row := range g.Rows {
				most = max(most, len([]rune(unmarked.Replace(row.Cells[i+1].shown()))))
			}
		}
		first -= most + blanksBetween
	}
	for i := range t.Groups {
		t.Groups[i].Title = Cut(t.Groups[i].Title, across)
		for j := range t.Groups[i].Rows {
			row := &t.Groups[i].Rows[j]
			row.Cells[0].word, row.Below = Cut(row.Cells[0].word, max(first, 8)), Cut(row.Below, across)
		}
	}
}

// wholeShare formats a share in whole per cent. Only none is 0 %, and only all is 100 %.
func wholeShare(n, of int64) string {
	switch percent := 100 * float64(n) / float64(max(of, 1)); {
	case n > 0 && percent < 1:
		return "< 1 %"
	case n < of && percent > 99:
		return "> 99 %"
	default:
		return fmt.Sprintf("%.0f %%", percent)
	}
}

// identityOf says whether the violating clients are verified.
func identityOf(c *crawler) string {
	all, verified := c.Verdicts[report.Violation], violationsOf(c, report.Verified).all
	switch {
	case verified == all:
		return "verified"
	case verified > 0:
		return "partly verified"
	case violationsOf(c, report.Unverifiable).all == all:
		return "unverifiable"
	}
	return "unverified"
}

// worst lists the paths that a crawler requested most against robots.txt, on one line.
func worst(c *crawler) string {
	const most = 54 // characters, to fit in a row of the table
	text := ""
	for _, p := range c.ViolationPaths.List {
		next := fmt.Sprintf("%s (%s)", Cut(p.Path, 34), english.Grouped(p.N))
		if text != "" {
			next = text + ", " + next
		}
		if len([]rune(next)) > most {
			break
		}
		text = next
	}
	if text == "" {
		return ""
	}
	return "  most often: " + text
}
