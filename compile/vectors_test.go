package compile_test

import (
	"encoding/json"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// A vector is one case with its reference verdict.
type vector struct {
	Robots  []byte `json:"robots_b64"`
	Agent   []byte `json:"agent_b64"`
	URL     []byte `json:"url_b64"`
	Allowed bool   `json:"allowed"`
	Line    int    `json:"line"`
}

// TestVectors: those of google were answered by the C++ library itself, those
// of the other dialects by a model of their specification.
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
				got := m.tiers(v.Robots).ask(t, &s, v.Agent, v.URL)
				if want := (answer{v.Allowed, v.Line}); got != want {
					diff.report(t, m, v.Robots, v.Agent, v.URL, got, want)
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

// TestRealVectors: the C++ library's verdicts on real URLs.
func TestRealVectors(t *testing.T) {
	t.Parallel()
	var s automaton.Scratch
	var diff differences
	m := mode{dialect: automaton.Google}
	n := 0
	eachObject(t, "vectors/google-real.jsonl.gz", 1220, func(v site) {
		r := m.tiers(v.Robots)
		for _, c := range v.Cases {
			n++
			got := r.ask(t, &s, []byte(v.Agent), []byte(c.url))
			if want := (answer{c.allowed, c.line}); got != want {
				diff.report(t, m, v.Robots, []byte(v.Agent), []byte(c.url), got, want)
			}
		}
	})
	t.Logf("%d URLs, %d differences", n, diff.n)
	if want := 111084; n != want && !testing.Short() {
		t.Errorf("read %d URLs, want %d", n, want)
	}
}
