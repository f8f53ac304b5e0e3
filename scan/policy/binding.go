package policy

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
)

// Reading is a way of reading a copy for a crawler: a dialect, by its number, or
// ReadGoogleWide.
type Reading uint8

const (
	// ReadRFC9309, ReadGoogle and ReadOriginal are dialects.
	ReadRFC9309  = Reading(automaton.RFC9309)
	ReadGoogle   = Reading(automaton.Google)
	ReadOriginal = Reading(automaton.Original)
	// ReadGoogleWide is ReadGoogle with the product tokens of robots.txt read as
	// ReadRFC9309 reads them: Google's rules for crawlers of others, some of
	// which have names that Google's parser cuts short.
	ReadGoogleWide = Reading(automaton.NumDialects)

	readings = ReadGoogleWide + 1
)

// Dialect returns the dialect of the reading.
func (r Reading) Dialect() automaton.Dialect {
	if r == ReadGoogleWide {
		return automaton.Google
	}
	return automaton.Dialect(r)
}

// Unknown returns the readings for a crawler that is not Google's and whose parser is
// not known: a rule counts where Google's parser and RFC 9309 agree on it.
func Unknown() []Reading { return []Reading{ReadRFC9309, ReadGoogleWide} }

// Known returns the readings for a crawler that reads, or is to be read, by dialect
// d. By Google's dialect others than Google's crawlers are read with their whole
// names: a group for MJ12bot is not one for MJ.
func Known(d automaton.Dialect, googles bool) []Reading {
	if d == automaton.Google && !googles {
		return []Reading{ReadGoogleWide}
	}
	return []Reading{Reading(d)}
}

// Subject is a crawler as robots.txt sees it.
type Subject struct {
	// Tokens are its product tokens, the preferred first.
	Tokens []string
	// IgnoresWildcard says that groups for * do not bind it.
	IgnoresWildcard bool
	// Readings are how it may read robots.txt: one if that is known (Known), two
	// if a rule counts only where both agree (Unknown).
	Readings []Reading
}

// Machine returns what binds the crawler by one ruleset: the groups for the first of
// its tokens that has any, else those for *, unless it ignores these; nil if
// nothing does. Readings play no part.
func (s Subject) Machine(rules *automaton.Ruleset) *automaton.Machine {
	m, _ := s.Bound(rules)
	return m
}

// Bound is Machine, and the token by which it was found. The token is empty for the
// groups for *, and where nothing binds the crawler.
func (s Subject) Bound(rules *automaton.Ruleset) (m *automaton.Machine, token string) {
	for _, token := range s.Tokens {
		if m, named := rules.Named([]byte(token)); named {
			return m, token
		}
	}
	if s.IgnoresWildcard {
		return nil, ""
	}
	return rules.Wildcard(), ""
}

// Binding is what binds one crawler on one origin: for each copy of its robots.txt
// the machines of the crawler's groups, one for each of its readings. They are made
// when a copy is first asked. It is safe for any number of goroutines.
type Binding struct {
	subject  Subject
	history  *history
	dialects [2]automaton.Dialect
	two      bool // two readings, not one
	bound    []atomic.Pointer[bound]
	alike    struct {
		sync.Once
		first []int32
	}
}

// bound is what binds a crawler by one copy. It is immutable but for delay.
type bound struct {
	first, second *automaton.Machine
	agree         bool       // on canonical paths the second says what the first says
	hop           *Judgement // the answer of a hop to all targets; nil if it is no hop

	delay struct {
		sync.Once
		length time.Duration
		stated bool
	}
}

// Bind makes the binding of a crawler on an origin, an index in Origins. By a copy and
// a reading it is bound by the groups for the first of its tokens that has any, else
// by those for *, unless it ignores them. The subject is not to be changed any more.
func (p *Policy) Bind(origin int32, s Subject) *Binding {
	h := p.histories[origin]
	b := &Binding{subject: s, history: h, bound: make([]atomic.Pointer[bound], len(h.copies)), two: len(s.Readings) > 1}
	for i, r := range s.Readings {
		b.dialects[i] = r.Dialect()
	}
	return b
}

// Alike returns, for each copy, the first one that says the same of every request,
// perhaps by other lines: versions differ in the groups of few crawlers. The slice
// is not to be changed. It asks all copies, once.
func (b *Binding) Alike() []int32 {
	b.alike.Do(func() {
		first, seen := make([]int32, len(b.bound)), map[int32]int32{}
		for n := range int32(len(b.bound)) {
			first[n] = n
			m := b.of(n)
			if m.hop != nil {
				continue
			}
			class := b.history.contents.number(m.first, m.second)
			if same, known := seen[class]; known {
				first[n] = same
			} else {
				seen[class] = n
			}
		}
		b.alike.first = first
	})
	return b.alike.first
}

// of returns what binds by a copy.
func (b *Binding) of(copy int32) *bound {
	if known := b.bound[copy].Load(); known != nil {
		return known
	}
	b.bound[copy].CompareAndSwap(nil, b.bind(b.history.copies[copy]))
	return b.bound[copy].Load()
}

func (b *Binding) bind(c copyOf) *bound {
	r := b.subject.Readings
	first := c.body.robots(r[0]).Ruleset
	m := &bound{first: b.subject.Machine(first)}
	if b.two {
		second := c.body.robots(r[1]).Ruleset
		m.second = b.subject.Machine(second)
		// Nearly all crawlers that have these readings are bound by *.
		if r[0] == ReadRFC9309 && r[1] == ReadGoogleWide && m.first == first.Wildcard() && m.second == second.Wildcard() {
			m.agree = c.body.wildcardsAgree()
		} else {
			m.agree = m.first.Agrees(m.second)
		}
	}
	if c.hop != "" {
		j := b.ask(m, new(automaton.Scratch), []byte(c.hop))
		m.hop = &j
	}
	return m
}

// Answer is what a copy says of one request.
type Answer uint8

const (
	Permits Answer = iota
	Forbids
	// Contested says that the readings differ, and it is not known which of them is
	// the crawler's.
	Contested
)

// Judgement is an answer with the line of the rule that forbids; where two readings
// forbid by different lines, the line of the first reading.
type Judgement struct {
	Answer Answer
	Line   uint32
}

// Judge returns what a copy says of a request target in origin or absolute form. A copy
// that is a hop says the same of all targets: whether the hop's path may be fetched.
// Judge keeps no view of target, and does not allocate once the copy has been asked. Do
// not ask for /robots.txt itself: the dialects differ on it, and it is always allowed.
func (b *Binding) Judge(s *automaton.Scratch, copy int32, target []byte) Judgement {
	m := b.of(copy)
	if m.hop != nil {
		return *m.hop
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
	m := b.of(copy)
	if m.hop != nil {
		return 0, false
	}
	m.delay.Do(func() {
		robots := b.history.copies[copy].body.robots(b.subject.Readings[0])
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
