package audit

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// figures are the statistics of a row's requests that do not depend on verdicts. They depend only
// on the set of requests, not on their order, and take bounded memory. The fields that nearly every
// request updates come first, to share one or two cache lines.
type figures struct {
	Bytes     byteSum    `cbor:"1,keyasint,omitzero"`
	Statuses  statuses   `cbor:"2,keyasint,omitzero"`
	Addresses addressSet `cbor:"3,keyasint,omitzero"`
	Paths     pathCounts `cbor:"4,keyasint,omitzero"`
}

// bounds are the limits on the figures of a row.
type bounds struct {
	units int // of the timeline
	paths int // targets kept
	sums  int // cells for the counts of more targets
}

// A report has rows for all known crawlers, but for at most maxUnknownListed unknown ones.
var knownBounds, unknownBounds = bounds{1024, 512, 1 << 12}, bounds{64, 64, 1 << 9}

// Bounds of the figures of each row.
const (
	maxAddresses   = 2048 // more are estimated, with a standard error of 2 per cent
	maxPath        = 200  // bytes
	maxPathsListed = 10
	maxRulePaths   = 3
)

// The bytes that the figures of a row take from a worker's quota, rounded up to allow for the spare
// capacity of slices.
const (
	addressBytes = 2 * 8
	pathBytes    = 160 // besides its text
)

// see counts a record, a request from a client, in the figures of its row. target is what is known
// about its target, or nil.
func (w *counting) see(seen *figures, record *format.Record, from *sender, target *recentTarget) {
	seen.Bytes = report.Plus(seen.Bytes, byteSum(max(record.Size, 0)))
	if known := seen.Statuses; len(known) > 0 && known[0].Status == record.Status {
		known[0].N++ // the first is nearly always 200
	} else {
		w.quota.held += seen.Statuses.add(record.Status, 1)
	}
	if from.of != seen {
		from.of = seen
		if from.hash <= seen.Addresses.highest && from.isLogged {
			w.quota.held += seen.Addresses.add(from.hash)
		}
	}
	at := record.Time
	if !record.HasTime {
		at = 0
	}
	if record.Robots && string(record.Target) == robotsTxt {
		seen.Paths.Robots++
		return
	}
	hash := fold(from.hash^uint64(len(record.Target)), uint64(at)^uint64(record.Size)<<1)
	if target != nil {
		w.quota.held += seen.Paths.addRecent(hash, record.Target, target)
	} else {
		w.quota.held += seen.Paths.add(hash, record.Target[:min(len(record.Target), maxPath)], 1)
	}
}

// hashField hashes a short text. The hash is the same on every machine.
func hashField(b []byte) uint64 {
	n := len(b)
	h := uint64(n)
	for len(b) > 16 {
		h = fold(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
		b = b[min(16, len(b)-16):]
	}
	n = len(b)
	switch {
	case n >= 8:
		return fold(h^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:]))
	case n >= 4:
		return fold(h^uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:])))
	case n > 0:
		return fold(h^uint64(b[0]), uint64(b[n/2])<<8|uint64(b[n-1]))
	}
	return fold(h, 0)
}

// fold multiplies two numbers, modified by different constants, and folds the product.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xd1b54a32d192ed03)
	return hi ^ lo
}

type byteSum int64

// times adds x up n times, as Plus does.
func times[N ~int64](x N, n int64) N {
	if hi, lo := bits.Mul64(uint64(x), uint64(n)); hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return x * N(n)
}

// statuses counts answers by status, sorted by status. There are few.
type statuses []report.StatusCount

// add counts n answers with a status, and returns how many more bytes that takes.
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

// sum returns the number of answers.
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

// addressSet keeps the smallest hashes of addresses: one more than maxAddresses, so that the last
// one shows how dense they are.
type addressSet struct {
	highest uint64   // the highest hash wanted
	Kept    []uint64 `cbor:"1,keyasint,omitempty"` // sorted
}

// add adds an address, and returns how many more bytes that takes.
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

// count returns the number of addresses, which is at most the number of requests.
func (s *addressSet) count(requests int64) report.AddressCount {
	if len(s.Kept) <= maxAddresses {
		return report.AddressCount{N: int64(len(s.Kept)), Exact: true}
	}
	n := maxAddresses / (float64(s.highest) / (1 << 64))
	return report.AddressCount{N: int64(min(n, float64(requests))), Exact: false}
}

// outcomeOf returns the outcome of an answer to a request (audit-rules 6).
func outcomeOf(status int, size int64, m report.Method) report.Outcome {
	switch {
	case status == 202: // "accepted" is not content, and challenges use this status
		return report.OtherOutcome
	case status/100 == 2 && (m == report.Head || !hasBody(status, size)):
		return report.Empty
	case status/100 == 2:
		return report.Content
	case status == 304:
		return report.NotModified
	case status/100 == 3:
		return report.Redirected
	case status/100 == 5:
		return report.Refused
	}
	switch status {
	case 401, 402, 403, 429, 444, 451:
		return report.Refused
	}
	return report.OtherOutcome
}

// hasBody reports whether an answer 2xx to a GET had a body, as far as the log shows it. If a
// format has no sizes, only the status decides.
func hasBody(status int, size int64) bool {
	return status != 204 && (size > 0 || size == format.NoSizes)
}

func methodOf(method []byte) report.Method {
	switch string(method) {
	case "GET":
		return report.Get
	case "HEAD":
		return report.Head
	}
	return report.OtherMethod
}

func answerClassOf(status int) report.AnswerClass {
	switch {
	case status == 304:
		return report.AnswerNotModified
	case status == 429:
		return report.AnswerTooMany
	case 200 <= status && status < 600:
		return [...]report.AnswerClass{2: report.AnswerSuccess, report.AnswerRedirect, report.AnswerUnavailable,
			report.AnswerError}[status/100]
	}
	return report.AnswerOther
}

// pathCounts counts the requests of a row by target, in any order of lines and in bounded memory.
// Until there are more distinct targets than it may keep, each has an exact count.
//
// Beyond that, the counts are sums in cells (a count-min sketch): each target has two cells, chosen by its hash and
// shared with others, so the lesser sum is never too low. The targets whose texts are kept are those with the
// smallest hash of any request: the more often a target is requested, the smaller that is likely to be. If 512
// targets are kept, one with two hundredths of the requests is missing in one of 28,000 cases.
type pathCounts struct {
	// Cells are nil while each target has an exact count.
	Cells []int64 `cbor:"1,keyasint,omitempty"`
	// With cells, targets are kept that have a request with a hash below this.
	Below  uint64               `cbor:"2,keyasint"`
	Robots int64                `cbor:"3,keyasint,omitempty"` // requests for /robots.txt, which are counted nowhere else
	Kept   map[string]*keptPath `cbor:"4,keyasint,omitempty"`
	bounds
}

type keptPath struct {
	N     int64  `cbor:"1,keyasint,omitempty"` // its requests; 0 with cells
	Least uint64 `cbor:"2,keyasint"`           // the smallest hash of its requests
}

const (
	// perLine is the number of cells in a cache line. Both cells of a target are in the same line, one in each half.
	perLine = 8
	// One in rarely cells may exceed the number that is taken as the maximum of others.
	rarely = 64
	// tooHigh is the minimum ratio of a listed number to its possible error, so that it is at most a tenth too high.
	tooHigh = 11
)

// add adds n requests for a target. hash is the smallest hash of these. It returns how many more bytes that takes.
func (p *pathCounts) add(hash uint64, path []byte, n int64) (bytes int) {
	if p.Cells != nil {
		p.count(hashField(path), n)
		if hash >= p.Below {
			return 0
		}
		n = 0
	}
	_, bytes = p.keep(hash, path, n)
	return bytes
}

// keep is add for a target that is kept, which it returns.
func (p *pathCounts) keep(hash uint64, path []byte, n int64) (kept *keptPath, bytes int) {
	kept = p.Kept[string(path)]
	if kept == nil {
		if p.Kept == nil {
			p.Kept = map[string]*keptPath{}
		}
		kept = &keptPath{Least: hash}
		p.Kept[string(path)] = kept
		bytes = pathBytes + len(path)
	}
	kept.N += n
	kept.Least = min(kept.Least, hash)
	if len(p.Kept) > 2*p.paths {
		bytes += p.cut(p.paths)
	}
	return kept, bytes
}

// addRecent is add for one request, given what is known about its target. Without cells, no target is ever dropped.
func (p *pathCounts) addRecent(hash uint64, path []byte, of *recentTarget) (bytes int) {
	if of.paths != p {
		of.paths, of.kept, of.least = p, nil, math.MaxUint64
	}
	switch {
	case p.Cells != nil:
		p.count(of.hash, 1)
		// A target that was kept for a smaller hash is still kept, or no hash from that one on is wanted.
		if hash < of.least && hash < p.Below {
			of.least = hash
			_, bytes = p.keep(hash, path, 0)
		}
	case of.kept != nil:
		of.kept.N++
		of.kept.Least = min(of.kept.Least, hash)
	default:
		of.kept, bytes = p.keep(hash, path, 1)
	}
	return bytes
}

// count adds requests to the cells of a target, given its hash.
func (p *pathCounts) count(hash uint64, n int64) {
	first, second := p.cellsOf(hash)
	p.Cells[first] += n
	p.Cells[second] += n
}

func (p *pathCounts) cellsOf(hash uint64) (first, second int) {
	line := int(hash>>8) & (len(p.Cells)/perLine - 1) * perLine
	return line + int(hash)&(perLine/2-1), line + perLine/2 + int(hash>>4)&(perLine/2-1)
}

// share makes the cells, unless there are any, and returns how many bytes they take.
func (p *pathCounts) share() (bytes int) {
	if p.Cells != nil {
		return 0
	}
	p.Cells = make([]int64, p.sums)
	for path, k := range p.Kept {
		p.count(hashField([]byte(path)), k.N)
		k.N = 0
	}
	return 8 * len(p.Cells)
}

// cut keeps at most that many targets, and returns how many more bytes that takes. The result does
// not depend on earlier cuts, if these kept as many or more.
func (p *pathCounts) cut(most int) (bytes int) {
	if len(p.Kept) <= most {
		return 0
	}
	hashes := make([]uint64, 0, len(p.Kept))
	for _, k := range p.Kept {
		hashes = append(hashes, k.Least)
	}
	slices.Sort(hashes)
	return p.share() - p.lower(hashes[most])
}

// lower drops the targets whose hashes are not below the bound, and returns how many bytes that frees.
func (p *pathCounts) lower(below uint64) (bytes int) {
	p.Below = below
	for path, k := range p.Kept {
		if k.Least >= below {
			bytes += pathBytes + len(path)
			delete(p.Kept, path)
		}
	}
	return bytes
}

// merge adds n times the counts of another row with the same bounds.
func (p *pathCounts) merge(other *pathCounts, n int64) {
	p.Robots += other.Robots * n
	if other.Cells != nil {
		p.share()
		report.AddCounts(p.Cells, other.Cells, n)
		p.lower(min(p.Below, other.Below))
	}
	for path, k := range other.Kept {
		p.add(k.Least, []byte(path), k.N*n)
	}
}

// list returns the most requested targets.
func (p *pathCounts) list() report.PathList {
	best := topPaths{most: maxPathsListed}
	if p.Robots > 0 {
		best.add(report.PathInfo{Path: robotsTxt, N: p.Robots})
	}
	if p.Cells == nil {
		for path, k := range p.Kept {
			best.add(report.PathInfo{Path: path, N: k.N})
		}
		return best.list()
	}
	type found struct {
		report.PathInfo
		cells [2]int
	}
	var all []found
	ofKept := make([]int64, len(p.Cells)) // at most
	for path := range p.Kept {
		first, second := p.cellsOf(hashField([]byte(path)))
		n := min(p.Cells[first], p.Cells[second])
		all = append(all, found{report.PathInfo{Path: path, N: n}, [2]int{first, second}})
		ofKept[first] += n
		ofKept[second] += n
	}
	// Dropped targets add at most this to nearly all cells without a kept target. Both cells of a
	// target exceed it by chance in only one of rarely * rarely cases.
	var free []int64
	for i, n := range p.Cells {
		if ofKept[i] == 0 {
			free = append(free, n)
		}
	}
	slices.Sort(free)
	most := free[len(free)-1-len(free)/rarely]
	rest := slices.Clone(p.Cells) // without the listed targets
	for _, of := range all {
		for _, cell := range of.cells {
			of.TooHigh = max(of.TooHigh, of.N-(p.Cells[cell]-(ofKept[cell]-of.N)-most))
		}
		if of.N < tooHigh*of.TooHigh {
			continue
		}
		best.add(of.PathInfo)
		for _, cell := range of.cells {
			rest[cell] -= of.N - of.TooHigh
		}
	}
	list := best.list()
	list.Exact = false
	for line := range slices.Chunk(rest, perLine) {
		list.OthersAtMost = max(list.OthersAtMost, min(slices.Max(line[:perLine/2]), slices.Max(line[perLine/2:])))
	}
	return list
}

// topPaths keeps the paths with the highest numbers; of equal numbers, it prefers the first path by bytes.
type topPaths struct {
	most   int
	kept   []report.PathInfo
	others int64 // the highest number of a dropped path
}

// list returns the paths for a report, with exact counts.
func (t *topPaths) list() report.PathList {
	list := report.PathList{List: []report.PathInfo{}, Exact: true}
	if t != nil {
		list.List, list.OthersAtMost = append(list.List, t.kept...), t.others
	}
	return list
}

func (t *topPaths) add(p report.PathInfo) {
	at, _ := slices.BinarySearchFunc(t.kept, p, func(x, y report.PathInfo) int {
		return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Path, y.Path))
	})
	t.kept = slices.Insert(t.kept, at, p)
	if len(t.kept) > t.most {
		t.others = max(t.others, t.kept[t.most].N)
		t.kept = t.kept[:t.most]
	}
}

// timeline counts requests by verdict in units of time: the shortest unit of which at most most are
// needed. So it depends only on the set of times.
type timeline struct {
	from   int64       // the beginning of the unit with the last request
	length int64       // the length of this unit; 0 if there is none
	at     int         // the index of this unit
	Unit   report.Unit `cbor:"1,keyasint,omitempty"`
	most   int
	Starts []int64 `cbor:"2,keyasint,omitempty"` // of the units with requests, sorted
	// Counts holds the requests of each verdict in each unit, or nil. Most crawlers have few verdicts,
	// and the counts of adjacent units share a cache line.
	Counts [report.Verdicts][]int64 `cbor:"3,keyasint"`
}

// unitBytes is the charge for a unit to the quota of a worker.
const unitBytes = 2 * 8 * (1 + int(report.Verdicts))

// aMonday is the beginning of some week.
var aMonday = time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC).UnixNano()

// start returns the beginning of the unit that contains a time.
func start(u report.Unit, t int64) int64 {
	length := int64(u.Length())
	n := (t - aMonday) % length
	if n < 0 {
		n += length
	}
	return t - n
}

// isAt reports whether a time is in the current unit. The difference may overflow, but all times
// are close enough together that it is then not mistaken for less than a decade.
func (l *timeline) isAt(t int64) bool { return uint64(t-l.from) < uint64(l.length) }

// clock returns what the clocks of a zone show at a time, as if that were UTC. Timelines count by it, so a day is a
// local day, of 23 or 25 hours when the clocks change, and the hour that occurs twice counts as one.
func clock(t int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return t
	}
	_, offset := time.Unix(0, t).In(zone).Zone()
	return t + int64(offset)*int64(time.Second)
}

// unclock returns the first time at which the clocks of a zone show the given time or a later one.
func unclock(shown int64, zone *time.Location) time.Time {
	first := time.Unix(0, shown).Add(-15 * time.Hour) // no zone is further from UTC
	minutes := sort.Search(30*60, func(n int) bool {
		return clock(first.Add(time.Duration(n)*time.Minute).UnixNano(), zone) >= shown
	})
	return first.Add(time.Duration(minutes) * time.Minute).In(cmp.Or(zone, time.UTC))
}

// add counts n requests at a time, and returns how many more bytes that takes.
func (l *timeline) add(t int64, v report.Verdict, n int64) (bytes int) {
	if !l.isAt(t) {
		bytes = l.find(t)
	}
	if l.Counts[v] == nil {
		l.Counts[v] = make([]int64, len(l.Starts), cap(l.Starts))
	}
	l.Counts[v][l.at] += n
	return bytes
}

// find makes the unit that contains a time the current one.
func (l *timeline) find(time int64) (bytes int) {
	at := l.at + 1 // nearly always the next unit
	known := l.length > 0 && at < len(l.Starts) && uint64(time-l.Starts[at]) < uint64(l.length)
	if !known {
		at, known = slices.BinarySearch(l.Starts, start(l.Unit, time))
	}
	if !known {
		before := len(l.Starts)
		l.insert(at, start(l.Unit, time))
		for len(l.Starts) > l.most && l.Unit < report.Decade {
			l.coarsen(l.Unit + 1)
			at, _ = slices.BinarySearch(l.Starts, start(l.Unit, time))
		}
		bytes = (len(l.Starts) - before) * unitBytes
	}
	l.from, l.length, l.at = l.Starts[at], int64(l.Unit.Length()), at
	return bytes
}

// insert inserts a unit without requests.
func (l *timeline) insert(at int, start int64) {
	l.Starts = slices.Insert(l.Starts, at, start)
	for v, list := range l.Counts {
		if list != nil {
			l.Counts[v] = slices.Insert(list, at, 0)
		}
	}
}

// coarsen changes to a longer unit.
func (l *timeline) coarsen(by report.Unit) {
	old := *l
	*l = timeline{Unit: by, most: l.most}
	l.merge(&old, 1)
}

// merge adds n times the counts of another timeline.
func (l *timeline) merge(other *timeline, n int64) {
	if other.Unit > l.Unit {
		l.coarsen(other.Unit)
	}
	for i, start := range other.Starts {
		l.find(start)
		for v, list := range other.Counts {
			if list != nil && list[i] != 0 {
				l.add(start, report.Verdict(v), list[i]*n)
			}
		}
	}
}

// mergeSpoofed adds the counts of another timeline as requests of impostors.
func (l *timeline) mergeSpoofed(other *timeline) {
	all := *other
	all.Counts = [report.Verdicts][]int64{report.Spoofed: make([]int64, len(other.Starts))}
	for _, list := range other.Counts {
		report.AddCounts(all.Counts[report.Spoofed], list, 1)
	}
	l.merge(&all, 1)
}

// unit returns the unit of the timelines in a report, given its name or the time from the first
// request to the last.
func (t *tally) unit(by string) report.Unit {
	switch {
	case by == report.Hour.String():
		return report.Hour
	case by == report.Day.String() || t.Period.Last-t.Period.First > 7*24*hour:
		return report.Day
	}
	return report.Hour
}

// info returns the timeline for a report, in the given unit or its own, if that is longer.
func (l *timeline) info(by report.Unit, zone *time.Location) report.Timeline {
	if by > l.Unit {
		l.coarsen(by)
	}
	info := report.Timeline{By: l.Unit, From: []report.Time{}, Verdicts: map[report.Verdict][]int64{}}
	for _, start := range l.Starts {
		info.From = append(info.From, report.Time{Time: unclock(start, zone)})
	}
	for v, list := range l.Counts {
		if list != nil {
			info.Verdicts[report.Verdict(v)] = slices.Clone(list)
		}
	}
	return info
}
