package field

import (
	"bytes"
	"slices"
	"strings"
)

// A client controls some fields of a line byte by byte, and may include the very literal that ends
// the field. Whatever follows would then be read as the next fields, such as another address, time
// or status. So a template knows which bytes each field can hold. Boundary i is the place of the
// literal before field i:
//
//   - It is certain from the left if the literal has a byte that no field can hold between it and
//     the previous certain boundary, or the beginning of the line.
//   - It is certain from the right if the same holds for the fields between it and the next certain
//     boundary, or the end of the line. The literal is then at its last place.
//   - For any other boundary, the first and the last possible place must be equal. If they differ, the
//     line is not read.
//
// Boundaries between two unneeded fields don't matter.

// Content is the set of bytes that a field can hold.
type Content uint8

// The contents.
const (
	Any      Content = iota // any bytes except those that the log escapes
	Dash                    // a dash
	Number                  // a number, or a dash
	Address                 // an IP address, with a port or without
	Token                   // names used by programs: letters, digits and few other bytes
	Unbroken                // no blanks, control characters and slashes
	Word                    // no blanks and control characters
)

// holds reports whether the field can hold a byte. counted means that lines with a quote in a field
// are not read.
func (r *Rule) holds(c byte, counted bool) bool {
	isEscaped := c == '"' || c < ' ' || r.Escape == '#' && !r.Free && strings.IndexByte("#{|}", c) >= 0
	if isEscaped && r.Escape != 0 || counted && c == '"' || c != 0 && c == r.Without {
		return false
	}
	isName := isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
	switch r.Holds {
	case Dash:
		return c == '-'
	case Number:
		return isNumber(c)
	case Address:
		return isName || strings.IndexByte(":.%[]_-", c) >= 0
	case Token:
		return isName || strings.IndexByte("-._~:/+*=%,@$&!", c) >= 0
	case Unbroken:
		return c > ' ' && c != 0x7f && c != '/'
	case Word:
		return c > ' ' && c != 0x7f
	}
	return true
}

// isNumber reports whether a number may contain a byte.
func isNumber(c byte) bool { return isDigit(c) || c == '.' || c == '-' || c == '+' }

// Certainty says how the place of a boundary is determined.
type Certainty uint8

// The certainties.
const (
	FromLeft     Certainty = iota // the first place is right
	FromRight                     // the last place is right
	OnlyPlace                     // if first and last place differ, the line is not read
	FirstFitting                  // the first place is right if the field has IsOne
	AnyPlace                      // it doesn't matter
)

// setCertainties sets the certainty of each boundary, and whether the end of the last field is
// certain. The first boundary is the beginning of the line. counted means that lines with a quote
// in a field are not read.
func (t *Template) setCertainties(counted bool) {
	if len(t.Rules) == 0 {
		return
	}
	// marks reports whether a literal contains a byte that no field in [first, last) can hold.
	marks := func(literal string, first, last int) bool {
		return slices.ContainsFunc([]byte(literal), func(c byte) bool {
			return !slices.ContainsFunc(t.Rules[first:last], func(r Rule) bool { return r.holds(c, counted) })
		})
	}
	known := 0 // the last certain boundary
	for i := 1; i < len(t.Rules); i++ {
		if marks(t.literal(i), known, i) {
			known = i
		} else {
			t.Rules[i].Certain = OnlyPlace
		}
	}
	last := len(t.Rules)
	t.endCertain = !t.More || marks(t.After, known, last)
	known, isKnown := last, t.endCertain
	for i := last - 1; i > 0; i-- {
		switch r := &t.Rules[i]; {
		case r.Certain == FromLeft:
			known, isKnown = i, true
		case isKnown && marks(t.literal(i), i, known):
			r.Certain, known = FromRight, i
		case t.isOfOne(i) && r.IsOne != nil:
			r.Certain = FirstFitting
		case t.Rules[i-1].Ignored && r.Ignored, t.isOfOne(i) && t.Rules[i-1].IsOne == nil:
			r.Certain = AnyPlace
		}
	}
}

// isOfOne reports whether a client controls both fields at a boundary, separated by a text that
// often occurs in such fields. Nearly all lines would be left out otherwise, although the client
// gains nothing: it could have sent what is read. But if a field has IsOne, words of the other
// header must not be counted as its words.
func (t *Template) isOfOne(i int) bool {
	isOwn := func(r *Rule) bool { return !r.List && r.Holds == Any }
	return isOwn(&t.Rules[i-1]) && isOwn(&t.Rules[i]) && strings.Trim(t.Rules[i].Before, " ,;/()?") == ""
}

// boundaries are adjacent boundaries of which none is certain from the left. If the fields around
// them contain byte mark as often as their literals do, each boundary has only one place.
type boundaries struct {
	first, last int
	mark        byte
	marks       int // -1 if no byte can show it
}

// uncertain returns the boundaries that must be checked in each line.
func (t *Template) uncertain() (list []boundaries) {
	for i := 1; i < len(t.Rules); i++ {
		if t.Rules[i].Certain == FromLeft {
			continue
		}
		first := i
		for i+1 < len(t.Rules) && t.Rules[i+1].Certain != FromLeft {
			i++
		}
		last := i
		if t.Rules[last].Certain == FromRight && t.Rules[last].Bracketed {
			last-- // it begins at the last bracket anyway
		}
		if slices.ContainsFunc(t.Rules[first:last+1], func(r Rule) bool { return r.Certain != AnyPlace }) {
			list = append(list, t.between(first, last))
		}
	}
	return list
}

// between returns boundaries, with the byte that shows how many places they have.
func (t *Template) between(first, last int) boundaries {
	var tried [256]bool
	for _, mark := range []byte(t.Rules[first-1].next.text) {
		if tried[mark] {
			continue
		}
		marks := 0
		tried[mark] = true
		for i := first - 1; i <= last; i++ {
			r := &t.Rules[i]
			if mark == ' ' {
				marks += r.Blanks
			}
			if i == last && (!r.end || t.endCertain) {
				return boundaries{first, last, mark, marks}
			}
			n := strings.Count(r.next.text, string(rune(mark)))
			if n == 0 || r.kept > 0 || r.Padded || mark >= 0x80 {
				break
			}
			marks += n
		}
	}
	return boundaries{first, last, 0, -1}
}

// doubtful returns the field whose end is ambiguous in the line, or -1 if there is none. It also
// sets the fields whose boundaries are certain from the right.
func (t *Template) doubtful(p *Places) int {
	for _, b := range t.unsure {
		end, isFixed := p.Spans[b.last].To, true
		if b.marks >= 0 && bytes.Count(p.Line[p.Spans[b.first-1].From:end], []byte{b.mark}) == b.marks {
			continue
		}
		if b.last+1 == len(t.Rules) && !t.endCertain {
			end, isFixed = len(p.Line), false
		}
		for i := b.last; i >= b.first; i-- {
			start, stop := t.lastPlace(p, i, end, isFixed)
			if t.Rules[i].Certain == FirstFitting {
				start = p.Spans[i].From
			}
			if i < b.last && t.Rules[i+1].Certain == OnlyPlace && stop != p.Spans[i].To {
				return i
			}
			end, isFixed = t.endBefore(p, i, start), t.Rules[i].Certain == FromRight || t.Rules[i].Certain == FirstFitting
			if isFixed {
				p.Spans[i], p.Spans[i-1].To = Span{start, stop}, end
			}
		}
		if t.Rules[b.first].Certain == OnlyPlace && end != p.Spans[b.first-1].To {
			return b.first - 1
		}
		for i := b.first - 1; i <= b.last; i++ {
			s, r := p.Spans[i], &t.Rules[i]
			if s.From > s.To || !r.fits(p.Line, s.From, s.To) {
				return i
			}
			if r.Certain == FirstFitting && !r.IsOne(p.Line[s.From:s.To]) {
				return i - 1
			}
		}
	}
	return -1
}

// lastPlace returns the last place where field i can be, given the last place where it can end.
// isFixed means that it ends there.
func (t *Template) lastPlace(p *Places, i, end int, isFixed bool) (start, stop int) {
	r, first := &t.Rules[i], p.Spans[i-1].To
	literal, next := []byte(t.Rules[i-1].next.text), []byte(r.next.text)
	if t.Rules[i-1].kept > 0 {
		return p.Spans[i].From, end
	}
	const tries = 64    // limits the time per line; beyond it, lines can only be refused
	last := len(p.Line) // where the search found the literal
	for range tries {
		if first+last+len(literal) > end {
			last = bytes.LastIndex(p.Line[first:max(first, end)], literal)
		}
		at := last
		isOwn := func(n int) bool { // the n-th blank from the right is inside the field
			return string(literal) == " " && (n < r.Blanks || r.List && p.Line[first+at-1] == ',')
		}
		for n := 0; at > 0 && isOwn(n); n++ {
			at = bytes.LastIndex(p.Line[first:first+at], literal)
		}
		if at < 0 {
			return p.Spans[i].From, end
		}
		start = first + at + len(literal)
		if r.Padded {
			start = blanksEnd(p.Line[:end], start)
		}
		own := p.Spans[i].To
		if isFixed || end <= own || r.fits(p.Line, start, end) {
			break
		}
		earlier := bytes.LastIndex(p.Line[own:end-1+len(next)], next)
		if earlier < 0 {
			break
		}
		end = own + earlier
	}
	return start, end
}

// endBefore returns the end of the field before field i, given that field i starts at start.
func (t *Template) endBefore(p *Places, i, start int) int {
	end := start
	if t.Rules[i].Padded {
		end = len(bytes.TrimRight(p.Line[:start], " \t")) + 1
	}
	return end - len(t.Rules[i-1].next.text) + t.Rules[i-1].kept
}

// fits reports whether line[start:end] can be the field.
func (r *Rule) fits(line []byte, start, end int) bool {
	switch b := line[start:max(start, end)]; {
	case r.refuses(b):
		return false
	case r.Code:
		return codeLength(line, start) == len(b)
	case r.Holds == Dash:
		return string(b) == "-"
	case r.Holds == Number:
		return !slices.ContainsFunc(b, func(c byte) bool { return !isNumber(c) })
	default:
		return r.Fits == nil || r.Fits(b)
	}
}
