package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// traffic says what each crawler was sent, from how many addresses it came, and how it was
// answered.
func (d doc) traffic() block {
	b, inexact := block{Heading: "Traffic"}, false
	traffic := traffic
	if d.Policy.None() {
		traffic = traffic[:1]
	}
	t := newTable(d.most, Left("traffic of"), columnsFor(traffic...), Right("addresses"), Left("answers by status"))
	for _, c := range d.pointers() {
		addresses, isAbout := grouped(c.Addresses.N), !c.Addresses.Exact && c.Addresses.N > 0
		if isAbout {
			addresses = "about " + addresses
		}
		shown := t.add(c, crawlersIn(c), append(cellsOf(shortName(c), traffic, c), addresses, statusList(c.Statuses))...)
		inexact = inexact || shown && isAbout
	}
	if b.Table = t.leaves("crawler"); t.rows > 0 {
		b.Text = []string{"Bytes are those of bodies, as far as the log has sizes. " +
			"Requests of impostors are not counted here."}
	}
	if inexact {
		b.Text = append(b.Text, "A number of addresses with \"about\" was worked out from some of them: "+
			"its standard error is about 2 per cent.")
	}
	return b
}

// maxStatusesShown bounds the statuses of a crawler that a table shows.
const maxStatusesShown = 5

// statusList names the most frequent statuses with their numbers.
func statusList(counts []report.StatusCount) string {
	list := slices.Clone(counts)
	slices.SortStableFunc(list, func(x, y report.StatusCount) int { return cmp.Compare(y.N, x.N) })
	var parts []string
	rest := int64(0)
	for i, s := range list {
		if i >= maxStatusesShown {
			rest += s.N
			continue
		}
		parts = append(parts, statusName(s.Status)+" "+english.Grouped(s.N))
	}
	if rest > 0 {
		parts = append(parts, "others "+english.Grouped(rest))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

func statusName(status int) string {
	if status == 0 {
		return "none"
	}
	return fmt.Sprint(status)
}

// paths lists what crawlers requested most: against robots.txt, or at all. by is the heading of
// their names.
func (d doc) paths(heading, by string, of func(*crawler) report.PathList, rows int) block {
	b, about := block{Heading: heading}, false
	t := newTable(unbounded, Left(by), Right("requests"), Left("path"))
	for _, c := range d.pointers() {
		list := of(c)
		tooMany := !list.Exact && list.OthersAtMost > 0
		if t.rows >= 2*d.most { // a crawler has all of its rows or none
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
			t.add(c, 1, shortName(c), number, Cut(p.Path, d.widest))
		}
		if tooMany && len(list.List) <= rows {
			t.add(c, 1, shortName(c), "at most "+english.Grouped(list.OthersAtMost),
				"(each other path: there are too many to count each)")
		}
	}
	if b.Table = t.leaves("crawler"); about {
		b.Text = []string{"A number with \"about\" is too high by at most a tenth."}
	}
	return b
}

// referrals compares what operators' crawlers took with the visitors that their pages sent.
func (d doc) referrals() block {
	b := block{Heading: "What crawlers took for each visitor"}
	t := newTable(maxFetchersShown, Left("operator"), Right("crawled", "visitors sent", "crawled for each visitor"),
		Left("from pages of"))
	for _, o := range d.Operators {
		ratio := "-"
		if o.Referred > 0 {
			ratio = strings.TrimSuffix(fmt.Sprintf("%.1f", float64(o.Crawled)/float64(o.Referred)), ".0")
		}
		if len(o.Referrers) > 0 {
			t.add(nil, 1, Cut(o.Operator, maxOperatorShown), grouped(o.Crawled), grouped(o.Referred), ratio,
				Cut(strings.Join(o.Referrers, ", "), maxFileShown))
		}
	}
	if b.Table = t.leaves("operator"); t.rows > 0 {
		b.Text = []string{"Crawled are the requests of the operator's crawlers, " +
			"without robots.txt and without impostors; " +
			"visitors sent are requests that are no crawlers' and whose Referer is a page of the operator. " +
			"Any client can send any Referer, and many send none, so more visitors may have come."}
	}
	return b
}
