//go:build countsteps

package hostile

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table"
)

var rounds = flag.Int("rounds", 150, "how many attacks TestSearch tries in each dialect and for each aim")

// The law that TestSearch puts to the proof: a match takes so many steps for each byte of the
// path, and for each segment of a rule that the path has.
const (
	stepsOctet   = 20
	stepsSegment = 3
)

// TestSearch looks for rules and paths which take more steps than the law allows. It changes
// the attacks at random and goes on from those that come closer, and from those with the most
// steps a byte.
func TestSearch(t *testing.T) {
	for _, d := range []automaton.Dialect{automaton.Google, automaton.RFC9309, automaton.Original} {
		for _, aim := range []struct {
			name  string
			score func(cost) float64
		}{
			{"share of what the law allows", func(c cost) float64 { return float64(c.steps) / float64(c.allowed()) }},
			{"steps an octet", func(c cost) float64 { return float64(c.steps) / float64(c.octets) }},
		} {
			search := search{t: t, dialect: d, score: aim.score, rng: rand.New(rand.NewPCG(uint64(d), 3))}
			search.run(*rounds)
			t.Logf("%v, %s:", d, aim.name)
			for _, f := range search.best[:min(5, len(search.best))] {
				t.Logf("%.3f: %v, %+v", f.score, f.attack, f.cost)
			}
		}
	}
}

// TestRulesInWrongOrder: where thousands of rules have all their segments in the path, but in
// another order, and go on in the same way, each of them takes no more than two steps.
func TestRulesInWrongOrder(t *testing.T) {
	a := attack{[]string{"*<~>*<~>*Y*Z*Y"}, "/<~>/<~>F//<~>YaZY"}
	const octets = 100
	url := a.makePath(octets)
	file := a.file(500<<10, url)
	c := measureSteps(a, automaton.Google, octets, 500<<10)
	if rules := strings.Count(file, "\n") - 1; c.steps > 2*rules+stepsOctet*octets {
		t.Errorf("%d steps for %d rules: %+v", c.steps, rules, c)
	}
}

// search keeps the worst attacks that it has seen.
type search struct {
	t       *testing.T
	dialect automaton.Dialect
	score   func(cost) float64
	rng     *rand.Rand
	best    []found
}

type found struct {
	attack
	cost
	score float64
}

func (s *search) run(rounds int) {
	const kept = 12
	for _, a := range attacks {
		s.try(a)
	}
	for range rounds {
		a := s.best[min(s.rng.IntN(len(s.best)), s.rng.IntN(len(s.best)))].attack
		for range 1 + s.rng.IntN(3) {
			a = s.mutate(a)
		}
		s.try(a)
		s.best = s.best[:min(len(s.best), kept)]
	}
}

// try measures an attack, and puts it where it belongs among the best.
func (s *search) try(a attack) {
	octets := []int{100, 600}[s.rng.IntN(2)]
	c := measureSteps(a, s.dialect, octets, 12<<10)
	if c.steps > c.allowed() {
		s.t.Errorf("%v: %v takes %d steps, more than %d: %+v", s.dialect, a, c.steps, c.allowed(), c)
	}
	f := found{a, c, s.score(c)}
	if slices.ContainsFunc(s.best, func(o found) bool { return o.attack.String() == a.String() }) {
		return
	}
	at, _ := slices.BinarySearchFunc(s.best, f, func(x, y found) int {
		if x.score > y.score {
			return -1
		}
		return 1
	})
	s.best = slices.Insert(s.best, at, f)
}

// mutate changes one thing in an attack.
func (s *search) mutate(a attack) attack {
	rules := slices.Clone(a.rules)
	i := s.rng.IntN(len(rules))
	switch s.rng.IntN(6) {
	case 0:
		a.path = "/" + strings.TrimPrefix(s.change(a.path, pathPieces), "/")
	case 1:
		if len(rules) < 4 {
			rules = append(rules, s.change(rules[i], rulePieces))
		}
	case 2:
		if len(rules) > 1 {
			rules = slices.Delete(rules, i, i+1)
		}
	case 3:
		other := attacks[s.rng.IntN(len(attacks))]
		rules[i] = other.rules[s.rng.IntN(len(other.rules))]
	default:
		rules[i] = s.change(rules[i], rulePieces)
	}
	a.rules = rules
	return a
}

var (
	pathPieces = []string{"a", "b", "?", "&", "%2F", "/", "<a>", "<ab>", "<~>", "<~>", "<aab>", "Z", "Y"}
	rulePieces = []string{"a", "b", "*", "*", "?", "&", "%2F", "/", "$", "<a>", "<ab>", "<*a>", "<#>", "<~>", "<~>",
		"<~~>", "<~~~>", "*Z", "*Y"}
)

// change puts in, removes or replaces a piece of a text. A rule stays one.
func (s *search) change(text string, pieces []string) string {
	var parts []string
	for _, p := range split(text) {
		if p.long {
			parts = append(parts, "<"+p.text+">")
			continue
		}
		parts = append(parts, strings.Split(p.text, "")...)
	}
	at := s.rng.IntN(len(parts) + 1)
	switch piece := pieces[s.rng.IntN(len(pieces))]; {
	case at == len(parts) || len(parts) < 12 && s.rng.IntN(2) == 0:
		parts = slices.Insert(parts, at, piece)
	case s.rng.IntN(2) == 0:
		parts[at] = piece
	default:
		parts = slices.Delete(parts, at, at+1)
	}
	if text = strings.Join(parts, ""); !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "*") {
		text = "/" + text
	}
	return text
}

// cost is what a match takes: its steps, the bytes of the path, and the segments of rules
// that it has.
type cost struct{ steps, octets, segments int }

// allowed is how many steps the law allows.
func (c cost) allowed() int { return stepsOctet*c.octets + stepsSegment*c.segments }

// measureSteps counts the steps of an attack with a path of some bytes and a file of others.
func measureSteps(a attack, d automaton.Dialect, octets, file int) cost {
	url := a.makePath(octets)
	m := compile.Compile([]byte(a.file(file, url)), compile.Options{Dialect: d, MaxBytes: -1}).Ruleset.Wildcard()
	var s automaton.Scratch
	path := d.Path(&s, []byte(url))
	before := table.Spent
	m.Match(&s, path)
	return cost{table.Spent - before, len(path), segmentsOf(m, string(path))}
}

// segmentsOf counts the segments of the rules of a machine that a path has: of each rule, one
// more than of those from its start on that the path has one after the other; and the
// different ones of all rules.
func segmentsOf(m *automaton.Machine, path string) (n int) {
	seen := map[string]bool{}
	for _, rules := range m.Lists() {
		for i := range rules {
			prefix, rest, gaps := rules[i].Cut()
			if !gaps || !strings.HasPrefix(path, prefix) {
				continue
			}
			n++
			at, in := path[len(prefix):], true
			for gaps {
				var segment string
				segment, rest, gaps = strings.Cut(rest, "*")
				if in {
					var found bool
					if _, at, found = strings.Cut(at, segment); found {
						n++
					}
					in = found
				}
				if !seen[segment] && strings.Contains(path, segment) {
					seen[segment] = true
					n++
				}
			}
		}
	}
	return n
}
