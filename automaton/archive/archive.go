package archive

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
)

// Archive is an opened archive. It is safe for any number of goroutines. It and
// all that it returns are views of the bytes that Open was given.
type Archive struct {
	dialects []automaton.Dialect
	columns  [256]int8 // of each dialect: 1 + its place in dialects, or 0
	origins  int
	shift    uint // of a hash, to the number of its bucket
	build    func(automaton.Dialect, []automaton.Rule) (*automaton.Machine, error)

	buckets []byte
	offsets []byte // of the rulesets
	records []byte
	blobs   []byte // the rulesets
	decoded []slot
	busy    uint32
}

// slot is what there is of one ruleset.
type slot struct {
	ruleset atomic.Pointer[automaton.Ruleset]
	lookups atomic.Uint32 // no more than busy
}

// Options say how an archive is decoded. The zero value is good.
type Options struct {
	// Build makes a machine of a ranked list, which it may keep. Nil stands for
	// automaton.New without a table. Several goroutines may call it at once.
	Build func(automaton.Dialect, []automaton.Rule) (*automaton.Machine, error)
	// Busy is after how many lookups of a ruleset its machines are made by Build.
	// Before that those of few rules are lists, which are quicker to make and
	// slower to match.
	Busy uint32
}

// Entry is what an archive knows of one origin.
type Entry struct {
	// Status is the HTTP status with which robots.txt was answered, 200 where
	// it was read from elsewhere.
	Status uint16
	// Ruleset answers for the rules. It is nil, which allows everything, where
	// there was no body to read: what the status then means is the caller's to
	// know.
	Ruleset *automaton.Ruleset
}

// What Open and Lookup refuse.
var (
	errMagic    = errors.New("not an archive of rulesets")
	errChecksum = errors.New("damaged: the checksum is wrong")
	errLayout   = errors.New("damaged: lengths contradict each other")
)

// Open reads an archive. The bytes stay the caller's and must not change while
// the archive, or a ruleset or machine from it, is in use. It refuses what is no
// archive, is not whole, or is damaged in its header or index; it takes time
// for a checksum of these, and memory of 16 bytes a ruleset.
func Open(data []byte, o Options) (*Archive, error) {
	a := &Archive{build: o.Build, busy: o.Busy}
	if a.build == nil {
		a.build, a.busy = buildList, 0
	}
	if err := a.open(data); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return a, nil
}

// few is the number of rules up to which a list waits to be busy: to try more one
// by one takes as long for each URL as to build takes for a few dozen.
const few = 64

func (a *Archive) buildUnlessFew(d automaton.Dialect, rules []automaton.Rule) (*automaton.Machine, error) {
	if len(rules) > few {
		return a.build(d, rules)
	}
	return buildList(d, rules)
}

func buildList(d automaton.Dialect, rules []automaton.Rule) (*automaton.Machine, error) {
	return automaton.New(d, rules, nil)
}

func (a *Archive) open(data []byte) error {
	if len(data) < atChecksum || string(data[:len(magic)]) != magic {
		return errMagic
	}
	if v := le.Uint32(data[atVersion:]); v != version {
		return fmt.Errorf("format version %d; this program reads version %d", v, version)
	}
	if len(data) < headerLen {
		return fmt.Errorf("cut short: %d bytes", len(data))
	}
	if n := le.Uint64(data[atLength:]); n != uint64(len(data)) {
		return fmt.Errorf("its header says %d bytes, but it has %d", n, len(data))
	}
	index, err := a.cut(data)
	if err != nil {
		return err
	}
	if checksum(data[:headerLen+index]) != le.Uint32(data[atChecksum:]) {
		return errChecksum
	}
	a.decoded = make([]slot, le.Uint32(data[atRulesets:]))
	return a.readDialects(data[atColumns:atRecordsLen])
}

// cut cuts the bytes after the header into the tables, and returns the length of
// the index.
func (a *Archive) cut(data []byte) (index int, err error) {
	bits := data[atBits]
	if bits > maxBits {
		return 0, errLayout
	}
	a.shift = 64 - uint(bits)
	a.origins = int(le.Uint32(data[atOrigins:]))
	rest := data[headerLen:]
	for _, table := range []struct {
		bytes  *[]byte
		length uint64
	}{
		{&a.buckets, (1<<bits + 1) * 4},
		{&a.offsets, (uint64(le.Uint32(data[atRulesets:])) + 1) * 8},
		{&a.records, le.Uint64(data[atRecordsLen:])},
		{&a.blobs, le.Uint64(data[atBlobsLen:])},
	} {
		if table.length > uint64(len(rest)) {
			return 0, errLayout
		}
		*table.bytes, rest = rest[:table.length:table.length], rest[table.length:]
	}
	if len(rest) > 0 {
		return 0, errLayout
	}
	return len(a.buckets) + len(a.offsets) + len(a.records), nil
}

// readDialects reads their number and them.
func (a *Archive) readDialects(header []byte) error {
	n := int(header[0])
	if n > maxDialects {
		return errLayout
	}
	for i, d := range header[1 : 1+n] {
		if d := automaton.Dialect(d); !known(d) || a.columns[d] != 0 {
			return fmt.Errorf("unknown %v", d)
		}
		a.columns[d] = int8(i + 1)
		a.dialects = append(a.dialects, automaton.Dialect(d))
	}
	return nil
}

func known(d automaton.Dialect) bool {
	_, err := automaton.ParseDialect(d.String())
	return err == nil
}

// Dialects returns the dialects that the archive holds.
func (a *Archive) Dialects() []automaton.Dialect { return slices.Clone(a.dialects) }

// Len returns the number of origins.
func (a *Archive) Len() int { return a.origins }

// Rulesets returns the number of distinct rulesets, those of several dialects
// counted apart.
func (a *Archive) Rulesets() int { return len(a.decoded) }

// Lookup returns what is known of the origin with a key, its ruleset in a
// dialect, and whether the archive has the origin. The first lookup of a ruleset
// decodes it; later ones do not allocate. It fails for a dialect that the archive
// does not hold, and where the archive is damaged: then nothing is known of the
// origin, nor that it is missing.
//
// Its cost is that of two or three lines of memory that are in no cache. A table
// in front of the index, of one slot of 16 bytes for each key, made a lookup and the
// match after it no faster (Go 1.26, 87,007 origins): the rules are as cold.
func (a *Archive) Lookup(key []byte, d automaton.Dialect) (e Entry, found bool, err error) {
	column := int(a.columns[d]) - 1
	if column < 0 {
		return Entry{}, false, fmt.Errorf("archive: no dialect %v in it; it holds %v", d, a.dialects)
	}
	h := hash(key)
	bucket := a.buckets[h>>a.shift*4:]
	from, to := le.Uint32(bucket), le.Uint32(bucket[4:])
	if from > to || uint64(to) > uint64(len(a.records)) {
		return Entry{}, false, fmt.Errorf("archive: index: %w", errLayout)
	}
	head := recordHead + 4*len(a.dialects)
	for records := a.records[from:to]; len(records) > 0; {
		if len(records) < head {
			return Entry{}, false, fmt.Errorf("archive: index: %w", errLayout)
		}
		end := head + int(le.Uint16(records[6:]))
		if len(records) < end {
			return Entry{}, false, fmt.Errorf("archive: index: %w", errLayout)
		}
		if le.Uint32(records) == uint32(h) && string(records[head:end]) == string(key) {
			e.Status = le.Uint16(records[4:])
			e.Ruleset, err = a.ruleset(le.Uint32(records[recordHead+4*column:]), d)
			if err != nil {
				return Entry{}, false, err
			}
			return e, true, nil
		}
		records = records[end:]
	}
	return Entry{}, false, nil
}

// ruleset returns a ruleset by its number.
func (a *Archive) ruleset(id uint32, d automaton.Dialect) (*automaton.Ruleset, error) {
	if id == noRuleset {
		return nil, nil
	}
	if uint64(id) >= uint64(len(a.decoded)) {
		return nil, fmt.Errorf("archive: index: %w", errLayout)
	}
	slot := &a.decoded[id]
	r := slot.ruleset.Load()
	if r == nil || slot.lookups.Load() < a.busy {
		var err error
		if r, err = a.make(id, slot); err != nil {
			return nil, fmt.Errorf("archive: ruleset %d: %w", id, err)
		}
	}
	if r.Dialect() != d {
		return nil, fmt.Errorf("archive: ruleset %d: %w: it is of dialect %v", id, errLayout, r.Dialect())
	}
	return r, nil
}

// make counts a lookup and makes the ruleset, if that is the first or the one at
// which it is busy.
func (a *Archive) make(id uint32, s *slot) (*automaton.Ruleset, error) {
	n := uint32(0)
	if a.busy > 0 {
		n = s.lookups.Add(1)
	}
	old := s.ruleset.Load()
	build := a.build
	switch {
	case n == a.busy: // also where there is nothing to wait for
	case old != nil:
		return old, nil
	default:
		build = a.buildUnlessFew
	}
	r, err := a.decode(id, build)
	if err != nil {
		return nil, err
	}
	if n > 0 && n == a.busy {
		s.ruleset.Store(r) // over whatever lists another goroutine has made meanwhile
	} else if !s.ruleset.CompareAndSwap(nil, r) {
		r = s.ruleset.Load()
	}
	return r, nil
}

// decode checks and decodes a ruleset.
func (a *Archive) decode(id uint32, build func(automaton.Dialect, []automaton.Rule) (*automaton.Machine, error)) (*automaton.Ruleset, error) {
	bounds := a.offsets[8*uint64(id):]
	from, to := le.Uint64(bounds), le.Uint64(bounds[8:])
	if from > to || to > uint64(len(a.blobs)) || to-from < 4 {
		return nil, errLayout
	}
	blob := a.blobs[from:to]
	if crc32.Checksum(blob[4:], castagnoli) != le.Uint32(blob) {
		return nil, errChecksum
	}
	return decode(blob[4:], build)
}
