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

// UnknownReadings returns the readings for a crawler that is not Google's and whose
// parser is not known: a rule counts where Google's parser and RFC 9309 agree on it.
func UnknownReadings() []Reading { return []Reading{ReadRFC9309, ReadGoogleWide} }

// ReadingsOf returns the readings for a crawler that reads robots.txt by dialect d.
// googles says that it is one of Google's own; the names of all other crawlers are
// compared whole, also by Google's dialect: a group for MJ12bot is not one for MJ.
func ReadingsOf(d automaton.Dialect, googles bool) []Reading {
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
	// Readings are how it may read robots.txt: one if that is known (ReadingsOf), two
	// if a rule counts only where both agree (UnknownReadings).
	Readings []Reading
}

// Machine returns the rules of one ruleset that bind the crawler: the groups for the
// first of its tokens that has any, else those for *, unless it ignores these; nil if
// none bind it. Readings play no part.
func (s Subject) Machine(rules *automaton.Ruleset) *automaton.Machine {
	m, _ := s.Bound(rules)
	return m
}

// Bound returns the result of Machine and the token that named its groups: "" for the
// groups for *, and if no rules bind the crawler.
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

// Binding is the rules that bind one crawler on one origin: for each copy of its
// robots.txt the machines of the crawler's groups, one for each of its readings. They
// are made when the copy is first needed. It is safe for any number of goroutines.
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

// bound is the rules of one copy that bind a crawler. Only delay changes, once.
type bound struct {
	first, second *automaton.Machine
	agree         bool       // both give the same verdicts on canonical paths
	hop           *Judgement // the judgement of a hop, for all targets; nil if the copy is no hop

	delay struct {
		sync.Once
		length time.Duration
		stated bool
	}
}

// Bind makes the binding of a crawler on an origin, an index in Origins. In each copy,
// by each reading, the groups of Subject.Machine bind it. The subject must not be
// changed any more.
func (p *Policy) Bind(origin int32, s Subject) *Binding {
	h := p.histories[origin]
	b := &Binding{subject: s, history: h, bound: make([]atomic.Pointer[bound], len(h.copies)), two: len(s.Readings) > 1}
	for i, r := range s.Readings {
		b.dialects[i] = r.Dialect()
	}
	return b
}

// Alike returns, for each copy, the first copy that gives every request the same answer,
// perhaps by other lines: most versions differ only in the groups of other crawlers. The
// slice must not be changed. The first call compiles all copies.
func (b *Binding) Alike() []int32 {
	b.alike.Do(func() {
		first, seen := make([]int32, len(b.bound)), map[int32]int32{}
		for n := range int32(len(b.bound)) {
			first[n] = n
			m := b.boundBy(n)
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

// boundBy returns the rules of a copy that bind the crawler.
func (b *Binding) boundBy(copy int32) *bound {
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

// Answer says whether a copy permits a request.
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

// Judge returns the judgement of a copy on a request target in origin or absolute form. A
// copy that is a hop has one judgement for all targets: whether the path that it leads to
// may be fetched. Judge keeps no view of target, and does not allocate after the first call for
// the copy. Do not ask for /robots.txt itself: the dialects differ on it, and it is
// always allowed.
func (b *Binding) Judge(s *automaton.Scratch, copy int32, target []byte) Judgement {
	m := b.boundBy(copy)
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
	// If the first reading has no machine and the second agrees, the second forbids
	// nothing either.
	if !b.two || m.agree && m.first == nil {
		return judgement(v, v)
	}
	return judgement(v, m.second.Match(s, b.dialects[1].TargetPath(s, target)))
}

// Delay returns the delay between requests that a copy asks of the crawler, by the
// first of its readings: the Crawl-delay of the groups that bind it. ok is false if
// the copy states none, or is a hop.
func (b *Binding) Delay(copy int32) (d time.Duration, ok bool) {
	m := b.boundBy(copy)
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
