// Package prove answers questions about rulesets by search: which paths a machine forbids, on which
// paths two machines differ, and whether a rule has any effect. An answer is a shortest path that
// shows it, or a proof that there is no such path, or undecided if the search reached its limit.
//
// Every question is reduced to a single one: which paths match some patterns and none of others? A
// machine forbids a path if a disallowing rule matches it and no allowing rule that outranks it
// does. Two machines differ if one rule decides in one and another in the other. question.go
// reduces each question, space.go holds the rules of the machines, search.go searches, pattern.go
// has the automaton of a pattern, and unit.go the alphabet.
package prove

import "github.com/robotsieve/robotsieve/automaton"

// DefaultSteps is the limit of Differ and Classify, about a tenth of a second.
const DefaultSteps = 2_000_000

// Answer is the result of a search. The zero Answer is undecided.
type Answer struct {
	// Path is a path with the requested property, or "" if none was found. Clients can send it
	// unchanged, with escapes where a URL needs them. It is never /robots.txt. If there is no such URL
	// and the machines share a dialect, Path may contain bytes that URLs escape, such as '{', because
	// some clients send them raw, or in dialect Google unnecessary escapes such as %7E.
	Path string
	// Decided means that Path is the first of the shortest paths in byte order or, if Path is empty,
	// that no such path exists.
	Decided bool
}

// Difference is how the verdicts of two machines differ.
type Difference struct {
	// Forbidden is a path that only the second machine forbids, Allowed one that only the first
	// forbids.
	Forbidden, Allowed Answer
}

// Differ searches for paths on which two machines, of any dialects, give different verdicts. A nil
// Machine allows everything. Differ returns false if it found none; if both answers are decided,
// the machines are then equal.
func Differ(a, b *automaton.Machine) (Difference, bool) {
	return (&Prover{Steps: DefaultSteps}).Differ(a, b)
}

// Class is how much of a site a machine forbids, disregarding /robots.txt.
type Class uint8

// The classes.
const (
	Undecided Class = iota // the search reached its limit
	None                   // no path is forbidden
	Partial                // some paths are forbidden, others not
	Full                   // every path is forbidden
)

// String returns undecided, none, partial or full.
func (c Class) String() string {
	return [...]string{"undecided", "none", "partial", "full"}[min(c, Full)]
}

// Restriction is the Class of a machine, with a path that it forbids and one that it allows.
type Restriction struct {
	Class              Class
	Forbidden, Allowed Answer
}

// Classify returns the restriction of a machine.
func Classify(m *automaton.Machine) Restriction {
	return (&Prover{Steps: DefaultSteps}).Classify(m)
}

// Prover answers several questions with one budget of steps. The zero Prover has no steps and
// answers nothing. A Prover isn't safe for concurrent use.
type Prover struct {
	// Steps is the remaining number of pattern states that may be examined.
	Steps int
}

// Differ is like the function Differ.
func (p *Prover) Differ(a, b *automaton.Machine) (Difference, bool) {
	s := p.newSpace(a, b)
	d := Difference{Forbidden: s.shortest(s.between(0, 1), &p.Steps), Allowed: s.shortest(s.between(1, 0), &p.Steps)}
	return d, d.Forbidden.Path != "" || d.Allowed.Path != ""
}

// Examples returns paths that one machine allows and another forbids: the shortest of all, as found
// by Between, and then a shortest one for each further line of either machine that decides on some,
// up to a thousand. It returns false if there may be others.
func (p *Prover) Examples(allows, forbids *automaton.Machine) (paths []string, decided bool) {
	s := p.newSpace(allows, forbids)
	return s.examples(0, 1, s.shortest(s.between(0, 1), &p.Steps), &p.Steps)
}

// Between searches for a path that one machine allows and another forbids.
func (p *Prover) Between(allows, forbids *automaton.Machine) Answer {
	s := p.newSpace(allows, forbids)
	return s.shortest(s.between(0, 1), &p.Steps)
}

// Classify is like the function Classify.
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

// Rules answers questions about single rules of one machine with the steps of a Prover.
type Rules struct {
	prover  *Prover
	space   *space
	dropped bool
}

// Rules returns the rules of a machine.
func (p *Prover) Rules(m *automaton.Machine) *Rules { return &Rules{prover: p, space: p.newSpace(m)} }

// Effect says whether a rule has an effect.
type Effect struct {
	// Decided is false if the search reached its limit; the other fields are then meaningless.
	Decided bool
	// Dead means that no verdict would change without the rule and the rules dropped before.
	Dead bool
	// By is the line of the rule that decides instead of the dead one on the shortest path that the
	// dead rule matches. It is 0 if none does, because the path is allowed anyway.
	By uint32
}

// Effect returns the effect of the rule on a line of robots.txt. It is dead if the machine has no
// rule on that line.
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

// Drop excludes the rules on a line, which must be dead, from later questions. So among rules that
// make each other redundant, one isn't reported as dead.
func (r *Rules) Drop(line uint32) {
	r.dropped = true
	for _, x := range r.space.lines[line] {
		x.gone = true
	}
}

// Undone returns a path that the rule on a line matches, but on which the machine decides the
// opposite, by a rule on a line for which by returns true.
func (r *Rules) Undone(line uint32, by func(line uint32) bool) Answer {
	return r.space.shortest(r.space.undone(line, by), &r.prover.Steps)
}
