package automaton_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
)

func inForm(path string, form automaton.Form) string {
	out, _ := automaton.AppendForm(nil, []byte(path), form, false)
	return string(out)
}

// TestAppendFormInPieces checks that the query state is carried from piece to piece, and that the
// content of dst is preserved.
func TestAppendFormInPieces(t *testing.T) {
	out := []byte("%61 ")
	query := false
	for _, piece := range []struct {
		text  string
		query bool // after it
	}{
		{"/%3a", false}, {"%3f", false}, {"", false}, {"?", true}, {"%3a", true}, {"", true},
	} {
		out, query = automaton.AppendForm(out, []byte(piece.text), automaton.FormB, query)
		if query != piece.query {
			t.Errorf("after %q: query %v", piece.text, query)
		}
	}
	if want := "%61 /%3A%3F?:"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// TestIsCanonical checks that a canonical path is the same in every form, and that every other path
// has a forbidden byte.
func TestIsCanonical(t *testing.T) {
	var every []string
	for c := range 256 {
		for _, path := range []string{"%s", "/a%sb", "/?%s"} {
			every = append(every, fmt.Sprintf(path, []byte{byte(c)}))
		}
	}
	every = append(every, words("/?%2aF*", 5)...)
	for _, path := range every {
		same := true
		for _, form := range []automaton.Form{automaton.FormA, automaton.FormB, automaton.FormDecoded} {
			same = same && inForm(path, form) == path
		}
		canonical := plain.IsCanonical([]byte(path))
		if canonical && !same || !canonical && same && !strings.Contains(path, "%") {
			t.Errorf("%q is canonical: %v, the same in every form: %v", path, canonical, same)
		}
	}
	if plain.IsCanonical([]byte("/%")) {
		t.Error("a path with a '%' is canonical")
	}
}

// TestIsPlain: a plain target is its own path in all dialects, in all forms.
func TestIsPlain(t *testing.T) {
	var s automaton.Scratch
	for _, before := range []string{"/", "/a?b=",
		"/0123456789012345678901234567890123456789012345678901234567890123456789", "", "http://h/"} {
		for octet := range 256 {
			for _, behind := range []string{"", "x", "/b?c#d"} {
				target := []byte(before + string([]byte{byte(octet)}) + behind)
				want := target[0] == '/' && plain.IsCanonical(target)
				for d := range automaton.NumDialects {
					want = want && string(d.TargetPath(&s, target)) == string(target)
				}
				if plain.Is(target) != want {
					t.Errorf("IsPlain(%q) = %v", target, !want)
				}
				odd := len(target) // where the first byte is that is not plain
				for i, c := range target {
					if odd == len(target) && c != '\n' && !plain.Is([]byte{'/', c}) {
						odd = i
					}
				}
				if n := plain.Lines(target); n != odd {
					t.Errorf("PlainLines(%q) = %d, want %d", target, n, odd)
				}
			}
		}
	}
	if plain.Is(nil) {
		t.Error("nothing is plain")
	}
}
