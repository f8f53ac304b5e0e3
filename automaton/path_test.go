package automaton_test

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/test/twin"
)

// TestTargetPathIsThePathOfItsURL tries all short targets over an alphabet of the significant
// bytes.
func TestTargetPathIsThePathOfItsURL(t *testing.T) {
	longest := 6
	if testing.Short() {
		t.Log("short: length 4 instead of 6")
		longest = 4
	}
	var s, u automaton.Scratch
	for _, rest := range words("/:?;#a\x00", longest) {
		target := []byte("/" + rest)
		url := append([]byte("http://h"), target...)
		for d := range automaton.NumDialects {
			got, want := d.TargetPath(&s, target[1:]), d.Path(&u, target[1:])
			if len(target) > 1 && target[1] != '/' && string(got) != string(want) {
				t.Fatalf("%v: target %q, which is a URL: got %q, want %q", d, target[1:], got, want)
			}
			got, want = d.TargetPath(&s, target), d.Path(&u, url)
			if string(got) != string(want) {
				t.Fatalf("%v: target %q: got %q, the URL's path is %q", d, target, got, want)
			}
			if len(got) == 0 || got[0] != '/' {
				t.Fatalf("%v: target %q: got %q", d, target, got)
			}
		}
	}
}

// TestLongURLs tries authorities and paths around 64 bytes, which are read at a time.
func TestLongURLs(t *testing.T) {
	var s automaton.Scratch
	ends := []string{"", "/a", "?q", ";p/a", "#f/a", "/\x00/a", "/" + strings.Repeat("x", 130) + "#f"}
	for c := range 256 { // every byte in an authority and in a path
		ends = append(ends, string([]byte{byte(c), '/', byte(c), 'a'}))
	}
	for n := range 140 {
		for _, end := range append(ends, "?"+strings.Repeat("x", n)+"\x00y#f") {
			for _, start := range []string{"", "http://", "//", "ftp://"} {
				url := []byte(start + strings.Repeat("h", n) + end)
				for d := range automaton.NumDialects {
					if got, want := d.Path(&s, url), twin.Path(twin.Dialect(d.String()), url); string(got) != string(want) {
						t.Fatalf("%v: path of %q: got %q, want %q", d, url, got, want)
					}
				}
			}
		}
	}
}

// TestPathSurvivesMatch checks that a path stored in a Scratch by Path is intact after a match with
// the same Scratch.
func TestPathSurvivesMatch(t *testing.T) {
	for d := range automaton.NumDialects {
		var s automaton.Scratch
		m := machine(t, d, "/?a")
		path := d.Path(&s, []byte("http://h?a%20%2f*"))
		for range 2 {
			if got := m.Match(&s, path); got != forbids(1) || string(path) != "/?a%20%2f*" {
				t.Errorf("%v: got %v, path %q", d, got, path)
			}
		}
	}
}
