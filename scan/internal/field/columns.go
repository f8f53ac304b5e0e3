// Package field finds the raw fields of a line by its shape. It doesn't interpret them.
package field

import (
	"bytes"
	"math/bits"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Columns is the shape of lines whose fields are separated by a delimiter.
type Columns struct {
	Delimiter byte
	Quotes    bool // a field may be quoted, with quotes inside doubled (RFC 4180)
	// Runs means that repeated delimiters count as one and may surround the line, if that yields no
	// more fields than fit.
	Runs bool
	// IsRow, if not nil, reports whether a line is a record although a quoted field that begins at an offset of it is
	// closed by a quote in a later line; more is the text up to there.
	IsRow func(line, more []byte, quote int) bool
}

// Span is the place of a field in its line, without surrounding quotes.
type Span struct{ From, To int }

// Malformed is the number of fields of a line in which a quoted field is unclosed or continues
// after its closing quote.
const Malformed = -1

// Split sets fields to the places of the first fields of a line. It returns the line's number of
// fields, or Malformed.
func (c *Columns) Split(fields []Span, line []byte) (n int) {
	n = c.split(fields, line, false, false)
	if c.Runs && n != len(fields) {
		return c.split(fields, line, true, false)
	}
	return n
}

// First is like Split, but stops after the fields that fit, unless the line contains a quote,
// because then any field may be unclosed. sound means that all quotes are closed.
func (c *Columns) First(fields []Span, line []byte, sound bool) (n int) {
	return c.split(fields, line, false, sound || !c.Quotes || bytes.IndexByte(line, '"') < 0)
}

// Quoted is First for a line with closed quotes of which all fields that fit are quoted, and have no quote inside. It
// reports whether the line is such, which it can tell if all but the last of these fields are in its first 64 bytes.
func (c *Columns) Quoted(fields []Span, line []byte) bool {
	if !c.Quotes || len(line) == 0 || line[0] != '"' {
		return false
	}
	quotes, _ := quote.In64(line)
	at := 0
	for i := range fields {
		from := bits.TrailingZeros64(quotes)
		quotes &= quotes - 1
		to := bits.TrailingZeros64(quotes)
		quotes &= quotes - 1
		if from != at || from == 64 {
			return false
		}
		if to == 64 {
			more := bytes.IndexByte(line[min(64, len(line)):], '"')
			if more < 0 || i < len(fields)-1 {
				return false
			}
			to += more
		}
		if to+1 < len(line) && line[to+1] != c.Delimiter {
			return false
		}
		fields[i], at = Span{from + 1, to}, to+2
	}
	return true
}

// quote has the quote in a lower class.
var quote = table.NewClasses(`"`, "")

func (c *Columns) split(fields []Span, line []byte, runs, few bool) (n int) {
	for at := 0; ; at++ {
		for runs && at < len(line) && line[at] == c.Delimiter {
			at++
		}
		if runs && at == len(line) {
			return n
		}
		f := Span{at, len(line)}
		if c.Quotes && at < len(line) && line[at] == '"' {
			f = Span{at + 1, closing(line, at+1)}
			at = f.To + 1
			if f.To < 0 || at < len(line) && line[at] != c.Delimiter {
				return Malformed
			}
		} else {
			if i := bytes.IndexByte(line[at:], c.Delimiter); i >= 0 {
				f.To = at + i
			}
			at = f.To
		}
		if n < len(fields) {
			fields[n] = f
		}
		n++
		if at == len(line) || few && n == len(fields) {
			return n
		}
	}
}

// closing returns the closing quote of the quoted text at from, or -1 if it is unclosed.
func closing(line []byte, from int) int {
	for at := from; ; at += 2 {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return -1
		}
		at += i
		if at+1 == len(line) || line[at+1] != '"' {
			return at
		}
	}
}

// IsQuoted reports whether a field is quoted.
func (c *Columns) IsQuoted(line []byte, f Span) bool {
	return c.Quotes && f.From > 0 && line[f.From-1] == '"'
}

// Undouble appends the text of a quoted field to dst, with doubled quotes reduced to one.
func Undouble(dst, text []byte) []byte {
	for {
		at := bytes.Index(text, []byte(`""`))
		if at < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:at+1]...), text[at+2:]
	}
}
