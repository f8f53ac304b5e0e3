package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// Writer collects origins and writes them as an archive. The zero value is not
// usable: call NewWriter. It keeps the encoded rulesets, each distinct one once,
// and none that it was given but the last. It belongs to one goroutine.
type Writer struct {
	dialects []automaton.Dialect
	keys     map[string]struct{}
	records  []record
	blobs    map[string]uint32 // encoded rulesets and their numbers, in the order of coming
	encoder  *encoder
	last     []*automaton.Ruleset // of the last origin, which often are those of the next
	lastIDs  []uint32
}

// record is one origin.
type record struct {
	hash     uint64
	key      string
	status   uint16
	rulesets []uint32 // of each dialect
}

var (
	errTwice   = errors.New("the same origin twice")
	errLongKey = fmt.Errorf("key longer than %d bytes", maxKey)
	errCount   = errors.New("not a ruleset for each dialect")
	errDialect = errors.New("ruleset of another dialect")
	errTooMany = errors.New("more origins than an archive can hold")
)

// NewWriter returns a writer for rulesets of these dialects. It refuses none,
// unknown ones, and one twice.
func NewWriter(dialects ...automaton.Dialect) (*Writer, error) {
	if len(dialects) == 0 || len(dialects) > maxDialects {
		return nil, fmt.Errorf("archive: %d dialects; it can hold 1 to %d", len(dialects), maxDialects)
	}
	for i, d := range dialects {
		if !known(d) || slices.Contains(dialects[:i], d) {
			return nil, fmt.Errorf("archive: %v is unknown or there twice", d)
		}
	}
	return &Writer{
		dialects: slices.Clone(dialects), keys: map[string]struct{}{}, blobs: map[string]uint32{}, encoder: newEncoder(),
		last: make([]*automaton.Ruleset, len(dialects)), lastIDs: make([]uint32, len(dialects)),
	}, nil
}

// Add adds an origin with its rulesets in the order of the dialects, any of which
// may be nil. It keeps none of its arguments past the next call. It is fast where
// origins that share their rulesets come one after the other. After an error the
// origin is not in the archive, and others can be added.
func (w *Writer) Add(key []byte, status uint16, rulesets ...*automaton.Ruleset) error {
	if err := w.add(key, status, rulesets); err != nil {
		return fmt.Errorf("archive: origin %q: %w", key[:min(len(key), 300)], err)
	}
	return nil
}

func (w *Writer) add(key []byte, status uint16, rulesets []*automaton.Ruleset) error {
	switch _, there := w.keys[string(key)]; {
	case there:
		return errTwice
	case len(key) > maxKey:
		return errLongKey
	case len(rulesets) != len(w.dialects):
		return errCount
	case uint64(len(w.records)) >= math.MaxUint32:
		return errTooMany
	}
	for i, r := range rulesets {
		if r != nil && r.Dialect() != w.dialects[i] {
			return errDialect
		}
	}
	ids := make([]uint32, len(rulesets))
	for i, r := range rulesets {
		var err error
		if ids[i], err = w.number(i, r); err != nil {
			return err
		}
	}
	r := record{hash: hash(key), key: string(key), status: status, rulesets: ids}
	w.keys[r.key] = struct{}{}
	w.records = append(w.records, r)
	return nil
}

// number returns the number of a ruleset of the i-th dialect.
func (w *Writer) number(i int, r *automaton.Ruleset) (uint32, error) {
	if r == nil {
		return noRuleset, nil
	}
	if r == w.last[i] {
		return w.lastIDs[i], nil
	}
	blob := w.encoder.encode(r)
	id, there := w.blobs[string(blob)]
	if !there {
		if uint64(len(w.blobs)) == noRuleset {
			return 0, errTooMany
		}
		id = uint32(len(w.blobs))
		w.blobs[string(blob)] = id
	}
	w.last[i], w.lastIDs[i] = r, id
	return id, nil
}

// Len returns the number of origins added.
func (w *Writer) Len() int { return len(w.records) }

// Rulesets returns the number of distinct rulesets added, those of several
// dialects counted apart.
func (w *Writer) Rulesets() int { return len(w.blobs) }

// WriteTo writes the archive and returns the number of bytes written. The bytes
// depend only on what was added and on the dialects, not on the order of Add.
func (w *Writer) WriteTo(out io.Writer) (int64, error) {
	head, blobs, err := w.layout()
	if err != nil {
		return 0, fmt.Errorf("archive: %w", err)
	}
	var written int64
	for _, part := range append([][]byte{head}, blobs...) {
		n, err := out.Write(part)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("archive: %w", err)
		}
	}
	return written, nil
}

// layout returns header and index, and the rulesets in their order: that in
// which sorted records lead to them.
func (w *Writer) layout() (head []byte, blobs [][]byte, err error) {
	slices.SortFunc(w.records, func(x, y record) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.key, y.key))
	})
	bucketBits := min(bits.Len(uint(len(w.records))), maxBits)
	buckets := make([]byte, 0, 4*(1<<bucketBits+1))
	numbers, blobs := w.renumber()
	var records []byte
	for _, r := range w.records {
		for len(buckets) <= 4*int(r.hash>>(64-bucketBits)) {
			buckets = le.AppendUint32(buckets, uint32(len(records)))
		}
		records = le.AppendUint32(records, uint32(r.hash))
		records = le.AppendUint16(records, r.status)
		records = le.AppendUint16(records, uint16(len(r.key)))
		for _, id := range r.rulesets {
			if id != noRuleset {
				id = numbers[id]
			}
			records = le.AppendUint32(records, id)
		}
		records = append(records, r.key...)
		if uint64(len(records)) > math.MaxUint32 {
			return nil, nil, errTooMany
		}
	}
	for len(buckets) < 4*(1<<bucketBits+1) {
		buckets = le.AppendUint32(buckets, uint32(len(records)))
	}
	return w.head(bucketBits, buckets, records, blobs), blobs, nil
}

// renumber returns the final number of each ruleset by its first, and the
// rulesets by their final numbers.
func (w *Writer) renumber() (numbers []uint32, blobs [][]byte) {
	byFirst := make([]string, len(w.blobs))
	for blob, id := range w.blobs {
		byFirst[id] = blob
	}
	numbers = slices.Repeat([]uint32{noRuleset}, len(w.blobs))
	for _, r := range w.records {
		for _, id := range r.rulesets {
			if id != noRuleset && numbers[id] == noRuleset {
				numbers[id] = uint32(len(blobs))
				blobs = append(blobs, bytesOf(byFirst[id]))
			}
		}
	}
	return numbers, blobs
}

// head writes header and index.
func (w *Writer) head(bucketBits int, buckets, records []byte, blobs [][]byte) []byte {
	offsets := make([]byte, 0, 8*(len(blobs)+1))
	end := uint64(0)
	for _, blob := range blobs {
		offsets = le.AppendUint64(offsets, end)
		end += uint64(len(blob))
	}
	offsets = le.AppendUint64(offsets, end)
	header := make([]byte, headerLen)
	copy(header, magic)
	le.PutUint32(header[atVersion:], version)
	le.PutUint64(header[atLength:], uint64(headerLen+len(buckets)+len(offsets)+len(records))+end)
	le.PutUint32(header[atOrigins:], uint32(len(w.records)))
	le.PutUint32(header[atRulesets:], uint32(len(blobs)))
	header[atBits] = byte(bucketBits)
	header[atColumns] = byte(len(w.dialects))
	for i, d := range w.dialects {
		header[atDialects+i] = byte(d)
	}
	le.PutUint64(header[atRecordsLen:], uint64(len(records)))
	le.PutUint64(header[atBlobsLen:], end)
	head := bytes.Join([][]byte{header, buckets, offsets, records}, nil)
	le.PutUint32(head[atChecksum:], checksum(head))
	return head
}
