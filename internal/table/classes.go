package table

import (
	"math/bits"
	"unsafe"
)

// Classes sorts bytes into eight classes, one bit each: the classes of byte c are Lo[c&15] & Hi[c>>4]. A processor
// can look up many bytes at a time in this form (classes_amd64.s); this file does the same byte by byte for all
// other processors. A set of bytes is represented exactly if the bytes with the same upper half, or with the same
// set of lower halves, share a class, and there are at most eight classes.
type Classes struct {
	Lo, Hi [16]uint8
}

// Add adds a byte to classes, and with it all bytes that can't be distinguished from it.
func (c *Classes) Add(octet byte, class uint8) {
	c.Lo[octet&15] |= class
	c.Hi[octet>>4] |= class
}

// Of returns the classes of a byte.
func (c *Classes) Of(octet byte) uint8 { return c.Lo[octet&15] & c.Hi[octet>>4] }

// NewClasses returns the classes for two sets of bytes between which In64 distinguishes: the first set uses the
// lower classes, the second the higher ones. Each upper half of a byte takes a class, so the bytes of a set may
// have at most four.
func NewClasses(low, high string) *Classes {
	var c Classes
	for i, set := range []string{low, high} {
		const most = 4
		classOf := map[byte]uint8{}
		for _, octet := range []byte(set) {
			if classOf[octet>>4] == 0 {
				classOf[octet>>4] = 1 << (i*most + len(classOf))
			}
			c.Add(octet, classOf[octet>>4])
		}
	}
	return &c
}

// readable returns how many bytes before b a window must begin so that all of it can be read. The memory around b
// may have any content, but it must be mapped. That is certain on the page where b begins, and beyond it if b
// continues there.
func readable(b []byte, window uintptr) (back uintptr) {
	const page = 4096
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page
	if at > page-window && at+uintptr(len(b)) <= page {
		return at - (page - window)
	}
	return 0
}

// IsWide reports whether In64 takes about as long for 64 bytes as for one.
func IsWide() bool { return avx2 }

// In64 returns which of the first up to 64 bytes of b are in one of the four lower classes, and which are in one of
// the four higher ones. b must not be empty.
func (c *Classes) In64(b []byte) (low, high uint64) {
	if !avx2 {
		return c.slow64(b)
	}
	back := readable(b, 64)
	low, high = classify64AVX2(c, unsafe.SliceData(b), back)
	if len(b) < 64 {
		there := uint64(1)<<len(b) - 1
		low, high = low>>back&there, high>>back&there
	}
	return low, high
}

// triples64 returns the set of places among the first 64 bytes of b where the byte by c[0], the next one by c[1]
// and the one after that by c[2] have a class in common. Places without two following bytes in b may or may not be
// in the set.
func triples64(c *[3]Classes, b []byte) uint64 {
	if !avx2 {
		return slowTriples64(c, b)
	}
	back := readable(b, 66)
	return triples64AVX2(c, unsafe.SliceData(b), back) >> back
}

// slow64 is like In64, byte by byte.
func (c *Classes) slow64(b []byte) (low, high uint64) {
	for i, octet := range b[:min(len(b), 64)] {
		class := c.Of(octet)
		if class&0x0f != 0 {
			low |= 1 << i
		}
		if class&0xf0 != 0 {
			high |= 1 << i
		}
	}
	return low, high
}

// slowTriples64 is like triples64, byte by byte.
func slowTriples64(c *[3]Classes, b []byte) (set uint64) {
	for i := range min(len(b)-2, 64) {
		if c[0].Of(b[i])&c[1].Of(b[i+1])&c[2].Of(b[i+2]) != 0 {
			set |= 1 << i
		}
	}
	return set
}

// Index returns the index of the first byte of b that is in a class, or the length of b if there is none.
func (c *Classes) Index(b []byte) int {
	for i := 0; i < len(b); i += 64 {
		if low, high := c.In64(b[i:]); low|high != 0 {
			return i + bits.TrailingZeros64(low|high)
		}
	}
	return len(b)
}

// IndexHigh is like Index for the higher classes only.
func (c *Classes) IndexHigh(b []byte) int {
	for i := 0; i < len(b); i += 64 {
		if _, high := c.In64(b[i:]); high != 0 {
			return i + bits.TrailingZeros64(high)
		}
	}
	return len(b)
}

// Every returns the classes that contain every byte.
func (c *Classes) Every() uint8 {
	every := uint8(0xff)
	for i := range c.Lo {
		every &= c.Lo[i] & c.Hi[i]
	}
	return every
}
