package audit

import (
	"bytes"
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Before and after each change of robots.txt, and each of Config.Changes, there is a span of time, and a
// report compares what crawlers requested in them. Workers count the requests of each crawler on each
// side; the counts become deferred records, and their sums say which changes are listed. What the files
// say of a request is looked at in the final pass: one that a version of its site forbids is a deferred
// record in any case.

// DefaultAround is Config.Around where it is 0.
const DefaultAround = 14 * 24 * time.Hour

// Bounds of what is listed, and the time without a request that ends a session.
const (
	maxChanges         = 20
	maxChangedCrawlers = 40
	sessionEnd         = 5 * minute
)

// changes are all changes, in the order of their numbers, and those of each origin by time.
type changes struct {
	list     []*change
	byOrigin [][]*change
}

// change is a change of a site. If it was given, both of its versions are the one in force then.
type change struct {
	policy.Change
	site   policy.Site
	number uint32
	given  bool
	sides  [2]side // before and after
}

type side struct {
	from, to int64
	clipped  bool // by another change
}

// newChanges returns nil if there is no change.
func newChanges(c *Config) *changes {
	all := &changes{}
	for o := int32(0); int(o) < len(c.Policy.Origins()); {
		var list []*change
		for _, of := range c.Policy.Changes(o) {
			list = append(list, &change{Change: of})
		}
		for _, at := range c.Changes {
			list = give(list, at.UnixNano())
		}
		setSides(list, int64(cmp.Or(c.Around, DefaultAround)))
		first := o
		for ; int(o) < len(c.Policy.Origins()) && c.Policy.Alike(first, o); o++ {
			all.byOrigin = append(all.byOrigin, list)
		}
		for _, of := range list {
			of.site, of.number = policy.Site{First: first, N: o - first}, uint32(len(all.list))
			all.list = append(all.list, of)
		}
	}
	if len(all.list) == 0 || c.WhatIf != nil {
		return nil
	}
	return all
}

// find finds the first change that is not before a time.
func find(list []*change, t int64) (i int, isAt bool) {
	return slices.BinarySearchFunc(list, t, func(c *change, t int64) int { return cmp.Compare(c.At, t) })
}

// give adds a time of Config.Changes, unless robots.txt changes then.
func give(list []*change, t int64) []*change {
	version := int32(0)
	i, isAt := find(list, t)
	switch {
	case isAt:
		return list
	case i > 0:
		version = list[i-1].New
	case len(list) > 0:
		version = list[0].Old
	}
	of := policy.Change{Old: version, New: version, Since: t, At: t}
	return slices.Insert(list, i, &change{Change: of, given: true})
}

// setSides sets the sides of the changes of a site, each up to another change at most.
func setSides(list []*change, around int64) {
	for i, c := range list {
		before, after := side{from: c.Since - around, to: c.Since}, side{from: c.At, to: c.At + around}
		if i > 0 && list[i-1].At > before.from {
			before.from, before.clipped = min(list[i-1].At, before.to), true
		}
		if i+1 < len(list) && list[i+1].Since < after.to {
			after.to, after.clipped = max(list[i+1].Since, after.from), true
		}
		c.sides = [2]side{before, after}
	}
}

// at gives the changes of a site that have a time on one of their sides: 0 before it, 1 after it. They
// are the last change before that time, the first after it, or both.
func (c *changes) at(site policy.Site, t int64) iter.Seq2[*change, int] {
	return func(yield func(*change, int) bool) {
		if c == nil || site.N == 0 {
			return
		}
		list := c.byOrigin[site.First]
		next, _ := find(list, t+1)
		for _, of := range list[max(next-1, 0):min(next+1, len(list))] {
			side := slices.IndexFunc(of.sides[:], func(s side) bool { return s.from <= t && t < s.to })
			if side >= 0 && of.has(site) && !yield(of, side) {
				return
			}
		}
	}
}

// has reports whether a request can only have gone to the site of the change.
func (c *change) has(at policy.Site) bool {
	return at.N > 0 && c.site.First <= at.First && at.First+at.N <= c.site.First+c.site.N
}

// aroundKey names the requests of a crawler on a side of a change.
type aroundKey struct {
	agent   *agent
	change  uint32
	side    uint8
	spoofed bool
}

// maxAround is how many counts a worker has at most.
const maxAround = 1 << 13

// countAround counts the record, which has a time, on the sides of changes that it is on.
func (w *Worker) countAround(c *agent, at policy.Site, spoofed bool) {
	for of, side := range w.auditor.changes.at(at, w.record.Time) {
		w.around[aroundKey{c, of.number, uint8(side), spoofed}]++
	}
	if len(w.around) >= maxAround {
		w.deferAround()
	}
}

// deferAround makes deferred records of these counts, once for the crawler and once about all.
func (w *Worker) deferAround() {
	for k, n := range w.around {
		for _, operator := range [][]byte{k.agent.operator, {aboutAll}} {
			codeAround(w.begin(operator, recordAround), &k, &k.agent.index, &n)
			w.keepFact()
		}
	}
	w.around = map[aroundKey]int64{}
}

func codeAround(c *coder, k *aroundKey, crawler *uint32, n *int64) {
	uvarint(c, crawler, math.MaxUint32)
	uvarint(c, &k.change, math.MaxUint32)
	octet(c, &k.side, 2, "a change has no such side")
	c.flag(&k.spoofed)
	uvarint(c, n, mostLines)
}

// around reads how many requests of a crawler, or of all, came on a side of a change.
func (f *finalPass) around(rd *coder, times int64) {
	var k aroundKey
	var crawler uint32
	var n int64
	var r *row
	if codeAround(rd, &k, &crawler, &n); f.key[0] != aboutAll {
		r, _ = f.row(rd, crawler, true)
	}
	all := f.run.auditor.changes
	rd.require(all != nil && int(k.change) < len(all.list) && n <= f.run.tally.Lines/times, "it is around no change")
	if rd.end(); !rd.bad() && f.run.compared != nil && (f.proxied || !k.spoofed) {
		f.run.compared.add(r, all.list[k.change], k.side, n*times)
	}
}

// comparison is what a report lists of the changes, while the final pass goes on.
type comparison struct {
	*changes
	policy *policy.Policy
	log    period
	sums   map[*change]int64 // requests of all crawlers
	listed []*change         // nil until the first operator comes
	more   int64             // changes that could be listed too
	// The client whose forbidden requests come, and the time of the last after each change.
	client  judge.Sender
	address []byte
	last    map[*change]int64
}

// compared is what a crawler requested around a change that is listed.
type compared struct {
	sides            [2]struct{ requests, paths int64 }
	first, forbidden period // first fetch of the new file, and requests after it that this forbids
	n, sessions      int64  // of these
}

// of returns what is known of a row around a change; nil if that is not listed.
func (c *comparison) of(r *row, of *change) *compared {
	i := slices.Index(c.listed, of)
	if i < 0 {
		return nil
	}
	if r.compared == nil {
		r.compared = make([]compared, len(c.listed))
	}
	return &r.compared[i]
}

// add adds requests of a row, nil for all, on a side of a change.
func (c *comparison) add(r *row, of *change, side uint8, n int64) {
	if r == nil {
		c.sums[of] = report.Plus(c.sums[of], n)
	} else if known := c.of(r, of); known != nil {
		known.sides[side].requests = report.Plus(known.sides[side].requests, n)
	}
}

// choose chooses the changes to be listed: those within the log with the most requests.
func (c *comparison) choose() {
	c.listed = []*change{}
	for _, of := range c.list {
		if c.log.Any && c.log.First <= of.At && of.At <= c.log.Last && c.sums[of] > 0 {
			c.listed = append(c.listed, of)
		}
	}
	slices.SortStableFunc(c.listed, func(x, y *change) int { return cmp.Compare(c.sums[y], c.sums[x]) })
	c.more = int64(max(len(c.listed)-maxChanges, 0))
	c.listed = c.listed[:min(len(c.listed), maxChanges)]
}

// fetch looks at a crawler's fetch of robots.txt, which come in the order of time.
func (c *comparison) fetch(r *row, x *judge.Fetch) {
	for _, of := range c.listed {
		if !of.given && of.has(x.Site) && x.Time < of.sides[1].to && c.shows(of, x) {
			c.of(r, of).first.add(x.Time)
		}
	}
}

// shows reports whether a fetch was sent the new version of a change. Clocks may differ by the skew.
func (c *comparison) shows(of *change, x *judge.Fetch) bool {
	list, skew := c.policy.Versions(of.site.First), int64(c.policy.Skew())
	old, now, isAfter := list[of.Old], list[of.New], x.Time >= of.At+skew
	switch {
	case now.Copy < 0:
		return isAfter && x.Kind.None(answer.Others)
	case x.Kind == judge.ToldSame:
		return isAfter
	}
	return x.Kind == judge.ToldFile && x.Size == now.Size && (isAfter || x.Time >= of.Since-skew && old.Size != now.Size)
}

// visit looks at a request that some version of its site forbids. Those of a client come together, in
// the order of time.
func (c *comparison) visit(x *visit) {
	from := x.from
	if from.Identity = 0; from != c.client || !bytes.Equal(x.address, c.address) {
		c.client, c.address, c.last = from, append(c.address[:0], x.address...), map[*change]int64{}
	}
	for of, side := range c.changes.at(from.Site, x.Time) {
		r := c.of(x.row, of)
		if r == nil || x.Verdict == report.Spoofed {
			continue
		}
		old, now := c.stance(of.Old, x), c.stance(of.New, x)
		differ := min(old, now) == policy.Permits && max(old, now) == policy.Forbids
		if differ && !of.given || of.given && now == policy.Forbids {
			r.sides[side].paths += x.N
		}
		if side == 1 && now == policy.Forbids && r.first.Any && x.Time >= r.first.First {
			if last, known := c.last[of]; !known || x.Time-last > sessionEnd {
				r.sessions++
			}
			r.n, c.last[of] = r.n+x.N, x.Time
			r.forbidden.add(x.Time)
		}
	}
}

// stance returns the stance of a version on a request.
func (c *comparison) stance(version int32, x *visit) policy.Stance {
	if n := c.policy.Versions(x.from.Site.First)[version].Copy; n >= 0 {
		return x.stances[0][n]
	}
	return policy.Permits
}

// info makes what a report says of the changes.
func (c *comparison) info(a *Auditor, rows []*row, isLogged bool) (list []report.RobotsChange, more int64) {
	list = []report.RobotsChange{}
	if c == nil {
		return list, 0
	}
	for i, of := range c.listed {
		versions := c.policy.Versions(of.site.First)
		info := report.RobotsChange{Origin: a.originText(of.site), Time: timeText(of.At), Given: of.given,
			OldFile: versions[of.Old].File, NewFile: versions[of.New].File, Before: c.sideInfo(&of.sides[0]),
			After: c.sideInfo(&of.sides[1]), Requests: c.sums[of], RequestsNotListed: c.sums[of],
			Crawlers: []report.ChangedCrawler{}}
		if of.Since < of.At {
			info.Since = timeText(of.Since)
		}
		chosen := int64(0)
		for _, r := range rows {
			if r.compared == nil {
				continue
			}
			if known := c.crawlerInfo(of, r, &r.compared[i], isLogged); known.Requests() > 0 {
				info.Crawlers = append(info.Crawlers, known)
				chosen += known.Requests()
			}
		}
		if !a.config.Only.IsAll() {
			info.Requests, info.RequestsNotListed = chosen, chosen
		}
		if info.Requests == 0 {
			continue
		}
		slices.SortFunc(info.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.Paths(), x.Paths()), cmp.Compare(y.Requests(), x.Requests()),
				cmp.Compare(x.Crawler, y.Crawler))
		})
		info.Crawlers = info.Crawlers[:min(len(info.Crawlers), maxChangedCrawlers)]
		for _, of := range info.Crawlers {
			info.RequestsNotListed -= of.Requests()
		}
		list = append(list, info)
	}
	return list, c.more
}

// sideInfo says how much of a side the logs cover, and why it is not all that was asked for.
func (c *comparison) sideInfo(s *side) report.ChangeSide {
	from, to := max(s.from, c.log.First), min(s.to, c.log.Last)
	return report.ChangeSide{Days: float64(max(to-from, 0)) / float64(24*hour), Clipped: s.clipped,
		Cut: s.from < from || to < s.to}
}

// crawlerInfo describes the requests of a row around a change.
func (c *comparison) crawlerInfo(of *change, r *row, n *compared, isLogged bool) report.ChangedCrawler {
	const second = int64(time.Second)
	info := report.ChangedCrawler{Crawler: report.InASCII(r.name)}
	info.Before.Requests, info.After.Requests = n.sides[0].requests, n.sides[1].requests
	if r.Verdicts[report.Exempt] > 0 {
		info.Unknown = report.ChangeExempt
		return info
	}
	info.Before.Paths, info.After.Paths = &n.sides[0].paths, &n.sides[1].paths
	switch {
	case of.given:
		info.Unknown = report.ChangeGiven
	case !isLogged:
		info.Unknown = report.ChangeNotLogged
	case !n.first.Any:
		info.Unknown = report.ChangeNoFetch
	default:
		info.FetchSeconds = new(max(n.first.First-of.At, 0) / second)
		info.Forbidden, info.Sessions = n.n, n.sessions
	}
	if n.forbidden.Any {
		info.LastSeconds = new((n.forbidden.Last - n.first.First) / second)
		info.Ongoing = min(of.sides[1].to, c.log.Last)-n.forbidden.Last < 24*hour
	}
	return info
}
