package main

import (
	"context"
	"sync"
)

// The process may be told to end while elements are worked on. Then their work ends early and
// removes its files, and the process waits for that.

// attempt does the work of an element. Tests replace it, to have the work fail, be interrupted and
// be done again, as runners do.
var attempt = func(ctx context.Context, do func(context.Context) error) error { return do(ctx) }

var (
	working sync.RWMutex           // read-locked while an element is worked on
	running = context.Background() // of the command that runs in this process
)

// work does the work of an element, and ends its context with that of the command.
func work(ctx context.Context, do func(context.Context) error) error {
	working.RLock()
	defer working.RUnlock()
	if running.Err() != nil {
		return context.Cause(running)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(running, end)()
	return attempt(ctx, do)
}

// beginWork has all work end with ctx.
func beginWork(ctx context.Context) {
	working.Lock()
	defer working.Unlock()
	running = ctx
}

// awaitWork waits for the work that is being done. If the context of the command has ended, nothing
// begins any more.
func awaitWork() {
	working.Lock()
	defer working.Unlock()
}
