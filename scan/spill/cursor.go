package spill

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// maxPayload is the length of the longest payload: of one record that fills a block.
const maxPayload = MaxRecord + overhead

// cursor reads a run. Nothing that it reads is trusted; to check a record that was
// compressed takes one byte of it.
type cursor struct {
	rec  []byte // the record; nil before the first
	n    int64  // how often it was added
	data []byte // what follows in its page or block
	view bool   // rec is a part of the page or block, otherwise of buf
	buf  []byte

	run   *run
	left  int64 // records that have not been read
	page  int   // next page
	off   int64 // next block
	block []byte
	crc   uint32 // of the blocks so far
}

func newCursor(r *run) *cursor { return &cursor{run: r, left: r.records, off: r.off} }

// next reads the next record and returns how many bytes it shares with the one before
// it, or -1 at the end.
func (c *cursor) next() (shared int, err error) {
	if len(c.data) == 0 {
		if c.left == 0 {
			return -1, c.finish()
		}
		if err := c.load(); err != nil {
			return -1, err
		}
	}
	if c.left == 0 {
		return -1, c.damaged("more records than announced")
	}
	c.left--
	if shared, err = c.decode(); err != nil {
		return -1, err
	}
	return shared, nil
}

// decode reads a record from data.
func (c *cursor) decode() (shared int, err error) {
	h, more := uvarint(c.data)
	length, rest := uvarint(more)
	if rest == nil || h > uint64(len(c.rec)) || length > uint64(len(rest)) || h+length > MaxRecord {
		return 0, c.damaged("impossible length")
	}
	suffix := rest[:length:length]
	n, data := uvarint(rest[length:])
	if data == nil || n == 0 || n > math.MaxInt64 {
		return 0, c.damaged("impossible count")
	}
	c.n, c.data = int64(n), data
	if h+length >= wholeFrom {
		return c.whole(suffix, int(h))
	}
	return c.assemble(suffix, int(h))
}

// assemble makes the record of shared bytes of the one before it and of suffix.
func (c *cursor) assemble(suffix []byte, shared int) (int, error) {
	switch {
	case c.rec == nil: // the first; it may be empty
	case len(suffix) == 0, shared < len(c.rec) && suffix[0] <= c.rec[shared]:
		return 0, c.damaged("records out of order")
	}
	if c.view {
		c.buf, c.view = append(c.buf[:0], c.rec[:shared]...), false
	}
	c.buf = append(c.buf[:shared], suffix...)
	c.rec = c.buf
	if c.rec == nil {
		c.rec = []byte{}
	}
	return shared, nil
}

// whole makes suffix the record. It was not compressed, so that what it shares has to
// be found out.
func (c *cursor) whole(suffix []byte, shared int) (int, error) {
	if shared != 0 {
		return 0, c.damaged("impossible length")
	}
	if bytes.Compare(c.rec, suffix) >= 0 {
		return 0, c.damaged("records out of order")
	}
	shared = common(c.rec, suffix, 0)
	c.rec, c.view = suffix, true
	return shared, nil
}

// uvarint reads a number and returns what follows it: nil if there is no number.
func uvarint(b []byte) (uint64, []byte) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	return longUvarint(b)
}

func longUvarint(b []byte) (uint64, []byte) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil
	}
	return v, b[n:]
}

// load makes data the next page or block.
func (c *cursor) load() error {
	if c.run.r != nil {
		return c.loadBlock()
	}
	if c.page == len(c.run.pages) {
		return c.damaged("fewer records than announced")
	}
	c.data = c.run.pages[c.page]
	c.page++
	return nil
}

func (c *cursor) loadBlock() error {
	if c.view { // the block is about to be overwritten
		c.buf, c.view = append(c.buf[:0], c.rec...), false
		c.rec = c.buf
	}
	var head [blockHead]byte
	if c.run.end-c.off < blockHead {
		return c.damaged("fewer records than announced")
	}
	if err := c.read(head[:], c.off); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n == 0 || n > int64(c.run.longest) || n > c.run.end-c.off-blockHead {
		return c.damaged("impossible length of a block")
	}
	if int64(cap(c.block)) < n {
		c.block = make([]byte, max(n, int64(min(c.run.longest, maxPage))))
	}
	block := c.block[:n]
	if err := c.read(block, c.off+blockHead); err != nil {
		return err
	}
	c.crc = crc32.Update(c.crc, castagnoli, head[:4])
	c.crc = crc32.Update(c.crc, castagnoli, block)
	if c.crc != binary.LittleEndian.Uint32(head[4:]) {
		return c.damaged("checksum differs")
	}
	c.off += blockHead + n
	c.data = block
	return nil
}

func (c *cursor) read(b []byte, off int64) error {
	if err := readAt(c.run.r, b, off); err != nil {
		return fmt.Errorf("spill: %s at byte %d: %w", c.run.kind(), off, err)
	}
	return nil
}

// finish tells whether all of the run has been read.
func (c *cursor) finish() error {
	if c.run.r != nil && c.off != c.run.end {
		return c.damaged("more blocks than records")
	}
	return nil
}

func (c *cursor) damaged(what string) error {
	return fmt.Errorf("spill: %s is damaged before byte %d: %s", c.run.kind(), c.off, what)
}

// kind names a run in errors.
func (r *run) kind() string {
	switch {
	case r.adopted:
		if f, ok := r.r.(interface{ Name() string }); ok {
			return "saved run in " + f.Name()
		}
		return "saved run"
	case r.r != nil:
		return "run in the temporary file"
	}
	return "run in memory"
}

// readAt fills b. A ReaderAt may say io.EOF with the last byte.
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
