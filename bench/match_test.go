package bench

import (
	"bytes"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
)

// BenchmarkMatch times a URL to its verdict, on rules already compiled.
func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct {
		robots, urls string
	}{
		{"small", "urls_1k"}, {"medium", "urls_1k"}, {"large", "urls_10k"}, {"adversarial", "urls_adversarial"},
	} {
		b.Run("robots="+c.robots, func(b *testing.B) {
			body := shared(b, "data/bench/robots_"+c.robots+".txt")
			urls := lines(shared(b, "data/bench/"+c.urls+".txt"))
			m := compile.Compile(body, compile.Options{Dialect: automaton.Google}).Ruleset.Machine([]byte("FooBot"))
			list := compile.Compile(body,
				compile.Options{Dialect: automaton.Google, Engine: automaton.EngineList}).Ruleset.Machine([]byte("FooBot"))
			var s, p automaton.Scratch
			for _, url := range urls {
				path := automaton.Google.Path(&p, url)
				if got, want := m.Match(&s, path), list.Match(&s, path); got != want {
					b.Fatalf("%s: %+v, rule by rule %+v", url, got, want)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				m.Match(&s, automaton.Google.Path(&s, urls[i]))
				if i++; i == len(urls) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkReal times matching real URLs against the rules of their sites, one URL per operation, and checks each
// verdict and line.
func BenchmarkReal(b *testing.B) {
	sites, questions := real(b)
	for _, e := range engines {
		b.Run("engine="+e.name, func(b *testing.B) {
			var machines []*automaton.Machine
			for _, s := range sites {
				robots := compile.Compile(s.Robots, compile.Options{Dialect: automaton.Google, MaxBytes: -1, Engine: e.engine})
				machines = append(machines, robots.Ruleset.Machine([]byte(s.Agent)))
			}
			var s automaton.Scratch
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				q := &questions[i]
				if v := machines[q.site].Match(&s, automaton.Google.Path(&s, q.url)); v != q.want {
					b.Fatalf("%s: %+v, want %+v", q.url, v, q.want)
				}
				if i++; i == len(questions) {
					i = 0
				}
			}
		})
	}
}

// engines are what a machine may answer with.
var engines = []struct {
	name   string
	engine automaton.Engine
}{{"auto", automaton.EngineAuto}, {"list", automaton.EngineList}, {"table", automaton.EngineTable}}

// BenchmarkClassify times reading a header that no worker has seen before: each distinct header of real logs, of
// many sites and of crawlers only. An operation is one header.
func BenchmarkClassify(b *testing.B) {
	for corpus, file := range map[string]string{
		"logs": "log-user-agent-counts.tsv.xz", "crawlers": "bot-user-agents.tsv.xz",
	} {
		b.Run("headers="+corpus, func(b *testing.B) {
			list, size := lines(shared(b, "data/bots/"+file)), 0
			for i := range list {
				_, list[i], _ = bytes.Cut(list[i], []byte("\t"))
				size += len(list[i])
			}
			reader := must(crawler.New(crawler.Builtin())).Reader()
			b.SetBytes(int64(size / len(list)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				reader.Read(list[i%len(list)])
			}
		})
	}
}
