package field_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// TestQuotedIsFirst checks that Quoted finds the same fields as First in random lines, of which some cross the 64 bytes
// that it reads at once, and that it declines no line of short quoted fields.
func TestQuotedIsFirst(t *testing.T) {
	c := field.Columns{Delimiter: ',', Quotes: true}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 200_000 {
		var line []byte
		plain := true // quoted, without quotes inside
		for range 1 + r.IntN(4) {
			if len(line) > 0 {
				line = append(line, ',')
			}
			isQuoted, n := r.IntN(8) > 0, r.IntN(8)<<(r.IntN(4))
			plain = plain && isQuoted
			if isQuoted {
				line = append(line, '"')
			}
			for range n {
				switch x := r.IntN(60); {
				case x == 0 && isQuoted:
					line, plain = append(line, '"', '"'), false
				case x == 1 && isQuoted:
					line = append(line, ',')
				default:
					line = append(line, 'a')
				}
			}
			if isQuoted {
				line = append(line, '"')
			}
		}
		got, want := make([]field.Span, 1+r.IntN(4)), make([]field.Span, 4)
		want = want[:len(got)]
		n := c.First(want, line, true)
		isFound := c.Quoted(got, line)
		if isFound && (n != len(got) || !slices.Equal(got, want)) {
			t.Fatalf("%s: %v, want %v, %d", line, got, want, n)
		}
		if !isFound && plain && n == len(got) && (len(line) <= 64 || len(got) == 1) {
			t.Fatalf("%s: not found, want %v", line, want)
		}
		if isFound {
			found++
		}
	}
	if found < 50_000 {
		t.Errorf("%d lines found", found)
	}
}
