package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// marks tell where the quotes, the backslashes and the ends of lines in a chunk are. They are
// found for some octets of the chunk at a time.
type marks struct {
	chunk []byte
	from  int      // where the part of the chunk begins whose marks are known
	size  int      // its length
	bits  bitMarks // of it, and clear ones behind it
}

// bitMarks are a bit for each of indexed octets, and clear ones behind them.
type bitMarks [indexed/8 + 8]byte

func (m *marks) reset(chunk []byte) { m.chunk, m.from, m.size = chunk, 0, 0; clear(m.bits[:]) }

// ahead returns the marks of some octets from at on, the first in the lowest bit. If it is 0
// there may be some behind them.
func (m *marks) ahead(at int) uint64 {
	i := uint(at - m.from)
	if i >= indexed {
		return 0
	}
	return binary.LittleEndian.Uint64(m.bits[i/8:]) >> (i % 8)
}

// next returns the place of the first mark at or behind at, the length of the chunk if there
// is none.
func (m *marks) next(at int) int {
	for {
		i := at - m.from
		if uint(i) >= uint(m.size) {
			if at >= len(m.chunk) {
				return len(m.chunk)
			}
			m.find(at)
			i = 0
		}
		if w := m.ahead(at); w != 0 {
			return at + bits.TrailingZeros64(w)
		}
		at = min(at+64-i%8, m.from+m.size)
	}
}

// find makes the marks known from at on.
func (m *marks) find(at int) {
	part := m.chunk[at:min(at+indexed, len(m.chunk))]
	m.from, m.size = at, len(part)
	done := markBits(part, quoted, &m.bits)
	clear(m.bits[done/8:])
	for i := done; i < len(part); i++ {
		if c := part[i]; c == '"' || c == '\\' || c == '\n' {
			m.bits[i/8] |= 1 << (i % 8)
		}
	}
}

// octet returns an octet of the chunk, and the end of a line behind it.
func (m *marks) octet(at int) byte {
	if at < len(m.chunk) {
		return m.chunk[at]
	}
	return '\n'
}

// blanks returns the index of the first octet at or behind at that is no blank.
func (m *marks) blanks(at int) int {
	if at < len(m.chunk) && m.chunk[at] > ' ' {
		return at
	}
	return m.moreBlanks(at)
}

// moreBlanks is blanks where there is one, or the end of a line.
func (m *marks) moreBlanks(at int) int {
	for at < len(m.chunk) && (m.chunk[at] == ' ' || m.chunk[at] == '\t' || m.chunk[at] == '\r') {
		at++
	}
	return at
}

// quoteEnd returns the place of the quote that ends the string whose quote is at at, and tells
// whether an octet in it is escaped. It is -1 if the line ends first.
func (m *marks) quoteEnd(at int) (end int, escaped bool) {
	if end = m.next(at + 1); m.octet(end) == '"' {
		return end, false
	}
	for m.octet(end) == '\\' && m.octet(end+1) != '\n' {
		end = m.next(end + 2)
	}
	if m.octet(end) != '"' {
		return -1, true
	}
	return end, true
}

// walk reads the object that begins at at, and returns where it ends. It returns -1 if it
// has not understood all of it.
func (j *jsonReader) walk(at int) int {
	at = j.blanks(at)
	if j.octet(at) != '{' {
		return -1
	}
	if end := j.follow(at); end >= 0 {
		return end
	}
	j.begin()
	j.shapes.begin(at)
	end := j.walkObject(j.tree.root, at, 1)
	j.shapes.end(j.chunk, end)
	return end
}

// walkObject is walk for an object in an object or array of which n is the node; n is nil
// if nothing in it is wanted. depth is how many objects and arrays it is in, with itself.
func (j *jsonReader) walkObject(n *jsonNode, at, depth int) int {
	if at = j.blanks(at + 1); j.octet(at) == '}' {
		return at + 1
	}
	for more := true; more; {
		if j.octet(at) != '"' {
			return -1
		}
		quote, escaped := j.quoteEnd(at)
		if quote < 0 {
			return -1
		}
		var child *jsonNode
		switch {
		case n == nil:
		case escaped:
			child = n.member(j.unescaped(j.chunk[at+1 : quote]))
		default:
			child = n.member(j.chunk[at+1 : quote])
		}
		if at = j.blanks(quote + 1); j.octet(at) != ':' {
			return -1
		}
		if at = j.walkValue(child, j.blanks(at+1), depth); at < 0 {
			return -1
		}
		at, more = j.behindValue(at, '}')
	}
	if at >= 0 && n != nil && n.chooses != nil {
		j.choose(n.chooses)
		j.shapes.choice = n.chooses
	}
	return at
}

// behindValue goes from the end of a value in an object or array to the next member or element,
// or behind the octet that closes the object or array. more tells which of the two. It returns -1
// if there is neither, or if the record has too many values.
func (j *jsonReader) behindValue(at int, closing byte) (next int, more bool) {
	switch at = j.blanks(at); j.octet(at) {
	case ',':
		if j.commas++; j.commas < j.limits.commas {
			return j.blanks(at + 1), true
		}
	case closing:
		return at + 1, false
	}
	return -1, false
}

// walkArray is walkObject for an array.
func (j *jsonReader) walkArray(n *jsonNode, at, depth int) int {
	if at = j.blanks(at + 1); j.octet(at) == ']' {
		return at + 1
	}
	for i, more := 0, true; more; i++ {
		var child *jsonNode
		if n != nil {
			child = n.item(i)
		}
		if at = j.walkValue(child, at, depth); at < 0 {
			return -1
		}
		at, more = j.behindValue(at, ']')
	}
	return at
}

// walkValue is walkObject for any value.
func (j *jsonReader) walkValue(n *jsonNode, at, depth int) int {
	switch c := j.octet(at); c {
	case '"':
		quote, escaped := j.quoteEnd(at)
		if quote < 0 {
			return -1
		}
		switch {
		case n == nil:
		case escaped:
			j.foundEscaped(n, j.chunk[at+1:quote])
		default:
			j.found(n, j.chunk[at+1:quote])
		}
		j.shapes.value(j.chunk, at, quote+1, n)
		return quote + 1
	case '{', '[':
		if depth == j.limits.depth {
			return -1
		}
		if n != nil {
			j.signs |= n.gives(nil)
			j.shapes.signs |= n.gives(nil)
		}
		if c == '[' {
			return j.walkArray(n, at, depth+1)
		}
		return j.walkObject(n, at, depth+1)
	default:
		length := bareLength(j.chunk[at:])
		if length == 0 {
			return -1
		}
		if n != nil && c != 'n' {
			j.found(n, j.chunk[at:at+length])
		}
		j.shapes.value(j.chunk, at, at+length, n)
		return at + length
	}
}

// bareLength returns the length of the number or literal at the beginning of b, 0 if there
// is none.
func bareLength(b []byte) int {
	n := 0
	for n < len(b) && numberOctet[b[n]] {
		n++
	}
	switch {
	case n > 1 || n == 1 && b[0] != '-' && b[0] != '+':
		return n
	case n == 0 && len(b) >= 4:
		switch {
		case string(b[:4]) == "true", string(b[:4]) == "null":
			return 4
		case len(b) >= 5 && string(b[:5]) == "false":
			return 5
		}
	}
	return 0
}

// numberOctet are the octets of which fastjson lets a number be made.
var numberOctet = func() (t [256]bool) {
	for _, c := range []byte("0123456789.-+eE") {
		t[c] = true
	}
	return t
}()

// openArray tells whether the line at j.at begins an array of objects, or an object whose
// first member is such an array and is called records or logs. If so, j.at is behind its
// bracket.
func (j *jsonReader) openArray() bool {
	at := j.blanks(j.at)
	if j.octet(at) == '{' {
		at = j.blanks(at + 1)
		name := j.chunk[min(at, len(j.chunk)):]
		switch {
		case bytes.HasPrefix(name, []byte(`"records"`)):
			at += len(`"records"`)
		case bytes.HasPrefix(name, []byte(`"logs"`)):
			at += len(`"logs"`)
		default:
			return false
		}
		if at = j.blanks(at); j.octet(at) != ':' {
			return false
		}
		at = j.blanks(at + 1)
	}
	if j.octet(at) != '[' {
		return false
	}
	if at = j.blanks(at + 1); j.octet(at) != '{' && j.octet(at) != ']' {
		return false
	}
	j.first, j.at, j.array = j.at, at, true
	return true
}

// nextOfArray reads the next record of an array, and returns its kind. It returns End, and
// is behind the line, when the array has no further.
func (j *jsonReader) nextOfArray(r *Record) Kind {
	if j.at = j.blanks(j.at); j.first < 0 && j.octet(j.at) == ',' {
		j.at = j.blanks(j.at + 1)
	}
	switch c := j.octet(j.at); {
	case c == '{':
		end := j.walk(j.at)
		walked := end >= 0
		if !walked {
			end = j.objectEnd(j.at)
		}
		if end < 0 {
			break
		}
		r.Line, j.at, j.first = j.chunk[j.at:end], end, -1
		return j.kind(r, walked)
	case j.first < 0 && (c == '\n' || c == ']' && j.closesLine(j.at+1)): // at the end of a line the array may go on in the next
		j.restOfLine()
		return End
	case c == ']' && j.closesLine(j.at+1):
		r.Line = j.restOfLine()
		return Other
	}
	r.Line, r.Agent, r.Robots = j.restOfLine(), nil, false
	return Unparsed
}

// closesLine tells whether nothing is behind the end of an array but that of the object
// around it.
func (j *jsonReader) closesLine(at int) bool {
	if at = j.blanks(at); j.octet(at) == '}' {
		at = j.blanks(at + 1)
	}
	return j.octet(at) == '\n'
}

// restOfLine leaves the array, goes behind its line and returns what of it has not been
// read.
func (j *jsonReader) restOfLine() []byte {
	if j.array && j.first >= 0 {
		j.at = j.first
	}
	j.array = false
	if j.at >= len(j.chunk) {
		return nil
	}
	line, text := NextLine(j.chunk[j.at:])
	j.at += len(line)
	return text
}

// objectEnd returns where the object that begins at at ends, -1 if the line ends first.
func (j *jsonReader) objectEnd(at int) int {
	for depth := 0; at >= 0 && at < len(j.chunk); at++ {
		switch j.chunk[at] {
		case '\n':
			return -1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			if at, _ = j.quoteEnd(at); at < 0 {
				return -1
			}
		}
	}
	return -1
}
