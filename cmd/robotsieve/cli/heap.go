package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// earlyGCPercent has the first garbage collection happen at a heap of 16 MB instead of 4: the
// least heap is 4 MB for each 100 per cent.
const earlyGCPercent = 400

// withoutHeapProfile stops the sampling of allocations, which costs a short run a tenth of a
// millisecond a megabyte. --profile mem starts it again.
func withoutHeapProfile() { runtime.MemProfileRate = 0 }

// delayCollection spares a process that needs little memory the garbage collection: it lets the heap
// grow to 16 MB before the first, after which the collector works as usual. It does nothing if the user
// sets GOGC.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(earlyGCPercent)
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
