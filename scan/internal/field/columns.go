// Package field finds the raw fields of a line by its shape. It does not know what they mean.
package field

import "bytes"

// Columns is the shape of lines whose fields have a delimiter between them.
type Columns struct {
	Delimiter byte
	Quotes    bool // a field may be in quotes, in which a quote is written twice (RFC 4180)
	// Runs: several delimiters are one, and may stand before and after all fields, where that
	// finds as many fields as fit.
	Runs bool
}

// Span is the place of a field in its line, without quotes around it.
type Span struct{ From, To int }

// Malformed is the number of fields of a line of which one in quotes does not end, or goes on
// after its end.
const Malformed = -1

// Split sets fields to the places of the first fields of a line, and returns how many fields the
// line has, or Malformed.
func (c *Columns) Split(fields []Span, line []byte) (n int) {
	n = c.split(fields, line, false, false)
	if c.Runs && n != len(fields) {
		return c.split(fields, line, true, false)
	}
	return n
}

// First is like Split, but looks for no more fields than fit, unless the line has a
// quote: the quotes of any field may not end. sound is set if they do.
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

// closing returns where the quotes end whose text begins at from, -1 if they do not.
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

// IsQuoted reports whether a field is in quotes.
func (c *Columns) IsQuoted(line []byte, f Span) bool {
	return c.Quotes && f.From > 0 && line[f.From-1] == '"'
}

// Undouble appends the text of a field in quotes to dst, with one quote for two.
func Undouble(dst, text []byte) []byte {
	for {
		at := bytes.Index(text, []byte(`""`))
		if at < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:at+1]...), text[at+2:]
	}
}
