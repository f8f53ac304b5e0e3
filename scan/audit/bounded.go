package audit

import (
	"hash/fnv"
	"slices"
)

// bounded is a map of at most about twice limit keys, which strangers choose.
// Which keys it keeps depends on the set of keys it was asked for alone, never on
// their order, and what it keeps it has kept from the first mention on, so that
// counts are exact: it keeps the keys with the smallest hashes. Maps of parts of
// an input merge to the map of the whole.
type bounded[K comparable, V any] struct {
	limit int
	hash  func(K) uint64
	kept  map[K]V
	bar   uint64 // keys whose hash is not below it are not kept; 0: no bar
}

func newBounded[K comparable, V any](limit int, hash func(K) uint64) *bounded[K, V] {
	return &bounded[K, V]{limit: limit, hash: hash, kept: map[K]V{}}
}

// admits tells whether a key may be kept.
func (b *bounded[K, V]) admits(k K) bool { return b.bar == 0 || b.hash(k) < b.bar }

// prune drops keys beyond the limit, if there are more than slack times it, and
// gives each to fold before. It tells whether it dropped any.
func (b *bounded[K, V]) prune(slack int, fold func(K, V)) bool {
	if len(b.kept) <= slack*b.limit {
		return false
	}
	hashes := make([]uint64, 0, len(b.kept))
	for k := range b.kept {
		hashes = append(hashes, b.hash(k))
	}
	slices.Sort(hashes)
	b.lower(hashes[b.limit], fold)
	return true
}

// lower sets the bar and drops the keys that are not below it.
func (b *bounded[K, V]) lower(bar uint64, fold func(K, V)) {
	b.bar = bar
	for k, v := range b.kept {
		if b.hash(k) >= bar {
			delete(b.kept, k)
			fold(k, v)
		}
	}
}

// meet lowers the bar to that of another map, before the two are merged.
func (b *bounded[K, V]) meet(other *bounded[K, V], fold func(K, V)) {
	if other.bar != 0 && (b.bar == 0 || other.bar < b.bar) {
		b.lower(other.bar, fold)
	}
}

// hashString is FNV-1a, mixed so that all its bits depend on all bytes. It is the
// same on every machine, as what it decides must be.
func hashString(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return mix(h.Sum64())
}

// mix is the finaliser of splitmix64. It never returns 0, which stands for no
// bar.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return max(x, 1)
}
