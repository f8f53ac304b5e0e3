package field

// Nearly all JSON in logs is written by an encoder, without blanks between values and with few
// backslashes. If type lines of package format has noted the places of all quotes, each name and
// each string ends at the next quote but one, so nothing has to be searched.

// Quotes has the places of all quotes in a line without a backslash: there is one at
// line[mark-Back]. Marks is nil if they aren't known, or if there is a backslash.
type Quotes struct {
	Marks []uint16
	Back  int
	taken int
}

// compact records the wanted parts of the object or array at an offset in a line, and returns its
// end. It uses r.Quotes from there on. It returns -1 if the value is incomplete, contains blanks,
// or is too deep for fastjson. n is nil if nothing of it is wanted. It makes the same checks as
// skim.
func (r *Row) compact(n *node, line []byte, at, depth int) (end int) {
	closing := line[at] + 2 // its closing bracket in ASCII
	if byteAt(line, at+1) == closing {
		return at + 2
	}
	for i := 0; ; i++ {
		var child *node
		at++
		if closing == '}' {
			end = r.Quotes.stringEnd(at)
			if byteAt(line, end) != ':' {
				return -1
			}
			if n != nil {
				child = n.member(line[at+1 : end-1])
			}
			at = end + 1
		} else if n != nil {
			child = n.item(i)
		}
		switch c := byteAt(line, at); c {
		case '{', '[':
			if depth == MaxDepth-1 {
				return -1
			}
			if child != nil {
				r.needs |= child.meets(nil)
			}
			end = r.compact(child, line, at, depth+1)
		case '"':
			end = r.Quotes.stringEnd(at)
		default:
			end = at + bareLength(line[min(at, len(line)):])
		}
		if end <= at {
			return -1
		}
		if child != nil && line[at] != '{' && line[at] != '[' {
			r.found(child, line[at:end])
		}
		at = end
		if byteAt(line, at) == closing {
			return at + 1
		}
		if byteAt(line, at) != ',' {
			return -1
		}
	}
}

// stringEnd consumes the next two quotes and returns the end of the string between them, if it
// begins at an offset in the line; otherwise 0.
func (q *Quotes) stringEnd(at int) (end int) {
	i := q.taken
	if i+1 >= len(q.Marks) || int(q.Marks[i])-q.Back != at {
		return 0
	}
	q.taken = i + 2
	return int(q.Marks[i+1]) - q.Back + 1
}
