package archive

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/robotsieve/robotsieve/automaton"
)

// Archive is an open archive. It is safe for concurrent use. It and all that it returns alias the
// bytes given to Open.
type Archive struct {
	dialects  []automaton.Dialect
	hasVia    bool      // the last column is Entry.Via
	columns   [256]int8 // for each dialect, 1 + its index in dialects, or 0
	origins   int
	blobCount int // of rulesets and texts of Entry.Via
	spread
	answerLen  int // of the blob numbers
	versionLen int // of instant, status and blob numbers
	program    string

	directory []byte
	offsets   []byte // of the blobs
	buckets   []byte
	records   []byte
	blobs     []byte
	checked   []atomic.Uint32 // a bit for each group whose checksum is verified
	decoded   []atomic.Pointer[slab]

	mu    sync.Mutex
	held  int64    // approximate memory of the decoded rulesets
	slabs []uint32 // those that exist, possibly with duplicates
}

// spread is how keys are spread over the buckets, and buckets over the groups.
type spread struct {
	seed      uint64 // of the hash
	shift     uint   // from a hash to the number of its bucket
	groupBits uint   // from the number of a bucket to the number of its group
}

// slab holds the decoded rulesets of consecutive numbers. It is made when one of them is first looked up.
type slab struct {
	rulesets [slabLen]atomic.Pointer[automaton.Ruleset] // nil until they are looked up
	complete atomic.Uint64                              // a bit for each ruleset that has all tables it may have
}

const slabLen = 64

// Entry is what an archive knows about one origin.
type Entry struct {
	// Status is the HTTP status of the robots.txt, or 200 if it was read from elsewhere.
	Status uint16
	// Ruleset answers for the rules. It is nil if there was no body to read. A nil Ruleset allows
	// everything, so the caller must consult Status then.
	Ruleset *automaton.Ruleset
	// Via is a text that was added with the answer. The command stores there the URLs in a robots.txt's redirect chain
	// that are not robots.txt files: origin keys with paths, one per line. A last line that begins with "=" has what
	// the body states besides its rules.
	Via string
	// From and Until limit the time for which the answer holds, in Unix seconds: from From until just before Until.
	// math.MinInt64 and math.MaxInt64 stand for no limit.
	From, Until int64
}

// Open reads an archive. The bytes must not change while the archive, or a ruleset or machine from
// it, is in use. Open checks the length of the file and the checksum of the header and directory,
// and decodes nothing; for 10 million origins it reads three megabytes. The error is ErrNotArchive,
// ErrVersion, ErrSemantics, ErrDialect or a *DamageError.
//
// An archive with other automaton.Semantics is rejected, since its rules may mean something else to this program.
func Open(data []byte) (*Archive, error) {
	if len(data) < atChecksum || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("archive: %w", ErrNotArchive)
	}
	if v := le.Uint32(data[atVersion:]); v != version {
		return nil, fmt.Errorf("archive: %w: version %d, and this program reads version %d; compile the archive again",
			ErrVersion, v, version)
	}
	var h header
	if _, err := binary.Decode(data, le, &h); err != nil {
		return nil, &DamageError{Part: "file", Reason: fmt.Sprintf("cut short to %d bytes", len(data))}
	}
	if h.Length != uint64(len(data)) {
		reason := fmt.Sprintf("its header says %d bytes, but it has %d", h.Length, len(data))
		return nil, &DamageError{Part: "file", Reason: reason}
	}
	a := &Archive{program: string(bytes.TrimRight(h.Program[:], "\x00"))}
	if !a.cut(data[headerLen:], &h) {
		return nil, errIndex
	}
	if checksum(data, a.directory) != h.Checksum {
		return nil, &DamageError{Part: "index", Reason: wrongChecksum}
	}
	if !a.ascending() {
		return nil, errIndex
	}
	if h.Semantics != automaton.Semantics {
		return nil, fmt.Errorf("archive: %w: semantics %d, and this program has semantics %d; compile the "+
			"archive again",
			ErrSemantics, h.Semantics, automaton.Semantics)
	}
	for i, d := range a.dialects {
		if !d.Known() || a.columns[d] != 0 {
			return nil, fmt.Errorf("archive: %w: %v is unknown to this program or listed twice", ErrDialect, d)
		}
		a.columns[d] = int8(i + 1)
	}
	return a, nil
}

// A list of at most tiny rules never gets a table, which would not pay for itself (automaton.crossover). A list of
// at most few rules gets none until its origin is busy: a list is smaller, quicker to make, and matches sooner
// while it is not cached. Longer lists get a table at once.
const (
	tiny = 9
	few  = 64
)

// cut splits the bytes after the header into their parts.
func (a *Archive) cut(rest []byte, h *header) bool {
	if h.Bits > maxBits || h.Columns == 0 || int(h.Columns) > maxDialects {
		return false
	}
	for _, part := range []struct {
		bytes  *[]byte
		length uint64
	}{
		{&a.directory, h.directoryLen()},
		{&a.offsets, h.offsetsLen()},
		{&a.buckets, h.bucketsLen()},
		{&a.records, h.RecordsLen},
		{&a.blobs, h.BlobsLen},
	} {
		if part.length > uint64(len(rest)) {
			return false
		}
		*part.bytes, rest = rest[:part.length:part.length], rest[part.length:]
	}
	groups, buckets := h.groups()
	a.seed, a.shift, a.groupBits = h.Seed, 64-uint(h.Bits), uint(bits.TrailingZeros(uint(buckets)))
	a.origins, a.blobCount, a.dialects = int(h.Origins), int(h.Blobs), h.Dialects[:h.Columns]
	a.answerLen = 4 * len(a.dialects)
	if last := len(a.dialects) - 1; a.dialects[last] == via {
		a.dialects, a.hasVia = a.dialects[:last], true
	}
	if len(a.dialects) == 0 {
		return false
	}
	a.versionLen = dateLen + statusLen + a.answerLen
	a.checked = make([]atomic.Uint32, (groups+31)/32)
	a.decoded = make([]atomic.Pointer[slab], (a.blobCount+slabLen-1)/slabLen)
	return len(rest) == 0
}

// ascending reports whether the groups are in order and do not overlap, so that checking all of
// them reads no byte twice.
func (a *Archive) ascending() bool {
	before := uint64(0)
	for rest := a.directory; len(rest) > 0; rest = rest[entryLen:] {
		at := le.Uint64(rest)
		if at < before {
			return false
		}
		before = at
	}
	return before <= uint64(len(a.records))
}

// Dialects returns a copy of the list of the archive's dialects.
func (a *Archive) Dialects() []automaton.Dialect { return slices.Clone(a.dialects) }

// Program returns the release of robotsieve that wrote the archive, such as 0.9.0. It is untrusted text.
func (a *Archive) Program() string { return a.program }

// Len returns the number of origins.
func (a *Archive) Len() int { return a.origins }

// Rulesets returns the number of distinct blobs: the rulesets of each dialect and the texts of Entry.Via.
func (a *Archive) Rulesets() int { return a.blobCount }

// Lookup returns the entry of the origin with the given key, including its ruleset in a dialect, and whether the
// origin exists. The first lookup of a ruleset checks and decodes it; later ones do not allocate. The error is
// ErrDialect, or a *DamageError, after which it is unknown whether the origin exists.
//
// A lookup costs two or three cache misses. A table in front of the index, with 16 bytes per key, made a lookup and
// its match no faster (Go 1.26, 87,007 origins), because the rules are not cached either.
func (a *Archive) Lookup(key []byte, d automaton.Dialect) (e Entry, found bool, err error) {
	return a.lookup(key, d, math.MaxInt64, false)
}

// LookupAt is Lookup for an instant in Unix seconds. It returns the version in force then, which is
// the newest one captured at or before it. If there is none, the origin is reported as missing, but
// Entry.Until is set. Lookup is LookupAt for math.MaxInt64.
func (a *Archive) LookupAt(key []byte, d automaton.Dialect, at int64) (e Entry, found bool, err error) {
	return a.lookup(key, d, at, false)
}

// LookupBusyAt is LookupAt for an origin with hundreds of URLs to match. It adds the tables that
// LookupAt omits for short lists; later lookups use them too. The archive does not detect busy
// origins by itself, since a counter that is safe for concurrent use costs as much as a lookup.
func (a *Archive) LookupBusyAt(key []byte, d automaton.Dialect, at int64) (e Entry, found bool, err error) {
	return a.lookup(key, d, at, true)
}

func (a *Archive) lookup(key []byte, d automaton.Dialect, at int64, busy bool) (e Entry, found bool, err error) {
	if err := a.has(d); err != nil {
		return Entry{}, false, err
	}
	s := spot{hash: hash(a.seed, key)}
	a.bounds(&s)
	record, err := a.find(&s, key)
	if err != nil {
		return Entry{}, false, err
	}
	found, err = a.answer(&e, record, d, at, busy)
	return e, found, err
}

// has returns an error unless the archive holds the dialect.
func (a *Archive) has(d automaton.Dialect) error {
	if a.columns[d] == 0 {
		return fmt.Errorf("archive: %w: %v is not in the archive, which holds %v", ErrDialect, d, a.dialects)
	}
	return nil
}

// answer fills an empty Entry from a record, which is nil if the origin is not in the archive.
func (a *Archive) answer(e *Entry, record []byte, d automaton.Dialect, at int64, busy bool) (found bool, err error) {
	e.From, e.Until = math.MinInt64, math.MaxInt64
	if record == nil {
		return false, nil
	}
	answer := a.version(e, record, at)
	if answer == nil {
		return false, nil
	}
	e.Ruleset, err = a.ruleset(le.Uint32(answer[4*(a.columns[d]-1):]), d, busy)
	if err == nil && a.hasVia {
		e.Via, err = a.text(le.Uint32(answer[4*len(a.dialects):]))
	}
	if err != nil {
		*e = Entry{}
	}
	return err == nil, err
}

// text returns an Entry.Via by its number.
func (a *Archive) text(id uint32) (string, error) {
	if id == noBlob {
		return "", nil
	}
	if uint64(id) >= uint64(a.blobCount) {
		return "", errIndex
	}
	blob, err := a.blob(id)
	if err != nil {
		return "", &DamageError{Part: "ruleset", Ruleset: int(id), Reason: err.Error()}
	}
	return view(blob), nil
}

// rulesetBytes is the approximate memory of a decoded ruleset, excluding its machines.
const rulesetBytes = 1 << 10

// Limit drops all decoded rulesets if they take more than the given number of bytes, and reports whether it did.
// They are freed when they are no longer used; later lookups decode them again.
func (a *Archive) Limit(bytes int64) (forgot bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held <= bytes {
		return false
	}
	for _, n := range a.slabs {
		a.decoded[n].Store(nil)
	}
	a.held, a.slabs = 0, a.slabs[:0]
	return true
}

func (a *Archive) hold(size int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held += rulesetBytes + size
}

func (a *Archive) slab(id uint32) *slab {
	p := &a.decoded[id/slabLen]
	if s := p.Load(); s != nil {
		return s
	}
	s := new(slab)
	if !p.CompareAndSwap(nil, s) {
		return cmp.Or(p.Load(), s) // it may have been forgotten meanwhile
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held, a.slabs = a.held+int64(unsafe.Sizeof(*s)), append(a.slabs, id/slabLen)
	return s
}

// ruleset returns a ruleset by its number.
func (a *Archive) ruleset(id uint32, d automaton.Dialect, busy bool) (*automaton.Ruleset, error) {
	if id == noBlob {
		return nil, nil
	}
	if uint64(id) >= uint64(a.blobCount) {
		return nil, errIndex
	}
	s := a.slab(id)
	r := s.rulesets[id%slabLen].Load()
	if r == nil || busy && s.complete.Load()>>(id%slabLen)&1 == 0 {
		var err error
		if r, err = a.make(s, id, busy); err != nil {
			return nil, &DamageError{Part: "ruleset", Ruleset: int(id), Reason: err.Error()}
		}
	}
	if r.Dialect() != d {
		return nil, errIndex
	}
	return r, nil
}

// blob returns the bytes of a blob, if their checksum is right.
func (a *Archive) blob(id uint32) ([]byte, error) {
	bounds := a.offsets[8*uint64(id):]
	from, to := le.Uint64(bounds), le.Uint64(bounds[8:])
	if from > to || to > uint64(len(a.blobs)) || to-from < checksumLen {
		return nil, errors.New(wrongLengths)
	}
	sum, blob := le.Uint32(a.blobs[from:]), a.blobs[from+checksumLen:to]
	if blobChecksum(id, blob) != sum {
		return nil, errors.New(wrongChecksum)
	}
	return blob, nil
}

// make checks and decodes a ruleset and keeps it in its slab, with all its tables if busy is set.
func (a *Archive) make(s *slab, id uint32, busy bool) (*automaton.Ruleset, error) {
	blob, err := a.blob(id)
	if err != nil {
		return nil, err
	}
	most := few
	if busy {
		most = tiny
	}
	r, size, waits, err := decode(blob, most)
	if err != nil {
		return nil, err
	}
	a.hold(size)
	kept := &s.rulesets[id%slabLen]
	switch {
	case busy:
		kept.Store(r) // replaces a ruleset without tables from another goroutine
	case !kept.CompareAndSwap(nil, r):
		return kept.Load(), nil
	}
	if !waits {
		s.complete.Or(1 << (id % slabLen))
	}
	return r, nil
}
