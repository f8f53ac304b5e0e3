// Package prove answers questions about rulesets by search: on which path do two of them
// differ, which paths does one forbid, has a rule any effect. An answer has a shortest path that
// shows it, or no path, which is a proof that there is none; or the search ended at its bound,
// and then nothing is known.
package prove

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// MaxMachines is how many machines a Query may have.
const MaxMachines = 4

// DefaultSteps is the bound of a search unless a Query has another.
const DefaultSteps = 2_000_000

// Query asks for a shortest path by the verdicts of machines.
type Query struct {
	// Machines are up to MaxMachines, of any dialects. A nil Machine allows everything.
	Machines []*automaton.Machine
	// Wanted reports whether a path is wanted on which the machines, in their order, forbid what
	// forbidden says. It is asked once for each combination.
	Wanted func(forbidden []bool) bool
	// Within, unless it is nil, is a rule that the path must match.
	Within *automaton.Rule
	// Steps bounds the search, in states of patterns that are looked at; 0 stands for DefaultSteps.
	Steps int
}

// Answer is what a search found. The zero Answer is that of a search that ended at its bound.
type Answer struct {
	// Path is a path that is wanted, "" if none was found. It is one that a client can send, with
	// escapes where a URL needs them, and never /robots.txt. Only where no URL is wanted may it
	// have a byte that URLs have escaped, such as '{', since some clients send that as it is.
	Path string
	// Verdicts are those of the machines on Path, in their order; nil without a path.
	Verdicts []automaton.Verdict
	// Decided says that Path is a shortest one, the first of these by bytes, or, without a path,
	// that there is none.
	Decided bool
	// Steps is how many were taken.
	Steps int
}

// Shortest searches for a path.
func (q Query) Shortest() Answer {
	s := newSpace(q.Machines...)
	var w wanted
	for bits := range 1 << len(q.Machines) {
		forbidden := make([]bool, len(q.Machines))
		for i := range forbidden {
			forbidden[i] = bits>>i&1 == 1
		}
		w[bits] = q.Wanted(forbidden)
	}
	if q.Within != nil {
		return s.answer(&w, []*pattern{newPattern(q.Within)}, cmp.Or(q.Steps, DefaultSteps))
	}
	return s.answer(&w, s.needed(&w), cmp.Or(q.Steps, DefaultSteps))
}

// Difference is how the verdicts of one machine differ from those of another.
type Difference struct {
	// Forbidden has a path that the second forbids and the first does not, Allowed one that the
	// first forbids and the second does not. Their Verdicts are those of the first and the second.
	Forbidden, Allowed Answer
}

// Differ searches for paths on which two machines, of any dialects, have different verdicts. It
// returns false if it found none; then the machines are equal if both answers are decided.
func Differ(a, b *automaton.Machine) (Difference, bool) {
	s := newSpace(a, b)
	forbidden, allowed := wanted{0b10: true}, wanted{0b01: true}
	d := Difference{
		Forbidden: s.answer(&forbidden, s.needed(&forbidden), DefaultSteps),
		Allowed:   s.answer(&allowed, s.needed(&allowed), DefaultSteps),
	}
	return d, d.Forbidden.Path != "" || d.Allowed.Path != ""
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
	s := newSpace(m)
	forbidden, allowed := wanted{1: true}, wanted{0: true}
	r := Restriction{
		Forbidden: s.answer(&forbidden, s.needed(&forbidden), DefaultSteps),
		Allowed:   s.answer(&allowed, s.needed(&allowed), DefaultSteps),
	}
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

// Rules answers questions about the single rules of one machine, one after the other. It belongs to
// one goroutine at a time.
type Rules struct {
	// Steps is how many all further answers may take together. NewRules sets it to DefaultSteps.
	Steps int

	space *space // with the machine as it is, and once more to leave out a rule
	lines map[uint32][]ranked
}

// NewRules returns the rules of a machine.
func NewRules(m *automaton.Machine) *Rules {
	r := &Rules{Steps: DefaultSteps, space: newSpace(m, m), lines: map[uint32][]ranked{}}
	for _, rule := range r.space.rankings[0] {
		r.lines[rule.line] = append(r.lines[rule.line], rule)
	}
	return r
}

// Effect is whether a rule has any.
type Effect struct {
	// Decided says that the search came to an end; else the rest means nothing.
	Decided bool
	// Dead says that every verdict of the machine is the same without the rule.
	Dead bool
	// By is the line of the rule that decides, without the dead one, on the shortest path that it
	// matches; 0 if none does, because the dead rule allows what is allowed anyway.
	By uint32
}

// Effect returns the effect of the rule on a line of robots.txt. A line without a rule of the machine
// is dead.
func (r *Rules) Effect(line uint32) Effect {
	patterns := r.without(line)
	defer r.with(patterns)
	differs, always := &wanted{0b01: true, 0b10: true}, &wanted{true, true, true, true}
	if found, decided := r.space.shortest(differs, patterns, &r.Steps); found != nil || !decided {
		return Effect{Decided: found != nil}
	}
	found, decided := r.space.shortest(always, patterns, &r.Steps)
	e := Effect{Decided: decided, Dead: true}
	if found != nil && found.rank[1] != unranked {
		e.By = r.space.rankings[1][found.rank[1]].line
	}
	return e
}

// without leaves the rule on a line out of the second ranking, and returns its patterns.
func (r *Rules) without(line uint32) []*pattern {
	patterns := []*pattern{}
	for _, rule := range r.lines[line] {
		p := rule.pattern
		patterns, p.rank[1] = append(patterns, p), unranked
		for _, rank := range slices.Backward(p.rules) {
			if r.space.rankings[0][rank].line != line {
				p.rank[1] = rank
			}
		}
	}
	return patterns
}

// with is the opposite of without.
func (r *Rules) with(patterns []*pattern) {
	for _, p := range patterns {
		p.rank[1] = p.rank[0]
	}
}

// Undone returns a path that the rule on a line matches, and on which the machine decides the
// opposite.
func (r *Rules) Undone(line uint32) Answer {
	opposite, patterns := &wanted{}, []*pattern{}
	for _, rule := range r.lines[line] {
		patterns = append(patterns, rule.pattern)
		if rule.forbids {
			opposite[0b00] = true
		} else {
			opposite[0b11] = true
		}
	}
	a := r.space.answer(opposite, patterns, r.Steps)
	r.Steps -= a.Steps
	if a.Verdicts != nil {
		a.Verdicts = a.Verdicts[:1]
	}
	return a
}
