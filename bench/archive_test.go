package bench

import (
	"bytes"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/scan/job"
)

// hosts is a corpus of the robots.txt of 43,507 hosts, each for http and https.
const hosts = "data/robots/by-host.jsonl.gz"

var archiveDialects = []automaton.Dialect{automaton.RFC9309, automaton.Google}

// compileCorpus writes the archive of the corpus.
func compileCorpus(b *testing.B) (path string, c *job.Compiled) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "rules.rsv")
	c, err := job.Compile(b.Context(), job.CompileOptions{
		Sources: []string{sharedFile(b, hosts)}, Output: path, Dialects: archiveDialects,
	})
	if err != nil && c == nil { // a few hosts are addresses of mail
		b.Fatal(err)
	}
	return path, c
}

// built is the archive of the corpus, made once.
var built struct {
	sync.Once
	data []byte
	keys [][]byte
}

// corpusKeys returns the archive, and all its keys in an order without order. The keys lie one
// after the other, as a stream's do: that they are not in a cache is not what is timed.
func corpusKeys(b *testing.B) (data []byte, keys [][]byte) {
	b.Helper()
	sharedFile(b, hosts)
	built.Do(func() {
		path, _ := compileCorpus(b)
		built.data = decompressed(b, path)
		for o, err := range openArchive(built.data).Origins() {
			if err != nil {
				b.Fatal(err)
			}
			built.keys = append(built.keys, slices.Clone(o.Key))
		}
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

// corpusArchive returns the name of a file with the archive.
func corpusArchive(b *testing.B) string {
	data, _ := corpusKeys(b)
	return writeFile(b, "rules.rsv", data)
}

func openArchive(data []byte) *archive.Archive {
	return must(archive.Open(data))
}

func lookup(b *testing.B, a *archive.Archive, key []byte, d automaton.Dialect) archive.Entry {
	e, found, err := a.Lookup(key, d)
	if err != nil || !found {
		b.Fatalf("%q: found %v, error %v", key, found, err)
	}
	return e
}

// BenchmarkArchiveLookup times the lookup of a random origin when all rulesets are decoded, alone and with the
// match of a path. The rules of a random origin are in no cache, so most of the time of a match is memory access.
func BenchmarkArchiveLookup(b *testing.B) {
	data, keys := corpusKeys(b)
	a := openArchive(data)
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
		b.Run("dialect="+d.String()+"/ahead=64", func(b *testing.B) {
			var found [64]archive.Found
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i * len(found) % (len(keys) - len(found))
				a.LookupAll(keys[at:at+len(found)], d, math.MaxInt64, found[:])
				for _, f := range found {
					if !f.Known || f.Err != nil {
						b.Fatal(f)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(found)), "ns/lookup")
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
