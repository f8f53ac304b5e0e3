package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// header is the first bytes of a run that WriteTo writes.
type header struct {
	length  int64
	records int64
	longest int
}

const (
	magic     = "rsvrun1\n"
	headerLen = 32

	// stateBlock is the length of blocks that WriteTo writes. It is the same on all machines, so that the bytes are too.
	stateBlock = 32 << 10
)

func (h header) encode() []byte {
	b := append(make([]byte, 0, headerLen), magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.length))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.records))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.longest))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeHeader reads the header of a run of size bytes.
func decodeHeader(b []byte, size int64) (header, error) {
	if string(b[:len(magic)]) != magic {
		return header{}, errors.New("not a run of records")
	}
	if crc32.Checksum(b[:headerLen-4], castagnoli) != binary.LittleEndian.Uint32(b[headerLen-4:]) {
		return header{}, errors.New("checksum of the header differs")
	}
	length, records := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	longest := binary.LittleEndian.Uint32(b[24:])
	switch {
	case length != uint64(size):
		return header{}, fmt.Errorf("%d bytes, announced are %d", size, length)
	case records > math.MaxInt64, longest > maxPayload:
		return header{}, errors.New("impossible number in the header")
	}
	return header{size, int64(records), int(longest)}, nil
}

// WriteTo writes all records as one run, and returns the number of bytes written. The same records make the same bytes. It
// merges twice, because the length comes first. Its errors are those of All and of w.
func (s *Sorter) WriteTo(w io.Writer) (written int64, err error) {
	h := header{length: headerLen}
	h.records, h.longest, err = s.writeBlocks(func(block []byte) error {
		h.length += int64(len(block))
		return nil
	})
	if err != nil {
		return 0, err
	}
	write := func(b []byte) error {
		n, err := w.Write(b)
		written += int64(n)
		if err != nil {
			return fmt.Errorf("spill: writing records: %w", err)
		}
		return nil
	}
	if err := write(h.encode()); err != nil {
		return written, err
	}
	if _, _, err := s.writeBlocks(write); err != nil {
		return written, err
	}
	if written != h.length {
		return written, errors.New("spill: records were added while they were written")
	}
	return written, nil
}

// writeBlocks writes the blocks of all records.
func (s *Sorter) writeBlocks(write func(block []byte) error) (records int64, longest int, err error) {
	m, err := s.gather()
	if err != nil {
		return 0, 0, err
	}
	w := blockWriter{size: stateBlock, write: write}
	records, err = w.writeAll(m)
	return records, w.longest, err
}

// AddSaved adds the records of a run that WriteTo has written: the size bytes of r from off on. They are not copied, but read
// from r whenever all records are read: r must stay readable and unchanged until Close, for several goroutines if several read.
// An error says what is wrong with the header; damage behind it is found when it is read.
func (s *Sorter) AddSaved(r io.ReaderAt, off, size int64) error {
	if off < 0 || size < headerLen || off > math.MaxInt64-size {
		return fmt.Errorf("spill: saved run: %d bytes from %d on cannot be one", size, off)
	}
	var b [headerLen]byte
	if err := readAt(r, b[:], off); err != nil {
		return fmt.Errorf("spill: saved run: header: %w", err)
	}
	h, err := decodeHeader(b[:], size)
	if err != nil {
		return fmt.Errorf("spill: saved run: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.disk = append(s.disk, &run{records: h.records, r: r, off: off + headerLen, end: off + size, longest: h.longest, saved: true})
	return nil
}
