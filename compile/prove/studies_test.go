package prove_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
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
		{"Disallow: *", "some", "fully"},
		{"Disallow: /\nAllow: /robots.txt", "some", "partially"},
		{"Disallow: /?\nDisallow: /", "all", "fully"},
		// What it shows to be partial: the first study drops rules with a question mark, and the second
		// asks for no path that Allow does not free.
		{"Disallow: /*?", "none", "partially"},
		{"Disallow: /\nAllow: /?a", "all", "partially"},
		{"Disallow: /a\nAllow: /a$", "some", "none"},
		{"Disallow: /\nAllow: /$", "some", "partially"},
		{"Disallow: /$", "some", "partially"},
		// What it shows to be none, and equal lists, of which the first study looks at the order alone.
		{"Disallow: /a\nAllow: /a*", "some", "none"},
		{"Allow: /a\nAllow: /b\nDisallow: /a\nDisallow: /b", "none", "none"},
		{"Allow: /b\nAllow: /a\nDisallow: /a\nDisallow: /b", "some", "none"},
		{"Allow: /index.html\nDisallow: /index.html", "none", "none"},
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
		{others + "User-agent: x\nDisallow: /b\nDisallow: /a\nDisallow: /a\n", 0},
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

// TestStudiesOfRealFiles compares the classes of machines with those that the studies' programs
// give for the text of real files, except for what a machine omits according to
// docs/reference/classes.md.
func TestStudiesOfRealFiles(t *testing.T) {
	file, err := os.Open("../../../shared/data/robots/bodies.jsonl.gz")
	if err != nil {
		t.Skip("no shared/data beside the module")
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	every := 10 // of the files; all of them take a minute
	if testing.Verbose() {
		every = 1
	}
	n, ours, theirs, imc := 0, 0, 0, 0
	for lines, i := json.NewDecoder(zip), 0; lines.More(); i++ {
		var line struct {
			Body  string
			Bytes []byte `json:"body_b64"`
		}
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if i%every != 0 {
			continue
		}
		text := line.Body + string(line.Bytes)
		rfc := compile.Compile([]byte(text), compile.Options{MaxBytes: -1}).Ruleset
		google := compile.Compile([]byte(text), compile.Options{MaxBytes: -1, Dialect: automaton.Google}).Ruleset
		for _, agent := range []string{"*", "GPTBot", "CCBot", "Googlebot"} {
			n++
			class := prove.AllSomeNone(rfc.Machine([]byte(agent)))
			if class != consent(text, agent, true) {
				ours++
			}
			if class != consent(text, agent, false) {
				theirs++
			}
			if prove.Probed(google.Machine([]byte(agent)), google) != somesite(text, agent, google) {
				imc++
			}
		}
	}
	t.Logf("of %d classes differ from the text's: Data Provenance %d, with groups that never end %d; IMC 2025 %d",
		n, ours, theirs, imc)
	if n == 0 || ours*200 > n || imc*200 > n {
		t.Error("more than half of a percent")
	}
}

// lineEnds end a line for splitlines of Python.
const lineEnds = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// consent is parse_robots.py of the Data Provenance Initiative, except that it compares names of
// agents in lower case. There no group ends, so its rules also belong to all agents above them.
// With ends, groups end where a user-agent line follows a rule.
func consent(text, agent string, ends bool) string {
	type lists struct{ allow, disallow []string }
	agents, rules := []string{}, map[string]*lists{}
	ruled := false
	for _, line := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(lineEnds, c) }) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		key, value, found := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); !found {
			continue
		}
		switch strings.ToLower(key) {
		case "user-agent":
			if ends && ruled {
				agents, ruled = nil, false
			}
			name := strings.ToLower(value)
			if rules[name] == nil {
				rules[name] = &lists{}
			}
			agents = append(agents, name)
		case "allow", "disallow":
			ruled = true
			if strings.Contains(value, "?") {
				continue
			}
			for _, a := range agents {
				if of := rules[a]; strings.EqualFold(key, "allow") {
					of.allow = append(of.allow, value)
				} else {
					of.disallow = append(of.disallow, value)
				}
			}
		}
	}
	of := rules[strings.ToLower(agent)]
	if of == nil {
		of = rules["*"]
	}
	switch {
	case of == nil, len(of.disallow) == 0, slices.Equal(of.disallow, []string{""}), slices.Equal(of.allow, of.disallow):
		return "none"
	case len(of.allow) == 0 && slices.Contains(of.disallow, "/"):
		return "all"
	}
	return "some"
}

// somesite is robots_analysis_final.py of the study of IMC 2025.
func somesite(text, agent string, r *automaton.Ruleset) string {
	paths := []string{"/", "/dummy-testing-path-54321"}
	for line := range strings.SplitSeq(text, "\n") {
		switch lower := strings.ToLower(line); {
		case strings.Contains(lower, "allow: "):
			if fields := strings.Fields(line); len(fields) > 1 {
				paths = append(paths, fields[1])
			}
		case strings.Contains(lower, "allow:"):
			paths = append(paths, strings.Split(line, ":")[1])
		}
	}
	var s automaton.Scratch
	allowed, forbidden := false, false
	for _, path := range paths {
		disallowed := r.Match(&s, []byte(agent), []byte("https://host.example"+strings.TrimSuffix(path, "$"))).Disallowed
		if allowed, forbidden = allowed || !disallowed, forbidden || disallowed; allowed && forbidden {
			return "partially"
		}
	}
	if forbidden {
		return "fully"
	}
	return "none"
}
