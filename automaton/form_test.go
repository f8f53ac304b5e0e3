package automaton_test

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

func formA(path string) string {
	out, _ := automaton.AppendForm(nil, []byte(path), automaton.FormA, false)
	return string(out)
}

func formB(path string) string {
	out, _ := automaton.AppendForm(nil, []byte(path), automaton.FormB, false)
	return string(out)
}

func decoded(path string) string {
	out, _ := automaton.AppendForm(nil, []byte(path), automaton.FormDecoded, false)
	return string(out)
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ path, a, b, decoded string }{
		{"", "", "", ""},
		{"/a-b_c.d~e", "/a-b_c.d~e", "/a-b_c.d~e", "/a-b_c.d~e"},
		{"/%61%2d%7E", "/a-~", "/a-~", "/a-~"},
		{"/%3a%3A:", "/%3A%3A:", "/%3A%3A:", "/:::"},
		{"/?%3a%2F%2f", "/?%3A%2F%2F", "/?://", "/?:%2F%2F"},
		{"/%2f", "/%2F", "/%2F", "/%2F"},
		// Of an escaped '?' the query does not begin, of a raw one it does.
		{"/%3F%3A", "/%3F%3A", "/%3F%3A", "/?:"},
		{"/?%3F%2f?", "/?%3F%2F?", "/??/?", "/??%2F?"},
		// These separate the fields of a query and never decode.
		{"/?%26%3D%2B%23%25", "/?%26%3D%2B%23%25", "/?%26%3D%2B%23%25", "/?&=+#%"},
		{"/?%40%21%27%28%29%2C%3B", "/?%40%21%27%28%29%2C%3B", "/?@!'(),;", "/?@!'(),;"},
		{"/*$%2a%24", "/%2A%24%2A%24", "/%2A%24%2A%24", "/*$*$"},
		{"/ \x00\x1f\x7f\"<>\\^`{|}", "/%20%00%1F%7F%22%3C%3E%5C%5E%60%7B%7C%7D",
			"/%20%00%1F%7F%22%3C%3E%5C%5E%60%7B%7C%7D", "/ \x00\x1f\x7f\"<>\\^`{|}"},
		{"/\xc3\xa9\x80", "/%C3%A9%80", "/%C3%A9%80", "/\xc3\xa9\x80"},
		{"/%c3%A9", "/%C3%A9", "/%C3%A9", "/\xc3\xa9"},
		// What is decoded is never read again as the beginning of an escape.
		{"/%2541%%341", "/%2541%41", "/%2541%41", "/%41%41"},
		{"/%", "/%", "/%", "/%"},
		{"/%4", "/%4", "/%4", "/%4"},
		{"/%4g%g4", "/%4g%g4", "/%4g%g4", "/%4g%g4"},
		{"%41", "A", "A", "A"},
		{"/[]=&+#", "/[]=&+#", "/[]=&+#", "/[]=&+#"},
	} {
		if got := formA(c.path); got != c.a {
			t.Errorf("form A of %q: got %q, want %q", c.path, got, c.a)
		}
		if got := formB(c.path); got != c.b {
			t.Errorf("form B of %q: got %q, want %q", c.path, got, c.b)
		}
		if got := decoded(c.path); got != c.decoded {
			t.Errorf("%q decoded: got %q, want %q", c.path, got, c.decoded)
		}
	}
}

// TestAppendFormInPieces: the query is carried from piece to piece, and
// what dst holds already is left alone.
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

// TestIsCanonical: a path that is canonical is the same in every form, and of
// the others each has a byte that may not be.
func TestIsCanonical(t *testing.T) {
	var every []string
	for c := range 256 {
		for _, path := range []string{"%s", "/a%sb", "/?%s"} {
			every = append(every, fmt.Sprintf(path, []byte{byte(c)}))
		}
	}
	every = append(every, words("/?%2aF*", 5)...)
	for _, path := range every {
		same := formA(path) == path && formB(path) == path && decoded(path) == path
		canonical := automaton.IsCanonical([]byte(path))
		if canonical && !same {
			t.Errorf("%q is canonical, but %q, %q and %q", path, formA(path), formB(path), decoded(path))
		}
		hasPercent := false
		for i := range len(path) {
			hasPercent = hasPercent || path[i] == '%'
		}
		if !canonical && same && !hasPercent {
			t.Errorf("%q is the same in every form, but not canonical", path)
		}
	}
	if automaton.IsCanonical([]byte("/%")) {
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
				want := target[0] == '/' && automaton.IsCanonical(target)
				for d := range automaton.NumDialects {
					want = want && string(d.TargetPath(&s, target)) == string(target)
				}
				if automaton.IsPlain(target) != want {
					t.Errorf("IsPlain(%q) = %v", target, !want)
				}
			}
		}
	}
	if automaton.IsPlain(nil) {
		t.Error("nothing is plain")
	}
}
