package audit

import (
	"bytes"
	"cmp"
	"slices"
)

// maxSample is how many bytes of a line are kept.
const maxSample = 4 << 10

// beginning returns as much of a line as is kept.
func beginning(line []byte) []byte { return line[:min(len(line), maxSample)] }

// sample is a raw line of a log, at most its first 4 KiB.
type sample struct {
	Time int64 // in nanoseconds since 1970; 0 if there is none
	Line []byte
}

// samples keeps the smallest of the lines added, by time and then by bytes, so that
// the choice does not depend on the order of the input: at most so many, and maxSampleBytes.
type samples struct {
	most  int
	Kept  []sample `cbor:"1,keyasint,omitempty"` // in order
	bytes int      // of the lines kept
}

func compareSamples(x, y sample) int {
	return cmp.Or(cmp.Compare(x.Time, y.Time), bytes.Compare(x.Line, y.Line))
}

// add copies a line if it is one of the smallest.
func (s *samples) add(time int64, line []byte) {
	if s.most == 0 {
		return
	}
	sample := sample{time, beginning(line)}
	if len(s.Kept) == s.most && compareSamples(sample, s.Kept[s.most-1]) >= 0 {
		return
	}
	sample.Line = bytes.Clone(sample.Line)
	at, _ := slices.BinarySearchFunc(s.Kept, sample, compareSamples)
	s.Kept = slices.Insert(s.Kept, at, sample)
	s.bytes += sampleBytes + len(sample.Line)
	for len(s.Kept) > s.most {
		s.drop()
	}
	s.cut(maxSampleBytes)
}

// sampleBytes is what a line takes beside its bytes.
const sampleBytes = 64

// cut drops the last lines until those kept take at most so many bytes.
func (s *samples) cut(most int) {
	for s.bytes > most {
		s.drop()
	}
}

// drop drops the last line.
func (s *samples) drop() {
	last := len(s.Kept) - 1
	s.bytes -= sampleBytes + len(s.Kept[last].Line)
	s.Kept[last] = sample{}
	s.Kept = s.Kept[:last]
}

func (s *samples) merge(other *samples) {
	for _, sample := range other.Kept {
		s.add(sample.Time, sample.Line)
	}
}
