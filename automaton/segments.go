package automaton

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The search for segments, in one line: at each place of the path at which a
// segment may begin, the segments are looked for as prefixes are (match.go), up to
// eight octets at a time. Four things complicate it.
//
// First, there are few such places, and to look at all others would take most of
// the time. So a filter of three octets tells of 64 places at once at which of
// them a segment may begin: most often at none.
//
// Second, a segment is looked for only once those before it in its rule have been
// found. Each list of a prefix and segments behind which others wait is an anchor
// with states of its own. It begins to wait at the leftmost place where the path
// has it, and the places from there on are gone through for it: a few times more
// for one path, not for each rule. Rules of which too many could wait at a time are
// left to the automaton of gaps (gaps.go), which takes the same time for each octet
// whatever waits.
//
// Third, most of what others wait behind is a single octet, '?' or '&', that waits on
// every path. To find that first would cost every path that has it; what waits behind
// such a gate is searched for as if it were open, and only if a place is found where
// it may begin the path is asked for the octet.
//
// Fourth, a segment that must end where the path does can only begin at one place.
// These are looked for from the end backwards, before all others, and most paths
// do not pass the filter of last octets.

// first returns the first rule below best that matches, best if none does. The
// anchors in s are those that the path has; floats says that what waits on every
// path counts.
func (g *Segments) first(s *Scratch, path []byte, floats bool, best uint32) uint32 {
	b := block{filter: None}
	if floats && g.best < best {
		if g.back != 0 {
			best = g.readBack(g.back, path[g.backTo:], best)
		}
		if len(g.floats) > 0 {
			b = block{0, 0, g.Begin[0].places(path)}
			if b.set != 0 || !g.together || len(path) > 64 {
				best = g.floating(s, &b, path, best)
			}
		}
	}
	for i := 0; i < len(s.anchors); i++ { // to which a search may add
		r := s.anchors[i]
		if a := &g.Anchors[r.anchor]; a.Best < best {
			if a.Back != 0 {
				best = g.readBack(a.Back, path[r.end:], best)
			}
			best = g.search(s, &b, path, int(r.end), a, best)
		}
	}
	return best
}

// floating is first for what waits on every path.
func (g *Segments) floating(s *Scratch, b *block, path []byte, best uint32) uint32 {
	for _, r := range g.floats {
		a, from := &g.Anchors[r.anchor], int(r.end)
		if a.Best >= best {
			continue
		}
		if a.Gate != 0 {
			gate := bytes.IndexByte(path[from:], a.Gate)
			if gate < 0 {
				continue
			}
			from += gate + 1
		}
		if a.Back != 0 && a.Back != g.back {
			best = g.readBack(a.Back, path[from:], best)
		}
		best = g.search(s, b, path, from, a, best)
	}
	return best
}

// block is the set of places in 64 octets of a path, from octet from on, at which a
// filter lets segments begin.
type block struct {
	filter uint32 // None if none has been asked
	from   int
	set    uint64
}

// search looks for the segments that wait behind an anchor which has ended at an
// octet of the path.
func (g *Segments) search(s *Scratch, b *block, path []byte, from int, a *Anchor, best uint32) uint32 {
	if a.State == 0 || from == len(path) || a.Best >= best {
		return best
	}
	filter := &g.Begin[a.Filter]
	if b.filter != uint32(a.Filter) || from-b.from >= 64 || from < b.from {
		*b = block{uint32(a.Filter), from, filter.places(path[from:])}
	}
	set := b.set >> (from - b.from) << (from - b.from)
	for base := b.from; ; {
		for ; set != 0; set &= set - 1 {
			at := base + bits.TrailingZeros64(set)
			word := firstOctets(path[at:])
			lengths := g.First.of(word) & g.States[a.State].Lengths & lengthsUpTo[min(len(path)-at, EdgeOctets)]
			if lengths == 0 {
				continue
			}
			if best = g.read(s, path, at, a.State, word, lengths, best); best <= a.Best {
				return best
			}
		}
		if base += 64; base >= len(path) {
			return best
		}
		set = filter.places(path[base:])
	}
}

// read goes through the segments that begin at an octet of the path, in a state of
// which edges of the given lengths may go on with a word.
func (g *Segments) read(s *Scratch, path []byte, at int, state uint32, word uint64, lengths uint8, best uint32) uint32 {
	for {
		next := uint32(0)
		for ; lengths != 0; lengths &= lengths - 1 {
			n := uint32(bits.TrailingZeros8(lengths))
			to := g.edge(word&wordMask[n+1], state<<3|n)
			if to+1 <= IsPoint { // a rule, or None
				best = min(best, to)
				continue
			}
			k := &g.Knots[to&^IsPoint]
			if best = min(best, k.Accept); k.Anchor != 0 {
				s.arm(k.Anchor, uint32(at)+n+1)
			}
			next = k.Next
		}
		if next == 0 {
			return best
		}
		state, at = next, at+EdgeOctets
		word, lengths = firstOctets(path[at:]), g.States[state].Lengths&lengthsUpTo[min(len(path)-at, EdgeOctets)]
	}
}

// readBack goes through the segments that end where the path does.
func (g *Segments) readBack(state uint32, path []byte, best uint32) uint32 {
	word := lastOctets(path)
	lengths := g.States[state].Lengths & lengthsUpTo[min(len(path), EdgeOctets)] & g.Last.of(word)
	for {
		next := uint32(0)
		for ; lengths != 0; lengths &= lengths - 1 {
			n := uint32(bits.TrailingZeros8(lengths))
			to := g.edge(word&wordMask[n+1], state<<3|n)
			if to+1 <= IsPoint {
				best = min(best, to)
			} else {
				k := &g.Knots[to&^IsPoint]
				best, next = min(best, k.Accept), k.Next
			}
		}
		if next == 0 {
			return best
		}
		state, path = next, path[:len(path)-EdgeOctets]
		word, lengths = lastOctets(path), g.States[state].Lengths&lengthsUpTo[min(len(path), EdgeOctets)]
	}
}

// arm lets what is behind an anchor wait, from an octet of the path on, unless it
// does so already.
func (s *gapScratch) arm(anchor, end uint32) {
	for _, r := range s.anchors {
		if r.anchor == anchor {
			return
		}
	}
	s.anchors = append(s.anchors, reached{anchor, end})
}

// places is the set of places among the first 64 octets of b, which is not empty,
// at which the filter lets a segment begin.
func (f *Begin) places(b []byte) uint64 {
	set := triples64(&f.Octets, b)
	n := len(b)
	if n > 65 {
		return set
	}
	// Behind the end of b there may be anything, so that its last octets are asked here.
	set &= 1<<max(n-2, 0) - 1
	if f.two == 0 {
		return set
	}
	last := b[n-1]
	if f.Octets[0].of(last)&f.one != 0 {
		set |= 1 << (n - 1)
	}
	if n > 1 && f.Octets[0].of(b[n-2])&f.Octets[1].of(last)&f.two != 0 {
		set |= 1 << (n - 2)
	}
	return set
}

// lastOctets returns the last eight octets, the last in the lowest byte, or as many
// as there are.
func lastOctets(b []byte) uint64 {
	if n := len(b); n >= EdgeOctets {
		return bits.ReverseBytes64(binary.LittleEndian.Uint64(b[n-EdgeOctets:]))
	}
	return bits.ReverseBytes64(firstOctets(b)) >> (64 - 8*len(b))
}
