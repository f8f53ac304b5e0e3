package compile_test

import (
	"bytes"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/twin"
)

// TestExamples asks every question of the examples files.
func TestExamples(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.String(), func(t *testing.T) {
			examples := readExamples(t, d)
			if examples == nil {
				t.Skip("the dialect has no file of examples")
			}
			verdicts, functions, lists := 0, 0, 0
			for _, e := range examples {
				switch {
				case e.Function != "":
					functions++
					testFunction(t, d, e)
				case len(e.Agents) > 1:
					// A caller with several names pools their groups: only the
					// C++ library, and the twin, have such a question.
					lists++
				default:
					verdicts++
					testVerdict(t, d, e)
				}
			}
			t.Logf("%d verdicts, %d functions; %d lists of names left to the twin", verdicts, functions, lists)
			if verdicts+functions < 100 || functions < 5 || lists > 5 {
				t.Error("the examples are not what they were")
			}
		})
	}
}

func testVerdict(t *testing.T, d automaton.Dialect, e twin.Example) {
	t.Helper()
	got := mode{dialect: d}.tiers(e.Robots).ask(t, new(automaton.Scratch), e.Agents[0], e.URL)
	if want := (answer{e.Allowed, e.Line}); got != want {
		t.Errorf("%v examples:%d: got %v: %s", d, e.Number, got, e.Source)
	}
}

func testFunction(t *testing.T, d automaton.Dialect, e twin.Example) {
	t.Helper()
	functions := map[string]func([]byte) []byte{
		"path":    func(url []byte) []byte { return d.Path(new(automaton.Scratch), url) },
		"formA":   func(path []byte) []byte { return inForm(path, automaton.FormA) },
		"formB":   func(path []byte) []byte { return inForm(path, automaton.FormB) },
		"decode":  func(path []byte) []byte { return inForm(path, automaton.FormDecoded) },
		"escape":  func(value []byte) []byte { return compiledPattern(t, d, value) },
		"pattern": func(value []byte) []byte { return compiledPattern(t, d, value) },
	}
	f := functions[e.Function]
	if f == nil {
		t.Fatalf("%v examples:%d: no function %q", d, e.Number, e.Function)
	}
	if got := f(e.Input); !bytes.Equal(got, e.Output) {
		t.Errorf("%v examples:%d: got %q: %s", d, e.Number, got, e.Source)
	}
}

func inForm(path []byte, form automaton.Form) []byte {
	out, _ := automaton.AppendForm(nil, path, form, false)
	return out
}

// compiledPattern is the pattern that a rule with the value has.
func compiledPattern(t *testing.T, d automaton.Dialect, value []byte) []byte {
	t.Helper()
	rule, ok := compileIn(d, "user-agent: *\ndisallow: "+string(value)).Rule(2)
	if !ok {
		t.Fatalf("%v: no rule of %q", d, value)
	}
	return []byte(rule.Pattern)
}

// TestVerdictNamesARuleOfTheFile: the line of every example's verdict is one
// that Robots.Rule knows and that Robots.Matches puts first.
func TestVerdictNamesARuleOfTheFile(t *testing.T) {
	var s automaton.Scratch
	for _, d := range dialects {
		for _, e := range readExamples(t, d) {
			if e.Function != "" || len(e.Agents) > 1 {
				continue
			}
			r := compileIn(d, string(e.Robots))
			m := r.Ruleset.Machine(e.Agents[0])
			matches := r.Matches(m, &s, d.Path(new(automaton.Scratch), e.URL))
			if e.Line == 0 {
				if len(matches) > 0 {
					t.Errorf("%v examples:%d: no rule decides, yet %v match: %s", d, e.Number, matches, e.Source)
				}
				continue
			}
			rule, ok := r.Rule(e.Line)
			if !ok || len(matches) == 0 || matches[0].Line != rule.Line || matches[0].String() != rule.String() {
				t.Errorf("%v examples:%d: Rule gives %v, Matches %v: %s", d, e.Number, rule, matches, e.Source)
			}
		}
	}
}
