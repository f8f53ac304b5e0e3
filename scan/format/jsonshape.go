package format

import (
	"encoding/binary"
	"math/bits"
)

// shapes are what the objects of a log have in common: all octets but those of the values.
// Most objects differ in their values only from one that was read before, and comparing them
// with what is known takes less time than understanding them.
//
// The shapes are a tree. Each way from its root is the beginning of an object that has been
// walked, and a way to an end is a whole one.
type shapes struct {
	pieces   []shapePiece // the first is the root
	literals []byte       // of the pieces, with padding behind each

	// Of the object that is being walked:
	watched bool
	piece   int32  // the last one
	behind  int    // where its value ends
	signs   uint32 // that objects and arrays behind it have given
	choice  *jsonChoice

	rest int // how many objects are not watched, as too few have had a shape that was known
}

// shapePiece is a literal, which is all that is between two values, and what is behind it: a
// value, or the end of the object.
type shapePiece struct {
	next, other   int32 // the first piece behind this one, and one that may be in its place; 0 for none
	literal, size int32 // where in shapes.literals it is, and its length
	end           bool
	node          *jsonNode   // of the value, nil if it is not wanted
	signs         uint32      // that the objects and arrays that begin in the literal give
	choice        *jsonChoice // an element of it ends in the literal, nil if none does
}

// Limits of shapes. A log of which no object has the shape of another, as with Caddy, which
// logs headers in a random order, is not watched most of the time.
const (
	shapePadding = 8       // how many octets more than a literal sameOctets may read
	shapeOctets  = 1 << 16 // of literals
	shapeTries   = 16      // pieces that are tried in vain for an object
	shapeRest    = 1 << 14 // objects that are not watched when the literals are full
)

// begin tells that the walk of an object at at begins.
func (s *shapes) begin(at int) {
	if len(s.literals) > shapeOctets {
		s.pieces, s.literals, s.rest = s.pieces[:0], s.literals[:0], shapeRest
	}
	if len(s.pieces) == 0 {
		s.pieces = append(s.pieces, shapePiece{})
	}
	s.rest = max(s.rest-1, 0)
	s.watched, s.piece, s.behind, s.signs, s.choice = s.rest == 0, 0, at, 0, nil
}

// value notes a value at chunk[at:end].
func (s *shapes) value(chunk []byte, at, end int, n *jsonNode) {
	if s.watched {
		s.note(chunk[s.behind:at], shapePiece{node: n})
		s.behind = end
	}
}

// end notes the end of the object, and stops watching.
func (s *shapes) end(chunk []byte, end int) {
	if s.watched && end >= 0 {
		s.note(chunk[s.behind:end], shapePiece{end: true})
	}
	s.watched = false
}

// note makes the piece p of a literal the last one.
func (s *shapes) note(literal []byte, p shapePiece) {
	before := &s.pieces[s.piece]
	p.signs, p.choice = s.signs, s.choice
	s.signs, s.choice = 0, nil
	for i := before.next; i != 0; i = s.pieces[i].other {
		if q := &s.pieces[i]; q.end == p.end && string(s.literals[q.literal:q.literal+q.size]) == string(literal) {
			s.piece = i
			return
		}
	}
	p.other, p.literal, p.size = before.next, int32(len(s.literals)), int32(len(literal))
	s.piece = int32(len(s.pieces))
	before.next = s.piece
	s.pieces = append(s.pieces, p)
	s.literals = append(append(s.literals, literal...), make([]byte, shapePadding)...)
	s.watched = len(s.literals) <= 2*shapeOctets
}

// follow is walk for an object of a known shape. It returns -1 if this is of another.
func (j *jsonReader) follow(at int) int {
	s := &j.shapes
	if len(s.pieces) == 0 {
		return -1
	}
	j.begin()
	chunk, pieces, literals := j.chunk, s.pieces, s.literals
	tries := 0
	for k := pieces[0].next; k != 0; {
		p := &pieces[k]
		size := int(p.size)
		if at+size > len(chunk) || !sameOctets(chunk[at:], literals[p.literal:], size) {
			if tries++; tries > shapeTries {
				return -1
			}
			k = p.other
			continue
		}
		at += size
		j.signs |= p.signs
		if p.choice != nil {
			j.choose(p.choice)
		}
		if p.end {
			return at
		}
		if at >= len(chunk) {
			return -1
		}
		k = p.next
		begin, n := at, p.node
		if chunk[begin] != '"' {
			length := bareLength(chunk[begin:])
			if length == 0 {
				return -1
			}
			if at += length; n != nil && chunk[begin] != 'n' {
				j.found(n, chunk[begin:at])
			}
			continue
		}
		w := j.ahead(begin + 1)
		end, escaped := begin+1+bits.TrailingZeros64(w), false
		if w == 0 || chunk[end] != '"' {
			if end, escaped = j.quoteEnd(begin); end < 0 {
				return -1
			}
		}
		switch {
		case n == nil:
		case escaped:
			j.foundEscaped(n, chunk[begin+1:end])
		default:
			j.found(n, chunk[begin+1:end])
		}
		at = end + 1
	}
	return -1
}

// sameOctets tells whether the first n octets of a and b are the same. a has n or more, b
// shapePadding more than that.
func sameOctets(a, b []byte, n int) bool {
	for ; n > 8; n -= 8 {
		if binary.LittleEndian.Uint64(a) != binary.LittleEndian.Uint64(b) {
			return false
		}
		a, b = a[8:], b[8:]
	}
	if len(a) < 8 {
		return string(a[:n]) == string(b[:n])
	}
	return (binary.LittleEndian.Uint64(a)^binary.LittleEndian.Uint64(b))<<(64-8*n) == 0
}
