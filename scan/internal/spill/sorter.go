package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// MaxRecord limits the length of a record, in bytes.
const MaxRecord = 1 << 20

// Options configures a Sorter. The zero value is usable.
type Options struct {
	// Memory limits the bytes that the Sorter and its writers hold: arenas, and the buffers of one
	// merge. 0 means 256 MB, and the minimum is 1 MB. Records longer than a sixty-fourth of it may
	// exceed it, by a few of them for each Writer and each merge.
	Memory int64

	// Dir is the folder of the temporary file, os.TempDir if empty. It needs space for all records in
	// the compressed form of the package.
	Dir string

	// Compress compresses the temporary file, so that long repetitive records, such as decompressed
	// input, don't fill the disk. For short records, whose common prefixes aren't written anyway, it
	// takes longer and saves little.
	Compress bool
}

// Record is a record and its count.
type Record struct {
	Data []byte // valid until the next record; must not be modified
	N    int64  // at least 1
}

// Sorter sorts records in bounded memory. New makes it. Any number of goroutines may use a Writer
// each. Reading (All) requires that all Writers have been flushed. Several goroutines may
// read at once, but nothing may be added meanwhile.
type Sorter struct {
	size     sizes
	dir      string
	compress bool

	mu       sync.Mutex
	changed  sync.Cond // an arena was returned or freed, or err was set
	err      error     // the first write error, or errClosed; permanent
	arenas   int       // number of arenas
	writing  int       // number of arenas that writers hold
	free     []*arena  // empty
	memory   []*run    // sorted arenas that aren't being spilled
	spilling bool      // a goroutine is merging runs into the file and owns it

	stop func() error // set by StopAt; nil for never

	disk []*run     // runs in the file, and saved runs
	file *Temporary // nil until something is spilled
	end  int64      // end of the last run in the file
}

// sizes divides the memory: a quarter for the blocks of a merge, an eighth for sorting, small
// objects and garbage, the rest for arenas.
type sizes struct {
	arena  int   // bytes of records per arena
	block  int   // bytes per block in the file
	arenas int   // maximum number of arenas
	merge  int64 // bytes of buffers for runs merged from disk
}

const (
	defaultMemory = 256 << 20
	minMemory     = 1 << 20

	// maxArena is an arena size at which sorting is fast, because the arena and its index stay in a
	// cache.
	maxArena = 1 << 20

	// firstArena is about what one worker of an audit fills for 1 MB of a log.
	firstArena = 64 << 10

	// maxBlock is the size of reads from disk, which alternate between as many places as there are
	// runs.
	maxBlock = 64 << 10
)

func sizesFor(memory int64) sizes {
	memory = max(cmp.Or(max(memory, 0), defaultMemory), minMemory)
	arena := int(min(memory/64, maxArena))
	return sizes{
		arena:  arena,
		block:  int(min(max(memory/1024, 4<<10), maxBlock)),
		arenas: int((memory - memory/4 - memory/8) / arenaBytes(arena)),
		merge:  memory / 4,
	}
}

var (
	errClosed    = errors.New("spill: sorter is closed")
	errUnflushed = errors.New("spill: reading before all writers were flushed")

	// errTemporary marks errors in writing the temporary file, which are permanent. Errors in reading
	// saved runs aren't.
	errTemporary = errors.New("spill: temporary file")
)

// New returns an empty Sorter. It allocates no memory and creates no file until a record is added.
func New(o Options) *Sorter {
	s := &Sorter{size: sizesFor(o.Memory), dir: o.Dir, compress: o.Compress}
	s.changed.L = &s.mu
	return s
}

// StopAt makes All stop when ctx ends, with the error of ctx. The records stay, and may
// be read after another StopAt.
func (s *Sorter) StopAt(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = ctx.Err
}

// get returns an empty arena that can hold a record of n bytes. If no memory is free it waits until
// other arenas have been spilled.
func (s *Sorter) get(n int) (*arena, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil {
		last := len(s.free) - 1
		switch {
		case last >= 0:
			a := s.free[last]
			s.free = s.free[:last]
			s.writing++
			if cap(a.data) < n {
				a = newArena(max(n, s.size.arena))
			}
			return a, nil
		case s.arenas >= s.size.arenas && s.spilling:
			s.changed.Wait()
		case s.arenas >= s.size.arenas && len(s.memory) > 0:
			s.spill()
		default: // there is memory, or other writers hold all of it
			usual := min(firstArena<<min(s.arenas, 8), s.size.arena) // few records take little memory
			s.arenas++
			s.writing++
			return newArena(max(n, usual)), nil
		}
	}
	return nil, s.err
}

// put accepts a sorted arena, unless it is nil, and spills all runs when they use three quarters of
// the arenas.
func (s *Sorter) put(a *arena) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a == nil || s.err != nil {
		return s.err
	}
	s.writing--
	s.memory = append(s.memory, &run{arena: a})
	if !s.spilling && len(s.memory) >= s.size.arenas*3/4 {
		s.spill()
	}
	s.changed.Broadcast()
	return s.err
}

// spill starts a goroutine that merges the runs in memory into one on disk. After an error the
// records are lost, and s.err is set.
func (s *Sorter) spill() {
	runs := s.memory
	s.memory, s.spilling = nil, true
	go s.spillRuns(runs)
}

func (s *Sorter) spillRuns(runs []*run) {
	merged, err := s.mergeToFile(runs, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spilling = false
	switch {
	case s.err != nil: // closed meanwhile
	case err != nil:
		s.err = err
	default:
		s.disk = append(s.disk, merged)
	}
	for _, r := range runs {
		a := r.arena
		a.data, a.index = a.data[:0], a.index[:0]
		if cap(a.data) <= s.size.arena {
			s.free = append(s.free, a)
		} else {
			s.arenas--
		}
	}
	s.changed.Broadcast()
}

// mergeToFile appends the merge of runs to the file. No other goroutine may write the file
// meanwhile.
func (s *Sorter) mergeToFile(runs []*run, stop func() error) (*run, error) {
	m, err := newMerge(runs, stop)
	if err != nil {
		return nil, err
	}
	if s.file == nil {
		if s.file, err = CreateTemp(s.dir); err != nil {
			return nil, fmt.Errorf("%w: %w", errTemporary, err)
		}
	}
	merged := &run{r: s.file, off: s.end, end: s.end, packed: s.compress}
	w := blockWriter{size: s.size.block, pack: s.compress, write: func(block []byte) error {
		if _, err := s.file.WriteAt(block, merged.end); err != nil {
			return fmt.Errorf("%w: %w", errTemporary, err)
		}
		merged.end += int64(len(block))
		return nil
	}}
	if merged.records, err = w.writeAll(m); err != nil {
		return nil, err
	}
	merged.longest = w.longest
	s.end = merged.end
	return merged, nil
}

// gather returns the merge of all runs.
func (s *Sorter) gather() (*merge, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.spilling {
		s.changed.Wait()
	}
	if s.err != nil {
		return nil, s.err
	}
	if s.writing > 0 {
		return nil, errUnflushed
	}
	if err := s.reduce(); err != nil {
		if errors.Is(err, errTemporary) {
			s.err = err
		}
		return nil, err
	}
	return newMerge(slices.Concat(s.memory, s.disk), s.stop)
}

// reduce merges runs on disk, the smallest first, until the memory suffices to read all remaining
// ones at once. It merges as many at a time as can be read at once, but no more than necessary. Two
// are always read at once, however long their blocks are.
func (s *Sorter) reduce() error {
	total := int64(0)
	for _, r := range s.disk {
		total += r.cost()
	}
	for total > s.size.merge && len(s.disk) > 2 {
		slices.SortStableFunc(s.disk, func(a, b *run) int { return cmp.Compare(a.end-a.off, b.end-b.off) })
		n, cost := 0, int64(0)
		for n < len(s.disk) {
			next := s.disk[n].cost()
			enough := total-cost+2*int64(s.size.block) <= s.size.merge
			if n >= 2 && (enough || cost+next > s.size.merge) {
				break
			}
			cost += next
			n++
		}
		merged, err := s.mergeToFile(s.disk[:n], s.stop)
		if err != nil {
			return err
		}
		s.disk = append(slices.Clone(s.disk[n:]), merged)
		total += merged.cost() - cost
	}
	return nil
}

// All yields all records, each once, sorted. It may be called, and its result iterated, any number
// of times. An error comes once, as the last element, with a zero Record. It is an error of the
// temporary file or of a damaged saved run, or means that a Writer was not flushed.
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

// Close frees the memory and removes the temporary file, if there is one. All other calls,
// including waiting ones in other goroutines, then return an error. A second Close does nothing.
func (s *Sorter) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, errClosed) {
		return nil
	}
	s.err = errClosed
	s.changed.Broadcast()
	for s.spilling {
		s.changed.Wait()
	}
	s.memory, s.disk, s.free = nil, nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// Records is a Sorter with a Writer for a single goroutine, without counts. NewRecords makes it. A
// full arena is sorted in the background while the next one is filled.
type Records struct {
	*Sorter
	writer, other *Writer // other is sorting, or was
	sorting       sync.WaitGroup
}

// NewRecords returns empty Records. It allocates no memory and creates no file until a record is
// added.
func NewRecords(o Options) *Records {
	s := New(o)
	return &Records{Sorter: s, writer: s.Writer(), other: s.Writer()}
}

// Add adds a copy of a record, as Writer.Add does.
func (r *Records) Add(record []byte) error {
	if a := r.writer.arena; a != nil && !a.hasRoom(len(record)) {
		r.sorting.Wait()
		r.writer, r.other = r.other, r.writer
		r.sorting.Go(func() { _ = r.other.put() }) // the Sorter keeps an error
	}
	return r.writer.Add(record)
}

// ahead is a batch of records that All has read ahead.
type ahead struct {
	data []byte
	ends []int // of each record in data
	err  error // the last element
}

// A batch has at most this many records, and bytes but for its last record.
const aheadRecords, aheadBytes = 1 << 10, 64 << 10

// All yields all distinct records, as Sorter.All does. Another goroutine merges the next ones meanwhile.
func (r *Records) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r.sorting.Wait()
		if err := cmp.Or(r.other.Flush(), r.writer.Flush()); err != nil {
			yield(nil, err)
			return
		}
		batches, used, done := make(chan ahead, 1), make(chan ahead, 2), make(chan struct{})
		var merging sync.WaitGroup
		defer merging.Wait()
		defer close(done)
		merging.Go(func() { r.readAhead(batches, used, done) })
		for b := range batches {
			from := 0
			for _, end := range b.ends {
				if !yield(b.data[from:end:end], nil) {
					return
				}
				from = end
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
			select {
			case used <- b:
			default:
			}
		}
	}
}

// readAhead sends all records in batches, until done is closed. It reuses used ones.
func (r *Records) readAhead(batches chan<- ahead, used <-chan ahead, done <-chan struct{}) {
	defer close(batches)
	var b ahead
	for record, err := range r.Sorter.All() {
		if b.err = err; err == nil {
			b.data = append(b.data, record.Data...)
			b.ends = append(b.ends, len(b.data))
		}
		if err == nil && len(b.data) < aheadBytes && len(b.ends) < aheadRecords {
			continue
		}
		select {
		case batches <- b:
		case <-done:
			return
		}
		select {
		case b = <-used:
			b.data, b.ends = b.data[:0], b.ends[:0]
		default:
			b = ahead{}
		}
	}
	select {
	case batches <- b:
	case <-done:
	}
}
