package spill

import "fmt"

// Writer adds records to a Sorter. One goroutine uses it at a time.
type Writer struct {
	s     *Sorter
	arena []byte // records, one behind the other; its capacity is fixed
	index []entry
	held  int // bytes of both, as the Sorter knows
}

// perEntry is the number of bytes of the arena for which there is one place in the
// index. Records shorter than that fill the index first.
const perEntry = 32

// overhead is the most that the numbers around a record take: two lengths of three
// bytes each, and the count.
const overhead = 3 + 3 + 10

// Writer returns a Writer. It holds nothing until something is added.
func (s *Sorter) Writer() *Writer { return &Writer{s: s} }

// Add adds a copy of record. An error of the temporary file is returned by all calls
// after it, those of other Writers at the latest when their arenas are full; the
// records in memory are then lost. A record longer than MaxRecord is refused without
// further consequences.
func (w *Writer) Add(record []byte) error {
	if len(record) > cap(w.arena)-len(w.arena) || len(w.index) == cap(w.index) {
		if err := w.makeRoom(len(record)); err != nil {
			return err
		}
	}
	w.index = append(w.index, entry{off: uint32(len(w.arena)), len: uint32(len(record))})
	w.arena = append(w.arena, record...)
	return nil
}

// Flush hands all records to the Sorter and gives the arena back. The Writer can be
// used again.
func (w *Writer) Flush() error {
	err := w.handOver()
	if release := w.resize(0); err == nil {
		err = release
	}
	return err
}

// makeRoom empties the arena, or gets one, for a record of n bytes.
func (w *Writer) makeRoom(n int) error {
	if n > MaxRecord {
		return fmt.Errorf("spill: record of %d bytes, more than %d", n, MaxRecord)
	}
	if err := w.handOver(); err != nil {
		w.resize(0) // so that the next Add comes here too
		return err
	}
	if size := max(n, w.s.size.arena); size != cap(w.arena) {
		if err := w.resize(size); err != nil {
			w.resize(0)
			return err
		}
	}
	return nil
}

// resize replaces the arena, which is empty, by one of size bytes.
func (w *Writer) resize(size int) error {
	places := size / perEntry
	held := size + places*entrySize
	err := w.s.charge(held - w.held)
	w.held, w.arena, w.index = held, nil, nil
	if size > 0 {
		w.arena, w.index = make([]byte, 0, size), make([]entry, 0, places)
	}
	return err
}

// handOver makes a run of what is in the arena, and empties it.
func (w *Writer) handOver() error {
	if len(w.index) == 0 {
		return nil
	}
	sortEntries(w.arena, w.index)
	// A page is left when the next record does not fit, so two in a row hold at least
	// what fits into one.
	most := 2*int64(len(w.arena)+overhead*len(w.index)) + int64(w.s.size.page)
	if err := w.s.reserve(most); err != nil {
		return err
	}
	r := &run{pages: make([][]byte, 0, len(w.arena)/w.s.size.page+1)}
	e := encoder{emit: func(page []byte, need int) ([]byte, error) {
		if page != nil {
			r.pages = append(r.pages, page)
		}
		if need == 0 {
			return nil, nil
		}
		return w.s.page(need), nil
	}}
	w.encode(&e, r)
	w.arena, w.index = w.arena[:0], w.index[:0]
	return w.s.take(r, most)
}

// encode writes the sorted records, adding up equal ones. Pages cannot fail.
func (w *Writer) encode(e *encoder, r *run) {
	rec := w.index[0].of(w.arena)
	shared, n := 0, int64(1)
	for _, x := range w.index[1:] {
		next := x.of(w.arena)
		h := common(rec, next, 0)
		if h == len(next) && h == len(rec) {
			n++
			continue
		}
		e.put(rec, shared, n)
		r.records++
		rec, shared, n = next, h, 1
	}
	e.put(rec, shared, n)
	r.records++
	e.close()
}
