package compile_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table"
)

// A size is what the tables of machines are made of.
type size struct {
	rules, states, edges, points, nodes, bytes int
}

// sizeOf adds up the tables of all machines of a file, each once.
func sizeOf(t testing.TB, body []byte, d automaton.Dialect, engine compile.Engine) (total size) {
	t.Helper()
	r := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: all, Engine: engine})
	machines := []*automaton.Machine{r.Ruleset.Machine(nil)}
	for _, a := range r.Ruleset.Agents() {
		machines = append(machines, a.Machine)
	}
	seen := map[*automaton.Rule]bool{}
	for _, m := range machines {
		for _, rules := range m.Lists() {
			if t := engine.Table(rules); t != nil && !seen[&rules[0]] {
				seen[&rules[0]] = true
				total.add(sizeOfTable(rules, t))
			}
		}
	}
	return total
}

func sizeOfTable(rules []automaton.Rule, t *table.Table) size {
	s := size{rules: len(rules), points: len(t.Points), bytes: bytesOf(reflect.ValueOf(t))}
	s.count(&t.Trie)
	if g := t.Segments; g != nil {
		s.count(&g.Trie)
		s.nodes = len(g.Anchors) + len(g.Nodes)
	}
	if g := t.Gaps; g != nil {
		s.states += len(g.Label)
		s.nodes = len(g.Nodes)
	}
	return s
}

// bytesOf returns how many bytes the slices and arrays of a table take.
func bytesOf(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return bytesOf(v.Elem())
		}
	case reflect.Slice:
		return v.Len() * int(v.Type().Elem().Size())
	case reflect.Array:
		return int(v.Type().Size())
	case reflect.Struct:
		for i := range v.NumField() {
			n += bytesOf(v.Field(i))
		}
	}
	return n
}

// count adds the states and edges of a trie.
func (s *size) count(t *table.Trie) {
	s.states += len(t.States)
	for _, e := range t.Edges {
		if e.Key != 0 {
			s.edges++
		}
	}
}

func (s *size) add(o size) {
	s.rules += o.rules
	s.states += o.states
	s.edges += o.edges
	s.points += o.points
	s.nodes += o.nodes
	s.bytes += o.bytes
}

// check fails if anything has grown.
func (s size) check(t *testing.T, want size) {
	t.Helper()
	if s.rules != want.rules {
		t.Errorf("%d rules, not %d: the test counts something else", s.rules, want.rules)
	}
	if s.states > want.states || s.edges > want.edges || s.points > want.points || s.nodes > want.nodes ||
		s.bytes > want.bytes {
		t.Errorf("a table has grown: %+v, was %+v", s, want)
	} else if s != want {
		t.Logf("a table has shrunk, which is to be recorded: %+v, was %+v", s, want)
	}
}

// TestGuardTablesDoNotGrow, of rules as they are and as bad as they can be.
func TestGuardTablesDoNotGrow(t *testing.T) {
	sample, err := os.ReadFile("../testdata/sample/robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	star := "user-agent: *\n"
	for _, c := range []struct {
		name, file string
		want       size
	}{
		{"sample", string(sample), size{13, 16, 13, 6, 9, 4634}},
		{"one rule", star + "disallow: /private/", size{1, 2, 1, 1, 0, 584}},
		{"shop", star + strings.Join([]string{
			"disallow: /cart", "disallow: /checkout", "disallow: /checkout/*/done$", "disallow: /*?sort=", "disallow: /*?*page=",
			"disallow: /search*q=", "allow: /search/help", "disallow: /account/", "allow: /account/terms.html$",
			"disallow: /*.pdf$",
		}, "\n"), size{10, 8, 10, 3, 4, 1862}},
		{"2,600 wildcards", star + "disallow: /" + strings.Repeat("*a", 2600) + "b", size{1, 5, 0, 1, 2600, 73822}},
		{"2,000 rules of a wildcard", star + numbered("disallow: /*%d\n", 2000), size{2000, 4, 2000, 1, 3, 70995}},
		{"2,000 rules of a wildcard behind one prefix", star + numbered("disallow: /a*%d\n", 2000),
			size{2000, 4, 2001, 2, 4, 71056}},
		{"2,000 rules of three wildcards", star + numbered("disallow: /*%d*a*%d$\n", 2000),
			size{2000, 2227, 0, 1, 6000, 238780}},
		{"10,000 prefixes", star + numbered("disallow: /some/path/%d/\n", 10_000), size{10000, 3, 10001, 2, 0, 279115}},
		{"10,000 equal rules", star + strings.Repeat("disallow: /some/path*/end\n", 10_000), size{10000, 2, 1, 1, 0, 584}},
		{"1,000 prefixes of one another", star + nested(1000, ""), size{1000, 126, 999, 125, 0, 39954}},
		{"1,000 prefixes of one another before a wildcard", star + nested(1000, "*x"),
			size{1000, 128, 999, 998, 998, 111712}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sizeOf(t, []byte(c.file), google, compile.EngineAutomaton).check(t, c.want)
		})
	}
}

// nested makes n rules whose prefixes begin with one another.
func nested(n int, end string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "disallow: /%s%s\n", strings.Repeat("a", i), end)
	}
	return b.String()
}

// TestGuardTablesOfRealFiles has the tables of all real files, by the engine that is
// faster and by the automaton alone.
func TestGuardTablesOfRealFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: not all real files are read")
	}
	var faster, tables size
	eachObject(t, "data/robots/bodies.jsonl.gz", 19257, func(b body) {
		faster.add(sizeOf(t, b.text, google, compile.EngineAuto))
		tables.add(sizeOf(t, b.text, google, compile.EngineAutomaton))
	})
	faster.check(t, size{675041, 199770, 745715, 75275, 109329, 41779312})
	tables.check(t, size{785884, 371845, 790108, 159413, 119631, 90822926})
}

// TestGuardAllocations: to compile a small file takes few pieces of memory, which is
// most of what it takes.
func TestGuardAllocations(t *testing.T) {
	file := []byte("User-agent: *\nDisallow: /a/\nDisallow: /b\nAllow: /b/c\nDisallow: /*?q=\n\n" +
		"User-agent: FooBot\nDisallow: /\n\nSitemap: https://h/s.xml\n")
	least := 1000.0
	for range 100 { // what others do meanwhile, and the race detector, may empty a sync.Pool
		least = min(least, testing.AllocsPerRun(1, func() { compile.Compile(file, compile.Options{}) }))
	}
	if most := 13.0; least > most {
		t.Errorf("%v allocations", least)
	}
}
