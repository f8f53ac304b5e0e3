package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/source"
)

// small makes many chunks of few lines, many more than there are buffers.
func small(workers int) source.Options {
	return source.Options{Workers: workers, ChunkSize: 256, MaxLine: 1024}
}

// files writes n files of lines and returns them as inputs, with all their lines.
func files(t *testing.T, n, lines int) (inputs []*source.Input, all []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		var text strings.Builder
		for j := range lines {
			line := fmt.Sprintf("file %d line %d %s", i, j, strings.Repeat("x", j%50))
			all = append(all, line)
			text.WriteString(line + "\n")
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.log", i))
		if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := source.NewFile(name)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
	}
	// One input that is a stream.
	var stream bytes.Buffer
	for j := range lines {
		line := fmt.Sprintf("stream line %d", j)
		all = append(all, line)
		stream.WriteString(line + "\n")
	}
	return append(inputs, source.NewInput("-", &stream, -1)), all
}

// deadline fails a test that would hang otherwise; it is not what is measured.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestRunGivesEveryLineToOneWorker(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			inputs, want := files(t, 3, 2000)
			var mu sync.Mutex
			var got []string
			busy := make([]atomic.Bool, workers)
			err := Run(deadline(t), source.NewReader(inputs, small(workers)), workers,
				func(worker int, c *source.Chunk) {
					if !busy[worker].CompareAndSwap(false, true) {
						t.Errorf("worker %d was given a chunk while it had one", worker)
					}
					for line := range strings.Lines(string(c.Data)) {
						mu.Lock()
						got = append(got, strings.TrimSuffix(line, "\n"))
						mu.Unlock()
					}
					busy[worker].Store(false)
				})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d lines, want %d, each once", len(got), len(want))
			}
		})
	}
}

func TestRunUsesAllWorkers(t *testing.T) {
	const workers = 4
	ctx := deadline(t)
	// Each worker holds its first chunk until all have one.
	var arrived atomic.Int64
	all := make(chan struct{})
	var first [workers]sync.Once
	inputs, _ := files(t, 1, 2000)
	err := Run(ctx, source.NewReader(inputs, small(workers)), workers, func(worker int, _ *source.Chunk) {
		first[worker].Do(func() {
			if arrived.Add(1) == workers {
				close(all)
			}
			select {
			case <-all:
			case <-ctx.Done():
			}
		})
	})
	if err != nil {
		t.Fatalf("%v, while %d of %d workers had a chunk", err, arrived.Load(), workers)
	}
}

// endless is a log that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = "a line\n"[i%7]
	}
	return len(b), nil
}

var errInterrupted = errors.New("interrupted")

func TestRunStopsInTheMiddle(t *testing.T) {
	ctx, cancel := context.WithCancelCause(deadline(t))
	r := source.NewReader([]*source.Input{source.NewInput("-", endless{}, -1)}, small(2))
	var chunks atomic.Int64
	err := Run(ctx, r, 2, func(int, *source.Chunk) {
		if chunks.Add(1) == 100 {
			cancel(errInterrupted)
		}
	})
	if !errors.Is(err, errInterrupted) {
		t.Errorf("error %v, want the cause", err)
	}
	if n := chunks.Load(); n < 100 {
		t.Errorf("stopped after %d chunks, before it was told to", n)
	}
	if r.Results()[0].Complete {
		t.Error("an input that was not read to its end is called complete")
	}
}

// TestRunEnds checks runs without inputs, stopped before they begin, and without any data.
func TestRunEnds(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	for name, c := range map[string]struct {
		inputs []*source.Input
		stop   func(end func())
		want   error
	}{
		"no inputs":     {nil, func(func()) {}, nil},
		"nothing comes": {[]*source.Input{source.NewInput("-", silent, -1)}, func(end func()) { go end() }, errInterrupted},
		"stopped":       {[]*source.Input{source.NewInput("-", endless{}, -1)}, func(end func()) { end() }, errInterrupted},
	} {
		ctx, cancel := context.WithCancelCause(deadline(t))
		c.stop(func() { cancel(errInterrupted) })
		if err := Run(ctx, source.NewReader(c.inputs, small(2)), 2, func(int, *source.Chunk) {
			if name != "stopped" {
				t.Errorf("%s: a chunk", name)
			}
		}); !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		cancel(nil)
	}
}
