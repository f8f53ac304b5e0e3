package table

// avx2 reports whether the processor can examine 32 bytes at a time. Otherwise classes.go computes
// the same.
var avx2 = hasAVX2()

func hasAVX2() bool

// classify64AVX2 is Classes.In64 of the 64 bytes that begin back bytes before p.
//
//go:noescape
func classify64AVX2(c *Classes, p *byte, back uintptr) (low, high uint64)

// triples64AVX2 is triples64 of the 66 bytes that begin back bytes before p.
//
//go:noescape
func triples64AVX2(c *[3]Classes, p *byte, back uintptr) (set uint64)
