// Package scan runs workers over the chunks of a source.
//
// Data flow in one direction: package source cuts the inputs into chunks of whole lines, package
// format parses the lines, and each worker counts on its own. The counts are merged at the end.
package scan

import (
	"context"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source"
)

// Run gives every chunk of r to one of n workers, at least 1. Each worker is a goroutine that calls
// process with its number and its chunks. Run returns when all chunks are processed, or soon after
// ctx ends, with the cause as error. A chunk is released when process returns, and process must not
// keep any part of it.
func Run(ctx context.Context, r *source.Reader, n int, process func(worker int, c *source.Chunk)) error {
	work(ctx, r, n, func(worker int, c *source.Chunk) {
		process(worker, c)
		r.Release(c)
	})
	return context.Cause(ctx)
}

// work calls do for every chunk of r in n goroutines, until all chunks are read or ctx ends.
func work(ctx context.Context, r *source.Reader, n int, do func(worker int, c *source.Chunk)) {
	stop := context.AfterFunc(ctx, r.Stop)
	defer stop()
	var workers sync.WaitGroup
	for i := range n {
		workers.Go(func() {
			for c, ok := r.Next(); ok; c, ok = r.Next() {
				do(i, c)
			}
		})
	}
	workers.Wait()
}
