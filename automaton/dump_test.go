package automaton_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// dumped compiles the rules of one group and returns the machine for everybody.
func dumped(t *testing.T, d automaton.Dialect, engine automaton.Engine, rules string) *automaton.Machine {
	t.Helper()
	body := "user-agent: *\n" + rules
	return compile.Compile([]byte(body), compile.Options{Dialect: d, Engine: engine}).Ruleset.Wildcard()
}

// everything has a rule for each thing that a table can do.
const everything = `disallow: /wp-admin/
allow: /wp-admin/admin-ajax.php
disallow: /wp-admin/$
disallow: /*?s=
disallow: /*?*page=
disallow: /*.pdf$
disallow: /search/*print*page
disallow: /search?q=
disallow: /a*1x
disallow: /a*2x
disallow: /a*3x$
disallow: /a*4x*.pdf
disallow: /a*5x
disallow: /b*1
disallow: /b*2
allow: /
`

// manyGaps is a rule with more segments than are searched for one by one.
const manyGaps = "disallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n"

// TestDump compares dumps with files that people have read.
func TestDump(t *testing.T) {
	for _, c := range []struct {
		file    string
		dialect automaton.Dialect
		engine  automaton.Engine
		rules   string
	}{
		{"list.txt", google, automaton.EngineList, "disallow: /a*b$\nallow: /\"\x7f\n"},
		{"everything.txt", rfc9309, automaton.EngineTable, everything},
		{"gaps.txt", rfc9309, automaton.EngineTable, everything + manyGaps},
		{"prefixes.txt", original, automaton.EngineTable,
			"disallow: /a*\ndisallow: /a*b$\ndisallow: /abcdefghijklmnop1\ndisallow: /abcdefghijklmnop2\n"},
	} {
		t.Run(c.file, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := dumped(t, c.dialect, c.engine, c.rules).String(); got != string(want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestDumpOfSeveralParts(t *testing.T) {
	body := "user-agent: a\nuser-agent: b\ndisallow: /both\nuser-agent: a\ndisallow: /a\n"
	m := compile.Compile([]byte(body), compile.Options{}).Ruleset.Machine([]byte("a"))
	const want = `part 1 of 2, rfc9309, 1 rule, list
  rule 0, line 3: disallow "/both", rank 10.fffffffc
part 2 of 2, rfc9309, 1 rule, list
  rule 0, line 5: disallow "/a", rank 4.fffffffa
`
	if got := m.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	var none *automaton.Machine
	if got := none.String(); got != "rfc9309, no rules: allows everything\n" {
		t.Errorf("got %q", got)
	}
}

// TestDumpIsPrintable checks dumps of hostile rules.
func TestDumpIsPrintable(t *testing.T) {
	rules := "disallow: /\x1b[2J*\x07\"\\\ndisallow: /\xff*\u202e$\n"
	for d := range automaton.NumDialects {
		for _, engine := range []automaton.Engine{automaton.EngineList, automaton.EngineTable} {
			for _, rules := range []string{rules, rules + manyGaps} {
				text := dumped(t, d, engine, rules).String()
				if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\n' || c >= 0x7f }) {
					t.Errorf("%v: %q", d, text)
				}
			}
		}
	}
}
