package audit

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A change of robots.txt, or another of Config.Changes, has a span of time before it and one after
// it, and a report compares what crawlers requested in them. The ends of the spans of a site cut its
// time into pieces. Workers count each crawler's requests in each piece; these counts become deferred
// records, and their sums tell which changes are listed. What the files say of single requests is in
// the final pass: a request that any version of its site forbids is a deferred record in any case.

// DefaultAround is Config.Around where it is 0.
const DefaultAround = 14 * 24 * time.Hour

// Bounds of what is listed, and the time without a request that ends a session.
const (
	maxChanges         = 20
	maxChangedCrawlers = 40
	sessionEnd         = 5 * minute
)

// changes are all changes of a policy, and others.
type changes struct {
	bySite map[int32]*changedSite // by each of its origins
	pieces int32                  // of time, of all sites
}

// changedSite is a site with changes, by time, and the ends of its pieces. The piece that begins with
// ends[i] has the number first+i.
type changedSite struct {
	policy.Site
	changes []*change
	ends    []int64
	first   int32
}

// change is a change of a site. If it was given, both versions are the one in force then, -1 if none is
// known.
type change struct {
	policy.Change
	site          *changedSite
	given         bool
	before, after side
}

// side is the time before or after a change, and its pieces.
type side struct {
	from, to    int64
	clipped     bool // by another change
	first, last int32
}

func (s *side) contains(t int64) bool      { return s.from <= t && t < s.to }
func (s *side) containsPiece(n int32) bool { return s.first <= n && n < s.last }
func (c *change) sides() [2]*side          { return [2]*side{&c.before, &c.after} }
func (s *changedSite) piece(end int64) int32 {
	i, _ := slices.BinarySearch(s.ends, end)
	return s.first + int32(i)
}

// newChanges returns nil if there is no change.
func newChanges(c *Config) *changes {
	all, around := &changes{bySite: map[int32]*changedSite{}}, int64(cmp.Or(c.Around, DefaultAround))
	for o := int32(0); int(o) < len(c.Policy.Origins()); {
		s := &changedSite{Site: c.Policy.Alike(o), first: all.pieces}
		for _, ch := range c.Policy.Changes(o) {
			s.changes = append(s.changes, &change{Change: ch, site: s})
		}
		for _, at := range c.Changes {
			s.give(c.Policy, at.UnixNano())
		}
		for i := range s.Site.N * int32(min(len(s.changes), 1)) {
			all.bySite[o+i] = s
		}
		s.divide(around)
		all.pieces += int32(max(len(s.ends)-1, 0))
		o += s.N
	}
	if len(all.bySite) == 0 || c.WhatIf != nil {
		return nil
	}
	return all
}

// give adds a time of Config.Changes, unless robots.txt changes then.
func (s *changedSite) give(p *policy.Policy, at int64) {
	i, known := slices.BinarySearchFunc(s.changes, at, func(c *change, at int64) int { return cmp.Compare(c.At, at) })
	if known {
		return
	}
	inForce := int32(-1)
	for v, of := range p.Versions(s.First) {
		if of.From <= at {
			inForce = int32(v)
		}
	}
	s.changes = slices.Insert(s.changes, i, &change{
		Change: policy.Change{Old: inForce, New: inForce, Since: at, At: at}, site: s, given: true})
}

// divide sets the sides of the changes, each up to the next change at most, and the pieces.
func (s *changedSite) divide(around int64) {
	for i, c := range s.changes {
		c.before, c.after = side{from: c.Since - around, to: c.Since}, side{from: c.At, to: c.At + around}
		if i > 0 && s.changes[i-1].At > c.before.from {
			c.before.from, c.before.clipped = min(s.changes[i-1].At, c.before.to), true
		}
		if i+1 < len(s.changes) && s.changes[i+1].Since < c.after.to {
			c.after.to, c.after.clipped = max(s.changes[i+1].Since, c.after.from), true
		}
		s.ends = append(s.ends, c.before.from, c.before.to, c.after.from, c.after.to)
	}
	slices.Sort(s.ends)
	s.ends = slices.Compact(s.ends)
	for _, c := range s.changes {
		for _, of := range c.sides() {
			of.first, of.last = s.piece(of.from), s.piece(of.to)
		}
	}
}

// of returns the site that a request went to, nil if it has no changes or is not known to be one.
func (c *changes) of(at policy.Site) *changedSite {
	if c == nil || at.N == 0 {
		return nil
	}
	if s := c.bySite[at.First]; s != nil && at.First+at.N <= s.First+s.N {
		return s
	}
	return nil
}

// pieces counts requests by the pieces of time in which they came.
type pieces struct {
	counts map[int32]*int64
	// That of the last request: n is nil if it was in no piece.
	at          policy.Site
	from, until int64
	n           *int64
}

// countPiece counts the record, which has a time, in a row.
func (w *Worker) countPiece(r *row, at policy.Site) {
	p, t := &r.pieces, w.record.Time
	if p.at != at || t < p.from || t >= p.until {
		if p.counts == nil {
			p.counts = map[int32]*int64{}
		}
		w.quota.held += p.find(w.auditor.changes.of(at), at, t)
	}
	if p.n != nil {
		*p.n++
	}
}

// find makes the piece with a time the current one, and returns how many bytes that takes more.
func (p *pieces) find(s *changedSite, at policy.Site, t int64) (bytes int) {
	p.at, p.from, p.until, p.n = at, math.MinInt64, math.MaxInt64, nil
	if s == nil {
		return 0
	}
	i, _ := slices.BinarySearch(s.ends, t+1)
	if i > 0 {
		p.from = s.ends[i-1]
	}
	if i < len(s.ends) {
		p.until = s.ends[i]
	}
	if i == 0 || i == len(s.ends) {
		return 0
	}
	number := s.first + int32(i-1)
	if p.n = p.counts[number]; p.n == nil {
		p.n, bytes = new(int64), memoBytes
		p.counts[number] = p.n
	}
	return bytes
}

// pieceCount is a deferred record: a crawler's requests in a piece of time or, about all, those of all
// crawlers.
type pieceCount struct {
	crawler, piece uint32
	spoofed        bool
	n              int64
}

func (x *pieceCount) code(c *coder) {
	uvarint(c, &x.crawler, math.MaxUint32)
	fixed(c, &x.piece)
	c.flag(&x.spoofed)
	uvarint(c, &x.n, mostLines)
}

// deferPieces makes deferred records of the counts of all rows of the worker.
func (w *Worker) deferPieces() {
	if w.auditor.changes == nil {
		return
	}
	sums := [2]map[int32]int64{{}, {}} // those of impostors second
	keep := func(operator []byte, crawler uint32, r *row) {
		for i, of := range [2]*row{r, r.Spoofed} {
			for piece, n := range of.piecesOf() {
				sums[i][piece] += *n
				x := pieceCount{crawler, uint32(piece), i > 0, *n}
				x.code(w.begin(operator, recordPieces))
				w.keepFact()
			}
		}
	}
	for p, r := range w.tally.known {
		keep(w.auditor.operator(crawler.Claim{Profile: p}), w.auditor.profiles[p], r)
	}
	for name, r := range w.tally.unknown {
		keep(unknownOperator(name), 0, r)
	}
	for i, of := range sums {
		for piece, n := range of {
			x := pieceCount{0, uint32(piece), i > 0, n}
			x.code(w.begin([]byte{aboutAll}, recordPieces))
			w.keepFact()
		}
	}
}

// piecesOf takes the counts of a row, which may be nil.
func (r *row) piecesOf() map[int32]*int64 {
	if r == nil {
		return nil
	}
	counts := r.pieces.counts
	r.pieces = pieces{}
	return counts
}

// comparison is the changes that a report lists, while the final pass goes on.
type comparison struct {
	*changes
	policy *policy.Policy
	log    period
	sums   []int64   // by piece, of all crawlers
	listed []*change // once the first operator comes
	// The client whose forbidden requests come, and the time of the last of each change.
	client  judge.Sender
	address []byte
	last    [maxChanges]int64
	chosen  bool
	more    int64 // changes that could be listed too
}

// compared is what a crawler requested around a change.
type compared struct {
	sides     [2]struct{ requests, changed, forbidden int64 } // before and after
	first     period                                          // of its first fetch of the new file
	forbidden period                                          // requests after that which the new file forbids
	n         int64
	sessions  int64
}

// add adds n requests of a row, nil for all, in a piece of time.
func (c *comparison) add(r *row, piece uint32, n int64) {
	if r == nil {
		c.sums[piece] = report.Plus(c.sums[piece], n)
		return
	}
	for _, ch := range c.listed {
		for i, of := range ch.sides() {
			if of.containsPiece(int32(piece)) {
				requests := &r.comparedAt(ch).sides[i].requests
				*requests = report.Plus(*requests, n)
			}
		}
	}
}

// comparedAt returns what is known of a row around a change that is listed.
func (r *row) comparedAt(c *change) *compared {
	if r.compared == nil {
		r.compared = map[*change]*compared{}
	}
	if r.compared[c] == nil {
		r.compared[c] = &compared{}
	}
	return r.compared[c]
}

// choose chooses the changes that are listed: those within the log with the most requests.
func (c *comparison) choose() {
	if c.chosen = true; !c.log.Any {
		return
	}
	for o, s := range c.bySite {
		for _, ch := range s.changes {
			if o == s.First && c.log.First <= ch.At && ch.At <= c.log.Last && c.requests(ch) > 0 {
				c.listed = append(c.listed, ch)
			}
		}
	}
	slices.SortFunc(c.listed, func(x, y *change) int {
		return cmp.Or(cmp.Compare(c.requests(y), c.requests(x)), cmp.Compare(x.site.First, y.site.First),
			cmp.Compare(x.At, y.At))
	})
	c.more = int64(max(len(c.listed)-maxChanges, 0))
	c.listed = c.listed[:min(len(c.listed), maxChanges)]
}

// requests counts the requests on both sides of a change.
func (c *comparison) requests(ch *change) (sum int64) {
	for _, of := range ch.sides() {
		for _, n := range c.sums[of.first:of.last] {
			sum = report.Plus(sum, n)
		}
	}
	return sum
}

// fetch looks at a fetch of robots.txt. Those of an operator come in the order of time.
func (c *comparison) fetch(r *row, x *fetch) {
	for _, ch := range c.listed {
		if !ch.given && c.of(x.Site) == ch.site && x.Time < ch.after.to && c.shows(ch, &x.Fetch) {
			if of := r.comparedAt(ch); !of.first.Any {
				of.first.add(x.Time)
			}
		}
	}
}

// shows reports whether a fetch was sent the new version of a change. Clocks may differ by the skew.
func (c *comparison) shows(ch *change, x *judge.Fetch) bool {
	list, skew := c.policy.Versions(ch.site.First), int64(c.policy.Skew())
	old, now := list[ch.Old], list[ch.New]
	isAfter := x.Time >= ch.At+skew
	switch {
	case now.Copy < 0:
		return isAfter && x.Kind.None(answer.Others)
	case x.Kind == judge.ToldSame:
		return isAfter
	}
	return x.Kind == judge.ToldFile && x.Size == now.Size && (isAfter || x.Time >= ch.Since-skew && old.Size != now.Size)
}

// visit looks at a request that some version of its site forbids. Those of a client come together, in
// the order of time.
func (c *comparison) visit(x *visit) {
	site := c.of(x.from.Site)
	if site == nil || x.Verdict == report.Spoofed {
		return
	}
	from := x.from
	if from.Identity = 0; from != c.client || !bytes.Equal(x.address, c.address) {
		c.client, c.address = from, append(c.address[:0], x.address...)
		c.last = [maxChanges]int64{}
	}
	for i, ch := range c.listed {
		if ch.site != site {
			continue
		}
		old, now := c.stance(ch.Old, x), c.stance(ch.New, x)
		for s, of := range ch.sides() {
			if !of.contains(x.Time) {
				continue
			}
			row := x.row.comparedAt(ch)
			if !ch.given && min(old, now) == policy.Permits && max(old, now) == policy.Forbids {
				row.sides[s].changed += x.N
			}
			if now == policy.Forbids {
				row.sides[s].forbidden += x.N
				if s == 1 && row.first.Any && x.Time >= row.first.First {
					row.forbid(x, &c.last[i])
				}
			}
		}
	}
}

// stance returns the stance of a version on a request.
func (c *comparison) stance(version int32, x *visit) policy.Stance {
	if version < 0 {
		return policy.Unseen
	}
	if n := c.policy.Versions(x.from.Site.First)[version].Copy; n >= 0 {
		return x.stances[0][n]
	}
	return policy.Permits
}

// forbid counts a request that the new file forbids, after its first fetch. last is the time of the
// last such request of its client, 0 if there is none.
func (r *compared) forbid(x *visit, last *int64) {
	if r.n += x.N; *last == 0 || x.Time-*last > sessionEnd {
		r.sessions++
	}
	*last = x.Time
	r.forbidden.add(x.Time)
}

// info makes what a report says of the changes.
func (c *comparison) info(a *Auditor, t *tally, isLogged bool) (list []report.RobotsChange, more int64) {
	list = []report.RobotsChange{}
	if c == nil {
		return list, 0
	}
	for _, ch := range c.listed {
		info := c.changeInfo(a, ch)
		for _, r := range t.rows() {
			if of := r.compared[ch]; of != nil && of.sides[0].requests+of.sides[1].requests > 0 {
				info.Crawlers = append(info.Crawlers, c.crawlerInfo(ch, &info, r, isLogged))
			}
		}
		slices.SortFunc(info.Crawlers, func(x, y report.ChangedCrawler) int {
			return cmp.Or(cmp.Compare(y.Requests(), x.Requests()), cmp.Compare(x.Crawler, y.Crawler))
		})
		info.Crawlers = info.Crawlers[:min(len(info.Crawlers), maxChangedCrawlers)]
		info.RequestsNotListed = info.Requests
		for _, of := range info.Crawlers {
			info.RequestsNotListed -= of.Requests()
		}
		list = append(list, info)
	}
	return list, c.more
}

// changeInfo describes a change without its crawlers.
func (c *comparison) changeInfo(a *Auditor, ch *change) report.RobotsChange {
	info := report.RobotsChange{Origin: a.originText(ch.site.Site), Time: timeText(ch.At), Given: ch.given,
		Before: c.sideInfo(&ch.before), After: c.sideInfo(&ch.after), Requests: c.requests(ch),
		Crawlers: []report.ChangedCrawler{}}
	if ch.Since < ch.At {
		info.Since = timeText(ch.Since)
	}
	if versions := c.policy.Versions(ch.site.First); ch.New >= 0 {
		info.OldFile, info.OldStatus = versions[ch.Old].File, versions[ch.Old].Status
		info.NewFile, info.NewStatus = versions[ch.New].File, versions[ch.New].Status
	}
	return info
}

// sideInfo describes one side of a change.
func (c *comparison) sideInfo(s *side) report.ChangeSide {
	from, to := max(s.from, c.log.First), min(s.to, c.log.Last)
	const day = float64(24 * hour)
	info := report.ChangeSide{From: timeText(s.from), To: timeText(s.to), Days: float64(max(to-from, 0)) / day,
		Limits: []string{}}
	for _, limit := range []struct {
		is   bool
		name string
	}{{s.clipped, report.SideClipped}, {s.from < from || to < s.to, report.SideLog}, {info.Days < 1, report.SideShort}} {
		if limit.is {
			info.Limits = append(info.Limits, limit.name)
		}
	}
	return info
}

// crawlerInfo describes the requests of a row around a change.
func (c *comparison) crawlerInfo(ch *change, info *report.RobotsChange, r *row, isLogged bool) report.ChangedCrawler {
	of := r.compared[ch]
	line := report.ChangedCrawler{Crawler: report.InASCII(r.name)}
	for i, counts := range []*report.ChangeCounts{&line.Before, &line.After} {
		n, side := of.sides[i], [...]*report.ChangeSide{&info.Before, &info.After}[i]
		counts.Requests, counts.Forbidden = n.requests, n.forbidden
		if !ch.given {
			counts.Changed = &n.changed
		}
		if side.Days >= 1 {
			counts.RequestsPerDay = new(float64(n.requests) / side.Days)
		}
		if side.Days >= 1 && !ch.given {
			counts.ChangedPerDay = new(float64(n.changed) / side.Days)
		}
	}
	switch {
	case ch.given:
		line.Unknown = report.ChangeGiven
	case !isLogged:
		line.Unknown = report.ChangeNotLogged
	case !of.first.Any:
		line.Unknown = report.ChangeNoFetch
	default:
		line.FirstFetch = timeText(of.first.First)
		line.FetchSeconds = new(max(of.first.First-ch.At, 0) / int64(time.Second))
		line.ForbiddenSince, line.Sessions = of.n, of.sessions
	}
	if of.forbidden.Any {
		line.LastForbidden = timeText(of.forbidden.Last)
		line.LastSeconds = new((of.forbidden.Last - of.first.First) / int64(time.Second))
		line.Ongoing = min(ch.after.to, c.log.Last)-of.forbidden.Last < 24*hour
	}
	return line
}
