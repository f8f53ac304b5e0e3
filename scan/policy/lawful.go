package policy

import (
	"math/bits"
	"slices"
	"sort"
	"time"
)

// Skew is by how much the clocks of a log and of a source may differ.
const Skew = 60 * time.Second

// longAgo is how long a spell lasts until crawlers may take robots.txt for
// unavailable (RFC 9309 2.3.1.4).
const longAgo = 30 * 24 * time.Hour

// Lawful is what copies of an origin's robots.txt a crawler might lawfully go by at
// some moment, as far as the source alone can tell. It is immutable.
type Lawful struct {
	// Bodies are the copies that are bodies, ascending: of versions in the window,
	// and of those that were lawful when a spell of failures began.
	Bodies []int32
	// Hops are copies that stand for redirects to other paths than /robots.txt. If
	// one forbids, the redirect counts as 4xx: everything is allowed. Otherwise it
	// cannot be followed.
	Hops []int32
	// NoPolicy says that everything is allowed by a status 4xx.
	NoPolicy bool
	// Unreachable says that everything is allowed because robots.txt could not be
	// had for long, or Google's crawler does not wait, or nothing is known of before.
	Unreachable bool
	// Unknown says that the window begins before the first version, so that there
	// may be copies that nobody knows.
	Unknown bool
	// Redirected says that there is a redirect that cannot be followed.
	Redirected bool
	// Spells are the beginnings of the spells of failures whose lawful copies are
	// included. What the log says of these times counts too.
	Spells []Moment
	// Cited is the index in Versions of the version whose rules are to be quoted: of
	// those with a copy in Bodies the newest that began by the moment and Skew, else
	// the oldest; -1 if Bodies is empty.
	Cited int32
}

// Moment is a moment that lies between From and To, both included.
type Moment struct{ From, To int64 }

// included is Lawful, and the spells that Spells is of.
type included struct {
	Lawful
	spells []int32
}

// court finds the lawful copies of one origin for one class of crawlers.
type court struct {
	*sets
	class   int
	window  int64
	first   int64 // the start of the first version
	copies  int
	bodies  int32   // copies that are no hops: those below
	spans   []span  // by the time when they had begun
	gone    []int64 // the last time of gone of each span and those before it
	begins  []int64 // the first start of each span and those behind it
	spells  []spell
	moments []Moment   // those of the spells
	then    []included // what was lawful when each spell began, as far as it is found out
}

// lawful returns the lawful copies at a moment, by audit-rules 2, but for Cited.
// Only the first so many spells are asked for what was lawful before them.
func (c *court) lawful(at Moment, spells int) (included, error) {
	l := included{Lawful: Lawful{Cited: -1}}
	l.Unknown = before(at.From, c.window+int64(Skew)) < c.first
	c.lawfulCopies = c.lawfulCopies.fit(c.copies)
	c.consulted = c.consulted.fit(len(c.spells))
	c.inWindow = c.inWindow.fit(len(c.spells))

	// The spans in force at any moment of [t-W-s, t+s].
	last := sort.Search(len(c.spans), func(i int) bool { return before(c.begins[i], int64(Skew)) > at.To })
	for i := last - 1; i >= 0 && c.gone[i] > at.From; i-- {
		if c.looked++; c.looked > maxLooked {
			return l, errCrowded
		}
		p := &c.spans[i]
		if before(p.start, int64(Skew)) > at.To || p.gone <= at.From {
			continue
		}
		switch p.kind[c.class] {
		case aBody, hop:
			c.lawfulCopies.add(p.copy)
		case absent:
			l.NoPolicy = true
		case redirected:
			l.Redirected = true
		case failed:
			if s := p.spell[c.class]; int(s) < spells {
				c.inWindow.add(s)
				l.Unreachable = l.Unreachable || c.permitsAll(s, at.To)
			}
		}
	}
	c.consult(&l)
	return l, c.list(&l)
}

// permitsAll tells whether a spell of failures by itself permits everything at a
// moment.
func (c *court) permitsAll(s int32, t int64) bool {
	return c.class == googles || c.spells[s].first || after(c.spells[s].From, int64(longAgo)) <= t
}

// consult adds what was lawful when the spells in the window began. The latest come
// first: they include most of the others.
func (c *court) consult(l *included) {
	for i, spells := range slices.Backward(c.inWindow) {
		for spells &^= c.consulted[i]; spells != 0; spells &^= c.consulted[i] {
			s := int32(i*64 + 63 - bits.LeadingZeros64(spells))
			then := &c.then[s]
			c.lawfulCopies.addAll(then.Bodies)
			c.lawfulCopies.addAll(then.Hops)
			c.consulted.addAll(then.spells)
			c.consulted.add(s)
			l.NoPolicy = l.NoPolicy || then.NoPolicy
			l.Unreachable = l.Unreachable || then.Unreachable
			l.Unknown = l.Unknown || then.Unknown
			l.Redirected = l.Redirected || then.Redirected
		}
	}
}

// list makes lists of the sets.
func (c *court) list(l *included) error {
	copies, err := c.numbers(c.lawfulCopies)
	if err != nil {
		return err
	}
	hops, _ := slices.BinarySearch(copies, c.bodies)
	l.Bodies, l.Hops = copies[:hops:hops], copies[hops:]
	if l.spells, err = c.numbers(c.consulted); err != nil || len(l.spells) == 0 {
		return err
	}
	first, last := l.spells[0], l.spells[len(l.spells)-1]
	if int(last-first)+1 == len(l.spells) {
		l.Spells = c.moments[first : last+1 : last+1]
		return nil
	}
	for _, s := range l.spells {
		l.Spells = append(l.Spells, c.moments[s])
	}
	return nil
}

// cite finds the version to be quoted for what is lawful at t. The sets are still
// those of it.
func (c *court) cite(t int64) int32 {
	if _, least, _ := c.lawfulCopies.bounds(); least < 0 || least >= c.bodies {
		return -1
	}
	quoted := func(i int) bool {
		return c.spans[i].kind[c.class] == aBody && c.lawfulCopies.has(c.spans[i].copy)
	}
	begun := sort.Search(len(c.spans), func(i int) bool { return before(c.spans[i].begun, int64(Skew)) > t })
	for i := begun - 1; i >= 0; i-- {
		if quoted(i) {
			return int32(i)
		}
	}
	for i := begun; i < len(c.spans); i++ {
		if quoted(i) {
			return int32(i)
		}
	}
	return -1
}
