package automaton

import "encoding/binary"

// Table is the automaton of a ranked list of rules, on whose order all its
// numbers of rules rest: rule 0 outranks all others, and None is the number of
// no rule. Package compile makes it, New checks it; after that nobody changes it.
//
// It is factored. A single automaton for rules with gaps needs a state for each
// set of segments that may have been seen, and real files of 16 rules have
// passed 50,000 of them. So there are two, each no larger than the rules: one
// for what a pattern begins with, which reads eight octets at a time and nearly
// always dies early, and one for the segments behind gaps (Segments or Gaps).
type Table struct {
	// Base is the first rule that matches every path; it is the verdict if
	// nothing better is found.
	Base uint32
	// Trie is that of prefixes. Its state 1 stands behind the slash that every path
	// begins with; it may be without edges.
	Trie
	// First is what may come first, behind that slash.
	First Filter
	// Points are where prefixes end. Point 0 is the slash that every path begins
	// with.
	Points []Point
	// Tries are rules, see Point.Try.
	Tries []uint32
	// Segments are those behind gaps, nil if there are none or Gaps has them.
	Segments *Segments
	// Gaps is the automaton of the segments behind gaps where Segments could take
	// long, else nil.
	Gaps *Gaps

	// Set by New: whether there is anything to do at point 0 in most paths.
	rooted bool
}

// MaxProbes is how many places of a hash table a search for what is there looks
// at, at most.
const MaxProbes = 64

// EdgeOctets is how many octets the automaton of prefixes reads at once.
const EdgeOctets = 8

// Trie is an automaton that reads up to eight octets at a time. State 0 is dead.
type Trie struct {
	States []State // by number; an edge is of the state in its Key
	// Edges is a hash table with linear probing, see HashEdge. Its length is a
	// power of two, at least one of its edges is empty (Key 0, To None), and each is
	// found within MaxProbes places.
	Edges []Edge
	// Homes says of each place of Edges of which edges, by Home, the search begins there.
	// Most of what is not there is so not searched for at all.
	Homes []uint8
	// Seed is the seed of the hash function. Another is tried where an edge would lie
	// more than MaxProbes places from where the search for it begins.
	Seed uint64
}

// Filter tells of which lengths an edge may be, where a trie begins, by the octets
// that follow: bit n-1 of Filter[i][c] says that there is an edge of n octets that has
// c as its octet i, folded by Fold, or has no octet i.
type Filter [EdgeOctets][64]uint8

// Fold makes six bits of each octet of a word, such that of those that URLs are made of
// only letters that differ in their case become the same.
func Fold(word uint64) uint64 {
	const low, letter = 0x1f1f1f1f1f1f1f1f, 0x2020202020202020
	return word&low | word>>1&letter
}

// LastFilter is a filter of two octets.
type LastFilter [2][64]uint8

// Add lets an edge pass by its octets.
func (f *Filter) Add(e *Edge) { addEdge(f[:], e) }

// AddShorter lets edges of the given lengths pass behind their end by any octet.
func (f *Filter) AddShorter(lengths uint8) { addShorter(f[:], lengths) }

// Add lets an edge pass by its octets.
func (f *LastFilter) Add(e *Edge) { addEdge(f[:], e) }

// AddShorter lets edges of the given lengths pass behind their end by any octet.
func (f *LastFilter) AddShorter(lengths uint8) { addShorter(f[:], lengths) }

func addEdge(f [][64]uint8, e *Edge) {
	last, word := e.Key&7, Fold(e.Word)
	for i := range min(int(last)+1, len(f)) {
		f[i][word>>(8*i)&63] |= 1 << last
	}
}

func addShorter(f [][64]uint8, lengths uint8) {
	const each = 0x0101010101010101
	for i := range f {
		if shorter := uint64(lengths & (1<<i - 1)); shorter != 0 {
			for c := 0; c < len(f[i]); c += 8 {
				eight := f[i][c : c+8]
				binary.LittleEndian.PutUint64(eight, binary.LittleEndian.Uint64(eight)|shorter*each)
			}
		}
	}
}

// of returns the lengths that a word may have.
func (f *LastFilter) of(word uint64) uint8 {
	word = Fold(word)
	return f[0][word&63] & f[1][word>>8&63]
}

// of returns the lengths that a word may have.
func (f *Filter) of(word uint64) uint8 {
	word = Fold(word)
	return f[0][word&63] & f[1][word>>8&63] & f[2][word>>16&63] & f[3][word>>24&63] &
		f[4][word>>32&63] & f[5][word>>40&63] & f[6][word>>48&63] & f[7][word>>56]
}

// State is a place in a trie. The zero value is dead.
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
	// To is, in the automaton of prefixes, the rule whose prefix, and no other's, begins
	// so, with IsWhole set if it matches whatever follows; else it is compared as a whole.
	// Or it is a point, with IsPoint set.
	To uint32
}

// IsPoint tells a point from a rule in Edge.To. IsWhole tells a rule there that has no
// octets more than lead there, no gap, and no end, and is not in FormB.
const (
	IsPoint = 1 << 31
	IsWhole = 1 << 30
)

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
	// Anchor is the index in Segments.Anchors or in Gaps.Anchors of what waits here
	// behind a gap, 0 if nothing does.
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

// Segments are looked for where they may begin, and where they must end with the
// path.
type Segments struct {
	// Trie has a state for each anchor behind which segments wait, and one for
	// those that must end with the path, which are read backwards. Edges lead to a
	// rule, of which the segment is the last, or with IsPoint set to a knot. What an
	// edge leads to in turn has states of higher numbers.
	Trie
	// First is what segments begin with, Last what those end with that must end with
	// the path.
	First Filter
	Last  LastFilter
	// Begin are filters of where segments may begin.
	Begin []Begin
	// Knots are what edges with IsPoint set lead to, by index.
	Knots []Knot
	// Anchors are what segments wait behind: none; nothing; the slash at the start
	// of the path, where a segment begins with another; prefixes and segments.
	Anchors []Anchor

	// Set by New. back is the state of the segments of every path that must end with it,
	// behind its first octets, backTo of them. floats are the anchors of every path with
	// other segments, and behind how many octets these begin; together says that they all
	// have the first filter, so that where it lets none begin they are done with. best is
	// the first rule of all that waits on every path.
	back, backTo uint32
	floats       []reached
	together     bool
	best         uint32
}

// What segments wait behind on every path: nothing, or the slash it begins with.
const (
	FloatsOfNothing = iota + 1
	FloatsOfSlash
)

// Knot is where a segment ends and not just a rule with it, or where eight octets
// of one end.
type Knot struct {
	// Accept is the first rule that ends here.
	Accept uint32
	// Anchor is what begins to wait here, 0 if nothing does.
	Anchor uint32
	// Next is the state that goes on from here, 0 if none.
	Next uint32
}

// Anchor is a prefix, with segments or without, behind which segments wait.
type Anchor struct {
	// State is where those are read that may begin anywhere behind it, Back where
	// those that must end with the path, from there backwards; 0 if there are none.
	State, Back uint32
	// Best is the first rule among them.
	Best uint32
	// Gate is the one octet of the segment that it is, if that waits on every path,
	// behind the first From octets of it: there is no other way to this anchor then.
	// Else Gate and From are 0.
	Gate, From uint8
	// Filter is the index in Segments.Begin of the filter that these segments pass.
	Filter uint8
}

// Begin is a filter of three octets. It has a class for each of eight families of
// segments: the first octets of one of the family are of that class. Where no class
// is in all three, no segment begins.
type Begin struct {
	// Octets has the classes of first, second and third octets. Where a segment of a
	// family is shorter, every octet behind its end is of the family's class.
	Octets [3]Classes

	one, two uint8 // set by New: the families with segments of one octet, and of up to two
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
	Begin   Begin      // the filter of where segments begin

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
	Anchors []Kids
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

// Node is a segment behind a gap, in rules that are the same up to it.
type Node struct {
	// Symbol is the number of its segment's text, see Gaps.Symbol.
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

// Kids are the nodes that wait once a prefix is seen that a gap follows, and the first
// rule among them.
type Kids struct {
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

// Home is one of eight bits by which edges differ for which the search begins in the same
// place, by bits of their hash which that place hardly depends on.
func Home(hash uint64) uint8 { return 1 << (hash >> 29 & 7) }

// Bytes is how much memory the table takes, in bytes, what its rules take not
// counted. A nil table takes none.
func (t *Table) Bytes() int {
	if t == nil {
		return 0
	}
	const filter, last, point, begin, knot, anchor, node, kids = EdgeOctets * 64, 2 * 64, 36, 98, 12, 16, 24, 12
	n := t.Trie.bytes() + filter + point*len(t.Points) + 4*len(t.Tries)
	if g := t.Segments; g != nil {
		n += g.Trie.bytes() + filter + last + begin*len(g.Begin) + knot*len(g.Knots) + anchor*len(g.Anchors) + 8*len(g.floats)
	}
	if g := t.Gaps; g != nil {
		n += 4*(len(g.First)+len(g.Fail)+len(g.Act)+len(g.Symbol)+len(g.Len)+len(g.Floats)) +
			len(g.Label) + len(g.Root) + begin +
			node*len(g.Nodes) + kids*len(g.Anchors) + 8*len(g.kids) + 4*(len(g.families)+len(g.kidsFrom))
	}
	return n
}

func (t *Trie) bytes() int { return len(t.States) + 17*len(t.Edges) }
