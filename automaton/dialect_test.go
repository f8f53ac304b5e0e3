package automaton_test

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// TestUnknownDialectIsRefused: by an error where there is one, else by a panic.
func TestUnknownDialectIsRefused(t *testing.T) {
	const unknown automaton.Dialect = 200
	if unknown.Known() {
		t.Error("Dialect(200) is known")
	}
	b := automaton.NewBuilder(unknown, 0, 0)
	_, machineErr := b.Machine(nil, nil)
	_, rulesetErr := b.Ruleset(nil, nil)
	_, joinErr := automaton.Join(unknown)
	for what, err := range map[string]error{"Machine": machineErr, "Ruleset": rulesetErr, "Join": joinErr} {
		if err == nil || !strings.Contains(err.Error(), "unknown dialect") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for what, f := range map[string]func(*automaton.Scratch, []byte) []byte{"Path": unknown.Path,
		"TargetPath": unknown.TargetPath} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", what)
				}
			}()
			f(new(automaton.Scratch), []byte("/a"))
		}()
	}
}

func TestDialectProperties(t *testing.T) {
	for d := range automaton.NumDialects {
		if got, want := d.SearchesNames(), d == original; got != want {
			t.Errorf("%v.SearchesNames: %v", d, got)
		}
		for path, itself := range map[string]bool{"/robots.txt": true, "/robots.txt?": false, "/": false} {
			if got, want := d.Exempts([]byte(path)), itself && d != google; got != want {
				t.Errorf("%v.Exempts(%q): %v", d, path, got)
			}
		}
	}
}
