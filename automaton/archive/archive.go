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
	table    automaton.TableFunc

	buckets  []byte
	offsets  []byte // of the rulesets
	records  []byte
	blobs    []byte                              // the rulesets
	decoded  []atomic.Pointer[automaton.Ruleset] // nil until it is looked up
	complete []atomic.Bool                       // of each ruleset, whether it has all tables that it may have
}

// Options say how an archive is decoded. The zero value is good.
type Options struct {
	// Table makes the table of a ranked list of more than nine rules, for instance
	// compile.EngineAuto.Table. If it is nil, rules are tried one by one. Several
	// goroutines may call it at once.
	Table automaton.TableFunc
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
// for a checksum of these, and memory of twelve bytes a ruleset.
func Open(data []byte, o Options) (*Archive, error) {
	a := &Archive{table: o.Table}
	if err := a.open(data); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return a, nil
}

// A list of no more than tiny rules never has a table: what that saves does not pay for
// making it (compile.crossover). One of no more than few has none until its origin is
// busy: a list is quicker to make than a table, smaller, and sooner matched when it is in
// no cache. A longer one has a table at once, which it has paid for after a few dozen URLs.
const (
	tiny = 9
	few  = 64
)

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
	rulesets := le.Uint32(data[atRulesets:])
	a.decoded, a.complete = make([]atomic.Pointer[automaton.Ruleset], rulesets), make([]atomic.Bool, rulesets)
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
	return a.lookup(key, d, false)
}

// LookupBusy is Lookup for an origin of which hundreds of URLs are to be matched, and
// more soon. Then its lists of rules are given the tables without which Lookup leaves
// short ones, as they are for later lookups too. The archive does not count lookups to
// find out by itself: to do so, safely for all goroutines, takes as long as a lookup.
func (a *Archive) LookupBusy(key []byte, d automaton.Dialect) (e Entry, found bool, err error) {
	return a.lookup(key, d, true)
}

func (a *Archive) lookup(key []byte, d automaton.Dialect, busy bool) (e Entry, found bool, err error) {
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
			e.Ruleset, err = a.ruleset(le.Uint32(records[recordHead+4*column:]), d, busy)
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
func (a *Archive) ruleset(id uint32, d automaton.Dialect, busy bool) (*automaton.Ruleset, error) {
	if id == noRuleset {
		return nil, nil
	}
	if uint64(id) >= uint64(len(a.decoded)) {
		return nil, fmt.Errorf("archive: index: %w", errLayout)
	}
	r := a.decoded[id].Load()
	if r == nil || busy && !a.complete[id].Load() {
		var err error
		if r, err = a.make(id, busy); err != nil {
			return nil, fmt.Errorf("archive: ruleset %d: %w", id, err)
		}
	}
	if r.Dialect() != d {
		return nil, fmt.Errorf("archive: ruleset %d: %w: it is of dialect %v", id, errLayout, r.Dialect())
	}
	return r, nil
}

// make makes a ruleset, with all its tables if it is busy.
func (a *Archive) make(id uint32, busy bool) (*automaton.Ruleset, error) {
	most := few
	if busy {
		most = tiny
	}
	r, waits, err := a.decode(id, most)
	switch {
	case err != nil:
		return nil, err
	case busy:
		a.decoded[id].Store(r) // over whatever lists another goroutine has made meanwhile
	case !a.decoded[id].CompareAndSwap(nil, r):
		return a.decoded[id].Load(), nil
	}
	if !waits {
		a.complete[id].Store(true)
	}
	return r, nil
}

// decode checks and decodes a ruleset. Lists of no more than most rules have no
// table; waits tells whether they might have.
func (a *Archive) decode(id uint32, most int) (r *automaton.Ruleset, waits bool, err error) {
	bounds := a.offsets[8*uint64(id):]
	from, to := le.Uint64(bounds), le.Uint64(bounds[8:])
	if from > to || to > uint64(len(a.blobs)) || to-from < 4 {
		return nil, false, errLayout
	}
	blob := a.blobs[from:to]
	if crc32.Checksum(blob[4:], castagnoli) != le.Uint32(blob) {
		return nil, false, errChecksum
	}
	return decode(blob[4:], most, a.table)
}
