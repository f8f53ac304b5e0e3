package table

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSymbolSet compares the set with a map, including sets whose neighbours are far apart.
func TestSymbolSet(t *testing.T) {
	const symbols = 10_000
	rng := rand.New(rand.NewPCG(3, 4))
	var s symbolSet
	for range 3 { // the set is used again
		s.reset(symbols)
		want := map[uint32]bool{}
		for range 300 {
			symbol := rng.Uint32N(symbols)
			if added := s.add(symbol); added == want[symbol] {
				t.Fatalf("add(%d): %v", symbol, added)
			}
			want[symbol] = true
			if rng.IntN(2) == 0 {
				s.remove(symbol)
				delete(want, symbol)
			}
			at, last := rng.Uint32N(symbols), uint32(None)
			for symbol := range want {
				if symbol <= at && (last == None || symbol > last) {
					last = symbol
				}
			}
			if got := s.last(at); got != last || s.n != len(want) {
				t.Fatalf("last(%d) of %d: %d, want %d of %d", at, s.n, got, last, len(want))
			}
		}
	}
}

// TestGenerationsBeginAnew checks that when the generation number wraps around, old records don't
// count for the new path.
func TestGenerationsBeginAnew(t *testing.T) {
	s := gapScratch{generation: 1}
	g := &Gaps{Len: make([]uint32, 2)}
	s.begin(g)
	s.seen[1] = seen{1, 5}
	s.generation = math.MaxUint32
	s.begin(g)
	if s.generation != 1 || s.seen[1] != (seen{}) {
		t.Errorf("generation %d, seen %+v", s.generation, s.seen)
	}
}
