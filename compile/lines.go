package compile

import (
	"bytes"
	"math"
	"strings"
)

// maxLines bounds line numbers, so that they fit in a verdict. A body would have
// to be 2 GiB to reach it.
const maxLines = math.MaxInt32

// cut sets the limit, and returns a copy of the body up to it and of up to three bytes
// after it, which show whether the last line ends at the limit.
func (p *parser) cut(body []byte) string {
	p.limit = min(Limit(p.o.MaxBytes), len(body))
	const lineEnd = "\r\n"
	end := min(p.limit+len(lineEnd), len(body))
	p.more = len(bytes.TrimLeft(body[end:], lineEnd)) > 0
	// One byte more tells a line that goes on from one that ends at the limit.
	return string(body[:min(end+1, len(body))])
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
	p.line = 1
	cr := strings.IndexByte(body, '\r') >= 0
	p.nul, p.hash = strings.IndexByte(body, 0) >= 0, strings.IndexByte(body, '#') >= 0
	p.quotes = strings.Contains(body, quotePrefix)
	rest := body[bomLength(body):]
	if len(rest) < len(body) {
		p.note(NoteByteOrderMark, "")
	}
	if strings.HasPrefix(trim(rest), "<") {
		p.note(NoteMarkup, "")
	}
	if IsUTF16([]byte(body[:min(len(body), 4)])) {
		p.note(NoteUTF16, "")
	}
	defer p.noteEmptyGroup()
	for ; ; p.line++ {
		start := len(body) - len(rest)
		line, after, more := cutLine(rest, cr)
		if start > p.limit || start+len(line) > p.limit && line != "" || p.line == maxLines {
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
		rest = after
	}
}

// cutLine returns the first line of a text without its end, the text after that, and
// whether the line has an end. cr says that there may be a CR in the text.
func cutLine(text string, cr bool) (line, rest string, ended bool) {
	if !cr {
		return cutAt(text, '\n')
	}
	for i := range len(text) {
		switch text[i] {
		case '\n':
			return text[:i], text[i+1:], true
		case '\r':
			return text[:i], strings.TrimPrefix(text[i+1:], "\n"), true
		}
	}
	return text, "", false
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
	if trim(line) == "" {
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
	key, value, ok := p.split(line)
	if !ok {
		p.note(NoteNoField, line)
		p.endRun()
		return
	}
	p.field(key, value)
}
