package compile_test

import (
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// The simplest question: may this crawler fetch this URL?
func ExampleAllowed() {
	body := []byte("User-agent: *\nDisallow: /private/\nAllow: /private/notes/\n")
	fmt.Println(compile.Allowed(body, "GPTBot", "https://example.com/private/notes/1"))
	fmt.Println(compile.Allowed(body, "GPTBot", "https://example.com/private/2"))
	// Output:
	// true
	// false
}

// A robots.txt is compiled once and asked often.
func Example() {
	body := []byte("User-agent: *\nDisallow: /private/\nAllow: /private/notes/\n")
	robots := compile.Compile(body, compile.Options{Dialect: automaton.Google})
	machine := robots.Ruleset.Machine([]byte("Googlebot")) // immutable; shared by all goroutines
	var scratch automaton.Scratch                          // one for each goroutine
	for _, url := range []string{"https://example.com/private/notes/1", "https://example.com/private/2"} {
		verdict := machine.Match(&scratch, automaton.Google.Path(&scratch, []byte(url)))
		rule, _ := robots.Rule(int(verdict.Line))
		fmt.Println(verdict.Allowed(), url, rule)
	}
	// Output:
	// true https://example.com/private/notes/1 Allow: /private/notes/
	// false https://example.com/private/2 Disallow: /private/
}
