package prove_test

import (
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
)

// TestStudies checks the classes of both studies, derived by hand from their programs.
func TestStudies(t *testing.T) {
	for _, c := range []struct{ robots, dataProvenance, imc string }{
		{"", "none", "none"},
		{"Disallow:", "none", "none"},
		{"Disallow: /", "all", "fully"},
		{"Disallow: /private", "some", "partially"},
		{"Allow: /", "none", "none"},
		{"Disallow: /private\nAllow: /private/x", "some", "partially"},
		// What a proof shows to be full: other spellings of /, and an Allow that frees nothing.
		{"Disallow: /*", "some", "fully"},
		{"Disallow: /\nAllow: /robots.txt", "some", "partially"},
		// What it shows to be partial: the first study drops rules with a question mark, and the second
		// asks for no path that Allow does not free.
		{"Disallow: /*?", "none", "partially"},
		{"Disallow: /\nAllow: /?a", "all", "partially"},
		{"Disallow: /a\nAllow: /a$", "some", "none"},
		{"Disallow: /$", "some", "partially"},
		// What it shows to be none, and equal lists, of which the first study looks at the order alone.
		{"Disallow: /a\nAllow: /a*", "some", "none"},
		{"Allow: /a\nAllow: /b\nDisallow: /a\nDisallow: /b", "none", "none"},
		{"Allow: /b\nAllow: /a\nDisallow: /a\nDisallow: /b", "some", "none"},
		{"Allow: /\nDisallow: /\nDisallow:", "none", "none"},
		// The second study asks for the paths of all groups.
		{"Disallow: /a\nAllow: /\n\nUser-agent: other\nDisallow: /a/b", "some", "partially"},
		{"Disallow: /\nAllow: /a*b\n\nUser-agent: other\nDisallow:", "some", "partially"},
		{"Disallow: /*a/b$\n\nUser-agent: other\nDisallow: /", "some", "partially"},
	} {
		for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google} {
			r := compile.Compile([]byte("User-agent: GPTBot\n"+c.robots+"\n"), compile.Options{Dialect: d}).Ruleset
			m := r.Machine([]byte("GPTBot"))
			if got := prove.AllSomeNone(m); got != c.dataProvenance {
				t.Errorf("%v: %q: Data Provenance: %s, not %s", d, c.robots, got, c.dataProvenance)
			}
			if got := prove.Probed(m, r); got != c.imc {
				t.Errorf("%v: %q: IMC 2025: %s, not %s", d, c.robots, got, c.imc)
			}
		}
	}
}

// TestBias checks biases derived by hand from the definition of 2007: how many more of the
// directories /a, /b and / the crawler may fetch than others.
func TestBias(t *testing.T) {
	const others = "User-agent: *\nDisallow: /a\nDisallow: /b\n\n"
	for _, c := range []struct {
		robots string
		want   int
	}{
		{others + "User-agent: x\nDisallow: /a\n", 1},
		{others + "User-agent: x\nDisallow:\n", 2},
		{others + "User-agent: x\nDisallow: /\n", -1}, // of /a, /b and / it may fetch none, others only /
		{others, 0},
		{"User-agent: x\nDisallow: /a\nDisallow: /b$\n", -2},
		{"", 0},
	} {
		r := compile.Compile([]byte(c.robots), compile.Options{}).Ruleset
		if got := prove.Bias(r.Machine([]byte("x")), r); got != c.want {
			t.Errorf("%q: %d, not %d", c.robots, got, c.want)
		}
	}
	r := compile.Compile([]byte(others), compile.Options{}).Ruleset
	if got := prove.Bias(nil, r); got != 2 {
		t.Error("a crawler that * does not bind:", got)
	}
}

// TestStudiesOfValuesWithBlanks checks values with a blank, which Google matches but no client
// sends: the second study uses the first word.
func TestStudiesOfValuesWithBlanks(t *testing.T) {
	r := compile.Compile([]byte("User-agent: *\nDisallow: /cgi-bin /scripts\n"),
		compile.Options{Dialect: automaton.Google}).Ruleset
	m := r.Wildcard()
	if got := prove.AllSomeNone(m) + " " + prove.Probed(m, r); got != "some none" {
		t.Error(got)
	}
	if got := prove.Classify(m).Class; got != prove.None {
		t.Error(got)
	}
}

// TestStudiesOfOriginal checks the dialect of 1994, where the first rule decides, and * and $ are
// ordinary bytes.
func TestStudiesOfOriginal(t *testing.T) {
	r := compile.Compile([]byte("User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow: /*\n"),
		compile.Options{Dialect: automaton.Original}).Ruleset
	a, b := r.Machine([]byte("a")), r.Machine([]byte("b"))
	if got := prove.AllSomeNone(a) + prove.AllSomeNone(b); got != "allsome" {
		t.Error(got)
	}
	if got := prove.Probed(a, r) + prove.Probed(b, r); got != "fullypartially" {
		t.Error(got)
	}
}

// TestStudiesOfOddMachines checks that nothing is forbidden without rules, and that forged ranks
// are harmless.
func TestStudiesOfOddMachines(t *testing.T) {
	if prove.AllSomeNone(nil) != "none" || prove.Probed(nil, nil) != "none" {
		t.Error("no rules, and not none")
	}
	b := automaton.NewBuilder(automaton.RFC9309, 1, 1)
	m, err := b.Machine([]automaton.Rule{{Rank: 1<<64 - 1, Pattern: "/a", Form: automaton.FormA,
		Verdict: automaton.Verdict{Line: 1, Disallowed: true}}}, automaton.EngineAuto)
	if err != nil {
		t.Fatal(err)
	}
	if got := prove.AllSomeNone(m); got != "some" {
		t.Error(got)
	}
}
