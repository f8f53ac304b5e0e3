package judge

import (
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
)

// minute is a minute of clock time, in nanoseconds.
const minute = int64(60_000_000_000)

// byKind has the moments of each kind of answer to a GET of /robots.txt.
type byKind [Kinds]moments

// meets reports whether there was an answer in [from, to] of a kind for which is returns true.
func (k *byKind) meets(from, to int64, by answer.Class, is func(Kind, answer.Class) bool) bool {
	for kind := range Kinds {
		if is(kind, by) && k[kind].meets(from, to) {
			return true
		}
	}
	return false
}

// moments are sorted points in time. If add has a gap, it keeps only the ends of each run of
// moments no longer than the gap. An interval that is at least as long as the gap and contains a
// moment of the run then also contains one of its ends.
type moments struct {
	kept []int64
	gap  int64 // minimum; 0 while there are few
}

// maxMoments limits the number of moments. With a gap of 24 hours it covers 170 years. Beyond it
// moments become coarser, which makes more copies lawful.
const maxMoments = 1 << 16

// add adds a moment, which must not precede earlier ones.
func (m *moments) add(t, gap int64) {
	n := len(m.kept)
	switch {
	case n > 0 && t == m.kept[n-1]:
	case n > 1 && t-m.kept[n-2] <= max(gap, m.gap):
		m.kept[n-1] = t
	default:
		m.kept = append(m.kept, t)
	}
	for len(m.kept) > maxMoments {
		coarser := moments{gap: max(2*m.gap, minute)}
		for _, t := range m.kept {
			coarser.add(t, 0)
		}
		*m = coarser
	}
}

// first returns the first moment in [from, to], or math.MaxInt64 if there is none. If moments have
// become coarser, there may have been one anywhere in a gap.
func (m *moments) first(from, to int64) int64 {
	i, _ := slices.BinarySearch(m.kept, from)
	switch {
	case i == len(m.kept):
	case i > 0 && m.kept[i]-m.kept[i-1] <= m.gap:
		return from
	case m.kept[i] <= to:
		return m.kept[i]
	}
	return math.MaxInt64
}

// last returns the last moment in [from, to], or math.MinInt64 if there is none. If moments have
// become coarser, there may have been one anywhere in a gap.
func (m *moments) last(from, to int64) int64 {
	i, found := slices.BinarySearch(m.kept, to)
	switch {
	case found:
		return to
	case 0 < i && i < len(m.kept) && m.kept[i]-m.kept[i-1] <= m.gap:
		return to
	case i > 0 && m.kept[i-1] >= from:
		return m.kept[i-1]
	}
	return math.MinInt64
}

// lastBefore returns the last retained moment before t, or math.MinInt64 if there is none.
func (m *moments) lastBefore(t int64) int64 {
	if i, _ := slices.BinarySearch(m.kept, t); i > 0 {
		return m.kept[i-1]
	}
	return math.MinInt64
}

// meets reports whether one of the moments is in [from, to].
func (m *moments) meets(from, to int64) bool { return m.first(from, to) < math.MaxInt64 }
