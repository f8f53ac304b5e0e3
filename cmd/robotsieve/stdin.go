package main

import (
	"context"
	"io"
)

// interruptible is a reader whose Read ends when its context does, though that of
// what it reads from may block for ever, as that of a terminal or a pipe: it is
// called on a goroutine, which then is left where it is. It belongs to one goroutine.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	buf    []byte // of the goroutine
	unread []byte // of buf
	err    error  // that comes after it
}

// until returns a reader of r that ends with ctx.
func until(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, r: r, buf: make([]byte, 64<<10)}
}

// Read implements io.Reader. Once the context has ended, it returns the cause.
func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.unread) == 0 && i.err == nil {
		i.fill()
	}
	if len(i.unread) == 0 {
		return 0, i.err
	}
	n := copy(p, i.unread)
	i.unread = i.unread[n:]
	return n, nil
}

func (i *interruptible) fill() {
	if i.err = context.Cause(i.ctx); i.err != nil {
		return
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1) // so that nobody waits for one who has left
	go func() {
		n, err := i.r.Read(i.buf)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		i.unread, i.err = i.buf[:r.n], r.err
	case <-i.ctx.Done():
		i.err = context.Cause(i.ctx)
	}
}

// beforeAnything is the end of a command that was interrupted before it had
// anything to report.
func beforeAnything(s streams) error {
	s.warn("interrupted before anything was done")
	return exitWith(exitInterrupted)
}

// head returns the beginning of an input as its method Head does, unless ctx ends
// first.
func head(ctx context.Context, in interface{ Head(n int) ([]byte, error) }, n int) ([]byte, error) {
	type result struct {
		head []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		b, err := in.Head(n)
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.head, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
