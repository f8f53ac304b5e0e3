package audit

import (
	"cmp"
	"maps"
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
