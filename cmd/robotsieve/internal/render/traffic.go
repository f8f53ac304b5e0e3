package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

func (d doc) traffic() block {
	b, inexact := block{Heading: "Traffic"}, false
	sent := slices.DeleteFunc(slices.Clone(traffic), func(c column[crawler]) bool { return c.judged && d.Policy.None() })
	t := newTable(d.most, slices.Concat(columns[crawler]{textFrom("traffic of", shortName)}, sent,
		columns[crawler]{
			valueFrom("addresses", func(c *crawler) value {
				if isAbout(c) {
					return words("about " + english.Grouped(c.Addresses.N))
				}
				return some(c.Addresses.N)
			}),
			wordsFrom("answers by status", func(c *crawler) string { return statusList(c.Statuses) }),
		}))
	for _, c := range d.pointers() {
		shown := t.add(c, crawlersIn(c), c)
		inexact = inexact || shown && isAbout(c)
	}
	b.Table = t.leaves("crawler")
	if t.rows > 0 {
		b.Text = []string{"Bytes count the bodies whose size is in the log. " +
			"Impostors are not counted here."}
	}
	if inexact {
		b.Text = append(b.Text, "A number of addresses with \"about\" was worked out from some of them: "+
			"its standard error is about 2 per cent.")
	}
	return b
}

// isAbout reports whether the number of addresses was estimated.
func isAbout(c *crawler) bool { return !c.Addresses.Exact && c.Addresses.N > 0 }

func statusList(counts []report.StatusCount) string {
	const shown = 5
	list := slices.Clone(counts)
	slices.SortStableFunc(list, func(x, y report.StatusCount) int { return cmp.Compare(y.N, x.N) })
	var parts []string
	rest := int64(0)
	for i, s := range list {
		if i >= shown {
			rest += s.N
			continue
		}
		name := fmt.Sprint(s.Status)
		if s.Status == 0 {
			name = "none"
		}
		parts = append(parts, name+" "+english.Grouped(s.N))
	}
	if rest > 0 {
		parts = append(parts, "others "+english.Grouped(rest))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

type pathRow struct {
	*crawler
	number, path string
}

// paths lists what crawlers requested most. by is the heading of the crawlers' names.
func (d doc) paths(heading, by string, of func(*crawler) report.PathList, rows int) block {
	b, about := block{Heading: heading}, false
	t := newTable(unbounded, columns[pathRow]{
		textFrom(by, func(p *pathRow) string { return shortName(p.crawler) }),
		valueFrom("requests", func(p *pathRow) value { return words(p.number) }),
		textFrom("path", func(p *pathRow) string { return p.path }),
	})
	for _, c := range d.pointers() {
		list := of(c)
		tooMany := !list.Exact && list.OthersAtMost > 0
		if t.rows >= 2*d.most { // show all rows of a crawler or none
			if tooMany || len(list.List) > 0 {
				t.left.add(c, crawlersIn(c))
			}
			continue
		}
		for _, p := range list.List[:min(len(list.List), rows)] {
			number := english.Grouped(p.N)
			if p.TooHigh > 0 {
				number, about = "about "+number, true
			}
			t.add(c, 1, &pathRow{c, number, Cut(p.Path, d.widest)})
		}
		if tooMany && len(list.List) <= rows {
			t.add(c, 1, &pathRow{c, "at most " + english.Grouped(list.OthersAtMost),
				"(each other path: there are too many to count each)"})
		}
	}
	b.Table = t.leaves("crawler")
	if about {
		b.Text = []string{"A number with \"about\" is too high by at most a tenth."}
	}
	return b
}

// referrals compares the requests of an operator's crawlers with the visitors it sent.
func (d doc) referrals() block {
	type operator = report.OperatorInfo
	b := block{Heading: "What crawlers took for each visitor"}
	t := newTable(maxFetchersShown, columns[operator]{
		textFrom("operator", func(o *operator) string { return Cut(o.Operator, maxOperatorShown) }),
		countFrom("crawled", func(o *operator) int64 { return o.Crawled }),
		countFrom("visitors sent", func(o *operator) int64 { return o.Referred }),
		valueFrom("crawled for each visitor", func(o *operator) value {
			ratio := fmt.Sprintf("%.1f", float64(o.Crawled)/float64(o.Referred))
			return words(strings.TrimSuffix(ratio, ".0")).when(o.Referred > 0)
		}),
		textFrom("from pages of", func(o *operator) string { return Cut(strings.Join(o.Referrers, ", "), maxFileShown) }),
	})
	for i := range d.Operators {
		if len(d.Operators[i].Referrers) > 0 {
			t.add(nil, 1, &d.Operators[i])
		}
	}
	b.Table = t.leaves("operator")
	if t.rows > 0 {
		b.Text = []string{"Crawled counts the requests of the operator's crawlers, " +
			"without robots.txt and without impostors; " +
			"visitors sent counts other clients' requests with one of the operator's pages as Referer. " +
			"Any client can send any Referer, and many send none, so more visitors may have come."}
	}
	return b
}
