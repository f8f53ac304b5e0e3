package spill

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Add allocates nothing while its arena has room, and little beyond that, because
// arenas are used again.
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
		t.Errorf("%v allocations in %d Adds that fill arenas", n, many)
	}
}

// The heap stays within Options.Memory while three times as much is added, written
// and read.
func TestGuardMemory(t *testing.T) {
	const memory, input = 8 << 20, 24 << 20
	kinds := map[string]func([]byte, *rand.Rand) []byte{
		"records": auditRecord,
		"lines": func(b []byte, r *rand.Rand) []byte {
			b = auditRecord(b, r)
			for n := r.IntN(5000); len(b) < n; {
				b = append(b, byte(r.Uint32()))
			}
			return b
		},
	}
	for name, record := range kinds {
		for _, writers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/%d", name, writers), func(t *testing.T) {
				s := New(Options{Memory: memory, Dir: t.TempDir()})
				defer s.Close()
				most := watchHeap(t)
				var wg sync.WaitGroup
				var added atomic.Int64
				for k := range writers {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(uint64(k), 1))
						w, rec := s.Writer(), make([]byte, 0, 5000)
						for size := 0; size < input/writers; size += len(rec) {
							rec = record(rec[:0], r)
							if err := w.Add(rec); err != nil {
								t.Error(err)
								return
							}
							added.Add(1)
						}
						if err := w.Flush(); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				sum := int64(0)
				for r, err := range s.All() {
					if err != nil {
						t.Fatal(err)
					}
					sum += r.N
				}
				if sum != added.Load() {
					t.Errorf("%d records, want %d", sum, added.Load())
				}
				if len(s.disk) == 0 {
					t.Error("nothing was spilled")
				}
				n := most()
				t.Logf("%.1f MB at most, %d runs on disk", float64(n)/(1<<20), len(s.disk))
				if n > memory {
					t.Errorf("heap grew by %d bytes, allowed are %d", n, memory)
				}
			})
		}
	}
}

// watchHeap looks at the heap, with what has not been collected, until the function
// that it returns is called, which returns by how much it has grown at most.
func watchHeap(t *testing.T) (most func() int64) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	runtime.GC()
	base, top := heap(), int64(0)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			top = max(top, heap()-base)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	end := sync.OnceFunc(func() { close(stop); wg.Wait() })
	t.Cleanup(end)
	return func() int64 { end(); return top }
}
