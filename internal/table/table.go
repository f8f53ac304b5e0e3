// Package table has the tables with which a machine of package automaton finds the first rule that
// matches a path without examining the others. Package build builds a Table from a ranked list of
// rules and calls Complete; after that the Table is immutable. The number of a rule is its place in
// that list: rule 0 outranks all others.
//
// A single automaton would need a state for each set of segments that may have been seen. So a
// table has two parts, neither larger than the rules. One is a trie of the beginnings of patterns
// (Trie and Point), which reads eight bytes at a time and nearly always ends early. The other finds
// the segments after gaps in one of two ways. Segments searches for them where they may begin,
// which is fast for 99 per cent of real machines with segments. Gaps is an Aho-Corasick automaton,
// which takes the same time for each byte of the path whatever the rules are.
//
// A match takes time proportional to the bytes of the path plus the segments of rules in the path:
// for each rule its initial segments that the path contains in order, plus one, and the distinct
// segments of all rules, each once. It never takes the product of the two. TestSearch in package
// bench searches for rules and paths that violate this; it counts steps (Spend). No better bound
// can be promised: finding which of many rules with two segments has them in the path in order is
// equivalent to asking whether a matrix has a one in given rows and columns. No method is known
// that is much faster than examining each rule (Henzinger et al. 2015 conjecture that there is
// none), and 500 KiB hold 40,000 such rules. The slowest found by TestSearch take 0.1 to 0.4 ms for
// a path of 100 bytes.
//
// Both ways are needed (BenchmarkHostile in package bench). For rules that could be slow with
// Segments, a path of 8,000 bytes took 73 ms to try 20,000 rules of three gaps one by one, and 0.24
// ms with Gaps; Segments without its limit took 21 ms for 1,300 rules of up to 100 gaps, and Gaps
// 0.13 ms.
package table

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
)

// None means no rule. It is higher than the number of any rule.
const None = math.MaxUint32

// Table finds the rules of a ranked list that match a path.
type Table struct {
	// Base is the first rule that matches every path. It is the verdict if nothing better is found.
	Base uint32
	// Root is the first rule that matches the path of a home page, which is the slash alone. A third of the URLs of
	// some lists have it. None if no rule does.
	Root uint32
	// Trie reads prefixes. Its state 1 is after the slash that every path begins with; it may have no
	// edges.
	Trie
	// First filters by the possible lengths of the edges of state 1.
	First Filter
	// Points are where prefixes end. Point 0 is the slash that every path begins with.
	Points []Point
	// Candidates are rules that points try one by one, see Point.Candidates.
	Candidates []uint32
	// Segments finds the segments after gaps. It is nil if there are none or Gaps is used.
	Segments *Segments
	// Gaps finds the segments after gaps where Segments could be slow; otherwise it is nil.
	Gaps *Gaps

	// AtSlash means that point 0 matters for longer paths. Complete sets it.
	AtSlash bool
}

// Complete computes what a match needs from a table that is otherwise finished.
func (t *Table) Complete() {
	p := &t.Points[0]
	t.AtSlash = p.B != 0 || p.Anchor != 0 || p.Candidates != p.CandidatesEnd
	if t.Segments != nil {
		t.Segments.complete()
	}
	if t.Gaps != nil {
		t.Gaps.complete()
	}
}

// Point is a place in the path where at least one prefix ends. Rules in form B have separate
// points, because their path may be spelled differently.
type Point struct {
	// Accept is the first rule that ends here whatever follows; End is the first that ends here if the
	// path does.
	Accept, End uint32
	// Candidates and CandidatesEnd are a half-open range of Table.Candidates: rules with a gap after
	// their prefix, few enough that trying each is cheaper than searching for segments.
	Candidates, CandidatesEnd uint32
	// Anchor is the index in Segments.Anchors or in Gaps.Anchors of what waits here after a gap, 0 if
	// nothing does.
	Anchor uint32
	// Next is the state that continues from here, 0 if none.
	Next uint32
	// Len is the number of bytes of the path before the point. If the edge that leads here has read
	// fewer, the pattern of rule From has the others.
	Len, From uint32
	// B is the point for the rules in form B that end at the same place, 0 if there are none. In that
	// point Next and B are 0.
	B uint32
}

// EdgeOctets is the number of bytes that a trie reads at once.
const EdgeOctets = 8

// Trie is an automaton that reads up to eight bytes at a time. State 0 is dead.
type Trie struct {
	States []State // by number; an edge belongs to the state in its Key
	// Edges is a hash table with linear probing. Its length is a power of two, at least one of
	// its edges is empty (Key 0, To None), and each is found within MaxProbes places of its
	// Hash.
	Edges []Edge
	// Slots has for each place of Edges the SlotBit of each edge whose search begins there. It avoids
	// most searches for missing edges.
	Slots []uint8
	// Seed is the seed of the hash function. It is replaced if an edge would be more than MaxProbes
	// places from the start of its search.
	Seed uint64
}

// State is a place in a trie. The zero value is dead.
type State struct {
	// Lengths has bit n-1 set if edges of n bytes leave the state.
	Lengths uint8
}

// Edge leads from a state by one to eight bytes. Only edges of eight bytes lead to further states.
type Edge struct {
	// Word holds the bytes, the first in the lowest byte; the rest is 0.
	Word uint64
	// Key is the state, times eight, plus the number of bytes less one. It is 0 in an
	// empty place, since no edge leaves state 0.
	Key uint32
	// To is a point or node, with IsPoint set, or a rule. In the trie of prefixes that is the only
	// rule whose prefix begins so. With IsWhole set it matches whatever follows; otherwise it is
	// compared as a whole.
	To uint32
}

// IsPoint marks a point or node, rather than a rule, in Edge.To. IsWhole marks a rule whose pattern is
// no longer than the bytes that lead to it, has no gap, need not end with the path and is not in form
// B.
const (
	IsPoint = 1 << 31
	IsWhole = 1 << 30
)

// MaxProbes limits the places that a search in Edges examines.
const MaxProbes = 64

// Edge returns the target of the edge with a word and a key, or None if there is none.
func (t *Trie) Edge(word uint64, key uint32) uint32 {
	i := Hash(word, key, t.Seed)
	mask := uint64(len(t.Edges) - 1)
	if t.Slots[i&mask]&SlotBit(i) == 0 {
		return None
	}
	for end := i + MaxProbes; i != end; i++ {
		e := &t.Edges[i&mask]
		if e.Word == word && e.Key == key || e.Key == 0 {
			return e.To
		}
	}
	return None // only a hostile robots.txt fills so many consecutive places
}

// SetEdges builds the hash table of the trie's edges, and reports whether that succeeded. An edge far from
// where its search begins would make matching slow, so none may be MaxProbes places away or more. The first
// seed depends on all edges. A robots.txt can still be crafted against it, but not against the following
// ones, which are random. By chance, the first seed fails for one in a hundred tables that have many thousand
// edges and are as full as they get, which is seven tenths, so the second half of the attempts uses twice the
// space.
func (t *Trie) SetEdges(edges []Edge) bool {
	const attempts = 8
	size := 1 << bits.Len(uint(len(edges)*10/7))
	t.Seed = seedOf(edges)
	for attempt := range attempts {
		if attempt == attempts/2 {
			size *= 2
		}
		if len(t.Edges) < size {
			t.Edges, t.Slots = make([]Edge, size), make([]uint8, size)
		}
		if t.put(edges) {
			return true
		}
		t.Seed = rand.Uint64()
	}
	return false
}

// put puts edges into the hash table. It returns false if one would be too far from its place.
func (t *Trie) put(edges []Edge) bool {
	for i := range t.Edges {
		t.Edges[i] = Edge{To: None}
	}
	clear(t.Slots)
	mask := uint64(len(t.Edges) - 1)
	for _, e := range edges {
		i := Hash(e.Word, e.Key, t.Seed)
		t.Slots[i&mask] |= SlotBit(i)
		for n := 1; t.Edges[i&mask].Key != 0; n++ {
			if n == MaxProbes { // the search looks no further
				return false
			}
			i++
		}
		t.Edges[i&mask] = e
	}
	return true
}

// seedOf returns a number that depends on the bytes of all edges and on their order (after FNV-1a,
// a word at a time).
func seedOf(edges []Edge) uint64 {
	seed := uint64(0xcbf29ce484222325)
	for _, e := range edges {
		seed = (seed ^ e.Word) * 0x100000001b3
		seed ^= seed >> 29
	}
	return seed
}

// Hash returns the hash of an edge. Its low bits are the place in a table of edges at
// which the search begins.
func Hash(word uint64, key uint32, seed uint64) uint64 {
	const odd = 0x9E3779B97F4A7C15
	x := (word ^ seed) * odd
	x = (x ^ x>>32 ^ uint64(key)) * odd
	return x >> 32
}

// SlotBit returns one of eight bits, which depends on other bits of a hash than the place
// at which the search begins.
func SlotBit(hash uint64) uint8 { return 1 << (hash >> 29 & 7) }

// Filter gives the possible lengths of an edge at the beginning of a trie, by the bytes that follow: bit n-1 of
// Filter[i][c] is set if there is an edge of n bytes that has c as its byte i, folded by Fold, or has no byte
// i.
type Filter [EdgeOctets][64]uint8

// LastFilter is a filter of two bytes.
type LastFilter [2][64]uint8

// Fold reduces each byte of a word to six bits. Among the bytes in URLs, only letters that differ
// in case become equal.
func Fold(word uint64) uint64 {
	const low, letter = 0x1f1f1f1f1f1f1f1f, 0x2020202020202020
	return word&low | word>>1&letter
}

// AddEdge lets an edge pass a filter.
func AddEdge(f [][64]uint8, e *Edge) {
	last, word := e.Key&7, Fold(e.Word)
	for i := range min(int(last)+1, len(f)) {
		f[i][word>>(8*i)&63] |= 1 << last
	}
}

// AddShorter lets edges of the given lengths pass a filter with any byte after their end.
func AddShorter(f [][64]uint8, lengths uint8) {
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

// of returns the possible lengths for a word.
func (f *LastFilter) of(word uint64) uint8 {
	word = Fold(word)
	return f[0][word&63] & f[1][word>>8&63]
}

// of returns the possible lengths for a word.
func (f *Filter) of(word uint64) uint8 {
	word = Fold(word)
	return f[0][word&63] & f[1][word>>8&63] & f[2][word>>16&63] & f[3][word>>24&63] &
		f[4][word>>32&63] & f[5][word>>40&63] & f[6][word>>48&63] & f[7][word>>56]
}

// FirstOctets returns up to the first eight bytes, the first in the lowest byte.
func FirstOctets(b []byte) uint64 {
	switch n := len(b); {
	case n >= EdgeOctets:
		return binary.LittleEndian.Uint64(b)
	case n >= 4: // both halves hold the bytes in the middle
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n >= 2:
		return uint64(binary.LittleEndian.Uint16(b)) | uint64(binary.LittleEndian.Uint16(b[n-2:]))<<(8*(n-2))
	case n == 1:
		return uint64(b[0])
	}
	return 0
}

// WordMask has the lowest n bytes set. It is longer than EdgeOctets needs, so that a four-bit index
// is known to be in range.
var WordMask = func() (m [16]uint64) {
	for n := range m {
		m[n] = 1<<(8*n) - 1
	}
	return m
}()

// LengthsUpTo has a bit for each of the first n lengths.
var LengthsUpTo = [EdgeOctets + 1]uint8{0, 1, 3, 7, 15, 31, 63, 127, 255}

// HasEmptySegment reports whether nothing is between two gaps, or after the last, in a pattern
// after its first gap.
func HasEmptySegment(rest string) bool {
	return rest == "" || rest[0] == '*' || rest[len(rest)-1] == '*' || strings.Contains(rest, "**")
}

// Rarity orders bytes by how rarely they occur in the paths of URLs.
func Rarity(octet byte) int {
	switch {
	case octet == '/':
		return 0
	case 'a' <= octet && octet <= 'z':
		return 1 + strings.IndexByte("eatisonrcldpmguhbfvywkxjzq", octet)
	case octet == '-' || octet == '.':
		return 27
	case '0' <= octet && octet <= '9':
		return 28
	}
	return 29
}

// Scratch is the memory that a search writes to. It isn't safe for concurrent use.
type Scratch struct {
	Anchors []Reached // of the path, prefixes in the order of their ends
	gapScratch
}

// Reached is an anchor of the path, with the place where it ends.
type Reached struct{ Anchor, End uint32 }
