package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Bounds of the changes of robots.txt before and after which requests are compared.
const (
	aroundChange = 14 * 24 * hour
	maxCompared  = 1000 // the newest of a policy
	maxChanges   = 20   // that are listed
)

// change is a change of a site.
type change struct {
	policy.Change
	site   policy.Site
	number uint32
	sides  [2]span // before and after
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
	newest := slices.SortedStableFunc(slices.Values(all.list), func(x, y *change) int { return cmp.Compare(y.At, x.At) })
	for _, of := range newest[min(maxCompared, len(newest)):] {
		of.sides = [2]span{} // nothing is counted on them
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
// new file. Clocks may differ by the skew.
func (c *changes) fetch(p *policy.Policy, r *row, x *judge.Fetch) {
	skew := int64(p.Skew())
	for _, of := range c.around(x.Site, x.Time) {
		list := p.Versions(of.site.First)
		old, now, isAfter := list[of.Old], list[of.New], x.Time >= of.At+skew
		shows := isAfter && x.Kind == judge.ToldSame
		switch {
		case now.Copy < 0:
			shows = isAfter && x.Kind.None(answer.Others)
		case x.Kind == judge.ToldFile:
			shows = x.Size == now.Size && (isAfter || x.Time >= of.Since-skew && old.Size != now.Size)
		}
		if _, known := r.sentNew[of.number]; shows && !known && x.Time < of.sides[1].to {
			r.sentNew[of.number] = x.Time
		}
	}
}

// visit looks at a request that some version of its site forbids: all others are for no changed path.
func (c *changes) visit(p *policy.Policy, x *visit) {
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
	list = []report.RobotsChange{}
	for _, of := range c.list {
		days := func(side int) report.ChangeSide {
			from, to := max(of.sides[side].from, t.Period.First), min(of.sides[side].to, t.Period.Last)
			return report.ChangeSide{Days: float64(max(to-from, 0)) / float64(24*hour)}
		}
		versions := a.config.Policy.Versions(of.site.First)
		info := report.RobotsChange{Origin: a.originText(of.site), Time: timeText(of.At), OldFile: versions[of.Old].File,
			NewFile: versions[of.New].File, Before: days(0), After: days(1), Crawlers: []report.ChangedCrawler{}}
		if of.Since < of.At {
			info.Since = timeText(of.Since)
		}
		for _, r := range t.rows(&a.config.Only) {
			switch c := r.around(of); {
			case r == t.others:
				info.RequestsNotListed = c.Requests()
			case c.Requests() > 0:
				info.Crawlers = append(info.Crawlers, c)
			}
			info.Requests = report.Plus(info.Requests, r.Around[2*of.number]+r.Around[2*of.number+1])
		}
		slices.SortFunc(info.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.Paths(), x.Paths()), cmp.Compare(y.Requests(), x.Requests()),
				cmp.Compare(x.Crawler, y.Crawler))
		})
		if t.Period.Any && t.Period.First <= of.At && of.At <= t.Period.Last && info.Requests > 0 {
			list = append(list, info)
		}
	}
	slices.SortStableFunc(list, func(x, y report.RobotsChange) int { return cmp.Compare(y.Requests, x.Requests) })
	return list[:min(len(list), maxChanges)], int64(max(len(list)-maxChanges, 0))
}

// around describes what a crawler requested before and after a change.
func (r *row) around(of *change) report.ChangedCrawler {
	before, after := 2*of.number, 2*of.number+1
	c := report.ChangedCrawler{Crawler: report.InASCII(r.name)}
	c.Before.Requests, c.After.Requests = r.Around[before], r.Around[after]
	if r.Verdicts[report.Exempt] > 0 {
		return c
	}
	c.Before.Paths, c.After.Paths = new(r.changedPaths[before]), new(r.changedPaths[after])
	if first, known := r.sentNew[of.number]; known {
		c.FetchSeconds = new(max(first-of.At, 0) / int64(time.Second))
	}
	return c
}
