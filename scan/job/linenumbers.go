package job

import (
	"bytes"
	"context"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source"
)

// lineNumbers tells the number of the first line of each chunk of a log, from 1. Its chunks are
// numbered from 0 on without gaps. It is safe for concurrent use. The zero value is ready for use.
type lineNumbers struct {
	mu      sync.Mutex
	next    int64 // all chunks before it are counted
	lines   int64 // in these
	waiting map[int64]*countedChunk
}

// countedChunk is a chunk before which some are not counted yet.
type countedChunk struct {
	lines, first int64
	known        chan struct{} // closed when first is known
}

// first returns the number of the first line of a chunk. It has to be called for every chunk of
// the log, once. It waits until it has been called for all chunks before, so these must be with
// other goroutines, or done. Its error is the cause of ctx, if that ends first.
func (l *lineNumbers) first(ctx context.Context, c *source.Chunk) (int64, error) {
	counted := &countedChunk{lines: linesIn(c), known: make(chan struct{})}
	l.publish(c.Seq, counted)
	select {
	case <-counted.known:
		return counted.first, nil
	case <-ctx.Done():
	}
	select {
	case <-counted.known: // both: of the chunks that were read none is left out
		return counted.first, nil
	default:
		return 0, context.Cause(ctx)
	}
}

func (l *lineNumbers) publish(seq int64, c *countedChunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		l.waiting = map[int64]*countedChunk{}
	}
	l.waiting[seq] = c
	for c := l.waiting[l.next]; c != nil; c = l.waiting[l.next] {
		c.first = l.lines + 1
		l.lines += c.lines
		close(c.known)
		delete(l.waiting, l.next)
		l.next++
	}
}

// linesIn counts the lines of a chunk, the last also without a line end.
func linesIn(c *source.Chunk) int64 {
	n := int64(bytes.Count(c.Data, []byte("\n")))
	if c.Cut > 0 || len(c.Data) > 0 && c.Data[len(c.Data)-1] != '\n' {
		n++
	}
	return n
}
