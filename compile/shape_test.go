package compile_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/internal/table"
)

// errReached is the error of a part of a table that is not reached in exactly one way.
var errReached = errors.New("not reached in exactly one way")

// checkShape returns an error unless a table has the shape that keeps a match short, which right
// verdicts do not prove: each part is reached in exactly one way and from an earlier one, so that
// a match never goes round in a circle and a table is not larger than its rules; a search finds
// each edge within table.MaxProbes places; and a filter lets nothing pass that no edge has.
func checkShape(t *table.Table) error {
	points, states, anchors := make([]int, len(t.Points)), make([]int, len(t.States)), map[uint32]int{}
	for _, p := range t.Points {
		states[p.Next]++
		points[p.B]++
		anchors[p.Anchor]++
	}
	points[0] = 1 // number 0 stands for none
	var first table.Filter
	err := eachEdge(&t.Trie, func(e *table.Edge, state uint32) error {
		if state == 1 {
			table.AddEdge(first[:], e)
		}
		if e.To&table.IsPoint == 0 {
			return nil
		}
		to := e.To &^ table.IsPoint
		points[to]++
		if next := t.Points[to].Next; next != 0 && next <= state {
			return errReached
		}
		return nil
	})
	table.AddShorter(first[:], t.States[1].Lengths)
	switch {
	case err != nil:
		return fmt.Errorf("prefixes: %w", err)
	case first != t.First:
		return errors.New("prefixes: the filter is not that of the edges")
	case !eachOnce(points) || !eachOnce(states[min(2, len(states)):]):
		return fmt.Errorf("prefixes: %w", errReached)
	case t.Segments != nil && t.Gaps != nil:
		return errors.New("segments are found in two ways")
	case t.Segments != nil:
		err = checkSegments(t.Segments, anchors)
	case t.Gaps != nil:
		err = checkGaps(t.Gaps)
	}
	return err
}

// eachEdge calls a function for each edge of a trie, if a search finds the edge.
func eachEdge(t *table.Trie, check func(e *table.Edge, state uint32) error) error {
	empty := 0
	for i := range t.Edges {
		e := &t.Edges[i]
		if e.Key == 0 {
			empty++
			continue
		}
		if t.Edge(e.Word, e.Key) != e.To {
			return fmt.Errorf("edge %d: a search does not find this", i)
		}
		if err := check(e, e.Key>>3); err != nil {
			return fmt.Errorf("edge %d: %w", i, err)
		}
	}
	if empty*4 < len(t.Edges) {
		return errors.New("the hash table of edges is too full")
	}
	return nil
}

// eachOnce reports whether all counts are 1.
func eachOnce(counts []int) bool {
	return !slices.ContainsFunc(counts, func(n int) bool { return n != 1 })
}

// checkSegments is checkShape for segments, with how many points lead to each anchor.
func checkSegments(g *table.Segments, anchors map[uint32]int) error {
	nodes, states := make([]int, len(g.Nodes)), make([]int, len(g.States))
	for _, a := range g.Anchors {
		states[a.State]++
		states[a.Back]++
	}
	for _, n := range g.Nodes {
		states[n.Next]++
		anchors[n.Anchor]++
	}
	err := eachEdge(&g.Trie, func(e *table.Edge, state uint32) error {
		if e.To&table.IsPoint == 0 {
			return nil
		}
		nodes[e.To&^table.IsPoint]++
		n := g.Nodes[e.To&^table.IsPoint]
		a := g.Anchors[n.Anchor]
		for _, next := range []uint32{n.Next, a.State, a.Back} {
			if next != 0 && next <= state {
				return errReached
			}
		}
		return nil
	})
	for i := table.EveryPathSlash + 1; i < len(g.Anchors); i++ {
		if on := anchors[uint32(i)]; (g.Anchors[i].Octet == 0) != (on == 1) || on > 1 {
			return fmt.Errorf("anchor %d: %w", i, errReached)
		}
	}
	if err == nil && !(eachOnce(nodes) && eachOnce(states[1:])) {
		err = errReached
	}
	return err
}

// checkGaps is checkShape for the automaton of gaps, whose parts are ranges that follow one another.
func checkGaps(g *table.Gaps) error {
	for s := range g.Label {
		if first, end := g.First[s], g.First[s+1]; int(first) <= s || end < first || s > 0 && int(g.Fail[s]) >= s {
			return fmt.Errorf("state %d: %w", s, errReached)
		}
	}
	next := g.EveryPath[len(g.EveryPath)-1]
	follows := func(c table.Children) bool {
		ok := c.First == next && c.End >= next
		next = c.End
		return ok
	}
	for i, a := range g.Anchors[1:] {
		if !follows(a) {
			return fmt.Errorf("anchor %d: %w", i+1, errReached)
		}
	}
	for i, n := range g.Nodes {
		if !follows(n.Children) || n.First < n.End && int(n.First) <= i {
			return fmt.Errorf("node %d: %w", i, errReached)
		}
	}
	if int(g.First[len(g.Label)]) != len(g.Label) || int(next) != len(g.Nodes) {
		return errReached
	}
	return nil
}
