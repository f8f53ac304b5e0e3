package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

const (
	aroundChange = 14 * 24 * hour // the times that are compared
	maxChanges   = 20             // that are listed
)

// change is a change of a site, with the times before and after it that are compared.
type change struct {
	policy.Change
	site   policy.Site
	number uint32
	sides  [2]span
}

type span struct{ from, to int64 }

// changes are all changes, in the order of their numbers, and those of each origin by time.
type changes struct {
	list     []*change
	byOrigin [][]*change
}

func newChanges(p *policy.Policy) *changes {
	all := &changes{}
	for first, o := int32(0), int32(0); int(o) < len(p.Origins()); first = o {
		var list []*change
		for _, of := range p.Changes(o) {
			c := &change{Change: of, number: uint32(len(all.list)),
				sides: [2]span{{of.Since - aroundChange, of.Since}, {of.At, of.At + aroundChange}}}
			if len(list) > 0 { // a side ends at another change
				last := list[len(list)-1]
				c.sides[0].from, last.sides[1].to = max(c.sides[0].from, last.At), min(last.sides[1].to, of.Since)
			}
			list, all.list = append(list, c), append(all.list, c)
		}
		for ; int(o) < len(p.Origins()) && p.Alike(first, o); o++ {
			all.byOrigin = append(all.byOrigin, list)
		}
		for _, of := range list {
			of.site = policy.Site{First: first, N: o - first}
		}
	}
	return all
}

// around returns the last change of a site that is not after a time, and the next one.
func (c *changes) around(at policy.Site, t int64) []*change {
	if at.N == 0 || len(c.byOrigin[at.First]) == 0 {
		return nil
	}
	list := c.byOrigin[at.First]
	if of := list[0].site; at.First+at.N > of.First+of.N {
		return nil
	}
	next, _ := slices.BinarySearchFunc(list, t+1, func(c *change, t int64) int { return cmp.Compare(c.At, t) })
	return list[max(next-1, 0):min(next+1, len(list))]
}

// count counts requests on the sides of changes that have a time.
func (c *changes) count(counts map[uint32]int64, at policy.Site, t, n int64, is func(*change) bool) {
	for _, of := range c.around(at, t) {
		side := slices.IndexFunc(of.sides[:], func(s span) bool { return s.from <= t && t < s.to })
		if side >= 0 && (is == nil || is(of)) {
			counts[2*of.number+uint32(side)] += n
		}
	}
}

// fetch looks at a crawler's fetches of robots.txt, in the order of time, for the first that was sent the
// new file. Clocks may differ by the skew: the old one may still be sent within it.
func (c *changes) fetch(p *policy.Policy, r *row, x *judge.Fetch) {
	for _, of := range c.around(x.Site, x.Time) {
		list, from := p.Versions(of.site.First), of.At
		if x.Kind == judge.ToldSame || list[of.Old].Size == list[of.New].Size {
			from += int64(p.Skew())
		}
		isNew := x.Kind == judge.ToldSame || x.Kind == judge.ToldFile && x.Size == list[of.New].Size
		if _, known := r.sentNew[of.number]; isNew && !known && from <= x.Time && x.Time < of.sides[1].to {
			r.sentNew[of.number] = x.Time
		}
	}
}

// visit looks at a request that some version of its site forbids: all others are for no changed path.
func (c *changes) visit(p *policy.Policy, x *Event) {
	stance := func(version int32) policy.Stance {
		if n := p.Versions(x.from.Site.First)[version].Copy; n >= 0 {
			return x.stances[0][n]
		}
		return policy.Permits
	}
	c.count(x.row.changedPaths, x.from.Site, x.Time, x.N, func(of *change) bool {
		old, now := stance(of.Old), stance(of.New)
		return min(old, now) == policy.Permits && max(old, now) == policy.Forbids
	})
}

// info makes what a report says of the changes: of those within the log the ones with the most requests.
func (c *changes) info(a *Auditor, t *tally) (list []report.RobotsChange, more int64) {
	requests, rows := map[uint32]int64{}, t.rows(&a.config.Only)
	for _, r := range rows {
		for counter, n := range r.Around {
			requests[counter/2] = report.Plus(requests[counter/2], n)
		}
	}
	within := slices.DeleteFunc(slices.Clone(c.list), func(of *change) bool {
		return requests[of.number] == 0 || of.At < t.Period.First || t.Period.Last < of.At
	})
	slices.SortStableFunc(within, func(x, y *change) int { return cmp.Compare(requests[y.number], requests[x.number]) })
	list = []report.RobotsChange{}
	for _, of := range within[:min(len(within), maxChanges)] {
		days := func(s span) report.ChangeSide {
			covered := max(min(s.to, t.Period.Last)-max(s.from, t.Period.First), 0)
			return report.ChangeSide{Days: float64(covered) / float64(24*hour)}
		}
		v, before, after := a.config.Policy.Versions(of.site.First), 2*of.number, 2*of.number+1
		info := report.RobotsChange{Origin: a.originText(of.site), Time: report.At(of.At), OldFile: v[of.Old].File,
			NewFile: v[of.New].File, Before: days(of.sides[0]), After: days(of.sides[1]), Requests: requests[of.number],
			Crawlers: []report.ChangedCrawler{}, RequestsNotListed: requests[of.number]}
		if of.Since < of.At {
			info.Since = report.At(of.Since)
		}
		for _, r := range rows {
			x := report.ChangedCrawler{Crawler: report.InASCII(r.name),
				Before: report.ChangeCounts{Requests: r.Around[before], Paths: r.changedPaths[before]},
				After:  report.ChangeCounts{Requests: r.Around[after], Paths: r.changedPaths[after]}}
			if first, known := r.sentNew[of.number]; known {
				x.FetchSeconds = new((first - of.At) / int64(time.Second))
			}
			if n := x.Before.Requests + x.After.Requests; n > 0 && r != t.others && r.Verdicts[report.Exempt] == 0 {
				info.Crawlers = append(info.Crawlers, x)
				info.RequestsNotListed -= n
			}
		}
		slices.SortFunc(info.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.Before.Paths+y.After.Paths, x.Before.Paths+x.After.Paths),
				cmp.Compare(y.Before.Requests+y.After.Requests, x.Before.Requests+x.After.Requests),
				cmp.Compare(x.Crawler, y.Crawler))
		})
		list = append(list, info)
	}
	return list, int64(max(len(within)-maxChanges, 0))
}
