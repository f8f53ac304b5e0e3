package audit

import (
	"slices"
	"time"
)

// timeline counts requests by verdict in units of time: in the shortest one of which no more
// are needed than most. So it depends on the set of the times alone.
type timeline struct {
	from    int64 // when the unit with the last request begins
	length  int64 // of it; 0 if there is none
	current *VerdictCounts
	unit    unit
	most    int
	starts  []int64         // of the units with requests, in order
	counts  []VerdictCounts // in each of them
}

// unit is a length of time. Each is a multiple of the one before.
type unit uint8

const (
	byHour unit = iota
	byDay
	byWeek
	byYear
	byCentury
	units
)

var (
	unitNames   = [units]string{"hour", "day", "week", "year", "century"}
	unitLengths = [units]int64{hour, 24 * hour, 7 * 24 * hour, 364 * 24 * hour, 100 * 364 * 24 * hour}
)

// unitBytes is what a unit takes of the quota of a worker.
const unitBytes = 2 * 8 * (1 + int(verdicts))

// aMonday is when a week began.
var aMonday = time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC).UnixNano()

// start returns when the unit with a time begins.
func (u unit) start(t int64) int64 {
	length := unitLengths[u]
	n := (t - aMonday) % length
	if n < 0 {
		n += length
	}
	return t - n
}

// add counts n requests at a time, and returns how many bytes that takes more.
func (l *timeline) add(t int64, v Verdict, n int64) (bytes int) {
	if uint64(t-l.from) >= uint64(l.length) {
		bytes = l.find(t)
	}
	l.current[v] += n
	return bytes
}

// find makes the unit with a time the current one.
func (l *timeline) find(t int64) (bytes int) {
	at, known := slices.BinarySearch(l.starts, l.unit.start(t))
	if !known {
		before := len(l.starts)
		l.starts, l.counts = slices.Insert(l.starts, at, l.unit.start(t)), slices.Insert(l.counts, at, VerdictCounts{})
		for len(l.starts) > l.most && l.unit < units-1 {
			l.coarsen(l.unit + 1)
			at, _ = slices.BinarySearch(l.starts, l.unit.start(t))
		}
		bytes = (len(l.starts) - before) * unitBytes
	}
	l.from, l.length, l.current = l.starts[at], unitLengths[l.unit], &l.counts[at]
	return bytes
}

// coarsen counts by a longer unit.
func (l *timeline) coarsen(by unit) {
	n := 0
	for i, t := range l.starts {
		start, counts := by.start(t), l.counts[i]
		if n > 0 && l.starts[n-1] == start {
			addCounts(l.counts[n-1][:], counts[:], 1)
			continue
		}
		l.starts[n], l.counts[n] = start, counts
		n++
	}
	l.unit, l.starts, l.counts, l.length = by, l.starts[:n], l.counts[:n], 0
}

// merge adds n times the counts of another timeline.
func (l *timeline) merge(other *timeline, n int64) {
	if other.unit > l.unit {
		l.coarsen(other.unit)
	}
	for i, start := range other.starts {
		l.add(start, 0, 0)
		addCounts(l.current[:], other.counts[i][:], n)
	}
}

// mergeSpoofed adds the counts of another timeline as those of impostors.
func (l *timeline) mergeSpoofed(other *timeline) {
	all := timeline{most: other.most, unit: other.unit, starts: other.starts}
	for _, counts := range other.counts {
		all.counts = append(all.counts, VerdictCounts{Spoofed: sumOf(counts[:])})
	}
	l.merge(&all, 1)
}

// sums returns how many requests of each verdict there are.
func (l *timeline) sums() (sums VerdictCounts) {
	for i := range l.counts {
		addCounts(sums[:], l.counts[i][:], 1)
	}
	return sums
}

// unit returns the unit of the timelines of a report, by a name or by the time from the first
// request to the last.
func (t *tally) unit(by string) unit {
	switch {
	case by == unitNames[byHour]:
		return byHour
	case by == unitNames[byDay] || t.period.last-t.period.first > 7*24*hour:
		return byDay
	}
	return byHour
}

// info returns the timeline for a report, by a unit or by its own if that is longer.
func (l *timeline) info(by unit) Timeline {
	l.coarsen(max(by, l.unit))
	info := Timeline{By: unitNames[l.unit], From: []string{}, Verdicts: map[string][]int64{}}
	sums := l.sums()
	for i, start := range l.starts {
		info.From = append(info.From, timeText(start))
		for v, all := range sums {
			if all > 0 {
				info.Verdicts[verdictNames[v]] = append(info.Verdicts[verdictNames[v]], l.counts[i][v])
			}
		}
	}
	return info
}
