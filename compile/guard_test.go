package compile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table"
)

// sizeOf adds up the bytes of the tables of all machines of a file, each once, and the rules in
// them.
func sizeOf(body []byte, engine automaton.Engine) (rules int, bytes int64) {
	r := compile.Compile(body, compile.Options{Dialect: google, MaxBytes: all, Engine: engine})
	eachTable(r.Ruleset, engine, func(list []automaton.Rule, t *table.Table) {
		rules, bytes = rules+len(list), bytes+t.Size()
	})
	return rules, bytes
}

// checkSize fails if tables have grown.
func checkSize(t *testing.T, rules, wantRules int, bytes, most int64) {
	t.Helper()
	if rules != wantRules || bytes > most {
		t.Errorf("%d rules have tables of %d bytes, want %d of %d at most", rules, bytes, wantRules, most)
	} else if bytes < most {
		t.Logf("tables have shrunk to %d bytes, which is to be recorded", bytes)
	}
}

// TestGuardTablesDoNotGrow limits tables of ordinary and of worst-case rules.
func TestGuardTablesDoNotGrow(t *testing.T) {
	sample, err := os.ReadFile("../testdata/sample/robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	star := "user-agent: *\n"
	for _, c := range []struct {
		name, file string
		rules      int
		bytes      int64
	}{
		{"sample", string(sample), 13, 5702},
		{"one rule", star + "disallow: /private/", 1, 744},
		{"shop", star + strings.Join([]string{
			"disallow: /cart", "disallow: /checkout", "disallow: /checkout/*/done$", "disallow: /*?sort=", "disallow: /*?*page=",
			"disallow: /search*q=", "allow: /search/help", "disallow: /account/", "allow: /account/terms.html$",
			"disallow: /*.pdf$",
		}, "\n"), 10, 2298},
		{"2,600 wildcards", star + "disallow: /" + strings.Repeat("*a", 2600) + "b", 1, 74334},
		{"2,000 rules of a wildcard", star + numbered("disallow: /*%d\n", 2000), 2000, 71348},
		{"2,000 rules of a wildcard behind one prefix", star + numbered("disallow: /a*%d\n", 2000), 2000, 89874},
		{"2,000 rules of three wildcards", star + numbered("disallow: /*%d*a*%d$\n", 2000), 2000, 239292},
		{"10,000 prefixes", star + numbered("disallow: /some/path/%d/\n", 10_000), 10_000, 371738},
		{"10,000 equal rules", star + strings.Repeat("disallow: /some/path*/end\n", 10_000), 10_000, 744},
		{"1,000 prefixes of one another", star + nested(1000, ""), 1000, 44739},
		{"1,000 prefixes of one another before a wildcard", star + nested(1000, "*x"), 1000, 149489},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, bytes := sizeOf([]byte(c.file), automaton.EngineTable)
			checkSize(t, rules, c.rules, bytes, c.bytes)
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

// TestGuardTablesOfRealFiles limits the tables of all real files, with the faster engine and with
// tables only.
func TestGuardTablesOfRealFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: not all real files are read")
	}
	engines := []automaton.Engine{automaton.EngineAuto, automaton.EngineTable}
	var rules [2]int
	var bytes [2]int64
	eachObject(t, "data/robots/bodies.jsonl.gz", 19257, func(b body) {
		for i, engine := range engines {
			r, n := sizeOf(b.text, engine)
			rules[i], bytes[i] = rules[i]+r, bytes[i]+n
		}
	})
	checkSize(t, rules[0], 706049, bytes[0], 50902062)
	checkSize(t, rules[1], 817376, bytes[1], 113585317)
}

// TestGuardAllocations limits allocations: few to compile a small file, a few more for a machine,
// none for a single question.
func TestGuardAllocations(t *testing.T) {
	file := []byte("User-agent: *\nDisallow: /a/\nDisallow: /b\nAllow: /b/c\nDisallow: /*?q=\nAllow: /%7e/\n\n" +
		"User-agent: FooBot\nDisallow: /\n\nSitemap: https://h/s.xml\n")
	agent := compile.Parse(file).Agent("GPTBot")
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"compiled", 10, func() { compile.Compile(file, compile.Options{}) }},
		{"compiled and asked", 24, func() { compile.Compile(file, compile.Options{}).Ruleset.Named([]byte("FooBot")) }},
		{"an agent asked", 0, func() { agent.Match("https://a.example/%c3%a9\xff") }},
		{"asked", 0, func() { compile.Allowed(file, "OtherBot", "https://h/%7e/a?q=%C3%a9") }},
	} {
		least := 1000.0
		for range 100 { // what others do meanwhile, and the race detector, may empty a sync.Pool
			least = min(least, testing.AllocsPerRun(1, c.do))
		}
		if least > c.most {
			t.Errorf("%s: %v allocations", c.name, least)
		}
	}
}
