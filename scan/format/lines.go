package format

import "bytes"

// lines cuts a chunk into lines. It belongs to one goroutine. The zero value has no
// lines.
//
// To search for the end of a line and for each of its fields would take a call each, and
// unpredictable branches. So the places of the bytes that end lines and fields, the marks,
// are found together for some lines first, 64 bytes at a time (index). A line longer than
// the index, and every line on a processor without index, are searched without marks.
//
// In a format with quotes these are marked, and backslashes because they may make a quote
// part of a field: a line with a backslash is searched without marks, too (cut).
type lines struct {
	marked octets
	chunk  []byte
	at     int // where in chunk the next line begins

	from  int    // where in chunk the indexed part begins
	i, n  int    // marks[i:n] are after at
	marks *marks // offsets from from; nil until they are needed
}

type marks = [indexed + blockMarks]uint16

// octets are the bytes whose places are marked; one of them is a newline.
type octets [3]byte

// quoted are the marks of formats with quotes, for lines.cut.
var quoted = octets{'"', '\n', '\\'}

// indexed is how many bytes are indexed at a time: few enough to stay in the first-level
// cache, and enough that few lines cross the end and are indexed twice. blockMarks is how
// many marks may be written for a block that has fewer.
const (
	indexed    = 4 << 10
	blockMarks = 12
)

// Reset begins a chunk.
func (l *lines) Reset(chunk []byte) { l.chunk, l.at, l.from, l.i, l.n = chunk, 0, 0, 0, 0 }

// cut takes the next line off a chunk whose marks are quoted, without its line end, which may have
// a carriage return. If all its quotes are marked, quotes are their marks: a quote is at
// line[mark-back]. Otherwise quotes is nil. It is valid until the next line is cut.
func (l *lines) cut() (line []byte, quotes []uint16, back int) {
	if l.marks == nil && bytes.IndexByte(l.chunk[l.at:], '\n') < 0 { // a single line, as Detect tries formats on
		return l.search(), nil, 0
	}
	if l.marks == nil {
		l.index()
	}
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

// end returns the index of the first mark of the next line that is a newline or a
// backslash, and n if there is none.
func (l *lines) end() int {
	part := l.chunk[l.from:]
	if l.i+7 <= l.n && len(part) >= indexed { // six quotes and a newline, as most lines have
		m, of := (*[7]uint16)(l.marks[l.i:]), (*[indexed]byte)(part)
		octet := func(i int) byte { return of[m[i]%indexed] }
		if octet(6) == '\n' && (octet(0)^'"')|(octet(1)^'"')|(octet(2)^'"')|(octet(3)^'"')|(octet(4)^'"')|
			(octet(5)^'"') == 0 {
			return l.i + 6
		}
	}
	for i, at := range l.marks[l.i:l.n] {
		if part[at] != '"' {
			return l.i + i
		}
	}
	return l.n
}

// index sets the marks from the next line on, unless they are set.
func (l *lines) index() {
	if l.i < l.n && l.from == l.at {
		return
	}
	if l.marks == nil {
		l.marks = new(marks)
	}
	l.from, l.i = l.at, 0
	l.n = index(l.chunk[l.at:min(l.at+indexed, len(l.chunk))], l.marked, l.marks)
}

// search is cut without marks.
func (l *lines) search() []byte {
	line, text := NextLine(l.chunk[l.at:])
	l.at += len(line)
	for l.i < l.n && l.from+int(l.marks[l.i]) < l.at {
		l.i++
	}
	return text
}

// Lines cuts chunks into lines, whose ends it finds many at a time, as lines does. It belongs to
// one goroutine. The zero value has no lines.
type Lines struct{ lines lines }

// Reset begins a chunk, which must not change after the lines that have been read.
func (l *Lines) Reset(chunk []byte) {
	l.lines.marked = octets{'\n', '\n', '\n'}
	l.lines.Reset(chunk)
}

// Next returns the next line of a chunk that has one, as NextLine does.
func (l *Lines) Next() (line, text []byte) {
	c := &l.lines
	begin := c.at
	if c.i == c.n {
		c.index()
	}
	if c.i == c.n {
		text = c.search()
		return c.chunk[begin:c.at], text
	}
	end := c.from + int(c.marks[c.i])
	c.at, c.i = end+1, c.i+1
	return c.chunk[begin:c.at], withoutReturn(c.chunk[begin:end])
}

// NextLine returns the first line of data, with its line end and as text without it.
// data must not be empty. A carriage return before the newline, or at the end of data, is
// part of the line end. Both results are views of data.
func NextLine(data []byte) (line, text []byte) {
	line, text = data, data
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		line, text = data[:end+1], data[:end]
	}
	return line, withoutReturn(text)
}

// withoutReturn cuts a carriage return off the end of a line.
func withoutReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// BOM is the byte order mark with which some programs begin a file in UTF-8. It is not
// part of the first line.
var BOM = []byte("\xef\xbb\xbf")
