package bench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// BenchmarkGoroutines times the URLs of BenchmarkReal by several goroutines that
// share the machines: an operation is a URL, whoever matches it, so that two on two
// processors should take half the time of one.
func BenchmarkGoroutines(b *testing.B) {
	sites, questions := real(b)
	var machines []*automaton.Machine
	for _, s := range sites {
		robots := compile.Compile(s.Robots, compile.Options{Dialect: automaton.Google, MaxBytes: -1})
		machines = append(machines, robots.Ruleset.Machine([]byte(s.Agent)))
	}
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			var all sync.WaitGroup
			wrong := make([]int, n)
			for g := range n {
				all.Go(func() {
					var s automaton.Scratch
					for i := range b.N / n {
						q := &questions[i%len(questions)]
						if machines[q.site].Match(&s, automaton.Google.Path(&s, q.url)) != q.want {
							wrong[g]++
						}
					}
				})
			}
			all.Wait()
			for _, n := range wrong {
				if n > 0 {
					b.Fatalf("%d wrong verdicts", n)
				}
			}
		})
	}
}
