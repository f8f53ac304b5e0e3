package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// comparison stands for the verdicts if another robots.txt was tried on the requests.
func (d doc) comparison(prefixes, examples int) document {
	result := block{Text: slices.Concat(d.partial(), []string{d.compared(), d.scope()})}
	return withText(slices.Concat([]block{result}, d.changes(prefixes, examples), []block{d.advice()})...)
}

// compared states the result in a sentence.
func (d doc) compared() string {
	all, before, after := &d.WhatIf.All, d.Policy.File, d.WhatIf.File
	requests := english.Plural(all.Compared(), "crawler request")
	with := func(c report.ChangeInfo, text string) string {
		if c.Requests == 0 {
			return "none " + text
		}
		return fmt.Sprintf("%s %s (%s)", english.Grouped(c.Requests), text, size(c.Bytes))
	}
	switch {
	case d.NotJudged+d.OtherHost == d.NoRequest:
		return d.headline()[0]
	case all.Compared() == 0:
		return "No crawler request could be compared."
	case all.Changed()+all.Undecided.Requests == 0:
		return fmt.Sprintf("%s allows and forbids the same of %s as %s.", after, requests, before)
	}
	return fmt.Sprintf("Of %s, %s would forbid %s, and allow %s.", requests, after,
		with(all.Forbidden, "that "+before+" allows"), with(all.Allowed, "that it forbids"))
}

// changes lists what the other file would forbid and allow, what is unknown, and the rest.
func (d doc) changes(prefixes, examples int) []block {
	w, before, after := d.WhatIf, d.Policy.File, d.WhatIf.File
	list := func(heading, title string, e report.Effect) block {
		return block{Heading: heading, Title: "Requests " + title + ":", Table: d.changeTable(e, prefixes, examples)}
	}
	others := block{Heading: "Other requests", Title: "Other requests of crawlers:"}
	left := d.NotJudged - d.NoRequest - w.All.Compared()
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
		add(n, reasons[reason].means)
		left -= n
	}
	add(left-w.RobotsFetch-w.Exempt, "without a path")
	return []block{
		list("Would be forbidden", "that "+before+" allows and "+after+" forbids", report.NowForbidden),
		list("Would be allowed", "that "+before+" forbids and "+after+" allows", report.NowAllowed),
		list("Depends on the parser", "for which "+reasons[report.ContestedRule].means, report.NotDecided),
		others,
	}
}

// pathChange counts requests for paths with a common prefix, or is an example of one.
type pathChange struct {
	path            string
	requests, bytes value
}

// changeTable lists the requests with an effect, crawlers with the most of them first.
func (d doc) changeTable(e report.Effect, prefixes, examples int) table {
	list := slices.Clone(d.WhatIf.Crawlers)
	list = slices.DeleteFunc(list, func(c report.ComparedInfo) bool { return c.Of(e).Requests == 0 })
	slices.SortStableFunc(list, func(x, y report.ComparedInfo) int {
		return cmp.Compare(y.Of(e).Requests, x.Of(e).Requests)
	})
	t, shown := newTable(unbounded, columns[pathChange]{
		textFrom("path", func(p *pathChange) string { return p.path }),
		valueFrom("requests", func(p *pathChange) value { return p.requests }),
		valueFrom("bytes sent", func(p *pathChange) value { return p.bytes }),
	}), min(len(list), d.most)
	for _, crawler := range list[:shown] {
		c := *crawler.Of(e)
		t.begin(fmt.Sprintf("%s: %s of %s, %s", Cut(crawler.Crawler, maxNameShown), english.Grouped(c.Requests),
			english.Plural(crawler.Compared(), "request"), size(c.Bytes)))
		for _, p := range c.Prefixes[:min(len(c.Prefixes), prefixes)] {
			t.add(nil, 1, &pathChange{"  " + map[bool]string{true: "/ (no folder)", false: p.Prefix}[p.Prefix == "/"],
				integer(p.Requests), integer(p.Bytes)})
			c.Requests, c.Bytes = c.Requests-p.Requests, c.Bytes-p.Bytes
		}
		if c.Requests > 0 {
			t.add(nil, 1, &pathChange{"  elsewhere", integer(c.Requests), integer(c.Bytes)})
		}
		for _, target := range c.Examples[:min(len(c.Examples), examples)] {
			t.add(nil, 1, &pathChange{"  such as " + target, blank, blank})
		}
	}
	t.fit(d.widest)
	t.left.others = int64(len(list) - shown)
	return t.leaves("crawler")
}
