package compile_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table/build"
)

// TestLongSearchesAreNotMade checks that segments are searched for only if a byte of a path costs
// few probes; otherwise the automaton of gaps is used.
func TestLongSearchesAreNotMade(t *testing.T) {
	levels := func(n int) string { return "disallow: /" + strings.Repeat("*a", n) + "*b\n" }
	lengths := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "disallow: "+format+"\n", strings.Repeat("a", i+1))
		}
		return b.String()
	}
	for _, c := range []struct {
		name, rules string
		searched    bool
	}{
		{"one level", levels(1), true},
		{"some levels", levels(8), true},
		{"many levels", levels(20), false},
		{"segments of any length", lengths(8, "/*%sb"), true},
		{"segments that begin with one another", lengths(24, "/*%sb"), true},
		{"long segments that begin with one another", lengths(100, "/*%sb"), false},
		{"one long segment", "disallow: /*" + strings.Repeat("a", 200) + "b\n", true},
		{"a segment longer than any path", "disallow: /*" + strings.Repeat("a", 20_000) + "b\n", false},
		{"many ends", lengths(200, "/*b%s$"), false},
		{"many octets to wait for", numbered("disallow: /*a*%d\n", 1000) +
			strings.ReplaceAll(lengths(1, "/*c*%s"), "a\n", "d\n"), true},
		{"few prefixes of one another", lengths(8, "/%s*x\n disallow: /%[1]s*y\ndisallow: /%[1]s*z"), true},
		{"many prefixes of one another", lengths(40, "/%s*x\n disallow: /%[1]s*y\ndisallow: /%[1]s*z"), false},
		{"many prefixes of one another before what must end",
			lengths(40, "/%s*x$\n disallow: /%[1]s*y$\ndisallow: /%[1]s*z$"), false},
	} {
		text := "user-agent: *\n" + c.rules
		r := compile.Compile([]byte(text), compile.Options{Dialect: google, MaxBytes: all, Engine: automaton.EngineTable})
		table := build.Table(patternsOf(r.Ruleset.Wildcard().Lists()[0]), true)
		if table == nil || (table.Segments != nil) == (table.Gaps != nil) || (table.Segments != nil) != c.searched {
			t.Errorf("%s: segments are searched for: %v, want %v", c.name, table != nil && table.Segments != nil, c.searched)
		}
	}
}

// TestRulesOfArchives checks rules that no robots.txt has, such as a rule in form B that doesn't
// begin with a path and a '?'. Archives are files and may contain anything. Invalid rules have no
// table.
func TestRulesOfArchives(t *testing.T) {
	machine := func(d automaton.Dialect, form automaton.Form, patterns ...string) (*automaton.Machine, error) {
		var rules []automaton.Rule
		for i, pattern := range patterns {
			rules = append(rules, automaton.Rule{Rank: uint64(100 - i), Form: form, Pattern: pattern,
				Verdict: automaton.Verdict{Line: uint32(i + 1)}})
		}
		return automaton.NewMachine(d, rules, automaton.EngineTable)
	}
	never := strings.Fields("*never0 *never1 *never2 *never3 *never4 *never5 *never6 *never7 *never8")
	for _, c := range []struct {
		pattern, path string
		matches       bool
	}{{"", "/", true}, {"*/a", "/a", true}, {"*/a?(", "/x/a?%28", true}, {"*b", "/a", false}} {
		m, err := machine(rfc9309, automaton.FormB, append([]string{c.pattern}, never...)...)
		if err != nil {
			t.Fatal(err)
		}
		if v := m.Match(new(automaton.Scratch), []byte(c.path)); (v.Line == 1) != c.matches {
			t.Errorf("%q on %q: got %v", c.pattern, c.path, v)
		}
	}
	for _, pattern := range []string{"/**b", "/a*", "/a*b**c", "/*"} {
		if m, err := machine(google, automaton.FormRaw, pattern); err == nil {
			t.Errorf("%q: got %v", pattern, m)
		}
	}
}

// compareAtEachOctet asks a list and a table about all beginnings of a path, and
// about what is no path.
func compareAtEachOctet(t *testing.T, r tiers, s *automaton.Scratch, path []byte) {
	t.Helper()
	list := r[1].Ruleset.Machine([]byte("F"))
	for i, table := range r[2:] {
		table := table.Ruleset.Machine([]byte("F"))
		for end := range len(path) + 1 {
			for _, p := range [][]byte{path[:end], path[min(end, 1):end]} {
				if got, want := table.Match(s, p), list.Match(s, p); got != want {
					t.Fatalf("on %q automaton %d answers %v, a list %v: rules %+v", p, i, got, want, r[0].Groups)
				}
			}
		}
	}
}

// TestSegmentsWaitOnce checks that what waits after a segment costs nothing when the segment is
// found again.
func TestSegmentsWaitOnce(t *testing.T) {
	const most = 1 << 20
	path := []byte("/a" + strings.Repeat("a", 100_000) + "x")
	for name, prefix := range map[string]string{"on every path": "/*a", "behind a prefix": "/a*a"} {
		text := []byte("user-agent: *\n" + numbered("disallow: "+prefix+"*x%d\n", 100))
		m := mode{dialect: google}.tiers(text)[2].Ruleset.Machine(nil)
		var s automaton.Scratch
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := m.Match(&s, path)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most || v.Line != 0 {
			t.Errorf("%s: verdict %v, %d bytes of what waits", name, v, n)
		}
	}
}

// TestManyChildrenOfOneNode checks that they wait without being queued, and are found once each.
func TestManyChildrenOfOneNode(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	text := "user-agent: *\n"
	for i := range 400 {
		for _, rule := range []string{"/*a*%d", "/*a*%d$", "/b*a*%d*c", "/b*%d", "/b*a*%d*%d$"} {
			allow := []string{"allow", "disallow"}[rng.IntN(2)]
			text += allow + ": " + strings.ReplaceAll(rule, "%d", fmt.Sprint(1000+i)) + "\n"
		}
	}
	paths := 10_000
	if testing.Short() {
		t.Log("short: a fifth of the paths")
		paths /= 5
	}
	for _, d := range []automaton.Dialect{google, rfc9309} {
		decided := compareGaps(t, d, text, paths, func() string {
			path := "/"
			for range rng.IntN(8) {
				path += []string{"a", "b", "c", fmt.Sprint(1000 + rng.IntN(420)), "1"}[rng.IntN(5)]
			}
			return path
		})
		if decided < paths/10 {
			t.Errorf("%v: only %d paths meet a rule", d, decided)
		}
	}
}

// compareGaps asks the automaton of gaps and a list about paths. It returns how many meet a rule.
func compareGaps(t *testing.T, d automaton.Dialect, text string, paths int, path func() string) (decided int) {
	t.Helper()
	list := compile.Compile([]byte(text), compile.Options{Dialect: d, MaxBytes: all, Engine: automaton.EngineList})
	table := compile.Compile([]byte(text), compile.Options{Dialect: d, MaxBytes: all, Engine: engineGaps})
	var s automaton.Scratch
	for range paths {
		path := []byte(path())
		got, want := ask(table, &s, nil, path), ask(list, &s, nil, path)
		if got != want {
			t.Fatalf("%v: %q: got %v, by list %v: %.3000s", d, path, got, want, text)
		}
		if want.line > 0 {
			decided++
		}
	}
	return decided
}

// TestTablesOfManyRules checks that any number of ordinary rules has a table, even if the hash
// table of their edges is as full as possible and an edge is as far from its place as permitted.
// Before, one in hundreds of such files couldn't be compiled.
func TestTablesOfManyRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	share := 1
	if testing.Short() {
		t.Log("short: a tenth of the files")
		share = 10
	}
	for _, c := range []struct{ rules, spread, files int }{{358, 30, 400}, {716, 30, 100}, {22936, 10, 3}} {
		for range max(c.files/share, 2) {
			for _, format := range []string{"disallow: /%06x\n", "disallow: /*%06x\n"} {
				text := []byte("user-agent: *\n")
				for range c.rules - rng.IntN(c.spread) {
					text = fmt.Appendf(text, format, rng.Uint64()&0xffffff)
				}
				m := compile.Compile(text, mode{dialect: rfc9309}.options()).Ruleset.Machine(nil)
				if !strings.Contains(m.String(), ", table\n") {
					t.Fatalf("no table:\n%s", text)
				}
			}
		}
	}
}

// TestFewRules compares with the twin where there were errors before, or could easily be.
func TestFewRules(t *testing.T) {
	type few struct {
		dialect     automaton.Dialect
		rules, urls string
	}
	cases := []few{
		// A rule in form B is not compared with form A of a path, though it ends where other rules do.
		{rfc9309, "/?%2 /?%2$ /?%2*x", "/?%28 /?%28x /?%2 /?%2B"},
		// A segment that is longer than what is left of the path is left, and one that is as long is not.
		{google, "/*abc", "/abc /ab"}, {google, "/*abcd", "/abc"}, {google, "/*abc$", "/abc"}, {google, "/*abcd$", "/abc"},
		{google, "/*abc*d", "/abcd /abc"}, {google, "/*ab*cdefgh*i", "/abcd"},
		{google, "/*a*" + strings.Repeat("b", 10_000) + "*c", "/abc"},
	}
	// A short segment is found also among the bytes with which a long one begins, wherever these lie
	// in the 64 bytes that the filter sees at once.
	urls := ""
	for n := range 200 {
		urls += "/" + strings.Repeat("x", n) + "abcdx "
	}
	for _, short := range []string{"b", "c", "d", "bc", "cd", "bcd", "cdx"} {
		cases = append(cases, few{google, "/*abcdzzz /*" + short, urls})
	}
	for _, c := range cases {
		text := []byte("user-agent: *\ndisallow: " + strings.ReplaceAll(c.rules, " ", "\ndisallow: "))
		m := mode{dialect: c.dialect}
		r := m.tiers(text)
		for _, url := range strings.Fields(c.urls) {
			got := m.ask(t, r, new(automaton.Scratch), text, nil, []byte(url))
			want := askTwin(m, text, nil, []byte(url))
			if got != want {
				t.Errorf("%.40s on %s: got %v, want %v", c.rules, url, got, want)
			}
		}
	}
}
