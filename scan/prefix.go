package scan

import (
	"context"
	"sync"
)

// Prefix finds what holds at the beginning of each chunk of an input, such as the header in force
// or the number of lines, from what the chunks before it say, its prefix. Chunks come in any order,
// and are numbered from 0 on without gaps. It is safe for concurrent use.
type Prefix[T any] struct {
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

// NewPrefix returns a Prefix of an input at whose beginning first holds. then returns what holds
// after a chunk, by what holds before it and what it says.
func NewPrefix[T any](first T, then func(before, of T) T) *Prefix[T] {
	return &Prefix[T]{then: then, after: first, waiting: map[int64]*place[T]{}}
}

// Before returns what holds before a chunk that says of. It has to be called once for every chunk.
// It waits until it has been called for all chunks before, so these must be with other goroutines,
// or done. Its error is the cause of ctx, if that ends first.
func (p *Prefix[T]) Before(ctx context.Context, seq int64, of T) (before T, err error) {
	chunk := &place[T]{of: of, known: make(chan struct{})}
	p.publish(seq, chunk)
	select {
	case <-chunk.known:
		return chunk.before, nil
	case <-ctx.Done():
	}
	select {
	case <-chunk.known: // both: of the chunks that were read none is left out
		return chunk.before, nil
	default:
		return before, context.Cause(ctx)
	}
}

func (p *Prefix[T]) publish(seq int64, chunk *place[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[seq] = chunk
	for next := p.waiting[p.next]; next != nil; next = p.waiting[p.next] {
		next.before = p.after
		p.after = p.then(p.after, next.of)
		close(next.known)
		delete(p.waiting, p.next)
		p.next++
	}
}
