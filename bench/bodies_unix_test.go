//go:build unix

package bench

import (
	"bytes"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// BenchmarkBodies asks one question about each real body, and compiles each, alternating with finding the ends of
// its lines, which is the minimum for any reader. It reports median processor times per line, including the garbage
// collector's, and their ratio to finding the line's end.
func BenchmarkBodies(b *testing.B) {
	bodies := realBodies(b)
	lines := 0
	ends := func(body []byte) {
		body = body[:min(len(body), compile.DefaultMaxBytes)]
		for at := 0; at >= 0; body = body[at+1:] {
			if at = bytes.IndexByte(body, '\n'); at >= 0 {
				lines++
			}
		}
	}
	agent, url := "GPTBot", "https://example.com/some/page.html?q=1"
	for _, c := range []struct {
		name string
		read func(body []byte)
	}{
		{"allowed", func(body []byte) { compile.Allowed(body, agent, url) }},
		{"compile", func(body []byte) { compile.Compile(body, compile.Options{}) }},
		{"google", func(body []byte) { compile.Compile(body, compile.Options{Dialect: automaton.Google}) }},
		{"asked", func(body []byte) { // compiled, and asked once
			var s automaton.Scratch
			compile.Compile(body, compile.Options{}).Ruleset.Match(&s, []byte(agent), []byte(url))
		}},
		{"lists", func(body []byte) { // of all machines, as for an archive
			r := compile.Compile(body, compile.Options{Engine: automaton.EngineList}).Ruleset
			r.Agents()
			r.Wildcard()
		}},
	} {
		b.Run("read="+c.name, func(b *testing.B) {
			var least, taken []time.Duration
			timed := func(read func(body []byte)) time.Duration {
				begin := processorTime(b)
				for _, body := range bodies {
					read(body)
				}
				return processorTime(b) - begin
			}
			b.ReportAllocs()
			for b.Loop() {
				lines = 0
				least = append(least, timed(ends))
				taken = append(taken, timed(c.read))
			}
			slices.Sort(least)
			slices.Sort(taken)
			x, y := least[len(least)/2], taken[len(taken)/2]
			b.ReportMetric(float64(y)/float64(lines), "cpu-ns/line")
			b.ReportMetric(float64(y)/float64(x), "times-lines")
		})
	}
}

// processorTime returns the time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
