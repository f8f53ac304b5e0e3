package audit

import (
	"bytes"
	"cmp"
	"slices"
)

// maxSample is how much of a line is kept of it as a sample.
const maxSample = 4 << 10

// sample is a raw line of a log, at most its first 4 KiB.
type sample struct {
	Time int64 // in nanoseconds since 1970; 0 where there is none
	Line []byte
}

// samples keeps the smallest of the lines that it is shown, by time and then by
// bytes, so that the choice does not depend on the order of the input.
type samples struct {
	most int
	kept []sample // in order
}

func compareSamples(x, y sample) int {
	if x.Time != y.Time {
		return cmp.Compare(x.Time, y.Time)
	}
	return bytes.Compare(x.Line, y.Line)
}

// add shows a line to the samples, which copy it if they keep it.
func (s *samples) add(time int64, line []byte) {
	if s.most == 0 {
		return
	}
	sample := sample{time, line[:min(len(line), maxSample)]}
	if len(s.kept) == s.most && compareSamples(sample, s.kept[s.most-1]) >= 0 {
		return
	}
	sample.Line = bytes.Clone(sample.Line)
	at, _ := slices.BinarySearchFunc(s.kept, sample, compareSamples)
	s.kept = slices.Insert(s.kept, at, sample)
	if len(s.kept) > s.most {
		s.kept = s.kept[:s.most]
	}
}

func (s *samples) merge(other *samples) {
	for _, sample := range other.kept {
		s.add(sample.Time, sample.Line)
	}
}
