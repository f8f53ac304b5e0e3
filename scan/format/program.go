package format

import (
	"bytes"
	"fmt"
	"strings"
)

// program says how the fields of a text line follow each other. It is made once, from a
// row of the table of formats or from a user's own words, and immutable.
//
// A line is of the program if it consists of the literals and fields in their order. A
// field ends at the first place where the literal of the next step stands. The literal
// behind the last field includes the end of the line. There are five refinements:
//
//   - A field between quotes ends at the first quote that is not escaped (spelling), and
//     the rest of the literal must follow it.
//   - A field in front of a status ends where the literal, a status and the literal behind
//     that stand. So a request line has the quotes in it that servers log which escape
//     nothing.
//   - If a field between quotes is not escaped, the line has no quotes but those of the
//     literals and of the request line: it would not be known where that field ends.
//   - A time in brackets begins behind the last bracket before its end: what is in front of
//     it is the name of a user, which may have brackets.
//   - A status is a number or a dash. There is no blank in a status, a size, a port, a
//     method or an address, unless it is between quotes.
type program struct {
	steps []step
	// after is the literal behind the last field.
	after string
	// more tells whether a blank or a tab and further fields may follow.
	more bool
	// fits tells formats apart whose lines are alike: whether a record looks as it does in a
	// log of this one. It may be nil.
	fits func(*Record) bool
}

// beginsWithSlash tells of which parts the first octet is a slash, so that nothing needs to
// stand before them.
var beginsWithSlash = [allParts]bool{target: true, path: true, decodedPath: true, rewrittenPath: true}

// step is a field and the literal that stands before it.
type step struct {
	before string
	part   part
	spell  spelling
	padded bool // blanks and tabs behind before are no part of the field
	// without is an octet that the field does not have, 0 if it may have all.
	without byte
}

// check tells why no line can be read by the program.
func (p *program) check() error {
	for i, s := range p.steps {
		if i > 0 && s.before == "" && !beginsWithSlash[s.part] {
			return fmt.Errorf("nothing stands between the fields %d and %d, so the end of the first is unknown", i, i+1)
		}
		if strings.ContainsAny(s.before, "\n") {
			return fmt.Errorf("a line break stands before the field %d", i+1)
		}
	}
	return nil
}

// programFormat returns the format of a program whose times have a layout. Of several
// fields for one part the first counts.
func programFormat(name, by, sample string, p program, l layout) *Format {
	f := &Format{name: name, by: by, sample: sample, meaning: meaning{layout: l}}
	steps := make([]step, len(p.steps))
	for i, s := range p.steps {
		if s.part != ignored && f.parts[s.part] {
			s.part = ignored
		}
		if s.part != ignored {
			f.parts[s.part], f.spell[s.part] = true, s.spell
		}
		steps[i] = s
	}
	p.steps = steps
	compiled := p.compile()
	f.newReader = func(f *Format) Reader {
		return &programReader{compiled: compiled, lines: lines{marked: quoted}, values: values{meaning: f.meaning}}
	}
	return f
}

// compiled is a program made ready.
type compiled struct {
	first   string // the literal in front of all fields
	reaches []reach
	quotes  int // in a line, without those of the request line, -1 for any number
	fits    func(*Record) bool
}

// reach is a step made ready: a field and how it ends.
type reach struct {
	part      part
	end       ending
	next      string // the literal behind the field
	quote     int    // where the first quote in next is, for atQuote and atQuoted
	escaped   bool   // a backslash makes a quote part of the field
	padded    bool   // blanks before the field are skipped
	bracketed bool   // it is a time in brackets
	status    bool   // behind next a status must follow, and
	behind    string // behind that this
	without   byte   // it does not have this octet, unless that is 0
	kept      int    // octets of next that belong to the next field
	last      bool   // behind next the line ends, or
	more      bool   // a blank follows
}

// ending is how the end of a field is found.
type ending uint8

const (
	atBlank  ending = iota // next is a blank
	atText                 // next is any text without quotes
	atQuote                // the field is between quotes
	atQuoted               // there is a quote in next
	atEnd                  // next is empty: the end of the line
)

func (p *program) compile() *compiled {
	c := &compiled{reaches: make([]reach, len(p.steps)), quotes: -1, fits: p.fits}
	if len(p.steps) > 0 {
		c.first = p.steps[0].before
	}
	quotes, isOpen := strings.Count(c.first, `"`), false
	for i := range p.steps {
		r := &c.reaches[i]
		*r = p.reach(i)
		quotes += strings.Count(r.next, `"`)
		isOpen = isOpen || r.end == atQuote && r.part != requestLine && !r.escaped
	}
	if isOpen {
		c.quotes = quotes
	}
	return c
}

// reach returns a step made ready.
func (p *program) reach(i int) reach {
	literal := func(i int) string {
		if i < len(p.steps) {
			return p.steps[i].before
		}
		return p.after
	}
	s, last := p.steps[i], i+1 == len(p.steps)
	r := reach{part: s.part, next: literal(i + 1), padded: s.padded, escaped: s.spell.escape == '\\', last: last, more: last && p.more}
	if !last && r.next == "" {
		r.next, r.kept = "/", 1
	}
	r.quote = strings.IndexByte(r.next, '"')
	r.bracketed = s.part == moment && strings.HasSuffix(s.before, "[") && i > 0
	switch quoted := strings.HasSuffix(s.before, `"`); {
	case r.next == "":
		r.end = atEnd
	case r.quote == 0 && quoted:
		r.end = atQuote
	case r.quote >= 0:
		r.end = atQuoted
	default:
		r.end = atText
	}
	if r.without = s.without; r.end != atQuote && isSolid[s.part] {
		r.without = ' '
	}
	if !last && p.steps[i+1].part == statusCode && (r.end != atQuote || s.part == requestLine) {
		r.status, r.behind = true, literal(i+2)
	}
	if r.end == atText && r.next == " " && !last && !r.status {
		r.end = atBlank
	}
	return r
}

// isSolid tells which parts have no blanks in them.
var isSolid = [allParts]bool{clientAddr: true, serverPort: true, schemeName: true, methodName: true, statusCode: true, bodySize: true}

// programReader reads lines as a program says.
type programReader struct {
	*compiled
	lines
	values

	// Of the line that Next returned last:
	line   []byte
	marks  []uint16 // the places of its quotes, plus back; nil if they are not marked
	back   int
	passed int // marks[:passed] are behind us
}

func (p *programReader) Next(r *Record) Kind {
	if p.at >= len(p.chunk) {
		return End
	}
	p.line, p.marks, p.back = p.cut()
	r.Line = p.line
	switch {
	case p.find() && p.next(r):
		return Request
	case len(p.line) == 0:
		return Blank
	}
	return Unparsed
}

// Complete sets the other fields of the request that Next returned last.
func (p *programReader) Complete(r *Record) { p.complete(r) }

// Plausible tells whether the fields look as they do in a log of the format.
func (p *programReader) Plausible(r *Record) bool {
	return p.plausible(r) && (p.fits == nil || p.fits(r))
}

// find finds the fields of the line, and tells whether it is of the program.
func (p *programReader) find() bool {
	line, at, before := p.line, len(p.first), -1
	if len(line) < at || string(line[:at]) != p.first {
		return false
	}
	p.buf, p.passed = p.buf[:0], 0
	for i := range p.reaches {
		c := &p.reaches[i]
		for c.padded && at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		end := p.fieldEnd(c, at)
		if end < 0 {
			return false
		}
		if c.bracketed && end-at != timeLength-len(`[] `) {
			at = p.lastBracket(i, before, at, end)
		}
		field := line[at:end]
		if c.without != 0 && bytes.IndexByte(field, c.without) >= 0 || c.part == statusCode && (len(field) == 0 || statusLength(field) != len(field)) {
			return false
		}
		p.text[c.part] = field
		before, at = at, end+len(c.next)-c.kept
	}
	return p.quotes < 0 || p.hasQuotes()
}

// hasQuotes tells whether the line has as many quotes as it must.
func (p *programReader) hasQuotes() bool {
	n := len(p.marks)
	if p.marks == nil {
		n = bytes.Count(p.line, []byte(`"`))
	}
	return n == p.quotes || n == p.quotes+bytes.Count(p.text[requestLine], []byte(`"`))
}

// lastBracket returns where a time in brackets begins, which ends at end and seemed to
// begin at at; the field in front of it, which begins at before, becomes longer.
func (p *programReader) lastBracket(i, before, at, end int) int {
	literal := p.reaches[i-1].next
	last := bytes.LastIndex(p.line[at:end], []byte(literal))
	if last < 0 || p.reaches[i-1].end == atQuote {
		return at
	}
	p.text[p.reaches[i-1].part] = p.line[before : at+last]
	return at + last + len(literal)
}

// fieldEnd returns where the field at at ends, -1 if nowhere.
func (p *programReader) fieldEnd(c *reach, at int) int {
	switch line := p.line; c.end {
	case atBlank:
		if end := firstBlank(line, at); end < len(line) {
			return end
		}
		return -1
	case atText:
		for end := at; ; end++ {
			n := bytes.Index(line[end:], []byte(c.next))
			if n < 0 {
				return -1
			}
			if end += n; p.follows(c, end) {
				return end
			}
		}
	case atEnd:
		if c.more {
			if n := bytes.IndexAny(line[at:], " \t"); n >= 0 {
				return at + n
			}
		}
		return len(line)
	}
	for from := at + c.quote; ; {
		quote := p.quoteAt(c, from)
		if quote < 0 || p.follows(c, quote-c.quote) {
			return quote - c.quote
		}
		if c.end == atQuote && !c.status {
			return -1
		}
		from = quote + 1
	}
}

// quoteAt returns the first quote at or behind from that can end a field, which is
// negative if there is none.
func (p *programReader) quoteAt(c *reach, from int) int {
	const none = -1 << 32
	if p.marks != nil {
		for ; p.passed < len(p.marks); p.passed++ {
			if at := int(p.marks[p.passed]) - p.back; at >= from {
				return at
			}
		}
		return none
	}
	for from <= len(p.line) {
		n := bytes.IndexByte(p.line[from:], '"')
		if n < 0 {
			return none
		}
		at := from + n
		if !c.escaped || c.end != atQuote || n == 0 || p.line[at-1] != '\\' || !escaped(p.line[from:at]) {
			return at
		}
		from = at + 1
	}
	return none
}

// follows tells whether the literal behind a field stands at end, and what must be
// behind it.
func (p *programReader) follows(c *reach, end int) bool {
	line, behind := p.line, end+len(c.next)
	if behind > len(line) || string(line[end:behind]) != c.next {
		return false
	}
	switch {
	case c.last:
		return behind == len(line) || c.more && (line[behind] == ' ' || line[behind] == '\t')
	case c.status:
		n := statusLength(line[behind:])
		return n > 0 && bytes.HasPrefix(line[behind+n:], []byte(c.behind))
	}
	return true
}

// statusLength returns the length of the status at the start of b: up to three digits, or a
// dash or -1 if there was none. It is 0 if there is neither.
func statusLength(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	switch {
	case n == 0 && bytes.HasPrefix(b, []byte("-1")):
		return len("-1")
	case n == 0 && bytes.HasPrefix(b, []byte("-")):
		return len("-")
	case n > 3:
		return 0
	}
	return n
}
