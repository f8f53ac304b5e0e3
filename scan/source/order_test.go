package source

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRotatedSetsAreReadFromTheOldest: each list is in its order, however it was before.
func TestRotatedSetsAreReadFromTheOldest(t *testing.T) {
	for _, want := range [][]string{
		{"access.log.10.gz", "access.log.2.gz", "access.log.1", "access.log.0", "access.log"},
		{"access.log-20251231.gz", "access.log-20260101.gz", "access.log-20260102", "access.log"},
		{"access.log.2026-01-01.gz", "access.log.2026-01-02", "access.log"},
		{"access.log-20260101", "access.log.12", "access.log.3.xz", "access.log"},
		{"access-2026-01-01T00-00-00.000.log.gz", "access-2026-01-02T00-00-00.000.log", "access.log"},
		{"u_ex260101.log", "u_ex260102.log", "u_ex260103.log"},
		{"a.log.2", "a.log.1", "a.log", "b.log.3.gz", "b.log"},
		{"1.log", "10.log", "2.log"}, // no rotated set: by name
		{"2026", "2026-01", "x"},
		{"a/access.log.2", "a/access.log", "a/sub/1", "a-b/access.log.2", "b"},
		{"a", "a/b"},
		{"a.2", "a.1/z", "a"},
		{"logs.tar:access.log.2", "logs.tar:access.log.1"},
		{"", ".", "..", "...1"},
	} {
		names := slices.Clone(want)
		for range 20 {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			if sortNames(names); !slices.Equal(names, want) {
				t.Errorf("%q, want %q", names, want)
			}
		}
	}
}

// FuzzOrderOfNames: the order is one: of three names none can be before and behind another.
func FuzzOrderOfNames(f *testing.F) {
	f.Add("access.log.2", "access.log.10.gz", "access.log")
	f.Add("a-20260101", "a.1", "a/b")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if compareNames(a, b) != -compareNames(b, a) || (compareNames(a, b) == 0) != (a == b) {
			t.Errorf("%q and %q: %d, %d", a, b, compareNames(a, b), compareNames(b, a))
		}
		if compareNames(a, b) < 0 && compareNames(b, c) < 0 && compareNames(a, c) >= 0 {
			t.Errorf("%q < %q < %q, but not the first and the last", a, b, c)
		}
	})
}
