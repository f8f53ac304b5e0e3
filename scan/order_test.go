package scan

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/source"
)

// inOrder makes a source for RunInOrder, with many more chunks than buffers.
func inOrder(inputs []*source.Input, workers int) *source.Reader {
	o := small(workers)
	o.InOrder = true
	return source.NewReader(inputs, o)
}

func nothing(int, *source.Chunk) struct{} { return struct{}{} }

func TestRunInOrderGivesTheLinesAsTheyStandInTheInputs(t *testing.T) {
	for _, workers := range []int{1, 2, 16} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			inputs, want := files(t, 3, 2000)
			var got []string
			// The result of process refers to the chunk, which must not be reused before emit.
			err := RunInOrder(deadline(t), inOrder(inputs, workers), workers, func(_ int, c *source.Chunk) []byte {
				if rand.IntN(8) == 0 {
					time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
				}
				return c.Data
			}, func(_ *source.Chunk, data []byte) error {
				for line := range strings.Lines(string(data)) {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d lines, want %d in their order", len(got), len(want))
			}
		})
	}
}

func TestRunInOrderWaitsForASlowConsumer(t *testing.T) {
	const workers = 4
	var processed, most atomic.Int64
	ctx, cancel := context.WithCancelCause(deadline(t))
	defer cancel(nil)
	r := inOrder([]*source.Input{source.NewInput("-", endless{}, -1)}, workers)
	err := RunInOrder(ctx, r, workers, func(int, *source.Chunk) int64 { return processed.Add(1) },
		func(c *source.Chunk, _ int64) error {
			if c.Seq == 3 {
				time.Sleep(100 * time.Millisecond) // long enough to read thousands
				most.Store(processed.Load())
				cancel(errInterrupted)
			}
			return nil
		})
	if !errors.Is(err, errInterrupted) {
		t.Fatal(err)
	}
	// Four that were emitted, and at most one in each buffer of the source.
	if n := most.Load(); n > 4+6*workers {
		t.Errorf("%d chunks were read while the fourth was being written", n)
	}
}

func TestRunInOrderEndsWithTheErrorOfEmit(t *testing.T) {
	errFull := errors.New("disk full")
	for _, workers := range []int{1, 4} {
		inputs, _ := files(t, 2, 2000)
		calls := 0
		err := RunInOrder(deadline(t), inOrder(inputs, workers), workers, nothing, func(*source.Chunk, struct{}) error {
			if calls++; calls == 5 {
				return errFull
			}
			return nil
		})
		if !errors.Is(err, errFull) || calls != 5 {
			t.Errorf("%d workers: error %v after %d calls, want the fifth call's and no call after it", workers, err,
				calls)
		}
	}
}

func TestRunInOrderStoppedInTheMiddleLeavesNoGap(t *testing.T) {
	ctx, cancel := context.WithCancelCause(deadline(t))
	r := inOrder([]*source.Input{source.NewInput("-", endless{}, -1)}, 4)
	due := int64(0)
	err := RunInOrder(ctx, r, 4, nothing, func(c *source.Chunk, _ struct{}) error {
		if c.Seq != due {
			t.Errorf("chunk %d where %d is due", c.Seq, due)
		}
		if due++; due == 100 {
			cancel(errInterrupted)
		}
		return nil
	})
	if !errors.Is(err, errInterrupted) || due < 100 {
		t.Errorf("error %v after %d chunks", err, due)
	}
}
