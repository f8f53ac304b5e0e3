package table

import (
	"math/rand/v2"
	"syscall"
	"testing"
)

// TestOctetsNearUnreadableMemory checks that examining many bytes at a time gives the same answer
// as one by one, and reads no unreadable memory, wherever the bytes are on their page.
func TestOctetsNearUnreadableMemory(t *testing.T) {
	const longest, farthest = 130, 140
	page := pageBeforeUnreadable(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= longest; n++ {
		for from := range farthest {
			end := len(page) - from
			b := page[end-n : end]
			for i := range page[len(page)-longest-farthest:] { // what lies around b as well
				page[len(page)-1-i] = byte(rng.Uint32())
			}
			c := randomClasses(rng)
			low, high := c[0].In64(b)
			if wantLow, wantHigh := c[0].slow64(b); low != wantLow || high != wantHigh {
				t.Fatalf("%d octets, %d before the end of the page: %x and %x, want %x and %x: %x", n, from, low, high, wantLow,
					wantHigh, b)
			}
			known := uint64(1)<<max(n-2, 0) - 1 // at the places in it
			if got, want := triples64(&c, b)&known, slowTriples64(&c, b); got != want {
				t.Fatalf("%d octets, %d before the end of the page: triples %x, want %x: %x", n, from, got, want, b)
			}
			f := StartFilter{Octets: c}
			f.complete()
			if got, want := f.places(b), f.slowPlaces(b); got != want {
				t.Fatalf("%d octets, %d before the end of the page: places %x, want %x: %x", n, from, got, want, b)
			}
		}
	}
}

// slowPlaces is places, byte by byte.
func (f *StartFilter) slowPlaces(b []byte) (set uint64) {
	for i := range min(len(b), 64) {
		classes := uint8(0xff)
		for j := range f.Octets {
			if i+j < len(b) {
				classes &= f.Octets[j].Of(b[i+j])
			} else {
				classes &= f.Octets[j].Every()
			}
		}
		if classes != 0 {
			set |= 1 << i
		}
	}
	return set
}

// pageBeforeUnreadable returns a page of memory, after which lies one that must not
// be read.
func pageBeforeUnreadable(t *testing.T) []byte {
	t.Helper()
	size := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 2*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory of its own for the test:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(pages); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(pages[size:], syscall.PROT_NONE); err != nil {
		t.Skip("memory cannot be made unreadable:", err)
	}
	return pages[:size:size]
}

// randomClasses have each byte in about two classes.
func randomClasses(rng *rand.Rand) (c [3]Classes) {
	for i := range c {
		for j := range c[i].Lo {
			c[i].Lo[j], c[i].Hi[j] = uint8(rng.Uint32()), uint8(rng.Uint32()&rng.Uint32())
			if i > 0 { // some have fewer bytes
				c[i].Lo[j], c[i].Hi[j] = c[i].Lo[j]|1, c[i].Hi[j]|1
			}
		}
	}
	return c
}
