package bench

import (
	"bytes"
	"runtime"
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
