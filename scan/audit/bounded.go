package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/robotsieve/robotsieve/scan/report"
)

// bounded counts by keys that clients choose, and keeps at most about twice limit of them. It keeps
// the keys with the smallest hashes, so the choice depends only on the set of keys, not on their
// order, and their counts are exact. Maps of parts of an input merge to the map of the whole.
type bounded[K comparable] = boundedSums[K, tallied]

// boundedSums is like bounded, with a sum for each key.
type boundedSums[K comparable, V sum[V]] struct {
	limit int
	hash  func(K) uint64
	Kept  map[K]V `cbor:"1,keyasint"`
	Below uint64  `cbor:"2,keyasint,omitempty"` // only keys with smaller hashes are kept; 0 means all
	Rest  int64   `cbor:"3,keyasint,omitempty"` // the count of all dropped keys
}

// sum is the type of the values that boundedSums adds up.
type sum[V any] interface {
	Plus(V) V
	Times(n int64) V // n times the value
	Count() int64
}

// occurrences is a plain count.
type occurrences int64

func (n occurrences) Plus(more occurrences) occurrences { return n + more }
func (n occurrences) Times(t int64) occurrences         { return n * occurrences(t) }
func (n occurrences) Count() int64                      { return int64(n) }

// tallied is a count with, where these matter, the time from the first to the last event and the bytes of answers.
type tallied struct {
	N      int64   `cbor:"1,keyasint"`
	Period period  `cbor:"2,keyasint,omitzero"`
	Bytes  byteSum `cbor:"3,keyasint,omitempty"`
}

func (t tallied) Plus(other tallied) tallied {
	t.N += other.N
	t.Period.merge(other.Period)
	t.Bytes = report.Plus(t.Bytes, other.Bytes)
	return t
}

func (t tallied) Times(n int64) tallied {
	t.N *= n
	return t
}

func (t tallied) Count() int64 { return t.N }

func newBounded[K comparable](limit int, hash func(K) uint64) *bounded[K] {
	return &bounded[K]{limit: limit, hash: hash, Kept: map[K]tallied{}}
}

// len returns the number of keys kept. A nil map has none.
func (b *boundedSums[K, V]) len() int {
	if b == nil {
		return 0
	}
	return len(b.Kept)
}

// add counts a key.
func (b *boundedSums[K, V]) add(k K, t V) {
	known, kept := b.Kept[k]
	if !kept && b.Below != 0 && b.hash(k) >= b.Below {
		b.Rest += t.Count()
		return
	}
	b.Kept[k] = known.Plus(t)
	b.prune(2)
}

// prune drops the keys beyond the limit once there are more than slack times as many.
func (b *boundedSums[K, V]) prune(slack int) {
	if len(b.Kept) <= slack*b.limit {
		return
	}
	hashes := make([]uint64, 0, len(b.Kept))
	for k := range b.Kept {
		hashes = append(hashes, b.hash(k))
	}
	slices.Sort(hashes)
	b.lower(hashes[b.limit])
}

// lower drops the keys whose hashes are not below the bound.
func (b *boundedSums[K, V]) lower(below uint64) {
	b.Below = below
	for k, t := range b.Kept {
		if b.hash(k) >= below {
			delete(b.Kept, k)
			b.Rest += t.Count()
		}
	}
}

// mostFrequent lists at most that many keys of a map, the most frequent first, then in their order,
// and returns the count of all others.
func mostFrequent[T any](b *bounded[string], most int, info func(string, int64) T) (list []T, others int64) {
	b.prune(1)
	list, others = []T{}, b.Rest
	for i, k := range slices.SortedFunc(maps.Keys(b.Kept), func(x, y string) int {
		return cmp.Or(cmp.Compare(b.Kept[y].N, b.Kept[x].N), cmp.Compare(x, y))
	}) {
		if n := b.Kept[k].N; i < most {
			list = append(list, info(k, n))
		} else {
			others += n
		}
	}
	return list, others
}

// merge adds the counts of another map.
func (b *boundedSums[K, V]) merge(other *boundedSums[K, V]) { b.mergeTimes(other, 1) }

// mergeTimes adds the counts of another map n times.
func (b *boundedSums[K, V]) mergeTimes(other *boundedSums[K, V], n int64) {
	if other.Below != 0 && (b.Below == 0 || other.Below < b.Below) {
		b.lower(other.Below)
	}
	b.Rest += other.Rest * n
	if len(b.Kept) == 0 && b.Below == other.Below && n == 1 {
		b.Kept = maps.Clone(other.Kept) // allocated once in its final size
		b.prune(2)
		return
	}
	for k, t := range other.Kept {
		b.add(k, t.Times(n))
	}
}

// hashString is FNV-1a, mixed so that each bit depends on all bytes. It is the same on every
// machine because reports depend on it.
func hashString(s string) uint64 { return hashBytes(s) }

// hashBytes is hashString for bytes. It does not allocate.
func hashBytes[T string | []byte](s T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h)
}

// mix is the finaliser of splitmix64. It never returns 0, which means "no bound".
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return max(x, 1)
}

func shortened(text []byte, most int) string {
	if len(text) > most {
		return fmt.Sprintf("%s (longer than %d bytes)", text[:most], most)
	}
	return string(text)
}

// maxSample is how many bytes are kept of a line.
const maxSample = 4 << 10

// beginning returns the part of a line that is kept.
func beginning(line []byte) []byte { return line[:min(len(line), maxSample)] }

// sample is a raw line of a log, cut to 4 KiB.
type sample struct {
	Time int64 // in nanoseconds since 1970; 0 if unknown
	Line []byte
}

// samples keeps the smallest lines, by time and then by bytes, so that the choice does not depend
// on the order of the input. It keeps at most that many, and at most maxSampleBytes.
type samples struct {
	most  int
	Kept  []sample `cbor:"1,keyasint,omitempty"` // in order
	bytes int      // size of the lines kept
}

func compareSamples(x, y sample) int {
	return cmp.Or(cmp.Compare(x.Time, y.Time), bytes.Compare(x.Line, y.Line))
}

// add copies a line if it is among the smallest.
func (s *samples) add(time int64, line []byte) {
	if s.most == 0 {
		return
	}
	sample := sample{time, beginning(line)}
	if len(s.Kept) == s.most && compareSamples(sample, s.Kept[s.most-1]) >= 0 {
		return
	}
	sample.Line = bytes.Clone(sample.Line)
	at, _ := slices.BinarySearchFunc(s.Kept, sample, compareSamples)
	s.Kept = slices.Insert(s.Kept, at, sample)
	s.bytes += sampleBytes + len(sample.Line)
	for len(s.Kept) > s.most {
		s.drop()
	}
	s.cut(maxSampleBytes)
}

// sampleBytes is the overhead of a line in addition to its bytes.
const sampleBytes = 64

// cut drops the last lines until the rest fits into that many bytes.
func (s *samples) cut(most int) {
	for s.bytes > most {
		s.drop()
	}
}

// drop drops the last line.
func (s *samples) drop() {
	last := len(s.Kept) - 1
	s.bytes -= sampleBytes + len(s.Kept[last].Line)
	s.Kept[last] = sample{}
	s.Kept = s.Kept[:last]
}

func (s *samples) merge(other *samples) {
	for _, sample := range other.Kept {
		s.add(sample.Time, sample.Line)
	}
}
