package automaton_test

import (
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

func TestListsOfJoinedMachinesAreShared(t *testing.T) {
	ranked := func(line uint32, pattern string) *automaton.Machine {
		r := rule(automaton.FormRaw, line, pattern)
		r.Rank = uint64(100 - line)
		return mustNew(t, google, r)
	}
	common, own := ranked(1, "/a"), ranked(2, "/b")
	joined, err := automaton.Join(google, common, own)
	if err != nil {
		t.Fatal(err)
	}
	lists := joined.Lists()
	if len(lists) != 2 || &lists[0][0] != &common.Lists()[0][0] || &lists[1][0] != &own.Lists()[0][0] {
		t.Errorf("got %v", lists)
	}
	if lists := mustNew(t, google).Lists(); len(lists) != 0 {
		t.Errorf("a machine without rules has lists %v", lists)
	}
	if lists := (*automaton.Machine)(nil).Lists(); lists != nil {
		t.Errorf("no machine has lists %v", lists)
	}
}

func TestAgentsAreSortedUnlessTheirOrderDecides(t *testing.T) {
	for d, want := range map[automaton.Dialect]string{google: "a", rfc9309: "a", original: "b"} {
		m := machine(t, d, "/")
		r := mustRuleset(t, d, nil, automaton.Agent{Token: "b", Machine: m}, automaton.Agent{Token: "a", Machine: m})
		if agents := r.Agents(); len(agents) != 2 || agents[0].Token != want || agents[0].Machine != m {
			t.Errorf("%v: got %v", d, agents)
		}
	}
	if agents := (*automaton.Ruleset)(nil).Agents(); agents != nil {
		t.Errorf("no ruleset has agents %v", agents)
	}
}
