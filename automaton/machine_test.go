package automaton_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

func TestNewRefuses(t *testing.T) {
	good := automaton.Verdict{Line: 1, Disallowed: true}
	for _, c := range []struct {
		name    string
		dialect automaton.Dialect
		rule    automaton.Rule
		want    string
	}{
		{"gap at the end", google, automaton.Rule{Pattern: "/*", Verdict: good}, "gap at the end"},
		{"gap behind a gap", google, automaton.Rule{Pattern: "**a", Verdict: good}, "behind another"},
		{"rank of the rule before", google, automaton.Rule{Rank: 2, Pattern: "/", Verdict: good}, "rank"},
		{"no line", google, automaton.Rule{Pattern: "/", Verdict: automaton.Verdict{Disallowed: true}}, "without a line"},
		{"raw form in rfc9309", rfc9309, automaton.Rule{Pattern: "/", Verdict: good}, "form"},
		{"form A in google", google, automaton.Rule{Pattern: "/", Form: automaton.FormA, Verdict: good}, "form"},
		{"raw form in original", original, automaton.Rule{Pattern: "/", Verdict: good}, "form"},
		{"form that is none", rfc9309, automaton.Rule{Pattern: "/", Form: 4, Verdict: good}, "form"},
		{"dialect that is none", automaton.NumDialects, automaton.Rule{Pattern: "/", Verdict: good}, "unknown dialect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := []automaton.Rule{c.rule}
			if c.dialect.Known() { // after a good rule, so that the index counts
				rules = []automaton.Rule{rule(form[c.dialect], 1, "/"), c.rule}
			}
			if len(rules) == 2 {
				rules[0].Rank = 2
			}
			m, err := newMachine(c.dialect, rules, automaton.EngineList)
			if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v and error %v, want one with %q", m, err, c.want)
			}
			if len(rules) == 2 && !strings.Contains(err.Error(), "rule 1") {
				t.Errorf("error %q does not name rule 1", err)
			}
		})
	}
}

// TestNothingAllowsEverything checks that nil and zero values are usable and allow everything.
func TestNothingAllowsEverything(t *testing.T) {
	for name, m := range map[string]*automaton.Machine{
		"nil": nil, "zero": {}, "without rules": machine(t, original),
	} {
		for _, path := range []string{"/", "/robots.txt", "/%zz*", ""} {
			if got := match(m, path); got != (automaton.Verdict{}) {
				t.Errorf("%s machine: %q: %v", name, path, got)
			}
		}
		if m.Len() != 0 || m.Size() != 0 {
			t.Errorf("%s machine: %d rules, %d bytes", name, m.Len(), m.Size())
		}
	}
	var none *automaton.Machine
	if d := none.Dialect(); d != rfc9309 {
		t.Errorf("the nil machine is of dialect %v", d)
	}
	if v := (automaton.Verdict{}); !v.Allowed() {
		t.Error("the zero verdict does not allow")
	}
}

func randomWord(rng *rand.Rand, alphabet string, shortest, longest int) string {
	b := make([]byte, shortest+rng.IntN(longest-shortest+1))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

func TestAgrees(t *testing.T) {
	some := machine(t, google, "/a*b", "+/a$", "/")
	for _, c := range []struct {
		name string
		x, y *automaton.Machine
		want bool
	}{
		{"itself", some, some, true},
		{"the same rules in another dialect", some, machine(t, rfc9309, "/a*b", "+/a$", "/"), true},
		{"nil and nil", nil, nil, true},
		{"nil and what only allows", nil, machine(t, rfc9309, "+/a", "+/"), true},
		{"nil and what forbids", nil, some, false},
		{"allow lines at the end", machine(t, google, "/a"), machine(t, rfc9309, "/a", "+/b"), true},
		{"allow lines before the end", machine(t, google, "/a"), machine(t, rfc9309, "+/b", "/a"), false},
		{"one rule more", some, machine(t, google, "/a*b", "+/a$", "/", "/c"), false},
		{"anchor", machine(t, google, "/a"), machine(t, google, "/a$"), false},
		{"segments", machine(t, google, "/a*b"), machine(t, google, "/a*c"), false},
		{"line", mustNew(t, google, rule(0, 1, "/a")), mustNew(t, google, rule(0, 2, "/a")), false},
	} {
		if got := c.x.Agrees(c.y); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
		if got := c.y.Agrees(c.x); got != c.want {
			t.Errorf("%s, turned round: got %v", c.name, got)
		}
	}
}

// TestAgreesIsRight checks that two machines that agree, of any dialects, forbid the same paths.
func TestAgreesIsRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	paths := words("/ab?", 5)
	agreed := 0
	for range 3000 {
		var x, y []automaton.Rule
		for line := range uint32(rng.IntN(4)) {
			pattern := randomWord(rng, "+", 0, 1) + "/" + randomWord(rng, "/ab*", 0, 2)
			f := automaton.FormA
			if rng.IntN(2) == 0 {
				f = automaton.FormB
			}
			x, y = append(x, rule(automaton.FormRaw, line+1, pattern)), append(y, rule(f, line+1, pattern))
		}
		if len(y) > 0 && rng.IntN(2) == 0 {
			y = y[:len(y)-1]
		}
		g, r := mustNew(t, google, x...), mustNew(t, rfc9309, y...)
		if !g.Agrees(r) {
			continue
		}
		agreed++
		for _, path := range paths {
			a, b := match(g, path), match(r, path)
			if a.Disallowed != b.Disallowed || a.Disallowed && a.Line != b.Line {
				t.Fatalf("%+v and %+v agree, but give %v and %v of %q", x, y, a, b, path)
			}
		}
	}
	if agreed < 1000 {
		t.Errorf("only %d agree", agreed)
	}
}

// ranked assigns rules descending ranks that interleave with the ranks of other lists.
func ranked(t *testing.T, d automaton.Dialect, ranks []uint64, patterns ...string) *automaton.Machine {
	t.Helper()
	var rules []automaton.Rule
	for i, pattern := range patterns {
		r := rule(form[d], uint32(ranks[i]), pattern)
		r.Rank = ranks[i]
		rules = append(rules, r)
	}
	return mustNew(t, d, rules...)
}

func TestJoinAnswersByRank(t *testing.T) {
	a := ranked(t, google, []uint64{9, 5, 1}, "/a*z", "+/ab", "/")
	b := ranked(t, google, []uint64{7, 3}, "/a", "+/b")
	for _, machines := range [][]*automaton.Machine{{a, b}, {b, a}, {a, mustNew(t, google), b}, {nil, a, b, nil}} {
		m, err := automaton.Join(google, machines...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := automaton.Join(rfc9309, machines...); m.Len() != 5 || err == nil {
			t.Errorf("%d rules, want 5; in another dialect: %v", m.Len(), err)
		}
		var s automaton.Scratch
		for path, want := range map[string]automaton.Verdict{
			"/axz": {Line: 9, Disallowed: true},
			"/abc": {Line: 7, Disallowed: true},
			"/b":   {Line: 3},
			"/c":   {Line: 1, Disallowed: true},
			"c":    {},
		} {
			if got := m.Match(&s, []byte(path)); got != want {
				t.Errorf("%s: %+v, want %+v", path, got, want)
			}
		}
	}
}

// TestAgreesOfJoinedMachines checks parts that end with an allowing rule: the rules it outranks may
// be in another part.
func TestAgreesOfJoinedMachines(t *testing.T) {
	join := func(machines ...*automaton.Machine) *automaton.Machine {
		m, err := automaton.Join(google, machines...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	all := ranked(t, google, []uint64{2}, "/")
	allows := ranked(t, google, []uint64{5}, "+/a")
	empty := ranked(t, google, []uint64{1}, "+")
	if join(all, allows).Agrees(join(all)) {
		t.Error("/a is allowed by one and forbidden by the other")
	}
	if !join(all, allows).Agrees(join(all, allows)) || !join(all, empty).Agrees(join(all)) {
		t.Error("they are the same but for an empty rule")
	}
	if join(all, ranked(t, google, []uint64{5}, "/a")).Agrees(join(all, ranked(t, google, []uint64{1}, "/a"))) {
		t.Error("ranks differ")
	}
}
