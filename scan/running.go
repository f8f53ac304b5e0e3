package scan

import (
	"context"
	"sync"
)

// Running finds what holds at the beginning of each chunk of an input, such as the header in force
// or the number of lines, from what the chunks before it say. Chunks are numbered from 0 on without
// gaps. It is safe for concurrent use.
type Running[T any] struct {
	then func(before, of T) T

	mu      sync.Mutex
	next    int64 // all chunks before it are known
	after   T     // what holds after these
	waiting map[int64]*place[T]
}

// place is a chunk before which some are not known yet.
type place[T any] struct {
	of, before T
	known      chan struct{} // closed when before is known
}

// NewRunning returns a Running of an input at whose beginning first holds. then returns what holds
// after a chunk, by what holds before it and what it says.
func NewRunning[T any](first T, then func(before, of T) T) *Running[T] {
	return &Running[T]{then: then, after: first, waiting: map[int64]*place[T]{}}
}

// Before returns what holds before a chunk that says of. It has to be called once for every chunk.
// It waits until it has been called for all chunks before, so these must be with other goroutines,
// or done. Its error is the cause of ctx, if that ends first.
func (r *Running[T]) Before(ctx context.Context, seq int64, of T) (before T, err error) {
	p := &place[T]{of: of, known: make(chan struct{})}
	r.publish(seq, p)
	select {
	case <-p.known:
		return p.before, nil
	case <-ctx.Done():
	}
	select {
	case <-p.known: // both: of the chunks that were read none is left out
		return p.before, nil
	default:
		return before, context.Cause(ctx)
	}
}

func (r *Running[T]) publish(seq int64, p *place[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[seq] = p
	for p := r.waiting[r.next]; p != nil; p = r.waiting[r.next] {
		p.before = r.after
		r.after = r.then(r.after, p.of)
		close(p.known)
		delete(r.waiting, r.next)
		r.next++
	}
}
