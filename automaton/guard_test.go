package automaton_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// guardPaths are canonical and not, plain and with a query.
var guardPaths = []string{
	"/",
	"/robots.txt",
	"/a/b/c/index.html?q=1&r=2",
	"/%7euser/%e3%83%84/a*b$?u=http%3A%2F%2Fx \xff",
	"/" + strings.Repeat("%2f", 500),
}

// guardMachines has for each dialect prefixes, wildcards and anchors, and for
// rfc9309 both forms.
func guardMachines(t testing.TB) map[automaton.Dialect]*automaton.Machine {
	rules := func(d automaton.Dialect) (rules []automaton.Rule) {
		for i := range 100 {
			rules = append(rules, rule(form[d], uint32(i+1), fmt.Sprintf("/%d*x", i)))
		}
		for i, pattern := range []string{"/a/*/c/*?q=$", "*%2F%2F*y", "+/a$", "/a", "/%7E"} {
			rules = append(rules, rule(form[d], uint32(101+i), pattern))
		}
		return rules
	}
	return map[automaton.Dialect]*automaton.Machine{
		google:   mustNew(t, google, rules(google)...),
		rfc9309:  mustNew(t, rfc9309, append(rules(rfc9309), rule(automaton.FormB, 200, "/?u=http:"))...),
		original: mustNew(t, original, rules(original)...),
	}
}

// mustNotAllocate checks a function that has been called once to warm up.
func mustNotAllocate(t *testing.T, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 { // which warms up
		t.Errorf("%s: %v allocations", what, n)
	}
}

func TestGuardMatchDoesNotAllocate(t *testing.T) {
	for d, m := range guardMachines(t) {
		var s automaton.Scratch
		for _, path := range guardPaths {
			path := []byte(path)
			mustNotAllocate(t, fmt.Sprintf("%v: %.40q", d, path), func() { m.Match(&s, path) })
		}
	}
}

func TestGuardPathDoesNotAllocate(t *testing.T) {
	var s automaton.Scratch
	for _, d := range []automaton.Dialect{google, rfc9309, original} {
		for _, url := range []string{"", "http://h", "http://h?a", "http://h;a", "//h/a#f", "a/b", "/a\x00b#c"} {
			url := []byte(url)
			mustNotAllocate(t, fmt.Sprintf("%v: path of %q", d, url), func() { d.Path(&s, url) })
			mustNotAllocate(t, fmt.Sprintf("%v: path of target %q", d, url), func() { d.TargetPath(&s, url) })
		}
	}
}

func TestGuardRulesetDoesNotAllocate(t *testing.T) {
	for d, m := range guardMachines(t) {
		var agents []automaton.Agent
		for i := range 50 {
			agents = append(agents, automaton.Agent{Token: fmt.Sprintf("bot%d", i), Machine: m})
		}
		r := mustRuleset(t, d, m, agents...)
		var s automaton.Scratch
		for _, name := range []string{"BOT49", "bot7/2.1 (+http://h)", "Mozilla/5.0", ""} {
			name := []byte(name)
			mustNotAllocate(t, fmt.Sprintf("%v: Named(%q)", d, name), func() { r.Named(name) })
			for _, path := range guardPaths {
				url := []byte("http://h" + path[1:] + "?" + path) // no slash: Path writes
				mustNotAllocate(t, fmt.Sprintf("%v: Match(%q, %.40q)", d, name, url), func() { r.Match(&s, name, url) })
			}
		}
	}
}

func TestGuardWordsDoNotAllocate(t *testing.T) {
	w := mustWords(t, abTable())
	header := []byte("ab b ab, AB; xab")
	dst := make([]automaton.Hit, 0, 4)
	mustNotAllocate(t, "Append", func() {
		if got := w.Append(dst, header); len(got) != 4 {
			t.Fatalf("found %v", got)
		}
	})
}

// TestGuardInlining: what the loops over bytes call is inlined into them.
func TestGuardInlining(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to ask what is inlined:", err)
	}
	out, err := exec.Command(goTool, "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for file, functions := range map[string][]string{
		"dialect.go": {"IsTokenByte"},
		"form.go":    {"isHex", "unhex", "AppendEscape"},
		"match.go":   {"firstOctets", "HashEdge", "view"},
		"gaps.go":    {"(*Classes).of", "(*Gaps).four", "HashFour"},
		"path.go":    {"schemeEnd"},
		"ruleset.go": {"lower", "CutToken"},
		"words.go":   {"IsWordByte"},
	} {
		for _, function := range functions {
			call := regexp.MustCompile(`(?m)^(\S*/)?` + regexp.QuoteMeta(file) + `:\d+:\d+: inlining call to ` + regexp.QuoteMeta(function) + `$`)
			if !call.Match(out) {
				t.Errorf("%s: no call to %s is inlined", file, function)
			}
		}
	}
}
