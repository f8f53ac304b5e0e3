package compile_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/twin"
)

// longestSeed leaves out the examples of long lines, of which the fuzzer makes
// few others in its time.
const longestSeed = 1000

// FuzzParse checks that any bytes compile deterministically, to existing lines in order, and
// without references to the body.
func FuzzParse(f *testing.F) {
	for _, d := range dialects {
		for _, e := range readExamples(f, d) {
			if e.Function == "" && len(e.Robots) < longestSeed {
				f.Add(e.Robots, uint8(d), 0, false)
			}
		}
	}
	f.Add([]byte("\xef\xbb\xbf<html>\nx\r\ry"), uint8(1), 8, true)
	f.Fuzz(func(t *testing.T, body []byte, dialect uint8, maxBytes int, wide bool) {
		o := compile.Options{
			Dialect: dialects[int(dialect)%len(dialects)], MaxBytes: maxBytes, WideTokens: wide,
		}
		before := bytes.Clone(body)
		r := compile.Compile(body, o)
		if !bytes.Equal(body, before) {
			t.Fatal("the body was written to")
		}
		checkLines(t, r)
		if n := countLines(body); maxBytes < 0 && r.Lines != n || r.Lines > n {
			t.Errorf("%d lines, but the body has %d", r.Lines, n)
		}
		for i := range body {
			body[i] = '!'
		}
		checkEqual(t, r, compile.Compile(before, o))
	})
}

// lineEnd is what ends a line of robots.txt.
var lineEnd = regexp.MustCompile("\r\n|\r|\n")

// countLines counts the lines of a body. A byte order mark alone is none.
func countLines(body []byte) int {
	lines := lineEnd.Split(string(body), -1)
	if last := lines[len(lines)-1]; last == "" || len(lines) == 1 && strings.HasPrefix("\xef\xbb\xbf", last) {
		return len(lines) - 1
	}
	return len(lines)
}

// checkLines checks that line numbers ascend and exist. A note on the limit of
// the size may be about the line after the last one read.
func checkLines(t *testing.T, r *compile.Robots) {
	t.Helper()
	ascending := func(what string, last *int, line, least, most int) {
		if line < *last+least || line < 1 || line > most {
			t.Errorf("%s on line %d of %d, after one on line %d", what, line, r.Lines, *last)
		}
		*last = line
	}
	last := 0
	for _, note := range r.Notes {
		most := r.Lines
		if note.Kind == compile.NoteTruncated || r.Lines == 0 {
			most++
		}
		ascending("note", &last, note.Line, 0, most)
	}
	last = 0
	for _, record := range r.Records {
		ascending("record", &last, record.Line, 1, r.Lines)
		if record.Group < -1 || record.Group >= len(r.Groups) {
			t.Errorf("record of group %d, of %d groups", record.Group, len(r.Groups))
		}
	}
	last = 0
	for _, g := range r.Groups {
		if len(g.Agents) == 0 {
			t.Error("group without an agent")
		}
		for _, a := range g.Agents {
			ascending("agent", &last, a.Line, 1, r.Lines)
		}
		for _, rule := range g.Rules {
			ascending("rule", &last, rule.Line, 1, r.Lines)
			if got, ok := r.Rule(rule.Line); !ok || got != rule {
				t.Errorf("Rule(%d) = %v, %v", rule.Line, got, ok)
			}
		}
	}
}

// checkEqual checks that two readings of one body are one.
func checkEqual(t *testing.T, x, y *compile.Robots) {
	t.Helper()
	if x.Lines != y.Lines || !reflect.DeepEqual(x.Groups, y.Groups) ||
		!reflect.DeepEqual(x.Records, y.Records) || !reflect.DeepEqual(x.Notes, y.Notes) {
		t.Errorf("two readings differ:\n%+v\n%+v", x, y)
	}
	var s automaton.Scratch
	agents := [][]byte{nil, []byte("F"), []byte("*")}
	urls := [][]byte{[]byte("/")}
	for _, g := range x.Groups {
		for _, a := range g.Agents {
			agents = append(agents, []byte(a.Token))
		}
		for _, rule := range g.Rules {
			urls = append(urls, []byte(rule.Value))
		}
	}
	for i := range max(len(agents), len(urls)) {
		agent, url := agents[i%len(agents)], urls[i%len(urls)]
		if got, want := ask(x, &s, agent, url), ask(y, &s, agent, url); got != want {
			t.Errorf("agent %q, url %q: %v and %v", agent, url, got, want)
		}
	}
}

// FuzzVerdict compares verdicts with the twin's, including the size limit.
func FuzzVerdict(f *testing.F) {
	for _, d := range dialects {
		for _, e := range readExamples(f, d) {
			if e.Function == "" && len(e.Robots) < longestSeed {
				f.Add(e.Robots, e.Agent, e.URL, uint8(d), uint16(0), false)
				f.Add(e.Robots, e.Agent, e.URL, uint8(d), uint16(len(e.Robots)), true)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body, agent, url []byte, dialect uint8, maxBytes uint16, wide bool) {
		o := compile.Options{
			Dialect: dialects[int(dialect)%len(dialects)], MaxBytes: int(maxBytes), WideTokens: wide,
			Engine: automaton.Engine(dialect / 3 % 4),
		}
		if o.MaxBytes == 0 {
			o.MaxBytes = all
		}
		got := ask(compile.Compile(body, o), new(automaton.Scratch), agent, url)
		// To the twin 0 is no limit.
		allowed, line := twin.Match(twin.Dialect(o.Dialect.String()), body, agent, url, int(maxBytes), wide)
		once := answerOf(compile.Ask(body, agent, url, o))
		if want := (answer{allowed, line}); got != want || once != want {
			t.Errorf("%v, limit %d, wide %v: got %v, want %v, Ask %v: agent %q, url %q, robots.txt %q",
				o.Dialect, maxBytes, wide, got, want, once, agent, url, body)
		}
	})
}

// FuzzMachine makes rules and a path from a few words, so that they often match, and compares all
// engines and the twin.
func FuzzMachine(f *testing.F) {
	for d := range uint8(3) {
		f.Add([]byte("\x02\x00\x01\x0f\x02\x00\x04\x01"), []byte("\x00\x01"), d)
		f.Add([]byte("\x02\x04\x00\x01\x04\x01\x03\x0f\x02\x0a\x0b\x0f\x02\x0a\x0c\x04\x08"),
			[]byte("\x0a\x0b\x00\x01\x03"), d)
		f.Add([]byte("\x04\x0a\x0f\x04\x0b\x00\x0f\x04\x09\x04\x0a\x05\x0e\x02\x06\x07"), []byte("\x09\x0a\x0b\x0b"), d)
	}
	f.Fuzz(func(t *testing.T, rules, path []byte, dialect uint8) { checkMachines(t, rules, path, dialect) })
}

// checkMachines asks all engines and the twin about a path by rules that are made of a few words. It reports whether
// a rule decides.
func checkMachines(t *testing.T, rules, path []byte, dialect uint8) bool {
	const most, longest = 300, 60 // a path is asked about at each byte
	m := mode{dialect: dialects[int(dialect)%len(dialects)]}
	text := []byte("user-agent: *\ndisallow: ")
	for i, c := range rules[:min(len(rules), most)] {
		text = append(text, fuzzWord(c, rules[i/2]&1 == 0)...)
	}
	url := []byte("http://h/")
	for _, c := range path[:min(len(path), longest)] {
		if c&15 < 14 {
			url = append(url, fuzzWord(c, false)...)
		}
	}
	var s automaton.Scratch
	r := m.tiers(text)
	compareAtEachOctet(t, r, &s, m.dialect.Path(new(automaton.Scratch), url))
	got := m.ask(t, r, &s, text, nil, url)
	if want := askTwin(m, text, nil, url); got != want {
		t.Errorf("%v: got %v, want %v: url %q, robots.txt %q", m, got, want, url, text)
	}
	return got.line > 0
}

// TestRandomMachines has files whose patterns share words: prefixes that part late or are prefixes of each other,
// segments that overlap and are suffixes of others, many after one prefix, and several groups.
func TestRandomMachines(t *testing.T) {
	const files, asked = 300, 6
	for d := range dialects {
		t.Run(dialects[d].String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, uint64(d)))
			decided := 0
			for range files {
				var rules [][]byte
				for range 1 + rng.IntN(40) {
					rule := []byte{2} // a slash
					if len(rules) > 0 && rng.IntN(2) == 0 {
						other := rules[rng.IntN(len(rules))]
						rule = bytes.Clone(other[:1+rng.IntN(len(other))])
					}
					for range rng.IntN(5) {
						rule = append(rule, "\x00\x01\x02\x03\x04\x04\x05\x06\x08\x09\x0a\x0b\x0c\x0d"[rng.IntN(14)]|byte(rng.IntN(16))<<4)
					}
					rules = append(rules, rule)
				}
				file := bytes.Join(rules, []byte{15 - byte(rng.IntN(30)/29)}) // rarely by new groups
				for range asked {
					var path []byte
					for _, c := range rules[rng.IntN(len(rules))][1:] {
						if path = append(path, c); c&15 == 4 { // what a wildcard stands for
							path[len(path)-1] = byte(rng.IntN(4))
						}
					}
					for range rng.IntN(3) {
						path = append(path, byte(rng.IntN(16)))
					}
					if checkMachines(t, file, path, uint8(d)) {
						decided++
					}
				}
			}
			if decided < files {
				t.Errorf("%d of %d paths meet a rule", decided, asked*files)
			}
		})
	}
}

// fuzzWord is what a byte stands for: a word, a new rule or a new group.
func fuzzWord(c byte, allow bool) string {
	rule := "\ndisallow: "
	if allow {
		rule = "\nallow: "
	}
	return [16]string{
		"a", "b", "/", "$", "*", "?", "(", "%28", "x", "ab", "abcde", "abcdefgh", "bcdefghijklmnopq", "%2F",
		"\n\nuser-agent: *" + rule, rule,
	}[c&15]
}
