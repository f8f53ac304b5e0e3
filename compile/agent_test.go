package compile_test

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestAgent checks that an agent answers like the ruleset of its file, in each dialect, for any
// name.
func TestAgent(t *testing.T) {
	body := []byte("user-agent: a\ndisallow: /%61\nuser-agent: *\ndisallow: /x\nuser-agent:\ndisallow: /e\n")
	var s automaton.Scratch
	for d := range automaton.NumDialects {
		r := compile.Compile(body, compile.Options{Dialect: d})
		for _, name := range []string{"a", "A/1.0", "b", "*", "", "Mozilla/5.0 (compatible; a/1.0)"} {
			a := r.Agent(name)
			for _, url := range []string{"/a", "/%61", "/x/y", "/e", "", "/robots.txt", "https://a.example/x?a#b", "\xff"} {
				want := r.Ruleset.Match(&s, []byte(name), []byte(url))
				if got := a.Match(url); got != want || a.Allows(url) != want.Allowed() || a.MatchWith(&s, []byte(url)) != want {
					t.Errorf("%v, %q, %q: %v, want %v", d, name, url, got, want)
				}
			}
			if _, named := r.Ruleset.Named([]byte(name)); named != a.Named() {
				t.Errorf("%v, %q: named %v", d, name, a.Named())
			}
		}
		if a := r.Agent("*"); a.Allows("/x") || len(a.Groups()) != 1 || a.Groups()[0] != 1 {
			t.Errorf("%v: * is bound by groups %v", d, a.Groups())
		}
	}
	var none compile.Agent
	if delay, asks := none.CrawlDelay(); delay != 0 || asks || !none.Allows("/x") || none.Groups() != nil || none.Named() {
		t.Error("the zero Agent is bound")
	}
}

// One robots.txt, one crawler, any number of URLs.
func ExampleRobots_Agent() {
	gptbot := compile.Parse([]byte("User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n")).Agent("GPTBot")
	fmt.Println(gptbot.Allows("https://example.com/private/1"))
	verdict := gptbot.Match("https://example.com/private/1")
	fmt.Println(verdict.Allowed(), verdict.Line)
	fmt.Println(gptbot.CrawlDelay())
	// Output:
	// false
	// false 3
	// 5s true
}
