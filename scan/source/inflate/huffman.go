package inflate

import (
	"math/bits"
	"sync"
)

// Both tables are indexed by the next bits of the stream, the first bit lowest, because Huffman
// codes are packed in this way (RFC 1951, section 3.1.1). A code shorter than the table's width has
// an entry for each value of the following bits. Longer codes with the same first bits share an
// entry that links to a second table, which is indexed by the bits after those.
//
// One entry encodes a complete step:
//
//	bits  0-5   how many bits to consume: of the code and of the extra bits after it;
//	            for a link, the bits of the code before those of the second table
//	bits  8-11  how many of these belong to the code; for a link, the width of the second table
//	bits 12-15  the kind, below; 0 for a length or a distance
//	bits 16-31  the literal, the base length or distance, or the index of the second table
type entry uint32

const (
	literal entry = 1 << 15
	link    entry = 1 << 14
	end     entry = 1 << 13 // of a block
	invalid entry = 1 << 12 // no code, or an unused one

	special = link | end | invalid
)

// take is the number of bits that the entry consumes. The mask lets the compiler shift without a
// test.
func (e entry) take() uint { return uint(e) & 63 }

// code is the number of these bits that belong to the code.
func (e entry) code() uint { return uint(e) >> 8 & 15 }

// value is the literal, length or distance without the extra bits.
func (e entry) value() int { return int(e >> 16) }

// literal is the byte that the entry stands for.
func (e entry) literal() byte { return byte(e >> 16) }

// valueWith is the length or distance, including the extra bits that follow the code in b.
func (e entry) valueWith(b uint64) int {
	return e.value() + int(b&(1<<e.take()-1)>>e.code())
}

// linked returns the table index of the entry to which a link leads.
func (e entry) linked(b uint64) uint {
	return uint(e>>16) + uint(b>>e.take())&(1<<e.code()-1)
}

const (
	maxCode = 15 // bits of the longest code

	// Nearly all codes of literals and lengths in text have at most eleven bits, and with this limit
	// 56 bits suffice for three literals. Ten and twelve bits are equally fast on logs, JSON and
	// pages.
	literalBits = 11
	// There are only thirty distances, whose codes are rarely longer. Nine and ten bits are equally
	// fast.
	distanceBits = 8

	numLiterals  = 286 // including lengths; the fixed code has two more, unused ones
	numDistances = 30  // the fixed code has two more here, too
	numLengths   = 19  // codes for the lengths of codes
	lengthBits   = 7   // bits of the longest of these

	// A second table covers at least two codes, because only a complete code has codes longer than one
	// bit. It has at most one entry for each value of the bits beyond the width of the first table.
	literalEntries  = 1<<literalBits + 288/2*(1<<(maxCode-literalBits))
	distanceEntries = 1<<distanceBits + 32/2*(1<<(maxCode-distanceBits))
)

// tables are the lookup tables for the codes of a block.
type tables struct {
	literals  [literalEntries]entry // also lengths, and the end of the block
	distances [distanceEntries]entry
}

// The meaning of each symbol (RFC 1951, section 3.2.5), as entries without the bits of the code.
var (
	literalSymbols  = makeLiterals()
	distanceSymbols = makeDistances()
	lengthSymbols   = makeLengths()
)

func makeLiterals() (symbols [288]entry) {
	for i := range 256 {
		symbols[i] = literal | entry(i)<<16
	}
	symbols[256] = end
	length := 3
	for i := 257; i < 285; i++ {
		extra := max(0, (i-261)/4)
		symbols[i] = entry(length)<<16 | entry(extra)
		length += 1 << extra
	}
	symbols[285] = 258 << 16
	symbols[286], symbols[287] = invalid, invalid
	return symbols
}

func makeDistances() (symbols [32]entry) {
	distance := 1
	for i := range numDistances {
		extra := max(0, i/2-1)
		symbols[i] = entry(distance)<<16 | entry(extra)
		distance += 1 << extra
	}
	symbols[30], symbols[31] = invalid, invalid
	return symbols
}

func makeLengths() (symbols [numLengths]entry) {
	for i := range symbols {
		symbols[i] = entry(i) << 16
	}
	return symbols
}

// fixed returns the tables of blocks without their own tables (RFC 1951, section 3.2.6).
var fixed = sync.OnceValue(func() *tables {
	t := new(tables)
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	build(t.literals[:], literalBits, literalSymbols[:], lengths[:])
	for i := range 32 {
		lengths[i] = 5
	}
	build(t.distances[:], distanceBits, distanceSymbols[:], lengths[:32])
	return t
})

// build fills a table of 1<<width entries, and the second tables after it, for the code with these
// lengths of symbols in bits, 0 for unused symbols (RFC 1951, section 3.2.2). It returns false if
// there is no such code because it is oversubscribed or incomplete. Like zlib it allows a single
// code of one bit, and no codes at all; missing codes are invalid when they occur.
//
// Codes are assigned in ascending order of length and symbol, with their bits reversed. To avoid
// writing an entry once for each value of the following bits, the table is filled at the size for
// the current length, and doubled for the next.
func build(table []entry, width uint, symbols []entry, lengths []uint8) bool {
	var count [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	longest := uint(maxCode)
	for longest > 0 && count[longest] == 0 {
		longest--
	}
	left := 1 // codes that still fit
	var next [maxCode + 2]int
	for n := uint(1); n <= longest; n++ {
		left = left<<1 - count[n]
		if left < 0 {
			return false
		}
		next[n+1] = next[n] + count[n]
	}
	if left > 0 && longest > 0 && !(longest == 1 && count[1] == 1) {
		return false
	}
	if left > 0 {
		for i := range table[:1<<width] {
			table[i] = invalid | 1<<8 | 1
		}
	}
	var sorted [288]uint16 // symbols by length
	for symbol, n := range lengths {
		if n > 0 {
			sorted[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	fill(table, width, symbols, sorted[:next[longest]], &count, longest)
	return true
}

// fill writes the entries of a code that build has validated.
func fill(table []entry, width uint, symbols []entry, sorted []uint16, count *[maxCode + 1]int, longest uint) {
	code := uint(0) // reversed
	for n := uint(1); n <= width; n++ {
		for range count[n] {
			table[code] = symbols[sorted[0]] + entry(n)<<8 + entry(n)
			sorted = sorted[1:]
			code = following(code, n)
		}
		if n < width {
			copy(table[1<<n:2<<n], table[:1<<n])
		}
	}
	begin, size, prefix := uint(1)<<width, uint(0), uint(1)<<width // of the second table; no code has this prefix
	for n := width + 1; n <= longest; n++ {
		for i := range count[n] {
			if code&(1<<width-1) != prefix {
				prefix = code & (1<<width - 1)
				begin += size
				more := spread(count, n, count[n]-i, width)
				size = 1 << more
				table[prefix] = link | entry(begin)<<16 | entry(more)<<8 | entry(width)
			}
			rest := n - width
			for at := code >> width; at < size; at += 1 << rest {
				table[begin+at] = symbols[sorted[0]] + entry(rest)<<8 + entry(rest)
			}
			sorted = sorted[1:]
			code = following(code, n)
		}
	}
}

// following returns the code after one of n bits, both reversed. It adds one at the highest bit,
// and carries downwards. After the last code it returns 0.
func following(code, n uint) uint {
	ones := uint(1)<<n - 1
	if code == ones {
		return 0
	}
	bit := uint(1) << (bits.Len(code^ones) - 1)
	return code&(bit-1) | bit
}

// spread returns the width of the second table that begins with a code of n bits. left is the
// number of remaining codes per length. The table is full when it covers all bits after the prefix.
func spread(count *[maxCode + 1]int, n uint, left int, width uint) uint {
	for ; left < 1<<(n-width); left = left<<1 + count[n] {
		n++
	}
	return n - width
}
