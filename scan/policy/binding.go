package policy

import (
	"github.com/robotsieve/robotsieve/automaton"
)

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

// Unknown are the readings for a crawler of which nothing is known but that it is
// not Google's: what counts is what Google's parser and RFC 9309 agree on.
func Unknown() []Reading { return []Reading{ReadRFC9309, ReadGoogleWide} }

// Known are the readings for a crawler that reads, or is to be read, by dialect
// d. By Google's dialect others than Google's crawlers are read with their whole
// names: a group for MJ12bot is not one for MJ.
func Known(d automaton.Dialect, googles bool) []Reading {
	switch {
	case d == automaton.Google && googles:
		return []Reading{ReadGoogle}
	case d == automaton.Google:
		return []Reading{ReadGoogleWide}
	case d == automaton.Original:
		return []Reading{ReadOriginal}
	default:
		return []Reading{ReadRFC9309}
	}
}

// Binding is what binds one crawler: the machines of its groups, one for each of
// its readings. It is immutable and safe for any number of goroutines.
type Binding struct {
	first, second *automaton.Machine
	dialects      [2]automaton.Dialect
	two           bool
	agree         bool // on canonical paths the second says what the first says
}

// Bind finds the groups that bind the crawler. For each reading it is the first
// of its tokens for which there is a group, else *, unless it ignores that.
func (p *Policy) Bind(s Subject) *Binding {
	b := &Binding{dialects: [2]automaton.Dialect{s.Readings[0].Dialect()}}
	b.first = s.Machine(p.rulesets[s.Readings[0]])
	if len(s.Readings) > 1 {
		b.two = true
		b.dialects[1] = s.Readings[1].Dialect()
		b.second = s.Machine(p.rulesets[s.Readings[1]])
		if b.first == p.rulesets[ReadRFC9309].Wildcard() && b.second == p.rulesets[ReadGoogleWide].Wildcard() {
			b.agree = p.agree
		} else {
			b.agree = b.first.Agrees(b.second)
		}
	}
	return b
}

// Machine finds what binds the crawler by one ruleset: the groups for the first of
// its tokens that has any, else those for *, unless it ignores these; nil if
// nothing does. Readings play no part.
func (s Subject) Machine(rules *automaton.Ruleset) *automaton.Machine {
	for _, token := range s.Tokens {
		if m, named := rules.Named([]byte(token)); named {
			return m
		}
	}
	if s.IgnoresWildcard {
		return nil
	}
	return rules.Wildcard()
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

// Judge asks what the copy says of a request target in origin or absolute form.
// It does not allocate and keeps no view of target. A target for /robots.txt
// itself is not to be judged: the dialects differ on it, and it is never one.
func (b *Binding) Judge(s *automaton.Scratch, target []byte) Judgement {
	v := b.first.Match(s, b.dialects[0].TargetPath(s, target))
	// The first of two is by RFC 9309. If it has no machine, and the second agrees
	// with that, then that forbids nothing either.
	if !b.two || b.agree && (b.first == nil || s.Canonical() && target[0] == '/') {
		return judgement(v, v)
	}
	return judgement(v, b.second.Match(s, b.dialects[1].TargetPath(s, target)))
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
