package archive

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
)

// The format: see the package documentation.
const (
	magic       = "\x89rsv\r\n\x1a\n"
	version     = 4
	headerLen   = 84
	atVersion   = 8
	atChecksum  = 16
	checksumLen = 4
	entryLen    = 12 // of the directory
	bucketLen   = 4
	recordHead  = 8 // of a record up to its blob numbers or key
	dateLen     = 8 // of a version
	statusLen   = 2
	maxKey      = 1<<16 - 1
	maxStatus   = 999
	maxBits     = 30 // so that bucket numbers fit into an int of 32 bits
	noBlob      = 1<<32 - 1

	// dated is the status bit that marks a record with versions; the other bits are their number.
	dated       = 1 << 15
	maxVersions = 1 << 14

	// maxBucket is the maximum number of records in a bucket. A bucket has at most four on average, and by chance
	// never comes near the maximum.
	maxBucket = 64
	// groupBits makes groups of 64 buckets, about three kilobytes, which take less than a microsecond to check.
	groupBits = 6
)

// header is the header of a file, field by field.
type header struct {
	Magic      [len(magic)]byte
	Version    uint32
	Semantics  uint32
	Checksum   uint32
	Length     uint64 // of the file
	Origins    uint32
	Blobs      uint32 // rulesets and texts of Entry.Via
	Bits       uint8  // there are 1<<Bits buckets
	Columns    uint8  // number of Dialects in use
	Dialects   [6]automaton.Dialect
	RecordsLen uint64
	BlobsLen   uint64
	Seed       uint64 // of the hash
	Program    [16]byte
}

const maxDialects = len(header{}.Dialects)

// via marks the column of Entry.Via among the dialects of a header, where it comes last.
const via = automaton.Dialect(0xff)

// groups returns the number of groups, and of buckets in each.
func (h *header) groups() (groups, buckets int) {
	inGroup := min(h.Bits, groupBits)
	return 1 << (h.Bits - inGroup), 1 << inGroup
}

func (h *header) directoryLen() uint64 {
	groups, _ := h.groups()
	return (uint64(groups) + 1) * entryLen
}

func (h *header) bucketsLen() uint64 { return (1<<h.Bits + 1) * bucketLen }

func (h *header) offsetsLen() uint64 { return (uint64(h.Blobs) + 1) * 8 }

// The first byte of a rule.
const (
	flagAtEnd      = 1 << 0
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

// checksum returns the checksum of the directory and of the header without its checksum field.
func checksum(head, directory []byte) uint32 {
	sum := crc32.Update(0, castagnoli, head[:atChecksum])
	sum = crc32.Update(sum, castagnoli, head[atChecksum+checksumLen:headerLen])
	return crc32.Update(sum, castagnoli, directory)
}

// groupChecksum returns the checksum of a group: its records and the offsets of its buckets,
// including the end of the last one.
func groupChecksum(buckets, records []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, buckets), castagnoli, records)
}

// blobChecksum returns the checksum of a blob and its number.
func blobChecksum(number uint32, blob []byte) uint32 {
	var place [4]byte
	le.PutUint32(place[:], number)
	return crc32.Update(crc32.Update(0, castagnoli, place[:]), castagnoli, blob)
}

// hash is fast for keys of about thirty bytes, and spreads them evenly. Keys that share a bucket under one seed do
// not under another.
func hash(seed uint64, key []byte) uint64 {
	h, n, whole := seed, uint64(len(key)), key
	for ; len(key) >= 8; key = key[8:] {
		h = fold(h^le.Uint64(key), 0xd6e8feb86659fd93)
	}
	if len(key) > 0 {
		var word uint64
		if n >= 8 {
			word = le.Uint64(whole[n-8:]) >> (64 - 8*len(key))
		} else {
			for i, c := range key {
				word |= uint64(c) << (8 * i)
			}
		}
		h = fold(h^word, 0xd6e8feb86659fd93)
	}
	return fold(h^n, 0xa0761d6478bd642f)
}

func fold(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}

// view returns b as a string that shares its bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
