package spill

import (
	"encoding/binary"
	"hash/crc32"
)

// castagnoli is the table of CRC32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encoder writes records into buffers that emit gives it.
type encoder struct {
	buf []byte // nil at first

	// emit takes a buffer that has no room for the next record, nil at first, and
	// returns one with room for need bytes. The last call has need 0.
	emit func(full []byte, need int) ([]byte, error)
}

// put writes one record, which shares that many bytes with the one before it.
func (e *encoder) put(rec []byte, shared int, n int64) error {
	if len(rec) >= wholeFrom {
		shared = 0
	}
	if need := len(rec) - shared + overhead; need > cap(e.buf)-len(e.buf) {
		buf, err := e.emit(e.buf, need)
		if err != nil {
			return err
		}
		e.buf = buf
	}
	b := binary.AppendUvarint(e.buf, uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(rec)-shared))
	b = append(b, rec[shared:]...)
	e.buf = binary.AppendUvarint(b, uint64(n))
	return nil
}

// close emits the last buffer.
func (e *encoder) close() error {
	_, err := e.emit(e.buf, 0)
	return err
}

// blockHead is the length of what stands before the payload of a block.
const blockHead = 8

// blockWriter writes blocks of about size bytes.
type blockWriter struct {
	size    int
	write   func(block []byte) error
	buf     []byte
	crc     uint32 // of all blocks written
	longest int    // of the payloads written
}

// writeAll writes all records that are left in m and returns their number.
func (w *blockWriter) writeAll(m *merge) (records int64, err error) {
	e := encoder{emit: w.emit}
	for m.next() {
		if err := e.put(m.rec, m.shared, m.n); err != nil {
			return 0, err
		}
		records++
	}
	if m.err != nil {
		return 0, m.err
	}
	return records, e.close()
}

// emit writes a block, whose first bytes were left free for its head, and returns the
// buffer of the next.
func (w *blockWriter) emit(block []byte, need int) ([]byte, error) {
	if payload := len(block) - blockHead; payload > 0 {
		binary.LittleEndian.PutUint32(block, uint32(payload))
		w.crc = crc32.Update(w.crc, castagnoli, block[:4])
		w.crc = crc32.Update(w.crc, castagnoli, block[blockHead:])
		binary.LittleEndian.PutUint32(block[4:], w.crc)
		if err := w.write(block); err != nil {
			return nil, err
		}
		w.longest = max(w.longest, payload)
	}
	// Room for the usual block or for one long record, and never more, whatever the
	// buffer could hold: where blocks end depends on the records alone.
	size := max(w.size, blockHead+need)
	if size > cap(w.buf) {
		w.buf = make([]byte, size)
	}
	return w.buf[:blockHead:size], nil
}
