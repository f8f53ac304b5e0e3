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

// Who uses a chunk of a compressed file keeps nobody from reading on.
func TestTurnsWhileAChunkIsUsed(t *testing.T) {
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

// A caller that sleeps because another has the only file is called before that puts it down, and gets it.
func TestTurnIsHandedOver(t *testing.T) {
	text := noise(200)
	in := file(t, write(t, "log", gz(t, text)))
	for _, last := range []bool{false, true} {
		r := NewReader([]*Input{in}, Options{Workers: 2, ChunkSize: 100, MaxLine: 200})
		f := picked(t, r)
		var wg sync.WaitGroup
		wg.Go(func() {
			c, ok := r.Next()
			if ok == last || ok && !bytes.HasPrefix(text, c.Data) {
				t.Errorf("last turn %v: Next gave %+v, %v", last, c, ok)
			}
		})
		time.Sleep(5 * time.Millisecond) // asleep, most of the times
		r.callNext(f)
		if r.turns.putDown(f, !last) {
			t.Error("called and to be called once more")
		}
		finish(t, &wg)
	}
}

// Who waits for a file gets the baton, or goes when it takes long; then somebody is to be called when the file is put down.
func TestAwait(t *testing.T) {
	for _, more := range []bool{false, true} {
		r := NewReader(nil, Options{})
		f := &shared{baton: make(chan bool, 1), over: make(chan struct{})}
		r.callNext(f)
		f.awaited = true
		if r.turns.putDown(f, more) || r.turns.await(f) != more {
			t.Errorf("more %v: not handed over", more)
		}
		if len(r.turns.free) > 0 {
			t.Error("a file that is handed over lies about")
		}
	}
	r := NewReader(nil, Options{})
	f := &shared{baton: make(chan bool, 1), over: make(chan struct{})}
	r.callNext(f)
	if r.turns.pickUp(true) != nil {
		t.Error("a file was picked up that somebody has")
	}
	if !r.turns.putDown(f, true) {
		t.Error("the one who was called has gone, and nobody is called for it")
	}
	if r.turns.pickUp(false) != f || len(r.turns.near) > 0 {
		t.Error("it cannot be picked up")
	}
}

// A turn that began before Stop is the last, and what Stop cut short is no chunk.
func TestStopInTheMiddleOfATurn(t *testing.T) {
	before := runtime.NumGoroutine()
	in := file(t, write(t, "log", gz(t, noise(1000))))
	for k := range 40 {
		r := NewReader([]*Input{in}, Options{Workers: 1, ChunkSize: 100, MaxLine: 200})
		f := picked(t, r)
		r.Stop()
		if k%2 == 0 {
			if c := r.turn(f); c != nil {
				t.Fatalf("after Stop %+v", c)
			}
			continue
		}
		until(t, func() bool { r.turns.mu.Lock(); defer r.turns.mu.Unlock(); return f.withdrawn })
		r.turns.putDown(f, true) // its end did not see that
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}

// Every turn but the last calls for the next, whatever the lines are like: else nobody who sleeps would take it.
func TestEveryTurnCalls(t *testing.T) {
	for name, text := range texts() {
		for form, b := range map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text)} {
			for _, o := range smallOptions {
				if o = o.filled(); int64(len(b)) < o.sharedFrom() {
					continue
				}
				o.Workers = 100 // room for so many calls
				r := NewReader([]*Input{file(t, write(t, "log", b))}, o)
				f := picked(t, r)
				until(t, func() bool { return len(r.ready.wake) == 1 }) // the call for the file itself
				for last := false; !last; {
					for len(r.ready.wake) > 0 {
						<-r.ready.wake
					}
					c := r.turn(f)
					if last = c.Last; !last && len(r.ready.wake) != 1 {
						t.Fatalf("%s as %s, %+v: %d calls by chunk %d", name, form, o, len(r.ready.wake), c.Seq)
					}
					r.Release(c)
					if !last {
						f = picked(t, r)
					}
				}
			}
		}
	}
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

// picked waits for the first file of a Reader and takes it.
func picked(t *testing.T, r *Reader) (f *shared) {
	t.Helper()
	until(t, func() bool { f = r.turns.pickUp(false); return f != nil })
	return f
}

func until(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}

// Stop ends the turns, whoever has one or waits for it, and no goroutine is left and no file open.
func TestStopInTurns(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes files that are lost
	before, open := runtime.NumGoroutine(), openFiles()
	text := noise(200_000)
	dir := t.TempDir()
	var paths []string
	for i, b := range [][]byte{gz(t, text), zst(t, text), gz(t, text[:100]), xzs(t, text)} {
		paths = append(paths, write(t, filepath.Join(dir, fmt.Sprint(i)), b))
	}
	for k := range 100 {
		var ins []*Input
		for _, path := range paths[k%4:] {
			ins = append(ins, file(t, path))
		}
		r := NewReader(ins, Options{Workers: 1 + k%5, ChunkSize: 1 << 10, InOrder: k%2 == 1})
		var wg sync.WaitGroup
		var n atomic.Int64
		for range 1 + k%5 {
			wg.Go(func() {
				for c, ok := r.Next(); ok; c, ok = r.Next() {
					if n.Add(1) == int64(k/2) {
						r.Stop()
					}
					r.Release(c)
				}
			})
		}
		if k < 2 {
			r.Stop()
		}
		finish(t, &wg)
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before && openFiles() <= open })
}

// openFiles is how many files the process has open, 0 where the system does not tell.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}
