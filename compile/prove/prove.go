// Package prove answers questions about rulesets by search: on which path do two of them
// differ, which paths does one forbid, has a rule any effect. An answer has a shortest path that
// shows it, or no path, which is a proof that there is none; or the search ended at its bound,
// and then nothing is known.
package prove

import "github.com/robotsieve/robotsieve/automaton"

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
	// Steps bounds the search, in patterns that are compared with one more byte; 0 stands for
	// DefaultSteps.
	Steps int
}

// Answer is what a search found. The zero Answer is that of a search that ended at its bound.
type Answer struct {
	// Path is a shortest path that is wanted, the first of these by bytes; "" if none was found. It
	// is one that a client can send, with escapes where a URL needs them, and not /robots.txt.
	Path string
	// Verdicts are those of the machines on Path, in their order; nil without a path.
	Verdicts []automaton.Verdict
	// Decided is true with a path, and where it is proved that there is none.
	Decided bool
}

// Shortest searches for a path.
func (q Query) Shortest() Answer { return Answer{} }

// Difference is how the verdicts of one machine differ from those of another.
type Difference struct {
	// Forbidden has a shortest path that the second forbids and the first does not, Allowed one
	// that the first forbids and the second does not.
	Forbidden, Allowed Answer
}

// Differ searches for paths on which two machines, of any dialects, have different verdicts. It
// returns false if it found none; then the machines are equal if both answers are decided.
func Differ(a, b *automaton.Machine) (Difference, bool) { return Difference{}, false }

// Class is how much of a site a machine forbids, /robots.txt aside.
type Class uint8

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

// Restriction is the Class of a machine with a shortest path that it forbids and one that it allows.
type Restriction struct {
	Class              Class
	Forbidden, Allowed Answer
}

// Classify returns the restriction of a machine.
func Classify(m *automaton.Machine) Restriction { return Restriction{} }

// Effect is whether a rule has any.
type Effect struct {
	// Decided says that the search came to an end; else the rest means nothing.
	Decided bool
	// Dead says that the machine's verdicts were the same without the rule.
	Dead bool
	// By is the line of a rule that makes it so: one that decides on every path of the rule or, if
	// there is none, that decides on the rule's shortest path. It is 0 if the rule changes nothing
	// because what it allows is allowed without it.
	By uint32
}

// EffectOf returns the effect of the rule on a line of robots.txt in a machine; a line without a
// rule in the machine is dead.
func EffectOf(m *automaton.Machine, line uint32) Effect { return Effect{} }

// Undone returns a shortest path that the rule on a line matches, and on which the machine decides
// the opposite.
func Undone(m *automaton.Machine, line uint32) Answer { return Answer{} }
