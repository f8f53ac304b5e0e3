package source

import "testing"

// TestQueue: chunks come out in order, a batch calls one worker and never waits for it.
func TestQueue(t *testing.T) {
	const room = 2
	q := queue{wake: make(chan struct{}, room)}
	if q.take() != nil {
		t.Error("a chunk of nowhere")
	}
	next, taken := int64(0), int64(0)
	put := func(n int) {
		var batch []*Chunk
		for range n {
			batch = append(batch, &Chunk{Seq: next})
			next++
		}
		q.put(batch...)
	}
	take := func(n int) {
		t.Helper()
		for range n {
			c := q.take()
			if c == nil || c.Seq != taken {
				t.Fatalf("chunk %+v, want number %d", c, taken)
			}
			taken++
		}
	}
	put(3)
	if len(q.wake) != 1 {
		t.Errorf("a batch called %d workers", len(q.wake))
	}
	take(2)
	put(1)
	put(4)
	put(1) // nobody came, and there is no more room to call
	if len(q.wake) != room {
		t.Errorf("%d calls are waiting", len(q.wake))
	}
	take(7)
	if q.take() != nil {
		t.Error("more chunks than were put")
	}
}
