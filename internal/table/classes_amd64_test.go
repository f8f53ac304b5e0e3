package table

import (
	"math/rand/v2"
	"testing"
)

// TestWithoutAVX2 checks that processors without AVX2 find the same.
func TestWithoutAVX2(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		b := make([]byte, 1+rng.IntN(100))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		var c [3]Classes
		for i := range c {
			for range 6 {
				c[i].Add(byte(rng.Uint32()), 1<<rng.IntN(8))
			}
		}
		low, high := c[0].In64(b)
		triples := triples64(&c, b)
		known := uint64(1)<<max(min(len(b)-2, 64), 0) - 1
		func() {
			defer func(was bool) { avx2 = was }(avx2)
			avx2 = false
			if l, h := c[0].In64(b); l != low || h != high {
				t.Errorf("In64 of %x: %x and %x, want %x and %x", b, l, h, low, high)
			}
			if got := triples64(&c, b); got&known != triples&known {
				t.Errorf("triples64 of %x: %x, want %x", b, got, triples)
			}
		}()
	}
}
