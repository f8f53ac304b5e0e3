// Package scan runs workers over the chunks of a source.
//
// Bytes flow one way: source cuts the inputs into chunks of whole lines, format
// takes lines apart, and each worker, with nothing shared, counts what it sees;
// what they counted is merged at the end.
package scan

import (
	"context"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source"
)

// Run gives every chunk of r to one of n workers, at least 1, each a goroutine that calls
// process with its number and the chunks it gets. It returns when all chunks are
// done, or soon after ctx is: the error is then the cause. A chunk is released
// when process returns, and no view of it may be kept.
func Run(ctx context.Context, r *source.Reader, n int, process func(worker int, c *source.Chunk)) error {
	stop := context.AfterFunc(ctx, r.Stop)
	defer stop()
	var workers sync.WaitGroup
	for i := range n {
		workers.Go(func() {
			for {
				c, ok := r.Next()
				if !ok {
					return
				}
				process(i, c)
				r.Release(c)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
