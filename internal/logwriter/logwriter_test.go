package logwriter

import (
	"bytes"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
)

// TestWriters checks what readers rely on: forty requests with different names, of which
// nearly all come into a log of each format, each as one line.
func TestWriters(t *testing.T) {
	requests := Requests()
	names := map[string]bool{}
	for _, r := range requests {
		names[r.Name] = true
	}
	if len(requests) != 40 || len(names) != 40 {
		t.Errorf("%d requests with %d names", len(requests), len(names))
	}
	for _, w := range Writers(format.ByName) {
		if names[w.Name()] {
			t.Errorf("there are two writers of %s", w.Name())
		}
		names[w.Name()] = true
		written := 0
		for _, r := range requests {
			line, says, ok := w.Write(nil, r)
			if !ok {
				continue
			}
			written++
			if bytes.IndexByte(line, '\n') >= 0 || len(line) == 0 || says.Method != r.Method {
				t.Errorf("%s writes %q as %q", w.Name(), r.Name, line)
			}
		}
		if written < 35 {
			t.Errorf("%s writes only %d of the requests", w.Name(), written)
		}
	}
}
