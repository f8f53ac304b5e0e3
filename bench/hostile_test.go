package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// hostileFiles are robots.txt files of up to 500 KiB that are made to be slow to match,
// each with a path that takes long.
var hostileFiles = []struct {
	name  string
	rules func() string
	path  string
}{
	{"one rule of 250,000 wildcards", func() string { return "/" + strings.Repeat("*a", 250_000) + "b" }, "/" + strings.Repeat("a", 8000)},
	{"1,300 rules of up to 100 wildcards", func() string {
		return eachOf(1300, func(i int) string { return "/" + strings.Repeat("*a", i%100) + fmt.Sprintf("*b%d", i) })
	}, "/" + strings.Repeat("a", 8000) + "b"},
	{"47,000 rules of a wildcard", func() string {
		return eachOf(47_000, func(i int) string { return fmt.Sprintf("/*%da", i) })
	}, "/" + strings.Repeat("0123456789", 800) + "a"},
	{"20,000 rules of three wildcards", func() string {
		return eachOf(20_000, func(i int) string { return fmt.Sprintf("/*%d*a*%d$", i%100, i) })
	}, "/" + strings.Repeat("0123456789a", 700) + "?query=12345b"},
	{"900 prefixes of one another before a wildcard", func() string {
		return eachOf(900, func(i int) string { return "/" + strings.Repeat("a", i) + "*x*y*z" })
	}, "/" + strings.Repeat("a", 900) + strings.Repeat("xy", 100)},
	{"500 nested suffixes", func() string {
		return eachOf(500, func(i int) string { return "/*" + strings.Repeat("a", i+1) + "b" })
	}, "/b" + strings.Repeat("a", 1000)},
}

func eachOf(n int, pattern func(int) string) string {
	patterns := make([]string, n)
	for i := range patterns {
		patterns[i] = pattern(i)
	}
	return strings.Join(patterns, "\n")
}

// BenchmarkHostile times a path on files that are made to be slow, by each engine. The
// engine auto must be near the best of them on each, and gaps on none far from linear.
func BenchmarkHostile(b *testing.B) {
	for _, f := range hostileFiles {
		body := []byte("user-agent: *\ndisallow: " + strings.ReplaceAll(f.rules(), "\n", "\ndisallow: "))
		var want automaton.Verdict
		for i, engine := range []compile.Engine{compile.EngineList, compile.EngineAuto, compile.EngineGaps} {
			m := compile.Compile(body, compile.Options{Dialect: automaton.Google, MaxBytes: -1, Engine: engine}).Ruleset.Wildcard()
			path := []byte(f.path)
			var s automaton.Scratch
			if got := m.Match(&s, path); i == 0 {
				want = got
			} else if got != want {
				b.Fatalf("%s: %v, by a list %v", f.name, got, want)
			}
			b.Run(fmt.Sprintf("%s/engine=%s", f.name, []string{"list", "auto", "gaps"}[i]), func(b *testing.B) {
				for b.Loop() {
					m.Match(&s, path)
				}
			})
		}
	}
}
