package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// holding returns a writer with keys.
func holding(t *testing.T, keys []string) *Writer {
	t.Helper()
	w, err := NewWriter(automaton.Google)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if err := w.Add(key, 404, nil); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// colliding returns n keys that a seed puts into one bucket.
func colliding(n int, seed uint64) (keys []string) {
	shift := 64 - bits.Len(uint(n))
	for i := 0; len(keys) < n; i++ {
		key := fmt.Appendf(nil, "https://%d.example:443", i)
		if hash(seed, key)>>shift == 0 {
			keys = append(keys, string(key))
		}
	}
	return keys
}

// arranged returns the layout of an archive.
func arranged(t *testing.T, w *Writer) *layout {
	t.Helper()
	l := &layout{w: w, header: w.header()}
	if err := l.arrange(maxBucket); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestChosenKeysAreSpread checks that 500 keys that share a bucket under one seed are spread by their archive's
// seed, even if the first seed comes from an archive with as many keys.
func TestChosenKeysAreSpread(t *testing.T) {
	seed := uint64(1)
	for range 2 {
		l := arranged(t, holding(t, colliding(500, seed)))
		if err := l.makeDirectory(12); err != nil {
			t.Errorf("seed %#x: %v", seed, err)
		}
		seed = l.header.Seed
	}
}

// TestBucketsHaveABound checks that a writer refuses to write longer buckets.
func TestBucketsHaveABound(t *testing.T) {
	w := holding(t, []string{"a", "b", "c"})
	l := &layout{w: w, header: w.header()}
	if err := l.arrange(0); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// TestLookupReadsABoundedBucket checks this for a forged archive, too.
func TestLookupReadsABoundedBucket(t *testing.T) {
	for _, n := range []int{maxBucket, maxBucket + 1} {
		keys := colliding(n, 1)
		l := arranged(t, holding(t, keys))
		l.header.Length -= l.header.directoryLen() + l.header.bucketsLen() + l.header.RecordsLen
		l.header.Bits = 0 // there is one bucket
		if err := l.makeDirectory(n); err != nil {
			t.Fatal(err)
		}
		l.header.Length += l.header.directoryLen() + l.header.bucketsLen() + l.header.RecordsLen
		var file bytes.Buffer
		if err := l.write(&file, n); err != nil {
			t.Fatal(err)
		}
		a, err := Open(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(keys, func(x, y string) int {
			return cmp.Compare(hash(l.header.Seed, []byte(x)), hash(l.header.Seed, []byte(y)))
		})
		for i, key := range keys {
			_, found, err := a.Lookup([]byte(key), automaton.Google)
			if found != (i < maxBucket) || (err != nil) != (i >= maxBucket) {
				t.Errorf("record %d of %d: found %v, error %v", i, n, found, err)
			}
		}
		if _, found, err := a.Lookup([]byte("missing"), automaton.Google); found || (err != nil) != (n > maxBucket) {
			t.Errorf("missing among %d: found %v, error %v", n, found, err)
		}
	}
}

// TestRecordsBeyondFourGigabytes checks that the table of buckets has the lower halves of offsets, and the
// directory the upper ones.
func TestRecordsBeyondFourGigabytes(t *testing.T) {
	for _, c := range []struct{ group, from, to uint64 }{
		{0, 0, 10}, {5, 5, 5}, {1<<32 - 8, 1<<32 - 8, 1<<32 - 1}, {1<<32 - 8, 1<<32 - 4, 1<<32 + 20}, {1<<32 - 8, 1<<32 + 4,
			1<<32 + 20},
		{5 << 32, 5<<32 + 1, 5<<32 + 2}, {5<<32 - 1, 5 << 32, 5<<32 + 90},
	} {
		a := &Archive{directory: le.AppendUint64(make([]byte, entryLen), c.group)}
		if from, to := a.whole(1, uint64(uint32(c.from)), uint64(uint32(c.to))); from != c.from || to != c.to {
			t.Errorf("from %d to %d, want %+v", from, to, c)
		}
	}
}
