package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The report without a robots.txt lists the crawlers that came. It judges nothing.

// unjudgedScreen is this report on one screen, after its first block.
func (d doc) unjudgedScreen(first block, ai int) document {
	came := d.comers().Table
	return withText(first, block{Table: came}.withFigures(), block{Text: d.otherAI(ai, came, nil)}, d.advice(),
		d.sentSizes(), block{Text: []string{
			"To see which of these requests a robots.txt permits: robotsieve audit --robots FILE LOG...",
			"More: --full, all figures; --html FILE, a page; --list all, each request."}})
}

// comers has a row for each crawler, the most frequent first.
func (d doc) comers() block {
	t := newTable(d.most, comerColumns)
	list := d.pointers()
	slices.SortStableFunc(list, func(x, y *crawler) int { return cmp.Compare(y.Requests, x.Requests) })
	for _, c := range list {
		t.add(c, crawlersIn(c), c)
	}
	return block{Heading: "Crawlers", Title: "Requests by clients that identify themselves as these crawlers:",
		Table: t.leaves("crawler")}
}

var comerColumns = columns[crawler]{textFrom("crawler", shortName), categoryColumn, requests, verified,
	countFrom("impostors", func(c *crawler) int64 { return c.Verdicts[report.Spoofed] }), bytesSent,
	countFrom("robots.txt", func(c *crawler) int64 { return c.RobotsTxt.Fetches })}

func (d doc) cameText() string {
	if d.Totals.Requests == 0 {
		return fmt.Sprintf("No crawler came to these sites: %s went to other hosts (%s).",
			english.Plural(d.OtherHost, "request"), d.elsewhere())
	}
	names, requests := int64(0), d.Totals.Requests
	for _, c := range d.pointers() {
		names += crawlersIn(c)
	}
	text := fmt.Sprintf("%s by crawlers under %s, %s of all lines; ", english.Plural(requests, "request"),
		english.Plural(names, "name"), share(float64(requests)/float64(max(d.Lines, 1))))
	if i := d.Totals.Identity; d.CanVerify && !d.Proxied {
		text += fmt.Sprintf("%s came from verified clients, %s from impostors.", english.Grouped(i[report.Verified]),
			english.Grouped(i[report.SpoofedIdentity]))
	} else {
		text += "no client was verified, and anybody can send any name."
	}
	return text + " No robots.txt was given, so no request was judged."
}

// sentSizes lists the sizes of robots.txt in the log, or says that it was never sent.
func (d doc) sentSizes() block {
	const shown = 3
	b, list, sum := block{Heading: "Which robots.txt was sent"}, d.RobotsTxt.OfAllSites(), int64(0)
	for _, s := range list {
		sum += s.N
	}
	var parts []string
	for _, s := range list[:min(len(list), shown)] {
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", english.Plural(s.Bytes, "byte"),
			english.Plural(s.N, "answer"), days(s.First, s.Last)))
	}
	if parts == nil {
		if r := d.RobotsTxt; r.Requests > 0 && r.Served == 0 {
			gets := english.Plural(r.Requests, "GET")
			b.Text = []string{"None of " + gets + " of robots.txt got a file: perhaps there was none."}
		}
		return b
	}
	text := "Look for a file of " + strings.Join(parts, ", or of ")
	if len(list) > shown {
		text += fmt.Sprintf("; there are %s more", english.Plural(int64(len(list)-shown), "size"))
	}
	b.Text = []string{fmt.Sprintf("%s: the sizes of robots.txt in %s, where it is not compressed.", text,
		english.Plural(sum, "logged answer"))}
	return b
}
