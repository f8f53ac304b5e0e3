package policy

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
)

// longOutage is how long an outage lasts until crawlers may take robots.txt for
// unavailable (RFC 9309 2.3.1.4), and how old a copy may be when it begins.
const longOutage = 30 * 24 * time.Hour

// noOutage is Lawful.Outage where there is none.
const noOutage = math.MaxInt64

// Lawful is the copies of an origin's robots.txt that a crawler may lawfully use at
// some moment, as far as the source alone can tell. It is immutable.
//
// A crawler may use a copy for 24 hours after it fetched it (RFC 9309 2.4), a cache on
// the way may keep it as long as the answer says before that, queues delay what is fetched
// and logged, and clocks differ. So all that was in force at any moment of the span
// counts: from the moment less window, max_age, delay and skew to the moment and skew
// (audit rules, section 2). While robots.txt fails a copy may be older: if a failure is in
// the span, then all that was in force since 30 days before the outage began counts too.
// Copies are not all that may be lawful: the span may have an answer that there is no
// robots.txt, or a redirect that cannot be followed, or begin before all that is known.
type Lawful struct {
	// Bodies are the copies that are bodies, ascending.
	Bodies []int32
	// Hops are copies that stand for redirects to other paths than /robots.txt. If
	// one forbids, the redirect counts as 4xx: everything is allowed. Otherwise it
	// cannot be followed.
	Hops []int32
	// NoPolicy says that everything is allowed, because there was no robots.txt.
	NoPolicy bool
	// Unreachable says that everything is allowed by an outage in the span: it has lasted
	// for 30 days, or nothing is known about the time before it, or the crawler is Google's
	// and the failure is a 5xx other than 503.
	Unreachable bool
	// Unknown says that the span begins before the first version, or that the last
	// observation was more than a window ago, so that not all lawful copies may be known.
	Unknown bool
	// Redirected says that there is a redirect that cannot be followed.
	Redirected bool
	// Outage is the moment at which the earliest of the outages in the span may have
	// begun; math.MaxInt64 if there is none.
	Outage int64
	// Cited is the index in Versions of the version whose rules are to be quoted: of
	// those with a copy in Bodies the newest that began by the moment and the skew, else
	// the oldest; -1 if Bodies is empty.
	Cited int32

	source *Lawful // of a result of LawfulFailed: that of Lawful
}

// table has the lawful copies of all times: between two moments at which something
// changes they are the same.
type table struct {
	from   []int64 // the first is MinTime
	lawful []Lawful
}

// at returns the lawful copies at a moment.
func (t *table) at(moment int64) *Lawful {
	low, high := 0, len(t.from)
	for high-low > 1 { // slices.BinarySearch takes a quarter more time
		if mid := int(uint(low+high) / 2); t.from[mid] <= moment {
			low = mid
		} else {
			high = mid
		}
	}
	return &t.lawful[low]
}

// finder finds the lawful copies of one origin for one class of crawlers.
type finder struct {
	*scratch
	*history
	class answer.Class
	gone  []int64 // for each reply: the latest gone among it and those before it
	// moments are those at which the lawful copies may change, ascending.
	moments []int64
}

func newFinder(h *history, class answer.Class, s *scratch) *finder {
	f := &finder{scratch: s, history: h, class: class}
	gone := int64(MinTime)
	for i := range h.replies {
		gone = max(gone, h.replies[i].gone)
		f.gone = append(f.gone, gone)
	}
	f.moments = f.changes()
	return f
}

// table makes the table of the origin for the class of crawlers.
func (f *finder) table() (*table, error) {
	t := &table{}
	for _, from := range f.moments {
		l, err := f.find(from)
		if err != nil {
			return nil, err
		}
		if n := len(t.lawful); n == 0 || !l.equal(&t.lawful[n-1]) {
			t.from, t.lawful = append(t.from, from), append(t.lawful, l)
		}
	}
	return t, nil
}

// changes returns all moments at which the lawful copies may change, ascending, without
// forever.
func (f *finder) changes() []int64 {
	times := []int64{MinTime, after(f.starts[0], f.general())}
	for i := range f.replies {
		r := &f.replies[i]
		times = append(times, before(r.start, f.skew), before(r.begun, f.skew), r.gone, after(after(r.seen, f.window), 1))
		if r.means[f.class] == answer.Failed {
			times = append(times, after(r.outage[f.class].from, int64(longOutage)))
		}
	}
	slices.Sort(times)
	n, _ := slices.BinarySearch(times, forever)
	return slices.Compact(times[:n])
}

// afford counts the replies that find will look at for all moments, or a few more. So an origin with too many is refused before the
// first look, and not after some seconds.
func (f *finder) afford() error {
	// The replies from low to high are those of a span. The earliest outage of those that failed is that of failed[0]: behind it are only
	// replies whose outages begin later than all before.
	low, high, failed := 0, 0, []int{}
	from := func(i int) int64 { return f.replies[i].outage[f.class].from }
	for _, t := range f.moments {
		for ; high < len(f.replies) && before(f.starts[high], f.skew) <= t; high++ {
			if f.replies[high].means[f.class] != answer.Failed {
				continue
			}
			for len(failed) > 0 && from(failed[len(failed)-1]) >= from(high) {
				failed = failed[:len(failed)-1]
			}
			failed = append(failed, high)
		}
		for low < high && f.gone[low] <= t {
			low++
		}
		for len(failed) > 0 && failed[0] < low {
			failed = failed[1:]
		}
		looks := high - low
		if len(failed) > 0 {
			i, j := f.inForce(before(before(from(failed[0]), int64(longOutage)), f.skew), after(t, f.skew))
			looks += j - i
		}
		if err := f.look(looks); err != nil {
			return err
		}
	}
	return nil
}

// find returns the lawful copies at a moment.
func (f *finder) find(t int64) (Lawful, error) {
	l := Lawful{Outage: noOutage, Unknown: before(t, f.general()) < f.starts[0]}
	f.copiesFound.empty(len(f.copies))
	add := func(r *reply) {
		f.heed(&l, r, f.class, t)
		if r.copy >= 0 {
			f.copiesFound.add(r.copy)
		}
	}
	// The replies in force at any moment of their spans.
	last := sort.Search(len(f.replies), func(i int) bool { return before(f.starts[i], f.skew) > t })
	for i := last - 1; i >= 0 && f.gone[i] > t; i-- {
		r := &f.replies[i]
		if before(r.start, f.skew) > t || r.gone <= t {
			continue
		}
		add(r)
		if r.means[f.class] == answer.Failed {
			l.Outage = min(l.Outage, r.outage[f.class].from)
			l.Unreachable = l.Unreachable || r.permitsAll(f.class, t)
		}
	}
	if l.Outage != noOutage {
		first, last := f.lengthen(&l), after(t, f.skew)
		i, j := f.inForce(first, last)
		for ; i < j; i++ {
			if r := &f.replies[i]; r.meets(first, last) {
				add(r)
			}
		}
	}
	copies, err := f.list(&f.copiesFound)
	if err != nil {
		return l, err
	}
	hops, _ := slices.BinarySearch(copies, f.bodies)
	l.Bodies, l.Hops = copies[:hops:hops], copies[hops:]
	l.Cited = f.cite(l.Bodies, t)
	return l, nil
}

// heed adds to l what a reply of the span of t says, except its copy and that it failed.
func (h *history) heed(l *Lawful, r *reply, class answer.Class, t int64) {
	l.NoPolicy = l.NoPolicy || r.far || r.means[class] == answer.None
	l.Redirected = l.Redirected || r.copy < 0 && r.means[class] == answer.Redirect
	// What was in force later than a window after the last observation is not known.
	l.Unknown = l.Unknown || min(t, r.end-1) > after(r.seen, h.window)
}

// lengthen sets Unknown of l, whose Outage is known, by the time of which copies may be
// used during the outage, and returns when that begins.
func (h *history) lengthen(l *Lawful) (first int64) {
	first = before(before(l.Outage, int64(longOutage)), h.skew)
	l.Unknown = l.Unknown || first < h.starts[0]
	return first
}

// permitsAll tells whether a failed reply by itself permits everything at a moment.
func (r *reply) permitsAll(class answer.Class, t int64) bool {
	o := r.outage[class]
	return o.first || after(o.from, int64(longOutage)) <= t || class == answer.Google && r.status/100 == 5 && r.status != 503
}

// cite returns Lawful.Cited for t.
func (h *history) cite(bodies []int32, t int64) int32 {
	if len(bodies) == 0 {
		return -1
	}
	quoted := func(r *reply) bool {
		if r.copy < 0 || r.hop != "" {
			return false
		}
		_, found := slices.BinarySearch(bodies, r.copy)
		return found
	}
	begun := sort.Search(len(h.replies), func(i int) bool { return before(h.replies[i].begun, h.skew) > t })
	for i := begun - 1; i >= 0; i-- {
		if quoted(&h.replies[i]) {
			return int32(i)
		}
	}
	for i := begun; i < len(h.replies); i++ {
		if quoted(&h.replies[i]) {
			return int32(i)
		}
	}
	return -1
}

// equal tells whether both have the same lawful copies.
func (l *Lawful) equal(o *Lawful) bool {
	return l.NoPolicy == o.NoPolicy && l.Unreachable == o.Unreachable && l.Unknown == o.Unknown &&
		l.Redirected == o.Redirected && l.Outage == o.Outage && l.Cited == o.Cited &&
		slices.Equal(l.Bodies, o.Bodies) && slices.Equal(l.Hops, o.Hops)
}

// lawfulFailed is Policy.LawfulFailed.
func (h *history) lawfulFailed(t int64, class answer.Class, failed int64, dst *Lawful) *Lawful {
	l := h.tables[class].at(t)
	failed = min(failed, l.Outage)
	// Requests of one crawler come in succession, and so do those after one failure.
	if dst.source == l && dst.Outage == failed {
		return dst
	}
	bodies, hops := append(dst.Bodies[:0], l.Bodies...), append(dst.Hops[:0], l.Hops...)
	*dst = *l
	dst.source, dst.Outage, dst.Bodies, dst.Hops = l, failed, bodies, hops
	if failed == l.Outage {
		return dst
	}
	first, last := h.lengthen(dst), after(t, h.skew)
	i, j := h.inForce(first, last)
	for ; i < j; i++ {
		r := &h.replies[i]
		if !r.meets(first, last) {
			continue
		}
		h.heed(dst, r, class, t)
		switch {
		case r.copy >= h.bodies:
			hops = append(hops, r.copy)
		case r.copy >= 0:
			bodies = append(bodies, r.copy)
		}
	}
	slices.Sort(bodies)
	slices.Sort(hops)
	dst.Bodies, dst.Hops = slices.Compact(bodies), slices.Compact(hops)
	dst.Cited = h.cite(dst.Bodies, t)
	return dst
}
