package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// knownCrawlers is a figure of a site.
var knownCrawlers = figure{name: "known_crawlers", heading: "known \u200bcrawlers",
	ofSite: func(s *site) any { return s.Crawlers }}

// ofSites gives the figures of verdicts, in their order, a value for a site.
func ofSites(list []figure) []figure {
	for v := range list {
		list[v].ofSite = func(s *site) any { return s.Verdicts[v] }
	}
	return list
}

// sites has a row for each site that crawlers requested, if there are several, and one for all.
func (d doc) sites() block {
	b := block{Heading: "Sites"}
	if len(d.Sites) < 2 {
		return b
	}
	all := site{Requests: d.Totals.Requests, Verdicts: d.Totals.Verdicts, Bytes: d.Totals.Bytes,
		ViolationBytes: d.Totals.ViolationBytes}
	shown := slices.DeleteFunc(slices.Concat(byVerdict, []figure{knownCrawlers}, traffic),
		func(f figure) bool {
			return f.ofSite == nil || f.name != knownCrawlers.name && f.ofSite(&all) == int64(0) ||
				d.Policy.None() && f.name == report.Indeterminate.String()
		})
	t := newTable(unbounded, Left("site"), columnsFor(shown...))
	add := func(name string, s *site) {
		row := []string{name}
		for _, f := range shown {
			row = append(row, grouped(f.ofSite(s).(int64)))
		}
		t.add(nil, 1, row...)
	}
	left := site{}
	for i := range d.Sites {
		if i < d.most {
			add(Cut(cmp.Or(d.Sites[i].Origin, "(site not known)"), maxRuleShown), &d.Sites[i])
		} else {
			left.Plus(&d.Sites[i])
		}
	}
	if n := len(d.Sites) - d.most; n > 0 {
		add(fmt.Sprintf("(%d more: see json, csv)", n), &left)
	}
	t.Groups = append(t.Groups, group{Sum: true})
	add("all", &all)
	b.Title, b.Table = "Requests of crawlers by site:", t
	b.Text = []string{"Where a site has no http:// or https://, the log does not tell which. " +
		"Impostors are not among the known crawlers."}
	return b
}
