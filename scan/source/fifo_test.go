//go:build unix

package source

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	return path
}

func TestFifo(t *testing.T) {
	text := bytes.Repeat([]byte("through a pipe\n"), 20_000)
	for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text)} {
		path := fifo(t)
		go func() {
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				w.Write(b)
				w.Close()
			}
		}()
		ins, _, errs := Inputs(t.Context(), []string{path, path}, nil, Limits{})
		if len(ins) != 1 || len(errs) > 0 || ins[0].Size != -1 {
			t.Fatal(ins, errs)
		}
		if head, err := ins[0].Head(9); string(head) != "through a" || err != nil {
			t.Fatalf("%q %v", head, err)
		}
		got, res := readAll(t, ins, Options{Workers: 2}, 2)
		if !bytes.Equal(joined(got[0]), text) || !res[0].Complete || res[0].Codec != form {
			t.Errorf("%s: %d bytes, %+v", form, len(joined(got[0])), res[0])
		}
	}
}

// TestStopSilentFifo checks that Stop closes a pipe with a silent writer, and that its goroutine
// ends.
func TestStopSilentFifo(t *testing.T) {
	before := runtime.NumGoroutine()
	path := fifo(t)
	w, err := os.OpenFile(path, os.O_RDWR, 0) // as a writer that is there and says nothing
	if err != nil {
		t.Skip(err)
	}
	defer w.Close()
	r := NewReader([]*Input{file(t, path)}, Options{Workers: 1})
	var wg sync.WaitGroup
	wg.Go(func() { r.Next() })
	time.Sleep(20 * time.Millisecond)
	r.Stop()
	finish(t, &wg)
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}
