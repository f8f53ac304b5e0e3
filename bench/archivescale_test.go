package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

var (
	archiveOrigins = flag.Int("origins", 20_000, "how many origins BenchmarkArchiveScale compiles")
	archiveMemory  = flag.Int64("memory", job.DefaultMemory, "the memory for that, in bytes")
)

// siteKey is the key of the i-th synthetic origin.
func siteKey(i int) string { return fmt.Sprintf("https://www.site-%08d.example:443", i) }

// writeSites writes lines of JSON with so many origins and their robots.txt.
func writeSites(w io.Writer, n int, bodyOf func(i int) []byte) error {
	var line []byte
	for i := range n {
		line = fmt.Appendf(line[:0], `{"host":"%s","body":`, siteKey(i))
		line = append(append(line, bodyOf(i)...), "}\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkArchiveScale times what depends on the number of origins: the compilation of lines of
// JSON into an archive, its opening, and twice a million lookups of random origins in the mapped
// file; the first lookup of each ruleset decodes it. The flags -origins and -memory say how many
// origins there are, and in which memory they are compiled. The peak of the memory is that of the
// process, which has 60 MB of bodies itself.
func BenchmarkArchiveScale(b *testing.B) {
	var real [][]byte // as JSON strings
	for line := range bytes.Lines(shared(b, "data/robots/bodies.jsonl.gz")) {
		var l struct{ Body json.RawMessage }
		if err := json.Unmarshal(line, &l); err != nil {
			b.Fatal(err)
		}
		if 0 < len(l.Body) && len(l.Body) < 1<<20 { // compile refuses longer lines in little memory
			real = append(real, l.Body)
		}
	}
	for _, c := range []struct {
		name   string
		bodyOf func(i int) []byte
	}{
		{"real", func(i int) []byte { return real[i%len(real)] }},
		{"distinct", func(i int) []byte { return fmt.Appendf(nil, `"User-agent: *\nDisallow: /%d/\n"`, i) }},
	} {
		b.Run("bodies="+c.name, func(b *testing.B) {
			for b.Loop() {
				archiveScale(b, *archiveOrigins, c.bodyOf)
			}
		})
	}
}

func archiveScale(b *testing.B, origins int, bodyOf func(i int) []byte) {
	out := filepath.Join(b.TempDir(), "rules.rsv")
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeSites(w, origins, bodyOf)) }()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // Linux: the peak begins anew
	begin := time.Now()
	compiled, err := job.Compile(context.Background(), job.CompileOptions{
		Sources: []string{"-"}, Stdin: r, Output: out, Dialects: archiveDialects, Memory: *archiveMemory, Messages: job.Messages{Warn: func(m string) { b.Log(m) }},
	})
	if err != nil || compiled.Origins != origins {
		b.Fatal(compiled, err)
	}
	b.ReportMetric(time.Since(begin).Seconds(), "build-s")
	b.ReportMetric(peakMemory(), "peak-MB")
	b.ReportMetric(float64(compiled.Size)/1e6, "archive-MB")

	mapped, err := disk.Map(out)
	if err != nil {
		b.Fatal(err)
	}
	begin = time.Now()
	a, err := archive.Open(mapped.Data, compile.Semantics, compile.EngineAuto.Table)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(begin).Microseconds())/1e3, "open-ms")
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([][]byte, 1_000_000)
	for i := range keys {
		keys[i] = []byte(siteKey(random.IntN(origins)))
	}
	for _, pass := range []string{"first-ns", "again-ns"} {
		begin = time.Now()
		for _, key := range keys {
			lookup(b, a, key, automaton.RFC9309)
		}
		b.ReportMetric(float64(time.Since(begin).Nanoseconds())/float64(len(keys)), pass)
	}
	if err := mapped.Close(); err != nil {
		b.Error(err)
	}
}

// peakMemory returns the peak of the memory of the process in MB, 0 where the system does not tell.
func peakMemory() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	kB := 0
	_, _ = fmt.Sscanf(string(rest), "%d", &kB)
	return float64(kB) / 1e3
}
