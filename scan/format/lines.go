package format

import "bytes"

// lines cuts a chunk into lines. It is not safe for concurrent use. The zero value has no lines.
//
// Searching for the end of a line and of each field separately would cost one call each, with
// unpredictable branches. So index first finds the marks, the bytes that end lines and fields, for
// several lines together, 64 bytes at a time. Lines longer than the index, and all lines on a
// processor without index, are searched without marks.
//
// In formats with quotes, the marks include quotes and backslashes. A backslash may make a quote
// part of a field, so lines with a backslash are searched without marks, too (cut).
type lines struct {
	marked octets
	chunk  []byte
	at     int // where the next line begins in chunk

	from  int    // where the indexed part begins in chunk
	i, n  int    // marks[i:n] come after at
	marks *marks // offsets relative to from; nil until needed
}

type marks = [indexed + blockMarks]uint16

// octets are the ASCII bytes to mark, which differ in their low four bits; one of them is a newline.
type octets [3]byte

// quoted are the bytes to mark for formats with quotes, for lines.cut.
var quoted = octets{'"', '\n', '\\'}

// indexed is the number of bytes indexed at a time. It fits into the first-level cache, and is
// large enough that few lines cross the end and are indexed twice. blockMarks is the number of
// marks that may be written for a block with fewer marks.
const (
	indexed    = 4 << 10
	blockMarks = 12
)

// Reset begins a chunk.
func (l *lines) Reset(chunk []byte) { l.chunk, l.at, l.from, l.i, l.n = chunk, 0, 0, 0, 0 }

// cut takes the next line off a chunk whose marks are quoted. The line has no line end, but may
// have a carriage return. If all its quotes are marked, quotes are their marks, with a quote at
// line[mark-back]. Otherwise quotes is nil. It is valid until the next cut.
func (l *lines) cut() (line []byte, quotes []uint16, back int) {
	end := l.afterQuotes(l.i)
	if end == l.n {
		l.index()
		end = l.afterQuotes(l.i)
	}
	if end == l.n || l.chunk[l.from+int(l.marks[end])] != '\n' {
		return l.search(), nil, 0
	}
	at := l.from + int(l.marks[end])
	line, quotes, back = l.chunk[l.at:at], l.marks[l.i:end], l.at-l.from
	l.at, l.i = at+1, end+1
	return withoutReturn(line), quotes, back
}

// afterQuotes returns the index of the first mark from i on that isn't a quote, or at least n if there is
// none.
func (l *lines) afterQuotes(i int) int {
	part := l.part()
	for i < l.n && part[l.marks[i]] == '"' {
		i++
	}
	return i
}

// part is what the offsets of the marks are relative to.
func (l *lines) part() []byte { return l.chunk[l.from:len(l.chunk):len(l.chunk)] }

// index sets the marks from the next line on, unless they are already set, and reports whether it has
// found others. For a single line, as Detect tries formats on, it makes none.
func (l *lines) index() bool {
	if l.i < l.n && l.from == l.at {
		return false
	}
	if l.marks == nil {
		if bytes.IndexByte(l.chunk[l.at:], '\n') < 0 {
			return false
		}
		l.marks = new(marks)
	}
	l.from, l.i = l.at, 0
	l.n = index(l.chunk[l.at:min(l.at+indexed, len(l.chunk))], l.marked, l.marks)
	return l.n > 0
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

// Lines cuts chunks into lines. Like lines, it finds many line ends at a time. It is not safe for
// concurrent use. The zero value has no lines.
type Lines struct{ lines lines }

// Reset begins a chunk, which must not change after the lines already read.
func (l *Lines) Reset(chunk []byte) {
	l.lines.marked = octets{'\n', '\n', '\n'}
	l.lines.Reset(chunk)
}

// Next returns the next line of a chunk, which must not be exhausted, in the form of NextLine.
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

// NextLine returns the first line of data, with its line end and as text without it. data must not
// be empty. A carriage return before the newline or at the end of data is part of the line end.
// Both results are views of data.
func NextLine(data []byte) (line, text []byte) {
	line, text = data, data
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		line, text = data[:end+1], data[:end]
	}
	return line, withoutReturn(text)
}

// withoutReturn removes a carriage return from the end of a line.
func withoutReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// BOM is the byte order mark with which some programs begin a UTF-8 file. It is not part of the
// first line.
var BOM = []byte("\xef\xbb\xbf")
