package field

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Blank returns the index of the first blank at or after from, or the end of the line. It is
// optimized for fields of up to 15 bytes.
func Blank(line []byte, from int) int {
	for range 2 {
		if from+8 > len(line) {
			break
		}
		if blanks := blanksIn(binary.LittleEndian.Uint64(line[from:])); blanks != 0 {
			return from + bits.TrailingZeros64(blanks)/8
		}
		from += 8
	}
	return blankAfter(line, from)
}

// HasBlank reports whether one of eight bytes is a blank.
func HasBlank(eight uint64) bool { return blanksIn(eight) != 0 }

// blankAfter is Blank for longer fields.
func blankAfter(line []byte, from int) int {
	from = min(from, len(line))
	if n := bytes.IndexByte(line[from:], ' '); n >= 0 {
		return from + n
	}
	return len(line)
}

// blanksIn sets the highest bit of each of eight bytes that is a blank. Bytes after the first blank
// may have it set, too.
func blanksIn(eight uint64) uint64 {
	const blanks, ones, highs = 0x2020202020202020, 0x0101010101010101, 0x8080808080808080
	x := eight ^ blanks
	return (x - ones) &^ x & highs
}
