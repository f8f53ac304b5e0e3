package main

import "context"

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
