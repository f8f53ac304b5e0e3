package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/s2"
)

// run is a sorted sequence of records in memory, or in blocks in a file. It is immutable.
type run struct {
	arena *arena // for a run in memory

	r       io.ReaderAt // for a run in a file
	off     int64       // start of the first block
	end     int64       // end of the last block
	records int64
	longest int  // length of the longest payload
	saved   bool // added by AddSaved
	packed  bool // payloads are compressed
}

// cost is the memory needed to read a run from a file: a block, and a record that shares bytes with
// the previous block; for a packed run also the unpacked block.
func (r *run) cost() int64 {
	if r.packed {
		return 3 * int64(r.longest)
	}
	return 2 * int64(r.longest)
}

// name describes a run in errors.
func (r *run) name() string {
	if f, ok := r.r.(interface{ Name() string }); ok && r.saved {
		return "saved run in " + f.Name()
	}
	if r.saved {
		return "saved run"
	}
	return "run in the temporary file"
}

const (
	// blockHead is the number of bytes before the payload of a block.
	blockHead = 8

	// overhead is the maximum size of the numbers around a record: two lengths of three bytes each,
	// and the count.
	overhead = 3 + 3 + 10

	// maxPayload is the maximum length of a payload: one record that fills a block.
	maxPayload = MaxRecord + overhead

	// wholeFrom is the length from which records are written whole.
	wholeFrom = 1024 + 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockWriter writes records in blocks of about size bytes.
type blockWriter struct {
	size    int
	write   func(block []byte) error
	block   []byte // being filled
	limit   int    // maximum length of block
	crc     uint32 // of all written blocks
	longest int    // longest written payload
	pack    bool   // payloads are compressed as S2 blocks
	packed  []byte
}

// writeAll writes all remaining records of m and returns their number.
func (w *blockWriter) writeAll(m *merge) (records int64, err error) {
	for m.next() {
		if err := w.add(m.rec, m.shared, m.n); err != nil {
			return 0, err
		}
		records++
	}
	if m.err != nil {
		return 0, m.err
	}
	return records, w.flush()
}

// add writes one record with count n. shared is the number of bytes that it shares with the
// previous record.
func (w *blockWriter) add(rec []byte, shared int, n int64) error {
	if len(rec) >= wholeFrom {
		shared = 0
	}
	need := len(rec) - shared + overhead
	if len(w.block) > 0 && len(w.block)+need > w.limit {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.block) == 0 {
		// Capacity for the usual block or for one long record. Where blocks end depends only on the
		// records.
		w.limit = max(w.size, blockHead+need)
		w.block = slices.Grow(w.block, w.limit)[:blockHead]
	}
	b := binary.AppendUvarint(w.block, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(rec)-shared))
	b = append(b, rec[shared:]...)
	w.block = binary.AppendUvarint(b, uint64(n))
	return nil
}

// flush writes the block, if there is one.
func (w *blockWriter) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	block := w.block
	w.longest = max(w.longest, len(block)-blockHead)
	if w.pack {
		w.packed = slices.Grow(w.packed[:0], blockHead+s2.MaxEncodedLen(len(block)-blockHead))
		n := len(s2.Encode(w.packed[blockHead:cap(w.packed)], block[blockHead:]))
		block = w.packed[:blockHead+n]
	}
	payload := block[blockHead:]
	binary.LittleEndian.PutUint32(block, uint32(len(payload)))
	w.crc = crc32.Update(w.crc, castagnoli, block[:4])
	w.crc = crc32.Update(w.crc, castagnoli, payload)
	binary.LittleEndian.PutUint32(block[4:], w.crc)
	w.longest = max(w.longest, len(payload))
	err := w.write(block)
	w.block = w.block[:0]
	return err
}

// cursor reads a run. It validates everything that it reads from a file.
type cursor struct {
	rec []byte // the record
	n   int64  // its count
	run *run
	at  int // next entry of the arena

	data  []byte // unread part of the block
	block []byte // buffer of data
	read  int64  // number of records so far
	off   int64  // of the next block
	crc   uint32 // of the blocks so far

	unpacked []byte // of a packed run: the unpacked block
}

// next reads the next record. It returns false at the end.
func (c *cursor) next() (more bool, err error) {
	if a := c.run.arena; a != nil {
		if c.at == len(a.index) {
			return false, nil
		}
		c.rec, c.n = a.record(a.index[c.at]), 1
		c.at++
		return true, nil
	}
	last := c.read == c.run.records
	switch {
	case len(c.data) > 0 && last:
		return false, c.damaged("more records than announced")
	case last && c.off != c.run.end:
		return false, c.damaged("more blocks than records")
	case last:
		return false, nil
	case len(c.data) == 0:
		if err := c.load(); err != nil {
			return false, err
		}
	}
	return true, c.decode()
}

// decode reads a record from data.
func (c *cursor) decode() error {
	h, more := uvarint(c.data)
	length, rest := uvarint(more)
	if rest == nil || h > uint64(len(c.rec)) || length > uint64(len(rest)) || h+length > MaxRecord ||
		h > 0 && h+length >= wholeFrom {
		return c.damaged("impossible length")
	}
	shared, suffix := int(h), rest[:length]
	n, data := uvarint(rest[length:])
	if data == nil || n == 0 || n > math.MaxInt64 {
		return c.damaged("impossible count")
	}
	whole := len(suffix) >= wholeFrom
	// A record with shared bytes is in order if its first other byte is greater than the previous
	// record's byte at that place.
	if c.read > 0 && (whole && bytes.Compare(c.rec, suffix) >= 0 ||
		!whole && (len(suffix) == 0 || shared < len(c.rec) && suffix[0] <= c.rec[shared])) {
		return c.damaged("records out of order")
	}
	c.rec = append(c.rec[:shared], suffix...)
	c.n, c.data = int64(n), data
	c.read++
	return nil
}

// uvarint reads a number and returns the remaining bytes, or nil if there is no valid number.
func uvarint(b []byte) (uint64, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil
	}
	return v, b[n:]
}

// load reads the next block.
func (c *cursor) load() error {
	var head [blockHead]byte
	if c.run.end-c.off < blockHead {
		return c.damaged("fewer records than announced")
	}
	if err := c.readAt(head[:], c.off); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n == 0 || n > int64(c.run.longest) || n > c.run.end-c.off-blockHead {
		return c.damaged("impossible length of a block")
	}
	if int64(cap(c.block)) < n {
		c.block = make([]byte, max(n, int64(min(c.run.longest, maxBlock))))
	}
	block := c.block[:n]
	if err := c.readAt(block, c.off+blockHead); err != nil {
		return err
	}
	c.crc = crc32.Update(c.crc, castagnoli, head[:4])
	c.crc = crc32.Update(c.crc, castagnoli, block)
	if c.crc != binary.LittleEndian.Uint32(head[4:]) {
		return c.damaged("checksum differs")
	}
	c.off += blockHead + n
	c.data = block
	if c.run.packed {
		return c.unpack()
	}
	return nil
}

// unpack replaces the payload in data by its uncompressed form.
func (c *cursor) unpack() error {
	n, err := s2.DecodedLen(c.data)
	if err == nil && n > c.run.longest {
		return c.damaged("impossible length of a block")
	}
	if err == nil {
		c.unpacked, err = s2.Decode(slices.Grow(c.unpacked[:0], n)[:n], c.data)
	}
	if err != nil {
		return c.damaged(err.Error())
	}
	c.data = c.unpacked
	return nil
}

func (c *cursor) readAt(b []byte, off int64) error {
	if err := readAt(c.run.r, b, off); err != nil {
		return fmt.Errorf("spill: %s at byte %d: %w", c.run.name(), off, err)
	}
	return nil
}

func (c *cursor) damaged(what string) error {
	return fmt.Errorf("spill: %s is damaged before byte %d: %s", c.run.name(), c.off, what)
}

// readAt fills b. A ReaderAt may return io.EOF with the last byte.
func readAt(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil:
		return errors.New("reader returned an impossible count")
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}
