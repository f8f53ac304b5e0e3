package archive

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// Writer collects origins and writes them as an archive. The zero value is not
// usable: call NewWriter. It keeps the encoded rulesets, each distinct one once. Of the
// rulesets that it was given it keeps the last of each dialect. It belongs to one goroutine.
type Writer struct {
	dialects []automaton.Dialect
	keys     map[string]struct{}
	records  []record
	blobs    map[string]uint32 // encoded rulesets and their numbers, in the order of coming
	encoder  *encoder
	last     []*automaton.Ruleset // of the last origin, which often are those of the next
	lastIDs  []uint32
}

var errTooMany = fmt.Errorf("%w: too many origins or rulesets", ErrLimit)

// record is one origin.
type record struct {
	hash     uint64
	key      string
	status   uint16
	rulesets []uint32 // of each dialect
}

// NewWriter returns a writer for rulesets of these dialects. Its error is ErrLimit for
// none or too many, ErrDialect for one that is unknown or there twice.
func NewWriter(dialects ...automaton.Dialect) (*Writer, error) {
	if len(dialects) == 0 || len(dialects) > maxDialects {
		return nil, fmt.Errorf("archive: %w: %d dialects instead of 1 to %d", ErrLimit, len(dialects), maxDialects)
	}
	for i, d := range dialects {
		if !d.Known() || slices.Contains(dialects[:i], d) {
			return nil, fmt.Errorf("archive: %w: %v is unknown or there twice", ErrDialect, d)
		}
	}
	return &Writer{
		dialects: slices.Clone(dialects), keys: map[string]struct{}{}, blobs: map[string]uint32{}, encoder: newEncoder(),
		last: make([]*automaton.Ruleset, len(dialects)), lastIDs: make([]uint32, len(dialects)),
	}, nil
}

// Add adds an origin with its rulesets in the order of the dialects, any of which may be
// nil. It keeps no view of key. It is fast where origins that share their rulesets come one
// after the other. Its error is ErrDuplicate, ErrDialect or ErrLimit; the origin is then not
// in the archive, and others can be added.
func (w *Writer) Add(key []byte, status uint16, rulesets ...*automaton.Ruleset) error {
	if err := w.add(key, status, rulesets); err != nil {
		return fmt.Errorf("archive: origin %q: %w", key[:min(len(key), 300)], err)
	}
	return nil
}

func (w *Writer) add(key []byte, status uint16, rulesets []*automaton.Ruleset) error {
	switch _, there := w.keys[string(key)]; {
	case there:
		return ErrDuplicate
	case len(key) > maxKey:
		return fmt.Errorf("%w: a key longer than %d bytes", ErrLimit, maxKey)
	case len(rulesets) != len(w.dialects):
		return fmt.Errorf("%w: %d rulesets, not one for each dialect", ErrDialect, len(rulesets))
	case uint64(len(w.records)) >= math.MaxUint32:
		return errTooMany
	}
	r := record{hash: hash(key), key: string(key), status: status, rulesets: make([]uint32, len(rulesets))}
	for i, ruleset := range rulesets {
		if ruleset != nil && ruleset.Dialect() != w.dialects[i] {
			return fmt.Errorf("%w: a ruleset of another dialect than %v", ErrDialect, w.dialects[i])
		}
	}
	for i, ruleset := range rulesets {
		var err error
		if r.rulesets[i], err = w.number(i, ruleset); err != nil {
			return err
		}
	}
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
	for _, part := range append([]string{view(head)}, blobs...) {
		n, err := io.WriteString(out, part)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("archive: %w", err)
		}
	}
	return written, nil
}

// layout returns header and index, and the rulesets in the order in which the sorted
// records lead to them. It is long because it makes one file from its end to its header.
func (w *Writer) layout() (head []byte, blobs []string, err error) {
	slices.SortFunc(w.records, func(x, y record) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.key, y.key))
	})
	added := make([]string, len(w.blobs)) // the rulesets in the order of Add
	for blob, id := range w.blobs {
		added[id] = blob
	}
	numbers := slices.Repeat([]uint32{noRuleset}, len(added)) // of these, in the file
	bucketBits := min(bits.Len(uint(len(w.records))), maxBits)
	buckets := make([]byte, 0, 4*(1<<bucketBits+1))
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
				if numbers[id] == noRuleset {
					numbers[id] = uint32(len(blobs))
					blobs = append(blobs, added[id])
				}
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
	end := uint64(0)
	offsets := le.AppendUint64(nil, end)
	for _, blob := range blobs {
		end += uint64(len(blob))
		offsets = le.AppendUint64(offsets, end)
	}
	h := header{
		Magic: [8]byte([]byte(magic)), Version: version,
		Length:  uint64(headerLen+len(buckets)+len(offsets)+len(records)) + end,
		Origins: uint32(len(w.records)), Rulesets: uint32(len(blobs)),
		Bits: uint8(bucketBits), Columns: uint8(len(w.dialects)),
		RecordsLen: uint64(len(records)), BlobsLen: end,
	}
	copy(h.Dialects[:], w.dialects)
	if head, err = binary.Append(nil, le, h); err != nil {
		return nil, nil, err
	}
	head = slices.Concat(head, buckets, offsets, records)
	le.PutUint32(head[atChecksum:], checksum(head))
	return head, blobs, nil
}
