package source

import "testing"

// TestQueue: chunks come out in order, and each calls a worker without ever waiting for it.
func TestQueue(t *testing.T) {
	const room = 2
	q := queue{wake: make(chan struct{}, room)}
	if q.take() != nil {
		t.Error("a chunk of nowhere")
	}
	for next, calls := range []int{1, 2, 2} { // nobody comes, and there is no more room to call
		q.put(&Chunk{Seq: int64(next)})
		if len(q.wake) != calls {
			t.Errorf("%d chunks called %d workers", next+1, len(q.wake))
		}
	}
	for want := range int64(3) {
		if c := q.take(); c == nil || c.Seq != want {
			t.Fatalf("chunk %+v, want number %d", c, want)
		}
	}
	if q.take() != nil {
		t.Error("more chunks than were put")
	}
}
