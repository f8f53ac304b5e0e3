package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// traffic says what each crawler was sent, from how many addresses it came, and how it was
// answered.
func (d doc) traffic() (b block) {
	b.heading = "Traffic"
	t := &b.table
	t.header = []string{"traffic of", ">bytes", ">of vio\u00adlations", ">addresses", "answers by status"}
	inexact := false
	for i := range d.Crawlers[:min(len(d.Crawlers), d.most)] {
		c := &d.Crawlers[i]
		addresses := figure(c.Addresses.N)
		if !c.Addresses.Exact && c.Addresses.N > 0 {
			addresses, inexact = "about "+addresses, true
		}
		t.rows = append(t.rows, []string{shortName(c), figure(c.Bytes), figure(c.ViolationBytes), addresses, statusList(c.Statuses)})
	}
	t.leaves(leftOut{}.addAll(d.pointers()[len(t.rows):]), "crawler")
	if len(t.rows) > 0 {
		b.text = []string{"Bytes are those of bodies, as far as the log has sizes. Requests of impostors are not counted here."}
	}
	if inexact {
		b.text = append(b.text, "A number of addresses with \"about\" was worked out from some of them: its standard error is about 4 per cent.")
	}
	return b
}

// maxStatusesShown bounds the statuses of a crawler that a table shows.
const maxStatusesShown = 5

// statusList names the most frequent statuses with their numbers.
func statusList(counts []audit.StatusCount) string {
	list := slices.Clone(counts)
	slices.SortStableFunc(list, func(x, y audit.StatusCount) int { return cmp.Compare(y.N, x.N) })
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
func (d doc) paths(heading, by string, of func(*crawler) audit.PathList, rows int) (b block) {
	b.heading = heading
	t := &b.table
	t.header = []string{by, ">requests", "path"}
	about, rest := false, leftOut{}
	for i := range d.Crawlers {
		c := &d.Crawlers[i]
		list := of(c)
		tooMany := !list.Exact && list.OthersAtMost > 0
		if len(t.rows) >= 2*d.most {
			if tooMany || len(list.List) > 0 {
				rest.add(c, crawlersIn(c))
			}
			continue
		}
		for _, p := range list.List[:min(len(list.List), rows)] {
			number := english.Grouped(p.N)
			if p.TooHigh > 0 {
				number, about = "about "+number, true
			}
			t.rows = append(t.rows, []string{shortName(c), number, Cut(p.Path, d.widest)})
		}
		if tooMany && len(list.List) <= rows {
			most := "at most " + english.Grouped(list.OthersAtMost)
			t.rows = append(t.rows, []string{shortName(c), most, "(each other path: there are too many to count each)"})
		}
	}
	t.leaves(rest, "crawler")
	if about {
		b.text = []string{"A number with \"about\" is too high by at most a tenth."}
	}
	return b
}

// referrals compares what operators' crawlers took with the visitors that their pages sent.
func (d doc) referrals() (b block) {
	b.heading = "What crawlers took for each visitor"
	t := &b.table
	t.header = []string{"operator", ">crawled", ">visitors sent", ">crawled for each visitor", "from pages of"}
	rest := int64(0)
	for _, o := range d.Operators {
		if len(o.Referrers) == 0 {
			continue
		}
		if len(t.rows) == maxFetchersShown {
			rest++
			continue
		}
		ratio := "-"
		if o.Referred > 0 {
			ratio = strings.TrimSuffix(fmt.Sprintf("%.1f", float64(o.Crawled)/float64(o.Referred)), ".0")
		}
		t.rows = append(t.rows, []string{Cut(o.Operator, maxOperatorShown), figure(o.Crawled), figure(o.Referred), ratio, Cut(strings.Join(o.Referrers, ", "), maxFileShown)})
	}
	t.leavesOut(rest, "operator")
	if len(t.rows) > 0 {
		b.text = []string{"Crawled are the requests of the operator's crawlers, without robots.txt and without impostors; visitors sent are requests that are no crawlers' and whose Referer is a page of the operator. Any client can send any Referer, and many send none, so more visitors may have come."}
	}
	return b
}
