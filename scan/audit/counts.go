package audit

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// Rows and tallies as bytes, for deferred records and states: before the final pass, so that
// there are no violations in them yet. The same counts make the same bytes. Numbers are
// uvarints unless deferred.go says otherwise for their kind.

// mostLines bounds the lines of an audit, so that no sum of its counts overflows. It would
// take a machine a century to count as many.
const mostLines = 1 << 53

// maxStatus is the highest status that a format reads.
const maxStatus = 999

// rowCounts is how many numbers rowNumbers has.
const rowCounts = 1 + int(verdicts) + int(reasons) + int(identities)

// rowNumbers are the counts of a row that are written one behind the other.
type rowNumbers [rowCounts]int64

func (r *row) numbers() (n rowNumbers) {
	n[0] = r.Requests
	rest := n[1:]
	for _, list := range [...][]int64{r.Verdicts[:], r.Reasons[:], r.Identities[:]} {
		rest = rest[copy(rest, list):]
	}
	return n
}

func (r *row) setNumbers(n rowNumbers) {
	r.Requests = n[0]
	rest := n[1:]
	for _, list := range [...][]int64{r.Verdicts[:], r.Reasons[:], r.Identities[:]} {
		rest = rest[copy(list, rest):]
	}
}

// Parts of a row that may be missing, as bits behind those of its numbers.
const (
	rowHasFetches = 1 << (rowCounts + iota)
	rowHasImpostors
	rowHasClaims
	rowHasFigures
	rowHasTimeline
)

// appendRow appends a row without its name: bits that say which of its numbers and parts
// follow, then these. Most rows have few.
func appendRow(b []byte, r *row) []byte {
	numbers, has := r.numbers(), uint64(0)
	for i, n := range numbers {
		if n != 0 {
			has |= 1 << i
		}
	}
	if r.Fetches != nil {
		has |= rowHasFetches
	}
	if r.Spoofed != nil {
		has |= rowHasImpostors
	}
	if r.Claims != nil {
		has |= rowHasClaims
	}
	if r.Figures.sum() > 0 {
		has |= rowHasFigures
	}
	if len(r.Timeline.Starts) > 0 {
		has |= rowHasTimeline
	}
	b = binary.AppendUvarint(b, has)
	for _, n := range numbers {
		if n != 0 {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	if f := r.Fetches; f != nil {
		b = appendStatuses(appendStatuses(appendPeriod(b, f.Period), f.Answers), f.Refused)
	}
	if r.Spoofed != nil {
		b = appendRow(b, r.Spoofed)
	}
	if r.Claims != nil {
		b = appendBounded(b, r.Claims, appendText)
	}
	if has&rowHasFigures != 0 {
		b = appendFigures(b, &r.Figures)
	}
	if has&rowHasTimeline != 0 {
		b = appendTimeline(b, &r.Timeline)
	}
	return b
}

// appendFigures appends figures of at least one request.
func appendFigures(b []byte, f *figures) []byte {
	b = binary.AppendUvarint(b, uint64(f.Bytes))
	statuses := f.sorted()
	b = binary.AppendUvarint(b, uint64(len(statuses)))
	for _, s := range statuses {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.Status)), uint64(s.N))
	}
	b = binary.AppendUvarint(b, uint64(len(f.Addresses.Kept)))
	for _, hash := range f.Addresses.Kept {
		b = binary.BigEndian.AppendUint64(b, hash)
	}
	return appendPaths(b, &f.Paths)
}

// appendPaths appends counts by target, of at most as many targets as a row keeps.
func appendPaths(b []byte, p *pathCounts) []byte {
	p.cut(p.paths)
	b = appendFlag(binary.AppendUvarint(b, uint64(p.Robots)), p.Cells != nil)
	if p.Cells != nil {
		b = binary.BigEndian.AppendUint64(b, p.Below)
	}
	for _, n := range p.Cells {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendUvarint(b, uint64(len(p.Kept)))
	for _, path := range slices.Sorted(maps.Keys(p.Kept)) {
		b = binary.BigEndian.AppendUint64(appendBytes(b, path), p.Kept[path].Least)
		if p.Cells == nil {
			b = binary.AppendUvarint(b, uint64(p.Kept[path].N))
		}
	}
	return b
}

// appendTimeline appends a timeline: each unit by its distance from the one before.
func appendTimeline(b []byte, l *timeline) []byte {
	b = binary.AppendUvarint(append(b, byte(l.Unit)), uint64(len(l.Starts)))
	last := earliestUnit(l.Unit)
	for i, start := range l.Starts {
		n := (start - aMonday) / unitLengths[l.Unit]
		b = appendCounts(binary.AppendUvarint(b, uint64(n-last)), &l.Counts, i)
		last = n
	}
	return b
}

// earliestUnit is one less than the number of the first unit that a time may be in.
func earliestUnit(u unit) int64 { return (u.start(earliest)-aMonday)/unitLengths[u] - 1 }

// appendCounts appends bits that say which counts of a unit are not zero, and these.
func appendCounts(b []byte, counts *[verdicts][]int64, unit int) []byte {
	has := uint64(0)
	for v, list := range counts {
		if list != nil && list[unit] != 0 {
			has |= 1 << v
		}
	}
	b = binary.AppendUvarint(b, has)
	for v, list := range counts {
		if has&(1<<v) != 0 {
			b = binary.AppendUvarint(b, uint64(list[unit]))
		}
	}
	return b
}

func appendPeriod(b []byte, p period) []byte {
	if !p.Any {
		return append(b, 0)
	}
	return appendTime(appendTime(append(b, 1), p.First), p.Last)
}

// appendStatuses appends numbers by status.
func appendStatuses(b []byte, n map[int]int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(n)))
	for _, status := range slices.Sorted(maps.Keys(n)) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(status)), uint64(n[status]))
	}
	return b
}

// row reads what appendRow has written of a row with these bounds: no number is greater than most.
func (r *recordReader) row(b bounds, most int64, ofImpostors bool) *row {
	has := r.uvarint(rowHasTimeline<<1 - 1)
	r.require(!ofImpostors || has&rowHasImpostors == 0, "impostors have impostors")
	row, numbers := newRow(b), rowNumbers{}
	for i := range numbers {
		if has&(1<<i) != 0 {
			numbers[i] = r.count(most)
		}
	}
	row.setNumbers(numbers)
	if has&rowHasFetches != 0 {
		row.Fetches = &fetches{r.period(), r.statuses(most), r.statuses(most)}
	}
	if has&rowHasImpostors != 0 && !r.bad() {
		row.Spoofed = r.row(b, most, true)
	}
	if has&rowHasClaims != 0 && !r.bad() {
		readBounded(r, row.claimed(), most, (*recordReader).text)
	}
	if has&rowHasFigures != 0 && !r.bad() {
		r.figures(&row.Figures, most)
	}
	if has&rowHasTimeline != 0 && !r.bad() {
		r.timeline(&row.Timeline, most)
	}
	return row
}

// figures reads what appendFigures has written.
func (r *recordReader) figures(f *figures, most int64) {
	f.Bytes = int64(r.uvarint(math.MaxInt64))
	for range r.uvarint(maxStatus + 1) {
		f.statuses.add(int(r.uvarint(maxStatus)), r.count(most))
	}
	for range r.uvarint(maxAddresses + 1) {
		f.Addresses.add(r.uint64())
	}
	r.paths(&f.Paths, most)
}

// paths reads what appendPaths has written.
func (r *recordReader) paths(p *pathCounts, most int64) {
	p.Robots = int64(r.uvarint(uint64(most)))
	if r.flag() {
		p.share()
		p.Below = r.uint64()
		for i := range p.Cells {
			p.Cells[i] = int64(r.uvarint(uint64(most)))
		}
	}
	p.Kept = map[string]*keptPath{}
	for range r.uvarint(uint64(p.paths)) {
		path, k := string(r.bytes()), &keptPath{Least: r.uint64()}
		if p.Kept[path] = k; p.Cells == nil {
			k.N = r.count(most)
		}
	}
}

// timeline reads what appendTimeline has written.
func (r *recordReader) timeline(l *timeline, most int64) {
	l.Unit = unit(r.byte())
	if r.require(l.Unit < units, "a timeline has no unit"); r.bad() {
		return
	}
	length, n := unitLengths[l.Unit], earliestUnit(l.Unit)
	last := (latest - aMonday) / length
	for range r.uvarint(uint64(l.most)) {
		n += int64(r.uvarint(uint64(last - n)))
		has := r.uvarint(1<<verdicts - 1)
		for v := range verdicts {
			if has&(1<<v) != 0 {
				l.add(aMonday+n*length, v, r.count(most))
			}
		}
	}
}

// count reads a number of at least 1.
func (r *recordReader) count(most int64) int64 {
	n := int64(r.uvarint(uint64(most)))
	r.require(n > 0, "a count is zero")
	return n
}

func (r *recordReader) period() (p period) {
	any := r.byte()
	r.require(any <= 1, "a period is of no kind")
	if any == 1 {
		p = period{r.time(), r.time(), true}
	}
	return p
}

func (r *recordReader) statuses(most int64) map[int]int64 {
	list := map[int]int64{}
	for range r.uvarint(maxStatus + 1) {
		list[int(r.uvarint(maxStatus))] = r.count(most)
	}
	return list
}

// sumOf adds up numbers none of which is more than mostLines.
func sumOf(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// appendTally appends a tally of workers that have ended.
func (a *Auditor) appendTally(b []byte, t *tally) []byte {
	for _, n := range t.totals.numbers() {
		b = binary.AppendUvarint(b, uint64(*n))
	}
	b = appendPeriod(appendPeriod(b, t.Period), t.Outside)
	b = binary.AppendUvarint(b, uint64(len(t.known)))
	profiles := a.config.Crawlers.Profiles()
	for i := range profiles {
		if r := t.known[&profiles[i]]; r != nil {
			b = appendRow(binary.AppendUvarint(b, uint64(i)), r)
		}
	}
	b = appendBounded(b, t.Hosts, appendText)
	b = appendBounded(b, t.Sizes, appendSizeKey)
	b = appendBounded(b, t.Addresses, func(b []byte, k lineFrom) []byte {
		return append(binary.BigEndian.AppendUint64(b, k.Line), k.Address[:]...)
	})
	operators := slices.Sorted(maps.Keys(t.Referred))
	b = binary.AppendUvarint(b, uint64(len(operators)))
	for _, operator := range operators {
		b = binary.AppendUvarint(appendBytes(b, operator), uint64(t.Referred[operator]))
	}
	b = binary.AppendUvarint(b, uint64(len(t.Quoted.Kept)))
	for _, s := range t.Quoted.Kept {
		b = appendBytes(b, s.Line)
	}
	return b
}

func appendText(b []byte, text string) []byte { return append(b, text...) }

// text reads all that is left.
func (r *recordReader) text() string { return string(r.take(len(r.rest))) }

func appendSizeKey(b []byte, k sizeKey) []byte {
	b = appendSite(b, k.At)
	b = binary.BigEndian.AppendUint32(b, uint32(k.First))
	b = binary.BigEndian.AppendUint32(b, uint32(k.Last))
	b = binary.BigEndian.AppendUint64(b, uint64(k.Size))
	return appendFlag(b, k.Other)
}

// appendBounded appends bounded counts, in the order of the bytes of their keys.
func appendBounded[K comparable](b []byte, m *bounded[K], appendKey func([]byte, K) []byte) []byte {
	type entry struct {
		key []byte
		tallied
	}
	var list []entry
	for k, t := range m.Kept {
		list = append(list, entry{appendKey(nil, k), t})
	}
	slices.SortFunc(list, func(x, y entry) int { return bytes.Compare(x.key, y.key) })
	b = binary.AppendUvarint(binary.AppendUvarint(b, m.Below), uint64(m.Rest))
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, e := range list {
		b = appendPeriod(binary.AppendUvarint(appendBytes(b, e.key), uint64(e.N)), e.Period)
	}
	return b
}

// readTally makes a tally of what appendTally has written, whose indexes and numbers have their
// bounds.
func (a *Auditor) readTally(b []byte) (t *tally, wrong string) {
	r := &recordReader{policy: a.config.Policy, rest: b}
	t = a.newTally()
	for _, n := range t.totals.numbers() {
		*n = int64(r.uvarint(mostLines))
	}
	lines := t.read()
	t.Period, t.Outside = r.period(), r.period()
	profiles := a.config.Crawlers.Profiles()
	for range r.uvarint(uint64(len(profiles))) {
		p := &profiles[r.uvarint(uint64(len(profiles)-1))]
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r.row(knownBounds, lines, false), 1)
	}
	readBounded(r, t.Hosts, lines, (*recordReader).text)
	readBounded(r, t.Sizes, lines, func(r *recordReader) sizeKey { return r.sizeKey(a) })
	readBounded(r, t.Addresses, lines, func(r *recordReader) lineFrom {
		return lineFrom{r.uint64(), [32]byte(r.take(32))}
	})
	for range r.uvarint(uint64(len(profiles))) {
		t.Referred[string(r.bytes())] = r.count(lines)
	}
	for range r.uvarint(maxUnparsed) {
		line := r.bytes()
		r.require(len(line) <= maxSample, "a quoted line is too long")
		t.Quoted.add(0, line)
	}
	r.end()
	return t, r.wrong
}

func (r *recordReader) sizeKey(a *Auditor) sizeKey {
	k := sizeKey{At: r.site(), First: int32(r.uint32()), Last: int32(r.uint32()), Size: int64(r.uint64())}
	k.Other = r.flag()
	r.require(k.At.N > 0 && 0 <= k.First && k.First <= k.Last, "a size of answers is of no version")
	r.require(r.bad() || int(k.Last) <= len(a.config.Policy.Versions(k.At.First)), "a size of answers is of no version")
	return k
}

// readBounded reads bounded counts, none greater than most, into an empty m.
func readBounded[K comparable](r *recordReader, m *bounded[K], most int64, readKey func(*recordReader) K) {
	m.Below, m.Rest = r.uvarint(math.MaxUint64), int64(r.uvarint(uint64(most)))
	for range r.uvarint(uint64(2 * m.limit)) {
		kr := &recordReader{policy: r.policy, rest: r.bytes()}
		k, t := readKey(kr), tallied{r.count(most), r.period()}
		if kr.end(); kr.bad() || r.bad() {
			r.require(r.bad(), kr.wrong)
			return
		}
		m.Kept[k] = t
	}
}
