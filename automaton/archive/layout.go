package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/release"
)

// WriteTo writes the archive and returns the number of bytes written. The output depends only on
// the entries, the dialects, automaton.Semantics and the release, not on the order of calls to Add.
// The error is ErrDuplicate, ErrLimit, or comes from a Sorter or from out.
func (w *Writer) WriteTo(out io.Writer) (n int64, err error) {
	counted := &counter{out: out}
	w.open()
	l := &layout{w: w, header: w.header()}
	if err = l.arrange(maxBucket); err == nil {
		err = l.write(counted, maxBucket)
	}
	if err = cmp.Or(err, l.close()); err != nil {
		return counted.n, fmt.Errorf("archive: %w", err)
	}
	w.written = l.counts
	return counted.n, nil
}

// header returns a header with the fields that are known from the beginning.
func (w *Writer) header() header {
	columns := w.dialects
	if w.hasVia {
		columns = append(slices.Clip(columns), via)
	}
	h := header{
		Magic: [8]byte([]byte(magic)), Version: version, Semantics: automaton.Semantics, Columns: uint8(len(columns)),
	}
	copy(h.Dialects[:], columns)
	copy(h.Program[:], release.Number)
	return h
}

// counter counts the bytes written.
type counter struct {
	out io.Writer
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	c.n += int64(n)
	return n, err
}

// layout is an archive that is ready to be written.
type layout struct {
	w         *Writer
	header    header
	counts    counts
	numbers   []uint32 // archive numbers of blobs, by the numbers under which they were added
	lengths   []uint32 // of the blobs
	records   Sorter   // each preceded by its hash; nil before it is made
	buckets   Sorter   // of each group, preceded by its place in the directory; likewise
	directory []byte
}

// arrange numbers the blobs, sorts the records, and makes the directory and the header without its
// checksum. No bucket may have more than longest records.
func (l *layout) arrange(longest int) error {
	var numbering error
	var blobs sync.WaitGroup
	blobs.Go(func() { numbering = l.numberBlobs() })
	err := l.readKeys()
	blobs.Wait()
	if err = cmp.Or(numbering, err); err != nil {
		return err
	}
	l.header.Bits = uint8(min(bits.Len64(uint64(l.counts.origins)), maxBits))
	if err := l.sortRecords(); err != nil {
		return err
	}
	if err := l.makeDirectory(longest); err != nil {
		return err
	}
	l.header.Origins, l.header.Blobs = uint32(l.counts.origins), uint32(len(l.lengths))
	l.header.Length = headerLen + l.header.directoryLen() + l.header.offsetsLen() + l.header.bucketsLen() +
		l.header.RecordsLen + l.header.BlobsLen
	return nil
}

var errBucket = fmt.Errorf("%w: too many keys fall into one bucket", ErrLimit)

// A blob is an encoded ruleset or a text of Entry.Via.
//
// The records of the Sorter of blobs begin with the SHA-256 of the blob. This is followed either by byte 0 and a
// number under which the blob was added, or by byte 1, the number of a piece of the blob, and the piece. All
// numbers are big-endian.
const (
	pieceLen  = 16 << 10
	numberMid = 0
	pieceMid  = 1
	atNumber  = sha256.Size + 1
	atPiece   = atNumber + 4
)

func (w *Writer) addBlob(digest [sha256.Size]byte, id uint32, blob []byte) error {
	be := binary.BigEndian
	w.record = be.AppendUint32(append(append(w.record[:0], digest[:]...), numberMid), id)
	if err := w.blobs.Add(w.record); err != nil {
		return err
	}
	n := uint32(0)
	for piece := range slices.Chunk(blob, pieceLen) {
		w.record = be.AppendUint32(append(append(w.record[:0], digest[:]...), pieceMid), n)
		if err := w.blobs.Add(append(w.record, piece...)); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (l *layout) numberBlobs() error {
	l.numbers, l.lengths = make([]uint32, l.w.added), make([]uint32, 0, l.w.added)
	var before, piece []byte
	for r, err := range l.w.blobs.All() {
		switch {
		case err != nil:
			return err
		case r[sha256.Size] == numberMid:
			if !bytes.Equal(r[:sha256.Size], before) {
				before = append(before[:0], r[:sha256.Size]...)
				l.lengths = append(l.lengths, checksumLen)
				l.header.BlobsLen += checksumLen
				piece = piece[:0]
			}
			l.numbers[binary.BigEndian.Uint32(r[atNumber:])] = uint32(len(l.lengths) - 1)
		case !bytes.Equal(r[:atPiece], piece):
			piece = append(piece[:0], r[:atPiece]...)
			l.lengths[len(l.lengths)-1] += uint32(len(r) - atPiece)
			l.header.BlobsLen += uint64(len(r) - atPiece)
		}
	}
	l.counts.blobs = int64(len(l.lengths))
	return nil
}

func (l *layout) writeBlobs(out *bufio.Writer) error {
	number := uint32(0)
	var blob, piece []byte
	end := func() {
		if blob != nil {
			_, _ = out.Write(le.AppendUint32(nil, blobChecksum(number, blob)))
			_, _ = out.Write(blob) // Flush returns the error
			number++
		}
	}
	for r, err := range l.w.blobs.All() {
		switch {
		case err != nil:
			return err
		case r[sha256.Size] != pieceMid || bytes.Equal(r[:atPiece], piece):
			continue
		case binary.BigEndian.Uint32(r[atNumber:]) == 0:
			end()
			blob = blob[:0]
		}
		piece = append(piece[:0], r[:atPiece]...)
		blob = append(blob, r[atPiece:]...)
	}
	end()
	return nil
}

// answer is an origin's answer from an instant on.
type answer struct {
	from   int64
	status uint16
	blobs  []uint32 // blob numbers, in the order of the columns
}

// same reports whether two answers are equal except for the instant.
func (a answer) same(b answer) bool {
	return a.status == b.status && slices.Equal(a.blobs, b.blobs)
}

// Each record of the Sorter of origins holds the length of the key, the key, the instant, the status and the
// numbers of the added blobs, all big-endian. So keys sort by length, then by bytes, and the versions of each by
// instant.

func appendKey(dst []byte, key string) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(key))), key...)
}

func appendAnswer(dst []byte, a answer) []byte {
	be := binary.BigEndian
	dst = be.AppendUint16(be.AppendUint64(dst, uint64(a.from)^1<<63), a.status)
	for _, id := range a.blobs {
		dst = be.AppendUint32(dst, id)
	}
	return dst
}

// readAnswer reads an answer and replaces its blob numbers by the archive's.
func (l *layout) readAnswer(b []byte, blobs []uint32) answer {
	be := binary.BigEndian
	a := answer{from: int64(be.Uint64(b) ^ 1<<63), status: be.Uint16(b[dateLen:]), blobs: blobs[:0]}
	for b = b[dateLen+statusLen:]; len(b) > 0; b = b[4:] {
		id := be.Uint32(b)
		if id != noBlob {
			id = l.numbers[id]
		}
		a.blobs = append(a.blobs, id)
	}
	a.blobs = a.blobs[:l.header.Columns]
	return a
}

// readKeys counts the origins and derives the seed from all their keys. Nobody can choose keys that share a bucket,
// since any key affects the placement of all.
func (l *layout) readKeys() error {
	keys := sha256.New()
	var before, buf []byte
	for r, err := range l.w.origins.All() {
		if err != nil {
			return err
		}
		key := keyOf(r)
		if l.counts.origins > 0 && bytes.Equal(key, before) {
			continue
		}
		if l.counts.origins == math.MaxUint32 {
			return errTooMany
		}
		l.counts.origins++
		before = append(before[:0], key...)
		buf = append(binary.AppendUvarint(buf[:0], uint64(len(key))), key...)
		_, _ = keys.Write(buf) // it never fails
	}
	l.header.Seed = le.Uint64(keys.Sum(nil))
	return nil
}

// keyOf returns the key of a record of the Sorter of origins.
func keyOf(r []byte) []byte { return r[2:][:binary.BigEndian.Uint16(r)] }

// sortRecords sorts the records of the file by the hashes of their keys, then by their bytes.
func (l *layout) sortRecords() error {
	if err := l.close(); err != nil {
		return err
	}
	l.records = l.w.NewSorter(false)
	l.counts.versions, l.counts.dropped = 0, 0
	var o collected
	for r, err := range l.w.origins.All() {
		if err != nil {
			return err
		}
		if key := keyOf(r); len(o.versions) == 0 || !bytes.Equal(key, o.key) {
			if err := l.addRecord(&o); err != nil {
				return err
			}
			o.key, o.versions = append(o.key[:0], key...), o.versions[:0]
		}
		a := l.readAnswer(r[2+len(o.key):], o.spare)
		o.spare = a.blobs
		if err := o.add(a); err != nil {
			return err
		}
	}
	return l.addRecord(&o)
}

// collected is an origin with the versions read so far.
type collected struct {
	key      []byte
	versions []answer
	spare    []uint32
	record   []byte
	dropped  int64 // the oldest versions, dropped because there were too many
}

// add appends a version unless it repeats the last one.
func (o *collected) add(a answer) error {
	if n := len(o.versions); n > 0 {
		last := o.versions[n-1]
		switch {
		case a.same(last):
			return nil
		case a.from == last.from:
			return fmt.Errorf("%w: %q", ErrDuplicate, o.key[:min(len(o.key), 300)])
		case n == 2*maxVersions:
			o.dropped += maxVersions
			o.versions = o.versions[:copy(o.versions, o.versions[maxVersions:])]
		}
	}
	a.blobs = slices.Clone(a.blobs)
	o.versions = append(o.versions, a)
	return nil
}

// addRecord adds the record of an origin, if it has versions.
func (l *layout) addRecord(o *collected) error {
	if len(o.versions) == 0 {
		return nil
	}
	newest := o.versions[max(len(o.versions)-maxVersions, 0):]
	l.counts.dropped += o.dropped + int64(len(o.versions)-len(newest))
	l.counts.versions += int64(len(newest))
	o.dropped = 0
	h := hash(l.header.Seed, o.key)
	b := binary.BigEndian.AppendUint64(o.record[:0], h)
	b = le.AppendUint32(b, uint32(h))
	if only := newest[0]; len(newest) == 1 && only.from == math.MinInt64 {
		b = le.AppendUint16(le.AppendUint16(b, only.status), uint16(len(o.key)))
		o.record = append(appendNumbers(b, only.blobs), o.key...)
		return l.records.Add(o.record)
	}
	b = le.AppendUint16(le.AppendUint16(b, dated|uint16(len(newest))), uint16(len(o.key)))
	b = append(b, o.key...)
	for _, v := range newest {
		b = le.AppendUint16(le.AppendUint64(b, uint64(v.from)), v.status)
		b = appendNumbers(b, v.blobs)
	}
	o.record = b
	return l.records.Add(b)
}

func appendNumbers(dst []byte, numbers []uint32) []byte {
	for _, n := range numbers {
		dst = le.AppendUint32(dst, n)
	}
	return dst
}

// groups yields the groups of the index in order, each valid until the next iteration. No bucket
// may have more than longest records.
func (l *layout) groups(longest int) iter.Seq2[*group, error] {
	return func(yield func(*group, error) bool) {
		groups, buckets := l.header.groups()
		g := newGroup(buckets)
		next := 0 // the number of the group
		for r, err := range l.records.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			bucket := int(binary.BigEndian.Uint64(r) >> (64 - l.header.Bits))
			for ; next < bucket/buckets; next++ {
				if !yield(g.ended(), nil) {
					return
				}
				g.reset()
			}
			if g.add(bucket%buckets, r[8:]) > longest {
				yield(nil, errBucket)
				return
			}
		}
		for ; next < groups; next++ {
			if !yield(g.ended(), nil) {
				return
			}
			g.reset()
		}
	}
}

// group collects a group, bucket by bucket.
type group struct {
	at      uint64 // offset of its first record
	buckets []byte // the offsets of its buckets, and the end of the last
	last    int    // the bucket of the last record
	inLast  int    // number of records in it
	records []byte
}

func newGroup(buckets int) *group {
	return &group{buckets: make([]byte, (buckets+1)*bucketLen)}
}

// reset begins the next group.
func (g *group) reset() {
	g.at += uint64(len(g.records))
	g.records, g.last, g.inLast = g.records[:0], 0, 0
	le.PutUint32(g.buckets, uint32(g.at))
}

// begin records that all buckets up to the given one begin here.
func (g *group) begin(bucket int) {
	for ; g.last < bucket; g.inLast = 0 {
		g.last++
		le.PutUint32(g.buckets[bucketLen*g.last:], uint32(g.at+uint64(len(g.records))))
	}
}

// add adds a record and returns the number of records in its bucket.
func (g *group) add(bucket int, record []byte) int {
	g.begin(bucket)
	g.records = append(g.records, record...)
	g.inLast++
	return g.inLast
}

func (g *group) ended() *group {
	g.begin(len(g.buckets)/bucketLen - 1)
	return g
}

func (l *layout) makeDirectory(longest int) error {
	l.directory, l.header.RecordsLen = l.directory[:0], 0
	l.buckets = l.w.NewSorter(false)
	var record []byte
	for g, err := range l.groups(longest) {
		if err != nil {
			return err
		}
		record = binary.BigEndian.AppendUint64(record[:0], uint64(len(l.directory)))
		record = append(record, g.buckets[:len(g.buckets)-bucketLen]...) // the end is the beginning of the next group
		if err := l.buckets.Add(record); err != nil {
			return err
		}
		l.directory = le.AppendUint32(le.AppendUint64(l.directory, g.at), groupChecksum(g.buckets, g.records))
		l.header.RecordsLen += uint64(len(g.records))
	}
	l.directory = le.AppendUint32(le.AppendUint64(l.directory, l.header.RecordsLen), 0)
	return nil
}

// write writes the archive. No bucket may have more than longest records.
func (l *layout) write(out io.Writer, longest int) error {
	l.header.Checksum = checksum(l.head(), l.directory)
	buf := bufio.NewWriterSize(out, 64<<10)
	_, _ = buf.Write(l.head()) // Flush returns the error
	_, _ = buf.Write(l.directory)
	at := uint64(0)
	for _, n := range l.lengths {
		_, _ = buf.Write(le.AppendUint64(nil, at))
		at += uint64(n)
	}
	_, _ = buf.Write(le.AppendUint64(nil, at))
	for r, err := range l.buckets.All() {
		if err != nil {
			return err
		}
		_, _ = buf.Write(r[8:])
	}
	_, _ = buf.Write(le.AppendUint32(nil, uint32(l.header.RecordsLen)))
	for g, err := range l.groups(longest) {
		if err != nil {
			return err
		}
		if _, err := buf.Write(g.records); err != nil {
			return err
		}
	}
	if err := l.writeBlobs(buf); err != nil {
		return err
	}
	return buf.Flush()
}

// head returns the bytes of the header.
func (l *layout) head() []byte {
	head, _ := binary.Append(nil, le, l.header) // it has fields of fixed size only
	return head
}

// close frees the sorted records and buckets.
func (l *layout) close() (err error) {
	for _, s := range []Sorter{l.records, l.buckets} {
		if s != nil {
			err = cmp.Or(err, s.Close())
		}
	}
	l.records, l.buckets = nil, nil
	return err
}
