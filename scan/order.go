package scan

import (
	"context"
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source"
)

// RunInOrder is like Run but emits chunks in the order of the inputs, for any number of workers. It
// calls emit with each chunk and the result of process for it, for one chunk at a time, in the
// order of (Input, Seq), in the goroutine of any worker. The chunk is released after emit; until
// then the result of process may refer to parts of it.
//
// At most as many chunks wait for emit as r has buffers; while emit is slow, all workers wait for
// it. The Reader must have been made with Options.InOrder.
//
// After an error of emit nothing more is emitted, and RunInOrder returns that error. If ctx ends
// before the inputs do, the chunks emitted are the first ones, without gaps.
func RunInOrder[T any](ctx context.Context, r *source.Reader, n int,
	process func(worker int, c *source.Chunk) T, emit func(c *source.Chunk, result T) error,
) error {
	q := queue[T]{reader: r, emit: emit}
	work(ctx, r, n, func(worker int, c *source.Chunk) {
		q.put(c, process(worker, c))
	})
	for _, w := range q.waiting { // after an error or a stop, the chunks before these are missing
		r.Release(w.chunk)
	}
	if q.err != nil {
		return q.err
	}
	return context.Cause(ctx)
}

// queue emits chunks in order. The worker that puts the next chunk in order emits it
// and the chunks after it that wait; the others go on working.
type queue[T any] struct {
	reader *source.Reader
	emit   func(*source.Chunk, T) error

	mu       sync.Mutex
	waiting  []processed[T] // unsorted, and few, so that they are searched one by one
	input    int            // of the next chunk to emit
	seq      int64          // of the next chunk to emit
	emitting bool
	err      error // of emit
}

type processed[T any] struct {
	chunk  *source.Chunk
	result T
}

func (q *queue[T]) put(c *source.Chunk, result T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, processed[T]{c, result})
	if q.emitting {
		return
	}
	q.emitting = true
	for q.err == nil {
		i := slices.IndexFunc(q.waiting, func(w processed[T]) bool {
			return w.chunk.Input == q.input && w.chunk.Seq == q.seq
		})
		if i < 0 {
			break
		}
		next := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.seq++
		if next.chunk.Last {
			q.input, q.seq = q.input+1, 0
		}
		q.mu.Unlock()
		err := q.emit(next.chunk, next.result)
		q.reader.Release(next.chunk)
		q.mu.Lock()
		if err != nil {
			q.err = err
			q.reader.Stop()
		}
	}
	q.emitting = false
}
