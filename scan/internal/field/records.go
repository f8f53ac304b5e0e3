package field

import (
	"bytes"
	"math/bits"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Records returns how many bytes of data are whole records (RFC 4180, 2.6), which may have line ends
// in quotes. Data begins with a record; final is set if nothing follows it. lines says that each line
// of them is a record, whose quotes are sound.
//
// A line whose quotes do not end, or have text behind their end, is a record by itself: a stray quote
// does not take the lines below with it.
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

// marks returns classes that tell quotes, line ends and delimiters apart: a quote is in a lower class, a delimiter in a
// higher one, and a line end in both.
func (c *Columns) marks() *table.Classes {
	var marks table.Classes
	marks.Add('"', 1)
	marks.Add('\n', 1<<1|1<<4)
	if c.Delimiter != '\n' {
		marks.Add(c.Delimiter, 1<<5)
	}
	return &marks
}

// maxUnquoted is how many blocks in a row may be without quotes, until it takes less time to search for the next.
const maxUnquoted = 8

// soundLines returns the length of the lines at the beginning of data whose quotes are seen to be sound, 64 bytes at a
// time: no line ends within quotes, and each quote that opens stands behind a line end, a delimiter or another quote,
// which doubles it, and each that closes in front of one of these or of CRLF. Record reads what is odd.
func soundLines(marks *table.Classes, data []byte) (end int) {
	inside, closed, before := uint64(0), uint64(0), uint64(1) // of the last byte: is in quotes, closes them, may precede
	for at, unquoted := 0, 0; at < len(data) && unquoted < maxUnquoted; at += 64 {
		low, high := marks.In64(data[at:])
		quotes, lineEnds, edges := low&^high, low&high, low|high
		if unquoted++; quotes|inside != 0 {
			unquoted = 0
		}
		within := quotes ^ quotes<<1 // a byte is within quotes behind an odd number of them
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

// Record returns how long the first record of data is, with its line end; 0 if data has only its
// beginning. isLine is set if it is a line whose quotes are sound.
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
			at++ // it stands for itself
			continue
		}
		end := closing(data, at+1)
		if at = end + 1; end < 0 && !final {
			return 0, true
		}
		if end >= 0 && at < n && data[at] == c.Delimiter {
			continue // as nearly always
		}
		behind := bytes.TrimLeft(data[at:], "\r")
		switch {
		case end >= 0 && len(behind) == 0 && !final: // a second quote, or the rest of a line end, may follow
			return 0, true
		case end < 0, len(behind) > 0 && behind[0] != '\n' && data[at] != c.Delimiter:
			return first, false
		}
		if at > n {
			n = lineFrom(data, at)
		}
	}
	if data[n-1] != '\n' && !final {
		return 0, true
	}
	return n, n == first
}

// lineFrom returns where the line ends that goes on at a place in data.
func lineFrom(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}
