package audit

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"slices"
)

// bounded counts by keys that clients choose, and keeps at most about twice limit of
// them. The keys kept are those with the smallest hashes: they depend on the set of
// keys alone, not on their order, and their counts are exact. Maps of parts of an
// input merge to the map of the whole.
type bounded[K comparable] struct {
	limit int
	hash  func(K) uint64
	kept  map[K]tallied
	bar   uint64 // keys with this hash or a larger one are not kept; 0: all are
	rest  int64  // the count of all keys that are not kept
}

// tallied is a count, with the time from the first to the last event counted, if
// that matters.
type tallied struct {
	n      int64
	period period
}

func (t tallied) plus(other tallied) tallied {
	t.n += other.n
	t.period.merge(other.period)
	return t
}

func newBounded[K comparable](limit int, hash func(K) uint64) *bounded[K] {
	return &bounded[K]{limit: limit, hash: hash, kept: map[K]tallied{}}
}

// add counts a key.
func (b *bounded[K]) add(k K, t tallied) {
	known, kept := b.kept[k]
	if !kept && b.bar != 0 && b.hash(k) >= b.bar {
		b.rest += t.n
		return
	}
	b.kept[k] = known.plus(t)
	b.prune(2)
}

// prune drops keys beyond the limit if there are more than slack times it.
func (b *bounded[K]) prune(slack int) {
	if len(b.kept) <= slack*b.limit {
		return
	}
	hashes := make([]uint64, 0, len(b.kept))
	for k := range b.kept {
		hashes = append(hashes, b.hash(k))
	}
	slices.Sort(hashes)
	b.lower(hashes[b.limit])
}

// lower sets the bar and drops the keys that are not below it.
func (b *bounded[K]) lower(bar uint64) {
	b.bar = bar
	for k, t := range b.kept {
		if b.hash(k) >= bar {
			delete(b.kept, k)
			b.rest += t.n
		}
	}
}

// merge adds the counts of another map.
func (b *bounded[K]) merge(other *bounded[K]) {
	if other.bar != 0 && (b.bar == 0 || other.bar < b.bar) {
		b.lower(other.bar)
	}
	b.rest += other.rest
	for k, t := range other.kept {
		b.add(k, t)
	}
}

// hashString is FNV-1a, mixed so that all its bits depend on all bytes. It gives the
// same on every machine, because reports depend on it.
func hashString(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return mix(h.Sum64())
}

// mix is the finaliser of splitmix64. It never returns 0, which stands for no bar.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return max(x, 1)
}

// maxSample is how many bytes of a line are kept.
const maxSample = 4 << 10

// sample is a raw line of a log, at most its first 4 KiB.
type sample struct {
	Time int64 // in nanoseconds since 1970; 0 if there is none
	Line []byte
}

// samples keeps the smallest of the lines added, by time and then by bytes, so that
// the choice does not depend on the order of the input.
type samples struct {
	most int
	kept []sample // in order
}

func compareSamples(x, y sample) int {
	return cmp.Or(cmp.Compare(x.Time, y.Time), bytes.Compare(x.Line, y.Line))
}

// add copies a line if it is one of the smallest.
func (s *samples) add(time int64, line []byte) {
	if s.most == 0 {
		return
	}
	sample := sample{time, line[:min(len(line), maxSample)]}
	if len(s.kept) == s.most && compareSamples(sample, s.kept[s.most-1]) >= 0 {
		return
	}
	sample.Line = bytes.Clone(sample.Line)
	at, _ := slices.BinarySearchFunc(s.kept, sample, compareSamples)
	s.kept = slices.Insert(s.kept, at, sample)
	if len(s.kept) > s.most {
		s.kept = s.kept[:s.most]
	}
}

func (s *samples) merge(other *samples) {
	for _, sample := range other.kept {
		s.add(sample.Time, sample.Line)
	}
}
