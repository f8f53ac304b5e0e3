package policy

import (
	"slices"
	"time"
)

// The two classes of crawlers, for which some failures mean different things.
const (
	others = iota
	googles
	classes
)

// table has the lawful copies of all times: between two moments at which something
// changes they are the same.
type table struct {
	from   []int64 // the first is MinTime
	lawful []Lawful
}

// newTable finds what is lawful in each of these times. The spans are sorted by
// when they had begun, the spells by their beginnings.
func newTable(h *history, spans []span, spells []spell, class int, window time.Duration, s *sets) (*table, error) {
	c := &court{
		sets: s, class: class, window: int64(window), first: h.begins[0], copies: len(h.copies),
		spans: spans, begins: h.begins, spells: spells,
	}
	for c.bodies < int32(len(h.copies)) && h.copies[c.bodies].hop == "" {
		c.bodies++
	}
	gone := int64(MinTime)
	for i := range spans {
		gone = max(gone, spans[i].gone)
		c.gone = append(c.gone, gone)
	}
	for i := range spells {
		c.moments = append(c.moments, spells[i].Moment)
	}
	for i := range spells {
		then, err := c.lawful(spells[i].Moment, i)
		if err != nil {
			return nil, err
		}
		c.then = append(c.then, then)
	}
	return c.table()
}

// table makes the table once the beginnings of spells are known.
func (c *court) table() (*table, error) {
	t := &table{}
	var last included
	for _, from := range c.changes() {
		l, err := c.lawful(Moment{from, from}, len(c.spells))
		if err != nil {
			return nil, err
		}
		l.Cited = c.cite(from)
		if len(t.from) == 0 || !l.equal(&last) {
			t.from, t.lawful = append(t.from, from), append(t.lawful, l.Lawful)
			last = l
		}
	}
	return t, nil
}

// changes returns all moments at which what is lawful may change, ascending; forever
// is none.
func (c *court) changes() []int64 {
	const skew = int64(Skew)
	times := []int64{MinTime, after(c.first, c.window+skew)}
	for i := range c.spans {
		p := &c.spans[i]
		times = append(times, before(p.start, skew), before(p.begun, skew), p.gone)
	}
	for i := range c.spells {
		times = append(times, after(c.spells[i].From, int64(longAgo)))
	}
	slices.Sort(times)
	n, _ := slices.BinarySearch(times, forever)
	return slices.Compact(times[:n])
}

// equal tells whether the same is lawful by both.
func (l *included) equal(o *included) bool {
	return l.NoPolicy == o.NoPolicy && l.Unreachable == o.Unreachable && l.Unknown == o.Unknown &&
		l.Redirected == o.Redirected && l.Cited == o.Cited &&
		sameNumbers(l.Bodies, o.Bodies) && sameNumbers(l.Hops, o.Hops) && sameNumbers(l.spells, o.spells)
}

// sameNumbers compares two ascending lists; those without gaps by their ends.
func sameNumbers(a, b []int32) bool {
	n := len(a)
	if n != len(b) || n == 0 {
		return n == len(b)
	}
	if a[0] != b[0] || a[n-1] != b[n-1] {
		return false
	}
	return int(a[n-1]-a[0])+1 == n || slices.Equal(a, b)
}

// at returns what is lawful at t.
func (t *table) at(moment int64) *Lawful {
	low, high := 0, len(t.from)
	for high-low > 1 {
		if mid := int(uint(low+high) / 2); t.from[mid] <= moment {
			low = mid
		} else {
			high = mid
		}
	}
	return &t.lawful[low]
}
