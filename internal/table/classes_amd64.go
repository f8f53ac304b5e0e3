package table

import "unsafe"

// avx2 says that the processor can look at 32 octets at a time. Others do what
// classes.go does, and answer the same.
var avx2 = hasAVX2()

func hasAVX2() bool

// classify64AVX2 is Classes.In64 of the 64 octets that begin back octets before p.
//
//go:noescape
func classify64AVX2(c *Classes, p *byte, back uintptr) (low, high uint64)

// triples64AVX2 is triples64 of the 66 octets that begin back octets before p.
//
//go:noescape
func triples64AVX2(c *[3]Classes, p *byte, back uintptr) (set uint64)

// readable returns how many octets before b a window must begin so that all in it can
// be read. What lies around b may be anything, but it must be there: it is if it is in
// the memory page in which b begins, or b goes on behind that.
func readable(b []byte, window uintptr) (back uintptr) {
	const page = 4096
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page
	if at > page-window && at+uintptr(len(b)) <= page {
		return at - (page - window)
	}
	return 0
}

// In64 returns which of the first 64 octets of b, or of as many as there are, are in
// one of the lower four classes, and which in one of the higher; b is not empty.
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

// triples64 is the set of places among the first 64 octets of b where a class of c[0]
// is also one of c[1] for the next octet and one of c[2] for the one behind that. Where
// b has no two octets behind a place, that may be in the set or not.
func triples64(c *[3]Classes, b []byte) uint64 {
	if !avx2 {
		return slowTriples64(c, b)
	}
	back := readable(b, 66)
	return triples64AVX2(c, unsafe.SliceData(b), back) >> back
}
