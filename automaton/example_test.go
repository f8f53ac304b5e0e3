package automaton_test

import (
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// exampleRobots is the robots.txt of the examples.
var exampleRobots = []byte(`User-agent: *
Disallow: /private/
Allow: /private/*.html$

User-agent: ExampleBot
Disallow: /
`)

// For many URLs of one crawler, look its Machine up once.
func ExampleMachine() {
	rules := compile.Compile(exampleRobots, compile.Options{}).Ruleset
	m := rules.Machine([]byte("FooBot/2.1"))
	var s automaton.Scratch
	for _, url := range []string{"https://example.com/private/a", "https://example.com/private/a.html", "/b?q=1"} {
		v := m.Match(&s, m.Dialect().Path(&s, []byte(url)))
		fmt.Println(url, v.Allowed(), v.Line)
	}
	// Output:
	// https://example.com/private/a false 2
	// https://example.com/private/a.html true 3
	// /b?q=1 true 0
}

// One body may mean something else in another dialect.
func ExampleDialect() {
	body := []byte("User-agent: FooBot\nDisallow: /a\nAllow: /a/b\n")
	for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google, automaton.Original} {
		rules := compile.Compile(body, compile.Options{Dialect: d}).Ruleset
		fmt.Println(d, rules.Match(new(automaton.Scratch), []byte("FooBot"), []byte("/a/b")).Allowed())
	}
	// Output:
	// rfc9309 true
	// google true
	// original false
}

// Programs that have rules from elsewhere than a robots.txt make machines themselves.
func ExampleBuilder() {
	b := automaton.NewBuilder(automaton.Google, 1, 1)
	m, err := b.Machine([]automaton.Rule{
		{Rank: 1, Pattern: "/*.pdf", AtEnd: true, Verdict: automaton.Verdict{Line: 1, Disallowed: true}},
	}, automaton.EngineAuto)
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := b.Ruleset([]automaton.TokenMachine{{Token: "foobot", Machine: m}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rules.Match(new(automaton.Scratch), []byte("FooBot"), []byte("/a.pdf")).Allowed())
	// Output: false
}
