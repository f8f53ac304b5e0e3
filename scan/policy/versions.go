package policy

import (
	"bytes"
	"math"
	"sort"
)

// stretch is the time in which a row of an origin is in force, perhaps.
type stretch struct {
	row        *Row
	start, end int64 // from start until just before end
	begun      int64 // by when it had begun for certain: start, if that is known
}

// timeline are the stretches of one origin, in their order. Starts and ends both
// rise.
type timeline []stretch

// newTimeline makes a timeline of rows sorted by time. What was deployed is in force
// until the next. What was observed is in force from the observation before it until
// the one behind it: the change was at some time between. Equal observations in
// succession are of one version.
func newTimeline(rows []*Row, o Options) timeline {
	var line timeline
	for i, r := range rows {
		n := len(line)
		if o.Observed && n > 0 && sameAnswer(line[n-1].row, r) {
			continue
		}
		s := stretch{row: r, start: r.From, begun: r.From, end: forever}
		if n > 0 {
			line[n-1].end = r.From
			if o.Observed {
				s.start = rows[i-1].From
			}
		} else if o.AssumeConstant {
			s.start, s.begun = MinTime, MinTime
		}
		line = append(line, s)
	}
	return line
}

func sameAnswer(a, b *Row) bool {
	return a.Status == b.Status && a.MaxAge == b.MaxAge && a.Location == b.Location && bytes.Equal(a.Body, b.Body)
}

// between returns the indexes of the stretches in force at some moment from the
// first to the last: from i until before j.
func (l timeline) between(first, last int64) (i, j int) {
	i = sort.Search(len(l), func(k int) bool { return l[k].end > first })
	j = sort.Search(len(l), func(k int) bool { return l[k].start > last })
	return i, max(i, j)
}

// after and before return the time a distance away, or the last or first of all
// times, if it is past them. The distance is not negative.
func after(t, distance int64) int64 {
	if t > math.MaxInt64-distance {
		return math.MaxInt64
	}
	return t + distance
}

func before(t, distance int64) int64 {
	if t < math.MinInt64+distance {
		return math.MinInt64
	}
	return t - distance
}
