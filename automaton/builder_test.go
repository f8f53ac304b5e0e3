package automaton_test

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// TestBuilder checks that for any preallocated space, machines answer as if each were made alone.
func TestBuilder(t *testing.T) {
	sizes := []int{0, 1, 2, 5, 9, 20, 40}
	total := 0
	for _, n := range sizes {
		total += n
	}
	for _, machines := range []int{0, 1, 3, len(sizes), len(sizes) + 1} {
		for _, room := range []int{0, 1, 2, 3, 6, 10, 20, 40, 66, total - 1, total, total + 1} {
			b := automaton.NewBuilder(google, machines, room)
			var agents []automaton.TokenMachine
			for _, n := range sizes {
				m, err := b.Machine(numbered(n), automaton.EngineList)
				if err != nil {
					t.Fatal(err)
				}
				agents = append(agents, automaton.TokenMachine{Token: fmt.Sprintf("of%d", n), Machine: m})
			}
			r, err := b.Ruleset(agents, agents[0].Machine)
			if err != nil {
				t.Fatal(err)
			}
			var s automaton.Scratch
			for _, n := range sizes {
				alone, err := newMachine(google, numbered(n), automaton.EngineList)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n + 1 {
					path := []byte(fmt.Sprintf("/%d/%d/", n, i))
					if got, want := r.Machine([]byte(fmt.Sprint("of", n))).Match(&s, path), alone.Match(&s, path); got != want {
						t.Fatalf("room for %d machines, %d rules: %s: got %+v, want %+v", machines, room, path, got, want)
					}
				}
			}
		}
	}
}

// numbered is a list of so many rules.
func numbered(n int) (list []automaton.Rule) {
	for i := range n {
		list = append(list, rule(automaton.FormRaw, uint32(i+1), fmt.Sprintf("/%d/%d/", n, i)))
	}
	return inOrder(list)
}
