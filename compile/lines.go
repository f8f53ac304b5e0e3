package compile

import (
	"bytes"
	"math"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxGoogleLine is how much of a line Google's parser keeps: 8 times the
// longest URL of an old browser (2,083), less one for its final NUL.
const maxGoogleLine = 8*2083 - 1

// maxLines bounds line numbers, so that they fit in a verdict. A body would have
// to be 2 GiB to reach it.
const maxLines = math.MaxInt32

// cut copies as much of the body as is read, and the line end behind it, and
// remembers where the limit is and whether there is anything past it.
func (p *parser) cut(body []byte) string {
	p.limit = p.o.MaxBytes
	switch {
	case p.limit == 0:
		p.limit = DefaultMaxBytes
	case p.limit < 0 || p.limit > len(body):
		p.limit = len(body)
	}
	const lineEnd = "\r\n"
	end := min(p.limit+len(lineEnd), len(body))
	p.more = len(bytes.TrimLeft(body[end:], lineEnd)) > 0
	// One byte more tells a line that goes on from one that ends at the limit.
	return string(body[:min(end+1, len(body))])
}

// parse reads the body line by line. Lines end at LF, CR or CRLF; what follows
// the last of these is a line too.
func (p *parser) parse(body string) {
	p.line = 1
	lines := lineCutter{body: body, cr: strings.IndexByte(body, '\r') >= 0, next: bomLength(body)}
	p.nul, p.hash = strings.IndexByte(body, 0) >= 0, strings.IndexByte(body, '#') >= 0
	if lines.next > 0 {
		p.note(NoteByteOrderMark, "")
	}
	if strings.HasPrefix(trim(body[lines.next:]), "<") {
		p.note(NoteMarkup, "")
	}
	for ; ; p.line++ {
		start := lines.next
		line, end, more := lines.cut()
		if end > p.limit && line != "" || start > p.limit || p.line == maxLines {
			if line != "" || p.more {
				p.note(NoteTruncated, "")
			}
			return
		}
		p.lines = p.line
		p.readLine(line)
		if !more {
			return
		}
	}
}

// bomLength is the length of the byte order mark at the start of a body, or of
// as much of one as is there: a body cut short before it counts as one.
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}

// lineCutter cuts a body into lines in one pass.
type lineCutter struct {
	body string
	cr   bool // there is a CR in the body
	next int  // where the next line starts
	lf   int  // the first LF at or after next, len(body) if there is none; stale if before next
}

// cut returns the next line without its end, where it ends in the body, and
// whether another line follows.
func (c *lineCutter) cut() (line string, end int, more bool) {
	from := c.next
	// The place of the LF is kept, so that a file whose lines end in CR is not
	// searched to its end for each of them.
	if c.lf < from || from == 0 {
		c.lf = len(c.body)
		if n := strings.IndexByte(c.body[from:], '\n'); n >= 0 {
			c.lf = from + n
		}
	}
	line = c.body[from:c.lf]
	if c.cr {
		if cr := strings.IndexByte(line, '\r'); cr >= 0 {
			line = line[:cr]
			c.next = from + cr + 1
			if c.next == c.lf && c.lf < len(c.body) {
				c.next++
			}
			return line, from + cr, true
		}
	}
	c.next = c.lf + 1
	return line, c.lf, c.lf < len(c.body)
}

// readLine takes one line, without its end, through the rest of the parser.
func (p *parser) readLine(line string) {
	if trim(line) == "" {
		p.blankLine()
		return
	}
	if p.o.Dialect == automaton.Google && len(line) > maxGoogleLine {
		p.note(NoteLongLine, "")
		line = line[:maxGoogleLine]
	}
	if p.nul {
		if nul := strings.IndexByte(line, 0); nul >= 0 {
			p.note(NoteNUL, "")
			if p.o.Dialect != automaton.Google {
				return
			}
			line = line[:nul]
		}
	}
	if p.hash {
		line, _, _ = cutAt(line, '#')
	}
	if line = trim(line); line == "" {
		return
	}
	key, value, ok := p.split(line)
	if !ok {
		p.note(NoteNoField, line)
		return
	}
	p.field(key, value)
}
