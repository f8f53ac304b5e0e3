package audit

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestNoState: a run whose options make a state useless refuses to write one, and an output
// that is full is an error wherever that happens.
func TestNoState(t *testing.T) {
	set, p := crawlers(t), constant(forbid, nil)
	for name, c := range map[string]Config{"addresses": {KeepAddresses: true}, "a function": {Judged: func(*Judged) {}}} {
		c.Crawlers, c.Policy = set, p
		if err := begin(t, New(c)).WriteState(io.Discard, nil); !errors.Is(err, ErrNoState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := New(Config{Crawlers: set, Policy: p})
	state := func(w io.Writer) error {
		run := begin(t, a)
		run.Worker().Chunk(byName(t, "combined"), nil, []byte(entry{target: "/private/x"}.String()))
		return run.WriteState(w, []byte("head"))
	}
	var whole bytes.Buffer
	if err := state(&whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < whole.Len(); n += 1 + whole.Len()/50 {
		if err := state(&fullAfter{n}); !errors.Is(err, errFull) {
			t.Errorf("full after %d of %d bytes: %v", n, whole.Len(), err)
		}
	}
}

var errFull = errors.New("full")

// fullAfter takes so many bytes.
type fullAfter struct{ left int }

func (w *fullAfter) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	if w.left -= n; n < len(b) {
		return n, errFull
	}
	return n, nil
}
