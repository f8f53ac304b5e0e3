package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// The figures of a site are those of all its crawlers together.
var (
	knownCrawlers = figure{name: "known_crawlers", heading: "known \u200bcrawlers",
		of: func(c *crawler) int64 { return c.Names }}
	siteFigures = slices.DeleteFunc(slices.Concat(byVerdict, []figure{knownCrawlers}, traffic),
		func(f figure) bool { return f.name == verified.name })
)

func asCrawler(s *site) *crawler {
	return &crawler{Names: s.Crawlers, Requests: s.Requests, Verdicts: s.Verdicts, Bytes: s.Bytes,
		ViolationBytes: s.ViolationBytes}
}

// sites has a row for each site that crawlers requested, if there are several, and one for all.
func (d doc) sites() block {
	b := block{Heading: "Sites"}
	if len(d.Sites) < 2 {
		return b
	}
	all := &crawler{Requests: d.Totals.Requests, Verdicts: d.Totals.Verdicts, Bytes: d.Totals.Bytes,
		ViolationBytes: d.Totals.ViolationBytes}
	shown := slices.DeleteFunc(slices.Clone(siteFigures), func(f figure) bool {
		return f.name != knownCrawlers.name && f.sum([]*crawler{all}) == 0 ||
			d.Policy.None() && f.name == report.Indeterminate.String()
	})
	t := newTable(unbounded, Left("site"), columnsFor(shown...))
	left := site{}
	for i := range d.Sites {
		if i < d.most {
			name := Cut(cmp.Or(d.Sites[i].Origin, "(site not known)"), maxRuleShown)
			t.add(nil, 1, cellsOf(name, shown, asCrawler(&d.Sites[i]))...)
		} else {
			left.Plus(&d.Sites[i])
		}
	}
	if n := len(d.Sites) - d.most; n > 0 {
		t.add(nil, 1, cellsOf(fmt.Sprintf("(%d more: see json)", n), shown, asCrawler(&left))...)
	}
	t.Groups = append(t.Groups, group{Sum: true})
	t.add(nil, 1, cellsOf("all", shown, all)...)
	b.Title, b.Table = "Requests of crawlers by site:", t
	b.Text = []string{"Where a site has no http:// or https://, the log does not tell which. " +
		"Impostors are not among the known crawlers."}
	return b
}
