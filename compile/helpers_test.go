package compile_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/internal/table/build"
	"github.com/robotsieve/robotsieve/internal/test/twin"
)

// dialects are all of them.
var dialects = func() (all []automaton.Dialect) {
	for d := range automaton.NumDialects {
		all = append(all, d)
	}
	return all
}()

// all is the Options.MaxBytes that reads a body to its end.
const all = -1

// A mode is one way of reading a body to its end.
type mode struct {
	dialect automaton.Dialect
	wide    bool
	ended   bool // other records end runs of user-agent lines
}

// modes are all modes except those that end runs, with Google's narrow tokens first.
var modes = func() []mode {
	all := []mode{{dialect: automaton.Google}, {dialect: automaton.Google, wide: true}}
	for _, d := range dialects {
		if d != automaton.Google {
			all = append(all, mode{dialect: d})
		}
	}
	return all
}()

func (m mode) String() string {
	name := m.dialect.String()
	if m.wide {
		name += "-wide"
	}
	if m.ended {
		name += "-ended"
	}
	return name
}

func (m mode) options() compile.Options {
	return compile.Options{Dialect: m.dialect, MaxBytes: all, WideTokens: m.wide, EndRuns: m.ended}
}

// An answer is a verdict in the twin's terms.
type answer struct {
	allowed bool
	line    int
}

func answerOf(v automaton.Verdict) answer { return answer{v.Allowed(), int(v.Line)} }

// ask compiles nothing: it matches with r, which was compiled in some mode. A path that
// is plain must not be told from others. If it is, the answer is one that nobody gives.
func ask(r *compile.Robots, s *automaton.Scratch, agent, url []byte) answer {
	m := r.Ruleset.Machine(agent)
	path := r.Ruleset.Dialect().Path(s, url)
	if plain.Is(path) && m.MatchPlain(s, path) != m.Match(s, path) {
		return answer{line: -1}
	}
	return answerOf(r.Ruleset.Match(s, agent, url))
}

// engineGaps is the engine of package automaton that has an automaton for all segments, which is for tests.
const engineGaps = automaton.EngineTable + 1

// tiers is one body compiled for each engine.
type tiers [4]*compile.Robots

// tiers compiles a body for each engine. The tables of all must have the right shape.
func (m mode) tiers(body []byte) (r tiers) {
	for i, engine := range []automaton.Engine{automaton.EngineAuto, automaton.EngineList, automaton.EngineTable,
		engineGaps} {
		o := m.options()
		o.Engine = engine
		r[i] = compile.Compile(body, o)
		if engine == automaton.EngineTable || engine == engineGaps {
			checkTables(r[i].Ruleset, engine)
		}
	}
	return r
}

// checkTables checks the tables of all machines that an engine makes. It panics for want of
// a test where tiers is called.
func checkTables(r *automaton.Ruleset, engine automaton.Engine) {
	eachTable(r, engine, func(rules []automaton.Rule, t *table.Table) {
		if err := checkShape(t); err != nil {
			panic(fmt.Sprintf("a table is wrong: %v: %+v", err, rules))
		}
	})
}

// eachTable calls a function for the table that an engine makes of each list of rules of a ruleset.
func eachTable(r *automaton.Ruleset, engine automaton.Engine, use func(rules []automaton.Rule, t *table.Table)) {
	machines := []*automaton.Machine{r.Wildcard()}
	for _, a := range r.Agents() {
		machines = append(machines, a.Machine)
	}
	seen := map[*automaton.Rule]bool{}
	for _, m := range machines {
		for _, rules := range m.Lists() {
			if len(rules) == 0 || seen[&rules[0]] {
				continue
			}
			seen[&rules[0]] = true
			if engine == automaton.EngineAuto {
				alone, err := automaton.NewMachine(r.Dialect(), slices.Clone(rules), engine)
				if err != nil {
					panic(err)
				}
				if !strings.Contains(alone.String(), ", table\n") {
					continue
				}
			}
			if t := build.Table(patternsOf(rules), engine != engineGaps); t != nil {
				use(rules, t)
			}
		}
	}
}

// patternsOf returns the patterns of rules as package automaton gives them to package build.
func patternsOf(rules []automaton.Rule) (list []build.Pattern) {
	for _, r := range rules {
		prefix, rest, gaps := r.Cut()
		list = append(list, build.Pattern{Prefix: prefix, Rest: rest, Gaps: gaps, AtEnd: r.AtEnd,
			FormB: r.Form == automaton.FormB})
	}
	return list
}

// ask asks all engines, which must answer the same, and as Ask does of the same body.
func (m mode) ask(t testing.TB, r tiers, s *automaton.Scratch, body, agent, url []byte) answer {
	t.Helper()
	auto, list, table, gaps := ask(r[0], s, agent, url), ask(r[1], s, agent, url), ask(r[2], s, agent, url), ask(r[3], s,
		agent, url)
	once := answerOf(compile.Ask(body, agent, url, m.options()))
	if list != auto || table != auto || gaps != auto || once != auto {
		t.Fatalf("%v: the faster engine answers %v, a list %v, a table %v, one with Gaps %v, Ask %v: agent %q, url %q, "+
			"rules %+v", m, auto, list, table, gaps, once, agent, url, r[0].Groups)
	}
	return auto
}

// askTwin has the body read again, by the naive reading.
func askTwin(m mode, body, agent, url []byte) answer {
	match := twin.Match
	if m.ended {
		match = twin.MatchEnded
	}
	allowed, line := match(twin.Dialect(m.dialect.String()), body, agent, url, 0, m.wide)
	return answer{allowed, line}
}

// compileIn compiles a body to its end.
func compileIn(d automaton.Dialect, body string) *compile.Robots {
	return compile.Compile([]byte(body), compile.Options{Dialect: d, MaxBytes: all})
}

// shared returns the path of a file in the directory of reference data, which
// is no part of the module and lies beside it. It skips the test if the file is
// not there.
func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("reference data are not part of the module: no shared/%s beside it", name)
	}
	return path
}

// eachObject decodes the objects of a shared .jsonl.gz, one after the other, in
// short mode the first twentieth of them, and returns how many there were.
func eachObject[T any](t testing.TB, name string, want int, use func(T)) (n int) {
	t.Helper()
	file, err := os.Open(shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for decoder := json.NewDecoder(lines); ; n++ {
		if testing.Short() && n == want/20 {
			t.Logf("short: the first %d of %d", n, want)
			return n
		}
		var v T
		err := decoder.Decode(&v)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		use(v)
	}
	if n != want {
		t.Errorf("%s has %d objects, want %d", name, n, want)
	}
	return n
}

// readExamples reads the examples file of a dialect. There are no examples without a file:
// package twin has a test for each file that there must be.
func readExamples(t testing.TB, d automaton.Dialect) []twin.Example {
	t.Helper()
	file, err := os.Open(filepath.FromSlash("../internal/test/twin/testdata/" + d.String() + "-examples.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	examples, err := twin.ReadExamples(file)
	if err != nil {
		t.Fatal(err)
	}
	return examples
}

// A differences reports the first few differences in full and counts the rest.
type differences struct{ n int }

func (d *differences) report(t testing.TB, m mode, body, agent, url []byte, got, want answer) {
	t.Helper()
	const most, longest = 20, 500
	if d.n++; d.n > most {
		t.Fail()
		return
	}
	t.Errorf("%v: got %v, want %v: agent %q, url %q, robots.txt %.*q",
		m, got, want, agent, url, longest, body)
}

// words returns all words over an alphabet, of at most longest letters.
func words(alphabet []string, longest int) []string {
	all := []string{""}
	for last := all; longest > 0; longest-- {
		var next []string
		for _, word := range last {
			for _, letter := range alphabet {
				next = append(next, word+letter)
			}
		}
		all = append(all, next...)
		last = next
	}
	return all
}

// checkShape returns an error unless a search finds each edge of a table's prefixes within table.MaxProbes
// places, and the filter before it lets nothing pass that no edge has, which right verdicts do not prove.
// That no part is there twice or in vain is seen by TestGuardTablesDoNotGrow, that a match is short by
// TestSearch of package bench.
func checkShape(t *table.Table) error {
	var first table.Filter
	empty := 0
	for i := range t.Edges {
		e := &t.Edges[i]
		switch {
		case e.Key == 0:
			empty++
		case t.Edge(e.Word, e.Key) != e.To:
			return fmt.Errorf("edge %d: a search does not find this", i)
		case e.Key>>3 == 1:
			table.AddEdge(first[:], e)
		}
	}
	table.AddShorter(first[:], t.States[1].Lengths)
	switch {
	case empty*4 < len(t.Edges):
		return errors.New("the hash table of edges is too full")
	case first != t.First:
		return errors.New("the filter doesn't match the edges")
	case t.Segments != nil && t.Gaps != nil:
		return errors.New("segments are found in two ways")
	}
	return nil
}
