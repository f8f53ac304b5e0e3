package prove_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
)

func machine(dialect automaton.Dialect, lines ...string) *automaton.Machine {
	body := "User-agent: *\n" + strings.Join(lines, "\n") + "\n"
	return compile.Compile([]byte(body), compile.Options{Dialect: dialect}).Ruleset.Wildcard()
}

func ExampleClassify() {
	m := machine(automaton.RFC9309, "Disallow: /", "Allow: /*.css$")
	r := prove.Classify(m)
	fmt.Println(r.Class, r.Forbidden.Path, r.Allowed.Path)
	// Output: partial / /.css
}

func ExampleDiffer() {
	old := machine(automaton.RFC9309, "Disallow: /private/")
	now := machine(automaton.RFC9309, "Disallow: /private/", "Disallow: /*?print=", "Allow: /private/press/")
	d, differ := prove.Differ(old, now)
	fmt.Println(differ, d.Forbidden.Path, d.Allowed.Path)
	// Output: true /?print= /private/press/
}

func ExampleRules_Effect() {
	p := &prove.Prover{Steps: prove.DefaultSteps}
	rules := p.Rules(machine(automaton.RFC9309, "Disallow: /a", "Disallow: /ab", "Allow: /*b"))
	for line := uint32(2); line <= 4; line++ {
		e := rules.Effect(line)
		fmt.Println(line, "dead:", e.Dead, "by:", e.By)
	}
	// Output:
	// 2 dead: false by: 0
	// 3 dead: true by: 4
	// 4 dead: false by: 0
}

// TestAnswers checks facts about single files.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name               string
		dialect            automaton.Dialect
		rules              []string
		class              prove.Class
		forbidden, allowed string
	}{
		{"no rule", automaton.RFC9309, nil, prove.None, "", "/"},
		{"everything", automaton.RFC9309, []string{"Disallow: /"}, prove.Full, "/", ""},
		{"everything but robots.txt", automaton.Google, []string{"Disallow: /", "Allow: /robots.txt$"}, prove.Full, "/", ""},
		{"only robots.txt", automaton.Google, []string{"Disallow: /robots.txt$"}, prove.None, "", "/"},
		{"by all next bytes", automaton.RFC9309, []string{"Disallow: /*", "Allow: /$"}, prove.Partial, "/!", "/"},
		{"escapes are whole", automaton.RFC9309, []string{"Disallow: /%c3"}, prove.Partial, "/%C3", "/"},
		{"not ASCII", automaton.Google, []string{"Disallow: /é"}, prove.Partial, "/%C3%A9", "/"},
		{"what a URL has escaped", automaton.RFC9309, []string{"Disallow: /{"}, prove.Partial, "/%7B", "/"},
		{"what only clients send", automaton.Google, []string{"Disallow: /{"}, prove.Partial, "/{", "/"},
		{"an escape that no URL needs", automaton.Google, []string{"Disallow: /%7Ejoe/"}, prove.Partial, "/%7Ejoe/", "/"},
		{"an escaped letter", automaton.Google, []string{"Disallow: /%61"}, prove.Partial, "/%61", "/"},
		{"a part of an escape after a gap", automaton.Google, []string{"Disallow: /*7E$"}, prove.Partial, "/7E", "/"},
		{"an escape that means the same", automaton.RFC9309, []string{"Disallow: /%7Ejoe/"}, prove.Partial, "/~joe/", "/"},
		{"what browsers send", automaton.RFC9309, []string{"Disallow: /["}, prove.Partial, "/[", "/"},
		{"half an escape", automaton.RFC9309, []string{"Disallow: /%z"}, prove.Partial, "/%z", "/"},
		{"a gap that is a byte", automaton.Original, []string{"Disallow: /*a"}, prove.Partial, "/*a", "/"},
		{"an index page", automaton.Google, []string{"Disallow: /", "Allow: /index.html"}, prove.Partial, "/!", "/"},
	} {
		r := prove.Classify(machine(c.dialect, c.rules...))
		if r.Class != c.class || r.Forbidden.Path != c.forbidden || r.Allowed.Path != c.allowed {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if r := prove.Classify(nil); r.Class != prove.None || r.Allowed.Path != "/" {
		t.Errorf("no machine: %+v", r)
	}
}

// TestBound has searches that would take long, and checks that they end with partial results.
func TestBound(t *testing.T) {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("Disallow: /*%c*%c%d", 'a'+i%26, 'b'+i%25, i), fmt.Sprintf("Allow: /*%dx*y", i))
	}
	var zero prove.Prover
	m := machine(automaton.RFC9309, lines...)
	if r := zero.Classify(m); r.Class != prove.Undecided || r.Forbidden.Decided || r.Allowed.Decided {
		t.Errorf("without steps: %+v", r)
	}
	if e := zero.Rules(m).Effect(2); e.Decided || e.Dead {
		t.Errorf("without steps: %+v", e)
	}
	long := "Disallow: /" + strings.Repeat("*a", 30_000)
	gaps := machine(automaton.RFC9309, long, "Allow: /"+strings.Repeat("*a", 30_000),
		"Disallow: /*b"+strings.Repeat("*a", 3_000))
	for _, m := range []*automaton.Machine{m, gaps} {
		start := time.Now()
		p := &prove.Prover{Steps: 1_000_000}
		p.Classify(m)
		rules := p.Rules(m)
		for line := range uint32(130) {
			rules.Effect(line)
			rules.Undone(line, func(uint32) bool { return true })
		}
		p.Differ(m, gaps)
		p.Examples(m, gaps)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("a million steps take %v", took)
		}
	}
}
