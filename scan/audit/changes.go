package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

const (
	aroundChange = 14 * 24 * hour // the times that are compared
	maxChanges   = 20             // that are listed
)

// side is the time before a change, whose counter is even, or that after it, up to another change.
type side struct {
	policy.Change
	counter  uint32 // its index in changes
	from, to int64
}

// changes are both sides of each change, by site, then by time.
type changes []side

func newChanges(p *policy.Policy) (all changes) {
	for i, c := range p.Changes() {
		n := 2 * uint32(i)
		all = append(all, side{c, n, c.Since - aroundChange, c.Since}, side{c, n + 1, c.At, c.At + aroundChange})
		if n > 0 && all[n-1].Site == c.Site {
			all[n].from, all[n-1].to = max(all[n].from, all[n-1].from), min(all[n-1].to, c.Since)
		}
	}
	return all
}

// around returns the sides on which a time is: after a change of its site, before the next one, or both.
func (c changes) around(at policy.Site, t int64) changes {
	from, _ := slices.BinarySearchFunc(c, t, func(s side, t int64) int {
		switch {
		case s.First+s.N <= at.First:
			return -1
		case s.First > at.First:
			return 1
		}
		return cmp.Compare(s.to, t+1)
	})
	to := from
	for to < len(c) && at.N > 0 && c[to].First <= at.First && at.First+at.N <= c[to].First+c[to].N && c[to].from <= t {
		to++
	}
	return c[from:to]
}

// fetch looks at a crawler's fetches of robots.txt, in the order of time, for the first that was sent the
// new file. Clocks may differ by the skew: the old one may still be sent within it.
func (c changes) fetch(p *policy.Policy, r *row, x *judge.Fetch) {
	for _, s := range c.around(x.Site, x.Time) {
		old, now, from := p.Versions(s.First)[s.Old].Size, p.Versions(s.First)[s.New].Size, s.At
		if x.Kind == judge.ToldSame || old == now {
			from += int64(p.Skew())
		}
		isNew := x.Kind == judge.ToldSame || x.Kind == judge.ToldFile && x.Size == now
		if _, known := r.sentNew[s.counter]; isNew && !known && from <= x.Time {
			r.sentNew[s.counter] = x.Time
		}
	}
}

// visit looks at a request that some version of its site forbids: all others are for no changed path.
func (c changes) visit(p *policy.Policy, x *Event) {
	stance := func(s side, version int32) policy.Stance {
		if n := p.Versions(s.First)[version].Copy; n >= 0 {
			return x.stances[0][n]
		}
		return policy.Permits
	}
	for _, s := range c.around(x.from.Site, x.Time) {
		old, now := stance(s, s.Old), stance(s, s.New)
		if min(old, now) == policy.Permits && max(old, now) == policy.Forbids {
			x.row.changedPaths[s.counter] += x.N
		}
	}
}

// info makes what a report says of the changes: of those within the log the ones with the most requests.
func (c changes) info(a *Auditor, t *tally) (list []report.RobotsChange, more int64) {
	crawlers := map[uint32][]report.ChangedCrawler{} // by the counters before changes
	for _, r := range t.rows(&a.config.Only) {
		for counter := range r.Around {
			n := counter &^ 1
			if counter > n && r.Around[n] > 0 || r == t.others || r.Verdicts[report.Exempt] > 0 {
				continue
			}
			x := report.ChangedCrawler{Crawler: report.InASCII(r.name), Before: r.Around[n], After: r.Around[n+1],
				ChangedBefore: r.changedPaths[n], ChangedAfter: r.changedPaths[n+1]}
			if at, known := r.sentNew[n+1]; known {
				x.FetchSeconds = new((at - c[n].At) / int64(time.Second))
			}
			crawlers[n] = append(crawlers[n], x)
		}
	}
	days := func(s side) float64 {
		return float64(max(min(s.to, t.Period.Last)-max(s.from, t.Period.First), 0)) / float64(24*hour)
	}
	list = []report.RobotsChange{}
	for n := uint32(0); int(n) < len(c); n += 2 {
		at, v := c[n].At, a.config.Policy.Versions(c[n].First)
		if len(crawlers[n]) == 0 || at < t.Period.First || t.Period.Last < at {
			continue
		}
		info := report.RobotsChange{Origin: a.originText(c[n].Site), Since: report.At(c[n].Since), Time: report.At(at),
			OldFile: v[c[n].Old].File, NewFile: v[c[n].New].File, DaysBefore: days(c[n]), DaysAfter: days(c[n+1]),
			Crawlers: crawlers[n]}
		for _, x := range info.Crawlers {
			info.Requests = report.Plus(info.Requests, x.Before+x.After)
		}
		slices.SortFunc(info.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.ChangedBefore+y.ChangedAfter, x.ChangedBefore+x.ChangedAfter),
				cmp.Compare(y.Before+y.After, x.Before+x.After), cmp.Compare(x.Crawler, y.Crawler))
		})
		list = append(list, info)
	}
	slices.SortStableFunc(list, func(x, y report.RobotsChange) int { return cmp.Compare(y.Requests, x.Requests) })
	n := min(len(list), maxChanges)
	return list[:n], int64(len(list) - n)
}
