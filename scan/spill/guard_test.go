package spill

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// Between two hand-overs nothing is allocated; with them, next to nothing, because
// pages are used again.
func TestGuardAddDoesNotAllocate(t *testing.T) {
	s := New(Options{Memory: 4 << 20, Dir: t.TempDir()})
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 1))
	w := s.Writer()
	rec := make([]byte, 0, 60)
	one := func() {
		rec = auditRecord(rec[:0], r)
		if err := w.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	for len(s.disk) < 2 {
		one()
	}
	if n := testing.AllocsPerRun(1000, one); n != 0 {
		t.Errorf("%v allocations an Add", n)
	}
	const many = 200_000
	if n := testing.AllocsPerRun(1, func() {
		for range many {
			one()
		}
	}); n > many/50 {
		t.Errorf("%v allocations in %d Adds with hand-overs", n, many)
	}
}

// The heap stays within Options.Memory while seven times as much is added, written
// and read.
func TestGuardMemory(t *testing.T) {
	const memory = 8 << 20
	for _, writers := range []int{1, 4} {
		s := New(Options{Memory: memory, Dir: t.TempDir()})
		defer s.Close()
		runtime.GC()
		base, most := heap(), int64(0)
		sample := func() { most = max(most, heap()-base) }
		r := rand.New(rand.NewPCG(1, 1))
		ws := make([]*Writer, writers)
		for i := range ws {
			ws[i] = s.Writer()
		}
		rec := make([]byte, 0, 60)
		const records = 56 << 20 / 60
		for i := range records {
			rec = auditRecord(rec[:0], r)
			if err := ws[i%writers].Add(rec); err != nil {
				t.Fatal(err)
			}
			if i%10_000 == 0 {
				sample()
			}
		}
		for _, w := range ws {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		n, sum := 0, int64(0)
		for r, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			sum += r.N
			if n++; n%10_000 == 0 {
				sample()
			}
		}
		if sum != records {
			t.Errorf("%d records, want %d", sum, records)
		}
		if len(s.disk) == 0 {
			t.Error("nothing was spilled")
		}
		t.Logf("%d writers: %.1f MB at most, %d runs on disk", writers, float64(most)/(1<<20), len(s.disk))
		if most > memory {
			t.Errorf("%d writers: heap grew by %d bytes, allowed are %d", writers, most, memory)
		}
	}
}

// heap is the bytes in use, with what has not been collected.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
