package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"
)

// MaxRecord is the length of the longest record, in bytes.
const MaxRecord = 1 << 20

// Options of a Sorter. The zero value is usable.
type Options struct {
	// Memory is how many bytes the Sorter and its writers may hold: arenas, runs, and
	// the buffers of one merge. 0 is 256 MB; less than 1 MB is 1 MB. Records of more
	// than a sixty-fourth of it may exceed it, by a few of them for each Writer and
	// each merge.
	Memory int64

	// Dir is the folder of the temporary file, os.TempDir if empty. There must be
	// room for all records, compressed; see the package for what that means.
	Dir string
}

// Record is one record and how often it was added.
type Record struct {
	Data []byte // valid until the next record; not to be changed
	N    int64  // at least 1
}

// Sorter keeps records in order and in bounded memory. It is made by New and safe
// for use by any number of Writers in as many goroutines. Reading (All, WriteTo) is
// for when all of them have been flushed; several goroutines may then read at once,
// but nothing may be added meanwhile.
type Sorter struct {
	size sizes
	dir  string

	mu       sync.Mutex
	freed    sync.Cond // held has become less, or err was set
	err      error     // of the first write that failed, or errClosed: for good
	arenas   int64     // bytes that writers hold
	held     int64     // bytes of pages in use or reserved
	memory   []*run    // runs in memory that are not being spilled
	inMemory int64     // bytes of their pages: a part of held
	free     [][]byte  // pages to be used again
	spilling bool      // a goroutine is merging runs into the file, which is its own meanwhile

	stop func() error // see StopAt; nil: never

	disk []*run   // runs in the file, and adopted ones
	file *os.File // nil until something is spilled
	name string   // of the file, while it still has to be removed
	end  int64    // of the last run in the file
}

// sizes divides the memory: a quarter is for the blocks of a merge, an eighth for
// small things and for what has not been collected yet, the rest for arenas and runs.
type sizes struct {
	arena int   // bytes of records in a writer's arena
	page  int   // bytes of a page in memory, and of a block in the file
	limit int64 // bytes of arenas and runs
	merge int64 // bytes of the buffers of runs that are merged from disk
}

const (
	defaultMemory = 256 << 20
	minMemory     = 1 << 20

	// maxArena: sorting is fastest while the arena and its index stay in a cache.
	maxArena = 1 << 20

	// maxPage: a disk is read in pieces of this size, from as many places as there
	// are runs.
	maxPage = 64 << 10

	// wholeFrom is the length from which on records are not compressed, so that those
	// which a merge has to assemble are short. What neighbours share, 50 bytes or a
	// hundred, is little of a record so long.
	wholeFrom = 1024 + 1
)

func sizesFor(memory int64) sizes {
	if memory <= 0 {
		memory = defaultMemory
	}
	memory = max(memory, minMemory)
	return sizes{
		arena: int(min(memory/64, maxArena)),
		page:  int(min(max(memory/1024, 4<<10), maxPage)),
		limit: memory - memory/4 - memory/8,
		merge: memory / 4,
	}
}

var (
	errClosed    = errors.New("spill: sorter is closed")
	errUnflushed = errors.New("spill: reading before all writers were flushed")
)

// New returns an empty Sorter. It holds nothing, and there is no file, until
// something is added.
func New(o Options) *Sorter {
	s := &Sorter{size: sizesFor(o.Memory), dir: o.Dir}
	s.freed.L = &s.mu
	return s
}

// run is records in strict order, compressed, in pages or on disk. It is not changed
// once it is made.
type run struct {
	records int64

	pages [][]byte

	r       io.ReaderAt // nil: in pages
	off     int64       // of the first block
	end     int64       // behind the last
	longest int         // no payload is longer
	adopted bool
}

// bytes is how much a run in memory holds.
func (r *run) bytes() (n int64) {
	for _, p := range r.pages {
		n += int64(cap(p))
	}
	return n
}

// cost is how much a run on disk needs to be read: a block, and a record that began
// in the block before.
func (r *run) cost() int64 { return 2 * int64(r.longest) }

// charge counts n bytes more, or less, that a writer holds.
func (s *Sorter) charge(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arenas += int64(n)
	s.trim(0)
	s.freed.Broadcast()
	return s.err
}

// trim drops free pages so that there is room for n bytes more.
func (s *Sorter) trim(n int) {
	spare := s.size.limit - s.arenas - s.held - int64(n)
	for len(s.free) > 0 && int64(len(s.free)*s.size.page) > spare {
		s.free[len(s.free)-1] = nil
		s.free = s.free[:len(s.free)-1]
	}
}

// reserve waits until n bytes may be held beside all others. It spills if that is
// what it takes; otherwise others have reserved or are spilling, and will be done.
func (s *Sorter) reserve(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil {
		switch {
		case s.held == 0 || s.arenas+s.held+n <= s.size.limit:
			s.held += n
			return nil
		case !s.spilling && len(s.memory) > 0:
			s.spill()
		default:
			s.freed.Wait()
		}
	}
	return s.err
}

// StopAt has reading end with the error of ctx when it has one: All, and WriteTo. What
// was added stays, and may be read after another StopAt.
func (s *Sorter) StopAt(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = ctx.Err
}

// page returns an empty page for at least n bytes, which are reserved.
func (s *Sorter) page(n int) []byte {
	if n > s.size.page {
		s.mu.Lock()
		s.trim(n)
		s.mu.Unlock()
		return make([]byte, 0, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		p := s.free[last]
		s.free = s.free[:last]
		return p
	}
	return make([]byte, 0, s.size.page)
}

// take accepts a run for which n bytes were reserved, and spills all runs when they
// have reached three quarters of what there is for them: others go on with the rest
// meanwhile.
func (s *Sorter) take(r *run, n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	size := r.bytes()
	s.held += size - n
	s.memory = append(s.memory, r)
	s.inMemory += size
	if !s.spilling && s.inMemory >= max(s.size.limit-s.arenas, 0)/4*3 {
		s.spill()
	}
	s.freed.Broadcast()
	return s.err
}

// spill merges the runs in memory into one on disk. The lock is held, except during
// the work. On an error the records are lost, and s.err says so for good.
func (s *Sorter) spill() {
	runs, size := s.memory, s.inMemory
	s.memory, s.inMemory = nil, 0
	s.spilling = true
	s.mu.Unlock()
	merged, err := s.append(runs, nil)
	s.mu.Lock()
	s.spilling = false
	if err != nil {
		s.fail(err)
	} else if s.err == nil { // not closed meanwhile
		s.disk = append(s.disk, merged)
		s.end = merged.end
	}
	for _, r := range runs {
		for _, p := range r.pages {
			if cap(p) == s.size.page {
				s.free = append(s.free, p[:0])
			}
		}
	}
	s.held -= size
	s.freed.Broadcast()
}

// fail makes err the one that all later calls return, unless there is one already.
func (s *Sorter) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.freed.Broadcast()
}

// append writes the merge of runs behind the last run in the file. The caller has
// the file to itself, and moves s.end if all went well. A stop that is not nil may end
// it with an error.
func (s *Sorter) append(runs []*run, stop func() error) (*run, error) {
	m, err := newMerge(runs)
	if err != nil {
		return nil, err
	}
	m.stop = stop
	if err := s.open(); err != nil {
		return nil, err
	}
	merged := &run{r: s.file, off: s.end, end: s.end}
	w := blockWriter{size: s.size.page, write: func(block []byte) error {
		if _, err := s.file.WriteAt(block, merged.end); err != nil {
			return &writeError{err}
		}
		merged.end += int64(len(block))
		return nil
	}}
	if merged.records, err = w.writeAll(m); err != nil {
		return nil, err
	}
	merged.longest = w.longest
	return merged, nil
}

// writeError is an error of the temporary file. It is for good; one of reading an
// adopted run is not.
type writeError struct{ err error }

func (e *writeError) Error() string { return "spill: temporary file: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

// open makes the file if there is none.
func (s *Sorter) open() error {
	if s.file != nil {
		return nil
	}
	f, name, err := createTemp(s.dir, openUnnamed)
	if err != nil {
		return &writeError{err}
	}
	s.file, s.name = f, name
	return nil
}

// createTemp makes a file without a name, so that nothing is left behind by a crash or
// a signal. Where that cannot be had, for whatever reason, its name is removed at once;
// where a system does not allow that either, the name is returned, for Close.
func createTemp(dir string, unnamed func(dir string) (*os.File, error)) (f *os.File, name string, err error) {
	if f, err := unnamed(dir); err == nil {
		return f, "", nil
	}
	f, err = os.CreateTemp(dir, "robotsieve-*.tmp")
	if err == nil && os.Remove(f.Name()) != nil {
		name = f.Name()
	}
	return f, name, err
}

// gather returns cursors on all runs, after merging as many of those on disk as it
// takes for the rest to be read at once.
func (s *Sorter) gather() (*merge, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	if s.arenas > 0 || s.spilling {
		return nil, errUnflushed
	}
	if err := s.reduce(); err != nil {
		var w *writeError
		if errors.As(err, &w) {
			s.fail(err)
		}
		return nil, err
	}
	m, err := newMerge(slices.Concat(s.memory, s.disk))
	if err == nil {
		m.stop = s.stop
	}
	return m, err
}

// reduce merges runs on disk, the smallest first, until the memory for blocks is
// enough for those that are left. Two are always read at once, however long their
// blocks are.
func (s *Sorter) reduce() error {
	total := int64(0)
	for _, r := range s.disk {
		total += r.cost()
	}
	for total > s.size.merge && len(s.disk) > 2 {
		slices.SortStableFunc(s.disk, func(a, b *run) int { return cmp.Compare(a.end-a.off, b.end-b.off) })
		n, cost := s.smallest(total)
		merged, err := s.append(s.disk[:n], s.stop)
		if err != nil {
			return err
		}
		s.end = merged.end
		s.disk = append(slices.Clone(s.disk[n:]), merged)
		total += merged.cost() - cost
	}
	return nil
}

// smallest returns how many of the runs on disk, sorted by size, to merge into one,
// and their cost: as many as can be read at once, but no more than it takes for the
// rest to be.
func (s *Sorter) smallest(total int64) (n int, cost int64) {
	for n < len(s.disk) {
		one := s.disk[n].cost()
		enough := total-cost+2*int64(s.size.page) <= s.size.merge
		if n >= 2 && (enough || cost+one > s.size.merge) {
			break
		}
		cost += one
		n++
	}
	return n, cost
}

// All yields all records, each once, in order. It may be called, and what it returns
// may be ranged over, any number of times. An error comes once, as the last element,
// with a zero Record: of the temporary file, of an adopted run, which may be damaged,
// or because a Writer was not flushed.
func (s *Sorter) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		m, err := s.gather()
		if err != nil {
			yield(Record{}, err)
			return
		}
		for m.next() {
			if !yield(Record{Data: m.rec, N: m.n}, nil) {
				return
			}
		}
		if m.err != nil {
			yield(Record{}, m.err)
		}
	}
}

// Close gives everything back and removes the temporary file, if there is one. All
// other calls, also those that are waiting in other goroutines, then return an error.
// The second Close does nothing.
func (s *Sorter) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == errClosed {
		return nil
	}
	s.err = errClosed
	s.freed.Broadcast()
	for s.spilling {
		s.freed.Wait()
	}
	s.memory, s.disk, s.free = nil, nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	s.file = nil
	if err != nil {
		return fmt.Errorf("spill: closing the temporary file: %w", err)
	}
	return nil
}
