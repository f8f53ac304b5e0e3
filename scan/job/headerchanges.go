package job

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
)

// headerChanges are the lines of a log that name its columns anew, so that a line can be read alone.
// It is safe for concurrent use; the zero value is ready for use.
type headerChanges struct {
	mu    sync.Mutex
	list  []evidence.Header // in any order
	bytes int               // of the list
	lost  bool              // there are more than are kept
}

// maxHeaders bounds the headers that are kept of a log, in bytes.
const maxHeaders = 1 << 20

// find finds the changes in a chunk, at the beginning of which a header is in force.
func (c *headerChanges) find(f *format.Format, header []byte, first int64, chunk []byte) {
	for before, line := range f.HeaderLines(chunk) {
		if bytes.Equal(line, header) {
			continue
		}
		header = line
		c.add(evidence.Header{Line: first + before, Text: string(line)})
	}
}

func (c *headerChanges) add(h evidence.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const entry = 32
	if c.lost = c.lost || c.bytes+len(h.Text)+entry > maxHeaders; c.lost {
		return
	}
	c.bytes += len(h.Text) + entry
	c.list = append(c.list, h)
}

// sorted returns the changes by line. They are complete unless some were lost.
func (c *headerChanges) sorted() (list []evidence.Header, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		return []evidence.Header{}, false
	}
	slices.SortFunc(c.list, func(a, b evidence.Header) int { return cmp.Compare(a.Line, b.Line) })
	return append([]evidence.Header{}, c.list...), true
}
