package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

var (
	guardTime = flag.Bool("guard-time", false, "TestGuardOfTime measures the hot paths, which takes some seconds")
	update    = flag.Bool("update", false, "with -guard-time, record the ratios anew")
)

const (
	ratiosFile = "testdata/ratios.json" // the time of each hot path as a multiple of its reference's
	sliceTime  = time.Millisecond       // so short that a busy system leaves many slices alone
	leastRuns  = 150                    // of a path and its reference in turn, each for a slice
	mostRuns   = 1000                   // of a path that seems too slow
	hopeless   = 8                      // times what was recorded: no more runs will help
)

// TestGuardOfTime fails when a hot path takes more than twice as long beside its reference as was
// recorded. They run in turn, and the shortest slice of each counts: what else the machine does
// matters little. Where a path is faster now, or has other work to do, record the ratios anew:
//
//	go test -pgo=off ./bench -run TestGuardOfTime -guard-time -update
func TestGuardOfTime(t *testing.T) {
	if !*guardTime || runtime.GOARCH != "amd64" || !cpu.X86.HasAVX2 { // which the assembly is for
		t.Skip("only make bench-guard measures time, and only the ratios of amd64 with AVX2 are known")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // or handing over a chunk would take the system's time, too
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	ratios := map[string]float64{}
	must(0, json.Unmarshal(must(os.ReadFile(ratiosFile)), &ratios))
	for _, h := range hotPaths(t) {
		recorded, path, reference, ratio, runs := ratios[h.name], math.MaxFloat64, math.MaxFloat64, 0.0, 0
		for ; runs < leastRuns || runs < mostRuns && (*update || ratio > 2*recorded && ratio < hopeless*recorded); runs++ {
			if runs%16 == 0 {
				runtime.GC()
			}
			path, reference = min(path, slice(h.path)), min(reference, slice(h.reference))
			ratio = path / reference
		}
		t.Logf("%-16s %7.0f ns / %7.0f ns = %6.3f, recorded %6.3f, %d runs", h.name, path, reference, ratio, recorded, runs)
		if ratio > 2*recorded && !*update {
			t.Errorf("%s takes more than twice the time that is recorded in %s", h.name, ratiosFile)
		}
		ratios[h.name] = math.Round(ratio*1000) / 1000
	}
	if *update {
		must(0, os.WriteFile(ratiosFile, append(must(json.MarshalIndent(ratios, "", "\t")), '\n'), 0o644))
	}
}

// slice does a piece of work again and again for sliceTime, and returns the nanoseconds of one.
func slice(do func()) float64 {
	start := time.Now()
	for n := 1; ; n++ {
		do()
		if took := time.Since(start); took > sliceTime {
			return float64(took) / float64(n)
		}
	}
}

// sink keeps the compiler from removing unused results.
var sink int

// hotPath is a path, and a simple loop over the same data that the same part of a machine limits.
type hotPath struct {
	name            string
	path, reference func()
}

// hotPaths work on a part of the sample's log that fits into the caches of one core.
func hotPaths(t *testing.T) (paths []hotPath) {
	add := func(name string, path, reference func()) { paths = append(paths, hotPath{name, path, reference}) }
	addEach := func(name string, texts [][]byte, do func(text []byte) int) {
		add(name, func() {
			for _, text := range texts {
				sink += do(text)
			}
		}, walk(texts))
	}
	log := decompressed(t, "../testdata/sample/access.log.gz")
	log = log[:bytes.LastIndexByte(log[:64<<10], '\n')+1]
	var targets, urls, agents [][]byte
	for _, line := range lines(log) {
		if parts := bytes.Split(line, []byte(`"`)); len(parts) == 7 && bytes.HasPrefix(parts[1], []byte("GET /")) {
			target := bytes.Fields(parts[1])[1]
			targets, agents = append(targets, target), append(agents, parts[5])
			urls = append(urls, append([]byte("https://www.example.com"), target...))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	robots := func(n int) []byte { // of n rules that begin as the targets do
		body := []byte("User-agent: *\n")
		rules := []string{"Disallow: %s\n", "Disallow: %s%x\n", "Allow: %s%x/\n", "Disallow: /*/%s%x$\n"}
		for i := range n {
			target := targets[rng.IntN(len(targets))]
			body = fmt.Appendf(body, rules[i%4], target[:1+rng.IntN(len(target))], i)
		}
		return body
	}

	var s automaton.Scratch
	for _, size := range []int{12, 110, 5000} {
		m := compile.Compile(robots(size), compile.Options{}).Ruleset.Wildcard()
		addEach(fmt.Sprintf("match-%d-rules", size), targets, func(p []byte) int { return int(m.Match(&s, p).Line) })
	}
	addEach("path", urls, func(url []byte) int { return len(automaton.Google.Path(&s, url)) })
	set := must(crawler.New(crawler.Builtin()))
	headers, combined := set.Reader(), format.Default()
	addEach("classify", agents, func(agent []byte) int { return len(headers.Read(agent).Name) })
	reader, record := combined.NewReader(), new(format.Record)
	add("format-combined", func() {
		reader.Reset(log)
		for kind := reader.Next(record); kind != format.End; kind = reader.Next(record) {
			if kind == format.Request {
				reader.Complete(record)
			}
		}
	}, cut(log, `"`))

	list := bytes.Repeat(append(bytes.Join(urls, []byte("\n")), '\n'), 25)
	rules := filter.Rules{Machine: compile.Compile(robots(110), compile.Options{}).Ruleset.Wildcard()}
	config := filter.Config{Dialects: []automaton.Dialect{automaton.RFC9309}, Site: []filter.Rules{rules}}
	add("filter-line", func() {
		in := []*source.Input{source.NewLines("urls", bytes.NewReader(list))}
		o := source.Options{Workers: 1, InOrder: true, ChunkSize: 64 << 10}
		must(filter.Run(t.Context(), source.NewReader(in, o), 1, config, io.Discard))
	}, cut(list, "\n"))

	packed := must(os.ReadFile("../testdata/sample/access.log.gz"))
	var inflater inflate.Gzip
	add("inflate", func() {
		inflater.Reset(bufio.NewReader(bytes.NewReader(packed)))
		must(0, inflater.Next())
		must(io.Copy(io.Discard, &inflater))
	}, func() { must(io.Copy(io.Discard, must(gzip.NewReader(bytes.NewReader(packed))))) })

	body := append(decompressed(t, "../testdata/sample/robots.txt"), robots(20)...)
	add("Allowed", func() {
		if compile.Allowed(body, "FooBot", "https://www.example.com/members/join") {
			sink++
		}
	}, cut(body, "\n"))
	add("Compile", func() { sink += compile.Compile(body, compile.Options{}).Lines },
		func() { sink += len(lines(bytes.ToLower(body))) })

	writer := must(archive.NewWriter(automaton.RFC9309))
	var keys [][]byte
	for i := range 256 {
		keys = append(keys, fmt.Appendf(nil, "https://www.site%05d.example:443", i))
		rules := compile.Compile(robots(5), compile.Options{Engine: automaton.EngineList}).Ruleset
		must(0, writer.Add(string(keys[i]), 200, rules))
	}
	var data bytes.Buffer
	must(writer.WriteTo(&data))
	a := openArchive(data.Bytes())
	addEach("archive-lookup", keys, func(key []byte) int {
		e, _, err := a.Lookup(key, automaton.RFC9309)
		return int(must(e, err).Status)
	})

	many := robots(110) // so that the machine takes most of the time
	add("machine", func() { sink += compile.Compile(many, compile.Options{}).Ruleset.Wildcard().Len() },
		func() { sink += len(lines(bytes.ToLower(many))) })

	auditor := audit.New(audit.Config{Crawlers: set, Policy: policy.Constant(policy.Row{Body: body}, policy.Options{})})
	add("audit-record", func() {
		run := auditor.Begin()
		for w, n := run.Worker(), 0; n < 4; n++ { // most records have been seen alike
			w.Chunk(combined, nil, log)
		}
		must(0, run.Close())
	}, cut(log, `"`))
	return paths
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// walk makes a loop over the bytes of texts, in which each step waits for the one before.
func walk(texts [][]byte) func() {
	return func() {
		hash := uint32(0)
		for _, text := range texts {
			for _, c := range text {
				hash = (hash ^ uint32(c)) * 16777619
			}
		}
		sink += int(hash)
	}
}

// cut makes a loop over the parts of a text.
func cut(text []byte, separator string) func() {
	return func() {
		for part := range bytes.SplitSeq(text, []byte(separator)) {
			sink += len(part)
		}
	}
}
