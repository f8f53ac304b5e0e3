package prove

import (
	"bytes"
	"cmp"
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

// twins are the twin's names of the dialects.
var twins = []twin.Dialect{
	automaton.RFC9309: twin.RFC9309, automaton.Google: twin.Google, automaton.Original: twin.Original,
}

var exhaust = flag.Bool("exhaust", false, "TestAllSmallFiles has longer patterns and paths")

// words returns all words over letters up to a length, the shortest first, then by bytes.
func words(letters string, longest int) (all []string) {
	all = []string{""}
	for from, n := 0, 0; n < longest; n++ {
		to := len(all)
		for _, w := range all[from:to] {
			for _, c := range letters {
				all = append(all, w+string(c))
			}
		}
		from = to
	}
	return all
}

func anyLine(uint32) bool { return true }

// small has all small files, and what is true of them by all short paths.
type small struct {
	t       *testing.T
	dialect automaton.Dialect
	paths   []string // '!' stands for every byte that no pattern has, as the first of them
	longest int      // up to which paths has all of the letters
	rules   []string
	scratch automaton.Scratch
}

func (e *small) machine(rules ...string) *automaton.Machine {
	r := compile.Compile([]byte("User-agent: *\n"+strings.Join(rules, "\n")), compile.Options{Dialect: e.dialect})
	return r.Ruleset.Wildcard()
}

// forbidden returns which paths a machine forbids.
func (e *small) forbidden(m *automaton.Machine) (is []bool) {
	for _, p := range e.paths {
		is = append(is, !m.Match(&e.scratch, []byte(p)).Allowed())
	}
	return is
}

// first returns the first path of which something is true, "" if there is none.
func (e *small) first(is func(i int) bool) string {
	for i := range e.paths {
		if is(i) {
			return e.paths[i]
		}
	}
	return ""
}

// same compares an answer with the first of the short paths.
func (e *small) same(what string, rules []string, got Answer, want string, holds func(path string) bool) {
	e.t.Helper()
	switch {
	case !got.Decided:
		e.t.Fatalf("%s of %q is not decided", what, rules)
	case got.Path != want && (want != "" || len(got.Path) <= e.longest):
		e.t.Fatalf("%s of %q: path %q, want %q", what, rules, got.Path, want)
	case got.Path != "" && !holds(got.Path):
		e.t.Fatalf("%s of %q: path %q is not one", what, rules, got.Path)
	}
}

// check checks all answers about a file.
func (e *small) check(rules ...string) {
	m := e.machine(rules...)
	is := e.forbidden(m)
	forbids := func(path string) bool { return !m.Match(&e.scratch, []byte(path)).Allowed() }
	c := Classify(m)
	e.same("forbidden", rules, c.Forbidden, e.first(func(i int) bool { return is[i] }), forbids)
	e.same("allowed", rules, c.Allowed, e.first(func(i int) bool { return !is[i] }),
		func(path string) bool { return !forbids(path) })
	asked := (&Prover{Steps: 1 << 30}).Rules(m)
	for i, rule := range rules {
		line := uint32(i + 2)
		inert := slices.Clone(rules)
		inert[i] = "Sitemap: x"
		less := e.machine(inert...)
		others := e.forbidden(less)
		witness := e.first(func(i int) bool { return is[i] != others[i] })
		effect := asked.Effect(line)
		if !effect.Decided || effect.Dead && witness != "" {
			e.t.Fatalf("line %d of %q: %+v, but it decides %q", line, rules, effect, witness)
		}
		differ, _ := Differ(less, m)
		if effect.Dead != (differ.Forbidden.Path == "" && differ.Allowed.Path == "") {
			e.t.Fatalf("line %d of %q: %+v, but without it %+v", line, rules, effect, differ)
		}
		e.same("newly forbidden", rules, differ.Forbidden, e.first(func(i int) bool { return is[i] && !others[i] }),
			func(path string) bool { return forbids(path) && less.Match(&e.scratch, []byte(path)).Allowed() })
		e.same("newly allowed", rules, differ.Allowed, e.first(func(i int) bool { return !is[i] && others[i] }),
			func(path string) bool { return !forbids(path) && !less.Match(&e.scratch, []byte(path)).Allowed() })
		allow := strings.HasPrefix(rule, "Allow")
		alone := e.machine("Disallow: " + rule[strings.Index(rule, " ")+1:])
		matches := e.forbidden(alone)
		e.same("undone", rules, asked.Undone(line, anyLine), e.first(func(i int) bool { return matches[i] && is[i] == allow }),
			func(path string) bool {
				return !alone.Match(&e.scratch, []byte(path)).Allowed() && forbids(path) == allow
			})
	}
}

// TestAllSmallFiles asks all questions about all files with one or two rules over patterns of the
// significant letters, and with three shorter ones, and compares the answers on all short paths.
func TestAllSmallFiles(t *testing.T) {
	pattern, three, path := 2, 1, 3
	if *exhaust {
		pattern, three, path = 3, 2, 6
	}
	for d := range automaton.NumDialects {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := &small{t: t, dialect: d, longest: 1 + path}
			for _, w := range words("!$*/ab", path) {
				e.paths = append(e.paths, "/"+w)
			}
			for _, w := range words("ab/*$", pattern) {
				e.rules = append(e.rules, "Allow: /"+w, "Disallow: /"+w)
			}
			e.rules = append(e.rules, "Disallow: *a", "Allow: *b$", "Disallow: *")
			short := 2 * len(words("ab/*$", three))
			for i, x := range e.rules {
				e.check(x)
				for j, y := range e.rules {
					if i <= j || d.FirstMatchDecides() { // else their order changes nothing but lines
						e.check(x, y)
					}
					for _, z := range e.rules[:short] {
						if i < short && j < short {
							e.check(x, y, z)
						}
					}
				}
			}
		})
	}
}

// natural reports whether a path has no escape that no URL needs. Answers have others only if there is no
// natural path.
func natural(path string) bool {
	for i := range len(path) {
		if isEscape(path[i:]) && isUnreserved(unescape(path[i:])) {
			return false
		}
	}
	return true
}

// TestEscapesOfSmallFiles is TestAllSmallFiles with the escape of a letter, which only google
// distinguishes from the letter, and with parts of it.
func TestEscapesOfSmallFiles(t *testing.T) {
	pattern, path := 2, 3
	if *exhaust {
		pattern, path = 3, 4
	}
	escapes := strings.NewReplacer("E", "%61")
	for d := range automaton.NumDialects {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			e := &small{t: t, dialect: d, longest: 1 + path}
			for _, w := range words("!$*16aE", path) {
				e.paths = append(e.paths, escapes.Replace("/"+w))
			}
			slices.SortStableFunc(e.paths, func(x, y string) int {
				if natural(x) != natural(y) {
					return map[bool]int{true: -1, false: 1}[natural(x)]
				}
				return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
			})
			for _, w := range words("a1E*$", pattern) {
				e.rules = append(e.rules, escapes.Replace("Allow: /"+w), escapes.Replace("Disallow: /"+w))
			}
			for i, x := range e.rules {
				e.check(x)
				for _, y := range e.rules[:i] {
					e.check(x, y)
				}
			}
		})
	}
}

// TestRandomFiles asks about larger files in all dialects, with letters that forms of paths spell
// differently, and about pairs of these. It checks all answers on random paths with the twin.
func TestRandomFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "2", "A", "/", "/", "*", "*", "$", "?", ":", "%", "%2F", "%3A", "%2A", "{", "é", ".",
		"%61", "%7E", "%7e", "6"}
	sent := []string{"!", "/", "a", "b", "2", "A", "/", "?", ":", "%2F", "%3A", "%2A", "%7B", "%C3%A9", ".", "%61", "%7E",
		"6"}
	text := func(letters []string) (s string) {
		for range random.IntN(6) {
			s += letters[random.IntN(len(letters))]
		}
		return s
	}
	file := func() string {
		s := "User-agent: *\n"
		for range 1 + random.IntN(5) {
			s += []string{"Allow: /", "Disallow: /", "Disallow: *"}[random.IntN(3)] + text(letters) + "\n"
		}
		return s
	}
	rounds := 1500
	if *exhaust {
		rounds = 100_000
	}
	for range rounds {
		var files [2]string
		var dialects [2]automaton.Dialect
		var machines [2]*automaton.Machine
		for i := range files {
			files[i], dialects[i] = file(), automaton.Dialect(random.IntN(int(automaton.NumDialects)))
			if i == 1 && random.IntN(2) == 0 {
				files[1] = files[0]
			}
			machines[i] = compile.Compile([]byte(files[i]), compile.Options{Dialect: dialects[i]}).Ruleset.Wildcard()
		}
		forbids := func(i int, path string) bool {
			allowed, _ := twin.Match(twins[dialects[i]], []byte(files[i]), []byte("x"), []byte("http://h"+path), 0, false)
			return !allowed
		}
		d, _ := Differ(machines[0], machines[1])
		examples, _ := (&Prover{Steps: DefaultSteps}).Examples(machines[0], machines[1])
		if (len(examples) == 0) != (d.Forbidden.Path == "") || len(examples) > 0 && examples[0] != d.Forbidden.Path {
			t.Fatalf("%q %q: examples %q, but %+v", files[0], files[1], examples, d)
		}
		for _, path := range examples {
			if forbids(0, path) || !forbids(1, path) {
				t.Fatalf("%v %q\n%v %q\nno example is %q", dialects[0], files[0], dialects[1], files[1], path)
			}
		}
		for i, a := range []Answer{d.Allowed, d.Forbidden} {
			about := fmt.Sprintf("%v %q\n%v %q\n%d: %+v", dialects[0], files[0], dialects[1], files[1], i, a)
			if !a.Decided {
				t.Fatal(about)
			}
			if a.Path != "" && (forbids(0, a.Path) != (i == 0) || forbids(1, a.Path) != (i == 1)) {
				t.Fatal(about)
			}
			for range 100 {
				path := "/" + text(sent)
				earlier := a.Path == "" || cmp.Or(cmp.Compare(len(path), len(a.Path)), strings.Compare(path, a.Path)) < 0
				if !natural(path) && (natural(a.Path) && a.Path != "" || dialects[0] != dialects[1]) {
					continue // such paths come last, and not where dialects are compared
				}
				if earlier && forbids(0, path) == (i == 0) && forbids(1, path) == (i == 1) {
					t.Fatalf("%s\nnot %q", about, path)
				}
			}
		}
	}
}

// FuzzRules compares the answers about each rule of a file with the difference from the file
// without that rule, and each path with the twin's verdicts.
func FuzzRules(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /a\nDisallow: /%C3%A9?x=:"), uint8(0))
	f.Add([]byte("User-agent: *\nAllow: /index.html\nDisallow: /\nDisallow:"), uint8(1))
	f.Add([]byte("User-agent: *\nDisallow: /%7Euser/*a%2\nAllow: /*{%"), uint8(2))
	f.Add([]byte("User-agent: *\nDisallow: /%7Ejoe/\nAllow: /%61*%6\nDisallow: /*61"), uint8(1))
	for d := range automaton.NumDialects { // bytes that no URL has
		f.Add([]byte("User-agent: *\nDisallow: /a\nDisallow: /a%01\nDisallow: /a\x01\nAllow: /a*\x01"), uint8(d))
	}
	f.Fuzz(func(t *testing.T, body []byte, dialect uint8) {
		d := automaton.Dialect(dialect) % automaton.NumDialects
		if len(body) > 300 || bytes.IndexByte(body, 0) >= 0 {
			return
		}
		forbids := func(body []byte, path string) bool {
			allowed, _ := twin.Match(twins[d], body, []byte("x"), []byte("http://h"+path), 0, false)
			return !allowed
		}
		robots := compile.Compile(body, compile.Options{Dialect: d})
		m := robots.Ruleset.Machine([]byte("x"))
		p := &Prover{Steps: 1_000_000}
		c := p.Classify(m)
		if c.Forbidden.Path != "" && !forbids(body, c.Forbidden.Path) ||
			c.Allowed.Path != "" && forbids(body, c.Allowed.Path) {
			t.Fatalf("%+v", c)
		}
		asked := p.Rules(m)
		for _, g := range robots.GroupsOf(m) {
			for _, rule := range robots.Groups[g].Rules {
				effect := asked.Effect(uint32(rule.Line))
				less := without(body, rule.Line)
				differ, does := p.Differ(compile.Compile(less, compile.Options{Dialect: d}).Ruleset.Machine([]byte("x")), m)
				if p.Steps <= 0 {
					return
				}
				if effect.Dead == does {
					t.Fatalf("line %d: %+v, but without it %+v", rule.Line, effect, differ)
				}
				own := asked.space.shortest(asked.space.matches(uint32(rule.Line)), &p.Steps).Path
				if effect.Dead && own != "" && forbids(body, own) != forbids(less, own) {
					t.Fatalf("line %d: %+v, but it decides on %q", rule.Line, effect, own)
				}
				for i, a := range []Answer{differ.Forbidden, differ.Allowed} {
					if a.Path != "" && (forbids(body, a.Path) != (i == 0) || forbids(less, a.Path) != (i == 1)) {
						t.Fatalf("line %d: %+v", rule.Line, differ)
					}
				}
			}
		}
	})
}

// without returns a body with a line replaced by a rule that matches nothing.
func without(body []byte, line int) []byte {
	unix := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(body))
	lines := bytes.SplitAfter([]byte(unix), []byte("\n"))
	lines[line-1] = []byte("Allow: nothing\n")
	return bytes.Join(lines, nil)
}
