package field

import "bytes"

// maxSkim limits the nesting of objects and arrays that fastjson doesn't read.
const maxSkim = 1000

// Skim finds the fields of a line like Find, but without building a tree, for lines of which few
// members are wanted. It returns the length of the object at its beginning, including leading
// blanks. It returns -1 if there is none, or if anything but blanks follows it; some fields may
// have been found then. It doesn't find elements selected by a member, and doesn't mend invalid
// JSON.
//
// It doesn't check what it skips: escapes and control characters in strings, numbers such as 1-2,
// and, as isFlat describes, the members after the wanted ones.
func (o *Object) Skim(line []byte, r *Row) (length int) {
	o.begin(r)
	at := blanks(line, 0)
	if byteAt(line, at) != '{' {
		return -1
	}
	end := r.skim(o.root, line, at, 1)
	if end < 0 || blanks(line, end) < len(line) {
		return -1
	}
	return end
}

// skim records the wanted parts of a value at an offset in a line, and returns its end, or -1 if it
// is incomplete. n is nil if nothing of it is wanted. depth is the number of nested objects and
// arrays, including the value.
func (r *Row) skim(n *node, line []byte, at, depth int) (end int) {
	switch c := byteAt(line, at); {
	case c == '{' || c == '[':
		if depth > maxSkim {
			return -1
		}
		if n != nil {
			r.needs |= n.meets(nil)
		}
		return r.skimContainer(n, line, at, depth)
	case c == '"':
		end = at + stringLength(line[at:])
	default:
		end = at + bareLength(line[min(at, len(line)):])
	}
	if end <= at {
		return -1
	}
	if n != nil {
		r.found(n, line[at:end])
	}
	return end
}

// skimContainer is skim for an object or array.
func (r *Row) skimContainer(n *node, line []byte, at, depth int) (end int) {
	closing := line[at] + 2 // its closing bracket in ASCII
	if first := blanks(line, at+1); byteAt(line, first) == closing {
		return first + 1
	}
	for i := 0; ; i++ {
		var child *node
		at = blanks(line, at+1)
		if closing == '}' {
			name, value := memberAt(line, at)
			if value < 0 {
				return -1
			}
			at = value
			if n != nil {
				text := r.unescaped(name)
				child = n.member(text)
				if r.strict && len(text) != len(name) {
					return -1 // escapes that JSON does not have mean something else to fastjson
				}
			}
		} else if n != nil {
			child = n.item(i)
		}
		if child == nil && byteAt(line, at) == '"' { // the usual case
			length := stringLength(line[at:])
			if length < 0 {
				return -1
			}
			at += length
		} else if at = r.skim(child, line, at, depth+1); at < 0 {
			return -1
		}
		at = blanks(line, at)
		if byteAt(line, at) == closing {
			return at + 1
		}
		if byteAt(line, at) != ',' {
			return -1
		}
		if depth == 1 && child != nil && !r.strict && r.isComplete() && isFlat(line[at+1:]) {
			return len(line)
		}
	}
}

// isComplete reports whether no further member can change a field.
func (r *Row) isComplete() bool {
	for i := range r.Text {
		if r.ranks[i] != 1 {
			return false
		}
	}
	return true
}

// isFlat reports whether the rest of a line could be the remaining members of an object. It begins
// with a quote and ends with a brace, and has no other bracket, no backslash, and an even number of
// quotes.
func isFlat(rest []byte) bool {
	rest = rest[blanks(rest, 0):]
	last := len(rest) - 1
	return byteAt(rest, 0) == '"' && rest[last] == '}' && rest[last-1] != ',' && bytes.IndexByte(rest, '}') == last &&
		bytes.IndexByte(rest, '{') < 0 && bytes.IndexByte(rest, '[') < 0 && bytes.IndexByte(rest, '\\') < 0 &&
		bytes.Count(rest, quotes)%2 == 0
}

var quotes = []byte{'"'}

// memberAt returns the raw name of the member at an offset in a line, and the offset of its value,
// or -1 if there is none.
func memberAt(line []byte, at int) (name []byte, value int) {
	if byteAt(line, at) != '"' {
		return nil, -1
	}
	end := at + 1
	for ; end < len(line) && line[end] != '"'; end++ {
		if line[end] == '\\' {
			end++
		}
	}
	colon := blanks(line, end+1)
	if byteAt(line, colon) != ':' {
		return nil, -1
	}
	return line[at+1 : end], blanks(line, colon+1)
}
