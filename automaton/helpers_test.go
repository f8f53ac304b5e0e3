package automaton_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

const (
	google   = automaton.Google
	rfc9309  = automaton.RFC9309
	original = automaton.Original
)

// form has for each dialect the form in which it compares most rules: the first in which
// it accepts one.
var form = func() (forms [automaton.NumDialects]automaton.Form) {
	for d := range forms {
		for accepts := false; !accepts; {
			_, err := newMachine(automaton.Dialect(d), inOrder([]automaton.Rule{rule(forms[d], 1, "/")}), automaton.EngineList)
			if accepts = err == nil; !accepts {
				forms[d]++
			}
		}
	}
	return forms
}()

// rule writes a rule as a pattern in which only '*' and a final '$' mean
// something. It forbids what it matches, unless the pattern begins with '+'.
func rule(form automaton.Form, line uint32, pattern string) automaton.Rule {
	pattern, allow := strings.CutPrefix(pattern, "+")
	r := automaton.Rule{Form: form, Verdict: automaton.Verdict{Line: line, Disallowed: !allow}}
	pattern, r.AtEnd = strings.CutSuffix(pattern, "$")
	if strings.HasSuffix(pattern, "*") {
		r.AtEnd = false
	}
	for i, segment := range strings.Split(pattern, "*") {
		if i > 0 && segment != "" {
			r.Pattern += "*"
		}
		r.Pattern += segment
	}
	return r
}

// machine has rules in the main form of a dialect, on lines 1, 2, 3...
func machine(t testing.TB, d automaton.Dialect, patterns ...string) *automaton.Machine {
	t.Helper()
	var rules []automaton.Rule
	for i, pattern := range patterns {
		rules = append(rules, rule(form[d], uint32(i+1), pattern))
	}
	return mustNew(t, d, rules...)
}

// mustNew makes a machine of rules that outrank one another in their order, if
// they have no ranks.
func mustNew(t testing.TB, d automaton.Dialect, rules ...automaton.Rule) *automaton.Machine {
	t.Helper()
	m, err := newMachine(d, inOrder(rules), automaton.EngineList)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newMachine(d automaton.Dialect, rules []automaton.Rule, engine automaton.Engine) (*automaton.Machine,
	error) {
	b := automaton.NewBuilder(d, 1, len(rules))
	return b.Machine(rules, engine)
}

func newRuleset(d automaton.Dialect, agents []automaton.TokenMachine, wildcard *automaton.Machine) (*automaton.Ruleset,
	error) {
	b := automaton.NewBuilder(d, 0, 0)
	return b.Ruleset(slices.Clone(agents), wildcard)
}

// inOrder returns the rules with descending ranks, unless the first has one.
func inOrder(rules []automaton.Rule) []automaton.Rule {
	rules = slices.Clone(rules)
	if len(rules) > 0 && rules[0].Rank == 0 {
		for i := range rules {
			rules[i].Rank = uint64(len(rules) - i)
		}
	}
	return rules
}

func mustRuleset(t testing.TB, d automaton.Dialect, wildcard *automaton.Machine,
	agents ...automaton.TokenMachine) *automaton.Ruleset {
	t.Helper()
	r, err := newRuleset(d, agents, wildcard)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// match asks with a new Scratch.
func match(m *automaton.Machine, path string) automaton.Verdict {
	return m.Match(new(automaton.Scratch), []byte(path))
}

// forbids is the verdict of a rule that forbids, on a line.
func forbids(line uint32) automaton.Verdict {
	return automaton.Verdict{Line: line, Disallowed: true}
}

// words returns all words over an alphabet, of at most longest letters.
func words(alphabet string, longest int) []string {
	all := []string{""}
	for last := all; longest > 0; longest-- {
		var next []string
		for _, word := range last {
			for i := range len(alphabet) {
				next = append(next, word+alphabet[i:i+1])
			}
		}
		all = append(all, next...)
		last = next
	}
	return all
}
