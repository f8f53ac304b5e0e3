package automaton_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
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

// guardMachines has for each dialect a list and a table of the same rules:
// prefixes that part early and late, wildcards that are tried and that wait,
// segments on every path and anchors, and with FormA also FormB.
func guardMachines(t testing.TB) iter.Seq2[automaton.Dialect, *automaton.Machine] {
	return func(yield func(automaton.Dialect, *automaton.Machine) bool) {
		for d := range automaton.NumDialects {
			rules := guardRules(form[d])
			if form[d] == automaton.FormA {
				for i, pattern := range []string{"/?u=http:", "/a/b/c/index.html?q=*2", "/?u$"} {
					rules = append(rules, rule(automaton.FormB, uint32(200+i), pattern))
				}
			}
			many := append(slices.Clone(rules), rule(form[d], 300, "/"+strings.Repeat("*a", 20)+"*b"))
			for _, c := range []struct {
				engine automaton.Engine
				rules  []automaton.Rule
				has    string // what finds the segments
			}{{automaton.EngineList, rules, ", list\n"}, {automaton.EngineTable, rules,
				"\nsegments: "}, {automaton.EngineTable, many, "\ngaps: "}} {
				m, err := newMachine(d, inOrder(c.rules), c.engine)
				if err != nil {
					t.Fatal(err)
				}
				// which has no wildcards
				if text := m.String(); !strings.Contains(text, c.has) && form[d] != automaton.FormDecoded {
					t.Fatalf("no %q in %s", c.has, text)
				}
				if !yield(d, m) {
					return
				}
			}
		}
	}
}

func guardRules(f automaton.Form) (rules []automaton.Rule) {
	for i := range 100 {
		rules = append(rules, rule(f, uint32(i+1), fmt.Sprintf("/%d*x", i)))
	}
	for i, pattern := range []string{
		"/a/*/c/*?q=$", "*%2F%2F*y", "+/a$", "/%7E", "/a/b/c/index.html/long/1", "/a/b/c/index.html/long/2",
		"/a/b/*one", "/a/b/*two", "/a/b/*html*q=3", "/a/b/*html*r=2*x$", "/a/b/*.html?q=1&r=3$", "*r=2*z", "/*2F*q$", "/a",
	} {
		rules = append(rules, rule(f, uint32(101+i), pattern))
	}
	return rules
}

// mustNotAllocate checks a function that has been called once to warm up.
func mustNotAllocate(t *testing.T, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 { // which warms up
		t.Errorf("%s: %v allocations", what, n)
	}
}

func TestGuardMatchDoesNotAllocate(t *testing.T) {
	var s automaton.Scratch
	for d, m := range guardMachines(t) {
		var agents []automaton.TokenMachine
		for i := range 50 {
			agents = append(agents, automaton.TokenMachine{Token: fmt.Sprintf("bot%d", i), Machine: m})
		}
		r := mustRuleset(t, d, m, agents...)
		for _, path := range guardPaths {
			path := []byte(path)
			mustNotAllocate(t, fmt.Sprintf("%v: %.40q", d, path), func() { m.Match(&s, path) })
			for _, name := range []string{"BOT49", "bot7/2.1 (+http://h)", "Mozilla/5.0", ""} {
				name, url := []byte(name), []byte("http://h"+string(path[1:])+"?"+string(path)) // no slash: Path writes
				mustNotAllocate(t, fmt.Sprintf("%v: Match(%q, %.40q)", d, name, url), func() { r.Match(&s, name, url) })
			}
		}
		for _, url := range []string{"", "http://h", "http://h?a", "http://h;a", "//h/a#f", "a/b", "/a\x00b#c"} {
			url := []byte(url)
			mustNotAllocate(t, fmt.Sprintf("%v: path of %q", d, url), func() { d.Path(&s, url) })
			mustNotAllocate(t, fmt.Sprintf("%v: path of target %q", d, url), func() { d.TargetPath(&s, url) })
		}
	}
}

// TestGuardInlining checks that the calls in loops over bytes are inlined.
func TestGuardInlining(t *testing.T) {
	out := compilerSays(t, "-m")
	for file, functions := range map[string][]string{
		"dialect.go":  {"IsTokenByte"},
		"form.go":     {"isHex", "unhex", "appendEscape"},
		"list.go":     {"table.FirstOctets"},
		"match.go":    {"table.FirstOctets", "table.Fold", "view", "formSet.has"},
		"classes.go":  {"(*Classes).Of"},
		"table.go":    {"Hash", "SlotBit"},
		"segments.go": {"(*Classes).Of", "FirstOctets", "(*LastFilter).of"},
		"path.go":     {"schemeEnd", "Dialect.row"},
		"ruleset.go":  {"lower", "CutToken"},
	} {
		for _, function := range functions {
			call := regexp.MustCompile(`(?m)^(\S*/)?` + regexp.QuoteMeta(file) + `:\d+:\d+: inlining call to ` +
				regexp.QuoteMeta(function) + `$`)
			if !call.Match(out) {
				t.Errorf("%s: no call to %s is inlined", file, function)
			}
		}
	}
}

// compilerSays builds this package and package table with a compiler flag, and returns the output.
func compilerSays(t *testing.T, flag string) []byte {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to ask the compiler:", err)
	}
	out, err := exec.Command(goTool, "build", "-gcflags="+flag, ".", "../internal/table").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return out
}

// boundsChecks is how many checks of indexes and slices the compiler leaves in each
// function that runs while matching, on amd64 (Go 1.26).
var boundsChecks = `
	*Classes.Index:1 *Classes.IndexHigh:1 *StartFilter.places:2 *Gaps.begin:2 *Gaps.Find:1 *Gaps.next:4
	*Gaps.read:3 *Gaps.childOfMany:1 *Segments.Find:4 *Segments.findEveryPath:3 *Segments.read:3
	*Segments.readBack:4 *Segments.search:5 *Trie.Edge:2 *gapScratch.begin:1 *gapScratch.beginToWait:2 *part.act:2
	*part.better:2 *part.firstInTable:8 *part.firstOfAny:2 *part.reach:1 *run.await:5 *run.begins:7 *run.find:5
	*run.goOn:7 *run.isDecided:1 *run.measure:5 *run.roomBehind:1 *run.wait:5 *run.waitFor:6 *run.wakeUp:6
	*symbolSet.add:2 *symbolSet.last:3 *symbolSet.remove:2 list.first:4 slowTriples64:2
`

// buildTime are functions of the same files that run when a machine is made.
var buildTime = []string{"*Gaps.complete", "*Gaps.completeTails", "*Segments.complete", "*Table.Complete",
	"*Trie.put", "*listed.set"}

// TestGuardBoundsChecks checks that no function gains bounds checks. Functions missing from the
// table above have none.
func TestGuardBoundsChecks(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("counted on amd64 with Go 1.26, not on %s with %s", runtime.GOARCH, runtime.Version())
	}
	found := regexp.MustCompile(`(?m)^(\S*?(?:match|gaps|segments|list|table|classes\w*)\.go):(\d+):\d+: Found ` +
		`Is(?:Slice)?InBounds$`)
	places := map[string][]string{} // a place is found once for each inlined copy
	for _, m := range found.FindAllStringSubmatch(string(compilerSays(t, "-d=ssa/check_bce")), -1) {
		if !slices.Contains(places[m[1]], m[0]) {
			places[m[1]] = append(places[m[1]], m[0])
		}
	}
	if len(places) == 0 {
		t.Fatal("the compiler reports no checks at all")
	}
	got := map[string]int{}
	for file, places := range places {
		functions := functionsOf(t, file)
		for _, place := range places {
			line, _ := strconv.Atoi(found.FindStringSubmatch(place)[2])
			got[functions[line]]++
		}
	}
	for _, known := range strings.Fields(boundsChecks) {
		function, n, _ := strings.Cut(known, ":")
		most, err := strconv.Atoi(n)
		if err != nil || got[function] > most {
			t.Errorf("%q: %d checks, not %s", function, got[function], n)
		}
		delete(got, function)
	}
	for function, n := range got {
		if !slices.Contains(buildTime, function) {
			t.Errorf("%q: %d checks, not 0", function, n)
		}
	}
}

// functionsOf returns the function in which each line of a file lies.
func functionsOf(t *testing.T, file string) map[int]string {
	t.Helper()
	var files token.FileSet
	f, err := parser.ParseFile(&files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[int]string{}
	for _, decl := range f.Decls {
		name := "variables"
		if function, ok := decl.(*ast.FuncDecl); ok {
			if name = function.Name.Name; function.Recv != nil {
				name = types.ExprString(function.Recv.List[0].Type) + "." + name
			}
		}
		for line := files.Position(decl.Pos()).Line; line <= files.Position(decl.End()).Line; line++ {
			functions[line] = name
		}
	}
	return functions
}
