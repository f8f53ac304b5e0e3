package scan

import (
	"context"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source"
)

// RunInOrder is Run for who needs the chunks in the order of the inputs, whatever
// the number of workers. What process makes of a chunk is given with it to emit,
// which is called for one chunk at a time, in the order of (Input, Seq), by
// one worker or another. The chunk is released after that: until then what
// process returned may hold views of it.
//
// Chunks that wait for their turn are as many as the buffers of r at most, which
// must have been made with Options.InOrder; while emit is slow, all wait for it.
//
// After an error of emit no more is emitted, and RunInOrder returns it. If ctx
// ends before the inputs do, what was emitted is a beginning of the whole,
// without gaps.
func RunInOrder[T any](ctx context.Context, r *source.Reader, n int,
	process func(worker int, c *source.Chunk) T, emit func(c *source.Chunk, made T) error,
) error {
	stop := context.AfterFunc(ctx, r.Stop)
	defer stop()
	q := queue[T]{reader: r, emit: emit}
	var workers sync.WaitGroup
	for i := range n {
		workers.Go(func() {
			for {
				c, ok := r.Next()
				if !ok {
					return
				}
				q.put(c, process(i, c))
			}
		})
	}
	workers.Wait()
	for _, w := range q.waiting { // for chunks that will not come
		r.Release(w.chunk)
	}
	if q.err != nil {
		return q.err
	}
	return context.Cause(ctx)
}

// queue puts chunks back in order. Whoever brings the one that is due emits it,
// and then all that are due after it; the others go on working.
type queue[T any] struct {
	reader *source.Reader
	emit   func(*source.Chunk, T) error

	mu       sync.Mutex
	waiting  []waiting[T] // in no order; few, so that they are searched one by one
	input    int          // what is due
	seq      int64
	emitting bool
	err      error // of emit
}

type waiting[T any] struct {
	chunk *source.Chunk
	made  T
}

func (q *queue[T]) put(c *source.Chunk, made T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, waiting[T]{c, made})
	if q.emitting {
		return
	}
	q.emitting = true
	for q.err == nil {
		w, ok := q.takeDue()
		if !ok {
			break
		}
		q.mu.Unlock()
		err := q.emit(w.chunk, w.made)
		q.reader.Release(w.chunk)
		q.mu.Lock()
		if err != nil {
			q.err = err
			q.reader.Stop()
		}
	}
	q.emitting = false
}

// takeDue takes the chunk that is due out of those that wait, if it is there.
func (q *queue[T]) takeDue() (due waiting[T], ok bool) {
	for i, w := range q.waiting {
		if w.chunk.Input != q.input || w.chunk.Seq != q.seq {
			continue
		}
		last := len(q.waiting) - 1
		q.waiting[i] = q.waiting[last]
		q.waiting[last] = waiting[T]{}
		q.waiting = q.waiting[:last]
		if q.seq++; w.chunk.Last {
			q.input, q.seq = q.input+1, 0
		}
		return w, true
	}
	return due, false
}
