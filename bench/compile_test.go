package bench

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// BenchmarkCompile times parsing and compiling of whole corpora, and reports what
// the rulesets keep alive as a multiple of what was read.
func BenchmarkCompile(b *testing.B) {
	b.Run("corpus=real", func(b *testing.B) {
		var bodies [][]byte
		sites, _ := real(b)
		for _, s := range sites {
			bodies = append(bodies, s.Robots)
		}
		benchmarkEngines(b, bodies)
	})
	b.Run("corpus=bodies", func(b *testing.B) { benchmarkEngines(b, realBodies(b)) })
	for _, h := range hostile(compile.DefaultMaxBytes) {
		b.Run("hostile="+h.name, func(b *testing.B) {
			// Google's parser would cut the longest lines.
			benchmarkCompileBy(b, [][]byte{h.body}, compile.Options{Dialect: automaton.RFC9309, MaxBytes: -1})
		})
	}
}

// benchmarkEngines times what a machine answers with when it is left to the
// compiler, and the lists that an archive is written from.
func benchmarkEngines(b *testing.B, bodies [][]byte) {
	for _, e := range engines[:2] {
		b.Run("engine="+e.name, func(b *testing.B) {
			benchmarkCompileBy(b, bodies, compile.Options{Dialect: automaton.Google, MaxBytes: -1, Engine: e.engine})
		})
	}
}

func benchmarkCompileBy(b *testing.B, bodies [][]byte, o compile.Options) {
	size := len(bytes.Join(bodies, nil))
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, body := range bodies {
			if compile.Compile(body, o).Ruleset == nil {
				b.Fatal("no ruleset")
			}
		}
	}
	reportRetained(b, bodies, o, size)
}

// reportRetained reports the memory that rulesets keep when all else that
// Compile returned is dropped.
func reportRetained(b *testing.B, bodies [][]byte, o compile.Options, size int) {
	b.Helper()
	rulesets := make([]*automaton.Ruleset, len(bodies))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i, body := range bodies {
		rulesets[i] = compile.Compile(body, o).Ruleset
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/float64(size), "retained-B/B")
	runtime.KeepAlive(rulesets)
}

type file struct {
	name string
	body []byte
}

// hostile returns files of about n bytes that somebody has written to be as bad as
// they can.
func hostile(n int) []file {
	// So many rules that the machine has a table.
	agent := "user-agent: *\n" + strings.Repeat("disallow: /x\ndisallow: /y/z\n", 32)
	// many repeats a rule of a hundred stars; part makes what stands after a star.
	many := func(part func(star int) string) []byte {
		body := []byte(agent)
		for star := 0; len(body) < n; {
			body = append(body, "disallow: /"...)
			for range 100 {
				body = append(append(body, '*'), part(star)...)
				star++
			}
			body = append(body, '\n')
		}
		return body[:n]
	}
	word := func(star int) string { return fmt.Sprintf("w%x", star*0x9E37) }
	letter := func(int) string { return "a" }
	one := agent + "disallow: /" + strings.Repeat("*a", n/2) + "b"
	distinct := []byte(agent + "disallow: /")
	for star := 0; len(distinct) < n; star++ {
		distinct = append(append(distinct, '*'), word(star)...)
	}
	numbered := []byte(agent)
	for i := 0; len(numbered) < n; i++ {
		numbered = fmt.Appendf(numbered, "disallow: /%d%s\n", i, strings.Repeat("*a", 20))
	}
	return []file{
		{"stars-in-one-rule", []byte(one)},
		{"words-in-one-rule", distinct},
		{"stars-in-equal-rules", many(letter)},
		{"words-in-rules", many(word)},
		{"stars-behind-numbers", numbered},
	}
}
