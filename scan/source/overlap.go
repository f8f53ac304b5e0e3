package source

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// Logs may overlap in part: one was copied before it was full, or two exports share an hour. What
// is in both counts twice. It is found by the first lines of each log: while the logs are read, the
// lines of a chunk are compared with them if their times overlap. So this costs next to nothing, and
// may miss an overlap where lines are out of order; but it never claims one that is not there.

// OpeningLines is how many lines of a log must stand in another one.
const OpeningLines = 8

// Opening is how a log begins; without lines if it has fewer than OpeningLines, or not all with
// a time, or some that are alike.
type Opening struct {
	Lines       []string
	First, Last int64 // their times
}

// Overlaps notes which lines of openings stand in other logs, for several goroutines.
type Overlaps struct {
	Openings []Opening // of all logs, before any is read
	mu       sync.Mutex
	seen     map[Overlap]int // as many bits as lines
}

// Overlap is a log in which the opening of another one stands, by their indexes.
type Overlap struct{ Opened, In int }

// Find notes which lines of the openings of other logs stand in a chunk of whole lines of one, which are of
// the times from first to last.
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

// Found returns, for each log whose opening stands in others that are not the same, one of these.
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
