package compile_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestOrderOfPrefixes: patterns that have much in common, end at every length and
// go on with NUL, which original decodes, are found by both engines alike. The
// automaton rests on their order, the list does not.
func TestOrderOfPrefixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		var b strings.Builder
		b.WriteByte('/')
		for range rng.IntN(14) {
			b.WriteString([]string{"a", "a", "a", "%00", "b"}[rng.IntN(5)])
		}
		return b.String()
	}
	var s automaton.Scratch
	met := 0
	for range 300 {
		var body strings.Builder
		body.WriteString("user-agent: *\n")
		for range 1 + rng.IntN(40) {
			body.WriteString([]string{"allow: ", "disallow: "}[rng.IntN(2)] + word() + "\n")
		}
		for _, d := range dialects {
			list := compile.Compile([]byte(body.String()), compile.Options{Dialect: d, Engine: compile.EngineList}).Ruleset
			table := compile.Compile([]byte(body.String()), compile.Options{Dialect: d, Engine: compile.EngineAutomaton}).Ruleset
			for range 40 {
				url := []byte(word())
				want := list.Match(&s, []byte("foo"), url)
				if got := table.Match(&s, []byte("foo"), url); got != want {
					t.Fatalf("%v: %s: automaton %+v, list %+v, of\n%s", d, url, got, want, body.String())
				}
				if want.Line > 0 {
					met++
				}
			}
		}
	}
	if met < 10_000 {
		t.Errorf("only %d paths met a rule", met)
	}
}
