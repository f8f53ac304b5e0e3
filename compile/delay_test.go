package compile_test

import (
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestDelay: a crawler is asked to wait only where all who read Crawl-delay would say so.
func TestDelay(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		name, file, agent string // "" for *
		want              time.Duration
	}{
		{"a group of its own", "user-agent: a\ncrawl-delay: 10\ndisallow: /x\n", "a", 10 * time.Second},
		{"behind the rules", "user-agent: a\ndisallow: /x\nCRAWL-DELAY: 0.5\n", "a", 500 * time.Millisecond},
		{"several agents", "user-agent: a\nuser-agent: b\ncrawl-delay: 3\n", "a", 3 * time.Second},
		{"for *", "user-agent: *\ncrawl-delay: 2\n", "", 2 * time.Second},
		{"for * with others", "user-agent: a\nuser-agent: *\ncrawl-delay: 2\n", "", 2 * time.Second},
		{"by its version in other case", "user-agent: Aa/2.0\ncrawl-delay: 2\n", "aA", 2 * time.Second},
		{"none", "user-agent: a\ndisallow: /x\n", "a", none},
		{"no number", "user-agent: a\ncrawl-delay: soon\n", "a", none},
		{"no number, then one", "user-agent: a\ncrawl-delay: NaN\ncrawl-delay: 4\n", "a", 4 * time.Second},
		{"twice", "user-agent: a\ncrawl-delay: 4\ncrawl-delay: 1\n", "a", time.Second},
		{"too long", "user-agent: a\ncrawl-delay: 1e9\n", "a", none},
		{"two groups", "user-agent: a\ncrawl-delay: 5\ndisallow: /x\nuser-agent: a\ncrawl-delay: 1\n", "a", time.Second},

		// By RFC 9309 these are one group, by most readers of Crawl-delay two.
		{"the one before has its own", "user-agent: a\ncrawl-delay: 10\nuser-agent: b\ncrawl-delay: 1\n", "b", time.Second},
		{"the one behind has its own", "user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 10\n", "b", time.Second},
		{"the first of both", "user-agent: a\ncrawl-delay: 10\nuser-agent: b\ncrawl-delay: 1\n", "a", 10 * time.Second},
		{"no number before the first", "user-agent: a\ncrawl-delay: x\nuser-agent: b\ncrawl-delay: 2\nuser-agent: " +
			"c\ncrawl-delay: 3\n", "c", 2 * time.Second},
		{"only the one before has one", "user-agent: a\ncrawl-delay: 60\n\nuser-agent: *\ndisallow: /x\n", "", none},
		{"only the one behind has one", "user-agent: a\nsitemap: /s\nuser-agent: b\ncrawl-delay: 6\n", "a", 6 * time.Second},
	} {
		for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google} {
			r := compile.Compile([]byte(c.file), compile.Options{Dialect: d, WideTokens: true})
			got, ok := r.Delay(r.Ruleset.Machine([]byte(c.agent)), []byte(c.agent))
			if !ok {
				got = none
			}
			if got != c.want {
				t.Errorf("%s, %v: %v, want %v", c.name, d, got, c.want)
			}
		}
	}
	original := compile.Compile([]byte("user-agent: foo\ncrawl-delay: 7\n"), compile.Options{Dialect: automaton.Original})
	if got, ok := original.Delay(original.Ruleset.Machine([]byte("FooBot/1.0")),
		[]byte("FooBot/1.0")); got != 7*time.Second || !ok {
		t.Errorf("a part of a name, original: %v, %v", got, ok)
	}
}
