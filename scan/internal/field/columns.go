// Package field finds the raw fields of a line by its shape. It doesn't interpret them.
package field

import "bytes"

// Columns is the shape of lines whose fields are separated by a delimiter.
type Columns struct {
	Delimiter byte
	Quotes    bool // a field may be quoted, with quotes inside doubled (RFC 4180)
	// Runs means that repeated delimiters count as one and may surround the line, if that yields no
	// more fields than fit.
	Runs bool
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
