package hostile

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// attack makes robots.txt files of any size that are slow to match, and paths of any length
// that take long with them. Rules and paths are texts with parts in angle brackets: <> is
// what makes them long. In a rule they mean, for the i-th rule of its text:
//
//	<a>    a, i+1 times; any other text likewise
//	<#>    i as a number
//	<~>    one to three bytes of the path, <~~> up to nine, <~~~> up to 27, at random places
//
// In a path <a> is as many times a as there is room for, and <~> so many random letters.
type attack struct {
	rules []string
	path  string
}

// attacks are where the search for slow rules begins: what was known to be slow once, and what
// the search has found.
var attacks = []attack{
	{[]string{"/<*a>b"}, "/<a>"},
	{[]string{"/<*a>*b<#>"}, "/<a>b"},
	{[]string{"/*<#>a"}, "/<0123456789>a"},
	{[]string{"/*<#>*a*<#>$"}, "/<0123456789a>?query=12345b"},
	{[]string{"/<a>*x*y*z"}, "/<a><xy>"},
	{[]string{"/*<a>b"}, "/b<a>"},
	{[]string{"/*<a>*b", "/*a*c"}, "/<a>c"},
	{[]string{"/*<a>*b", "/*c"}, "/<a>"},
	{[]string{"/*q*<a>*b", "/*c"}, "/<a>q<a>"},
	{[]string{"*<~~~>*Z", "/*Q"}, "/<~>"},
	{[]string{"*<~>*<~>*Z", "/*Q"}, "/<~>"},
	{[]string{"*<~>*<~>*<~>*<~>"}, "/<~>"},
	{[]string{"*<~>*<~>*Z*Y", "/*Q"}, "/<~>Y<~>Z"},
	{[]string{"/*?*<#>", "/*&*<#>"}, "/a?<b=1&>"},
	{[]string{"/*?<~>=$", "/*%2F<~~>$"}, "/<%2F>?<~>="},
	{[]string{"/*<a>b", "/<#>"}, "/<a>"},
	// The search has found these.
	{[]string{"*<~>*<~>*Y*Z*Y"}, "/<~>/<~>F//<~>YaZY"},
	{[]string{"*<~~><*a>*<~>*Z", "*Z*<~~><*a>**<~>**ZY"}, "/Za<~>aY<aab><~><aab><a>Y<ab>"},
	{[]string{"*/*<~~><*a>*<~>*<#>*Z", "/Z*<~~><*a>*<~>**&Z<#>", "*<~~><*a>**<~>*Z"}, "/ZY<~>aa<aab><~><aab><a><aab>/"},
}

// seed determines the random places of all attacks.
const seed = 7

// makePath makes a path of n bytes.
func (a attack) makePath(n int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := split(a.path)
	fixed, open := 0, 0
	for _, p := range parts {
		if p.long {
			open++
		} else {
			fixed += len(p.text)
		}
	}
	share := max(n-fixed, 0) / max(open, 1)
	var b strings.Builder
	for _, p := range parts {
		switch {
		case !p.long:
			b.WriteString(p.text)
		case p.text[0] == '~':
			for range share {
				b.WriteByte(byte('a' + rng.IntN(24)))
			}
		default:
			b.WriteString(strings.Repeat(p.text, share/len(p.text)+1)[:share])
		}
	}
	path := b.String()
	return path[:min(len(path), n)]
}

// file makes a robots.txt of at most n bytes, with pieces of a path.
func (a attack) file(n int, path string) string {
	rng := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("user-agent: *\n")
	last := make([]string, len(a.rules))
	for i := range n {
		for j, text := range a.rules {
			rule := a.rule(text, i, path, rng)
			if rule == last[j] {
				continue
			}
			line := []string{"allow:", "disallow:"}[j%2] + rule + "\n"
			if b.Len()+len(line) > n {
				return b.String()
			}
			b.WriteString(line)
			last[j] = rule
		}
	}
	return b.String()
}

// rule makes the i-th rule of a text.
func (a attack) rule(text string, i int, path string, rng *rand.Rand) string {
	rule := ""
	for _, p := range split(text) {
		switch {
		case !p.long:
			rule += p.text
		case p.text == "#":
			rule += fmt.Sprint(i)
		case p.text[0] == '~':
			most := []int{1, 3, 9, 27}[min(len(p.text), 3)]
			length := 1 + rng.IntN(min(most, len(path)))
			at := rng.IntN(len(path) - length + 1)
			rule += path[at : at+length]
		default:
			rule += strings.Repeat(p.text, i+1)
		}
	}
	return rule
}

// piece is a part of the text of an attack; long says that it stood in angle brackets.
type piece struct {
	text string
	long bool
}

// split splits the text of an attack.
func split(text string) (parts []piece) {
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		if before != "" {
			parts = append(parts, piece{before, false})
		}
		if !found {
			break
		}
		inside, behind, _ := strings.Cut(rest, ">")
		if inside != "" {
			parts = append(parts, piece{inside, true})
		}
		text = behind
	}
	return parts
}

func (a attack) String() string { return strings.Join(a.rules, " ") + " on " + a.path }

// BenchmarkHostile times a path on files of 500 KiB that are made to be slow, in each dialect that
// has wildcards. The engine auto must be near the best on each, and gaps on none far from linear.
func BenchmarkHostile(b *testing.B) {
	for _, a := range attacks {
		for _, d := range []automaton.Dialect{automaton.Google, automaton.RFC9309, automaton.Original} {
			for _, octets := range []int{100, 2000} {
				path := a.makePath(octets)
				body := []byte(a.file(500<<10, path))
				m := compile.Compile(body, compile.Options{Dialect: d, MaxBytes: -1}).Ruleset.Wildcard()
				b.Run(fmt.Sprintf("%v/dialect=%v/octets=%d", a, d, octets), func(b *testing.B) {
					var s automaton.Scratch
					for b.Loop() {
						m.Match(&s, []byte(path))
					}
				})
			}
		}
	}
}
