package format

import "bytes"

// Lines goes over the lines of a chunk. It belongs to one goroutine. The zero value has
// no lines.
//
// To search for the end of a line and for each of its six quotes costs a call each,
// and branches that nobody can predict. So the quotes and newlines of some lines are
// found together first, 64 octets at a time (index), and then each line takes its
// own. A backslash is noted, too, since it may make a quote none: a line that has one is
// searched as if nothing had been noted, and so are long lines and all on processors
// for which there is no index.
type Lines struct {
	chunk []byte
	at    int // where in chunk the next line begins

	from  int // where in chunk the window begins
	i, n  int // which marks are behind at, and how many there are
	marks [window + blockMarks]uint16
}

// window is how many octets are indexed at a time: so few that all stays in the first
// cache, so many that few lines cross its end, which are indexed twice. blockMarks is
// how many marks are written down at once, perhaps for nothing.
const (
	window     = 4 << 10
	blockMarks = 6
)

// Reset turns to the lines of a chunk.
func (l *Lines) Reset(chunk []byte) { l.chunk, l.at, l.from, l.i, l.n = chunk, 0, 0, 0, 0 }

// More tells whether there is a line left.
func (l *Lines) More() bool { return l.at < len(l.chunk) }

// cut takes the next line off the chunk, without its line end, which may have a
// carriage return. If all its quotes are noted these are their places, counted from
// back octets before the line; else there are none. They are valid until the next line
// is cut.
func (l *Lines) cut() (line []byte, quotes []uint16, back int) {
	end := l.end()
	if end == l.n {
		l.index()
		end = l.end()
	}
	if end == l.n || l.chunk[l.from+int(l.marks[end])] != '\n' {
		return l.search(), nil, 0
	}
	at := l.from + int(l.marks[end])
	line, quotes, back = l.chunk[l.at:at], l.marks[l.i:end], l.at-l.from
	l.at, l.i = at+1, end+1
	return withoutReturn(line), quotes, back
}

// end returns the index of the first mark of the line that is no quote, but its end or a
// backslash. It is n if there is none.
func (l *Lines) end() int {
	window := l.chunk[l.from:]
	if l.i+7 <= l.n { // six quotes and a newline, as most lines have
		m := (*[7]uint16)(l.marks[l.i:])
		if window[m[6]] == '\n' && window[m[0]] == '"' && window[m[1]] == '"' && window[m[2]] == '"' &&
			window[m[3]] == '"' && window[m[4]] == '"' && window[m[5]] == '"' {
			return l.i + 6
		}
	}
	for i, at := range l.marks[l.i:l.n] {
		if window[at] != '"' {
			return l.i + i
		}
	}
	return l.n
}

// index notes what is in the window that begins with the next line, if it has not
// already.
func (l *Lines) index() {
	if l.i < l.n && l.from == l.at {
		return
	}
	l.from, l.i = l.at, 0
	l.n = index(l.chunk[l.at:min(l.at+window, len(l.chunk))], &l.marks)
}

// search is cut without marks.
func (l *Lines) search() (line []byte) {
	line = l.chunk[l.at:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	l.at += len(line) + 1
	for l.i < l.n && l.from+int(l.marks[l.i]) < l.at {
		l.i++
	}
	return withoutReturn(line)
}

// withoutReturn cuts a carriage return off the end of a line.
func withoutReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
