package format

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// program says how the fields of a text line follow each other. It is made once, from a
// row of the table of formats or from a user's own words, and immutable.
//
// A line is of the program if it consists of the literals and fields in their order. A
// field ends at the first place where the literal of the next step stands. The literal
// behind the last field includes the end of the line. There are five refinements:
//
//   - A field between quotes, and one in front of a quote if quotes are escaped, ends at the
//     first quote that is not escaped (spelling), and the rest of the literal must follow it.
//   - A field in front of a status ends where the literal, a status and the literal behind
//     that stand. So a request line has the quotes in it that servers log which escape
//     nothing.
//   - If a field between quotes is not escaped, the line has no quotes but those of the
//     literals and of the request line: it would not be known where that field ends. Nor does
//     the request line have the literal before it in itself, if a client may have written the
//     first one.
//   - A time in brackets ends behind 26 octets, as nearly all do, if the literal stands there.
//     Else it begins behind the last bracket before its end: what is in front of it is the
//     name of a user, which may have brackets.
//   - A status ends behind its digits or its dash. There is no blank in a size, a port, a
//     method or an address, unless it is between quotes.
//
// Of such a line it must be certain where its fields end: see certain.go.
type program struct {
	steps []step
	// after is the literal behind the last field.
	after string
	// more tells whether a blank or a tab and further fields may follow.
	more bool
}

// beginsWithSlash tells of which parts the first octet is a slash, so that nothing needs to
// stand before them.
var beginsWithSlash = [allParts]bool{target: true, path: true, rewrittenPath: true}

// step is a field and the literal that stands before it.
type step struct {
	before string
	part   part
	spell  spelling
	padded bool // blanks and tabs behind before are no part of the field
	// without is an octet that the field does not have, 0 if it may have all.
	without byte
	blanks  int // in the field itself, as in a time of two words
	content content
}

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
		c := compiled()
		return &programReader{
			compiled: c, lines: lines{marked: quoted}, values: values{meaning: f.meaning},
			fitsFormat: f.fits, fields: make([]field, len(c.reaches)),
		}
	}
	return f
}

// compiled is a program made ready.
type compiled struct {
	first       literal // in front of all fields
	firstQuotes int     // in first
	reaches     []reach
	quotes      int       // in a line, without those of the request line, -1 for any number
	early       []located // the parts that Reader.Next needs, and their steps
	late        []located // the others
	request     int       // the step of the request line, -1 if there is none
	opening     []byte    // the literal before it, if a client may write that; nil if not

	certain    []certainty // of the boundary before each step
	endCertain bool        // of the end of the last field
	unsure     []span
}

// reach is a step made ready: a field and how it ends.
type reach struct {
	next    literal // behind the field
	behind  literal // where status is set
	likely  likely
	end     ending
	simple  bool // it ends at the first blank, and nothing else is asked of it
	part    part
	quote   int32 // where the first quote in next is, -1 if there is none
	quotes  int32 // how many are in next
	blanks  int   // in the field itself, for atBlanks
	list    bool  // a blank behind a comma is part of the field, for atBlanks
	without byte  // it does not have this octet, unless that is 0
	kept    int8  // octets of next that belong to the next field
	key     int8  // where in next its first octet is that is no blank; 0 if it has no other
	escaped bool  // a backslash makes a quote part of the field
	padded  bool  // blanks before the field are skipped
	time    bool  // it is a time in brackets
	status  bool  // behind next a status must follow, and behind
	last    bool  // behind next the line ends, or
	more    bool  // a blank follows
	content content
}

// likely is how the end of a field is found nearly always, without looking at more places
// than one: no place before that can be the end.
type likely uint8

const (
	unlikely  likely = iota // it has to be searched
	atBlank                 // next begins with a blank and has no quotes: at the first blank
	atOctet                 // next has no quotes: at the first octet that is its key
	atLineEnd               // next is empty: at the end of the line
	atMark                  // next has a quote: at the first quote
	atClock                 // at the end of a time of the usual length
	at3                     // behind three digits
)

// ending is how the end of a field is found, if not as likely.
type ending uint8

const (
	atText   ending = iota // next is any text without quotes
	atQuote                // the field is between quotes
	atQuoted               // there is a quote in next
	atBlanks               // next begins with a blank, and the field may have some
	atDigits               // the field is a status
	atEnd                  // next is empty: the end of the line
)

// literal is a text that is compared as a number if it is short.
type literal struct {
	text       string
	word, mask uint64 // of up to eight octets, the first the lowest; mask is 0 if there are more
}

func literalOf(text string) literal {
	l := literal{text: text}
	if len(text) > 0 && len(text) <= 8 {
		var octets [8]byte
		copy(octets[:], text)
		l.word, l.mask = binary.LittleEndian.Uint64(octets[:]), ^uint64(0)>>(64-8*len(text))
	}
	return l
}

// standsAt tells whether the text stands at line[at:]. It may look at what is behind the
// line, which is its end, as no literal has it; at itself may be behind the line.
func (l *literal) standsAt(line []byte, at int) bool {
	if l.mask != 0 && at <= len(line) && at+8 <= cap(line) {
		return binary.LittleEndian.Uint64(line[at:at+8])&l.mask == l.word
	}
	return at+len(l.text) <= len(line) && string(line[at:at+len(l.text)]) == l.text
}

func (p *program) compile() *compiled {
	c := &compiled{reaches: make([]reach, len(p.steps)), quotes: -1, request: -1}
	if len(p.steps) > 0 {
		c.first = literalOf(p.steps[0].before)
	}
	c.firstQuotes = strings.Count(c.first.text, `"`)
	quotes, isOpen := c.firstQuotes, false
	for i, s := range p.steps {
		r := &c.reaches[i]
		*r = p.reach(i)
		quotes += int(r.quotes)
		isOpen = isOpen || r.end == atQuote && !r.escaped && (r.part != requestLine || s.spell.undo == nil)
		switch {
		case s.part == userAgent, s.part == referrer, s.part == methodName, slices.Contains(targetParts[:], s.part):
			c.early = append(c.early, located{s.part, i})
		case s.part != ignored:
			c.late = append(c.late, located{s.part, i})
		}
		if s.part == requestLine {
			c.request = i
			if slices.ContainsFunc(p.steps[:i], func(s step) bool { return s.contents() == anyText }) {
				c.opening = []byte(s.before)
			}
		}
	}
	if isOpen {
		c.quotes = quotes
	}
	c.certain, c.endCertain = p.certainties(isOpen)
	c.unsure = c.spans()
	return c
}

// reach returns a step made ready.
func (p *program) reach(i int) reach {
	before := func(i int) literal {
		if i < len(p.steps) {
			return literalOf(p.steps[i].before)
		}
		return literalOf(p.after)
	}
	s, last := p.steps[i], i+1 == len(p.steps)
	r := reach{part: s.part, next: before(i + 1), blanks: s.blanks, padded: s.padded, escaped: s.spell.escape == '\\', last: last, more: last && p.more, content: s.contents()}
	if !last && r.next.text == "" {
		r.next, r.kept = literalOf("/"), 1
	}
	r.quote, r.quotes = int32(strings.IndexByte(r.next.text, '"')), int32(strings.Count(r.next.text, `"`))
	r.list = s.part == forwardedFor && r.next.text == " "
	if key := len(r.next.text) - len(strings.TrimLeft(r.next.text, " ")); key < min(len(r.next.text), 8) {
		r.key = int8(key)
	}
	r.time = s.part == moment && strings.HasSuffix(s.before, "[") && i > 0
	switch quoted := strings.HasSuffix(s.before, `"`); {
	case s.part == statusCode && !quoted:
		r.end, r.likely = atDigits, at3
	case r.next.text == "":
		r.end = atEnd
		if !r.more {
			r.likely = atLineEnd
		}
	case r.quote == 0 && (quoted || r.escaped && !isSolid[s.part]):
		r.end, r.likely = atQuote, atMark
	case r.quote >= 0:
		r.end, r.likely = atQuoted, atMark
	case r.next.text[0] == ' ' && (r.blanks > 0 || r.list):
		r.end = atBlanks
	case r.next.text[0] == ' ' && r.key == 0 && s.part != moment: // which is too long for firstBlank
		r.likely = atBlank
	default:
		r.likely = atOctet
	}
	if r.time {
		r.likely = atClock
	}
	if r.without = s.without; r.end != atQuote && r.next.text != " " && isSolid[s.part] {
		r.without = ' '
	}
	if !last && p.steps[i+1].part == statusCode && (r.end != atQuote || s.part == requestLine) {
		r.status, r.behind = true, before(i+2)
	}
	r.simple = r.likely == atBlank && r.next.text == " " && r.without == 0 && !r.padded && !r.status && !r.last
	return r
}

// isSolid tells which parts have no blanks in them.
var isSolid = [allParts]bool{clientAddr: true, serverPort: true, schemeName: true, methodName: true, statusCode: true, bodySize: true, sentSize: true}

// programReader reads lines as a program says.
type programReader struct {
	*compiled
	lines
	values
	fitsFormat func(*Record) bool // nil if all records fit

	// Of the line that Next returned last:
	line   []byte
	fields []field  // of the steps
	marks  []uint16 // the places of its quotes, plus back; nil if they are not marked
	back   int
	passed int // marks[:passed] are behind us
}

// Reset begins a chunk.
func (p *programReader) Reset(chunk []byte) { p.lines.Reset(chunk[:len(chunk):len(chunk)]) }

func (p *programReader) Next(r *Record) Kind {
	if p.at >= len(p.chunk) {
		return End
	}
	p.line, p.marks, p.back = p.cut()
	r.Line = p.line
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
	p.take(p.late)
	p.complete(r)
}

// Plausible tells whether the fields look as they do in a log of the format.
func (p *programReader) Plausible(r *Record) bool {
	return p.plausible(r) && (p.fitsFormat == nil || p.fitsFormat(r))
}

// find finds the fields of the line, and tells whether it is of the program.
func (p *programReader) find() bool {
	line, at := p.line, len(p.first.text)
	if !p.first.standsAt(line, 0) {
		return false
	}
	p.passed = p.firstQuotes
	for i := range p.reaches {
		c := &p.reaches[i]
		if c.simple {
			end := firstBlank(line, at)
			if end >= len(line) {
				return false
			}
			p.fields[i] = field{at, end}
			at = end + 1
			continue
		}
		if c.padded {
			at = blanksEnd(line, at)
		}
		end := -1
		switch c.likely {
		case atBlank:
			end = firstBlank(line, at)
		case atOctet:
			if n := bytes.IndexByte(line[at:], c.next.text[c.key]); n >= 0 {
				end = at + n - int(c.key)
			}
		case atLineEnd:
			end = len(line)
		case atMark:
			if p.passed < len(p.marks) {
				end = int(p.marks[p.passed]) - p.back - int(c.quote)
			}
		case atClock:
			if at+usualClock <= len(line) && line[at+clockBlank] == ' ' {
				end = at + usualClock
			}
		case at3:
			if at+3 < len(line) && isDigit(line[at]) && isDigit(line[at+1]) && isDigit(line[at+2]) {
				end = at + 3
			}
		}
		if end < at || !c.next.standsAt(line, end) || (c.last || c.status) && !p.goesOn(c, end) {
			if end = p.fieldEnd(c, at); end < 0 {
				return false
			}
			if c.time && bytes.IndexByte(line[at:end], '[') >= 0 {
				if at = p.lastBracket(i, at, end); at < 0 {
					return false
				}
			}
		}
		if c.without != 0 && hasOctet(line, at, end, c.without) {
			return false
		}
		p.fields[i] = field{at, end}
		at = end + len(c.next.text) - int(c.kept)
		p.passed += int(c.quotes)
	}
	return p.quotes < 0 || p.hasQuotes()
}

// usualClock is the length of "10/Feb/2012:16:42:07 -0500", and clockBlank where its blank is.
// No time of another layout has a blank there, if what is in front of it makes it as long.
const (
	usualClock = timeLength - len("[] ")
	clockBlank = usualClock - len(" -0500")
)

// blanksEnd returns the first place at or behind at without a blank or a tab.
func blanksEnd(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	return at
}

// hasOctet tells whether an octet is in line[from:end].
func hasOctet(line []byte, from, end int, octet byte) bool {
	if octet == ' ' {
		return hasBlank(line, from, end)
	}
	return bytes.IndexByte(line[from:end], octet) >= 0
}

// hasQuotes tells whether the line has as many quotes as it must.
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
	request := p.fields[p.request]
	if p.opening != nil && bytes.Contains(p.line[request.start:request.end], p.opening) {
		return false
	}
	return n == p.quotes+bytes.Count(p.line[request.start:request.end], []byte(`"`))
}

// lastBracket returns where a time in brackets begins, which is the field of a step, ends
// at end and seemed to begin at at; the field in front of it becomes longer. It is -1 if that
// field may not hold what it would hold then.
func (p *programReader) lastBracket(i, at, end int) int {
	before := &p.reaches[i-1]
	last := bytes.LastIndex(p.line[at:end], []byte(before.next.text))
	if last < 0 || before.end == atQuote || before.end == atDigits {
		return at
	}
	field := &p.fields[i-1]
	if field.end = at + last; before.without != 0 && hasOctet(p.line, field.start, field.end, before.without) {
		return -1
	}
	return at + last + len(before.next.text)
}

// fieldEnd returns where the field at at ends, -1 if nowhere.
func (p *programReader) fieldEnd(c *reach, at int) int {
	line := p.line
	switch c.end {
	case atDigits:
		if n := statusLength(line, at); n > 0 && p.follows(c, at+n) {
			return at + n
		}
		return -1
	case atText:
		return p.textAt(c, at)
	case atBlanks:
		return p.textAt(c, p.blankBehind(c, at))
	case atEnd:
		if n := bytes.IndexAny(line[at:], " \t"); n >= 0 {
			return at + n
		}
		return len(line)
	}
	for from := at + int(c.quote); ; {
		quote := p.quoteAt(c, from)
		if quote < 0 {
			return -1
		}
		end := quote - int(c.quote)
		if p.follows(c, end) {
			return end
		}
		if c.end == atQuote && !c.status {
			return -1
		}
		from = quote + 1
	}
}

// blankBehind returns the first blank that is not in the field at at, or the end of the line.
func (p *programReader) blankBehind(c *reach, at int) int {
	end := firstBlank(p.line, at)
	for n := c.blanks; end < len(p.line) && (n > 0 || c.list && end > at && p.line[end-1] == ','); n-- {
		end = firstBlank(p.line, end+1)
	}
	return end
}

// textAt returns the first place at or behind at where the literal behind a field stands.
func (p *programReader) textAt(c *reach, at int) int {
	key := int(c.key)
	for from := at + key; from < len(p.line); from++ {
		n := bytes.IndexByte(p.line[from:], c.next.text[key])
		if n < 0 {
			return -1
		}
		if from += n; p.follows(c, from-key) {
			return from - key
		}
	}
	return -1
}

// quoteAt returns the first quote at or behind from that can end a field, -1 if there is
// none.
func (p *programReader) quoteAt(c *reach, from int) int {
	if p.marks == nil {
		return p.searchQuote(c, from)
	}
	for ; p.passed < len(p.marks); p.passed++ {
		if at := int(p.marks[p.passed]) - p.back; at >= from {
			return at
		}
	}
	return -1
}

// searchQuote is quoteAt without marks.
func (p *programReader) searchQuote(c *reach, from int) int {
	switch {
	case from > len(p.line):
		return -1
	case c.end == atQuote && c.escaped:
		return quoteEnd(p.line, from)
	}
	if n := bytes.IndexByte(p.line[from:], '"'); n >= 0 {
		return from + n
	}
	return -1
}

// follows tells whether the literal behind a field stands at end, and what must be
// behind it.
func (p *programReader) follows(c *reach, end int) bool {
	return c.next.standsAt(p.line, end) && (!c.last && !c.status || p.goesOn(c, end))
}

// goesOn tells whether behind the literal at end is what must be there: the end of the line
// or a status.
func (p *programReader) goesOn(c *reach, end int) bool {
	behind := end + len(c.next.text)
	if c.status {
		n := statusLength(p.line, behind)
		return n > 0 && c.behind.standsAt(p.line, behind+n)
	}
	return behind == len(p.line) || c.more && (p.line[behind] == ' ' || p.line[behind] == '\t')
}

// statusLength returns the length of the status at line[at:]: up to three digits, or a dash
// or -1 if there was none. It is 0 if there is neither.
func statusLength(line []byte, at int) int {
	if at+4 <= len(line) && isDigit(line[at]) && isDigit(line[at+1]) && isDigit(line[at+2]) && !isDigit(line[at+3]) {
		return 3
	}
	b := line[min(at, len(line)):]
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
