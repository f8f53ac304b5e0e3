package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
)

// footer is the last bytes of a run that WriteRun writes.
type footer struct {
	length  int64
	records int64
	longest int
}

const (
	magic     = "rsvrun1\n"
	footerLen = 32

	// stateBlock is the length of blocks that WriteRun writes. It is the same on all machines, so that
	// the output is, too.
	stateBlock = 32 << 10
)

func (f footer) encode() []byte {
	b := append(make([]byte, 0, footerLen), magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.length))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.records))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.longest))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeFooter decodes the footer of a run of size bytes.
func decodeFooter(b []byte, size int64) (footer, error) {
	if string(b[:len(magic)]) != magic {
		return footer{}, errors.New("not a run of records")
	}
	if crc32.Checksum(b[:footerLen-4], castagnoli) != binary.LittleEndian.Uint32(b[footerLen-4:]) {
		return footer{}, errors.New("checksum of the footer differs")
	}
	length, records := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	longest := binary.LittleEndian.Uint32(b[24:])
	switch {
	case length != uint64(size):
		return footer{}, fmt.Errorf("%d bytes, and not %d as it says", size, length)
	case records > math.MaxInt64, longest > maxPayload:
		return footer{}, errors.New("impossible number in the footer")
	}
	return footer{size, int64(records), int(longest)}, nil
}

// WriteRun writes sorted records, such as those of All, as one run, and returns the number of bytes written. The same
// records give the same bytes. It returns errors of the list and of w.
func WriteRun(w io.Writer, list iter.Seq2[Record, error]) (written int64, err error) {
	write := func(b []byte) error {
		n, err := w.Write(b)
		written += int64(n)
		if err != nil {
			return fmt.Errorf("spill: writing records: %w", err)
		}
		return nil
	}
	blocks, records, last := blockWriter{size: stateBlock, write: write}, int64(0), []byte{}
	for r, err := range list {
		if err == nil {
			err = blocks.add(r.Data, common(last, r.Data, 0), r.N)
		}
		if err != nil {
			return written, err
		}
		last = append(last[:0], r.Data...)
		records++
	}
	if err := blocks.flush(); err != nil {
		return written, err
	}
	return written, write(footer{written + footerLen, records, blocks.longest}.encode())
}

// AddSaved adds the records of a run written by WriteRun: the size bytes of r from off on. They
// aren't copied, but read from r whenever all records are read. r must stay readable and unchanged
// until Close, and be safe for concurrent use if several goroutines read. AddSaved checks the
// footer; damage before it is found during reading.
func (s *Sorter) AddSaved(r io.ReaderAt, off, size int64) error {
	if off < 0 || size < footerLen || off > math.MaxInt64-size {
		return fmt.Errorf("spill: saved run: %d bytes from %d on cannot be one", size, off)
	}
	var b [footerLen]byte
	end := off + size - footerLen
	if err := readAt(r, b[:], end); err != nil {
		return fmt.Errorf("spill: saved run: footer: %w", err)
	}
	f, err := decodeFooter(b[:], size)
	if err != nil {
		return fmt.Errorf("spill: saved run: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.disk = append(s.disk, &run{records: f.records, r: r, off: off, end: end, longest: f.longest, saved: true})
	return nil
}
