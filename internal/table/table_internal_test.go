package table

import (
	"math/bits"
	"testing"
)

// TestNoFileIsWrittenForAllSeeds checks that edges that collide for the seed derived from them, and
// for neighbouring seeds, still get a hash table.
func TestNoFileIsWrittenForAllSeeds(t *testing.T) {
	const (
		first = 12345 // the seed that the edges make
		row   = MaxProbes + 1
		seeds = 8
		mask  = 2048 - 1 // of the largest table that is tried
	)
	var edges []Edge
	for seed := range uint64(seeds) {
		for word, n := uint64(1), 0; n < row; word++ {
			if e := (Edge{Word: word, Key: 8 * uint32(1+seed)}); Hash(e.Word, e.Key, first+seed)&mask == 0 {
				edges = append(edges, e)
				n++
			}
		}
	}
	edges = append(edges, Edge{Key: 8, Word: lastWord(edges, first)})
	if got := seedOf(edges); got != first || 1<<bits.Len(uint(len(edges)*10/7))*2-1 != mask {
		t.Fatalf("%d edges with seed %d: the test counts on others", len(edges), got)
	}
	var trie Trie
	if !trie.SetEdges(edges) {
		t.Error("no hash table")
	}
}

// lastWord returns the word of an edge after others with which they make a seed: seedOf
// backwards.
func lastWord(edges []Edge, seed uint64) uint64 {
	const prime = 0x100000001b3
	inverse := uint64(1)
	for range 6 { // Newton's method: each step doubles the bits that are right
		inverse *= 2 - prime*inverse
	}
	seed ^= seed>>29 ^ seed>>58
	return seed*inverse ^ seedOf(edges)
}
