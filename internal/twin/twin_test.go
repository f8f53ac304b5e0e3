package twin

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestBodyLimit has one body and moves the limit over it.
func TestBodyLimit(t *testing.T) {
	const first = "user-agent: *\n"   // 14 bytes
	const second = "disallow: /a\r\n" // 12 bytes and its end: up to 26, 28
	const third = "disallow: /ab"     // up to 41
	for _, c := range []struct {
		prefix   string
		maxBytes int
		allowed  bool
		line     int
	}{
		{"", 0, false, 3},
		{"", 1000, false, 3},
		{"", 41, false, 3},
		{"", 40, false, 2},
		{"", 27, false, 2}, // between CR and LF
		{"", 26, false, 2}, // the line end does not count
		{"", 25, true, 0},
		{"", 12, true, 0},
		{"", 1, true, 0},
		{"\xef\xbb\xbf", 29, false, 2}, // the byte order mark counts
		{"\xef\xbb\xbf", 28, true, 0},
		{"\xef\xbb\xbf", 2, true, 0},
	} {
		body := []byte(c.prefix + first + second + third)
		for _, dialect := range []Dialect{Google, RFC9309} {
			allowed, line := Match(dialect, body, []byte("F"), []byte("/ab"), c.maxBytes, false)
			if allowed != c.allowed || line != c.line {
				t.Errorf("%s, %q, limit %d: got %v %d", dialect, c.prefix, c.maxBytes, allowed, line)
			}
		}
		// The original dialect takes the first rule instead of the longest.
		allowed, line := Match(Original, body, []byte("F"), []byte("/ab"), c.maxBytes, false)
		if allowed != c.allowed || line != min(c.line, 2) {
			t.Errorf("original, %q, limit %d: got %v %d", c.prefix, c.maxBytes, allowed, line)
		}
	}
}

// TestBodyLimitDropsLongLineWhole: a line of which google would read only the
// beginning is dropped all the same if its end lies past the limit.
func TestBodyLimitDropsLongLineWhole(t *testing.T) {
	body := []byte("user-agent: *\ndisallow: /a" + strings.Repeat(" ", 20000))
	for maxBytes, want := range map[int]bool{len(body): false, len(body) - 1: true} {
		if allowed, _ := Match(Google, body, []byte("F"), []byte("http://h/a"), maxBytes, false); allowed != want {
			t.Errorf("limit %d: allowed = %v, want %v", maxBytes, allowed, want)
		}
	}
}

func TestWideTokens(t *testing.T) {
	for _, c := range []struct {
		name, agent  string
		narrow, wide bool // allowed
	}{
		{"MJ12bot", "MJ12bot", true, false},
		{"MJ12bot", "mj", false, true},
		{"MJ12bot/1.0", "MJ12bot", true, false},
		{"MJ12bot", "MJ12bot/1.0", true, true}, // the agent is not cut
		{"360Spider", "360Spider", true, false},
		{"360Spider", "", false, true},
		{"archive.org_bot", "archive.org_bot", true, false},
		{"Foo", "Foo", false, false},
		{"*1", "1", true, true},
		{"*", "x", false, false},
		{"* 1", "x", false, false},
	} {
		body := []byte("user-agent: " + c.name + "\ndisallow: /")
		for wide, want := range map[bool]bool{false: c.narrow, true: c.wide} {
			allowed, _ := Match(Google, body, []byte(c.agent), []byte("http://h/a"), 0, wide)
			if allowed != want {
				t.Errorf("group %q, agent %q, wideTokens %v: allowed = %v", c.name, c.agent, wide, allowed)
			}
		}
	}
}

func TestUnknownDialectPanics(t *testing.T) {
	for _, dialect := range []Dialect{"", "bing"} {
		for what, f := range map[string]func(){
			"Match": func() { Match(dialect, nil, nil, nil, 0, false) },
			"Path":  func() { Path(dialect, nil) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of dialect %q does not panic", what, dialect)
					}
				}()
				f()
			}()
		}
	}
}

// TestPatternMatchesAgreesWithRegexp exhausts a small alphabet against another
// engine altogether.
func TestPatternMatchesAgreesWithRegexp(t *testing.T) {
	longest := 5
	if testing.Short() {
		longest = 4
	}
	paths := words("a/$", 5)
	for _, pattern := range words("a/*$", longest) {
		expression := asRegexp(pattern)
		for _, path := range paths {
			got := PatternMatches([]byte(pattern), []byte(path))
			if want := expression.MatchString(path); got != want {
				t.Fatalf("PatternMatches(%q, %q) = %v, want %v", pattern, path, got, want)
			}
		}
	}
}

// words returns all words over the alphabet of at most longest letters.
func words(alphabet string, longest int) []string {
	all := []string{""}
	for last := all; longest > 0; longest-- {
		var next []string
		for _, word := range last {
			for _, letter := range alphabet {
				next = append(next, word+string(letter))
			}
		}
		all = append(all, next...)
		last = next
	}
	return all
}

func asRegexp(pattern string) *regexp.Regexp {
	body, anchored := strings.CutSuffix(pattern, "$")
	quoted := strings.ReplaceAll(regexp.QuoteMeta(body), `\*`, ".*")
	if anchored {
		quoted += "$"
	}
	return regexp.MustCompile("^" + quoted)
}

// TestPatternMatchesIsPolynomial would not end if it were not.
func TestPatternMatchesIsPolynomial(t *testing.T) {
	pattern := []byte("/" + strings.Repeat("*a", 500) + "b")
	path := []byte("/" + strings.Repeat("a", 2000))
	if PatternMatches(pattern, path) {
		t.Error("matched without a b")
	}
}

// TestCanonicalFormsAreStable: the canonical form of a canonical form is itself
// (but for a lone % before digits that were escaped, which is not tried here).
func TestCanonicalFormsAreStable(t *testing.T) {
	for c := range 256 {
		path := fmt.Appendf(nil, "/%%%02x%c?%%%02X%c", c, c&0x7f, c, c&0x7f)
		for name, form := range map[string]func([]byte) []byte{"A": FormA, "B": FormB} {
			once := form(path)
			if twice := form(once); !bytes.Equal(once, twice) {
				t.Errorf("form %s of %q: %q, then %q", name, path, once, twice)
			}
		}
	}
}

// FuzzMatch: any bytes are good, the line exists, and a disallow has a line.
func FuzzMatch(f *testing.F) {
	f.Add([]byte("user-agent: *\ndisallow: /a*b$"), []byte("F"), []byte("http://h/axb"), 100, true)
	f.Fuzz(func(t *testing.T, body, agent, url []byte, maxBytes int, wideTokens bool) {
		for dialect := range readings {
			allowed, line := Match(dialect, body, agent, url, maxBytes, wideTokens)
			if line < 0 || line > len(splitLines(body, 0)) || !allowed && line == 0 {
				t.Errorf("%s: allowed = %v, line %d", dialect, allowed, line)
			}
			if path := Path(dialect, url); len(path) == 0 || path[0] != '/' {
				t.Errorf("%s: path %q", dialect, path)
			}
		}
	})
}
