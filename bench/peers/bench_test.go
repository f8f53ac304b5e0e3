package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/robotsieve/robotsieve/bench"
)

// The inputs of the figures for small, medium and large robots.txt.
const benchFolder = "../../../shared/data/bench/"

var inputs = []struct{ robots, urls string }{
	{"small", "urls_1k"}, {"medium", "urls_1k"}, {"large", "urls_10k"}, {"adversarial", "urls_adversarial"},
}

// goPeers are those that run in this process.
var goPeers = []struct {
	name  string
	parse bench.Parser
}{
	{"robotsieve", bench.Robotsieve(googleWhole)}, {"temoto", parseTemoto},
}

func input(b *testing.B, name string) []byte {
	b.Helper()
	data, err := os.ReadFile(benchFolder + name + ".txt")
	if err != nil {
		b.Skipf("no shared data: %v", err)
	}
	return data
}

// BenchmarkMatch times a URL to its verdict, on rules already parsed. For the
// peers side by side: benchstat -col /peer.
func BenchmarkMatch(b *testing.B) {
	for _, p := range goPeers {
		for _, in := range inputs {
			b.Run("peer="+p.name+"/robots="+in.robots, func(b *testing.B) {
				s := bench.Site{Agent: "FooBot", Body: input(b, "robots_"+in.robots)}
				for line := range bytes.Lines(input(b, in.urls)) {
					s.URLs = append(s.URLs, string(bytes.TrimSuffix(line, []byte("\n"))))
				}
				c := corpus{sites: []bench.Site{s}}
				c.judge()
				match, err := p.parse(&s)
				if err != nil {
					b.Fatal(err)
				}
				agreed := 0
				for i, u := range s.URLs {
					if match(u) == c.want[0][i] {
						agreed++
					}
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					match(s.URLs[i])
					if i++; i == len(s.URLs) {
						i = 0
					}
				}
				b.ReportMetric(100*float64(agreed)/float64(len(s.URLs)), "%agree")
			})
		}
	}
}

// BenchmarkParse times a robots.txt to rules that can be asked.
func BenchmarkParse(b *testing.B) {
	for _, p := range goPeers {
		for _, in := range inputs {
			b.Run("peer="+p.name+"/robots="+in.robots, func(b *testing.B) {
				body := input(b, "robots_"+in.robots)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.parse(&bench.Site{Agent: "FooBot", Body: body}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
