package twin

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestGoogleExamples(t *testing.T)   { testExamples(t, Google) }
func TestRFC9309Examples(t *testing.T)  { testExamples(t, RFC9309) }
func TestOriginalExamples(t *testing.T) { testExamples(t, Original) }

// testExamples asks every question of the dialect's examples file.
func testExamples(t *testing.T, dialect Dialect) {
	file, err := os.Open("testdata/" + string(dialect) + "-examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	examples, err := ReadExamples(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(examples) < 100 {
		t.Errorf("only %d examples in %s", len(examples), file.Name())
	}
	for _, e := range examples {
		if e.Function == "" {
			testVerdict(t, dialect, e)
		} else {
			testFunction(t, dialect, e)
		}
	}
}

func testVerdict(t *testing.T, dialect Dialect, e Example) {
	t.Helper()
	allowed, line := Match(dialect, e.Robots, e.Agents[0], e.URL, 0, false)
	if dialect == Google {
		allowed, line = MatchAgents(e.Robots, e.Agents, e.URL)
	}
	if allowed != e.Allowed || line != e.Line {
		t.Errorf("%s examples:%d: got allowed=%v line %d: %s", dialect, e.Number, allowed, line, e.Source)
	}
}

func testFunction(t *testing.T, dialect Dialect, e Example) {
	t.Helper()
	functions := map[string]func([]byte) []byte{
		"path":   func(url []byte) []byte { return Path(dialect, url) },
		"escape": Escape,
		"formA":  FormA,
		"formB":  FormB,
		"decode": Decode,
		"pattern": func(value []byte) []byte {
			pattern, _ := CanonicalPattern(value)
			return pattern
		},
	}
	f := functions[e.Function]
	if f == nil {
		t.Fatalf("%s examples:%d: no function %q", dialect, e.Number, e.Function)
	}
	if got := f(e.Input); !bytes.Equal(got, e.Output) {
		t.Errorf("%s examples:%d: got %q: %s", dialect, e.Number, got, e.Source)
	}
}

func TestNotation(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{"", ""},
		{"<empty>", ""},
		{`  a b `, "  a b "},
		{`\n\r\t\v\f\x00b`, "\n\r\t\v\f\x00b"},
		{`\\n\x5cn`, `\n\n`},
		{`\xe9\xFF`, "\xe9\xff"},
		{`{a*3}{ *2}{\xff*2}`, "aaa  \xff\xff"},
		{`{a}{ab*2}{a*}`, "{a}{ab*2}{a*}"},
	} {
		if got, err := unquote(c.field); string(got) != c.want || err != nil {
			t.Errorf("unquote(%q) = %q, %v, want %q", c.field, got, err, c.want)
		}
	}
}

func TestBadExamples(t *testing.T) {
	for _, bad := range []string{
		"a | b | c",
		"a | b => allow 0",
		"a => b",
		`f: \q => b`,
		`a | b | \x1 => allow 1`,
		"a | b | c => allow",
		"a | b | c => maybe 1",
	} {
		if _, err := ReadExamples(strings.NewReader("# x\n\n" + bad)); err == nil {
			t.Errorf("no error for %q", bad)
		} else if !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: error does not name line 3: %v", bad, err)
		}
	}
}
