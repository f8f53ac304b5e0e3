package bench

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/source"
)

// BenchmarkCompile times parsing and compiling of whole corpora, and reports what
// the rulesets keep alive as a multiple of what was read.
func BenchmarkCompile(b *testing.B) {
	b.Run("corpus=median", func(b *testing.B) {
		all := realBodies(b)
		for _, e := range engines {
			b.Run("engine="+e.name, func(b *testing.B) { benchmarkMedian(b, all, e.engine) })
		}
	})
	b.Run("corpus=real", func(b *testing.B) {
		var bodies [][]byte
		sites, _ := real(b)
		for _, s := range sites {
			bodies = append(bodies, s.Robots)
		}
		benchmarkEngines(b, bodies)
	})
	b.Run("corpus=bodies", func(b *testing.B) { benchmarkEngines(b, realBodies(b)) })
	b.Run("corpus=extremes", func(b *testing.B) {
		for _, f := range extremes(b) {
			b.Run("file="+f.name, func(b *testing.B) { benchmarkCompile(b, [][]byte{f.body}) })
		}
	})
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

func benchmarkCompile(b *testing.B, bodies [][]byte) {
	benchmarkCompileBy(b, bodies, compile.Options{Dialect: automaton.Google, MaxBytes: -1})
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
// Compile returned is dropped, and that of their tables.
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
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(size), "retained-B/B")
	tables, patterns := 0, 0
	for _, r := range rulesets {
		t, p := tableBytes(r, o.Engine)
		tables, patterns = tables+t, patterns+p
	}
	if tables > 0 {
		b.ReportMetric(float64(tables)/float64(patterns), "table-B/pattern-B")
	}
}

// tableBytes returns the bytes of a ruleset's tables and those of the patterns in
// them, each list of rules counted once.
func tableBytes(r *automaton.Ruleset, e compile.Engine) (tables, patterns int) {
	machines := []*automaton.Machine{r.Wildcard()}
	for _, a := range r.Agents() {
		machines = append(machines, a.Machine)
	}
	seen := map[*automaton.Rule]bool{}
	for _, m := range machines {
		for _, rules := range m.Lists() {
			t := e.Table(rules)
			if t == nil || seen[&rules[0]] {
				continue
			}
			seen[&rules[0]] = true
			tables += int(t.Size())
			for _, rule := range rules {
				patterns += len(rule.Pattern)
			}
		}
	}
	return tables, patterns
}

// benchmarkMedian times files of the median size and number of rules, one an
// operation, each time another, so that no branch is learnt by heart.
func benchmarkMedian(b *testing.B, all [][]byte, e compile.Engine) {
	o := compile.Options{Dialect: automaton.Google, Engine: e}
	var bodies [][]byte
	size := 0
	for _, body := range all {
		if len(body) < 330 || len(body) > 370 {
			continue
		}
		rules := 0
		for _, g := range compile.Compile(body, o).Groups {
			rules += len(g.Rules)
		}
		if rules == 8 {
			bodies = append(bodies, body)
			size += len(body)
		}
	}
	b.SetBytes(int64(size / len(bodies)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if compile.Compile(bodies[i%len(bodies)], o).Ruleset == nil {
			b.Fatal("no ruleset")
		}
	}
	reportRetained(b, bodies, o, size)
}

// realBodies returns 19,257 distinct real files.
func realBodies(b *testing.B) (bodies [][]byte) {
	b.Helper()
	for _, line := range lines(shared(b, "data/robots/bodies.jsonl.gz")) {
		var r struct {
			Body string `json:"body"`
			B64  []byte `json:"body_b64"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			b.Fatal(err)
		}
		if r.B64 == nil {
			r.B64 = []byte(r.Body)
		}
		bodies = append(bodies, r.B64)
	}
	return bodies
}

type file struct {
	name string
	body []byte
}

// extremes returns the worst of the real files.
func extremes(b *testing.B) (files []file) {
	b.Helper()
	in, err := source.NewFile(filepath.Join("../../shared", "data/robots/extremes.tar.xz"))
	if err != nil {
		b.Skipf("no shared data: %v", err)
	}
	packed, err := in.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer packed.Close()
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			b.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || strings.HasSuffix(h.Name, ".tsv") {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, file{filepath.Base(h.Name), body})
	}
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
