package format

import (
	"bytes"
	"encoding/binary"
)

// shape is what the objects of a log have in common if they differ in their values only: all
// octets but those of the values. Most objects have the shape of the one before, and
// comparing them with it takes less time than understanding them.
type shape struct {
	literals []byte       // the octets between values, one after another, with padding behind
	values   []shapeValue // in their order
	last     int          // how many octets are behind the last value, up to the end of the object
	marks    int          // how many marks there are, at most
	signs    uint32       // that objects and arrays in it give
}

// shapeValue is a string, number or literal of a shape.
type shapeValue struct {
	node   *jsonNode   // nil if it is not wanted
	before int         // how many octets are before it
	marks  int         // how many of these are marks
	choice *jsonChoice // the value is the last of an element of it; nil if of none
}

// shapePadding is how many octets more than a literal sameOctets may read.
const shapePadding = 8

// learner makes a shape of an object while it is being walked.
type learner struct {
	shape
	learns bool // the walk is watched
	known  bool // shape is that of an object
	behind int  // where the value ends that was walked last
	lines  int  // how many objects have been of another shape
}

// begin tells that a walk begins. The more objects have had another shape than the one
// before, the fewer walks are watched.
func (l *learner) begin(at int) {
	l.lines++
	l.known, l.learns = false, l.lines&(l.lines-1) == 0 || l.lines&63 == 0
	if l.learns {
		l.literals, l.values, l.marks, l.signs, l.behind = l.literals[:0], l.values[:0], 0, 0, at
	}
}

// value notes a value at chunk[at:end].
func (l *learner) value(chunk []byte, at, end int, n *jsonNode) {
	if l.learns {
		l.note(chunk[l.behind:at], end, n)
	}
}

// note is value when the walk is watched. The value ends at end and has a literal before it.
func (l *learner) note(literal []byte, end int, n *jsonNode) {
	marks := marksIn(literal)
	l.literals, l.behind = append(l.literals, literal...), end
	l.values = append(l.values, shapeValue{node: n, before: len(literal), marks: marks})
	l.marks += marks + 2
	l.learns = l.marks <= indexed // or no lines could be compared with it
}

// marksIn returns how many octets of a part of a line are marked.
func marksIn(b []byte) int { return bytes.Count(b, []byte{'"'}) + bytes.Count(b, []byte{'\\'}) }

// chose notes that an element of a choice ends.
func (l *learner) chose(c *jsonChoice) {
	if l.learns && len(l.values) > 0 {
		l.values[len(l.values)-1].choice = c
	}
}

// end tells that a walk ends, and whether the object has been read.
func (l *learner) end(chunk []byte, end int, ok bool) {
	if l.learns && ok {
		literal := chunk[l.behind:end]
		l.last = len(literal)
		l.marks += marksIn(literal)
		l.literals = append(append(l.literals, literal...), make([]byte, shapePadding)...)
		l.known = true
	}
	l.learns = false
}

// follow is walk for an object of the shape that has been learned. It returns -1 if this is
// of another.
func (j *jsonReader) follow(at int) int {
	l := &j.learner
	if !l.known {
		return -1
	}
	if j.seek(at); j.i+l.marks > j.n {
		if j.refill(at); j.i+l.marks > j.n {
			return -1
		}
	}
	j.begin()
	j.signs = l.signs
	literals, chunk, i := l.literals, j.chunk, j.i
	spare := j.n - i - l.marks // marks that may be those of escapes
	for k := range l.values {
		v := &l.values[k]
		if at+v.before >= len(chunk) || !sameOctets(chunk[at:], literals, v.before) {
			return -1
		}
		literals, at, i = literals[v.before:], at+v.before, i+v.marks
		if chunk[at] == '"' {
			end := j.from + int(j.place[i+1])
			if chunk[end] != '"' {
				last := j.endOfEscaped(i + 1)
				if spare -= last - (i + 1); last < 0 || spare < 0 || v.node != nil {
					return -1
				}
				i, end = last-1, j.from+int(j.place[last])
			}
			if i += 2; v.node != nil {
				j.found(v.node, chunk[at+1:end])
			}
			at = end + 1
		} else {
			n := bareLength(chunk[at:])
			if n == 0 {
				return -1
			}
			if v.node != nil && chunk[at] != 'n' {
				j.found(v.node, chunk[at:at+n])
			}
			at += n
		}
		if v.choice != nil {
			j.choose(v.choice)
		}
	}
	if at+l.last > len(chunk) || !sameOctets(chunk[at:], literals, l.last) {
		return -1
	}
	j.i = i
	l.lines = 0
	return at + l.last
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
