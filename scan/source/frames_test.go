package source

import (
	"bytes"
	"io"
	"testing"
)

// Frames with every mix of harm are read side by side as they are serially.
func FuzzSideBySide(f *testing.F) {
	frames := smallFrames(f)
	for n := range frames {
		f.Add(bytes.Join(frames[n:], nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		open := func() io.Reader { return io.LimitReader(bytes.NewReader(b), 4<<10) } // which decode to 128 MiB at most
		sameAhead(t, "fuzzed", open, oneFrame{})
	})
}
