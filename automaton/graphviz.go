package automaton

import (
	"fmt"
	"strings"
)

// Graphviz returns the machine as a graph in the language of Graphviz: states of
// the automaton of prefixes and rules as boxes, the tries of segments with what they
// wait behind, or the automaton of gaps with dashed edges where it goes on after a
// mismatch, and the nodes that wait for segments.
// A list is a graph without edges.
func (m *Machine) Graphviz() string {
	b := &strings.Builder{}
	b.WriteString("digraph machine {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];\n")
	for i, p := range m.all() {
		(&grapher{b, p, fmt.Sprintf("p%d_", i)}).draw()
	}
	b.WriteString("}\n")
	return b.String()
}

// grapher writes one part; all its names begin with prefix.
type grapher struct {
	*strings.Builder
	*part
	prefix string
}

// vertex writes a vertex of a kind with a number.
func (g *grapher) vertex(kind string, id uint32, label, style string) {
	fmt.Fprintf(g, "  %s%s%d [label=%s%s];\n", g.prefix, kind, id, quoteDot(label), style)
}

func (g *grapher) edge(fromKind string, from uint32, toKind string, to uint32, label, style string) {
	fmt.Fprintf(g, "  %s%s%d -> %s%s%d [label=%s%s];\n", g.prefix, fromKind, from, g.prefix, toKind, to, quoteDot(label), style)
}

// quoteDot quotes a string of printable ASCII, as %q leaves it, for Graphviz.
func quoteDot(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (g *grapher) draw() {
	for i := range g.rules {
		g.vertex("rule", uint32(i), g.rule(uint32(i)), ", style=rounded")
	}
	if g.table == nil {
		return
	}
	g.prefixes()
	if g.table.Segments != nil {
		g.segments(g.table.Segments)
	}
	if g.table.Gaps != nil {
		g.gaps(g.table.Gaps)
	}
}

func (g *grapher) prefixes() {
	t := g.table
	g.vertex("state", 1, "/", "")
	if t.Base != None {
		g.edge("state", 1, "rule", t.Base, "any path", "")
	}
	g.acts("state", 1, &t.Points[0])
	for _, e := range t.edges() {
		label := fmt.Sprintf("%+q", e.text())
		if e.To&IsPoint == 0 {
			g.edge("state", e.Key>>3, "rule", e.To&^IsWhole, label, "")
			continue
		}
		id := e.To &^ IsPoint
		point := &t.Points[id]
		g.vertex("point", id, fmt.Sprintf("%+q", g.rules[point.From].Pattern[:point.Len]), "")
		g.edge("state", e.Key>>3, "point", id, label, "")
		g.acts("point", id, point)
		if point.Next != 0 {
			g.vertex("state", point.Next, "", ", shape=point")
			g.edge("point", id, "state", point.Next, "", "")
		}
	}
}

// acts writes what is done at a point as edges of a vertex.
func (g *grapher) acts(kind string, id uint32, p *Point) {
	if p.Accept != None {
		g.edge(kind, id, "rule", p.Accept, "", "")
	}
	if p.End != None {
		g.edge(kind, id, "rule", p.End, "at the end", "")
	}
	for _, rule := range g.table.Tries[p.Try:p.TryEnd] {
		g.edge(kind, id, "rule", rule, "try", "")
	}
	switch {
	case p.Anchor == 0:
	case g.table.Segments != nil:
		g.edge(kind, id, "anchor", p.Anchor, "arms", ", style=dotted")
	default:
		a := g.table.Gaps.Anchors[p.Anchor]
		g.arm(kind, id, a.Kids, a.KidsEnd)
	}
	if p.B != 0 {
		g.acts(kind, id, &g.table.Points[p.B])
	}
}

func (g *grapher) segments(a *Segments) {
	for i := range a.Anchors {
		anchor, id := &a.Anchors[i], uint32(i)
		if anchor.Best == None {
			continue
		}
		g.vertex("anchor", id, fmt.Sprintf("anchor %d%s", i, a.where(id)), "")
		if anchor.State != 0 {
			g.edge("anchor", id, "segment", anchor.State, "", "")
		}
		if anchor.Back != 0 {
			g.edge("anchor", id, "segment", anchor.Back, "at the end", "")
		}
	}
	for state := range uint32(len(a.States)) {
		if state > 0 {
			g.vertex("segment", state, "", ", shape=point")
		}
	}
	edges := a.edges()
	backwards := a.backwards(edges)
	for _, e := range edges {
		text := e.text()
		if backwards[e.Key>>3] {
			text = reversed(text)
		}
		label := fmt.Sprintf("%+q", text)
		if e.To&IsPoint == 0 {
			g.edge("segment", e.Key>>3, "rule", e.To, label, "")
			continue
		}
		id := e.To &^ IsPoint
		g.edge("segment", e.Key>>3, "knot", id, label, "")
		g.knot(id, &a.Knots[id])
	}
}

func (g *grapher) knot(id uint32, k *Knot) {
	g.vertex("knot", id, "", ", shape=circle")
	if k.Accept != None {
		g.edge("knot", id, "rule", k.Accept, "", "")
	}
	if k.Anchor != 0 {
		g.edge("knot", id, "anchor", k.Anchor, "arms", ", style=dotted")
	}
	if k.Next != 0 {
		g.edge("knot", id, "segment", k.Next, "", "")
	}
}

func (g *grapher) arm(kind string, id, kids, kidsEnd uint32) {
	for ; kids < kidsEnd; kids++ {
		g.edge(kind, id, "node", kids, "arms", ", style=dotted")
	}
}

func (g *grapher) gaps(a *Gaps) {
	texts := a.texts()
	symbols := make([]uint32, len(a.Len)) // the state of each
	for state := range uint32(len(texts)) {
		g.vertex("text", state, fmt.Sprintf("%+q", texts[state]), ", shape=ellipse")
		for child := a.First[state]; child < a.First[state+1]; child++ {
			g.edge("text", state, "text", child, fmt.Sprintf("%+q", a.Label[child:child+1]), "")
		}
		if a.Fail[state] != 0 {
			g.edge("text", state, "text", a.Fail[state], "", ", style=dashed")
		}
		if state > 0 && a.Act[state] == state {
			symbols[a.Symbol[state]] = state
		}
	}
	floats := a.Floats[len(a.Floats)-1]
	for i := range a.Nodes {
		n, id := &a.Nodes[i], uint32(i)
		g.vertex("node", id, fmt.Sprintf("node %d%s", i, n.where(id < floats)), "")
		g.edge("text", symbols[n.Symbol], "node", id, "", "")
		if n.Accept != None {
			g.edge("node", id, "rule", n.Accept, "", "")
		}
		g.arm("node", id, n.Kids, n.KidsEnd)
	}
}
