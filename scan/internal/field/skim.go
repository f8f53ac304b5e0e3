package field

import "bytes"

// maxSkim is how deep objects and arrays may be within each other where fastjson does not read
// them.
const maxSkim = 1000

// Skim finds the fields of a line as Find does, without a tree of its values, for lines of which
// few members are wanted. It returns the length of the object at its beginning, with the blanks
// before it; -1 if there is none, or more than blanks follows it, but some fields may be found.
// Elements selected by a member in them are not found, and invalid JSON is not repaired.
//
// What it does not look at it does not check either: escapes and control characters in strings,
// numbers such as 1-2, and what isFlat says of the members after those that are wanted.
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

// skim notes what is wanted of a value at an offset in a line, and returns where the value ends, -1
// if it does not. Nothing of it is wanted if n is nil. depth is how many objects and arrays the
// value is in, with itself.
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
	closing := line[at] + 2 // the bracket that closes it, in ASCII
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
		if child == nil && byteAt(line, at) == '"' { // as most are
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

// isComplete reports whether no further member could change a field.
func (r *Row) isComplete() bool {
	for i := range r.Text {
		if r.ranks[i] != 1 {
			return false
		}
	}
	return true
}

// isFlat reports whether the rest of a line could be the further members of an object: it begins
// with a quote and ends with a brace, has no other bracket, no backslash, and quotes in pairs.
func isFlat(rest []byte) bool {
	rest = rest[blanks(rest, 0):]
	last := len(rest) - 1
	return byteAt(rest, 0) == '"' && rest[last] == '}' && rest[last-1] != ',' && bytes.IndexByte(rest, '}') == last &&
		bytes.IndexByte(rest, '{') < 0 && bytes.IndexByte(rest, '[') < 0 && bytes.IndexByte(rest, '\\') < 0 &&
		bytes.Count(rest, quotes)%2 == 0
}

var quotes = []byte{'"'}

// memberAt returns the name of the member at an offset in a line, as it is written, and the offset
// of its value; -1 if there is none.
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
