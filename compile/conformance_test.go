package compile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/test/twin"
)

// TestExamples asks every question of the examples files of all engines and of the twin.
// Robots.Rule must know the line of each verdict, and Robots.Matches must list it first.
func TestExamples(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.String(), func(t *testing.T) {
			examples := readExamples(t, d)
			if examples == nil && d > original { // the first three have one
				t.Skip("the dialect has no file of examples")
			}
			functions := 0
			for _, e := range examples {
				if e.Function != "" {
					functions++
					testFunction(t, d, e)
					continue
				}
				m, s := mode{dialect: d}, new(automaton.Scratch)
				each := m.tiers(e.Robots)
				got, naive := m.ask(t, each, s, e.Robots, e.Agent, e.URL), askTwin(m, e.Robots, e.Agent, e.URL)
				if want := (answer{e.Allowed, e.Line}); got != want || naive != want {
					t.Errorf("%v examples: got %v, from the twin %v: %s", d, got, naive, e.Source)
				}
				r := each[0]
				matches := r.Matches(r.Ruleset.Machine(e.Agent), s, d.Path(new(automaton.Scratch), e.URL))
				rule, ok := r.Rule(e.Line)
				if ok != (len(matches) > 0) || ok && (matches[0].Line != rule.Line || matches[0].String() != rule.String()) {
					t.Errorf("%v examples: Rule gives %v, Matches %v: %s", d, rule, matches, e.Source)
				}
			}
			if len(examples) < 100 || functions < 5 {
				t.Errorf("only %d examples, %d of functions", len(examples), functions)
			}
		})
	}
}

func testFunction(t *testing.T, d automaton.Dialect, e twin.Example) {
	t.Helper()
	pattern := func(value []byte) []byte { return compiledPattern(t, d, value) }
	functions := map[string][2]func([]byte) []byte{
		"path": {func(url []byte) []byte { return d.Path(new(automaton.Scratch), url) },
			func(url []byte) []byte { return twin.Path(twin.Dialect(d.String()), url) }},
		"formA":  {func(path []byte) []byte { return inForm(path, automaton.FormA) }, twin.FormA},
		"formB":  {func(path []byte) []byte { return inForm(path, automaton.FormB) }, twin.FormB},
		"decode": {func(path []byte) []byte { return inForm(path, automaton.FormDecoded) }, twin.Decode},
		"escape": {pattern, twin.Escape},
		"pattern": {pattern, func(value []byte) []byte {
			pattern, _ := twin.CanonicalPattern(value)
			return pattern
		}},
	}
	for _, f := range functions[e.Function] {
		if f == nil || !bytes.Equal(f(e.Input), e.Output) {
			t.Errorf("%v examples: %s", d, e.Source)
		}
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

// A vector is one case with its reference verdict.
type vector struct {
	Robots  []byte `json:"robots_b64"`
	Agent   []byte `json:"agent_b64"`
	URL     []byte `json:"url_b64"`
	Allowed bool   `json:"allowed"`
	Line    int    `json:"line"`
}

// TestVectors asks the engines and the twin. The C++ library itself answered the vectors for
// google, and a model of the specification those for the other dialects.
func TestVectors(t *testing.T) {
	for d, want := range map[automaton.Dialect]int{
		automaton.Google: 30968, automaton.RFC9309: 20757, automaton.Original: 8845,
	} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			var s automaton.Scratch
			var diff differences
			m := mode{dialect: d}
			n := eachObject(t, "vectors/"+d.String()+".jsonl.gz", want, func(v vector) {
				want := answer{v.Allowed, v.Line}
				for _, got := range []answer{
					m.ask(t, m.tiers(v.Robots), &s, v.Robots, v.Agent, v.URL), askTwin(m, v.Robots, v.Agent, v.URL),
				} {
					if got != want {
						diff.report(t, m, v.Robots, v.Agent, v.URL, got, want)
					}
				}
			})
			t.Logf("%d cases, %d differences", n, diff.n)
		})
	}
}

// A site is a real robots.txt with real URLs of its site.
type site struct {
	Robots []byte     `json:"robots_b64"`
	Agent  string     `json:"agent"`
	Cases  []siteCase `json:"cases"`
}

// A siteCase is written as [url, allowed, line].
type siteCase struct {
	url     string
	allowed bool
	line    int
}

func (c *siteCase) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&c.url, &c.allowed, &c.line})
}

// TestRealVectors compares with the C++ library's verdicts on real URLs. The twin, which parses the
// body for each question, is asked about the first of each site.
func TestRealVectors(t *testing.T) {
	t.Parallel()
	var s automaton.Scratch
	var diff differences
	m := mode{dialect: automaton.Google}
	n := 0
	eachObject(t, "vectors/google-real.jsonl.gz", 1220, func(v site) {
		r := m.tiers(v.Robots)
		for i, c := range v.Cases {
			n++
			got, want := m.ask(t, r, &s, v.Robots, []byte(v.Agent), []byte(c.url)), answer{c.allowed, c.line}
			if i == 0 && got == want {
				got = askTwin(m, v.Robots, []byte(v.Agent), []byte(c.url))
			}
			if got != want {
				diff.report(t, m, v.Robots, []byte(v.Agent), []byte(c.url), got, want)
			}
		}
	})
	t.Logf("%d URLs, %d differences", n, diff.n)
	if want := 111084; n != want && !testing.Short() {
		t.Errorf("read %d URLs, want %d", n, want)
	}
}

// A body is one robots.txt of a real site.
type body struct {
	text []byte
}

func (b *body) UnmarshalJSON(data []byte) error {
	var fields struct {
		Text  string `json:"body"`
		Bytes []byte `json:"body_b64"`
	}
	err := json.Unmarshal(data, &fields)
	if b.text = fields.Bytes; b.text == nil {
		b.text = []byte(fields.Text)
	}
	return err
}

// TestCorpus compiles every eighth real robots.txt in every mode for every engine, and asks each, and the twin, about
// a few URLs made of its own patterns.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	var s automaton.Scratch
	var diff differences
	files, asked, forbidden := 0, 0, 0
	eachObject(t, "data/robots/bodies.jsonl.gz", 19257, func(b body) {
		if files++; files%8 > 0 {
			return
		}
		for _, m := range modes {
			each := m.tiers(b.text)
			agents, values := []string{"*", "UnknownBot", ""}, []string{"/index.html"}
			for _, g := range each[0].Groups {
				for _, rule := range g.Rules {
					values = append(values, rule.Value)
				}
				for _, a := range g.Agents {
					agents = append(agents, a.Token, a.Value, strings.ToUpper(a.Token)+"/2.1")
				}
			}
			for range max(1, min(12, 30_000/(len(b.text)+1))) { // the twin reads some 20 MB a second
				agent, url := []byte(agents[rng.IntN(len(agents))]), probeOf(rng, values[rng.IntN(len(values))])
				got := m.ask(t, each, &s, b.text, agent, url)
				if asked++; !got.allowed {
					forbidden++
				}
				if want := askTwin(m, b.text, agent, url); got != want {
					diff.report(t, m, b.text, agent, url, got, want)
				}
			}
		}
	})
	if forbidden*8 < asked {
		t.Errorf("only %d of %d URLs meet a rule", forbidden, asked)
	}
}

// probeOf makes a URL that the pattern matches, nearly matches, or would match
// if read wrongly.
func probeOf(rng *rand.Rand, pattern string) []byte {
	fillings := []string{"", "x", "/", "*", "a/b?c=d", "%2F", "aa"}
	parts := strings.Split(strings.TrimSuffix(pattern, "$"), "*")
	path := parts[0]
	for _, part := range parts[1:] {
		path += fillings[rng.IntN(len(fillings))] + part
	}
	switch n := len(path); rng.IntN(10) {
	case 0:
		path = path[:max(0, n-1)]
	case 1:
		path += string(rune(rng.IntN(0x180)))
	case 2:
		path = swapEscapeCase(path)
	case 3:
		path += "?a=b&c=/d"
	case 4:
		path += "/index.html#f"
	case 5:
		path = strings.TrimSuffix(strings.TrimSuffix(path, "index.html"), "index.htm")
	case 6:
		if n > 1 { // one byte escaped, as a client may
			at := 1 + rng.IntN(n-1)
			path = fmt.Sprintf("%s%%%02x%s", path[:at], path[at], path[at+1:])
		}
	case 7:
		path = pattern
	}
	if rng.IntN(4) == 0 {
		return []byte(path)
	}
	return []byte("https://example.com" + path)
}

// swapEscapeCase swaps the case of the letters after each '%'.
func swapEscapeCase(path string) string {
	b := []byte(path)
	for i := range b {
		near := i >= 1 && path[i-1] == '%' || i >= 2 && path[i-2] == '%'
		if near && bytes.IndexByte([]byte("abcdefABCDEF"), b[i]) >= 0 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}
