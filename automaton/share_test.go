package automaton_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// TestMatchKeepsAndWritesNothing checks that a match doesn't modify its arguments, and that a
// Scratch and a Machine give the same answers after these have been overwritten.
func TestMatchKeepsAndWritesNothing(t *testing.T) {
	var s automaton.Scratch // of all dialects
	for d, m := range guardMachines(t) {
		r := mustRuleset(t, d, m, automaton.TokenMachine{Token: "f", Machine: m})
		for _, path := range guardPaths {
			for _, other := range guardPaths {
				name, url := []byte("FoO/1"), []byte("http://h"+path[1:]+"?#")
				want := r.Match(new(automaton.Scratch), name, url)
				first := r.Match(&s, name, url)
				if after := string(name) + string(url); after != "FoO/1http://h"+path[1:]+"?#" {
					t.Errorf("%v: it has become %q", d, after)
				}
				copy(name, "%%%%%")
				for i := range url {
					url[i] = '%'
				}
				r.Match(&s, []byte("G"), []byte(other))
				again := r.Match(&s, []byte("FoO/1"), []byte("http://h"+path[1:]+"?#"))
				if first != want || again != want {
					t.Errorf("%v: %.40q: got %v, then %v, want %v", d, path, first, again, want)
				}
			}
		}
	}
}

// TestManyGoroutines shares machines and rulesets between goroutines, for the race detector too.
func TestManyGoroutines(t *testing.T) {
	for d, m := range guardMachines(t) {
		r := mustRuleset(t, d, m, automaton.TokenMachine{Token: "f", Machine: m})
		want := map[string]automaton.Verdict{}
		for _, path := range guardPaths {
			want[path] = match(m, path)
		}
		var wg sync.WaitGroup
		errs := make(chan string, 16)
		for g := range cap(errs) {
			wg.Go(func() {
				var s automaton.Scratch
				for i := range 50 {
					path := guardPaths[(g+i)%len(guardPaths)]
					url := []byte("http://h" + path)
					for _, name := range []string{"F", "G"} {
						if got := r.Match(&s, []byte(name), url); got != want[path] {
							errs <- fmt.Sprintf("%v: %.40q: got %v, want %v", d, path, got, want[path])
							return
						}
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			t.Error(err)
		}
	}
}
