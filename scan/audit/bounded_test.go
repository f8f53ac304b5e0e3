package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// smallest returns the keys of counts that a bounded map of a limit is to keep,
// with their counts, and the sum of all other counts.
func smallest[K comparable](counts map[K]int64, limit int, hash func(K) uint64) (kept map[K]int64, rest int64) {
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y K) int { return cmp.Compare(hash(x), hash(y)) })
	kept = map[K]int64{}
	for _, k := range keys {
		if len(keys) <= limit || hash(k) < hash(keys[limit]) {
			kept[k] = counts[k]
		} else {
			rest += counts[k]
		}
	}
	return kept, rest
}

// hashes are of names: that of the package, and one as it is for somebody who
// looks for names that collide.
var hashes = map[string]func(string) uint64{
	"hashString":           hashString,
	"a hash that collides": func(s string) uint64 { return hashString(s)>>61 + 1 },
}

// TestBounded: in any order, over any partition, merged in any order, what is kept
// are the keys with the smallest hashes, with exact counts.
func TestBounded(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for name, hash := range hashes {
		for round := range rounds {
			rng := rand.New(rand.NewPCG(6, uint64(round)))
			const limit = 4
			a := &Auditor{}
			tallies := make([]*tally, 1+rng.IntN(4))
			for i := range tallies {
				tallies[i] = a.newTally()
				tallies[i].Hosts = *newBounded(limit, hash)
			}
			counts := map[string]int64{}
			distinct := 1 + rng.IntN(40)
			for range rng.IntN(100) {
				host := fmt.Sprint(rng.IntN(distinct))
				counts[host]++
				part := tallies[rng.IntN(len(tallies))]
				part.Hosts.add(host, tallied{N: 1})
				if n := len(part.Hosts.Kept); n > 2*limit {
					t.Fatalf("%s, round %d: %d keys kept with a limit of %d", name, round, n, limit)
				}
			}
			all := mergeAll(rng, tallies)
			all.Hosts.prune(1)
			kept, rest := smallest(counts, limit, hash)
			got := map[string]int64{}
			for host, c := range all.Hosts.Kept {
				got[host] = c.N
			}
			if !maps.Equal(got, kept) || all.Hosts.Rest != rest {
				t.Fatalf("%s, round %d: kept %v and %d others of %v, want %v and %d",
					name, round, got, all.Hosts.Rest, counts, kept, rest)
			}
		}
	}
}

// mergeAll merges tallies in any order.
func mergeAll(rng *rand.Rand, tallies []*tally) *tally {
	for len(tallies) > 1 {
		rng.Shuffle(len(tallies), func(i, j int) { tallies[i], tallies[j] = tallies[j], tallies[i] })
		last := len(tallies) - 1
		tallies[0].merge(tallies[last])
		tallies = tallies[:last]
	}
	return tallies[0]
}

// TestHashesAreFixed: what they decide must be the same on every machine and in
// every version.
func TestHashesAreFixed(t *testing.T) {
	for s, want := range map[string]uint64{"": 0xf52a15e9a9b5e89b, "acmebot": 0x1f5d1bf1ea97a68e} {
		if got := hashString(s); got != want {
			t.Errorf("hash of %q: %#x, want %#x", s, got, want)
		}
	}
	if mix(0) == 0 {
		t.Error("a hash is 0, which stands for no bar")
	}
}
