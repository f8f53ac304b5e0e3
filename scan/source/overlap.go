package source

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// Logs may overlap in part, if one was copied before it was complete or two exports share an hour.
// Shared lines count twice. Overlaps are found by the first lines of each log: while the logs are
// read, the lines of a chunk are compared with them if the times overlap. This is almost free, and
// may miss an overlap if lines are out of order, but never reports a false one.

// OpeningLines is the number of first lines of a log that must be in another one.
const OpeningLines = 8

// Opening is the beginning of a log. It has no lines if there are fewer than OpeningLines, if a
// line has no time, or if some lines are equal.
type Opening struct {
	Lines       []string
	First, Last int64 // times of the first and last line
}

// Overlaps records which lines of openings occur in other logs. It is safe for concurrent use.
type Overlaps struct {
	Openings []Opening // of all logs, before any is read
	mu       sync.Mutex
	seen     map[Overlap]int // one bit per line
}

// Overlap is a pair of logs by index: one contains the opening of the other.
type Overlap struct{ Opened, In int }

// Find records which lines of other logs' openings occur in a chunk of whole lines, whose times
// range from first to last.
func (o *Overlaps) Find(in int, first, last int64, data []byte) {
	type place struct{ log, bit int }
	wanted := map[string][]place{}
	for i, opening := range o.Openings {
		if i == in || opening.Last < first || opening.First > last {
			continue
		}
		for bit, line := range opening.Lines {
			wanted[line] = append(wanted[line], place{i, bit})
		}
	}
	if len(wanted) == 0 {
		return
	}
	for line := range bytes.Lines(data) {
		for _, at := range wanted[string(bytes.TrimRight(line, "\r\n"))] {
			o.mu.Lock()
			if o.seen == nil {
				o.seen = map[Overlap]int{}
			}
			o.seen[Overlap{at.log, in}] |= 1 << at.bit
			o.mu.Unlock()
		}
	}
}

// Found returns, for each log whose opening occurs in logs that aren't duplicates of it, one of
// these.
func (o *Overlaps) Found(same func(x, y int) bool) []Overlap {
	const all = 1<<OpeningLines - 1
	var found []Overlap
	for at, bits := range o.seen {
		mutual := o.seen[Overlap{at.In, at.Opened}] == all
		if bits == all && !same(at.Opened, at.In) && (!mutual || at.Opened > at.In) {
			found = append(found, at)
		}
	}
	slices.SortFunc(found, func(x, y Overlap) int {
		return cmp.Or(cmp.Compare(x.Opened, y.Opened), cmp.Compare(x.In, y.In))
	})
	return slices.CompactFunc(found, func(x, y Overlap) bool { return x.Opened == y.Opened })
}
