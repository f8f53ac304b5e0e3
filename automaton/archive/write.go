package archive

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"
)

// WriteTo writes the archive and returns the number of bytes written. The bytes
// depend only on what was added, on the dialects and on the semantics, not on the order of
// Add. The error is ErrLimit, or one of the Store or of out.
func (w *Writer) WriteTo(out io.Writer) (int64, error) {
	counted := &counter{out: out}
	l, err := w.layout(maxBucket)
	if err == nil {
		err = l.write(counted)
	}
	if err != nil {
		return counted.n, fmt.Errorf("archive: %w", err)
	}
	return counted.n, nil
}

// counter counts what is written.
type counter struct {
	out io.Writer
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	c.n += int64(n)
	return n, err
}

// layout is an archive as it will be written.
type layout struct {
	w       *Writer
	header  header
	records []record // sorted by hash, then key
	blobs   []uint32 // the numbers in the Store of the rulesets, in the order in which the records lead to them
	numbers []uint32 // of these numbers, the places in that order
}

// record is one origin.
type record struct {
	hash uint64
	key  string
	entry
}

// layout sorts the records, numbers the rulesets and makes the header, except its checksum.
// No bucket has more than longest records.
func (w *Writer) layout(longest int) (*layout, error) {
	l := &layout{w: w, numbers: slices.Repeat([]uint32{noRuleset}, len(w.lengths))}
	l.header = header{
		Magic: [8]byte([]byte(magic)), Version: version, Semantics: w.semantics,
		Origins: uint32(len(w.origins)),
		Bits:    uint8(min(bits.Len(uint(len(w.origins))), maxBits)), Columns: uint8(len(w.dialects)),
	}
	copy(l.header.Dialects[:], w.dialects)
	if err := l.sort(longest); err != nil {
		return nil, err
	}
	for _, r := range l.records {
		for _, id := range l.rulesetsOf(r) {
			if id != noRuleset && l.numbers[id] == noRuleset {
				l.numbers[id] = uint32(len(l.blobs))
				l.blobs = append(l.blobs, id)
				l.header.BlobsLen += uint64(w.lengths[id])
			}
		}
		l.header.RecordsLen += l.size(r)
	}
	if l.header.RecordsLen > math.MaxUint32 {
		return nil, errTooMany
	}
	l.header.Rulesets = uint32(len(l.blobs))
	l.header.Length = headerLen + (1<<l.header.Bits+1)*4 + (uint64(len(l.blobs))+1)*8 + l.header.RecordsLen + l.header.BlobsLen
	return l, nil
}

// maxSeeds is how many seeds are tried. The first is good unless SHA-256 is broken.
const maxSeeds = 8

// sort chooses the seed of the hash, and sorts the records. The seed is made of all keys, so
// that nobody can choose keys for one bucket: any key changes where all of them are. It does
// not depend on the order of Add.
func (l *layout) sort(longest int) error {
	l.records = make([]record, 0, len(l.w.origins))
	for key, e := range l.w.origins {
		l.records = append(l.records, record{key: key, entry: e})
	}
	slices.SortFunc(l.records, func(x, y record) int { return cmp.Compare(x.key, y.key) })
	sum := sha256.New()
	var buf []byte
	for _, r := range l.records {
		buf = append(binary.AppendUvarint(buf[:0], uint64(len(r.key))), r.key...)
		_, _ = sum.Write(buf) // it never fails
	}
	for range maxSeeds {
		l.header.Seed = le.Uint64(sum.Sum(nil))
		for i := range l.records {
			buf = append(buf[:0], l.records[i].key...)
			l.records[i].hash = hash(l.header.Seed, buf)
		}
		slices.SortFunc(l.records, func(x, y record) int {
			return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.key, y.key))
		})
		if l.longestBucket() <= longest {
			return nil
		}
		_, _ = sum.Write([]byte{0})
	}
	return fmt.Errorf("%w: more than %d keys fall into one bucket", ErrLimit, longest)
}

// bucket returns the number of the bucket of a record.
func (l *layout) bucket(r record) uint64 { return r.hash >> (64 - l.header.Bits) }

func (l *layout) longestBucket() (longest int) {
	n := 0
	for i, r := range l.records {
		if n++; i > 0 && l.bucket(r) != l.bucket(l.records[i-1]) {
			n = 1
		}
		longest = max(longest, n)
	}
	return longest
}

// rulesetsOf returns the rulesets of a record, by their numbers in the Store.
func (l *layout) rulesetsOf(r record) []uint32 {
	columns := len(l.w.dialects)
	return l.w.rulesets[int(r.number)*columns:][:columns]
}

// size returns the length of a record in the file.
func (l *layout) size(r record) uint64 {
	return recordHead + 4*uint64(len(l.w.dialects)) + uint64(len(r.key))
}

// write writes the archive.
func (l *layout) write(out io.Writer) (err error) {
	l.header.Checksum = l.checksum()
	buf := bufio.NewWriterSize(out, 64<<10)
	_, _ = buf.Write(l.head()) // Flush returns the error
	l.index(buf)
	var blob []byte
	for _, id := range l.blobs {
		if blob, err = l.w.Store.Append(blob[:0], int(id)); err != nil {
			return err
		}
		if _, err = buf.Write(blob); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// head returns the bytes of the header.
func (l *layout) head() []byte {
	head, _ := binary.Append(nil, le, l.header) // it has fields of fixed size only
	return head
}

// checksum returns the checksum of header and index.
func (l *layout) checksum() uint32 {
	sum := &crc{checksum(l.head())}
	buf := bufio.NewWriterSize(sum, 64<<10)
	l.index(buf)
	_ = buf.Flush() // it never fails
	return sum.sum
}

// crc is a writer that makes a checksum.
type crc struct{ sum uint32 }

func (c *crc) Write(p []byte) (int, error) {
	c.sum = crc32.Update(c.sum, castagnoli, p)
	return len(p), nil
}

// index writes the index. Flush returns the error of out.
func (l *layout) index(out *bufio.Writer) {
	var buf []byte
	at, next := uint64(0), uint64(0) // the offset of the next record, and the next bucket
	for _, r := range l.records {
		for buf = buf[:0]; next <= l.bucket(r); next++ {
			buf = le.AppendUint32(buf, uint32(at))
		}
		_, _ = out.Write(buf)
		at += l.size(r)
	}
	for ; next <= 1<<l.header.Bits; next++ {
		_, _ = out.Write(le.AppendUint32(buf[:0], uint32(at)))
	}
	at = 0
	_, _ = out.Write(le.AppendUint64(buf[:0], at))
	for _, id := range l.blobs {
		at += uint64(l.w.lengths[id])
		_, _ = out.Write(le.AppendUint64(buf[:0], at))
	}
	for _, r := range l.records {
		buf = le.AppendUint32(buf[:0], uint32(r.hash))
		buf = le.AppendUint16(buf, r.status)
		buf = le.AppendUint16(buf, uint16(len(r.key)))
		for _, id := range l.rulesetsOf(r) {
			if id != noRuleset {
				id = l.numbers[id]
			}
			buf = le.AppendUint32(buf, id)
		}
		_, _ = out.Write(append(buf, r.key...))
	}
}
