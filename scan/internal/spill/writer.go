package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unsafe"
)

// Writer adds records to a Sorter. It isn't safe for concurrent use.
type Writer struct {
	s       *Sorter
	arena   *arena // nil before the first record and after Flush
	scratch []byte // for sorting
}

// Writer returns a Writer. It allocates no memory until a record is added.
func (s *Sorter) Writer() *Writer { return &Writer{s: s} }

// Add adds a copy of record. After an error of the temporary file all calls return that error, for
// other Writers at the latest when their arena is full; the records in memory are lost. A record
// longer than MaxRecord is rejected without further consequences.
func (w *Writer) Add(record []byte) error {
	if w.arena == nil || !w.arena.hasRoom(len(record)) {
		if err := w.makeRoom(len(record)); err != nil {
			return err
		}
	}
	w.arena.add(record)
	return nil
}

// Flush passes all records to the Sorter. The Writer can be used again.
func (w *Writer) Flush() error {
	err := w.put()
	w.scratch = nil
	return err
}

// put sorts the arena, if there is one, and passes it to the Sorter.
func (w *Writer) put() error {
	a := w.arena
	w.arena = nil
	if a != nil {
		w.scratch = a.sort(w.scratch, w.s.size.arena)
	}
	return w.s.put(a)
}

// makeRoom gets an arena for a record of n bytes, and passes the previous one to the Sorter.
func (w *Writer) makeRoom(n int) (err error) {
	if n > MaxRecord {
		return fmt.Errorf("spill: record of %d bytes, more than %d", n, MaxRecord)
	}
	if err := w.put(); err != nil {
		return err
	}
	w.arena, err = w.s.get(n)
	return err
}

// arena holds the records of one Writer, and is sorted when full. Its capacity is fixed.
type arena struct {
	data  []byte // consecutive records
	index []entry
}

// entry is one record of an arena.
type entry struct {
	key      uint64 // eight bytes of the record, while sorting
	off, len uint32
}

// bytesPerEntry is the number of bytes of an arena per entry of the index. Shorter records fill the
// index first.
const bytesPerEntry = 32

// arenaBytes is the memory of an arena for size bytes of records.
func arenaBytes(size int) int64 {
	return int64(size + (size/bytesPerEntry+1)*int(unsafe.Sizeof(entry{})))
}

func newArena(size int) *arena {
	return &arena{data: make([]byte, 0, size), index: make([]entry, 0, size/bytesPerEntry+1)}
}

func (a *arena) hasRoom(n int) bool {
	return n <= cap(a.data)-len(a.data) && len(a.index) < cap(a.index)
}

func (a *arena) add(record []byte) {
	a.index = append(a.index, entry{off: uint32(len(a.data)), len: uint32(len(record))})
	a.data = append(a.data, record...)
}

func (a *arena) record(e entry) []byte { return a.data[e.off : e.off+e.len] }

// sort sorts the index, and copies the records in order to scratch, so that a merge reads them
// sequentially. It returns their previous memory for the next arena. It doesn't copy more than most
// bytes.
func (a *arena) sort(scratch []byte, most int) []byte {
	a.sortFrom(a.index, 0)
	if len(a.data) > most {
		return scratch
	}
	if cap(scratch) < len(a.data) {
		scratch = make([]byte, 0, cap(a.data))
	}
	sorted := scratch[:0]
	for i, e := range a.index {
		a.index[i].off = uint32(len(sorted))
		sorted = append(sorted, a.record(e)...)
	}
	scratch, a.data = a.data, sorted
	return scratch
}

// sortFrom sorts entries whose records share at least the first shared bytes. It determines how
// many bytes all of them share, sorts by the next eight bytes, and then sorts each group of equal
// ones in the same way. So the shared bytes, which are most of them, are compared once or twice and
// not in each comparison.
func (a *arena) sortFrom(es []entry, shared int) {
	if len(es) < 2 {
		return
	}
	first := a.record(es[0])
	n := len(first)
	for _, e := range es[1:] {
		n = common(first[:n], a.record(e), shared)
	}
	for i, e := range es {
		// Zeros stand for bytes after the end. Where keys differ, they have the order of the records.
		if rest := a.record(e)[n:]; len(rest) >= 8 {
			es[i].key = binary.BigEndian.Uint64(rest)
		} else {
			var b [8]byte
			copy(b[:], rest)
			es[i].key = binary.BigEndian.Uint64(b[:])
		}
	}
	slices.SortFunc(es, func(x, y entry) int { return cmp.Compare(x.key, y.key) })
	for len(es) > 0 {
		same, ended := 0, false
		for same < len(es) && es[same].key == es[0].key {
			ended = ended || int(es[same].len) < n+8
			same++
		}
		if ended {
			slices.SortFunc(es[:same], func(x, y entry) int { return bytes.Compare(a.record(x), a.record(y)) })
		} else {
			a.sortFrom(es[:same], n+8)
		}
		es = es[same:]
	}
}

// common returns the length of the common prefix of a and b, which is at least from.
func common(a, b []byte, from int) int {
	n := min(len(a), len(b))
	i := from
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// AppendKey appends a text so that records sort like their texts, and no key is a
// prefix of another.
func AppendKey(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		b = append(b, c)
		if c == 0 {
			b = append(b, 1)
		}
	}
	return append(b, 0, 0)
}

// CutKey splits a text of AppendKey from the rest.
func CutKey(b []byte) (text string, rest []byte) {
	key, rest, _ := bytes.Cut(b, []byte("\x00\x00"))
	return strings.ReplaceAll(string(key), "\x00\x01", "\x00"), rest
}
