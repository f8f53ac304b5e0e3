package compile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/twin"
)

// TestAllPairsOfSmallPatterns has one allow and one disallow line of every
// pair of patterns over the letters that mean something and one that does not,
// and asks about all small paths.
func TestAllPairsOfSmallPatterns(t *testing.T) {
	longest, longestPath := 3, 5
	if testing.Short() {
		t.Log("short: patterns up to length 2, paths up to length 4")
		longest, longestPath = 2, 4
	}
	patterns := words([]string{"a", "/", "*", "$"}, longest)
	var paths [][]byte
	for _, rest := range words([]string{"a", "/", "$"}, longestPath-1) {
		paths = append(paths, []byte("/"+rest))
	}
	for _, rest := range words([]string{"a", "/", "b"}, 3) { // b is in no pattern
		if strings.Contains(rest, "b") {
			paths = append(paths, []byte("/"+rest))
		}
	}
	for _, d := range dialects {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			var diff differences
			var s automaton.Scratch
			m := mode{dialect: d}
			agent := []byte("F")
			for _, p := range patterns {
				for _, q := range patterns {
					text := []byte("user-agent: *\nallow: " + p + "\ndisallow: " + q)
					r := compile.Compile(text, m.options())
					for _, path := range paths {
						got := ask(r, &s, agent, path)
						if want := askTwin(m, text, agent, path); got != want {
							diff.report(t, m, text, agent, path, got, want)
						}
					}
				}
			}
		})
	}
}

// TestRandomRulesOverSmallAlphabet samples what TestAllPairsOfSmallPatterns
// cannot exhaust: several rules, longer patterns, and the letters of escapes.
func TestRandomRulesOverSmallAlphabet(t *testing.T) {
	files := 30_000
	if testing.Short() {
		t.Log("short: 3,000 files instead of 30,000")
		files = 3_000
	}
	alphabets := map[string][]string{
		"wildcards": {"a", "/", "*", "$", "b"},
		"escapes":   {"a", "/", "*", "$", "?", "%", "2", "F", "%2F", "%2f", "%3a", ":", "%61", "%2A", "*", "\xc3\xa9", "%C3%a9"},
		"index":     {"/index.htm", "/", "*", "l", "$", "a", "?"},
		"bytes":     {"a", "/", "*", " ", "\t", "\xff", "\"", "{", "~", "%7e", "%7E", "#", ";", ":"},
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
					r := compile.Compile(text, m.options())
					for i := range 4 {
						path := []byte("/" + randomWord(rng, alphabet, 8))
						if i < 2 {
							path = probeOf(rng, values[rng.IntN(len(values))])
						}
						got := ask(r, &s, []byte("F"), path)
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

// TestFirstOfManyEquals has groups long enough that a sort which is not stable
// would change the line.
func TestFirstOfManyEquals(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	path := []byte("/aaaa")
	for _, m := range modes {
		var diff differences
		for range 200 {
			text := []byte("user-agent: *")
			for range 80 {
				text = fmt.Appendf(text, "\n%s: /%s", []string{"allow", "disallow"}[rng.IntN(2)],
					randomWord(rng, []string{"a", "*", "b"}, 3))
			}
			got := ask(compile.Compile(text, m.options()), new(automaton.Scratch), nil, path)
			if want := askTwin(m, text, nil, path); got != want {
				diff.report(t, m, text, nil, path, got, want)
			}
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

// TestRandomFiles makes files of all kinds of lines: which group binds whom,
// what closes it, and where lines end.
func TestRandomFiles(t *testing.T) {
	files := 60_000
	if testing.Short() {
		t.Log("short: 6,000 files instead of 60,000")
		files = 6_000
	}
	pieces := []string{
		"user-agent: *", "user-agent: a", "User-Agent:ab/1", "user-agent: A1", "user-agent:", "user-agent: * x", "user-agent: *\tx",
		"user-agent: */1", "user-agent: a b", "user agent: b", "useragent b", "user-agent: \xe2\x84\xaa",
		"disallow: /", "disallow: /a", "allow: /a", "allow /ab", "Disallow:", "allow:", "disallow: x",
		"disallow: /a b", "disalow: /b", "dissallow : /b", "Allow: /a\x00b", "disallow: *b", "allow: /b # c",
		"# only a comment", " ", "", "", "", "sitemap: http://h/", "crawl-delay: 5", "x", ": /a", "\x00", "\xef\xbb\xbf",
		"\xefuser-agent: b", "\vdisallow:\f/b\v",
	}
	ends := []string{"\n", "\n", "\n", "\r", "\r\n", "\n\r", "\n\n"}
	names := []string{"a", "A", "ab", "ab/1", "a1", "b", "*", "", "xaby", "k", "\xe2\x84\xaa", "a b"}
	urls := []string{"/", "/a", "/ab", "/b", "/a b", "/robots.txt", "http://h/b#/a", "a/b", "//a/b", "/a\x00b"}
	for _, m := range modes {
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
				r := compile.Compile(text, m.options())
				for range 4 {
					agent, url := []byte(names[rng.IntN(len(names))]), []byte(urls[rng.IntN(len(urls))])
					got := ask(r, &s, agent, url)
					if want := askTwin(m, text, agent, url); got != want {
						diff.report(t, m, text, agent, url, got, want)
					}
				}
			}
		})
	}
}

// TestForms exhausts an alphabet of everything that an escape can be made of.
func TestForms(t *testing.T) {
	longest := 6
	if testing.Short() {
		t.Log("short: length 4 instead of 6")
		longest = 4
	}
	check := func(name string, in, got, want []byte) {
		if !bytes.Equal(got, want) {
			t.Errorf("%s of %q: got %q, want %q", name, in, got, want)
		}
	}
	for _, word := range words([]string{"%", "2", "f", "F", "?", "4", "1", "*", "é"}, longest) {
		path := []byte(word)
		check("FormA", path, canonical(path, automaton.FormA), twin.FormA(path))
		check("FormB", path, canonical(path, automaton.FormB), twin.FormB(path))
		check("decoded", path, automaton.AppendDecoded(nil, path), twin.Decode(path))
	}
	for c := range 256 { // every octet: raw, escaped, in the query, and cut short
		raw := []byte{byte(c)}
		path := fmt.Appendf(nil, "/%s%%%02x?%s%%%02X%%%x", raw, c, raw, c, c&15)
		check("FormA", path, canonical(path, automaton.FormA), twin.FormA(path))
		check("FormB", path, canonical(path, automaton.FormB), twin.FormB(path))
		check("decoded", path, automaton.AppendDecoded(nil, path), twin.Decode(path))
	}
}

// TestPatterns: a rule's pattern, form and specificity are the twin's.
func TestPatterns(t *testing.T) {
	values := 200_000
	if testing.Short() {
		t.Log("short: 20,000 values instead of 200,000")
		values = 20_000
	}
	rng := rand.New(rand.NewPCG(5, 6))
	alphabet := []string{"%", "2", "f", "F", "?", "4", "*", "$", "a", "/", "é", "~", "%7e", "%2a", "%24", ":", "%3A", "%3f"}
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
		Line: 2, Allow: true, Value: value, Pattern: pattern, Form: form, Specificity: len(pattern),
	}
	if !ok || rule != want {
		t.Errorf("%v: got %+v, want %+v", d, rule, want)
	}
}

// TestPaths exhausts what can begin and end a path.
func TestPaths(t *testing.T) {
	longest := 6
	if testing.Short() {
		t.Log("short: length 5 instead of 6")
		longest = 5
	}
	var s automaton.Scratch
	for _, url := range words([]string{"/", ":", "?", ";", "#", "a", "\x00", "://"}, longest) {
		for _, d := range dialects {
			got, want := d.Path(&s, []byte(url)), twin.Path(d.String(), []byte(url))
			if !bytes.Equal(got, want) {
				t.Errorf("%v: path of %q: got %q, want %q", d, url, got, want)
			}
		}
	}
}
