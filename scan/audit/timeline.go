package audit

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// timeline counts requests by verdict in units of time: in the shortest one of which no more
// are needed than most. So it depends on the set of the times alone.
type timeline struct {
	from   int64       // when the unit with the last request begins
	length int64       // of it; 0 if there is none
	at     int         // its index
	Unit   report.Unit `cbor:"1,keyasint,omitempty"`
	most   int
	Starts []int64 `cbor:"2,keyasint,omitempty"` // of the units with requests, in order
	// counts has the requests of each verdict in each unit; nil: there are none. Most crawlers
	// have few verdicts, and those of units next to each other are in one line of a cache.
	Counts [report.Verdicts][]int64 `cbor:"3,keyasint"`
}

// unitBytes is what a unit takes of the quota of a worker.
const unitBytes = 2 * 8 * (1 + int(report.Verdicts))

// aMonday is when a week began.
var aMonday = time.Date(1970, 1, 5, 0, 0, 0, 0, time.UTC).UnixNano()

// start returns when the unit with a time begins.
func start(u report.Unit, t int64) int64 {
	length := int64(u.Length())
	n := (t - aMonday) % length
	if n < 0 {
		n += length
	}
	return t - n
}

// isAt reports whether a time is in the current unit. No two times are so far apart that their
// difference, which may overflow, is taken for less than a decade.
func (l *timeline) isAt(t int64) bool { return uint64(t-l.from) < uint64(l.length) }

// clock returns what the clocks of a zone show at a time, as if that were UTC: timelines count by it.
// So a day is a local one, of 23 or 25 hours where the clocks are changed, and the hour that comes
// twice is one.
func clock(t int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return t
	}
	_, offset := time.Unix(0, t).In(zone).Zone()
	return t + int64(offset)*int64(time.Second)
}

// unclock returns the first time at which the clocks of a zone show as much, or more.
func unclock(shown int64, zone *time.Location) time.Time {
	first := time.Unix(0, shown).Add(-15 * time.Hour) // no clock is further from UTC
	minutes := sort.Search(30*60, func(n int) bool {
		return clock(first.Add(time.Duration(n)*time.Minute).UnixNano(), zone) >= shown
	})
	return first.Add(time.Duration(minutes) * time.Minute).In(cmp.Or(zone, time.UTC))
}

// add counts n requests at a time, and returns how many bytes that takes more.
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

// find makes the unit with a time the current one.
func (l *timeline) find(t int64) (bytes int) {
	at := l.at + 1 // the next, as nearly always
	known := l.length > 0 && at < len(l.Starts) && uint64(t-l.Starts[at]) < uint64(l.length)
	if !known {
		at, known = slices.BinarySearch(l.Starts, start(l.Unit, t))
	}
	if !known {
		before := len(l.Starts)
		l.insert(at, start(l.Unit, t))
		for len(l.Starts) > l.most && l.Unit < report.Decade {
			l.coarsen(l.Unit + 1)
			at, _ = slices.BinarySearch(l.Starts, start(l.Unit, t))
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

// coarsen counts by a longer unit.
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

// mergeSpoofed adds the counts of another timeline as those of impostors.
func (l *timeline) mergeSpoofed(other *timeline) {
	all := *other
	all.Counts = [report.Verdicts][]int64{report.Spoofed: make([]int64, len(other.Starts))}
	for _, list := range other.Counts {
		report.AddCounts(all.Counts[report.Spoofed], list, 1)
	}
	l.merge(&all, 1)
}

// unit returns the unit of the timelines of a report, by a name or by the time from the first
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

// info returns the timeline for a report, by a unit or by its own if that is longer.
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
