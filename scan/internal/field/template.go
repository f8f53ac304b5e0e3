package field

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Template is the shape of lines in which literals stand between the fields. After Compile it is
// immutable.
//
// A line matches if it consists of the literals and fields in their order. A
// field ends at the first place where the literal of the next one stands. The literal
// after the last field includes the end of the line. There are five refinements:
//
//   - A field between quotes, and one in front of a quote if quotes are escaped, ends at the
//     first quote that is not escaped, and the rest of the literal must follow it.
//   - A field in front of a code ends where the literal, a code and the literal after
//     that stand. So a field that is Free may contain quotes, as logged by programs that escape
//     nothing.
//   - If a field between quotes is not escaped, the line has no quotes except in the
//     literals and in a field that is Free: the end of that field would be ambiguous. Nor may
//     the latter contain the literal before it, if others may have written the
//     first one.
//   - A field that is Bracketed begins after the last bracket before its end: whatever precedes
//     it may contain brackets.
//   - A code ends after its digits or its dash. There is no blank in a field that is Solid, unless
//     it is between quotes.
//
// The ends of the fields must also be certain: see certain.go.
type Template struct {
	Rules []Rule // of the fields
	After string // the literal after the last field
	More  bool   // a blank or a tab and further fields may follow

	first       []byte // the literal before the first field
	firstQuotes int    // in it
	quotes      int    // in a line, without the free field's, -1 for any number
	free        int    // the free field, or -1
	opening     []byte // the literal before it, if others may write that; nil if not
	endCertain  bool   // of the end of the last field
	unsure      []boundaries
}

// Rule defines what a field of a Template can hold, and which literal stands before it.
type Rule struct {
	Before    string
	Holds     Content
	Fits      func([]byte) bool // whether a text of Holds can be the field; nil for any
	IsOne     func([]byte) bool // whether no other field ends in a text; nil: that does not matter
	Escape    byte              // in front of what the log escapes, among it quotes; 0: nothing is
	Ignored   bool              // the field is not needed
	Code      bool              // it is three digits, a zero, a dash or -1
	Solid     bool              // it has no blanks
	List      bool              // it is a list: a blank after a comma is part of it
	Bracketed bool              // it is in brackets, and has none
	Free      bool              // it may hold quotes that are not escaped, if a code follows it
	Slashed   bool              // it begins with a slash
	Padded    bool              // blanks and tabs after Before are no part of the field
	Without   byte              // it does not have this byte, unless that is 0
	Blanks    int               // in the field itself, as in a time of two words

	boundary
	// Certain is how the place of the boundary before the field is known. Compile sets it.
	Certain Certainty
}

// boundary is how the end of a field is found. Compile sets it.
type boundary struct {
	next   literal // after the field
	kept   int     // bytes of next that belong to the next field
	key    int     // the byte of next that is searched: its first quote, else the first that is no blank
	quotes int     // in next
	ending ending
	list   bool    // a blank after a comma is part of the field
	coded  bool    // after next a code and after must follow
	behind literal // if coded is set
	end    bool    // next ends the line
	solid  bool    // it has no blanks
	simple bool    // it ends at the first blank, and nothing else is asked of it
}

// ending is how the end of a field is found.
type ending uint8

const (
	atText   ending = iota // where next stands
	atBlanks               // where next stands, which begins with a blank; the field may have some
	atQuote                // at the first quote: the field is between quotes
	atEscape               // at the first quote that no backslash is before
	atDigits               // after a code
	atEnd                  // at the end of the line, or at a blank or a tab if More is set
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

// standsAt reports whether the text stands at line[at:]. at may exceed len(line).
func (l *literal) standsAt(line []byte, at int) bool {
	if at+len(l.text) > len(line) {
		return false
	}
	if l.mask != 0 && len(line) >= 8 {
		from := min(at, len(line)-8)
		return binary.LittleEndian.Uint64(line[from:])>>(8*uint(at-from)&63)&l.mask == l.word
	}
	return string(line[at:at+len(l.text)]) == l.text
}

// Compile returns the template made ready for Find.
func (t *Template) Compile() *Template {
	c := &Template{Rules: slices.Clone(t.Rules), After: t.After, More: t.More, free: -1}
	isOpen := false
	if len(c.Rules) > 0 {
		c.first, c.firstQuotes = []byte(c.Rules[0].Before), strings.Count(c.Rules[0].Before, `"`)
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		c.ready(i)
		c.quotes += strings.Count(r.Before, `"`)
		isOpen = isOpen || r.ending == atQuote && r.Escape == 0 && r.Holds != Token
		if r.Free {
			c.free = i
			if slices.ContainsFunc(c.Rules[:i], func(r Rule) bool { return r.Holds == Any }) {
				c.opening = []byte(r.Before)
			}
		}
	}
	if c.quotes += strings.Count(c.After, `"`); !isOpen {
		c.quotes = -1
	}
	c.setCertainties(isOpen)
	c.unsure = c.uncertain()
	return c
}

// ready sets how a field ends.
func (t *Template) ready(i int) {
	r, next := &t.Rules[i], t.After
	r.end = i+1 == len(t.Rules)
	if !r.end {
		next = t.literal(i + 1)
		r.kept = len(next) - len(t.Rules[i+1].Before)
	}
	r.next, r.quotes = literalOf(next), strings.Count(next, `"`)
	quote, isQuoted, isEscaped := strings.IndexByte(next, '"'), strings.HasSuffix(r.Before, `"`), r.Escape == '\\'
	r.list = r.List && next == " "
	switch {
	case r.Code && !isQuoted:
		r.ending = atDigits
	case next == "":
		r.ending = atEnd
	case quote == 0 && isEscaped && (isQuoted || !r.Solid):
		r.ending = atEscape
	case quote == 0 && isQuoted:
		r.ending = atQuote
	case quote < 0 && next[0] == ' ' && (r.Blanks > 0 || r.list):
		r.ending = atBlanks
	}
	if blanks := len(next) - len(strings.TrimLeft(next, " ")); quote >= 0 {
		r.key = quote
	} else if r.ending == atText && blanks < len(next) {
		r.key = blanks
	}
	r.solid = r.Solid && !r.isBetweenQuotes() && next != " "
	if !r.end && t.Rules[i+1].Code && (!r.isBetweenQuotes() || r.Free) {
		r.coded, r.behind = true, literalOf(t.After)
		if i+2 < len(t.Rules) {
			r.behind = literalOf(t.Rules[i+2].Before)
		}
	}
	r.simple = r.ending == atText && next == " " && r.Without == 0 && !r.Padded && !r.coded && !r.end
}

// isBetweenQuotes reports whether the field ends at a quote.
func (r *Rule) isBetweenQuotes() bool { return r.ending == atQuote || r.ending == atEscape }

// literal returns the text before a field. In front of one with a slash that follows another
// without a gap, it is that slash.
func (t *Template) literal(i int) string {
	if before := t.Rules[i].Before; before != "" || i == 0 {
		return before
	}
	return "/"
}

// Places are where the fields of one line are. Spans is long enough for all fields.
type Places struct {
	Line  []byte
	Marks []uint16 // the places of its quotes, plus Back; nil if they are not marked
	Back  int
	Spans []Span

	stopped int // the field that has no end, or -1
	passed  int // Marks[:passed] precede the part to search
}

// Find finds the fields of a line, and reports whether it matches.
func (t *Template) Find(p *Places) bool {
	return t.Split(p) && (t.unsure == nil || t.doubtful(p) < 0)
}

// Fault describes where the line departs from the shape, or returns "" if it does not. name names a field.
func (t *Template) Fault(p *Places, name func(i int) string) string {
	ok := t.Split(p)
	switch i := p.stopped; {
	case ok:
		i = t.doubtful(p)
		if i >= 0 {
			return fmt.Sprintf("%q stands in several places where %s could end: a client may have written some of them",
				t.Rules[i].next.text, name(i))
		}
		return ""
	case i < 0:
		return "it has quotes within its fields, so it is not known where these end"
	case !bytes.HasPrefix(p.Line, t.first):
		return fmt.Sprintf("it does not begin with %q", t.first)
	default:
		return fmt.Sprintf("%s does not end before %q as in the format", name(i), t.Rules[i].next.text)
	}
}

// Split finds the fields of a line at their first places, and reports whether it consists of them;
// Find does so, and is certain of them.
func (t *Template) Split(p *Places) bool {
	line, at := p.Line, len(t.first)
	p.stopped, p.passed = 0, t.firstQuotes
	if !bytes.HasPrefix(line, t.first) {
		return false
	}
	for i := range t.Rules {
		r := &t.Rules[i]
		p.stopped = i
		if r.simple {
			end := Blank(line, at)
			if end >= len(line) {
				return false
			}
			p.Spans[i], at = Span{at, end}, end+1
			continue
		}
		if r.Padded {
			at = blanksEnd(line, at)
		}
		end := -1
		if r.quotes > 0 && p.passed < len(p.Marks) { // nearly always, at the first quote
			end = int(p.Marks[p.passed]) - p.Back - r.key
		}
		if end < at || !r.next.standsAt(line, end) || (r.coded || r.end) && !t.goesOn(r, line, end) {
			end = t.fieldEnd(p, r, at)
			if end < 0 {
				return false
			}
		}
		if r.Bracketed && bytes.IndexByte(line[at:end], '[') >= 0 {
			at = t.lastBracket(p, i, at, end)
			if at < 0 {
				return false
			}
		}
		if r.refuses(line[at:end]) {
			return false
		}
		p.Spans[i] = Span{at, end}
		at = end + len(r.next.text) - r.kept
		p.passed += r.quotes
	}
	p.stopped = -1
	return t.quotes < 0 || t.hasQuotes(p)
}

// refuses reports whether a text has a byte that the field does not have.
func (r *Rule) refuses(text []byte) bool {
	return r.Without != 0 && bytes.IndexByte(text, r.Without) >= 0 || r.solid && bytes.IndexByte(text, ' ') >= 0
}

// blanksEnd returns the first place at or after at without a blank or a tab.
func blanksEnd(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	return at
}

// hasQuotes reports whether the line has as many quotes as it must.
func (t *Template) hasQuotes(p *Places) bool {
	n := len(p.Marks)
	if p.Marks == nil {
		n = bytes.Count(p.Line, []byte(`"`))
	}
	if n == t.quotes {
		return true
	}
	if t.free < 0 {
		return false
	}
	free := p.Line[p.Spans[t.free].From:p.Spans[t.free].To]
	if t.opening != nil && bytes.Contains(free, t.opening) {
		return false
	}
	return n == t.quotes+bytes.Count(free, []byte(`"`))
}

// lastBracket returns where a field in brackets begins that ends at end and seemed to begin at at;
// the field in front of it becomes longer. It is -1 if that field may not hold what it would hold
// then.
func (t *Template) lastBracket(p *Places, i, at, end int) int {
	before, span := &t.Rules[i-1], &p.Spans[i-1]
	last := bytes.LastIndex(p.Line[at:end], []byte(before.next.text))
	if last < 0 || before.isBetweenQuotes() || before.ending == atDigits {
		return at
	}
	span.To = at + last
	if before.refuses(p.Line[span.From:span.To]) {
		return -1
	}
	return span.To + len(before.next.text)
}

// fieldEnd returns where a field ends that begins at from, -1 if nowhere.
func (t *Template) fieldEnd(p *Places, r *Rule, from int) int {
	line := p.Line
	switch r.ending {
	case atDigits:
		if n := codeLength(line, from); n > 0 && t.follows(r, line, from+n) {
			return from + n
		}
		return -1
	case atEnd:
		if n := bytes.IndexAny(line[from:], " \t"); t.More && n >= 0 {
			return from + n
		}
		return len(line)
	}
	at := from + r.key
	if r.ending == atBlanks {
		at = r.afterBlanks(line, from)
	}
	for ; at < len(line); at++ {
		at = p.index(at, r.next.text[r.key])
		if at < 0 {
			return -1
		}
		if r.ending == atEscape && IsEscaped(line[from:at]) {
			continue
		}
		if t.follows(r, line, at-r.key) {
			return at - r.key
		}
		if !r.coded && r.isBetweenQuotes() {
			return -1
		}
	}
	return -1
}

// index returns the first place at or after at where a byte is, or -1 if there is none.
func (p *Places) index(at int, b byte) int {
	if b == '"' && p.Marks != nil {
		for ; p.passed < len(p.Marks); p.passed++ {
			if mark := int(p.Marks[p.passed]) - p.Back; mark >= at {
				return mark
			}
		}
		return -1
	}
	if n := bytes.IndexByte(p.Line[at:], b); n >= 0 {
		return at + n
	}
	return -1
}

// afterBlanks returns the first blank that is not in the field at at, or the end of the line.
func (r *Rule) afterBlanks(line []byte, at int) int {
	end := Blank(line, at)
	for n := r.Blanks; end < len(line) && (n > 0 || r.list && end > at && line[end-1] == ','); n-- {
		end = Blank(line, end+1)
	}
	return end
}

// follows reports whether the literal after a field stands at end, and what must follow it.
func (t *Template) follows(r *Rule, line []byte, end int) bool {
	return r.next.standsAt(line, end) && (!r.coded && !r.end || t.goesOn(r, line, end))
}

// goesOn reports whether a code, or the end of the line, follows the literal at end as it must.
func (t *Template) goesOn(r *Rule, line []byte, end int) bool {
	after := end + len(r.next.text)
	if r.coded {
		n := codeLength(line, after)
		return n > 0 && r.behind.standsAt(line, after+n)
	}
	return after == len(line) || t.More && (line[after] == ' ' || line[after] == '\t')
}

// codeLength returns the length of the code at line[at:]: three digits, or a zero, a dash
// or -1 if there was none. It is 0 if there is neither.
func codeLength(line []byte, at int) int {
	b, n := line[min(at, len(line)):], 0
	for n < min(len(b), 4) && isDigit(b[n]) {
		n++
	}
	switch {
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

// IsEscaped reports whether b ends in an odd number of backslashes, so that they escape what
// follows.
func IsEscaped(b []byte) bool { return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
