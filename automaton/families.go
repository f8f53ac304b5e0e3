package automaton

import (
	"cmp"
	"slices"
)

// family is the kids of one node or anchor, too many to queue each. They are found by
// their symbol when that is read.
type family struct {
	generation uint64 // they wait if it is the current one
	end        uint32 // from where on their segments may begin
}

// maxQueued is how many kids of a node are queued. Families have more.
const maxQueued = 256

// A kid is a node of a family.
type kid struct{ node, family uint32 }

// findFamilies finds the nodes with many kids, and sorts these by their symbols.
func (g *Gaps) findFamilies() {
	g.families, g.kids = nil, nil
	add := func(from, to uint32) {
		if to-from <= maxQueued {
			return
		}
		for id := from; id < to; id++ {
			g.kids = append(g.kids, kid{id, uint32(len(g.families))})
		}
		g.families = append(g.families, from)
	}
	for _, a := range g.Anchors {
		add(a.Kids, a.KidsEnd)
	}
	for i := range g.Nodes {
		add(g.Nodes[i].Kids, g.Nodes[i].KidsEnd)
	}
	if len(g.families) == 0 {
		return
	}
	symbol := func(k kid) uint32 { return g.Nodes[k.node].Symbol }
	slices.SortStableFunc(g.kids, func(x, y kid) int { return cmp.Compare(symbol(x), symbol(y)) })
	g.kidsFrom = make([]uint32, len(g.Len)+1)
	for _, k := range g.kids {
		g.kidsFrom[symbol(k)+1]++
	}
	for i := 1; i < len(g.kidsFrom); i++ {
		g.kidsFrom[i] += g.kidsFrom[i-1]
	}
}
