package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/source"
)

// rulesOf returns what binds FooBot in a robots.txt.
func rulesOf(body []byte) filter.Rules {
	robots := compile.Compile(body, compile.Options{MaxBytes: -1})
	return filter.Rules{Machine: robots.Ruleset.Machine([]byte("FooBot"))}
}

// oneSite is a configuration that has one robots.txt.
func oneSite(body []byte) filter.Config {
	return filter.Config{Dialects: []automaton.Dialect{automaton.RFC9309}, Site: []filter.Rules{rulesOf(body)}}
}

// web is an archive of the robots.txt of many origins, as filter.Policy.
type web struct{ *archive.Archive }

func (w web) Find(q filter.Query, rules []filter.Rules) (filter.Span, bool, error) {
	var key [128]byte
	lookup := w.LookupAt
	if q.Busy {
		lookup = w.LookupBusyAt
	}
	e, found, err := lookup(q.Origin.AppendKey(key[:0]), automaton.RFC9309, q.At)
	rules[0] = filter.Rules{Machine: e.Ruleset.Machine([]byte("FooBot"))}
	return filter.Always, found, err
}

// BenchmarkFilter times whole runs, from a plain file to a discarded output:
// ns/URL is the time that passes, of all workers together.
func BenchmarkFilter(b *testing.B) {
	site := func(name string) func(b *testing.B, _ [][]byte) filter.Config {
		return func(b *testing.B, _ [][]byte) filter.Config {
			return oneSite(shared(b, "data/bench/robots_"+name+".txt"))
		}
	}
	many := func(b *testing.B, _ [][]byte) filter.Config {
		data, _ := corpusArchive(b)
		return filter.Config{Dialects: []automaton.Dialect{automaton.RFC9309}, Policy: web{openArchive(b, data)}}
	}
	for _, c := range []struct {
		name, urls string
		shuffled   bool
		config     func(b *testing.B, urls [][]byte) filter.Config
	}{
		{"rules=one", "data/bench/urls_10k.txt", false, func(*testing.B, [][]byte) filter.Config {
			return oneSite([]byte("user-agent: *\ndisallow: /nowhere"))
		}},
		{"rules=medium", "data/bench/urls_10k.txt", false, site("medium")},
		{"rules=medium/urls=many-hosts", "data/urls/with-robots.txt.gz", false, site("medium")},
		{"rules=web", "data/urls/with-robots.txt.gz", false, many},
		{"rules=web/urls=shuffled", "data/urls/with-robots.txt.gz", true, many},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := shared(b, c.urls)
			urls := lines(text)
			config := c.config(b, urls)
			if c.shuffled {
				rng := rand.New(rand.NewPCG(1, 2))
				rng.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
				text = append(bytes.Join(urls, []byte("\n")), '\n')
			}
			const least = 100 << 20
			n := least/len(text) + 1
			name := filepath.Join(b.TempDir(), "urls.txt")
			if err := os.WriteFile(name, bytes.Repeat(text, n), 0o600); err != nil {
				b.Fatal(err)
			}
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
					b.SetBytes(int64(n * len(text)))
					b.ReportAllocs()
					var s filter.Summary
					for b.Loop() {
						in, err := source.NewFile(name)
						if err != nil {
							b.Fatal(err)
						}
						r := source.NewReader([]*source.Input{in}, source.Options{Workers: workers, InOrder: true})
						if s, err = filter.Run(context.Background(), r, workers, config, io.Discard); err != nil {
							b.Fatal(err)
						}
						if s.Read != int64(n*len(urls)) || s.Kept%int64(n) != 0 {
							b.Fatalf("%+v of %d times %d URLs", s, n, len(urls))
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Read), "ns/URL")
					b.ReportMetric(float64(s.Read)*float64(b.N)/b.Elapsed().Seconds()/1e6, "MURL/s")
				})
			}
		})
	}
}
