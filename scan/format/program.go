package format

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// program says how the fields of a text line follow each other. It is made once, from the words
// of a user or of a row of the table of formats, and immutable.
//
// A line is of the program if it consists of the literals and fields in their order. A
// field ends at the first place where the literal of the next step stands. The literal
// after the last field includes the end of the line. There are five refinements:
//
//   - A field between quotes, and one in front of a quote if quotes are escaped, ends at the
//     first quote that is not escaped (spelling), and the rest of the literal must follow it.
//   - A field in front of a status ends where the literal, a status and the literal after
//     that stand. So a request line has the quotes in it that servers log which escape
//     nothing.
//   - If a field between quotes is not escaped, the line has no quotes but those of the
//     literals and of the request line: it would not be known where that field ends. Nor does
//     the request line have the literal before it in itself, if a client may have written the
//     first one.
//   - A time in brackets begins after the last bracket before its end: what is in front of it
//     is the name of a user, which may have brackets.
//   - A status ends after its digits or its dash. There is no blank in a size, a port, a
//     method or an address, unless it is between quotes.
//
// Of such a line it must be certain where its fields end: see certain.go.
type program struct {
	steps []step
	// after is the literal after the last field.
	after string
	// more: a blank or a tab and further fields may follow.
	more bool

	// Set by compile:
	first       []byte    // the literal before the first field
	firstQuotes int       // in it
	quotes      int       // in a line, without those of the request line, -1 for any number
	early       []located // the parts that Reader.Next needs, and their steps
	late        []located // the others
	request     int       // the step of the request line, -1 if there is none
	opening     []byte    // the literal before it, if a client may write that; nil if not
	endCertain  bool      // of the end of the last field
	unsure      []span
}

// step is a field and the literal that stands before it.
type step struct {
	before  string
	part    part
	spell   spelling
	content content
	padded  bool // blanks and tabs after before are no part of the field
	without byte // it does not have this byte, unless that is 0
	blanks  int  // in the field itself, as in a time of two words

	// Set by compile:
	next   literal // after the field
	kept   int     // bytes of next that belong to the next field
	key    int     // the byte of next that is searched: its first quote, else the first that is no blank
	quotes int     // in next
	ending ending
	list   bool    // a blank after a comma is part of the field
	status bool    // after next a status and behind must follow
	behind literal // if status is set
	end    bool    // next ends the line
	time   bool    // it is a time in brackets
	solid  bool    // it has no blanks
	simple bool    // it ends at the first blank, and nothing else is asked of it
	// certain is how the place of the boundary before the step is known.
	certain certainty
}

// ending is how the end of a field is found.
type ending uint8

const (
	atText   ending = iota // where next stands
	atBlanks               // where next stands, which begins with a blank; the field may have some
	atQuote                // at the first quote: the field is between quotes
	atEscape               // at the first quote that no backslash is before
	atDigits               // after a status
	atEnd                  // at the end of the line, or at a blank or a tab if more is set
)

// literal is a text that is compared as a number if it is short.
type literal struct {
	text       string
	word, mask uint64 // of up to eight bytes, the first the lowest; mask is 0 if there are more
}

func literalOf(text string) literal {
	l := literal{text: text}
	if n := len(text); 0 < n && n <= 8 {
		l.mask = ^uint64(0) >> (64 - 8*n)
		l.word = binary.LittleEndian.Uint64([]byte(text+"        ")) & l.mask
	}
	return l
}

// standsAt reports whether the text stands at line[at:]. It may read past the line's end, which is
// a newline or the end of the chunk: no literal contains one. at may exceed len(line).
func (l *literal) standsAt(line []byte, at int) bool {
	if l.mask != 0 && at <= len(line) && at+8 <= cap(line) {
		return binary.LittleEndian.Uint64(line[at:at+8])&l.mask == l.word
	}
	return at+len(l.text) <= len(line) && string(line[at:at+len(l.text)]) == l.text
}

// beginsWithSlash are the parts whose first byte is a slash, so that nothing needs to stand
// before them.
var beginsWithSlash = [allParts]bool{target: true, path: true, rewrittenPath: true}

// isSolid are the parts that have no blanks in them.
var isSolid = [allParts]bool{clientAddr: true, serverPort: true, schemeName: true, methodName: true, statusCode: true, bodySize: true, sentSize: true}

// programFormat returns the format of a program whose times have a layout.
func programFormat(p program, l layout) *Format {
	f := &Format{meaning: meaning{layout: l}}
	for _, s := range p.steps {
		if s.part != ignored {
			f.parts[s.part], f.spell[s.part] = true, s.spell
		}
	}
	compiled := sync.OnceValue(p.compile)
	f.newReader = func(f *Format) Reader {
		p := compiled()
		return &programReader{
			program: p, lines: lines{marked: quoted}, values: values{meaning: f.meaning},
			fitsFormat: f.fits, fields: make([]field, len(p.steps)), isCommon: f.isCommon,
		}
	}
	return f
}

// compile returns the program made ready for readers.
func (p *program) compile() *program {
	c := &program{steps: slices.Clone(p.steps), after: p.after, more: p.more, request: -1}
	isOpen := false
	if len(p.steps) > 0 {
		c.first, c.firstQuotes = []byte(p.steps[0].before), strings.Count(p.steps[0].before, `"`)
	}
	for i := range c.steps {
		s := &c.steps[i]
		c.ready(i)
		c.quotes += strings.Count(s.before, `"`)
		isOpen = isOpen || s.ending == atQuote && (s.part != requestLine || s.spell.undo == nil)
		switch {
		case s.part.isEarly():
			c.early = append(c.early, located{s.part, i})
		case s.part != ignored:
			c.late = append(c.late, located{s.part, i})
		}
		if s.part == requestLine {
			c.request = i
			if slices.ContainsFunc(c.steps[:i], func(s step) bool { return s.contents() == anyText }) {
				c.opening = []byte(s.before)
			}
		}
	}
	if c.quotes += strings.Count(c.after, `"`); !isOpen {
		c.quotes = -1
	}
	c.setCertainties(isOpen)
	c.unsure = c.spans()
	return c
}

// ready sets how the field of a step ends.
func (p *program) ready(i int) {
	s := &p.steps[i]
	next := p.after
	if s.end = i+1 == len(p.steps); !s.end {
		next = p.literal(i + 1)
		s.kept = len(next) - len(p.steps[i+1].before)
	}
	s.next, s.quotes = literalOf(next), strings.Count(next, `"`)
	quote, isQuoted, isEscaped := strings.IndexByte(next, '"'), strings.HasSuffix(s.before, `"`), s.spell.escape == '\\'
	s.list = s.part == forwardedFor && next == " "
	s.time = s.part == moment && strings.HasSuffix(s.before, "[") && i > 0
	switch {
	case s.part == statusCode && !isQuoted:
		s.ending = atDigits
	case next == "":
		s.ending = atEnd
	case quote == 0 && isEscaped && (isQuoted || !isSolid[s.part]):
		s.ending = atEscape
	case quote == 0 && isQuoted:
		s.ending = atQuote
	case quote < 0 && next[0] == ' ' && (s.blanks > 0 || s.list):
		s.ending = atBlanks
	}
	isBetweenQuotes := s.ending == atQuote || s.ending == atEscape
	if blanks := len(next) - len(strings.TrimLeft(next, " ")); quote >= 0 {
		s.key = quote
	} else if s.ending == atText && blanks < len(next) {
		s.key = blanks
	}
	s.solid = !isBetweenQuotes && next != " " && isSolid[s.part]
	if !s.end && p.steps[i+1].part == statusCode && (!isBetweenQuotes || s.part == requestLine) {
		if s.status, s.behind = true, literalOf(p.after); i+2 < len(p.steps) {
			s.behind = literalOf(p.steps[i+2].before)
		}
	}
	s.simple = s.ending == atText && next == " " && s.without == 0 && !s.padded && !s.status && !s.end
}

// field is a range of a line.
type field struct{ start, end int }

// programReader reads lines as a program says.
type programReader struct {
	*program
	lines
	values
	fitsFormat func(*Record) bool // nil if all records fit
	isCommon   bool               // most lines are ordinary, and X-Forwarded-For may be after the User-Agent

	// Of the line that Next returned last:
	line     []byte
	ordinary bool     // see clf.go
	fields   []field  // of the steps
	stopped  int      // the step whose field has no end, -1 if there is none
	marks    []uint16 // the places of its quotes, plus back; nil if they are not marked
	back     int
	passed   int // marks[:passed] are before what is searched
}

// Reset begins a chunk. Nothing after it is read.
func (p *programReader) Reset(chunk []byte) { p.lines.Reset(chunk[:len(chunk):len(chunk)]) }

func (p *programReader) Next(r *Record) Kind {
	if p.at >= len(p.chunk) {
		return End
	}
	p.line, p.marks, p.back = p.cut()
	r.Line = p.line
	p.ordinary = false
	if p.isCommon && p.nextOrdinary(r) {
		return Request
	}
	if p.find() && (p.unsure == nil || p.doubtful() < 0) {
		p.buf, p.plain = p.buf[:0], p.marks != nil
		p.take(p.early)
		if p.next(r) {
			return Request
		}
	}
	if len(p.line) == 0 {
		return Blank
	}
	return Unparsed
}

// take sets the texts of parts.
func (p *programReader) take(parts []located) {
	for _, l := range parts {
		at := p.fields[l.at]
		p.text[l.part] = p.line[at.start:at.end]
	}
}

// Complete sets the other fields of the request that Next returned last.
func (p *programReader) Complete(r *Record) {
	if p.ordinary {
		p.completeOrdinary(r)
		return
	}
	p.take(p.late)
	p.complete(r)
	if p.isCommon && p.parts[userAgent] {
		r.Forwarded = p.undone(quotedField(p.line, p.fields[len(p.steps)-1].end+1), backslashed)
	}
}

// Plausible reports whether the fields look as they do in a log of the format.
func (p *programReader) Plausible(r *Record) bool {
	if p.ordinary {
		p.find()
		p.take(p.late)
	}
	return p.plausible(r) && (p.fitsFormat == nil || p.fitsFormat(r)) && (!p.isCommon || p.isPlausibleCommon(r))
}

// find finds the fields of the line, and reports whether it is of the program.
func (p *programReader) find() bool {
	line, at := p.line, len(p.first)
	if p.stopped, p.passed = 0, p.firstQuotes; !bytes.HasPrefix(line, p.first) {
		return false
	}
	for i := range p.steps {
		s := &p.steps[i]
		p.stopped = i
		if s.simple {
			end := firstBlank(line, at)
			if end >= len(line) {
				return false
			}
			p.fields[i], at = field{at, end}, end+1
			continue
		}
		if s.padded {
			at = blanksEnd(line, at)
		}
		end := -1
		if s.quotes > 0 && p.passed < len(p.marks) { // nearly always, at the first quote
			end = int(p.marks[p.passed]) - p.back - s.key
		}
		if end < at || !s.next.standsAt(line, end) || (s.status || s.end) && !p.goesOn(s, end) {
			if end = p.fieldEnd(s, at); end < 0 {
				return false
			}
		}
		if s.time && bytes.IndexByte(line[at:end], '[') >= 0 {
			if at = p.lastBracket(i, at, end); at < 0 {
				return false
			}
		}
		if s.refuses(line[at:end]) {
			return false
		}
		p.fields[i] = field{at, end}
		at = end + len(s.next.text) - s.kept
		p.passed += s.quotes
	}
	p.stopped = -1
	return p.quotes < 0 || p.hasQuotes()
}

// refuses reports whether a text has a byte that the field does not have.
func (s *step) refuses(text []byte) bool {
	return s.without != 0 && bytes.IndexByte(text, s.without) >= 0 || s.solid && bytes.IndexByte(text, ' ') >= 0
}

// blanksEnd returns the first place at or after at without a blank or a tab.
func blanksEnd(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	return at
}

// hasQuotes reports whether the line has as many quotes as it must.
func (p *programReader) hasQuotes() bool {
	n := len(p.marks)
	if p.marks == nil {
		n = bytes.Count(p.line, []byte(`"`))
	}
	if n == p.quotes {
		return true
	}
	if p.request < 0 {
		return false
	}
	request := p.line[p.fields[p.request].start:p.fields[p.request].end]
	if p.opening != nil && bytes.Contains(request, p.opening) {
		return false
	}
	return n == p.quotes+bytes.Count(request, []byte(`"`))
}

// lastBracket returns where a time in brackets begins, which is the field of a step, ends
// at end and seemed to begin at at; the field in front of it becomes longer. It is -1 if that
// field may not hold what it would hold then.
func (p *programReader) lastBracket(i, at, end int) int {
	before, field := &p.steps[i-1], &p.fields[i-1]
	last := bytes.LastIndex(p.line[at:end], []byte(before.next.text))
	if last < 0 || before.ending == atQuote || before.ending == atEscape || before.ending == atDigits {
		return at
	}
	field.end = at + last
	if before.refuses(p.line[field.start:field.end]) {
		return -1
	}
	return field.end + len(before.next.text)
}

// fieldEnd returns where the field of a step ends that begins at from, -1 if nowhere.
func (p *programReader) fieldEnd(s *step, from int) int {
	line := p.line
	switch s.ending {
	case atDigits:
		if n := statusLength(line, from); n > 0 && p.follows(s, from+n) {
			return from + n
		}
		return -1
	case atEnd:
		if n := bytes.IndexAny(line[from:], " \t"); p.more && n >= 0 {
			return from + n
		}
		return len(line)
	}
	at := from + s.key
	if s.ending == atBlanks {
		at = p.afterBlanks(s, from)
	}
	for ; at < len(line); at++ {
		if at = p.index(at, s.next.text[s.key]); at < 0 {
			return -1
		}
		if s.ending == atEscape && escaped(line[from:at]) {
			continue
		}
		if p.follows(s, at-s.key) {
			return at - s.key
		}
		if !s.status && (s.ending == atQuote || s.ending == atEscape) {
			return -1
		}
	}
	return -1
}

// index returns the first place at or after at where a byte is, -1 if there is none.
func (p *programReader) index(at int, b byte) int {
	if b == '"' && p.marks != nil {
		for ; p.passed < len(p.marks); p.passed++ {
			if mark := int(p.marks[p.passed]) - p.back; mark >= at {
				return mark
			}
		}
		return -1
	}
	if n := bytes.IndexByte(p.line[at:], b); n >= 0 {
		return at + n
	}
	return -1
}

// afterBlanks returns the first blank that is not in the field at at, or the end of the line.
func (p *programReader) afterBlanks(s *step, at int) int {
	end := firstBlank(p.line, at)
	for n := s.blanks; end < len(p.line) && (n > 0 || s.list && end > at && p.line[end-1] == ','); n-- {
		end = firstBlank(p.line, end+1)
	}
	return end
}

// follows reports whether the literal after a field stands at end, and what must follow it.
func (p *programReader) follows(s *step, end int) bool {
	return s.next.standsAt(p.line, end) && (!s.status && !s.end || p.goesOn(s, end))
}

// goesOn reports whether a status, or the end of the line, follows the literal at end as it must.
func (p *programReader) goesOn(s *step, end int) bool {
	after := end + len(s.next.text)
	if s.status {
		n := statusLength(p.line, after)
		return n > 0 && s.behind.standsAt(p.line, after+n)
	}
	return after == len(p.line) || p.more && (p.line[after] == ' ' || p.line[after] == '\t')
}

// statusLength returns the length of the status at line[at:]: three digits, or a zero, a dash
// or -1 if there was none. It is 0 if there is neither.
func statusLength(line []byte, at int) int {
	b := line[min(at, len(line)):]
	switch n := digitsAt(b[:min(len(b), 4)]); {
	case n == 3, n == 1 && b[0] == '0':
		return n
	case n > 0:
		return 0
	case bytes.HasPrefix(b, []byte("-1")):
		return len("-1")
	case bytes.HasPrefix(b, []byte("-")):
		return len("-")
	}
	return 0
}
