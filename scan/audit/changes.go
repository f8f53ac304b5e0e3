package audit

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

const aroundChange, maxChanges = 14 * 24 * hour, 20 // how much time is compared, and how many changes are listed

// side is the time before a change (with an even counter) or after it, up to the next change.
type side struct {
	policy.Change
	counter  uint32 // its index in changes
	from, to int64
}

type changes []side // both sides of each change, sorted by site, then by time

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

// around returns the sides to which a time belongs: after a change of its site, before the next one, or both.
func (c changes) around(at policy.Site, t int64) changes {
	c = c[sort.Search(len(c), func(i int) bool {
		return c[i].First > at.First || c[i].First+c[i].N > at.First && c[i].to > t
	}):]
	n := 0
	for n < len(c) && at.N > 0 && c[n].First <= at.First && at.First+at.N <= c[n].First+c[n].N && c[n].from <= t {
		n++
	}
	return c[:n]
}

// fetch looks through a crawler's fetches of robots.txt, in order of time, for the first that was sent the new
// file. Because clocks may differ by the skew, the old file may still be sent for that long.
func (c changes) fetch(p *policy.Policy, r *row, x *judge.Fetch) {
	for _, s := range c.around(x.Site, x.Time) {
		isFile, isLate := x.Kind == judge.ToldFile && x.Size == s.New.Size, x.Time >= s.At+int64(p.Skew())
		isNew := isFile && s.Old.Size != s.New.Size || isLate && (isFile || x.Kind == judge.ToldSame)
		if isNew && s.At <= x.Time && r.sentNew[s.counter] == nil {
			r.sentNew[s.counter] = new((x.Time - s.At) / int64(time.Second))
		}
	}
}

// visit counts a request for the changes that affect its path: one version permits it, and the other forbids it.
func (c changes) visit(x *Event) {
	for _, s := range c.around(x.from.Site, x.Time) {
		var of [2]policy.Stance // a missing copy permits
		for i, v := range [2]*policy.Version{s.Old, s.New} {
			if v.Copy >= 0 {
				of[i] = x.stances[0][v.Copy]
			}
		}
		if min(of[0], of[1]) == policy.Permits && max(of[0], of[1]) == policy.Forbids {
			x.row.changedPaths[s.counter] += x.N
		}
	}
}

// info returns the changes within the log that have the most requests, for a report.
func (c changes) info(a *Auditor, t *tally) (list []report.RobotsChange, more int64) {
	p, found := t.Period, map[uint32]*report.RobotsChange{} // by the counters of the sides before
	days := func(s side) float64 {
		return float64(max(min(s.to, p.Last)-max(s.from, p.First), 0)) / float64(24*hour)
	}
	for _, r := range t.rows(&a.config.Only) {
		for counter := range r.Around {
			n, s := counter&^1, c[counter]
			if (counter == n || r.Around[n] == 0) && r != t.others && r.Verdicts[report.Exempt] == 0 &&
				p.First <= s.At && s.At <= p.Last {
				of := cmp.Or(found[n], &report.RobotsChange{Origin: a.originText(s.Site), Since: report.At(s.Since),
					Time: report.At(s.At), OldFile: s.Old.File, NewFile: s.New.File, DaysBefore: days(c[n]), DaysAfter: days(c[n+1])})
				x := report.ChangedCrawler{Crawler: report.InASCII(r.name), Before: r.Around[n], After: r.Around[n+1],
					ChangedBefore: r.changedPaths[n], ChangedAfter: r.changedPaths[n+1], FetchSeconds: r.sentNew[n+1]}
				of.Requests, of.Crawlers, found[n] = report.Plus(of.Requests, x.Before+x.After), append(of.Crawlers, x), of
			}
		}
	}
	for _, of := range found {
		slices.SortFunc(of.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.ChangedBefore+y.ChangedAfter, x.ChangedBefore+x.ChangedAfter),
				cmp.Compare(y.Before+y.After, x.Before+x.After), cmp.Compare(x.Crawler, y.Crawler))
		})
		list = append(list, *of)
	}
	slices.SortFunc(list, func(x, y report.RobotsChange) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Origin, y.Origin), x.Time.Compare(y.Time.Time))
	})
	return append([]report.RobotsChange{}, list[:min(len(list), maxChanges)]...), int64(max(len(list)-maxChanges, 0))
}
