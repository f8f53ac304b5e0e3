package twin

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestPatternMatchesAgreesWithRegexp tries all short patterns and paths over a small alphabet against package regexp.
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

// TestPatternMatchesIsPolynomial would time out if it were exponential.
func TestPatternMatchesIsPolynomial(t *testing.T) {
	pattern := []byte("/" + strings.Repeat("*a", 500) + "b")
	path := []byte("/" + strings.Repeat("a", 2000))
	if PatternMatches(pattern, path) {
		t.Error("matched without a b")
	}
}

// TestCanonicalFormsAreStable checks that canonical forms are their own canonical forms (except for
// a lone % before digits that were escaped, which isn't tried here).
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

// FuzzMatch checks that any bytes are accepted, that the line exists, and that a disallow has a line.
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
