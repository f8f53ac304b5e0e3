package automaton_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

func TestNewRulesetRefuses(t *testing.T) {
	type agents = []automaton.TokenMachine
	g, r, o := machine(t, google), machine(t, rfc9309), machine(t, original)
	for _, c := range []struct {
		name     string
		dialect  automaton.Dialect
		agents   agents
		wildcard *automaton.Machine
		want     string
	}{
		{"wildcard of another dialect", google, nil, r, "wildcard: machine of another dialect"},
		{"agent of another dialect", original, agents{{Token: "a", Machine: g}}, o, `"a": machine of another dialect`},
		{"no machine", rfc9309, agents{{Token: "a"}}, nil, `"a": no machine`},
		{"twice", rfc9309, agents{{Token: "a", Machine: r}, {Token: "b", Machine: r}, {Token: "a", Machine: r}}, nil,
			`"a": product token twice`},
		{"empty token twice", google, agents{{Machine: g}, {Machine: g}}, nil, "twice"},
		{"empty token", rfc9309, agents{{Machine: r}}, nil, "no product token"},
		{"upper case", google, agents{{Token: "aB", Machine: g}}, nil, `"aB": product token is not in lower case`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := newRuleset(c.dialect, c.agents, c.wildcard)
			if set != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and error %v, want one with %q", set, err, c.want)
			}
		})
	}
}

func TestNoRulesetAllowsEverything(t *testing.T) {
	for name, r := range map[string]*automaton.Ruleset{
		"nil": nil, "zero": {}, "without groups": mustRuleset(t, original, nil),
	} {
		agent := []byte("F")
		if got := r.Match(new(automaton.Scratch), agent, []byte("http://h/a")); got != (automaton.Verdict{}) {
			t.Errorf("%s ruleset: %v", name, got)
		}
		if m, ok := r.Named(agent); m != nil || ok {
			t.Errorf("%s ruleset: the agent is named", name)
		}
		if r.Wildcard() != nil || r.Machine(agent) != nil {
			t.Errorf("%s ruleset: has a machine", name)
		}
	}
	var none *automaton.Ruleset
	if d := none.Dialect(); d != rfc9309 {
		t.Errorf("the nil ruleset is of dialect %v", d)
	}
}

// TestNamed checks which group a crawler's name selects.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		dialect automaton.Dialect
		tokens  string // in file order, separated by spaces; "-" is the empty one
		name    string
		want    string // "*" if none
	}{
		{google, "foo", "fOO", "foo"},
		{google, "foo", "Foo/2.1", "*"},
		{google, "foo", "Foo ", "*"},
		{google, "foo", "fooo", "*"},
		{google, "-", "", "-"},
		{google, "foo foo-bar foo_bar foobar", "foo-bar", "foo-bar"},
		{google, "foo foo-bar foo_bar foobar", "Foo_Bar", "foo_bar"},
		{google, "a{", "A[", "*"}, // only letters have a case
		{google, "\xc3\x89-_.1", "\xc3\x89-_.1", "\xc3\x89-_.1"},

		{rfc9309, "googlebot", "Googlebot/2.1 (+http://h)", "googlebot"},
		{rfc9309, "googlebot", "Googlebot-Image", "*"},
		{rfc9309, "googlebot googlebot-image", "googlebot-image/1", "googlebot-image"},
		{rfc9309, "mj12bot archive.org_bot", "ARCHIVE.ORG_BOT", "archive.org_bot"},
		{rfc9309, "a", "", "*"},

		{original, "bot googlebot", "Googlebot/2.1", "bot"}, // the first in the file
		{original, "googlebot bot", "Googlebot/2.1", "googlebot"},
		{original, "abc", "ababc", "abc"},
		{original, "abc", "", "*"},
		{original, "\xc3\xa9", "\xc3\x89", "*"},
	} {
		var agents []automaton.TokenMachine
		machines := map[string]*automaton.Machine{"*": machine(t, c.dialect)}
		for _, token := range strings.Fields(c.tokens) {
			machines[token] = machine(t, c.dialect)
			agents = append(agents, automaton.TokenMachine{Token: strings.TrimPrefix(token, "-"), Machine: machines[token]})
		}
		r := mustRuleset(t, c.dialect, machines["*"], agents...)
		m, ok := r.Named([]byte(c.name))
		if ok != (c.want != "*") || ok && m != machines[c.want] {
			t.Errorf("%v: of %s, %q finds another than %s: %v", c.dialect, c.tokens, c.name, c.want, ok)
		}
		if got := r.Machine([]byte(c.name)); got != machines[c.want] {
			t.Errorf("%v: of %s, %q is bound by another than %s", c.dialect, c.tokens, c.name, c.want)
		}
	}
}

// TestNamedAmongMany checks that every token is found, for any number of tokens.
func TestNamedAmongMany(t *testing.T) {
	for n := range 70 {
		var agents []automaton.TokenMachine
		for i := range n {
			token := fmt.Sprintf("bot%d", (i*37)%n)
			if i%2 == 0 {
				token += "-x"
			}
			agents = append(agents, automaton.TokenMachine{Token: token, Machine: machine(t, rfc9309)})
		}
		slices.SortStableFunc(agents, func(a, b automaton.TokenMachine) int { return strings.Compare(a.Token, b.Token) })
		agents = slices.CompactFunc(agents, func(a, b automaton.TokenMachine) bool { return a.Token == b.Token })
		slices.Reverse(agents)
		r := mustRuleset(t, rfc9309, nil, agents...)
		for _, a := range agents {
			if m, ok := r.Named([]byte(strings.ToUpper(a.Token) + "/1")); m != a.Machine || !ok {
				t.Errorf("of %d tokens %s is not found", len(agents), a.Token)
			}
			if _, ok := r.Named([]byte(a.Token + "-")); ok {
				t.Errorf("of %d tokens %s- is found", len(agents), a.Token)
			}
		}
	}
}

func TestDialectNames(t *testing.T) {
	for d, name := range map[automaton.Dialect]string{google: "google", rfc9309: "rfc9309", original: "original"} {
		if got, err := automaton.ParseDialect(name); got != d || err != nil || d.String() != name {
			t.Errorf("%q: got %v, error %v", name, got, err)
		}
	}
	for _, name := range []string{"", "Google", "auto", "Dialect(200)"} {
		if d, err := automaton.ParseDialect(name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: got %v, error %v", name, d, err)
		}
	}
	if got := automaton.Dialect(200).String(); got != "Dialect(200)" {
		t.Errorf("got %q", got)
	}
}

func TestCutToken(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "Googlebot/2.1": "Googlebot", "archive.org_bot": "archive.org_bot", "360Spider-x y": "360Spider-x",
		" a": "", "*": "", "b\xc3\xb6t": "b", "a@": "a", "a[": "a", "a`": "a", "a{": "a", "a\x00": "a",
	} {
		if got := automaton.CutToken([]byte(name)); string(got) != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_."
	for c := range 256 {
		if got := automaton.IsTokenByte(byte(c)); got != (strings.IndexByte(letters, byte(c)) >= 0) {
			t.Errorf("%q: got %v", byte(c), got)
		}
	}
}

func TestAgentsAreSortedUnlessTheirOrderDecides(t *testing.T) {
	for d, want := range map[automaton.Dialect]string{google: "a", rfc9309: "a", original: "b"} {
		m := machine(t, d, "/")
		r := mustRuleset(t, d, nil, []automaton.TokenMachine{{Token: "b", Machine: m}, {Token: "a", Machine: m}}...)
		if agents := r.Agents(); len(agents) != 2 || agents[0].Token != want || agents[0].Machine != m {
			t.Errorf("%v: got %v", d, agents)
		}
	}
	if agents := (*automaton.Ruleset)(nil).Agents(); agents != nil {
		t.Errorf("no ruleset has agents %v", agents)
	}
}

// TestUnknownDialectIsRefused checks that unknown dialects give an error if there is one, else a
// panic.
func TestUnknownDialectIsRefused(t *testing.T) {
	const unknown automaton.Dialect = 200
	if unknown.Known() {
		t.Error("Dialect(200) is known")
	}
	b := automaton.NewBuilder(unknown, 0, 0)
	_, machineErr := b.Machine(nil, automaton.EngineList)
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
