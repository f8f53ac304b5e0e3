package audit

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// figures are what is counted of the requests of a row whatever their verdict. Each depends on
// the set of the requests alone, not on their order, and takes bounded memory.
type figures struct {
	bytes     int64
	statuses  []StatusCount // in no order
	last      int           // the index of the last status
	addresses addressSet
	paths     pathSample
}

// bounds are those of the figures of a row.
type bounds struct {
	units int // of its timeline
	paths int // requests whose paths are in the sample
}

// A report has all known crawlers, and up to maxUnknownListed unknown ones.
var knownBounds, unknownBounds = bounds{1024, 256}, bounds{64, 32}

// Bounds of the figures of each row.
const (
	maxAddresses   = 512 // beyond that their number is estimated, with a standard error of 4 per cent
	maxPath        = 200 // bytes
	maxPathsListed = 10
	maxRulePaths   = 3
)

// What the figures of a row take of the quota of a worker, in bytes, rounded up for slices that
// have room.
const (
	addressBytes = 2 * 8
	pathBytes    = 2*40 + 16 + maxPath
)

// see counts the record, a request of a client with an address, in the figures of its row.
func (w *Worker) see(f *figures, addr []byte) {
	r := &w.record
	f.bytes = plus(f.bytes, max(r.Size, 0))
	if len(f.statuses) > 0 && f.statuses[f.last].Status == r.Status {
		f.statuses[f.last].N++
	} else {
		w.quota.held += f.addStatus(r.Status, 1)
	}
	hash := hashField(addr)
	if hash < f.addresses.below() && len(addr) > 0 && string(addr) != "-" {
		if slot := &w.seen[hash%uint64(len(w.seen))]; slot.of != f || slot.hash != hash {
			*slot = seenAddress{f, hash}
			w.quota.held += f.addresses.add(hash)
		}
	}
	if hash = hashRequest(hash, r.Time, r.Target); hash <= f.paths.highest() {
		w.quota.held += addPath(&f.paths, hash, r.Target[:min(len(r.Target), maxPath)], 1)
	}
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

// hashRequest is a hash of a request: of its client, its time and the ends of its target.
func hashRequest(client uint64, t int64, target []byte) uint64 {
	h := client ^ uint64(len(target))<<56
	if n := len(target); n >= 8 {
		h ^= bits.RotateLeft64(binary.LittleEndian.Uint64(target), 23) ^ binary.LittleEndian.Uint64(target[n-8:])
	} else {
		for _, c := range target {
			h = h<<8 ^ h>>56 ^ uint64(c)
		}
	}
	return fold(h, uint64(t))
}

// fold multiplies two numbers, each with bits of its own, and folds the product.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xd1b54a32d192ed03)
	return hi ^ lo
}

// plus adds up numbers of bytes, of which a log can name any: a sum that is too large is the
// largest.
func plus(x, y int64) int64 {
	if x > math.MaxInt64-y {
		return math.MaxInt64
	}
	return x + y
}

// times is plus of x, n times.
func times(x, n int64) int64 {
	if hi, lo := bits.Mul64(uint64(x), uint64(n)); hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return x * n
}

// addStatus counts n answers with a status, and returns how many bytes that takes more.
func (f *figures) addStatus(status int, n int64) (bytes int) {
	f.last = slices.IndexFunc(f.statuses, func(s StatusCount) bool { return s.Status == status })
	if f.last < 0 {
		f.last, bytes = len(f.statuses), statusBytes
		f.statuses = append(f.statuses, StatusCount{Status: status})
	}
	f.statuses[f.last].N += n
	return bytes
}

// requests returns how many requests were counted.
func (f *figures) requests() (n int64) {
	for _, s := range f.statuses {
		n += s.N
	}
	return n
}

// sorted returns the statuses in their order.
func (f *figures) sorted() []StatusCount {
	list := append([]StatusCount{}, f.statuses...)
	slices.SortFunc(list, func(x, y StatusCount) int { return cmp.Compare(x.Status, y.Status) })
	return list
}

// merge adds n times the figures of another row.
func (f *figures) merge(other *figures, n int64) {
	f.bytes = plus(f.bytes, times(other.bytes, n))
	for _, s := range other.statuses {
		f.addStatus(s.Status, s.N*n)
	}
	for _, hash := range other.addresses {
		f.addresses.add(hash)
	}
	for _, p := range other.paths.kept {
		addPath(&f.paths, p.hash, p.path, p.n*n)
	}
}

// addressSet has the smallest of the hashes of addresses, in order: one more than maxAddresses,
// so that the last tells how dense they are.
type addressSet []uint64

// below returns a bound of the hashes that may be new.
func (s addressSet) below() uint64 {
	if len(s) > maxAddresses {
		return s[maxAddresses]
	}
	return math.MaxUint64
}

// add adds an address, and returns how many bytes that takes more.
func (s *addressSet) add(hash uint64) (bytes int) {
	at, known := slices.BinarySearch(*s, hash)
	switch {
	case known || at > maxAddresses:
		return 0
	case len(*s) > maxAddresses:
		copy((*s)[at+1:], (*s)[at:maxAddresses])
		(*s)[at] = hash
		return 0
	}
	*s = slices.Insert(*s, at, hash)
	return addressBytes
}

// count returns how many addresses there were, at most as many as requests.
func (s addressSet) count(requests int64) AddressCount {
	if len(s) <= maxAddresses {
		return AddressCount{int64(len(s)), true}
	}
	n := maxAddresses / (float64(s[maxAddresses]) / (1 << 64))
	return AddressCount{int64(min(n, float64(requests))), false}
}

// pathSample has the targets of the requests with the smallest hashes: of one more than most,
// which is the first that is not in the sample.
type pathSample struct {
	most int
	kept []sampledPath // in order
}

// sampledPath is the target of n requests with one hash.
type sampledPath struct {
	hash uint64
	path string
	n    int64
}

// highest returns a bound of the hashes that may be in the sample.
func (s *pathSample) highest() uint64 {
	if len(s.kept) > s.most {
		return s.kept[s.most].hash
	}
	return math.MaxUint64
}

// comparePaths orders the requests of a sample.
func comparePaths(x, y sampledPath) int {
	return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.path, y.path))
}

// addPath adds n requests with a hash for a target, and returns how many bytes that takes more.
func addPath[T string | []byte](s *pathSample, hash uint64, path T, n int64) (bytes int) {
	at, _ := slices.BinarySearchFunc(s.kept, hash, func(p sampledPath, hash uint64) int { return cmp.Compare(p.hash, hash) })
	for at < len(s.kept) && s.kept[at].hash == hash && s.kept[at].path < string(path) {
		at++
	}
	switch {
	case at > s.most:
		return 0
	case at < len(s.kept) && s.kept[at].hash == hash && s.kept[at].path == string(path):
		s.kept[at].n += n
		return 0
	case len(s.kept) > s.most:
		s.kept = s.kept[:s.most]
	default:
		bytes = pathBytes
	}
	s.kept = slices.Insert(s.kept, at, sampledPath{hash, string(path), n})
	return bytes
}

// list returns the targets that most of the requests were for.
func (s *pathSample) list(requests int64) PathList {
	list := PathList{List: []PathInfo{}, Exact: len(s.kept) <= s.most}
	byPath, all := map[string]int64{}, int64(0)
	for _, p := range s.kept[:min(len(s.kept), s.most)] {
		byPath[p.path] += p.n
		all += p.n
	}
	best := topPaths{most: maxPathsListed}
	for path, n := range byPath {
		if list.Exact {
			best.add(path, n)
		} else if n > 1 { // one of a sample says nothing
			hi, lo := bits.Mul64(uint64(n), uint64(requests))
			scaled, _ := bits.Div64(hi, lo, uint64(all))
			best.add(path, int64(scaled))
		}
	}
	if !list.Exact {
		list.Sample = all
	}
	list.List = append(list.List, best.kept...)
	return list
}

// topPaths keeps the paths with the highest numbers, and of equal numbers the first by bytes.
type topPaths struct {
	most int
	kept []PathInfo
}

// list returns the paths for a report, all of which were counted.
func (t *topPaths) list() PathList {
	list := PathList{List: []PathInfo{}, Exact: true}
	if t != nil {
		list.List = append(list.List, t.kept...)
	}
	return list
}

func (t *topPaths) add(path string, n int64) {
	p := PathInfo{path, n}
	at, _ := slices.BinarySearchFunc(t.kept, p, func(x, y PathInfo) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Path, y.Path)) })
	if at == t.most {
		return
	}
	if len(t.kept) == t.most {
		t.kept = t.kept[:t.most-1]
	}
	t.kept = slices.Insert(t.kept, at, p)
}
