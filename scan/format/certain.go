package format

import (
	"bytes"
	"slices"
	"strings"
)

// A client writes some fields of a line byte by byte, and may write the very literal that ends
// such a field. What it writes behind that would then be read as the next fields: as another
// address, another time, another status. So a program knows which bytes a field can hold.
// Boundary i is the place of the literal before step i:
//
//   - It is certain from the left if the literal has a byte that no field can hold between it
//     and the last boundary that is certain, or the beginning of the line.
//   - It is certain from the right if the same is true of the fields between it and the next
//     boundary that is certain, or the end of the line. The literal is then at its last place.
//   - For any other boundary, the first and the last place where it may be must be the same.
//     If they differ, the line is not read.
//
// A boundary does not matter between two fields that are of no interest.

// content says which bytes a field can hold.
type content uint8

const (
	ofPart   content = iota // as its part says
	dash                    // a dash
	number                  // a number, or a dash
	address                 // an IP address, with a port or without
	token                   // what servers name things by: letters, digits and few other bytes
	unbroken                // no blanks, control characters and slashes
	anyText                 // any bytes, but for those that the log escapes
)

// contentOf is what the parts hold. All others hold any text.
var contentOf = [allParts]content{
	clientAddr: address, hostName: unbroken, schemeName: token, tlsInUse: token, methodName: token,
	statusCode: number, bodySize: number, sentSize: number, serverPort: number, ownPort: number,
	moment: token, day: token, timeOfDay: token,
}

// contents returns what the field holds.
func (s *step) contents() content {
	switch {
	case s.content != ofPart:
		return s.content
	case contentOf[s.part] != ofPart:
		return contentOf[s.part]
	}
	return anyText
}

// holds reports whether the field can hold a byte. counted: lines with a quote in a field are
// not read.
func (s *step) holds(c byte, counted bool) bool {
	isEscaped := c == '"' || c < ' ' || s.spell.escape == '#' && s.part != requestLine && strings.IndexByte("#{|}", c) >= 0
	if isEscaped && s.spell.undo != nil || counted && c == '"' || c != 0 && c == s.without {
		return false
	}
	isName := isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
	switch s.contents() {
	case dash:
		return c == '-'
	case number:
		return isNumber(c)
	case address:
		return isName || strings.IndexByte(":.%[]_-", c) >= 0
	case token:
		return isName || strings.IndexByte("-._~:/+*=%,@$&!", c) >= 0
	case unbroken:
		return c > ' ' && c != 0x7f && c != '/'
	}
	return true
}

// isNumber reports whether a byte is one of a number.
func isNumber(c byte) bool { return isDigit(c) || c == '.' || c == '-' || c == '+' }

// certainty says how the place of a boundary is known.
type certainty uint8

const (
	fromLeft  certainty = iota // the first place is right
	fromRight                  // the last place is right
	onlyPlace                  // if they differ, the line is not read
	anyPlace                   // it does not matter
)

// setCertainties sets how the place of each boundary is known, and whether that of the end of
// the last field is. The first boundary is the beginning of the line. counted: lines with a quote
// in a field are not read.
func (p *program) setCertainties(counted bool) {
	if len(p.steps) == 0 {
		return
	}
	var held [256]bool // by the fields since the last boundary that is certain
	hold := func(s *step) {
		for c := range held {
			held[c] = held[c] || s.holds(byte(c), counted)
		}
	}
	marks := func(literal string) bool {
		return slices.ContainsFunc([]byte(literal), func(c byte) bool { return !held[c] })
	}
	for i := range p.steps[1:] {
		hold(&p.steps[i])
		if marks(p.literal(i + 1)) {
			held = [256]bool{}
		} else {
			p.steps[i+1].certain = onlyPlace
		}
	}
	hold(&p.steps[len(p.steps)-1])
	p.endCertain = !p.more || marks(p.after)
	held = [256]bool{}
	isKnown := p.endCertain
	for i := len(p.steps) - 1; i > 0; i-- {
		hold(&p.steps[i])
		switch s := &p.steps[i]; {
		case s.certain == fromLeft:
			held, isKnown = [256]bool{}, true
		case isKnown && marks(p.literal(i)):
			s.certain, held = fromRight, [256]bool{}
		case p.steps[i-1].part == ignored && s.part == ignored, p.isOfClient(i):
			s.certain = anyPlace
		}
	}
}

// literal returns the text before a step. In front of a path that follows a field without a
// gap, it is the slash of the path.
func (p *program) literal(i int) string {
	if before := p.steps[i].before; before != "" || i == 0 {
		return before
	}
	return "/"
}

// isOfClient reports whether both fields at a boundary are a client's own words, with a text
// between them that such words usually have. Nearly all lines would have to be left out then,
// though the client gains nothing: it could have sent what is read.
func (p *program) isOfClient(i int) bool {
	isOwn := func(s *step) bool {
		return s.part != forwardedFor && s.contents() == anyText
	}
	return isOwn(&p.steps[i-1]) && isOwn(&p.steps[i]) && strings.Trim(p.steps[i].before, " ,;/()?") == ""
}

// span is some boundaries beside each other of which none is certain from the left. If the
// fields around them have so many bytes mark as their literals, each boundary has only one
// place.
type span struct {
	first, last int
	mark        byte
	marks       int // -1: this cannot be told by a byte
}

// spans returns the boundaries that have to be looked at in each line.
func (p *program) spans() (list []span) {
	for i := 1; i < len(p.steps); i++ {
		if p.steps[i].certain == fromLeft {
			continue
		}
		first := i
		for i+1 < len(p.steps) && p.steps[i+1].certain != fromLeft {
			i++
		}
		last := i
		if p.steps[last].certain == fromRight && p.steps[last].time {
			last-- // a time begins at the last bracket anyway
		}
		if slices.ContainsFunc(p.steps[first:last+1], func(s step) bool { return s.certain != anyPlace }) {
			list = append(list, p.span(first, last))
		}
	}
	return list
}

// span returns the span of some boundaries.
func (p *program) span(first, last int) span {
	var tried [256]bool
	for _, mark := range []byte(p.steps[first-1].next.text) {
		if tried[mark] {
			continue
		}
		marks := 0
		tried[mark] = true
		for i := first - 1; i <= last; i++ {
			s := &p.steps[i]
			if mark == ' ' {
				marks += s.blanks
			}
			if i == last && (!s.end || p.endCertain) {
				return span{first, last, mark, marks}
			}
			n := strings.Count(s.next.text, string(rune(mark)))
			if n == 0 || s.kept > 0 || s.padded || mark >= 0x80 {
				break
			}
			marks += n
		}
	}
	return span{first, last, 0, -1}
}

// doubtful returns the step whose end is not certain in the line, -1 if there is none. It sets
// the fields whose boundaries are certain from the right.
func (p *programReader) doubtful() int {
	for _, s := range p.unsure {
		end, isFixed := p.fields[s.last].end, true
		if s.marks >= 0 && bytes.Count(p.line[p.fields[s.first-1].start:end], []byte{s.mark}) == s.marks {
			continue
		}
		if s.last+1 == len(p.steps) && !p.endCertain {
			end, isFixed = len(p.line), false
		}
		for i := s.last; i >= s.first; i-- {
			start, stop := p.lastPlace(i, end, isFixed)
			if i < s.last && p.steps[i+1].certain == onlyPlace && stop != p.fields[i].end {
				return i
			}
			end, isFixed = p.endBefore(i, start), p.steps[i].certain == fromRight
			if isFixed {
				p.fields[i], p.fields[i-1].end = field{start, stop}, end
			}
		}
		if p.steps[s.first].certain == onlyPlace && end != p.fields[s.first-1].end {
			return s.first - 1
		}
		for i := s.first - 1; i <= s.last; i++ {
			if f := p.fields[i]; f.start > f.end || !p.fits(i, f.start, f.end) {
				return i
			}
		}
	}
	return -1
}

// lastPlace returns the last place where field i can be, given the last place where it can end.
// isFixed: it ends there.
func (p *programReader) lastPlace(i, end int, isFixed bool) (start, stop int) {
	s, first := &p.steps[i], p.fields[i-1].end
	literal, next := []byte(p.steps[i-1].next.text), []byte(s.next.text)
	if p.steps[i-1].kept > 0 {
		return p.fields[i].start, end
	}
	const tries = 64    // so that no line takes long; too late a place can only refuse a line
	last := len(p.line) // where the literal was found, if it was searched
	for range tries {
		if first+last+len(literal) > end {
			last = bytes.LastIndex(p.line[first:max(first, end)], literal)
		}
		at := last
		isOwn := func(n int) bool { // the n-th blank from the right is one in the field
			return string(literal) == " " && (n < s.blanks || s.part == forwardedFor && p.line[first+at-1] == ',')
		}
		for n := 0; at > 0 && isOwn(n); n++ {
			at = bytes.LastIndex(p.line[first:first+at], literal)
		}
		if at < 0 {
			return p.fields[i].start, end
		}
		if start = first + at + len(literal); s.padded {
			start = blanksEnd(p.line[:end], start)
		}
		own := p.fields[i].end
		if isFixed || end <= own || p.fits(i, start, end) {
			break
		}
		earlier := bytes.LastIndex(p.line[own:end-1+len(next)], next)
		if earlier < 0 {
			break
		}
		end = own + earlier
	}
	return start, end
}

// endBefore returns where the field before field i ends if that starts at start.
func (p *programReader) endBefore(i, start int) int {
	end := start
	if p.steps[i].padded {
		end = len(bytes.TrimRight(p.line[:start], " \t")) + 1
	}
	return end - len(p.steps[i-1].next.text) + p.steps[i-1].kept
}

// fits reports whether line[start:end] can be field i.
func (p *programReader) fits(i, start, end int) bool {
	s, content := &p.steps[i], p.steps[i].contents()
	switch b := p.line[start:max(start, end)]; {
	case s.refuses(b):
		return false
	case s.part == statusCode:
		return statusLength(p.line, start) == len(b)
	case content == dash:
		return string(b) == "-"
	case content == number:
		return !slices.ContainsFunc(b, func(c byte) bool { return !isNumber(c) })
	case content == address:
		return len(b) <= maxAddress && isAddress(bareAddress(b)) || string(b) == "unix:"
	}
	return true
}

// maxAddress is longer than any IP address with its zone and a port.
const maxAddress = 100

// isAddress reports whether b looks like an IP address.
func isAddress(b []byte) bool {
	return isNumeric(b) && bytes.IndexByte(b, '.') > 0 || bytes.IndexByte(b, ':') >= 0 && plausibleAddress(b)
}
