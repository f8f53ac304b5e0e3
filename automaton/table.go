package automaton

// Table is the automaton of a ranked list of rules, on whose order all its
// numbers of rules rest: rule 0 outranks all others, and None is the number of
// no rule. Package compile makes it, New checks it; after that nobody changes it.
//
// It is factored. A single automaton for rules with gaps needs a state for each
// set of segments that may have been seen, and real files of 16 rules have
// passed 50,000 of them. So there are two, each no larger than the rules: one
// for what a pattern begins with, which reads eight octets at a time and nearly
// always dies early, and one for the segments behind gaps (Gaps).
type Table struct {
	// Base is the first rule that matches every path; it is the verdict if
	// nothing better is found.
	Base uint32
	// States are those of the automaton of prefixes. State 0 is dead, state 1
	// stands behind the slash that every path begins with; it may be without
	// edges.
	States []State
	// Edges is a hash table with linear probing, see HashEdge. Its length is a
	// power of two, at least one of its edges is empty (Key 0), and each is found
	// within MaxProbes places.
	Edges []Edge
	// Seed is the seed of the hash function, so that nobody can write a
	// robots.txt whose edges collide.
	Seed uint64
	// First is what may come first: bit n-1 of First[i][c&63] says that an edge of
	// n octets leaves state 1 that has c as its octet i, or has no octet i.
	First [EdgeOctets][64]uint8
	// Points are where prefixes end. Point 0 is the slash that every path begins
	// with.
	Points []Point
	// Tries are rules, see Point.Try.
	Tries []uint32
	// Gaps is the automaton of the segments behind gaps, nil if there are none.
	Gaps *Gaps

	// Set by New: whether there is anything to do at point 0 in most paths.
	rooted bool
}

// MaxProbes is how many places of a hash table a search for what is there looks
// at, at most.
const MaxProbes = 64

// EdgeOctets is how many octets the automaton of prefixes reads at once.
const EdgeOctets = 8

// State is a place in the trie of prefixes. The zero value is dead.
type State struct {
	// Lengths has bit n-1 set if edges of n octets leave the state.
	Lengths uint8
}

// Edge leads on from a state by one to eight octets. Edges of eight octets may
// lead to further states.
type Edge struct {
	// Word holds the octets, the first in its lowest byte; the rest is 0.
	Word uint64
	// Key is the state, times eight, plus the number of octets less one. It is
	// 0 in an empty slot, since no edge leaves state 0.
	Key uint32
	// To is the rule whose prefix, and no other's, begins so; it is compared as a
	// whole. Or it is a point, with IsPoint set.
	To uint32
}

// IsPoint tells a point from a rule in Edge.To.
const IsPoint = 1 << 31

// Point is a place in the path where at least one prefix ends. Rules in FormB
// have points of their own, since their path may be spelled otherwise.
type Point struct {
	// Accept is the first rule that ends here whatever follows; End the first
	// that ends here if the path does.
	Accept, End uint32
	// Try and TryEnd are a range of Table.Tries, the end excluded: rules behind
	// whose prefix a gap follows, so few that to try them costs less than to let
	// them wait.
	Try, TryEnd uint32
	// Anchor is the index in Gaps.Anchors of what waits here behind a gap, 0 if
	// nothing does.
	Anchor uint32
	// Next is the state that goes on from here, 0 if none.
	Next uint32
	// Len is how many octets of the path lie before the point. If these are more
	// than the edge that leads here has seen, the pattern of rule From says what
	// they are.
	Len, From uint32
	// B is the point for the rules in FormB that end at the same place, 0 if
	// there are none. In that one Next and B are 0.
	B uint32
}

// Gaps finds the segments behind gaps: an Aho-Corasick automaton reads the
// path, and where the last octet of a segment is read, the nodes that wait for
// it act.
//
// Its states are numbered by depth and, among those of one parent, by label, so
// that the children of state s are those from First[s] to First[s+1]-1. State 0
// is the root, where no segment has begun. States 1 to Shallow have one octet.
type Gaps struct {
	First   []uint32 // one more than there are states
	Label   []byte   // the octet that leads to the state
	Fail    []uint32 // the state of the longest proper suffix
	Act     []uint32 // the nearest of the state itself and its suffixes at which a symbol ends, 0 if none does
	Symbol  []uint32 // the symbol that ends at the state; only where Act[s] == s
	Shallow uint32
	Root    [256]uint8 // the child of the root by its label, 0 if none
	// Begin has a class for each of eight families of segments: what one of the
	// family begins with is of that class in Begin[0], what its second octet may
	// be in Begin[1]. Where no class is in both, no segment begins.
	Begin [2]Classes
	// Long are the families in which all segments have at least four octets. Fours
	// is a hash table of these four, see HashFour, so that where only such
	// families may begin it tells whether one does. Its length is a power of two,
	// at least one place is empty, and each entry is found within MaxProbes
	// places. It is not looked at if there are no such families.
	Long  uint8
	Fours []Four

	// Must is an octet without which no rule in this automaton matches: behind the
	// gaps of each it stands. 0 if there is none.
	Must byte

	// Len is the number of octets of each symbol, which is a segment that stands
	// behind a gap in one or more rules.
	Len []uint32
	// Floats are the first nodes of each symbol: those of symbol n are the nodes
	// from Floats[n] to Floats[n+1]-1. They are for rules whose first segment is
	// the slash or nothing, so that they wait on every path.
	Floats []uint32
	// Nodes are the segments of rules: a node for each different list of a
	// prefix and the segments up to this one.
	Nodes []Node
	// Anchors are the prefixes that a gap follows. Anchor 0 is none.
	Anchors []Anchor
	// Best is the first rule with a gap of those that wait on every path, None
	// if there is none.
	Best uint32

	// Set by New: where the kids of nodes and anchors with many begin, ascending;
	// and these kids by symbol, those of symbol n from kidsFrom[n] to
	// kidsFrom[n+1]-1, nil if there are none.
	families []uint32
	kids     []kid
	kidsFrom []uint32
}

// Four is what a long segment begins with.
type Four struct {
	Octets uint32 // the first in the lowest byte
	State  uint32 // the state behind them, 0 in an empty place
}

// Node is a segment behind a gap, in rules that are the same up to it.
type Node struct {
	Symbol uint32
	// Accept is the first rule that ends with this segment.
	Accept uint32
	// Best is the first rule of those that end here or further on.
	Best uint32
	// Kids and KidsEnd are the nodes that wait for their segments once this one is
	// seen, as a range of indexes, the end excluded.
	Kids, KidsEnd uint32
	// From is where in the path the segment may begin at the earliest, for a
	// node that is a float: 1 if a slash comes before the gap, else 0.
	From uint8
	// Anchored says that the segment must end where the path ends. Such a node has
	// no kids.
	Anchored bool
}

// Anchor is a prefix that a gap follows: the nodes that wait once it is seen, and
// the first rule among them.
type Anchor struct {
	Kids, KidsEnd, Best uint32
}

// HashEdge is where in a table with a power of two edges the search for an edge
// begins: the hash, to be cut to its low bits.
func HashEdge(word uint64, key uint32, seed uint64) uint64 {
	const odd = 0x9E3779B97F4A7C15
	x := (word ^ seed) * odd
	x = (x ^ x>>32 ^ uint64(key)) * odd
	return x >> 32
}

// HashFour is where in a table with a power of two places the search for four
// octets begins, the first in the lowest byte: the hash, to be cut to its low bits.
func HashFour(octets uint32) uint32 {
	const odd = 0x9E3779B1
	x := octets * odd
	return x ^ x>>16
}

// Bytes is how much memory the table takes, in bytes, what its rules take not
// counted. A nil table takes none.
func (t *Table) Bytes() int {
	if t == nil {
		return 0
	}
	const edge, point, node, anchor = 16, 36, 24, 12
	n := len(t.States) + edge*len(t.Edges) + point*len(t.Points) + EdgeOctets*64 + 4*len(t.Tries)
	if g := t.Gaps; g != nil {
		n += 4*(len(g.First)+len(g.Fail)+len(g.Act)+len(g.Symbol)+len(g.Len)+len(g.Floats)) +
			8*len(g.Fours) + len(g.Label) + len(g.Root) + 4*16 +
			node*len(g.Nodes) + anchor*len(g.Anchors) + 8*len(g.kids) + 4*(len(g.families)+len(g.kidsFrom))
	}
	return n
}
