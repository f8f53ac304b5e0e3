package policy

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// Binding is what binds one crawler on one origin: for each copy of its robots.txt
// the machines of the crawler's groups, one for each of its readings. They are made
// when a copy is first asked. It is safe for any number of goroutines.
type Binding struct {
	subject  Subject
	copies   []copyOf
	dialects [2]automaton.Dialect
	two      bool // two readings, not one
	bound    []atomic.Pointer[bound]
	contents *contents
	alike    struct {
		sync.Once
		first []int32
	}
}

// bound is what binds a crawler by one copy. It is immutable but for delay.
type bound struct {
	first, second *automaton.Machine
	agree         bool // on canonical paths the second says what the first says

	isHop bool
	hop   Judgement // of the path that the hop leads to, whatever is asked for

	delay struct {
		sync.Once
		length time.Duration
		stated bool
	}
}

// Bind makes the binding of a crawler on an origin, an index in Origins. Of a copy
// and a reading it is the groups for the first of its tokens that has any, else those
// for *, unless it ignores them. The subject is not to be changed any more.
func (p *Policy) Bind(origin int32, s Subject) *Binding {
	copies := p.histories[origin].copies
	b := &Binding{
		subject: s, copies: copies, bound: make([]atomic.Pointer[bound], len(copies)),
		dialects: [2]automaton.Dialect{s.Readings[0].Dialect()}, two: len(s.Readings) > 1,
	}
	if b.two {
		b.dialects[1] = s.Readings[1].Dialect()
	}
	b.contents = &p.histories[origin].contents
	return b
}

// Alike returns, for each copy, the first one that says the same of every request,
// if perhaps by other lines: versions differ in the groups of few crawlers. The slice
// is not to be changed. It asks all copies, once.
func (b *Binding) Alike() []int32 {
	b.alike.Do(func() {
		b.alike.first = make([]int32, len(b.copies))
		seen := map[int32]int32{}
		for i := range b.copies {
			n := int32(i)
			b.alike.first[i] = n
			m := b.of(n)
			if m.isHop {
				continue
			}
			class := b.contents.number(m.first, m.second)
			if first, known := seen[class]; known {
				b.alike.first[i] = first
			} else {
				seen[class] = n
			}
		}
	})
	return b.alike.first
}

// of returns what binds by a copy.
func (b *Binding) of(copy int32) *bound {
	if known := b.bound[copy].Load(); known != nil {
		return known
	}
	b.bound[copy].CompareAndSwap(nil, b.bind(b.copies[copy]))
	return b.bound[copy].Load()
}

func (b *Binding) bind(c copyOf) *bound {
	r := b.subject.Readings
	m := &bound{first: b.subject.Machine(c.body.robots(r[0]).Ruleset)}
	if b.two {
		m.second = b.subject.Machine(c.body.robots(r[1]).Ruleset)
		// Nearly all crawlers of which nothing is known are bound by *.
		if r[0] == ReadRFC9309 && r[1] == ReadGoogleWide &&
			m.first == c.body.robots(r[0]).Ruleset.Wildcard() && m.second == c.body.robots(r[1]).Ruleset.Wildcard() {
			m.agree = c.body.wildcardsAgree()
		} else {
			m.agree = m.first.Agrees(m.second)
		}
	}
	if c.hop != "" {
		m.hop = b.ask(m, new(automaton.Scratch), []byte(c.hop))
		m.isHop = true
	}
	return m
}

// Answer is what a copy says of one request.
type Answer uint8

const (
	Permits Answer = iota
	Forbids
	// Contested says that the readings differ, and nobody outside knows by which
	// of them the crawler reads.
	Contested
)

// Judgement is an answer with the line of the rule that forbids; where two
// readings forbid by different lines, that of the first.
type Judgement struct {
	Answer Answer
	Line   uint32
}

// Judge asks what a copy says of a request target in origin or absolute form; a copy
// that is a hop says whether that may be fetched, whatever the target is. It keeps no
// view of target, and does not allocate once the copy has been asked. A target for
// /robots.txt itself is not to be judged: the dialects differ on it, and it is never
// one.
func (b *Binding) Judge(s *automaton.Scratch, copy int32, target []byte) Judgement {
	m := b.of(copy)
	if m.isHop {
		return m.hop
	}
	return b.ask(m, s, target)
}

func (b *Binding) ask(m *bound, s *automaton.Scratch, target []byte) Judgement {
	if automaton.IsPlain(target) {
		v := m.first.MatchPlain(s, target)
		if !b.two || m.agree {
			return judgement(v, v)
		}
		return judgement(v, m.second.MatchPlain(s, target))
	}
	v := m.first.Match(s, b.dialects[0].TargetPath(s, target))
	// If the first reading has no machine, and the second agrees with that, then that
	// forbids nothing either.
	if !b.two || m.agree && m.first == nil {
		return judgement(v, v)
	}
	return judgement(v, m.second.Match(s, b.dialects[1].TargetPath(s, target)))
}

// Delay returns the delay between requests that a copy asks of the crawler, by the
// first of its readings: the Crawl-delay of the groups that bind it. ok is false if
// the copy states none, or is a hop.
func (b *Binding) Delay(copy int32) (d time.Duration, ok bool) {
	if b.copies[copy].hop != "" {
		return 0, false
	}
	m := b.of(copy)
	m.delay.Do(func() {
		robots := b.copies[copy].body.robots(b.subject.Readings[0])
		_, token := b.subject.Bound(robots.Ruleset)
		m.delay.length, m.delay.stated = robots.Delay(m.first, []byte(token))
	})
	return m.delay.length, m.delay.stated
}

func judgement(x, y automaton.Verdict) Judgement {
	switch {
	case x.Disallowed != y.Disallowed:
		return Judgement{Answer: Contested}
	case x.Disallowed:
		return Judgement{Forbids, x.Line}
	default:
		return Judgement{}
	}
}
