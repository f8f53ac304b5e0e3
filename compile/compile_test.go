package compile_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestNothingIsShared checks that a compiled body isn't changed by compiling others, concurrently
// or later, of any size.
func TestNothingIsShared(t *testing.T) {
	file := func(i int) []byte {
		return []byte(strings.Repeat(fmt.Sprintf("User-agent: Bot%s\nUser-agent: *\nDisallow: /%d*x\nAllow: "+
			"/é%d\nsitemap: %d\nnonsense %d\n", numeral(i), i, i, i, i), i%7))
	}
	const n = 50
	for _, m := range modes {
		var kept [n]*compile.Robots
		var written [n]string
		var all sync.WaitGroup
		for first := range 4 {
			all.Go(func() {
				for i := first; i < n; i += 4 {
					kept[i] = compile.Compile(file(i), m.options())
					written[i] = said(kept[i])
				}
			})
		}
		all.Wait()
		for i, r := range kept {
			if got := said(r); got != written[i] {
				t.Errorf("%v, file %d has become\n%s\nit was\n%s", m, i, got, written[i])
			}
			again := compile.Compile(file(i), m.options())
			if said(again) != written[i] {
				t.Errorf("%v, file %d: another time it is\n%s\nand was\n%s", m, i, said(again), written[i])
			}
		}
	}
}

// said is all that a Robots has, as text.
func said(r *compile.Robots) string {
	text := fmt.Sprintf("%#v %#v %#v %d", r.Groups, r.Records, r.Notes, r.Lines)
	for _, a := range r.Ruleset.Agents() {
		text += fmt.Sprintf("\n%s %v\n%v", a.Token, r.GroupsOf(a.Machine), a.Machine)
	}
	return text + fmt.Sprintf("\n%v", r.Ruleset.Wildcard())
}

func TestUnknownDialectPanics(t *testing.T) {
	o := compile.Options{Dialect: 200}
	for _, do := range []func(){func() { compile.Compile(nil, o) }, func() { compile.Ask(nil, nil, nil, o) }} {
		func() {
			defer func() {
				if got := recover(); got != "compile: unknown dialect Dialect(200)" {
					t.Errorf("got %v", got)
				}
			}()
			do()
		}()
	}
}

// TestMachinesAreBuiltWhenAskedFor checks that all callers get the same machines, regardless of
// order and concurrency.
func TestMachinesAreBuiltWhenAskedFor(t *testing.T) {
	const n = 20
	body := numbered("user-agent: a%d\nuser-agent: all\ndisallow: /%d\n", n) + "user-agent: *\ndisallow: /"
	for _, m := range modes {
		r := compile.Compile([]byte(body), m.options())
		var all sync.WaitGroup
		var got [8][n + 2]*automaton.Machine
		for i := range got {
			all.Go(func() {
				for j := range n {
					j = (i*3 + j) % n
					got[i][j] = r.Ruleset.Machine([]byte("a" + numeral(j)))
					if bound := r.GroupsOf(got[i][j]); len(bound) != 1 || bound[0] != j {
						t.Errorf("%v: a%s is bound by groups %v", m, numeral(j), bound)
					}
				}
				got[i][n], got[i][n+1] = r.Ruleset.Machine([]byte("all")), r.Ruleset.Wildcard()
			})
		}
		all.Wait()
		for _, machines := range got {
			if machines != got[0] {
				t.Fatalf("%v: got %v and %v", m, machines, got[0])
			}
		}
		want := n // rules of all groups together, by original of the first
		if m.dialect == original {
			want = 1
		}
		if lines := got[0][n].Len(); lines != want || got[0][n+1].Len() != 1 {
			t.Errorf("%v: %d rules, want %d", m, lines, want)
		}
	}
}

// The simplest question: may this crawler fetch this URL?
func ExampleAllowed() {
	body := []byte("User-agent: *\nDisallow: /private/\nAllow: /private/notes/\n")
	fmt.Println(compile.Allowed(body, "GPTBot", "https://example.com/private/notes/1"))
	fmt.Println(compile.Allowed(body, "GPTBot", "https://example.com/private/2"))
	// Output:
	// true
	// false
}

// A robots.txt is compiled once and asked often.
func Example() {
	body := []byte("User-agent: *\nDisallow: /private/\nAllow: /private/notes/\n")
	robots := compile.Compile(body, compile.Options{Dialect: automaton.Google})
	machine := robots.Ruleset.Machine([]byte("Googlebot")) // immutable; shared by all goroutines
	var scratch automaton.Scratch                          // one for each goroutine
	for _, url := range []string{"https://example.com/private/notes/1", "https://example.com/private/2"} {
		verdict := machine.Match(&scratch, automaton.Google.Path(&scratch, []byte(url)))
		rule, _ := robots.Rule(int(verdict.Line))
		fmt.Println(verdict.Allowed(), url, rule)
	}
	// Output:
	// true https://example.com/private/notes/1 Allow: /private/notes/
	// false https://example.com/private/2 Disallow: /private/
}
