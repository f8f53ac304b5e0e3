package spill

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// onDisk returns how many runs are on disk, when what is being spilled is.
func onDisk(s *Sorter) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.spilling {
		s.changed.Wait()
	}
	return len(s.disk)
}

func TestSameAsTwin(t *testing.T) {
	const seeds = uint64(3)
	for name, record := range kinds {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 1))
				s, want, most := tiny(t), twin{}, 3000
				if seed == 0 { // of the default memory
					s, most = New(Options{Dir: t.TempDir()}), 20_000
					defer s.Close()
				}
				w := s.Writer()
				for range r.IntN(most) {
					rec := record(r)
					want.add(rec)
					if err := w.Add(rec); err != nil {
						t.Fatal(err)
					}
					clear(rec)            // Add has copied it
					if r.IntN(1000) > 0 { // a flushed Writer can be used again
						continue
					}
					if err := w.Flush(); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				want.check(t, s)
				want.check(t, s)
			}
		})
	}
}

// TestRecords checks that each distinct record is returned once, in order, for any number of
// readings, from memory and from compressed blocks.
func TestRecords(t *testing.T) {
	for _, o := range []Options{{}, {Memory: 1 << 20}, {Memory: 1 << 20, Compress: true}} {
		r, want, size := NewRecords(o), twin{}, int64(0)
		for i := range 2_000 { // of up to 12 kB, some of them twice
			n := i * 7919 % 1000
			record := append(fmt.Appendf(nil, "%04d", n), bytes.Repeat([]byte("Disallow: /\n"), n)...)
			size += int64(len(record))
			want.add(record)
			if err := r.Add(record); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			keys := want.keys()
			for record, err := range r.All() {
				if err != nil || len(keys) == 0 || string(record) != keys[0] {
					t.Fatalf("%+v: %.80q, error %v", o, record, err)
				}
				keys = keys[1:]
			}
			if len(keys) > 0 {
				t.Errorf("%+v: %d records are missing", o, len(keys))
			}
		}
		for record, err := range r.All() { // and may be left early
			if err != nil || string(record) != want.keys()[0] {
				t.Errorf("%+v: %.80q, error %v", o, record, err)
			}
			break
		}
		if (r.file != nil) != (o.Memory > 0) {
			t.Errorf("%+v: the file is %v", o, r.file)
		}
		if o.Compress && r.end > size/12 {
			t.Errorf("%d bytes that repeat themselves take %d of the file", size, r.end)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestManyRunsOnDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	// No memory for runs: each full arena is spilled.
	s, want := sized(t, sizes{arena: 128, block: 64, arenas: 0, merge: 10 * 2 * 64}), twin{}
	const runs = 2_000
	w := s.Writer()
	for onDisk(s) < runs {
		rec := randomBytes(r, 3+r.IntN(60), 4)
		want.add(rec)
		if err := w.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	onDisk(s) // so that all is written
	before := s.end
	want.check(t, s)
	if n := onDisk(s); n < 2 || n > 10 {
		t.Errorf("%d runs after reading, want no more than can be read at once, and no fewer than two", n)
	}
	if wrote := float64(s.end-before) / float64(before); wrote > 4.5 {
		t.Errorf("levels wrote the records %.1f times, want about log10 of the runs", wrote)
	}
	after := s.end
	want.check(t, s)
	if s.end != after {
		t.Error("reading again merged again")
	}
}

func TestWritersInGoroutines(t *testing.T) {
	const records = 20_000
	want := twin{}
	for i := range records {
		want.add(numbered(i))
	}
	var first []byte
	for _, writers := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(writers), func(t *testing.T) {
			s := sized(t, sizes{arena: 4 << 10, block: 512, arenas: 9, merge: 16 << 10})
			var wg sync.WaitGroup
			for k := range writers {
				wg.Go(func() {
					w := s.Writer()
					for i := k; i < records; i += writers {
						if err := w.Add(numbered(i)); err != nil {
							t.Error(err)
							return
						}
					}
					if err := w.Flush(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if onDisk(s) == 0 {
				t.Error("nothing was spilled")
			}
			for range writers { // and as many that read
				wg.Go(func() { want.check(t, s) })
			}
			wg.Wait()
			got := state(t, s)
			if first == nil {
				first = got
			}
			if !bytes.Equal(got, first) {
				t.Error("other bytes than with one writer")
			}
			if s.writing != 0 {
				t.Errorf("writers have %d arenas after Flush", s.writing)
			}
		})
	}
}

// numbered is a record of which there are up to three.
func numbered(i int) []byte { return fmt.Appendf(nil, "crawler/%d/origin/%06d", i%7, i*7919%9000) }

func TestNothingAdded(t *testing.T) {
	s := tiny(t)
	if err := s.Writer().Flush(); err != nil {
		t.Fatal(err)
	}
	twin{}.check(t, s)
	if b := state(t, s); len(b) != footerLen || s.file != nil {
		t.Errorf("%d bytes written, want the footer alone; file %v", len(b), s.file)
	}
	w := s.Writer()
	for _, record := range [][]byte{{}, nil, {0}, {}} { // three of no bytes
		if err := w.Add(record); err != nil {
			t.Fatal(err)
		}
		if _, err := collect(s.All()); !errors.Is(err, errUnflushed) {
			t.Errorf("before Flush: %v", err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	addSaved(t, s, state(t, s))
	twin{"": 6, "\x00": 2}.check(t, s)
}

func TestRecordsOfMaximalLength(t *testing.T) {
	s, want := sized(t, sizesFor(1)), twin{}
	w := s.Writer()
	for i := range 12 {
		rec := bytes.Repeat([]byte{'x'}, MaxRecord)
		rec[MaxRecord-1] = byte(i % 7)
		want.add(rec)
		if err := w.Add(rec); err != nil {
			t.Fatal(err)
		}
		short := numbered(i)
		want.add(short)
		if err := w.Add(short); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(make([]byte, MaxRecord+1)); err == nil {
		t.Error("a longer record was taken")
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want.check(t, s)
	other := tiny(t)
	addSaved(t, other, state(t, s))
	want.check(t, other)
}

// TestTemporaryFileHasNoName checks that its name is removed at once, so that a kill leaves nothing.
func TestTemporaryFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	f, err := CreateTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if runtime.GOOS != "windows" { // where an open file keeps its name
		empty(t, dir)
	}
	b := make([]byte, 3)
	if _, err := f.WriteAt([]byte("xyz"), 1<<20); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(b, 1<<20); err != nil || string(b) != "xyz" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := CreateTemp(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

func TestClose(t *testing.T) {
	s := tiny(t)
	for i := range 1000 {
		add(t, s, numbered(i))
	}
	w := s.Writer()
	if err := w.Add([]byte("x")); err != nil {
		t.Fatal(err)
	}
	saved := state(t, New(Options{}))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	empty(t, s.dir)
	if err := w.Flush(); !errors.Is(err, errClosed) {
		t.Errorf("Flush: %v", err)
	}
	sticks(t, s, w, errClosed)
	if err := s.AddSaved(bytes.NewReader(saved), 0, int64(len(saved))); !errors.Is(err, errClosed) {
		t.Errorf("AddSaved: %v", err)
	}
}

// fill adds until there is an error.
func fill(w *Writer) error {
	for i := range 100_000 {
		if err := w.Add(numbered(i)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// fullDisk is a temporary file on a device that is full.
func fullDisk(t *testing.T) *Temporary {
	full, err := disk.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no device that is full: ", err)
	}
	return &Temporary{full, ""}
}

// TestErrorsStick checks that a failure to create or write a temporary file is permanent.
func TestErrorsStick(t *testing.T) {
	s := tiny(t)
	s.dir = filepath.Join(s.dir, "missing")
	w := s.Writer()
	err := fill(w)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), s.dir) {
		t.Fatalf("error %v", err)
	}
	sticks(t, s, w, err)

	s = tiny(t)
	s.file = fullDisk(t)
	w = s.Writer()
	err = fill(w)
	if err == nil || !strings.Contains(err.Error(), "/dev/full") || !strings.Contains(err.Error(), "no space") {
		t.Fatalf("error %v", err)
	}
	sticks(t, s, w, err)
	empty(t, s.dir)

	s = tiny(t) // while runs on disk are merged into longer ones
	for range 10 {
		addSaved(t, s, sample(t))
	}
	s.file = fullDisk(t)
	if _, err = collect(s.All()); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Fatalf("error %v", err)
	}
	sticks(t, s, s.Writer(), err)
}

// sticks checks that all calls return the error that one Add did.
func sticks(t *testing.T, s *Sorter, w *Writer, want error) {
	t.Helper()
	if err := w.Add([]byte("more")); !errors.Is(err, want) {
		t.Errorf("next Add: %v", err)
	}
	if err := w.Flush(); !errors.Is(err, want) {
		t.Errorf("Flush: %v", err)
	}
	if err := s.Writer().Add([]byte("more")); !errors.Is(err, want) {
		t.Errorf("Add of another writer: %v", err)
	}
	if got, err := collect(s.All()); !errors.Is(err, want) || len(got) > 0 {
		t.Errorf("All: %v, %v", got, err)
	}
	if _, err := WriteRun(&bytes.Buffer{}, s.All()); !errors.Is(err, want) {
		t.Errorf("WriteRun: %v", err)
	}
}

// TestWritersAfterAnError checks that all writers return an error of the file, including those waiting for memory.
func TestWritersAfterAnError(t *testing.T) {
	s := tiny(t)
	s.dir = filepath.Join(s.dir, "missing")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := fill(s.Writer()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
}

// TestTemporaryFileIsDamaged checks that a disk that returns other bytes causes an error.
func TestTemporaryFileIsDamaged(t *testing.T) {
	for _, compress := range []bool{false, true} {
		s := tiny(t)
		s.compress = compress
		for i := range 200 {
			add(t, s, append(numbered(i), make([]byte, 500)...))
		}
		if _, err := s.file.WriteAt([]byte("damage"), s.end-6); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := collect(s.All())
			if err == nil || !strings.Contains(err.Error(), "temporary file") ||
				!strings.Contains(err.Error(), "checksum") {
				t.Errorf("%d records, error %v", len(got), err)
			}
		}
	}
}

// TestGuardAddDoesNotAllocate checks that Add doesn't allocate while its arena has capacity, and
// little beyond that, because arenas are reused.
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
	for onDisk(s) < 2 {
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

// TestGuardMemory checks that the heap stays within Options.Memory while three times as much is
// added, written and read.
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
				if onDisk(s) == 0 {
					t.Error("nothing was spilled")
				}
				n := most()
				t.Logf("%.1f MB at most, %d runs on disk", float64(n)/(1<<20), onDisk(s))
				if n > memory {
					t.Errorf("heap grew by %d bytes, allowed are %d", n, memory)
				}
			})
		}
	}
}

// watchHeap measures the heap, including garbage, until the returned function is called, which
// returns the maximum growth.
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
