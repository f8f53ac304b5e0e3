package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// siteRow has one site, or several, with sums over all crawlers.
type siteRow struct {
	name string
	*crawler
}

func newSiteRow(name string, s *site) *siteRow {
	return &siteRow{name, &crawler{Names: s.Crawlers, Requests: s.Requests, Verdicts: s.Verdicts, Bytes: s.Bytes,
		ViolationBytes: s.ViolationBytes}}
}

// siteColumns returns the columns with a number in the row of all sites, and the known crawlers.
func (d doc) siteColumns(all *crawler) columns[siteRow] {
	if d.Policy.None() {
		all.Verdicts[report.Indeterminate] = 0 // hides the column of undecided requests
	}
	byVerdict := slices.Concat(byVerdict[:2], byVerdict[3:]) // without verified clients
	list := inRows(slices.Concat(withSums(byVerdict, []*crawler{all}),
		columns[crawler]{countFrom("known \u200bcrawlers", func(c *crawler) int64 { return c.Names })},
		withSums(traffic, []*crawler{all})), func(s *siteRow) *crawler { return s.crawler })
	return append(columns[siteRow]{textFrom("site", func(s *siteRow) string { return s.name })}, list...)
}

// sites has a row for each site that crawlers requested and a total, if there are several sites.
func (d doc) sites() block {
	b := block{Heading: "Sites"}
	if len(d.Sites) < 2 {
		return b
	}
	all := newSiteRow("all", &site{Requests: d.Totals.Requests, Verdicts: d.Totals.Verdicts, Bytes: d.Totals.Bytes,
		ViolationBytes: d.Totals.ViolationBytes})
	t := newTable(unbounded, d.siteColumns(all.crawler))
	left := site{}
	for i := range d.Sites {
		if i < d.most {
			t.add(nil, 1, newSiteRow(Cut(cmp.Or(d.Sites[i].Origin, "(site not known)"), maxRuleShown), &d.Sites[i]))
		} else {
			left.Plus(&d.Sites[i])
		}
	}
	if n := len(d.Sites) - d.most; n > 0 {
		t.add(nil, 1, newSiteRow(fmt.Sprintf("(%d more: see json)", n), &left))
	}
	t.sums()
	t.add(nil, 1, all)
	b.Title, b.Table = "Requests of crawlers by site:", t.table
	b.Text = []string{"Where a site has no http:// or https://, the log does not tell which. " +
		"Impostors are not among the known crawlers."}
	return b
}
