package automaton_test

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/twin"
)

func TestPath(t *testing.T) {
	for _, c := range []struct{ url, google, others string }{
		{"", "/", "/"},
		{"http://h", "/", "/"},
		{"http://h/", "/", "/"},
		{"http://h?q", "/?q", "/?q"},
		{"http://h;p", "/;p", "/"},
		{"http://h;p/a", "/;p/a", "/a"},
		{"http://h#f/a", "/", "/"},
		{"http://h/a#f", "/a", "/a"},
		{"http://h/a?q=http://x/y#f#g", "/a?q=http://x/y", "/a?q=http://x/y"},
		{"HTTP://u:p@h:8/a", "/a", "/a"},
		{"h/a", "/a", "/a"},
		{"h", "/", "/"},
		{"?q", "/?q", "/?q"},
		{"#/a", "/", "/"},
		{"/a/b", "/a/b", "/a/b"},
		{"/#", "/", "/"},
		{"//a", "/", "//a"},
		{"//h/a", "/a", "//h/a"},
		{"///a", "/a", "///a"},
		{"/x://y/z", "/x://y/z", "/x://y/z"},
		{"://h/a", "/a", "/a"},
		{":/a", "/a", "/a"},
		{"http:/h/a", "/h/a", "/h/a"},
		{"http:///a", "/a", "/a"},
		{"a://b://c/d", "//c/d", "//c/d"},
		{"a?b://c/d", "/?b://c/d", "/?b://c/d"},
		{"http://", "/", "/"},
		{"http:/", "/", "/"},
		{"http://h/a\x00b", "/a", "/a\x00b"},
		{"\x00/\x00a", "/", "/\x00a"},
		{"*", "/", "/"},
		{"http://h/%zz/../\xff", "/%zz/../\xff", "/%zz/../\xff"},
	} {
		for d, want := range map[automaton.Dialect]string{google: c.google, rfc9309: c.others, original: c.others} {
			if got := d.Path(new(automaton.Scratch), []byte(c.url)); string(got) != want {
				t.Errorf("%v: path of %q: got %q, want %q", d, c.url, got, want)
			}
		}
	}
}

func TestTargetPath(t *testing.T) {
	for _, c := range []struct{ target, google, others string }{
		{"/", "/", "/"},
		{"//a", "//a", "//a"},
		{"//a//b", "//a//b", "//a//b"},
		{"/a#b", "/a", "/a"},
		{"/#", "/", "/"},
		{"/a;b?c=d;e", "/a;b?c=d;e", "/a;b?c=d;e"},
		{"/a\x00b#c", "/a", "/a\x00b"},
		{"/a#b\x00c", "/a", "/a"},
		{"/http://x/y", "/http://x/y", "/http://x/y"},
		// Any other target is a URL: of a proxy, of CONNECT, of OPTIONS.
		{"http://h/a", "/a", "/a"},
		{"http://h", "/", "/"},
		{"h:443", "/", "/"},
		{"*", "/", "/"},
		{"?q", "/?q", "/?q"},
		{"", "/", "/"},
	} {
		for d, want := range map[automaton.Dialect]string{google: c.google, rfc9309: c.others, original: c.others} {
			if got := d.TargetPath(new(automaton.Scratch), []byte(c.target)); string(got) != want {
				t.Errorf("%v: path of target %q: got %q, want %q", d, c.target, got, want)
			}
		}
	}
}

// TestTargetPathIsThePathOfItsURL exhausts what can be in a target.
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
			got, want := d.TargetPath(&s, target), d.Path(&u, url)
			if string(got) != string(want) {
				t.Fatalf("%v: target %q: got %q, the URL's path is %q", d, target, got, want)
			}
			if len(got) == 0 || got[0] != '/' {
				t.Fatalf("%v: target %q: got %q", d, target, got)
			}
		}
	}
}

// TestLongURLs has authorities and paths around the 64 bytes that are read at a time.
func TestLongURLs(t *testing.T) {
	var s automaton.Scratch
	for n := range 140 {
		for _, end := range []string{"", "/a", "?q", ";p/a", "#f/a", "/\x00/a", "/" + strings.Repeat("x", 130) + "#f", "?" +
			strings.Repeat("x", n) + "\x00y#f"} {
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

// TestPathSurvivesMatch: a path that Path made in a Scratch is still whole when
// a match in the same Scratch has written to it.
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
