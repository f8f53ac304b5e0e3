package table

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// How the search for segments works. At each place in the path where a segment may begin, the
// segments are looked up like prefixes, up to eight bytes at a time. Four things complicate this.
//
// First, there are few such places. A three-byte filter finds those among 64 places at once, usually
// none.
//
// Second, a segment is looked up only once the segments before it in its rule have been found. Each sequence of
// a prefix and segments that others wait for is an anchor with its own states. It starts to wait at the
// leftmost place where the path contains it, and the places from there on are searched for it: a few times per
// path, not once per rule. Rules of which too many could wait at the same time are left to the other method
// (gaps.go).
//
// Third, most segments that others wait for are a single byte, '?' or '&', which may be anywhere in the path. What
// follows is searched for as if the byte had been found, and the path is checked for the byte only if there is a place
// where what follows may begin.
//
// Fourth, a segment that must end where the path ends can only begin at one place. These are
// looked up first, backwards from the end, and most paths do not pass the filter of last
// bytes.

// Segments finds segments where they may begin, and those that must end with the path.
type Segments struct {
	// Trie has a state for each anchor after which segments wait, and one for those that must end with
	// the path, which are read backwards. An edge leads to the rule whose last segment it is or, with
	// IsPoint set, to a node. Further edges leave from states with higher numbers.
	Trie
	// First filters by the possible lengths of edges where segments begin, Last does so for segments that must end
	// with the path.
	First Filter
	Last  LastFilter
	// Starts are filters of where segments may begin.
	Starts []StartFilter
	// Nodes are the targets of edges with IsPoint set, by index.
	Nodes []SegmentNode
	// Anchors are what segments wait after: none; nothing (EveryPath); the slash at the start of the
	// path (EveryPathSlash); prefixes and segments.
	Anchors []Anchor

	// Octet is a segment of one byte that ends a rule of every path, such as "/*?" or "/*/", and OctetRule the first
	// such rule. A path has such a byte so often that in the trie it would be looked up again and again. Without one,
	// OctetRule is None. The slash that every path begins with does not count.
	OctetRule uint32
	Octet     byte

	// Complete sets these. back is the state of the segments of every path that must end with it,
	// after their first bytes, of which backTo is the number. everyPath are the anchors of every path
	// with other segments, and after how many bytes these begin. together means that all of them use
	// the first filter, so that no search is needed if it lets none begin. best is the first rule of
	// all that waits on every path.
	backTo    uint8
	together  bool
	back      uint32
	best      uint32
	everyPath []Reached
}

// EveryPath and EveryPathSlash are the anchors that every path has; the second is its initial
// slash.
const (
	EveryPath = iota + 1
	EveryPathSlash
)

// SegmentNode is where a segment ends, unless only a rule ends with it, or where the first eight
// bytes of one end.
type SegmentNode struct {
	// Accept is the first rule that ends here.
	Accept uint32
	// Anchor starts waiting here, 0 if none does.
	Anchor uint32
	// Next is the state that continues from here, 0 if none.
	Next uint32
}

// Anchor is a prefix, possibly with segments, after which segments wait.
type Anchor struct {
	// State reads the segments that may begin anywhere after it. Back reads those that must end with
	// the path, backwards from its end. They are 0 if there are none.
	State, Back uint32
	// Best is the first rule among them.
	Best uint32
	// Octet is set for an anchor that is a single byte anywhere in the path after the first From
	// bytes. Nothing else leads to such an anchor. For all others Octet and From are 0.
	Octet, From uint8
	// Filter is the index in Segments.Starts of the filter for these segments.
	Filter uint8
}

// StartFilter is a three-byte filter. It has a class for each of eight groups of segments, which contains
// the first bytes of the segments in the group. No segment begins where the three bytes have no class in
// common.
type StartFilter struct {
	// Octets has the classes of first, second and third bytes. If a segment of a group is shorter, every byte after its
	// end is in the group's class.
	Octets [3]Classes

	one, two uint8 // the groups with segments of one byte, and of up to two; Complete sets them
}

// complete is Complete for the filter.
func (f *StartFilter) complete() {
	f.two = f.Octets[2].Every()
	f.one = f.Octets[1].Every() & f.two
}

// complete is Complete for the segments.
func (g *Segments) complete() {
	for i := range g.Starts {
		g.Starts[i].complete()
	}
	g.back, g.backTo, g.everyPath, g.together, g.best = 0, 0, nil, true, g.OctetRule
	for i := range uint32(len(g.Anchors)) {
		a := &g.Anchors[i]
		r := Reached{i, uint32(a.From)}
		switch {
		case a.Octet != 0 || i == EveryPath:
		case i == EveryPathSlash:
			r.End = 1
		default:
			continue
		}
		g.best = min(g.best, a.Best)
		if a.Octet == 0 && g.back == 0 {
			g.back, g.backTo = a.Back, uint8(r.End)
		}
		if a.State == 0 && a.Back == g.back {
			continue
		}
		g.everyPath = append(g.everyPath, r)
		if a.Filter != 0 || a.Back != 0 && a.Back != g.back {
			g.together = false
		}
	}
}

// Find returns the first rule below best that matches, or best if none does. s has the anchors of
// the path; everyPath means that what waits on every path counts.
func (g *Segments) Find(s *Scratch, path []byte, everyPath bool, best uint32) uint32 {
	b := block{filter: None}
	if everyPath && g.best < best {
		if g.back != 0 {
			best = g.readBack(g.back, path[g.backTo:], best)
		}
		if g.OctetRule < best && len(path) > 1 && bytes.IndexByte(path[1:], g.Octet) >= 0 {
			best = g.OctetRule
		}
		if len(g.everyPath) > 0 {
			b = block{0, 0, g.Starts[0].places(path)}
			if b.set != 0 || !g.together || len(path) > 64 {
				best = g.findEveryPath(s, &b, path, best)
			}
		}
	}
	for i := 0; i < len(s.Anchors); i++ { // a search may add more
		r := s.Anchors[i]
		if a := &g.Anchors[r.Anchor]; a.Best < best {
			if a.Back != 0 {
				best = g.readBack(a.Back, path[r.End:], best)
			}
			best = g.search(s, &b, path, int(r.End), a, best)
		}
	}
	return best
}

// findEveryPath is Find for what waits on every path.
func (g *Segments) findEveryPath(s *Scratch, b *block, path []byte, best uint32) uint32 {
	for _, r := range g.everyPath {
		a, from := &g.Anchors[r.Anchor], int(r.End)
		if a.Best >= best {
			continue
		}
		if a.Octet != 0 {
			at := bytes.IndexByte(path[from:], a.Octet)
			if at < 0 {
				continue
			}
			from += at + 1
		}
		if a.Back != 0 && a.Back != g.back {
			best = g.readBack(a.Back, path[from:], best)
		}
		best = g.search(s, b, path, from, a, best)
	}
	return best
}

// block is the set of places in 64 bytes of a path, starting at byte from, at which a filter lets
// segments begin.
type block struct {
	filter uint32 // None before the first filter
	from   int
	set    uint64
}

// search looks for the segments that wait after an anchor that ends at a byte of the path.
func (g *Segments) search(s *Scratch, b *block, path []byte, from int, a *Anchor, best uint32) uint32 {
	if a.State == 0 || from == len(path) || a.Best >= best {
		return best
	}
	filter := &g.Starts[a.Filter]
	if b.filter != uint32(a.Filter) || from-b.from >= 64 || from < b.from {
		*b = block{uint32(a.Filter), from, filter.places(path[from:])}
	}
	set := b.set >> (from - b.from) << (from - b.from)
	for base := b.from; ; {
		for ; set != 0; set &= set - 1 {
			Spend(1)
			at := base + bits.TrailingZeros64(set)
			word := FirstOctets(path[at:])
			lengths := g.First.of(word) & g.States[a.State].Lengths & LengthsUpTo[min(len(path)-at, EdgeOctets)]
			if lengths == 0 {
				continue
			}
			best = g.read(s, path, at, a.State, word, lengths, best)
			if best <= a.Best {
				return best
			}
		}
		Spend(1)
		base += 64
		if base >= len(path) {
			return best
		}
		set = filter.places(path[base:])
	}
}

// read goes through the segments that begin at a byte of the path, in a state where edges of the
// given lengths may match a word.
func (g *Segments) read(s *Scratch, path []byte, at int, state uint32, word uint64, lengths uint8, best uint32) uint32 {
	for {
		Spend(1 + bits.OnesCount8(lengths))
		next := uint32(0)
		for ; lengths != 0; lengths &= lengths - 1 {
			n := uint32(bits.TrailingZeros8(lengths))
			to := g.Edge(word&WordMask[n+1], state<<3|n)
			if to+1 <= IsPoint { // a rule, or None
				best = min(best, to)
				continue
			}
			node := &g.Nodes[to&^IsPoint]
			best = min(best, node.Accept)
			if node.Anchor != 0 {
				s.wait(node.Anchor, uint32(at)+n+1)
			}
			next = node.Next
		}
		if next == 0 {
			return best
		}
		state, at = next, at+EdgeOctets
		word, lengths = FirstOctets(path[at:]), g.States[state].Lengths&LengthsUpTo[min(len(path)-at, EdgeOctets)]
	}
}

// readBack goes through the segments that end where the path does.
func (g *Segments) readBack(state uint32, path []byte, best uint32) uint32 {
	word := lastOctets(path)
	lengths := g.States[state].Lengths & LengthsUpTo[min(len(path), EdgeOctets)] & g.Last.of(word)
	for {
		Spend(1 + bits.OnesCount8(lengths))
		next := uint32(0)
		for ; lengths != 0; lengths &= lengths - 1 {
			n := uint32(bits.TrailingZeros8(lengths))
			to := g.Edge(word&WordMask[n+1], state<<3|n)
			if to+1 <= IsPoint {
				best = min(best, to)
			} else {
				node := &g.Nodes[to&^IsPoint]
				best, next = min(best, node.Accept), node.Next
			}
		}
		if next == 0 {
			return best
		}
		state, path = next, path[:len(path)-EdgeOctets]
		word, lengths = lastOctets(path), g.States[state].Lengths&LengthsUpTo[min(len(path), EdgeOctets)]
	}
}

// wait adds an anchor that the path has at a byte, unless it was added before.
func (s *Scratch) wait(anchor, end uint32) {
	Spend(len(s.Anchors))
	for _, r := range s.Anchors {
		if r.Anchor == anchor {
			return
		}
	}
	s.Anchors = append(s.Anchors, Reached{anchor, end})
}

// places returns the set of places among the first 64 bytes of b, which must not be empty, at which
// the filter lets a segment begin.
func (f *StartFilter) places(b []byte) uint64 {
	set := triples64(&f.Octets, b)
	n := len(b)
	if n > 65 {
		return set
	}
	// After the end of b there may be anything, so its last two bytes are examined here.
	set &= 1<<max(n-2, 0) - 1
	if f.two == 0 {
		return set
	}
	last := b[n-1]
	if f.Octets[0].Of(last)&f.one != 0 {
		set |= 1 << (n - 1)
	}
	if n > 1 && f.Octets[0].Of(b[n-2])&f.Octets[1].Of(last)&f.two != 0 {
		set |= 1 << (n - 2)
	}
	return set
}

// lastOctets returns up to the last eight bytes, the last in the lowest byte.
func lastOctets(b []byte) uint64 {
	if n := len(b); n >= EdgeOctets {
		return bits.ReverseBytes64(binary.LittleEndian.Uint64(b[n-EdgeOctets:]))
	}
	return bits.ReverseBytes64(FirstOctets(b)) >> (64 - 8*len(b))
}
