package bench

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/capture"
)

// hosts is a corpus of the robots.txt of 43,507 hosts, each for http and https.
const hosts = "data/robots/by-host.jsonl.gz"

var archiveDialects = []automaton.Dialect{automaton.RFC9309, automaton.Google}

// gathered reads the corpus.
func gathered(b *testing.B, lines []byte) *capture.Set {
	b.Helper()
	var set capture.Set
	for c, err := range capture.JSONLines(bytes.NewReader(lines), capture.Options{MaxBody: compile.DefaultMaxBytes + 1}) {
		if err != nil { // a few hosts are addresses of mail
			continue
		}
		if err := set.Add(c); err != nil {
			b.Fatal(err)
		}
	}
	return &set
}

// archived compiles all bodies, on all processors, and writes an archive. It
// returns the bytes of the bodies too, and the keys of the origins.
func archived(b *testing.B, set *capture.Set) (data []byte, bodies int, keys [][]byte) {
	b.Helper()
	defer set.Close()
	var copies []capture.Copy
	for c, err := range set.Copies(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		copies = append(copies, c)
	}
	if set.Len() < 80_000 {
		b.Fatalf("only %d origins", set.Len())
	}
	rulesets := make([][]*automaton.Ruleset, len(copies))
	var workers sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := first; i < len(copies); i += runtime.GOMAXPROCS(0) {
				rulesets[i] = make([]*automaton.Ruleset, len(archiveDialects))
				for k, d := range archiveDialects {
					rulesets[i][k] = compile.Compile(copies[i].Body, compile.Options{Dialect: d}).Ruleset
				}
			}
		})
	}
	workers.Wait()
	w, err := archive.NewWriter(compile.Semantics, archiveDialects...)
	if err != nil {
		b.Fatal(err)
	}
	for i, c := range copies {
		if !c.Again {
			bodies += len(c.Body)
		}
		for _, use := range c.Uses {
			if err := w.Add(use.Key, use.Status, rulesets[i]...); err != nil {
				b.Fatal(err)
			}
			keys = append(keys, []byte(use.Key))
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		b.Fatal(err)
	}
	return out.Bytes(), bodies, keys
}

// BenchmarkArchiveBuild times lines of JSON to an archive of two dialects.
func BenchmarkArchiveBuild(b *testing.B) {
	b.Run("corpus=by-host", func(b *testing.B) {
		lines := shared(b, hosts)
		b.SetBytes(int64(len(lines)))
		for b.Loop() {
			data, bodies, _ := archived(b, gathered(b, lines))
			b.ReportMetric(float64(len(data)), "archive-B")
			b.ReportMetric(float64(len(data))/float64(bodies), "archive-B/body-B")
		}
	})
}

// built is the archive of the corpus, made once.
var built struct {
	sync.Once
	data []byte
	keys [][]byte
}

// corpusArchive returns the archive, and all its keys in an order without order.
// The keys lie one after the other, as a stream's do: that they are not in a cache
// is not what is timed.
func corpusArchive(b *testing.B) (data []byte, keys [][]byte) {
	b.Helper()
	lines := shared(b, hosts)
	built.Do(func() {
		built.data, _, built.keys = archived(b, gathered(b, lines))
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(built.keys), func(i, j int) {
			built.keys[i], built.keys[j] = built.keys[j], built.keys[i]
		})
		packed := bytes.Join(built.keys, nil)
		for i, key := range built.keys {
			built.keys[i], packed = packed[:len(key)], packed[len(key):]
		}
	})
	return built.data, built.keys
}

func openArchive(b *testing.B, data []byte) *archive.Archive {
	b.Helper()
	a, err := archive.Open(data, compile.Semantics, compile.EngineAuto.Table)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func lookup(b *testing.B, a *archive.Archive, key []byte, d automaton.Dialect) archive.Entry {
	e, found, err := a.Lookup(key, d)
	if err != nil || !found {
		b.Fatalf("%q: found %v, error %v", key, found, err)
	}
	return e
}

// BenchmarkArchiveOpen times the opening of an archive in memory.
func BenchmarkArchiveOpen(b *testing.B) {
	b.Run("corpus=by-host", func(b *testing.B) {
		data, keys := corpusArchive(b)
		b.ReportAllocs()
		for b.Loop() {
			if a := openArchive(b, data); a.Len() != len(keys) {
				b.Fatalf("%d origins", a.Len())
			}
		}
	})
}

// BenchmarkArchiveFirst times the first lookup of every ruleset of a dialect, an
// archive an operation, and reports what each takes and how much memory all need.
func BenchmarkArchiveFirst(b *testing.B) {
	for _, d := range archiveDialects {
		b.Run("corpus=by-host/dialect="+d.String(), func(b *testing.B) {
			data, keys := corpusArchive(b)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var a *archive.Archive
			for b.Loop() {
				a = openArchive(b, data)
				for _, key := range keys {
					lookup(b, a, key, d)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(a.Rulesets()/len(archiveDialects)),
				"ns/ruleset")
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "decoded-B")
			runtime.KeepAlive(a)
		})
	}
}

// BenchmarkArchiveLookup times the lookup of a random origin when all rulesets are
// decoded, alone and with the match of a path. The rules of a random origin are in
// no cache, so that most of the time of a match is that of memory.
func BenchmarkArchiveLookup(b *testing.B) {
	data, keys := corpusArchive(b)
	a := openArchive(b, data)
	for _, d := range archiveDialects {
		for _, key := range keys {
			lookup(b, a, key, d)
		}
		b.Run("dialect="+d.String()+"/match=no", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				lookup(b, a, keys[i%len(keys)], d)
			}
		})
		b.Run("dialect="+d.String()+"/match=yes", func(b *testing.B) {
			var s automaton.Scratch
			agent, path := []byte("Googlebot"), []byte("/products/shoes/4711?colour=red")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				lookup(b, a, keys[i%len(keys)], d).Ruleset.Machine(agent).Match(&s, path)
			}
		})
	}
	missing := []byte("https://no-such-host.example:443")
	b.Run("missing=yes", func(b *testing.B) {
		for b.Loop() {
			if _, found, err := a.Lookup(missing, automaton.Google); found || err != nil {
				b.Fatal(found, err)
			}
		}
	})
}
