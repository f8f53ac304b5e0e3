package compile

import (
	"bytes"
	"math"
	"strings"
)

// maxLines bounds line numbers, so that they fit in a verdict. A body would have
// to be 2 GiB to reach it.
const maxLines = math.MaxInt32

// cut sets the limit, and returns the body up to it and up to three bytes after it, which show
// whether the last line ends at the limit.
func (p *parser) cut(body []byte) []byte {
	p.limit = min(Limit(p.o.MaxBytes), len(body))
	const lineEnd = "\r\n"
	end := min(p.limit+len(lineEnd), len(body))
	p.more = len(bytes.TrimLeft(body[end:], lineEnd)) > 0
	// One byte more tells a line that goes on from one that ends at the limit.
	return body[:min(end+1, len(body))]
}

// IsUTF16 reports whether a body begins with a byte order mark of UTF-16, or with two ASCII
// characters in UTF-16.
func IsUTF16(body []byte) bool {
	if len(body) < 4 {
		return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
	}
	low := func(i int) bool { return body[i] != 0 && body[i] < 0x80 && body[i+2] != 0 && body[i+2] < 0x80 }
	zero := func(i int) bool { return body[i] == 0 && body[i+2] == 0 }
	return IsUTF16(body[:2]) || low(0) && zero(1) || zero(0) && low(1)
}

// WholeLines returns the part of a body that Compile reads with Options.MaxBytes: without the
// lines that go past the limit.
func WholeLines(body []byte, maxBytes int) []byte {
	limit := Limit(maxBytes)
	if len(body) <= limit {
		return body
	}
	if body[limit] == '\n' || body[limit] == '\r' {
		return body[:limit]
	}
	return body[:bytes.LastIndexAny(body[:limit], "\r\n")+1]
}

// parse reads the body line by line. Lines end at LF, CR or CRLF; the text after the last
// of these, if there is any, is a line too.
func (p *parser) parse(body string) {
	p.line, p.lf = 1, -1
	p.cr, p.nul = strings.IndexByte(body, '\r') >= 0, strings.IndexByte(body, 0) >= 0
	p.hash = strings.IndexByte(body, '#') >= 0
	p.quotes = p.question == nil && strings.Contains(body, quotePrefix)
	start := bomLength(body)
	if start > 0 {
		p.note(NoteByteOrderMark, "")
	}
	if strings.HasPrefix(trim(body[start:]), "<") {
		p.note(NoteMarkup, "")
	}
	if IsUTF16([]byte(body[:min(len(body), 4)])) {
		p.note(NoteUTF16, "")
	}
	defer p.noteEmptyGroup()
	for ; ; p.line++ {
		end, next := p.lineEnd(body, start)
		line, more := body[start:end], end < len(body)
		if start > p.limit || end > p.limit && line != "" || p.line == maxLines {
			if line != "" || p.more {
				p.note(NoteTruncated, "")
			}
			return
		}
		if line != "" || more {
			p.lines = p.line
		}
		p.readLine(line)
		if !more {
			return
		}
		start = next
	}
}

// lineEnd returns where the line ends that begins at a place in the body, and where the next
// one begins. The LF that follows a place is looked for once, however many CRs precede it.
func (p *parser) lineEnd(body string, start int) (end, next int) {
	if p.lf < start {
		if p.lf = strings.IndexByte(body[start:], '\n'); p.lf < 0 {
			p.lf = len(body) - start
		}
		p.lf += start
	}
	end = p.lf
	if p.cr {
		if at := strings.IndexByte(body[start:end], '\r'); at >= 0 {
			end = start + at
		}
	}
	if end+1 == p.lf && p.lf < len(body) { // CRLF
		return end, end + 2
	}
	return end, end + 1
}

// bomLength returns the length of the byte order mark at the start of a body. The first
// bytes of one are one too.
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}

// readLine takes one line, without its end, through the rest of the parser.
func (p *parser) readLine(line string) {
	if line == "" || isSpace(line[0]) && trim(line) == "" {
		if p.row.blankEnds {
			p.noteEmptyGroup()
			p.open, p.inside = false, false
		}
		p.apart = true
		return
	}
	if longest := p.row.maxLine; longest > 0 && len(line) > longest {
		p.note(NoteLongLine, "")
		line = line[:longest]
	}
	if p.nul {
		if nul := strings.IndexByte(line, 0); nul >= 0 {
			p.note(NoteNUL, "")
			if !p.row.cutsAtNUL {
				return
			}
			line = line[:nul]
		}
	}
	p.glued = false
	if p.hash {
		before, _, commented := cutAt(line, '#')
		p.glued = commented && before != "" && !isSpace(before[len(before)-1])
		line = before
	}
	if line = trim(line); line == "" {
		return
	}
	if p.standardField(line) {
		return
	}
	key, value, ok := p.split(line)
	if !ok {
		p.note(NoteNoField, line)
		p.endRun()
		return
	}
	p.field(key, value)
}
