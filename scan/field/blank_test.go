package field

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBlank: the first blank of a field is found where it is, whatever is around it.
func TestBlank(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		line := make([]byte, r.IntN(40))
		for i := range line {
			line[i] = "abc !\x20\x21\xa0\x1f\x00\x7f"[r.IntN(11)]
		}
		from := r.IntN(len(line) + 1)
		want := len(line)
		if n := strings.IndexByte(string(line[from:]), ' '); n >= 0 {
			want = from + n
		}
		if got := Blank(line, from); got != want {
			t.Fatalf("first blank of %q from %d: %d, want %d", line, from, got, want)
		}
	}
}
