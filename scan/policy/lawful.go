package policy

import (
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
)

// Skew is by how much the clocks of a log and of a source may differ.
const Skew = 60 * time.Second

// longOutage is how long an outage lasts until crawlers may take robots.txt for
// unavailable (RFC 9309 2.3.1.4).
const longOutage = 30 * 24 * time.Hour

// Lawful is the copies of an origin's robots.txt that a crawler may lawfully use at
// some moment, as far as the source alone can tell. It is immutable.
//
// A crawler may use a copy for 24 hours after it fetched it (RFC 9309 2.4), longer if
// the answer said so, and clocks differ. So all that was in force at any moment of the
// window counts: from the moment less window and Skew to the moment and Skew (audit
// rules, section 2). Copies are not all that may be lawful: a window may have an answer
// that there is no robots.txt, or a redirect that cannot be followed, or begin before
// all that is known.
type Lawful struct {
	// Bodies are the copies that are bodies, ascending: of versions in the window,
	// and of those that were lawful when an outage in the window began.
	Bodies []int32
	// Hops are copies that stand for redirects to other paths than /robots.txt. If
	// one forbids, the redirect counts as 4xx: everything is allowed. Otherwise it
	// cannot be followed.
	Hops []int32
	// NoPolicy says that everything is allowed by a status 4xx.
	NoPolicy bool
	// Unreachable says that everything is allowed by an outage: it has lasted for 30
	// days, or nothing is known about the time before it, or the crawler is Google's,
	// which does not wait.
	Unreachable bool
	// Unknown says that the window begins before the first version, so that not all
	// lawful copies may be known.
	Unknown bool
	// Redirected says that there is a redirect that cannot be followed.
	Redirected bool
	// Outages are the starts of the outages whose lawful copies are included. The
	// log's answers at these times count too.
	Outages []Moment
	// Cited is the index in Versions of the version whose rules are to be quoted: of
	// those with a copy in Bodies the newest that began by the moment and Skew, else
	// the oldest; -1 if Bodies is empty.
	Cited int32
}

// Moment is a moment that lies between From and To, both included.
type Moment struct{ From, To int64 }

// included is Lawful with the indexes of its Outages in finder.outages.
type included struct {
	Lawful
	outages []int32
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
	class   answer.Class
	window  int64
	replies []reply // by the time when they had begun
	gone    []int64 // for each reply: the latest gone among it and those before it
	outages []outage
	moments []Moment   // the starts of the outages
	then    []included // the lawful copies when each outage began; only those found so far
}

// newTable makes the table of an origin for a class of crawlers. The replies are sorted
// by begun, the outages by their starts.
func newTable(h *history, replies []reply, outages []outage, class answer.Class, window time.Duration, s *scratch) (*table, error) {
	f := &finder{scratch: s, history: h, class: class, window: int64(window), replies: replies, outages: outages}
	gone := int64(MinTime)
	for i := range replies {
		gone = max(gone, replies[i].gone)
		f.gone = append(f.gone, gone)
	}
	for _, o := range outages {
		f.moments = append(f.moments, o.Moment)
	}
	for n, m := range f.moments {
		then, err := f.find(m, n)
		if err != nil {
			return nil, err
		}
		f.then = append(f.then, then)
	}

	t := &table{}
	var last included
	for _, from := range f.changes() {
		l, err := f.find(Moment{from, from}, len(outages))
		if err != nil {
			return nil, err
		}
		l.Cited = f.cite(from)
		if len(t.from) == 0 || !l.equal(&last) {
			t.from, t.lawful = append(t.from, from), append(t.lawful, l.Lawful)
			last = l
		}
	}
	return t, nil
}

// changes returns all moments at which the lawful copies may change, ascending, without
// forever.
func (f *finder) changes() []int64 {
	const skew = int64(Skew)
	times := []int64{MinTime, after(f.starts[0], f.window+skew)}
	for i := range f.replies {
		r := &f.replies[i]
		times = append(times, before(r.start, skew), before(r.begun, skew), r.gone)
	}
	for _, m := range f.moments {
		times = append(times, after(m.From, int64(longOutage)))
	}
	slices.Sort(times)
	n, _ := slices.BinarySearch(times, forever)
	return slices.Compact(times[:n])
}

// find returns the lawful copies at a moment, without Cited. Of the outages it heeds only
// the first ones, as many as the argument says.
func (f *finder) find(at Moment, outages int) (included, error) {
	l := included{Lawful: Lawful{Cited: -1}}
	l.Unknown = before(at.From, f.window+int64(Skew)) < f.starts[0]
	f.lawfulCopies.empty(len(f.copies))
	f.inWindow.empty(len(f.outages))
	f.consulted.empty(len(f.outages))

	// The replies in force at any moment of the window.
	last := sort.Search(len(f.replies), func(i int) bool { return before(f.starts[i], int64(Skew)) > at.To })
	for i := last - 1; i >= 0 && f.gone[i] > at.From; i-- {
		if f.looked++; f.looked > maxLooked {
			return l, errCrowded
		}
		r := &f.replies[i]
		if before(r.start, int64(Skew)) > at.To || r.gone <= at.From {
			continue
		}
		switch {
		case r.copy >= 0:
			f.lawfulCopies.add(r.copy)
		case r.means[f.class] == answer.None:
			l.NoPolicy = true
		case r.means[f.class] == answer.Redirect:
			l.Redirected = true
		default:
			if n := r.outage[f.class]; int(n) < outages {
				f.inWindow.add(n)
				l.Unreachable = l.Unreachable || f.permitsAll(n, at.To)
			}
		}
	}
	f.consult(&l)
	return l, f.lists(&l)
}

// permitsAll tells whether an outage by itself permits everything at a moment.
func (f *finder) permitsAll(n int32, t int64) bool {
	return f.class == answer.Google || f.outages[n].first || after(f.outages[n].From, int64(longOutage)) <= t
}

// consult adds the copies that were lawful when the outages in the window began. The
// latest outages come first, because their copies include most of the others.
func (f *finder) consult(l *included) {
	for n := f.inWindow.last; n >= f.inWindow.first; n-- {
		if !f.inWindow.has(n) || f.consulted.has(n) {
			continue
		}
		then := &f.then[n]
		f.lawfulCopies.add(then.Bodies...)
		f.lawfulCopies.add(then.Hops...)
		f.consulted.add(then.outages...)
		f.consulted.add(n)
		l.NoPolicy = l.NoPolicy || then.NoPolicy
		l.Unreachable = l.Unreachable || then.Unreachable
		l.Unknown = l.Unknown || then.Unknown
		l.Redirected = l.Redirected || then.Redirected
	}
}

// lists sets the lists of l from the sets.
func (f *finder) lists(l *included) error {
	copies, err := f.list(&f.lawfulCopies)
	if err != nil {
		return err
	}
	hops, _ := slices.BinarySearch(copies, f.bodies)
	l.Bodies, l.Hops = copies[:hops:hops], copies[hops:]
	if l.outages, err = f.list(&f.consulted); err != nil || len(l.outages) == 0 {
		return err
	}
	first, last := f.consulted.first, f.consulted.last
	if int(last-first)+1 == len(l.outages) {
		l.Outages = f.moments[first : last+1 : last+1]
		return nil
	}
	for _, n := range l.outages {
		l.Outages = append(l.Outages, f.moments[n])
	}
	return nil
}

// cite returns Lawful.Cited for t. It must follow find for t, whose sets it uses.
func (f *finder) cite(t int64) int32 {
	if f.lawfulCopies.first >= f.bodies {
		return -1
	}
	quoted := func(r reply) bool { return r.copy >= 0 && r.hop == "" && f.lawfulCopies.has(r.copy) }
	begun := sort.Search(len(f.replies), func(i int) bool { return before(f.replies[i].begun, int64(Skew)) > t })
	for i, r := range slices.Backward(f.replies[:begun]) {
		if quoted(r) {
			return int32(i)
		}
	}
	i := slices.IndexFunc(f.replies[begun:], quoted)
	if i < 0 {
		return -1
	}
	return int32(begun + i)
}

// equal tells whether both have the same lawful copies.
func (l *included) equal(o *included) bool {
	return l.NoPolicy == o.NoPolicy && l.Unreachable == o.Unreachable && l.Unknown == o.Unknown &&
		l.Redirected == o.Redirected && l.Cited == o.Cited &&
		slices.Equal(l.Bodies, o.Bodies) && slices.Equal(l.Hops, o.Hops) && slices.Equal(l.outages, o.outages)
}
