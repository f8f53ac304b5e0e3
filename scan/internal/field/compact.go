package field

// Nearly all lines of JSON in logs are written by an encoder: there are no blanks between the values, and few have
// a backslash. Where type lines of package format has noted the places of all quotes, each name and each string
// ends at the next but one, and nothing has to be searched for.

// Quotes are the places of all quotes in a line that has no backslash: one is at line[mark-Back]. Marks is nil if
// they are not known, or there is a backslash.
type Quotes struct {
	Marks []uint16
	Back  int
	taken int
}

// compact notes what is wanted of the object or array at an offset in a line, whose quotes r.Quotes has from there
// on, and returns where it ends; -1 if it does not, or it has blanks, or it is deeper than fastjson reads. Nothing
// of it is wanted if n is nil. It checks what skim does.
func (r *Row) compact(n *node, line []byte, at, depth int) (end int) {
	closing := line[at] + 2 // the bracket that closes it, in ASCII
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

// stringEnd takes the next two quotes and returns where the string between them ends, if it begins at an offset in
// the line; else 0.
func (q *Quotes) stringEnd(at int) (end int) {
	i := q.taken
	if i+1 >= len(q.Marks) || int(q.Marks[i])-q.Back != at {
		return 0
	}
	q.taken = i + 2
	return int(q.Marks[i+1]) - q.Back + 1
}
