package scan

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func sum(before, of int64) int64 { return before + of }

// TestPrefix checks that for any assignment of chunks to goroutines, each learns what holds before
// it, and nothing is retained.
func TestPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		says := make([]int64, rng.IntN(60))
		for i := range says {
			says[i] = rng.Int64N(5)
		}
		got := make([]int64, len(says))
		r := NewPrefix(7, sum)
		var next atomic.Int64
		var wg sync.WaitGroup
		for range 1 + rng.IntN(16) {
			wg.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(says)); i = next.Add(1) - 1 {
					var err error
					if got[i], err = r.Before(t.Context(), i, says[i]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		want := int64(7)
		for i, n := range got {
			if n != want {
				t.Fatalf("%d before chunk %d, not %d", n, i, want)
			}
			want += says[i]
		}
		if len(r.waiting) != 0 {
			t.Errorf("%d chunks are kept", len(r.waiting))
		}
	}
}

// TestPrefixWithoutAChunk checks that if a chunk never comes, the others wait no longer than their
// context.
func TestPrefixWithoutAChunk(t *testing.T) {
	cause := errors.New("a worker has failed")
	ctx, stop := context.WithCancelCause(t.Context())
	r := NewPrefix(0, sum)
	var wg sync.WaitGroup
	for _, seq := range []int64{0, 2, 3} {
		wg.Go(func() {
			before, err := r.Before(ctx, seq, 1)
			if before != 0 || seq == 0 && err != nil || seq > 0 && !errors.Is(err, cause) {
				t.Errorf("chunk %d: %d, %v", seq, before, err)
			}
		})
	}
	time.AfterFunc(10*time.Millisecond, func() { stop(cause) })
	wg.Wait()
}
