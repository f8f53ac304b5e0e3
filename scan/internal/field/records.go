package field

import (
	"bytes"
	"math/bits"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Records returns how many bytes of data are whole records (RFC 4180, 2.6), which may have line
// ends in quotes. data must begin with a record; final means that nothing follows it. lines means
// that each line of them is a record with closed quotes.
//
// A line with unclosed quotes, or with text after the closing quote, is a record by itself, so that
// a stray quote doesn't swallow the following lines.
func (c *Columns) Records(data []byte, final bool) (end int, lines bool) {
	lines = true
	marks := c.marks()
	for at := 0; ; {
		quote := bytes.IndexByte(data[at:], '"')
		if quote < 0 {
			quote = len(data) - at
		}
		at += bytes.LastIndexByte(data[at:at+quote], '\n') + 1
		if table.IsWide() {
			at += soundLines(marks, data[at:])
		}
		n, isLine := c.Record(data[at:], final)
		if n == 0 {
			return at, lines
		}
		at, lines = at+n, lines && isLine
	}
}

// marks returns classes that distinguish quotes, line ends and delimiters: a quote is in a lower
// class, a delimiter in a higher one, and a line end in both.
func (c *Columns) marks() *table.Classes {
	var marks table.Classes
	marks.Add('"', 1)
	marks.Add('\n', 1<<1|1<<4)
	if c.Delimiter != '\n' {
		marks.Add(c.Delimiter, 1<<5)
	}
	return &marks
}

// maxUnquoted is the number of consecutive blocks without quotes after which searching for the next
// quote is faster.
const maxUnquoted = 8

// soundLines returns the length of the leading lines of data whose quotes are evidently closed,
// examining 64 bytes at a time. No line may end within quotes. Each opening quote must follow a line
// end, a delimiter or another quote, which it doubles, and each closing quote must precede one of
// these or CRLF. Record reads everything else.
func soundLines(marks *table.Classes, data []byte) (end int) {
	inside, closed, before := uint64(0), uint64(0), uint64(1) // last byte: in quotes, closes them, may precede
	for at, unquoted := 0, 0; at < len(data) && unquoted < maxUnquoted; at += 64 {
		low, high := marks.In64(data[at:])
		quotes, lineEnds, edges := low&^high, low&high, low|high
		if unquoted++; quotes|inside != 0 {
			unquoted = 0
		}
		within := quotes ^ quotes<<1 // a byte is within quotes after an odd number of them
		within ^= within << 2
		within ^= within << 4
		within ^= within << 8
		within ^= within << 16
		within ^= within<<32 ^ inside
		closes := quotes &^ within
		odd := lineEnds&within | quotes&within&^(edges<<1|before) | (closes<<1|closed)&^edges
		for ; odd != 0; odd &= odd - 1 {
			i := bits.TrailingZeros64(odd)
			if !bytes.HasPrefix(data[min(at+i, len(data)):], []byte("\r\n")) {
				lineEnds &= 1<<i - 1
				break
			}
		}
		if lineEnds != 0 {
			end = at + bits.Len64(lineEnds)
		}
		if odd != 0 {
			break
		}
		inside, closed, before = uint64(int64(within)>>63), closes>>63, edges>>63
	}
	return end
}

// Record returns the length of the first record of data, with its line end, or 0 if data only has
// its beginning. isLine means that it is a line with closed quotes.
func (c *Columns) Record(data []byte, final bool) (n int, isLine bool) {
	first := lineFrom(data, 0)
	if n = first; n == 0 || data[n-1] != '\n' && !final {
		return 0, true
	}
	for at := 0; ; {
		quote := bytes.IndexByte(data[at:n], '"')
		if quote < 0 {
			break
		}
		if at += quote; at > 0 && data[at-1] != c.Delimiter {
			at++ // the quote is literal
			continue
		}
		open := at
		end := closing(data, at+1)
		if at = end + 1; end < 0 && !final {
			return 0, true
		}
		if end >= 0 && at < n && data[at] == c.Delimiter {
			continue // the usual case
		}
		behind := bytes.TrimLeft(data[at:], "\r")
		switch {
		case end >= 0 && len(behind) == 0 && !final: // a second quote, or the rest of a line end, may follow
			return 0, true
		case end < 0, len(behind) > 0 && behind[0] != '\n' && data[at] != c.Delimiter:
			return first, false
		}
		switch {
		case at > n && n == first && c.IsRow != nil && c.IsRow(data[:n], data[n:at], open):
			return first, false
		case at > n:
			n = lineFrom(data, at)
		}
	}
	if data[n-1] != '\n' && !final {
		return 0, true
	}
	return n, n == first
}

// lineFrom returns the end of the line that continues at a place in data.
func lineFrom(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}
