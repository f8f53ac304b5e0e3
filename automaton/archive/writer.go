package archive

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// Writer collects origins and writes them as an archive. Use NewWriter; the zero value is not usable. Origins and
// blobs are kept in sorters. The Writer also takes eight bytes of memory per blob and a quarter of a byte per
// origin, and keeps the last ruleset of each dialect. It belongs to one goroutine.
type Writer struct {
	// NewSorter makes an empty Sorter, for long records, such as rulesets, or for others of about a hundred bytes, which
	// are not worth compressing. The default is an unlimited sorter in memory. It must be set before the first Add.
	// WriteTo uses four sorters at a time.
	NewSorter func(long bool) Sorter

	dialects []automaton.Dialect
	hasVia   bool   // a version has a text for Entry.Via
	origins  Sorter // nil before the first Add
	blobs    Sorter // encoded rulesets and texts of Entry.Via
	added    uint64 // number of blobs added, including duplicates
	encoder  *encoder
	last     []*automaton.Ruleset // of the last origin, often shared by the next
	lastIDs  []uint32
	recent   map[[sha256.Size]byte]uint32 // blobs that need not be added again
	record   []byte                       // reused

	written counts
}

// counts are the totals of what a Writer has written.
type counts struct{ origins, blobs, versions, dropped int64 }

var errTooMany = fmt.Errorf("%w: too many origins or rulesets", ErrLimit)

// NewWriter returns a Writer for rulesets in the given dialects. The error is ErrLimit for no or
// too many dialects, and ErrDialect for an unknown or duplicate one.
func NewWriter(dialects ...automaton.Dialect) (*Writer, error) {
	if len(dialects) == 0 || len(dialects) >= maxDialects {
		return nil, fmt.Errorf("archive: %w: %d dialects instead of 1 to %d", ErrLimit, len(dialects), maxDialects-1)
	}
	for i, d := range dialects {
		if !d.Known() || slices.Contains(dialects[:i], d) {
			return nil, fmt.Errorf("archive: %w: %v is unknown or listed twice", ErrDialect, d)
		}
	}
	return &Writer{
		NewSorter: func(bool) Sorter { return &memory{} },
		dialects:  slices.Clone(dialects), encoder: newEncoder(),
		last: make([]*automaton.Ruleset, len(dialects)), lastIDs: make([]uint32, len(dialects)),
		recent: map[[sha256.Size]byte]uint32{},
	}, nil
}

// Add adds an origin with its rulesets, in the order of the dialects; any of them may be nil. They are always in
// force, unless AddVersion adds others for later instants. Add is fastest if origins that share rulesets are added
// one after the other. The error is ErrDialect, ErrLimit, or comes from a Sorter. After an error from a Sorter
// nothing more can be added; after any other error only this origin is missing.
func (w *Writer) Add(key string, status uint16, rulesets ...*automaton.Ruleset) error {
	return w.AddVersion(key, math.MinInt64, status, "", rulesets...)
}

// AddVersion is Add for the answer that holds from an instant on, in Unix seconds, until the next version of the
// origin; via is Entry.Via. Versions may be added in any order. A version that repeats its predecessor is dropped.
// The archive keeps the 16,384 newest versions of an origin; Versions counts the others.
func (w *Writer) AddVersion(key string, from int64, status uint16, via string, rulesets ...*automaton.Ruleset) error {
	if err := w.add(key, from, status, via, rulesets); err != nil {
		return fmt.Errorf("archive: origin %q: %w", key[:min(len(key), 300)], err)
	}
	return nil
}

func (w *Writer) add(key string, from int64, status uint16, via string, rulesets []*automaton.Ruleset) error {
	switch {
	case len(key) > maxKey:
		return fmt.Errorf("%w: a key longer than %d bytes", ErrLimit, maxKey)
	case status > maxStatus:
		return fmt.Errorf("%w: status %d is above %d", ErrLimit, status, maxStatus)
	case len(rulesets) != len(w.dialects):
		return fmt.Errorf("%w: %d rulesets, not one for each dialect", ErrDialect, len(rulesets))
	}
	for i, ruleset := range rulesets {
		if ruleset != nil && ruleset.Dialect() != w.dialects[i] {
			return fmt.Errorf("%w: a ruleset of another dialect than %v", ErrDialect, w.dialects[i])
		}
	}
	w.open()
	ids := make([]uint32, 0, maxDialects)
	for i, ruleset := range rulesets {
		id, err := w.number(i, ruleset)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	through := uint32(noBlob)
	if via != "" {
		w.hasVia = true
		var err error
		if through, err = w.numberBlob([]byte(via)); err != nil {
			return err
		}
	}
	ids = append(ids, through)
	w.record = appendAnswer(appendKey(w.record[:0], key), answer{from, status, ids})
	return w.origins.Add(w.record)
}

// open makes the sorters.
func (w *Writer) open() {
	if w.origins == nil {
		w.origins, w.blobs = w.NewSorter(false), w.NewSorter(true)
	}
}

// maxRecent is the number of added blobs that are remembered. Beyond that, equal blobs may be in the Sorter
// repeatedly, but only once in the archive.
const maxRecent = 1 << 15

// number returns the number under which a ruleset of the i-th dialect was added.
func (w *Writer) number(i int, r *automaton.Ruleset) (uint32, error) {
	if r == nil {
		return noBlob, nil
	}
	if r == w.last[i] {
		return w.lastIDs[i], nil
	}
	id, err := w.numberBlob(w.encoder.encode(r))
	if err != nil {
		return 0, err
	}
	w.last[i], w.lastIDs[i] = r, id
	return id, nil
}

// numberBlob returns the number under which a blob was added.
func (w *Writer) numberBlob(blob []byte) (uint32, error) {
	if uint64(len(blob)) > math.MaxUint32-checksumLen {
		return 0, errTooMany
	}
	digest := sha256.Sum256(blob)
	id, there := w.recent[digest]
	if !there {
		if w.added == noBlob {
			return 0, errTooMany
		}
		id = uint32(w.added)
		if err := w.addBlob(digest, id, blob); err != nil {
			return 0, err
		}
		w.added++
		if len(w.recent) == maxRecent {
			clear(w.recent)
		}
		w.recent[digest] = id
	}
	return id, nil
}

// Len returns the number of origins written.
func (w *Writer) Len() int { return int(w.written.origins) }

// Rulesets returns the number of distinct rulesets written, counted separately for each dialect, plus the number of
// distinct texts of Entry.Via, which are stored like rulesets.
func (w *Writer) Rulesets() int { return int(w.written.blobs) }

// Versions returns the number of versions written, at least one per origin, and the number dropped because an
// origin had too many.
func (w *Writer) Versions() (written, dropped int64) { return w.written.versions, w.written.dropped }

// Close closes the sorters. It is optional if they are in memory.
func (w *Writer) Close() error {
	if w.origins == nil {
		return nil
	}
	return cmp.Or(w.origins.Close(), w.blobs.Close())
}
