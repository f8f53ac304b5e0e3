package audit

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// figures are what is counted of the requests of a row whatever their verdict. Each depends on
// the set of the requests alone, not on their order, and takes bounded memory. What nearly every
// request needs stands first, so that it is in one or two lines of a cache.
type figures struct {
	Bytes     byteSum    `cbor:"1,keyasint,omitzero"`
	Statuses  statuses   `cbor:"2,keyasint,omitzero"`
	Addresses addressSet `cbor:"3,keyasint,omitzero"`
	Paths     pathCounts `cbor:"4,keyasint,omitzero"`
}

// bounds are those of the figures of a row.
type bounds struct {
	units int // of its timeline
	paths int // targets that are kept
	sums  int // cells for the numbers of more targets
}

// A report has all known crawlers, and up to maxUnknownListed unknown ones.
var knownBounds, unknownBounds = bounds{1024, 512, 1 << 12}, bounds{64, 64, 1 << 9}

// Bounds of the figures of each row.
const (
	maxAddresses   = 2048 // beyond that their number is estimated, with a standard error of 2 per cent
	maxPath        = 200  // bytes
	maxPathsListed = 10
	maxRulePaths   = 3
)

// What the figures of a row take of the quota of a worker, in bytes, rounded up for slices that
// have room.
const (
	addressBytes = 2 * 8
	pathBytes    = 160 // beside its text
)

// see counts a record, a request of a client with an address, in the figures of its row.
func (w *counting) see(f *figures, r *format.Record, addr []byte) {
	f.Bytes = report.Plus(f.Bytes, byteSum(max(r.Size, 0)))
	if known := f.Statuses; len(known) > 0 && known[0].Status == r.Status {
		known[0].N++ // the first is nearly always 200
	} else {
		w.quota.held += f.Statuses.add(r.Status, 1)
	}
	hash := hashField(addr)
	slot := &w.seen[hash%uint64(len(w.seen))]
	if slot.hash != hash || slot.of != f {
		*slot = seenAddress{f, hash}
		if hash <= f.Addresses.highest && len(addr) > 0 && string(addr) != "-" {
			w.quota.held += f.Addresses.add(hash)
		}
	}
	at := r.Time
	if !r.HasTime {
		at = 0
	}
	if r.Robots && string(r.Target) == robotsTxt {
		f.Paths.Robots++
		return
	}
	hash = fold(hash^uint64(len(r.Target)), uint64(at)^uint64(r.Size)<<1)
	w.quota.held += f.Paths.add(hash, r.Target[:min(len(r.Target), maxPath)], 1)
}

// seenAddress is an address that a row has counted.
type seenAddress struct {
	of   *figures
	hash uint64
}

// hashField is a hash of a short text that is the same on every machine.
func hashField(b []byte) uint64 {
	n := len(b)
	h := uint64(n)
	for len(b) > 16 {
		h = fold(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
		b = b[min(16, len(b)-16):]
	}
	switch n = len(b); {
	case n >= 8:
		return fold(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:]))
	case n >= 4:
		return fold(h^uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:])))
	case n > 0:
		return fold(h^uint64(b[0]), uint64(b[n/2])<<8|uint64(b[n-1]))
	}
	return fold(h, 0)
}

// fold multiplies two numbers, each with bits of its own, and folds the product.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xd1b54a32d192ed03)
	return hi ^ lo
}

// byteSum is a number of bytes.
type byteSum int64

// times is Plus of x, n times.
func times[N ~int64](x N, n int64) N {
	if hi, lo := bits.Mul64(uint64(x), uint64(n)); hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return x * N(n)
}

// statuses counts answers by status, in the order of these. They are few.
type statuses []report.StatusCount

// add counts n answers with a status, and returns how many bytes that takes more.
func (s *statuses) add(status int, n int64) (bytes int) {
	at := 0
	for at < len(*s) && (*s)[at].Status < status {
		at++
	}
	if at == len(*s) || (*s)[at].Status != status {
		*s = slices.Insert(*s, at, report.StatusCount{Status: status})
		bytes = statusBytes
	}
	(*s)[at].N += n
	return bytes
}

// sum returns how many answers were counted.
func (s statuses) sum() (n int64) {
	for _, of := range s {
		n += of.N
	}
	return n
}

// merge adds n times the figures of another row.
func (f *figures) merge(other *figures, n int64) {
	f.Bytes = report.Plus(f.Bytes, times(other.Bytes, n))
	for _, s := range other.Statuses {
		f.Statuses.add(s.Status, s.N*n)
	}
	for _, hash := range other.Addresses.Kept {
		f.Addresses.add(hash)
	}
	f.Paths.merge(&other.Paths, n)
}

// addressSet has the smallest of the hashes of addresses: one more than maxAddresses, so that
// the last tells how dense they are.
type addressSet struct {
	highest uint64   // of the hashes that are wanted
	Kept    []uint64 `cbor:"1,keyasint,omitempty"` // in order
}

// add adds an address, and returns how many bytes that takes more.
func (s *addressSet) add(hash uint64) (bytes int) {
	at, known := slices.BinarySearch(s.Kept, hash)
	if known || at > maxAddresses {
		return 0
	}
	bytes = addressBytes
	if len(s.Kept) > maxAddresses {
		s.Kept, bytes = s.Kept[:maxAddresses], 0
	}
	s.Kept = slices.Insert(s.Kept, at, hash)
	if len(s.Kept) > maxAddresses {
		s.highest = s.Kept[maxAddresses]
	}
	return bytes
}

// count returns how many addresses there were, at most as many as requests.
func (s *addressSet) count(requests int64) report.AddressCount {
	if len(s.Kept) <= maxAddresses {
		return report.AddressCount{N: int64(len(s.Kept)), Exact: true}
	}
	n := maxAddresses / (float64(s.highest) / (1 << 64))
	return report.AddressCount{N: int64(min(n, float64(requests))), Exact: false}
}
