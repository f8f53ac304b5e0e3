package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// comparison is what people get in place of verdicts if another robots.txt was asked about the
// requests.
func (d doc) comparison(prefixes, examples int) []block {
	result := block{Text: slices.Concat(d.partial(), []string{d.compared(), d.scope()})}
	return withText(slices.Concat([]block{result}, d.changes(prefixes, examples), []block{d.advice()})...)
}

// compared is the result in a sentence.
func (d doc) compared() string {
	all := &d.WhatIf.All
	with := func(c report.ChangeInfo, text string) string {
		if c.Requests == 0 {
			return "none " + text
		}
		return fmt.Sprintf("%s %s (%s)", english.Grouped(c.Requests), text, size(c.Bytes))
	}
	requests := english.Plural(all.Compared(), "crawler request")
	switch {
	case d.NotJudged == 0:
		return d.headline()[0]
	case all.Changed()+all.Undecided.Requests == 0:
		return fmt.Sprintf("%s allows and forbids the same of %s as %s.", d.WhatIf.File, requests, d.Policy.File)
	}
	return fmt.Sprintf("Of %s, %s would forbid %s, and allow %s.", requests, d.WhatIf.File,
		with(all.Forbidden, "that "+d.Policy.File+" allows"), with(all.Allowed, "that it forbids"))
}

// changes lists what the other file would forbid, what it would allow, what is not known, and the
// rest, with at most so many prefixes and examples of each crawler.
func (d doc) changes(prefixes, examples int) []block {
	w, before, after := d.WhatIf, d.Policy.File, d.WhatIf.File
	list := func(heading, title string, of func(*report.ComparedInfo) report.ChangeInfo) block {
		return block{Heading: heading, Title: "Requests " + title + ":", Table: d.changeTable(of, prefixes, examples)}
	}
	others := block{Heading: "Other requests", Title: "Other requests of crawlers:"}
	add := func(n int64, what string) {
		if n > 0 {
			others.List = append(others.List, english.Grouped(n)+": "+what)
		}
	}
	add(w.All.Unchanged.Requests, "nothing changes")
	add(w.RobotsFetch, "for robots.txt itself")
	add(w.Exempt, "robots.txt does not bind the agent, as its operator says")
	add(d.OtherHost, "to other hosts")
	for reason, n := range w.NotCompared {
		add(n, reasonTerms[reason].means)
	}
	return []block{
		list("Would be forbidden", "that "+before+" allows and "+after+" forbids",
			func(c *report.ComparedInfo) report.ChangeInfo { return c.Forbidden }),
		list("Would be allowed", "that "+before+" forbids and "+after+" allows",
			func(c *report.ComparedInfo) report.ChangeInfo { return c.Allowed }),
		list("Depends on the parser", "for which "+reasonTerms[report.ContestedRule].means,
			func(c *report.ComparedInfo) report.ChangeInfo { return c.Undecided }),
		others,
	}
}

// changeTable has the requests of one change, the crawlers with most of them first.
func (d doc) changeTable(of func(*report.ComparedInfo) report.ChangeInfo, prefixes, examples int) table {
	list := slices.SortedStableFunc(slices.Values(d.WhatIf.Crawlers), func(x, y report.ComparedInfo) int {
		return cmp.Compare(of(&y).Requests, of(&x).Requests)
	})
	t := newTable(unbounded, Left("path"), Right("requests", "bytes sent"))
	more := int64(0)
	for i := range list {
		c := of(&list[i])
		if c.Requests == 0 {
			break
		} else if i >= d.most {
			more++
			continue
		}
		t.begin(fmt.Sprintf("%s: %s of %s, %s", Cut(list[i].Crawler, maxNameShown), english.Grouped(c.Requests),
			english.Plural(list[i].Compared(), "request"), size(c.Bytes)))
		for _, p := range c.Prefixes[:min(len(c.Prefixes), prefixes)] {
			t.add(nil, 1, "  "+map[bool]string{true: "/ (no folder)", false: p.Prefix}[p.Prefix == "/"],
				english.Grouped(p.Requests), english.Grouped(p.Bytes))
			c.Requests, c.Bytes = c.Requests-p.Requests, c.Bytes-p.Bytes
		}
		if c.Requests > 0 {
			t.add(nil, 1, "  elsewhere", english.Grouped(c.Requests), english.Grouped(c.Bytes))
		}
		for _, target := range c.Examples[:min(len(c.Examples), examples)] {
			t.add(nil, 1, "  such as "+target, "", "")
		}
	}
	if t.fit(d.widest); more > 0 {
		t.More = "and " + english.Plural(more, "more crawler") + ": see --output json."
	}
	return t
}
