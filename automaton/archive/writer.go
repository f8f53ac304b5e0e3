package archive

import (
	"fmt"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// Writer collects origins and writes them as an archive. The zero value is not
// usable: call NewWriter. For each origin it takes some 100 bytes of memory and the key. Of
// the rulesets that it was given it keeps the last of each dialect. It belongs to one
// goroutine.
type Writer struct {
	// Store keeps the encoded rulesets. It is set before the first Add, and used by this
	// Writer alone. Nil stands for memory, without a bound.
	Store Store

	semantics uint32
	dialects  []automaton.Dialect
	origins   map[string]entry // by key
	rulesets  []uint32         // of the origins in the order of Add, of each dialect
	lengths   []uint32         // of the encoded rulesets
	encoder   *encoder
	last      []*automaton.Ruleset // of the last origin, which often are those of the next
	lastIDs   []uint32
}

var errTooMany = fmt.Errorf("%w: too many origins or rulesets", ErrLimit)

// entry is what a Writer knows of an origin besides its key.
type entry struct {
	number uint32 // how many origins were added before
	status uint16
}

// NewWriter returns a writer for rulesets of these dialects. semantics is compile.Semantics
// of the program that compiled them. Its error is ErrLimit for no or too many dialects,
// ErrDialect for one that is unknown or there twice.
func NewWriter(semantics uint32, dialects ...automaton.Dialect) (*Writer, error) {
	if len(dialects) == 0 || len(dialects) > maxDialects {
		return nil, fmt.Errorf("archive: %w: %d dialects instead of 1 to %d", ErrLimit, len(dialects), maxDialects)
	}
	for i, d := range dialects {
		if !d.Known() || slices.Contains(dialects[:i], d) {
			return nil, fmt.Errorf("archive: %w: %v is unknown or there twice", ErrDialect, d)
		}
	}
	return &Writer{
		semantics: semantics, dialects: slices.Clone(dialects), origins: map[string]entry{}, encoder: newEncoder(),
		last: make([]*automaton.Ruleset, len(dialects)), lastIDs: make([]uint32, len(dialects)),
	}, nil
}

// Add adds an origin with its rulesets in the order of the dialects, any of which may be
// nil. It is fast where origins that share their rulesets come one after the other. Its
// error is ErrDuplicate, ErrDialect, ErrLimit, or one of the Store; the origin is then not in
// the archive. After an error of the Store nothing more can be added.
func (w *Writer) Add(key string, status uint16, rulesets ...*automaton.Ruleset) error {
	if err := w.add(key, status, rulesets); err != nil {
		return fmt.Errorf("archive: origin %q: %w", key[:min(len(key), 300)], err)
	}
	return nil
}

func (w *Writer) add(key string, status uint16, rulesets []*automaton.Ruleset) error {
	switch _, there := w.origins[key]; {
	case there:
		return ErrDuplicate
	case len(key) > maxKey:
		return fmt.Errorf("%w: a key longer than %d bytes", ErrLimit, maxKey)
	case len(rulesets) != len(w.dialects):
		return fmt.Errorf("%w: %d rulesets, not one for each dialect", ErrDialect, len(rulesets))
	case uint64(len(w.origins)) >= math.MaxUint32:
		return errTooMany
	}
	for i, ruleset := range rulesets {
		if ruleset != nil && ruleset.Dialect() != w.dialects[i] {
			return fmt.Errorf("%w: a ruleset of another dialect than %v", ErrDialect, w.dialects[i])
		}
	}
	added := w.rulesets
	for i, ruleset := range rulesets {
		id, err := w.number(i, ruleset)
		if err != nil {
			return err
		}
		added = append(added, id)
	}
	w.origins[key] = entry{uint32(len(w.origins)), status}
	w.rulesets = added
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
	if w.Store == nil {
		w.Store = &memory{numbers: map[string]int{}}
	}
	blob := w.encoder.encode(r)
	if uint64(len(blob)) > math.MaxUint32 || uint64(len(w.lengths)) == noRuleset {
		return 0, errTooMany
	}
	id, err := w.Store.Add(blob)
	if err != nil {
		return 0, err
	}
	if id == len(w.lengths) {
		w.lengths = append(w.lengths, uint32(len(blob)))
	}
	w.last[i], w.lastIDs[i] = r, uint32(id)
	return uint32(id), nil
}

// Len returns the number of origins added.
func (w *Writer) Len() int { return len(w.origins) }

// Rulesets returns the number of distinct rulesets added, those of several
// dialects counted apart.
func (w *Writer) Rulesets() int { return len(w.lengths) }
