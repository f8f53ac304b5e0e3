package format

import (
	"encoding/binary"
	"math/bits"
)

// quotedMarks tell where the quotes and the delimiters in a part of a chunk are, so that 64 octets
// of a line are looked at together: an octet is in quotes if the quotes before it in its line are
// of an odd number.
type quotedMarks struct {
	from, size         int // the part
	quotes, delimiters bitMarks
	ends               []uint16 // of all fields of a line but the last one
}

// word returns the bits of the 64 octets from i on.
func (b *bitMarks) word(i int) uint64 {
	at, low := uint(i)/8, uint(i)%8
	return binary.LittleEndian.Uint64(b[at:])>>low | uint64(b[at+8])<<(64-low)
}

// mark marks a part of the chunk that begins with a line, unless the line is marked, and tells
// whether it is then. It is not if it is longer than the part, or near the end of the chunk.
func (q *quotedMarks) mark(chunk []byte, at, length int, delimiter byte) bool {
	if at < q.from || at+length > q.from+q.size {
		part := chunk[at:min(at+indexed, len(chunk))]
		q.from, q.size = at, markBits(part, octets{'"', '"', '"'}, &q.quotes)
		markBits(part, octets{delimiter, delimiter, delimiter}, &q.delimiters)
	}
	return at+length <= q.from+q.size
}

// splitMarked sets c.ends to the ends of the fields of the line that begins at at in the chunk,
// by its marks. It returns false if the fields are not as many as the columns, or the line is
// not marked, or has a quote that is neither at the border of its field nor doubled.
func (c *columns) splitMarked(line []byte, at int) bool {
	q := c.quoted
	if !q.mark(c.chunk, at, len(line), c.delimiter) {
		return false
	}
	n, at := 0, at-q.from
	// Of the octet before a word: whether it is in quotes (all bits), closes quotes, and may
	// be followed by quotes that open.
	inside, closed, before := uint64(0), uint64(0), uint64(1)
	for from := 0; from < len(line); from += 64 {
		ours := ^uint64(0) >> max(0, 64-(len(line)-from))
		quotes, delimiters := q.quotes.word(at+from)&ours, q.delimiters.word(at+from)
		in := parity(quotes) ^ inside
		opening, closing := quotes&in, quotes&^in
		delimiters &= ours &^ in
		borders := delimiters | closing
		if opening&^(borders<<1|before)|(closing<<1|closed)&ours&^(delimiters|opening) != 0 {
			return false
		}
		inside, closed, before = uint64(int64(in)>>63), closing>>63, borders>>63
		if n+bits.OnesCount64(delimiters) > len(q.ends) {
			return false
		}
		for ; delimiters != 0; delimiters &= delimiters - 1 {
			q.ends[n] = uint16(from + bits.TrailingZeros64(delimiters))
			n++
		}
	}
	c.ends, c.back = q.ends, 0
	return n == len(q.ends) && inside == 0
}

// parity sets each bit that has, with those below it, an odd number of set bits.
func parity(b uint64) uint64 {
	b ^= b << 1
	b ^= b << 2
	b ^= b << 4
	b ^= b << 8
	b ^= b << 16
	return b ^ b<<32
}
