// Package prove answers questions about rulesets by search: which paths does a machine forbid, on
// which do two differ, does a rule have any effect. An answer has a shortest path that shows it, or
// no path, which is a proof that there is none; or the search ended at its bound, and then nothing is
// known.
//
// Whatever is asked becomes the same question: which paths match some patterns, and none of others.
// That a machine forbids a path means that a rule which forbids matches it, and none that allows and
// outranks that one; that two machines differ means that one rule decides in one and another in the
// other. question.go says so for each question, space.go has the rules of the machines,
// search.go searches, pattern.go has the automaton of a pattern, and unit.go the alphabet.
package prove

import "github.com/robotsieve/robotsieve/automaton"

// DefaultSteps is how many steps Differ and Classify may take: a tenth of a second, more or less.
const DefaultSteps = 2_000_000

// Answer is what a search found. The zero Answer is that of a search that ended at its bound.
type Answer struct {
	// Path is a path as was asked for, "" if none was found. It is one that a client can send, with
	// escapes where a URL needs them, and never /robots.txt. Only where there is no such URL, and the
	// machines are of one dialect, may it have a byte that URLs have escaped, such as '{', since some
	// clients send that as it is, or in dialect google an escape that no URL needs, such as %7E.
	Path string
	// Decided says that Path is a shortest one, the first of these by bytes, or, without a path,
	// that there is none.
	Decided bool
}

// Difference is how the verdicts of one machine differ from those of another.
type Difference struct {
	// Forbidden has a path that the second forbids and the first does not, Allowed one that the
	// first forbids and the second does not.
	Forbidden, Allowed Answer
}

// Differ searches for paths on which two machines, of any dialects, have different verdicts. A nil
// Machine allows everything. Differ returns false if it found none; then the machines are equal if
// both answers are decided.
func Differ(a, b *automaton.Machine) (Difference, bool) {
	return (&Prover{Steps: DefaultSteps}).Differ(a, b)
}

// Class is how much of a site a machine forbids, /robots.txt aside.
type Class uint8

// The classes.
const (
	Undecided Class = iota // the search ended at its bound
	None                   // no path is forbidden
	Partial                // some paths are forbidden, others not
	Full                   // every path is forbidden
)

// String returns undecided, none, partial or full.
func (c Class) String() string {
	return [...]string{"undecided", "none", "partial", "full"}[min(c, Full)]
}

// Restriction is the Class of a machine with a path that it forbids and one that it allows.
type Restriction struct {
	Class              Class
	Forbidden, Allowed Answer
}

// Classify returns the restriction of a machine.
func Classify(m *automaton.Machine) Restriction {
	return (&Prover{Steps: DefaultSteps}).Classify(m)
}

// Prover answers several questions, which take their steps together. The zero Prover has none left
// and answers nothing. A Prover belongs to one goroutine at a time.
type Prover struct {
	// Steps is how many are left: states of patterns that may be looked at. Each answer takes some.
	Steps int
}

// Differ is the function Differ.
func (p *Prover) Differ(a, b *automaton.Machine) (Difference, bool) {
	s := p.newSpace(a, b)
	d := Difference{Forbidden: s.shortest(s.between(0, 1), &p.Steps), Allowed: s.shortest(s.between(1, 0), &p.Steps)}
	return d, d.Forbidden.Path != "" || d.Allowed.Path != ""
}

// Examples returns paths that one machine allows and another forbids, as Between does: a shortest one of all, and
// then a shortest one for each further line of either that decides on some, up to a thousand. It returns
// false if there may be others.
func (p *Prover) Examples(allows, forbids *automaton.Machine) (paths []string, decided bool) {
	s := p.newSpace(allows, forbids)
	return s.examples(0, 1, s.shortest(s.between(0, 1), &p.Steps), &p.Steps)
}

// Between returns a path that one machine allows and another forbids.
func (p *Prover) Between(allows, forbids *automaton.Machine) Answer {
	s := p.newSpace(allows, forbids)
	return s.shortest(s.between(0, 1), &p.Steps)
}

// Classify is the function Classify.
func (p *Prover) Classify(m *automaton.Machine) Restriction {
	s := p.newSpace(nil, m)
	r := Restriction{Forbidden: s.shortest(s.between(0, 1), &p.Steps), Allowed: s.shortest(s.allowed(nil, 1), &p.Steps)}
	switch {
	case r.Forbidden.Path != "" && r.Allowed.Path != "":
		r.Class = Partial
	case r.Forbidden.Path != "" && r.Allowed.Decided:
		r.Class = Full
	case r.Allowed.Path != "" && r.Forbidden.Decided:
		r.Class = None
	}
	return r
}

// Rules answers questions about the single rules of one machine, one after the other, with the steps
// of a Prover.
type Rules struct {
	prover  *Prover
	space   *space
	dropped bool
}

// Rules returns the rules of a machine.
func (p *Prover) Rules(m *automaton.Machine) *Rules { return &Rules{prover: p, space: p.newSpace(m)} }

// Effect is whether a rule has any.
type Effect struct {
	// Decided says that the search came to an end; else the rest means nothing.
	Decided bool
	// Dead says that every verdict of the machine is the same without the rule, and also without the rule
	// and those that were dropped before.
	Dead bool
	// By is the line of the rule that decides, without the dead one, on the shortest path that it
	// matches; 0 if none does, because the dead rule allows what is allowed anyway.
	By uint32
}

// Effect returns the effect of the rule on a line of robots.txt. A line without a rule of the machine
// is dead.
func (r *Rules) Effect(line uint32) Effect {
	s, steps := r.space, &r.prover.Steps
	changed := s.any(s.changed(line), steps)
	if r.dropped && changed == (Answer{Decided: true}) {
		s.hides = true
		defer func() { s.hides = false }()
		changed = s.any(s.changed(line), steps)
	}
	if changed.Path != "" || !changed.Decided {
		return Effect{Decided: changed.Path != ""}
	}
	matched := s.shortest(s.matches(line), steps)
	return Effect{Decided: true, Dead: true, By: s.decidingWithout(line, matched.Path)}
}

// Drop says that the rules on a line, which is dead, may go. So of several rules that make each other
// superfluous, one is left that Effect does not call dead.
func (r *Rules) Drop(line uint32) {
	r.dropped = true
	for _, x := range r.space.lines[line] {
		x.gone = true
	}
}

// Undone returns a path that the rule on a line matches, and on which the machine decides the opposite by
// a rule on a line that by is true of.
func (r *Rules) Undone(line uint32, by func(line uint32) bool) Answer {
	return r.space.shortest(r.space.undone(line, by), &r.prover.Steps)
}
