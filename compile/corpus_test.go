package compile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

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

// TestCorpus compiles real robots.txt files in every mode for every engine, and
// asks each, and the twin, about paths made of its own patterns.
//
// The twin reads the body anew for each question, so that a file is asked as
// many as its size allows.
func TestCorpus(t *testing.T) {
	var bodies [][]byte
	eachObject(t, "data/robots/bodies.jsonl.gz", 19257, func(b body) { bodies = append(bodies, b.text) })
	const shards = 8
	tallies := make([]corpusTally, shards)
	t.Run("shards", func(t *testing.T) {
		for shard := range shards {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				c := corpusTest{T: t}
				for i := shard; i < len(bodies); i += shards {
					c.body(i, bodies[i])
				}
				tallies[shard] = c.corpusTally
			})
		}
	})
	var total corpusTally
	for _, tally := range tallies {
		total.questions += tally.questions
		total.disallowed += tally.disallowed
		total.allowedByRule += tally.allowedByRule
	}
	t.Logf("%d files, %d questions: %d disallowed, %d decided by an allow line",
		len(bodies), total.questions, total.disallowed, total.allowedByRule)
	// Probes that no rule meets prove little.
	if total.disallowed*4 < total.questions || total.allowedByRule*50 < total.questions {
		t.Error("too few of the probes meet a rule")
	}
}

type corpusTally struct{ questions, disallowed, allowedByRule int }

type corpusTest struct {
	*testing.T
	corpusTally
	diff    differences
	scratch automaton.Scratch
}

// body asks about one file; number seeds the choice of probes.
func (c *corpusTest) body(number int, text []byte) {
	rng := rand.New(rand.NewPCG(uint64(number), 1))
	for _, m := range modes {
		each := m.tiers(text)
		r := each[0]
		agents := agentsNamed(r)
		// The twin reads some 20 MB a second.
		for range max(1, min(12, 30_000/(len(text)+1))) {
			agent := agents[rng.IntN(len(agents))]
			url := probe(rng, r, agent)
			got := each.ask(c, &c.scratch, agent, url)
			c.questions++
			if !got.allowed {
				c.disallowed++
			} else if got.line > 0 {
				c.allowedByRule++
			}
			if want := askTwin(m, text, agent, url); got != want {
				c.diff.report(c.T, m, text, agent, url, got, want)
			}
		}
	}
}

// agentsNamed returns the first few names of a file, as crawlers would call
// themselves, a name that is not there, and those that are no names.
func agentsNamed(r *compile.Robots) [][]byte {
	agents := [][]byte{[]byte("*"), []byte("UnknownBot"), nil}
	for _, g := range r.Groups {
		for _, a := range g.Agents {
			agents = append(agents, []byte(a.Token), []byte(a.Value), []byte(strings.ToUpper(a.Token)+"/2.1"))
		}
		if len(agents) > 12 {
			break
		}
	}
	return agents
}

// probe makes a URL of one of the patterns of a file, mostly of those that bind
// the agent.
func probe(rng *rand.Rand, r *compile.Robots, agent []byte) []byte {
	var rules []compile.Rule
	for _, g := range r.Bound(r.Ruleset.Machine(agent)) {
		rules = append(rules, r.Groups[g].Rules...)
	}
	if len(rules) == 0 || rng.IntN(8) == 0 {
		for _, g := range r.Groups {
			rules = append(rules, g.Rules...)
		}
	}
	if len(rules) == 0 {
		return []byte("https://example.com/index.html")
	}
	return probeOf(rng, rules[rng.IntN(len(rules))].Value)
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
