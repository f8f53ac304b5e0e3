// Package interrupt lets work end with a context that itself cannot: opening and reading pipes, and functions that
// know no context.
package interrupt

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan/source"
)

// Wait returns the result of f, or the cause of the end of ctx if that comes first. Then f goes on,
// and its result is discarded.
func Wait[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// Parallel calls a function for 0 to n-1 on so many goroutines, until ctx ends.
func Parallel(ctx context.Context, n, workers int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}

// Open opens an input. If it is a pipe, which may block for ever, opening and reading it end
// with ctx.
func Open(ctx context.Context, in *source.Input) (io.ReadCloser, error) {
	if in.Regular() {
		return in.Open()
	}
	opened, err := Wait(ctx, in.Open)
	if err != nil {
		return nil, err
	}
	return pipe{Reader(ctx, opened), ctx, opened}, nil
}

type pipe struct {
	io.Reader
	ctx context.Context
	in  io.Closer
}

// Close closes the pipe, unless a goroutine has been left behind that reads it.
func (p pipe) Close() error {
	if p.ctx.Err() == nil {
		return p.in.Close()
	}
	return nil
}

// Stream makes reads and writes that do not block end with a context, and counts the bytes read in Count unless that
// is nil.
type Stream struct {
	Ctx   context.Context
	R     io.Reader
	W     io.Writer
	Count *atomic.Int64
}

func (e Stream) Read(p []byte) (int, error) {
	if err := context.Cause(e.Ctx); err != nil {
		return 0, err
	}
	n, err := e.R.Read(p)
	if e.Count != nil {
		e.Count.Add(int64(n))
	}
	return n, err
}

func (e Stream) Write(p []byte) (int, error) {
	if err := context.Cause(e.Ctx); err != nil {
		return 0, err
	}
	return e.W.Write(p)
}

// Reader returns a reader of r whose Read ends with ctx, even if r blocks, as a terminal
// or a pipe may. It belongs to one goroutine.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, r: r, buf: make([]byte, 64<<10)}
}

type interruptible struct {
	ctx    context.Context
	r      io.Reader
	buf    []byte // belongs to the goroutine that reads r
	unread []byte // part of buf
	err    error  // follows unread
}

func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.unread) == 0 && i.err == nil {
		if i.err = context.Cause(i.ctx); i.err == nil {
			n, err := Wait(i.ctx, func() (int, error) { return i.r.Read(i.buf) })
			i.unread, i.err = i.buf[:n], err
		}
	}
	if len(i.unread) == 0 {
		return 0, i.err
	}
	n := copy(p, i.unread)
	i.unread = i.unread[n:]
	return n, nil
}
