package compile

import (
	"bytes"
	"math"
	"strings"
)

// maxLines limits line numbers so that they fit into a verdict. Only a body of 2 GiB could reach
// it.
const maxLines = math.MaxInt32

// cut sets the limit and returns the body up to it, plus up to three bytes that show whether the
// last line ends there.
func (p *parser) cut(body []byte) []byte {
	p.limit = min(Limit(p.o.MaxBytes), len(body))
	const lineEnd = "\r\n"
	end := min(p.limit+len(lineEnd), len(body))
	p.more = len(bytes.TrimLeft(body[end:], lineEnd)) > 0
	// One more byte distinguishes a line that continues from one that ends at the limit.
	return body[:min(end+1, len(body))]
}

// IsUTF16 reports whether a body begins with a UTF-16 byte order mark, or with two ASCII characters
// in UTF-16.
func IsUTF16(body []byte) bool {
	if len(body) < 4 {
		return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
	}
	low := func(i int) bool { return body[i] != 0 && body[i] < 0x80 && body[i+2] != 0 && body[i+2] < 0x80 }
	zero := func(i int) bool { return body[i] == 0 && body[i+2] == 0 }
	return IsUTF16(body[:2]) || low(0) && zero(1) || zero(0) && low(1)
}

// WholeLines returns the part of a body that Compile reads with the given Options.MaxBytes, without
// lines that extend beyond the limit.
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

// parse reads the body line by line. Lines end at LF, CR or CRLF; text after the last line end is a
// line too.
func (p *parser) parse(body string) {
	p.line = 1
	p.lf, p.cr, p.nul, p.hash = next{'\n', -1}, next{'\r', -1}, next{0, -1}, next{'#', -1}
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
		end := min(p.lf.from(body, start), p.cr.from(body, start))
		more := end < len(body)
		if start > p.limit || end > p.limit && start < end || p.line == maxLines {
			if start < end || p.more {
				p.note(NoteTruncated, "")
			}
			return
		}
		if start < end || more {
			p.lines = p.line
		}
		p.readLine(body, start, end)
		if !more {
			return
		}
		start = end + 1
		if body[end] == '\r' && strings.HasPrefix(body[start:], "\n") {
			start++
		}
	}
}

// next finds the occurrences of a byte in the body.
type next struct {
	octet byte
	at    int
}

// from returns the first occurrence at or after start, or the length of the body. start must not
// decrease from call to call, so that each stretch of the body is searched once.
func (n *next) from(body string, start int) int {
	if n.at < start {
		n.find(body, start)
	}
	return n.at
}

func (n *next) find(body string, start int) {
	n.at = len(body)
	if start < len(body) {
		if at := strings.IndexByte(body[start:], n.octet); at >= 0 {
			n.at = start + at
		}
	}
}

// bomLength returns the length of the byte order mark, perhaps incomplete, at the start of a body.
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}

// readLine processes one line, without its line end.
func (p *parser) readLine(body string, start, end int) {
	line := body[start:end]
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
	if at := p.nul.from(body, start) - start; at < len(line) {
		p.note(NoteNUL, "")
		if !p.row.cutsAtNUL {
			return
		}
		line = line[:at]
	}
	p.glued = false
	if at := p.hash.from(body, start) - start; at < len(line) {
		p.glued = at > 0 && !isSpace(line[at-1])
		line = line[:at]
	}
	line = trim(line)
	if line == "" {
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
