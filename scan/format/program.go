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
// behind the last field includes the end of the line. There are four refinements:
//
//   - A field between quotes ends at the first quote that is not escaped (spelling), and
//     the rest of the literal must follow it.
//   - But a request line in front of a status ends at the first such quote that the rest of
//     the literal and a status follow: servers that escape nothing log the quotes in it.
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
}

// step is a field and the literal that stands before it.
type step struct {
	before string
	part   part
	spell  spelling
	padded bool // blanks and tabs behind before are no part of the field
}

// check tells why no line can be read by the program.
func (p *program) check() error {
	for i, s := range p.steps {
		if i > 0 && s.before == "" {
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
	first, reaches := p.compile()
	f.newReader = func(f *Format) Reader {
		return &programReader{lines: lines{marked: quoted}, values: values{meaning: f.meaning}, first: first, reaches: reaches}
	}
	return f
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
	status    bool   // behind next a status must follow
	solid     bool   // it has no blank
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

// compile returns the literal in front of all fields, and the steps.
func (p *program) compile() (first string, reaches []reach) {
	reaches = make([]reach, len(p.steps))
	for i, s := range p.steps {
		c := &reaches[i]
		c.part, c.padded, c.escaped = s.part, s.padded, s.spell.escape == '\\'
		c.bracketed = s.part == moment && strings.HasSuffix(s.before, "[") && i > 0
		if c.last = i+1 == len(p.steps); c.last {
			c.next, c.more = p.after, p.more
		} else {
			c.next, c.status = p.steps[i+1].before, s.part == requestLine && p.steps[i+1].part == statusCode
		}
		c.quote = strings.IndexByte(c.next, '"')
		switch {
		case c.next == "":
			c.end = atEnd
		case c.quote == 0 && strings.HasSuffix(s.before, `"`):
			c.end = atQuote
		case c.quote >= 0:
			c.end = atQuoted
		case c.next == " " && !c.last:
			c.end = atBlank
		default:
			c.end = atText
		}
		c.solid = c.end != atQuote && c.end != atBlank && isSolid[s.part]
	}
	if len(p.steps) > 0 {
		first = p.steps[0].before
	}
	return first, reaches
}

// isSolid tells which parts have no blanks in them.
var isSolid = [allParts]bool{clientAddr: true, serverPort: true, schemeName: true, methodName: true, statusCode: true, bodySize: true}

// programReader reads lines as a program says.
type programReader struct {
	lines
	values
	first   string
	reaches []reach

	// Of the line that Next returned last:
	line   []byte
	quotes []uint16 // the places of its quotes, plus back; nil if they are not marked
	back   int
	passed int // quotes[:passed] are behind us
}

func (p *programReader) Next(r *Record) Kind {
	if p.at >= len(p.chunk) {
		return End
	}
	p.line, p.quotes, p.back = p.cut()
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
func (p *programReader) Plausible(r *Record) bool { return p.plausible(r) }

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
		if c.solid && bytes.IndexByte(field, ' ') >= 0 || c.part == statusCode && !isStatusField(field) {
			return false
		}
		p.text[c.part] = field
		before, at = at, end+len(c.next)
	}
	return true
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
	if p.quotes != nil {
		for ; p.passed < len(p.quotes); p.passed++ {
			if at := int(p.quotes[p.passed]) - p.back; at >= from {
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
		const most = len("-200 ")
		blank := fieldEnd(line[:min(behind+most, len(line))], behind)
		return isStatusField(line[behind:blank])
	}
	return true
}

// isStatusField tells whether b is a status or says that there was none: up to three
// digits, a dash, or a negative number.
func isStatusField(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
		if len(b) == 0 {
			return true
		}
	}
	if len(b) == 0 || len(b) > 3 {
		return false
	}
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}
