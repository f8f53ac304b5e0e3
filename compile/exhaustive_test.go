package compile_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/twin"
)

var exhaust = flag.Bool("exhaust", false, "TestAllPairsAndTriplesOfPatterns has longer patterns and paths")

// TestAllPairsAndTriplesOfPatterns tries every pair of patterns over the significant letters and
// one other, except pairs of the longest, and triples of short ones, on all small paths. The twin
// matches each pattern with each path once; what several patterns decide together is then a
// comparison of lengths.
func TestAllPairsAndTriplesOfPatterns(t *testing.T) {
	pairs, triples, longestPath := 3, 2, 5 // of each pair the first may be one letter longer if the second is short
	switch {
	case *exhaust:
		pairs, longestPath = 4, 6
	case testing.Short():
		t.Log("short: triples of length 1, paths of length 4")
		triples, longestPath = 1, 4
	}
	letters := []string{"a", "/", "*", "$"}
	// which exhaustive knows
	for _, d := range []automaton.Dialect{automaton.Google, automaton.RFC9309, automaton.Original} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := exhaustive{t: t, mode: mode{dialect: d}}
			for _, rest := range words([]string{"a", "/", "$"}, longestPath-1) {
				e.paths = append(e.paths, []byte("/"+rest))
			}
			for _, rest := range words(letters, longestPath-3) {
				if strings.Contains(rest, "*") { // which no pattern can name
					e.paths = append(e.paths, []byte("/"+rest))
				}
			}
			for _, rest := range words([]string{"a", "/", "b"}, 3) {
				if strings.Contains(rest, "b") { // which is in no pattern
					e.paths = append(e.paths, []byte("/"+rest))
				}
			}
			e.patterns(words(letters, max(pairs+1, triples)))
			count := func(longest int) int { return len(words(letters, longest)) }
			for p := range count(pairs + 1) { // which may have several segments
				second := count(triples)
				if p < count(pairs) {
					second = count(pairs)
				}
				for q := range second {
					e.check([]int{p, q}, []bool{true, false})
					e.check([]int{p, q}, []bool{false, true})
				}
			}
			n := count(triples)
			for i := range n * n * n * 8 { // each of the three allows or forbids
				p, q, r := i/8%n, i/8/n%n, i/8/n/n
				isSame := p > q || q > r // as in another order, where that decides nothing
				if d == automaton.Original {
					isSame = strings.Contains(e.known[p].value+e.known[q].value+e.known[r].value, "$") // as with '*'
				}
				if !isSame {
					e.check([]int{p, q, r}, []bool{i&1 == 0, i&2 == 0, i&4 == 0})
				}
			}
		})
	}
}

// exhaustive knows which of some patterns match which of some paths.
type exhaustive struct {
	t       *testing.T
	mode    mode
	scratch automaton.Scratch
	paths   [][]byte
	known   []knownPattern
	asked   int
	diff    differences
}

type knownPattern struct {
	value   string
	length  int // the specificity, 0 if that is the order in the file
	matches []bool
}

// patterns has the twin match patterns, each as long as no other has a say.
func (e *exhaustive) patterns(values []string) {
	for _, value := range values {
		k := knownPattern{value: value, matches: make([]bool, len(e.paths))}
		for i, path := range e.paths {
			switch v := []byte(value); e.mode.dialect {
			case automaton.Google:
				k.length = len(twin.Escape(v))
				k.matches[i] = twin.PatternMatches(twin.Escape(v), path)
			case automaton.RFC9309:
				pattern, _ := twin.CanonicalPattern(v)
				k.length = len(pattern)
				k.matches[i] = value != "" && strings.IndexByte("/*", value[0]) >= 0 && twin.PatternMatches(pattern,
					twin.FormA(path))
			default:
				k.matches[i] = value != "" && bytes.HasPrefix(twin.Decode(path), twin.Decode(v))
			}
		}
		e.known = append(e.known, k)
	}
}

// check asks about all paths by some patterns, each on a line of its own.
func (e *exhaustive) check(patterns []int, allow []bool) {
	text := []byte("user-agent: *")
	for i, p := range patterns {
		text = fmt.Appendf(text, "\n%s: %s", map[bool]string{true: "allow", false: "disallow"}[allow[i]], e.known[p].value)
	}
	r := e.mode.tiers(text)
	list, tables := r[1].Ruleset.Machine(nil), [...]*automaton.Machine{r[2].Ruleset.Machine(nil),
		r[3].Ruleset.Machine(nil)}
	for i, path := range e.paths {
		got := answerOf(list.Match(&e.scratch, path))
		for _, table := range tables {
			if other := answerOf(table.Match(&e.scratch, path)); other != got {
				e.diff.report(e.t, e.mode, text, nil, path, other, got)
			}
		}
		want := e.want(patterns, allow, i)
		if got != want {
			e.diff.report(e.t, e.mode, text, nil, path, got, want)
		}
		// Ask tries each rule separately, so for most files some paths suffice.
		if e.asked++; patterns[1] == 0 || e.asked%64 == 0 || *exhaust {
			once := answerOf(compile.Ask(text, nil, append([]byte("http://h"), path...), e.mode.options()))
			if once != want {
				e.diff.report(e.t, e.mode, text, nil, path, once, want)
			}
		}
	}
}

// want is the answer about a path: the longest pattern decides, of equals one that
// allows, then the first; for the dialect original the first of all.
func (e *exhaustive) want(patterns []int, allow []bool, path int) answer {
	best, longest := -1, 0
	for i, p := range patterns {
		k := &e.known[p]
		if !k.matches[path] {
			continue
		}
		better := best < 0
		if !better && e.mode.dialect != automaton.Original {
			better = k.length > longest || k.length == longest && allow[i] && !allow[best]
		}
		if better {
			best, longest = i, k.length
		}
	}
	if best < 0 {
		return answer{true, 0}
	}
	return answer{allow[best] || e.known[patterns[best]].value == "", best + 2}
}

// TestRandomRulesOverSmallAlphabet samples what the tests above can't exhaust: several rules,
// longer patterns, and the letters of escapes.
func TestRandomRulesOverSmallAlphabet(t *testing.T) {
	const files = 2000
	alphabets := map[string][]string{
		"wildcards": {"a", "/", "*", "$", "b"},
		"escapes": {"a", "/", "*", "$", "?", "%", "2", "F", "%2F", "%2f", "%3a", ":", "%61", "%2A", "*", "\xc3\xa9",
			"%C3%a9"},
		"index": {"/index.htm", "/", "*", "l", "$", "a", "?"},
		"bytes": {"a", "/", "*", "%00", " ", "\t", "\xff", "\"", "{", "~", "%7e", "%7E", "#", ";", ":", "!", "\xa1", "\xe1"},
	}
	for name, alphabet := range alphabets {
		for _, m := range modes[1:] { // the mode of narrow tokens differs in nothing here
			t.Run(name+"/"+m.String(), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(1, 2))
				var diff differences
				var s automaton.Scratch
				disallowed, asked := 0, 0
				for range files {
					text := []byte("user-agent: F")
					var values []string
					for range 1 + rng.IntN(5) {
						value := "/" + randomWord(rng, alphabet, 7)
						if rng.IntN(4) == 0 {
							value = value[1:]
						}
						values = append(values, value)
						text = fmt.Appendf(text, "\n%s: %s", []string{"allow", "disallow"}[rng.IntN(2)], value)
					}
					r := m.tiers(text)
					for i := range 4 {
						path := []byte("/" + randomWord(rng, alphabet, 8))
						if i < 2 {
							path = probeOf(rng, values[rng.IntN(len(values))])
						}
						got := m.ask(t, r, &s, text, []byte("F"), path)
						if asked++; !got.allowed {
							disallowed++
						}
						if want := askTwin(m, text, []byte("F"), path); got != want {
							diff.report(t, m, text, []byte("F"), path, got, want)
						}
					}
				}
				if disallowed*20 < asked {
					t.Errorf("only %d of %d disallowed", disallowed, asked)
				}
			})
		}
	}
}

func randomWord(rng *rand.Rand, alphabet []string, longest int) string {
	var b strings.Builder
	for range rng.IntN(longest + 1) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// TestRandomFiles makes files with all kinds of lines, to check which group binds which crawler,
// what closes a group, and where lines end.
func TestRandomFiles(t *testing.T) {
	const files = 6000
	pieces := []string{
		"user-agent: *", "user-agent: a", "User-Agent:ab/1", "user-agent: A1", "user-agent:", "user-agent: * x",
		"user-agent: *\tx",
		"user-agent: */1", "user-agent: a b", "user agent: b", "useragent b", "user-agent: \xe2\x84\xaa",
		"disallow: /", "disallow: /a", "allow: /a", "allow /ab", "Disallow:", "allow:", "disallow: x",
		"disallow: /a b", "disalow: /b", "dissallow : /b", "Allow: /a\x00b", "disallow: *b", "allow: /b # c",
		"# only a comment", " ", "", "", "", "sitemap: http://h/", "crawl-delay: 5", "x", ": /a", "\x00", "\xef\xbb\xbf",
		"\xefuser-agent: b", "\vdisallow:\f/b\v",
	}
	ends := []string{"\n", "\n", "\n", "\r", "\r\n", "\n\r", "\n\n"}
	names := []string{"a", "A", "ab", "ab/1", "a1", "b", "*", "", "xaby", "k", "\xe2\x84\xaa", "a b"}
	urls := []string{"/", "/a", "/ab", "/b", "/a b", "/robots.txt", "http://h/b#/a", "a/b", "//a/b", "/a\x00b"}
	for _, m := range append(slices.Clone(modes), mode{automaton.RFC9309, false, true},
		mode{automaton.Google, true, true}) {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 4))
			var diff differences
			var s automaton.Scratch
			for range files {
				var text []byte
				for range rng.IntN(12) {
					text = append(text, pieces[rng.IntN(len(pieces))]...)
					text = append(text, ends[rng.IntN(len(ends))]...)
				}
				r := m.tiers(text)
				for range 4 {
					agent, url := []byte(names[rng.IntN(len(names))]), []byte(urls[rng.IntN(len(urls))])
					got := m.ask(t, r, &s, text, agent, url)
					if want := askTwin(m, text, agent, url); got != want {
						diff.report(t, m, text, agent, url, got, want)
					}
				}
			}
		})
	}
}

// TestForms tries all short texts over an alphabet of everything that escapes consist of.
func TestForms(t *testing.T) {
	longest := 6
	if testing.Short() {
		t.Log("short: length 4 instead of 6")
		longest = 4
	}
	check := func(path []byte) {
		for form, of := range map[automaton.Form]func([]byte) []byte{
			automaton.FormA: twin.FormA, automaton.FormB: twin.FormB, automaton.FormDecoded: twin.Decode,
		} {
			if got, want := inForm(path, form), of(path); !bytes.Equal(got, want) {
				t.Errorf("form %v of %q: got %q, want %q", form, path, got, want)
			}
		}
	}
	for _, word := range words([]string{"%", "2", "f", "F", "?", "4", "1", "*", "é"}, longest) {
		check([]byte(word))
	}
	for c := range 256 { // every byte: raw, escaped, in the query, and cut short
		raw := []byte{byte(c)}
		check(fmt.Appendf(nil, "/%s%%%02x?%s%%%02X%%%x", raw, c, raw, c, c&15))
	}
}

// TestPatterns compares each rule's pattern, form and specificity with the twin's.
func TestPatterns(t *testing.T) {
	const values = 50_000
	rng := rand.New(rand.NewPCG(5, 6))
	alphabet := []string{"%", "2", "f", "F", "?", "4", "*", "$", "a", "/", "é", "~", "%7e", "%2a", "%24", ":", "%3A",
		"%3f"}
	for range values {
		value := "/" + randomWord(rng, alphabet, 9)
		want, formB := twin.CanonicalPattern([]byte(value))
		form := automaton.FormA
		if formB {
			form = automaton.FormB
		}
		checkPattern(t, automaton.RFC9309, value, string(want), form)
		checkPattern(t, automaton.Google, value, string(twin.Escape([]byte(value))), automaton.FormRaw)
		checkPattern(t, automaton.Original, value, string(twin.Decode([]byte(value))), automaton.FormDecoded)
	}
}

func checkPattern(t *testing.T, d automaton.Dialect, value, pattern string, form automaton.Form) {
	t.Helper()
	rule, ok := compileIn(d, "user-agent: *\nallow: "+value).Rule(2)
	want := compile.Rule{
		Line: 2, Allow: true, Value: value, Pattern: pattern, Form: form,
	}
	if !ok || rule != want {
		t.Errorf("%v: got %+v, want %+v", d, rule, want)
	}
}

// TestPaths tries everything that can begin and end a path.
func TestPaths(t *testing.T) {
	longest := 6
	if testing.Short() {
		t.Log("short: length 5 instead of 6")
		longest = 5
	}
	var s automaton.Scratch
	for _, url := range words([]string{"/", ":", "?", ";", "#", "a", "\x00", "://"}, longest) {
		for _, d := range dialects {
			got, want := d.Path(&s, []byte(url)), twin.Path(twin.Dialect(d.String()), []byte(url))
			if !bytes.Equal(got, want) {
				t.Errorf("%v: path of %q: got %q, want %q", d, url, got, want)
			}
		}
	}
}

// TestRunsOfAgents tries everything that may stand between user-agent lines, with and without other
// records ending a run. SplitRuns must be false for a body with the same groups in both cases.
func TestRunsOfAgents(t *testing.T) {
	longest := 4
	if *exhaust {
		longest = 5
	}
	lines := []string{
		"user-agent: a\n", "useragent: b\n", "user-agent: *\n", "disallow: /\n", "allow: /\n", "crawl-delay: 1\n", "\n",
	}
	bodies := words(lines, longest)
	for _, odd := range []string{"x\n", "crawl-delay 1\n", ": 1\n", "crawl-delay: 1\x00\n", "x#:\n", "#\n", "x\x00: 1\n"} {
		for _, before := range words(lines[:4], 2) {
			for _, after := range words(lines[:4], 2) {
				bodies = append(bodies, before+odd+after)
			}
		}
	}
	agents := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	for _, m := range modes {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			var diff differences
			var s automaton.Scratch
			url := []byte("http://h/x")
			split := 0
			for _, body := range bodies {
				text := []byte(body)
				plain, ended := compile.Compile(text, m.options()), compile.Compile(text, mode{m.dialect, m.wide, true}.options())
				for _, agent := range agents {
					for r, m := range map[*compile.Robots]mode{plain: m, ended: {m.dialect, m.wide, true}} {
						want := askTwin(m, text, agent, url)
						for _, got := range []answer{
							ask(r, &s, agent, url), answerOf(compile.Ask(text, agent, url, m.options())),
						} {
							if got != want {
								diff.report(t, m, text, agent, url, got, want)
							}
						}
					}
				}
				if plain.SplitRuns != (len(plain.Groups) < len(ended.Groups)) || ended.SplitRuns {
					t.Errorf("%q has %d groups, and %d where runs are ended: %v, %v", body, len(plain.Groups), len(ended.Groups),
						plain.SplitRuns, ended.SplitRuns)
				}
				if plain.SplitRuns {
					split++
				}
			}
			if split < len(bodies)/100 {
				t.Errorf("of %d bodies %d have split runs", len(bodies), split)
			}
		})
	}
}
