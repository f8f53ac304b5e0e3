package source

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One goroutine that keeps a chunk of a compressed file does not stop the others.
func TestReadsOnWhileAChunkIsUsed(t *testing.T) {
	text := noise(1000)
	for form, b := range map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text), "xz": xzs(t, text)} {
		r := NewReader([]*Input{file(t, write(t, "log", b))}, Options{Workers: 2, ChunkSize: 100, MaxLine: 200})
		kept, ok := r.Next()
		if !ok || kept.Seq != 0 {
			t.Fatalf("%s: %+v", form, kept)
		}
		got := bytes.Clone(kept.Data)
		var wg sync.WaitGroup
		wg.Go(func() {
			for c, ok := r.Next(); ok; c, ok = r.Next() {
				got = append(got, c.Data...)
				r.Release(c)
			}
		})
		finish(t, &wg)
		if !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes of %d", form, len(got), len(text))
		}
		if _, ok := r.Next(); ok {
			t.Errorf("%s: a chunk after the last", form)
		}
		r.Release(kept)
	}
}

// After Stop no goroutine is left and no file open, wherever in a file it came.
func TestStop(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes files that are lost
	before, open := runtime.NumGoroutine(), openFiles()
	text := noise(200_000)
	dir := t.TempDir()
	var paths []string
	for i, b := range [][]byte{gz(t, text), text, zst(t, text), gz(t, text[:100]), xzs(t, text), text[:100]} {
		paths = append(paths, write(t, filepath.Join(dir, fmt.Sprint(i)), b))
	}
	for k := range 100 {
		var ins []*Input
		for _, path := range paths[k%6:] {
			ins = append(ins, file(t, path))
		}
		ins = append(ins, NewInput("pipe", endless{}, -1))
		r := NewReader(ins, Options{Workers: 1 + k%5, ChunkSize: 1 << 10, InOrder: k%2 == 1})
		var wg sync.WaitGroup
		var n atomic.Int64
		for range 1 + k%5 {
			wg.Go(func() {
				for c, ok := r.Next(); ok; c, ok = r.Next() {
					if n.Add(1) == int64(k*5) {
						r.Stop()
					}
					r.Release(c)
				}
			})
		}
		if k == 0 {
			r.Stop()
		}
		finish(t, &wg)
		if res := r.Results()[len(ins)-1]; res.Complete {
			t.Error("an endless input was read completely")
		}
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before && openFiles() <= open })
}

// noise is n bytes in short lines that do not compress.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(rng.Uint32()); i%20 == 0 {
			b[i] = '\n'
		}
	}
	return b
}

func until(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("it has not happened")
		}
	}
}

// openFiles is how many files the process has open, 0 where the system does not say.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}
