package archive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/automaton"
)

// Archive is an opened archive. It is safe for any number of goroutines. It and
// all that it returns are views of the bytes that Open was given.
type Archive struct {
	dialects  []automaton.Dialect
	columns   [256]int8 // of each dialect: 1 + its place in dialects, or 0
	origins   int
	seed      uint64 // of the hash
	shift     uint   // of a hash, to the number of its bucket
	makeTable automaton.TableFunc

	buckets  []byte
	offsets  []byte // of the rulesets
	records  []byte
	blobs    []byte                              // the rulesets
	decoded  []atomic.Pointer[automaton.Ruleset] // nil until it is looked up
	complete []atomic.Bool                       // whether the ruleset has all tables that it may have

	mu   sync.Mutex
	held int64    // about how many bytes the decoded rulesets take
	ids  []uint32 // of these, perhaps twice
}

// Entry is what an archive knows of one origin.
type Entry struct {
	// Status is the HTTP status with which robots.txt was answered, 200 where
	// it was read from elsewhere.
	Status uint16
	// Ruleset answers for the rules. It is nil, which allows everything, where
	// there was no body to read: the caller must then go by the status.
	Ruleset *automaton.Ruleset
	// From and Until bound the instants for which the answer is this one: from From on, and
	// before Until, in Unix seconds. math.MinInt64 and math.MaxInt64 stand for no bound.
	From, Until int64
}

// always is the Entry of an origin that an archive does not have: nothing, at any instant.
var always = Entry{From: math.MinInt64, Until: math.MaxInt64}

// Open reads an archive. The bytes stay the caller's and must not change while the
// archive, or a ruleset or machine from it, is in use. Open checks the length of the file
// and the checksum of header and index, and decodes nothing; it takes twelve bytes of
// memory for each ruleset. Its error is ErrNotArchive, ErrVersion, ErrSemantics, ErrDialect
// or a *DamageError.
//
// semantics is compile.Semantics. An archive of other semantics is refused, because its
// rules might not mean what they meant to the program that compiled them.
//
// makeTable is compile.EngineAuto.Table, which makes the tables of long lists of rules, or
// nil: then rules are tried one by one. Several goroutines may call it at once.
func Open(data []byte, semantics uint32, makeTable automaton.TableFunc) (*Archive, error) {
	if len(data) < atChecksum || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("archive: %w", ErrNotArchive)
	}
	if v := le.Uint32(data[atVersion:]); v != version {
		return nil, fmt.Errorf("archive: %w: version %d, and this program reads version %d; compile the archive again", ErrVersion, v, version)
	}
	var h header
	if _, err := binary.Decode(data, le, &h); err != nil {
		return nil, &DamageError{Part: "file", Reason: fmt.Sprintf("cut short to %d bytes", len(data))}
	}
	if h.Length != uint64(len(data)) {
		return nil, &DamageError{Part: "file", Reason: fmt.Sprintf("its header says %d bytes, but it has %d", h.Length, len(data))}
	}
	a := &Archive{makeTable: makeTable}
	index, ok := a.cut(data[headerLen:], &h)
	if !ok {
		return nil, errIndex
	}
	if checksum(data[:headerLen+index]) != h.Checksum {
		return nil, &DamageError{Part: "index", Reason: wrongChecksum}
	}
	if h.Semantics != semantics {
		return nil, fmt.Errorf("archive: %w: semantics %d, and this program matches by semantics %d; compile the archive again",
			ErrSemantics, h.Semantics, semantics)
	}
	a.dialects = h.Dialects[:h.Columns]
	for i, d := range a.dialects {
		if !d.Known() || a.columns[d] != 0 {
			return nil, fmt.Errorf("archive: %w: %v is unknown to this program, or twice in the archive", ErrDialect, d)
		}
		a.columns[d] = int8(i + 1)
	}
	return a, nil
}

// A list of no more than tiny rules never has a table: what that saves does not pay for
// making it (compile.crossover). One of no more than few has none until its origin is
// busy: a list is quicker to make than a table, smaller, and sooner matched when it is in
// no cache. The longer a list, the sooner a table pays for itself: one of more than few has
// a table at once.
const (
	tiny = 9
	few  = 64
)

// cut cuts what follows the header into its tables, and returns the length of the index.
func (a *Archive) cut(rest []byte, h *header) (index int, ok bool) {
	if h.Bits > maxBits || h.Columns == 0 || int(h.Columns) > maxDialects {
		return 0, false
	}
	for _, part := range []struct {
		bytes  *[]byte
		length uint64
	}{
		{&a.buckets, (1<<h.Bits + 1) * 4},
		{&a.offsets, (uint64(h.Rulesets) + 1) * 8},
		{&a.records, h.RecordsLen},
		{&a.blobs, h.BlobsLen},
	} {
		if part.length > uint64(len(rest)) {
			return 0, false
		}
		*part.bytes, rest = rest[:part.length:part.length], rest[part.length:]
	}
	a.seed, a.shift, a.origins = h.Seed, 64-uint(h.Bits), int(h.Origins)
	a.decoded, a.complete = make([]atomic.Pointer[automaton.Ruleset], h.Rulesets), make([]atomic.Bool, h.Rulesets)
	return len(a.buckets) + len(a.offsets) + len(a.records), len(rest) == 0
}

// Dialects returns a copy of the list of dialects that the archive holds.
func (a *Archive) Dialects() []automaton.Dialect { return slices.Clone(a.dialects) }

// Len returns the number of origins.
func (a *Archive) Len() int { return a.origins }

// Rulesets returns the number of distinct rulesets, those of several dialects
// counted apart.
func (a *Archive) Rulesets() int { return len(a.decoded) }

// Lookup returns what is known of the origin with a key, its ruleset in a dialect, and
// whether the archive has the origin. The first lookup of a ruleset checks and decodes it;
// later ones do not allocate. The error is ErrDialect, or a *DamageError where the archive
// is damaged: then it is not known whether the archive has the origin.
//
// A lookup costs two or three lines of memory that are in no cache. A table in front of
// the index, with 16 bytes for each key, made a lookup and the match after it no faster
// (Go 1.26, 87,007 origins): the rules are in no cache either.
func (a *Archive) Lookup(key []byte, d automaton.Dialect) (e Entry, found bool, err error) {
	return a.lookup(key, d, math.MaxInt64, false)
}

// LookupAt is Lookup for an instant, in Unix seconds: it returns the version in force then,
// which is the newest one captured at or before it. An origin without such a version is not
// found; the Entry still says until when. Lookup is LookupAt for math.MaxInt64.
func (a *Archive) LookupAt(key []byte, d automaton.Dialect, at int64) (e Entry, found bool, err error) {
	return a.lookup(key, d, at, false)
}

// LookupBusyAt is LookupAt for an origin of which hundreds of URLs are to be matched. It gives
// the origin's rules the tables that LookupAt leaves out where lists are short; later lookups
// find them too. The archive does not count lookups to find busy origins by itself, since
// counting them safely for all goroutines takes as long as a lookup.
func (a *Archive) LookupBusyAt(key []byte, d automaton.Dialect, at int64) (e Entry, found bool, err error) {
	return a.lookup(key, d, at, true)
}

// Origin is an origin of an archive, as Origins lists it.
type Origin struct {
	Key      []byte
	Versions []Version // the oldest first, at least one
}

// Version is what an archive has for an origin from an instant on.
type Version struct {
	From     int64 // the instant, in Unix seconds; math.MinInt64 for a version without a date
	Status   uint16
	HasRules bool // there is a ruleset, in one dialect at least
}

// Origins lists all origins, in an order without a meaning. An Origin is valid until the next one is
// asked for. A *DamageError stands for the origins that are in a damaged part of the index; the
// others follow.
func (a *Archive) Origins() iter.Seq2[Origin, error] {
	return func(yield func(Origin, error) bool) {
		versions := make([]Version, 1)
		head := recordHead + 4*len(a.dialects)
		for records := a.records; len(records) > 0; {
			if len(records) < head || len(records) < head+int(le.Uint16(records[6:])) {
				yield(Origin{}, errIndex)
				return
			}
			end := head + int(le.Uint16(records[6:]))
			versions[0] = Version{From: math.MinInt64, Status: le.Uint16(records[4:])}
			for i := range a.dialects {
				versions[0].HasRules = versions[0].HasRules || le.Uint32(records[recordHead+4*i:]) != noRuleset
			}
			if !yield(Origin{Key: records[head:end:end], Versions: versions}, nil) {
				return
			}
			records = records[end:]
		}
	}
}

func (a *Archive) lookup(key []byte, d automaton.Dialect, _ int64, busy bool) (e Entry, found bool, err error) {
	column := int(a.columns[d]) - 1
	if column < 0 {
		return Entry{}, false, fmt.Errorf("archive: %w: %v is not in the archive, which holds %v", ErrDialect, d, a.dialects)
	}
	h := hash(a.seed, key)
	bucket := a.buckets[h>>a.shift*4:]
	from, to := le.Uint32(bucket), le.Uint32(bucket[4:])
	if from > to || uint64(to) > uint64(len(a.records)) {
		return Entry{}, false, errIndex
	}
	head := recordHead + 4*len(a.dialects)
	records := a.records[from:to]
	for n := 0; len(records) > 0; n++ {
		if n == maxBucket || len(records) < head || len(records) < head+int(le.Uint16(records[6:])) {
			return Entry{}, false, errIndex
		}
		end := head + int(le.Uint16(records[6:]))
		if le.Uint32(records) == uint32(h) && string(records[head:end]) == string(key) {
			r, err := a.ruleset(le.Uint32(records[recordHead+4*column:]), d, busy)
			if err != nil {
				return Entry{}, false, err
			}
			return Entry{Status: le.Uint16(records[4:]), Ruleset: r, From: math.MinInt64, Until: math.MaxInt64}, true, nil
		}
		records = records[end:]
	}
	return always, false, nil
}

// What decoded rulesets take, in bytes, beside their texts.
const (
	rulesetBytes = 1 << 10
	ruleBytes    = 80
	tableBytes   = 200 // for each rule
)

// Limit forgets all decoded rulesets if they take more than so many bytes, and tells whether
// they do. They are freed when nobody uses them any more, and later lookups decode them again.
func (a *Archive) Limit(bytes int64) (forgot bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held <= bytes {
		return false
	}
	for _, id := range a.ids {
		a.complete[id].Store(false)
		a.decoded[id].Store(nil)
	}
	a.held, a.ids = 0, a.ids[:0]
	return true
}

// hold counts a ruleset that is being decoded.
func (a *Archive) hold(id uint32, blob []byte, hasTables bool) {
	rules, _ := binary.Uvarint(blob[1:]) // behind the dialect; see decode
	size := rulesetBytes + ruleBytes*int64(min(rules, uint64(len(blob))))
	if hasTables {
		size += tableBytes * int64(min(rules, uint64(len(blob))))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held, a.ids = a.held+size, append(a.ids, id)
}

// ruleset returns a ruleset by its number.
func (a *Archive) ruleset(id uint32, d automaton.Dialect, busy bool) (*automaton.Ruleset, error) {
	if id == noRuleset {
		return nil, nil
	}
	if uint64(id) >= uint64(len(a.decoded)) {
		return nil, errIndex
	}
	r := a.decoded[id].Load()
	if r == nil || busy && !a.complete[id].Load() {
		var err error
		if r, err = a.make(id, busy); err != nil {
			return nil, &DamageError{Part: "ruleset", Ruleset: int(id), Reason: err.Error()}
		}
	}
	if r.Dialect() != d {
		return nil, errIndex
	}
	return r, nil
}

// make checks, decodes and keeps a ruleset, with all its tables if it is busy.
func (a *Archive) make(id uint32, busy bool) (*automaton.Ruleset, error) {
	bounds := a.offsets[8*uint64(id):]
	from, to := le.Uint64(bounds), le.Uint64(bounds[8:])
	if from > to || to > uint64(len(a.blobs)) || to-from < 4 {
		return nil, errors.New(wrongLengths)
	}
	blob := a.blobs[from:to]
	if crc32.Checksum(blob[4:], castagnoli) != le.Uint32(blob) {
		return nil, errors.New(wrongChecksum)
	}
	most := few
	if busy {
		most = tiny
	}
	r, waits, err := decode(blob[4:], most, a.makeTable)
	if err != nil {
		return nil, err
	}
	a.hold(id, blob[4:], !waits)
	switch {
	case busy:
		a.decoded[id].Store(r) // in place of any that another goroutine made without tables
	case !a.decoded[id].CompareAndSwap(nil, r):
		return cmp.Or(a.decoded[id].Load(), r), nil // it may have been forgotten meanwhile
	}
	if !waits {
		a.complete[id].Store(true)
	}
	return r, nil
}
