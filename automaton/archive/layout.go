package archive

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
)

// The format, as the package documentation has it.
const (
	magic      = "\x89rsv\r\n\x1a\n"
	version    = 1
	headerLen  = 56
	atVersion  = 8
	atChecksum = 12
	recordHead = 8 // of a record, what comes before the numbers of its rulesets
	maxKey     = 1<<16 - 1
	maxBits    = 30 // so that numbers of buckets fit an int of 32 bits
	noRuleset  = 1<<32 - 1
)

// header is what a file begins with, field by field.
type header struct {
	Magic      [len(magic)]byte
	Version    uint32
	Checksum   uint32
	Length     uint64 // of the file
	Origins    uint32
	Rulesets   uint32
	Bits       uint8 // there are 1<<Bits buckets
	Columns    uint8 // how many of Dialects there are
	Dialects   [6]automaton.Dialect
	RecordsLen uint64
	BlobsLen   uint64 // of the rulesets
}

const maxDialects = len(header{}.Dialects)

// The first byte of a rule.
const (
	flagAnchored   = 1 << 0
	flagDisallowed = 1 << 1
	shiftForm      = 2
	maskForm       = 3
	flagLineRank   = 1 << 4
	flagsEnd       = 1 << 5
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	le         = binary.LittleEndian
)

// checksum returns the checksum of the index and of the header without its checksum.
func checksum(headerAndIndex []byte) uint32 {
	sum := crc32.Update(0, castagnoli, headerAndIndex[:atChecksum])
	return crc32.Update(sum, castagnoli, headerAndIndex[atChecksum+4:])
}

// hash is fast for keys of some thirty bytes, and spreads them evenly.
func hash(key []byte) uint64 {
	h := 0x9e3779b97f4a7c15 ^ uint64(len(key))
	for ; len(key) >= 8; key = key[8:] {
		h = fold(h^le.Uint64(key), 0xd6e8feb86659fd93)
	}
	if len(key) > 0 {
		var word uint64
		for i, c := range key {
			word |= uint64(c) << (8 * i)
		}
		h = fold(h^word, 0xd6e8feb86659fd93)
	}
	return fold(h, 0xa0761d6478bd642f)
}

func fold(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}

// view is b as a string that shares its bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
