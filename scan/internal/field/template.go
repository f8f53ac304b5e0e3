package field

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Template is the shape of lines with literals between the fields. It is immutable after Compile.
//
// A line matches if it consists of the literals and fields in order. A field ends at the first
// occurrence of the next field's literal. The literal after the last field includes the end of the
// line. There are five refinements:
//
//   - A field between quotes, and one before a quote if quotes are escaped, ends at the first
//     unescaped quote, which the rest of the literal must follow.
//   - A field before a code ends where the literal, a code and the literal after the code follow each
//     other. So a Free field may contain quotes, as logged by programs that escape nothing.
//   - If a field between quotes isn't escaped, the line may only have quotes in the literals and in a
//     Free field; otherwise the end of that field would be ambiguous. Nor may the Free field contain
//     the literal before it, if others may have written the first one.
//   - A Bracketed field begins after the last bracket before its end, because what precedes it may
//     contain brackets.
//   - A code ends after its digits or its dash. A Solid field contains no blanks, unless it is between
//     quotes.
//
// The ends of the fields must also be unambiguous: see certain.go.
type Template struct {
	Rules []Rule // one per field
	After string // the literal after the last field
	More  bool   // further fields may follow after a blank or a tab

	first       []byte // the literal before the first field
	firstQuotes int    // in it
	quotes      int    // quotes per line outside the free field, -1 for any number
	free        int    // the free field, or -1
	opening     []byte // literal before the free field, if others may write it; otherwise nil
	endCertain  bool   // the end of the last field is certain
	unsure      []boundaries
}

// Rule defines the content of a Template's field, and the literal before it.
type Rule struct {
	Before    string
	Holds     Content
	Fits      func([]byte) bool // checks a text of Holds; nil accepts any
	IsOne     func([]byte) bool // reports whether a text doesn't end with another field; nil if irrelevant
	Escape    byte              // precedes escaped bytes, including quotes; 0 if nothing is escaped
	Ignored   bool              // the field isn't needed
	Code      bool              // three digits, a zero, a dash or -1
	Solid     bool              // contains no blanks
	List      bool              // a list, in which a blank may follow a comma
	Bracketed bool              // in brackets, and contains none
	Free      bool              // may contain unescaped quotes, if a code follows
	Slashed   bool              // begins with a slash
	Padded    bool              // blanks and tabs after Before aren't part of the field
	Without   byte              // byte that the field never contains, unless 0
	Blanks    int               // blanks in the field, as in a time with two words

	boundary
	// Certain says how the boundary before the field is determined. Compile sets it.
	Certain Certainty
}

// boundary says how to find the end of a field. Compile sets it.
type boundary struct {
	next   literal // after the field
	kept   int     // bytes of next that belong to the next field
	key    int     // byte of next to search: its first quote, or else its first non-blank
	quotes int     // in next
	ending ending
	list   bool    // a blank after a comma is part of the field
	coded  bool    // a code and behind must follow next
	behind literal // if coded is set
	end    bool    // next ends the line
	solid  bool    // contains no blanks
	simple bool    // ends at the first blank, without further conditions
}

// ending is a method to find the end of a field.
type ending uint8

const (
	atText   ending = iota // where next stands
	atBlanks               // where next stands, which begins with a blank; the field may contain some
	atQuote                // at the first quote, for quoted fields
	atEscape               // at the first quote without a backslash before it
	atDigits               // after a code
	atEnd                  // at the end of the line, or with More at a blank or a tab
)

// literal is a text that is compared as a number if it is short.
type literal struct {
	text       string
	word, mask uint64 // up to eight bytes, the first in the lowest bits; mask is 0 for longer texts
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

// Compile returns the template prepared for Find, which takes over its rules.
func (t *Template) Compile() *Template {
	c := &Template{Rules: t.Rules, After: t.After, More: t.More, free: -1}
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

// ready determines how a field ends.
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

// literal returns the text before a field. For a Slashed field directly after another field, that
// is its slash.
func (t *Template) literal(i int) string {
	if before := t.Rules[i].Before; before != "" || i == 0 {
		return before
	}
	return "/"
}

// Places are the places of the fields of one line. Spans must have an element for each field.
type Places struct {
	Line  []byte
	Marks []uint16 // the line's quotes, plus Back; nil if not marked
	Back  int
	Spans []Span

	stopped int // the field without an end, or -1
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

// Split finds the fields of a line at their first places, and reports whether the line consists of
// them. Unlike Find, it doesn't check that they are unambiguous.
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
		if r.quotes > 0 && p.passed < len(p.Marks) { // nearly always at the first quote
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

// refuses reports whether a text contains a byte that the field may not.
func (r *Rule) refuses(text []byte) bool {
	return r.Without != 0 && bytes.IndexByte(text, r.Without) >= 0 || r.solid && bytes.IndexByte(text, ' ') >= 0
}

// blanksEnd returns the index of the first byte at or after at that is neither blank nor tab.
func blanksEnd(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	return at
}

// hasQuotes reports whether the line has the required number of quotes.
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

// lastBracket returns the start of a Bracketed field that ends at end and seemed to begin at at;
// the previous field grows accordingly. It returns -1 if that field can't hold the added text.
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

// fieldEnd returns the end of a field that begins at from, or -1 if it has none.
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

// index returns the index of a byte at or after at, or -1 if there is none.
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

// afterBlanks returns the first blank that doesn't belong to the field at at, or the end of the
// line.
func (r *Rule) afterBlanks(line []byte, at int) int {
	end := Blank(line, at)
	for n := r.Blanks; end < len(line) && (n > 0 || r.list && end > at && line[end-1] == ','); n-- {
		end = Blank(line, end+1)
	}
	return end
}

// follows reports whether the literal after a field stands at end, followed by what must follow it.
func (t *Template) follows(r *Rule, line []byte, end int) bool {
	return r.next.standsAt(line, end) && (!r.coded && !r.end || t.goesOn(r, line, end))
}

// goesOn reports whether the required code, or end of the line, follows the literal at end.
func (t *Template) goesOn(r *Rule, line []byte, end int) bool {
	after := end + len(r.next.text)
	if r.coded {
		n := codeLength(line, after)
		return n > 0 && r.behind.standsAt(line, after+n)
	}
	return after == len(line) || t.More && (line[after] == ' ' || line[after] == '\t')
}

// codeLength returns the length of the code at line[at:]: three digits, or a zero, a dash or -1 for
// none. It returns 0 if there is no code.
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

// IsEscaped reports whether b ends in an odd number of backslashes, which escape what follows.
func IsEscaped(b []byte) bool { return (len(b)-len(bytes.TrimRight(b, `\`)))%2 == 1 }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
