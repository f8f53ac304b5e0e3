package automaton

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// String returns the machine as text: its rules in the order of their rank, each
// with its number, line, verdict and pattern, and if it has a table, that. It is
// meant to be read, when a verdict surprises, and changes with the engine.
func (m *Machine) String() string {
	var b strings.Builder
	parts := m.all()
	for i, p := range parts {
		if len(parts) > 1 {
			fmt.Fprintf(&b, "part %d of %d, ", i+1, len(parts))
		}
		p.dump(&b, m.Dialect())
	}
	if len(parts) == 0 {
		fmt.Fprintf(&b, "%v, no rules: allows everything\n", m.Dialect())
	}
	return b.String()
}

func (p *part) dump(w io.Writer, d Dialect) {
	engine := "list"
	if p.table != nil {
		engine = "automaton"
	}
	fmt.Fprintf(w, "%v, %s, %s\n", d, count(len(p.rules), "rule"), engine)
	for i := range p.rules {
		fmt.Fprintf(w, "  %s\n", p.rule(uint32(i)))
	}
	if p.table != nil {
		p.dumpPrefixes(w)
		p.table.Gaps.dump(w)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rule writes a rule as a line of robots.txt would say it.
func (p *part) rule(i uint32) string {
	r := &p.rules[i]
	verdict, anchor, form := "allow", "", ""
	if r.Verdict.Disallowed {
		verdict = "disallow"
	}
	if r.Anchored {
		anchor = "$"
	}
	if r.Form == FormB {
		form = " in form B"
	}
	return fmt.Sprintf("rule %d, line %d: %s %+q%s", i, r.Verdict.Line, verdict, r.Pattern+anchor, form)
}

// edges returns the edges of the automaton of prefixes by state, then octets.
func (t *Table) edges() []Edge {
	var edges []Edge
	for _, e := range t.Edges {
		if e.Key != 0 {
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.Key>>3, y.Key>>3), strings.Compare(x.text(), y.text()))
	})
	return edges
}

// text is the octets of the edge.
func (e *Edge) text() string {
	var b []byte
	for i := range e.Key&7 + 1 {
		b = append(b, byte(e.Word>>(8*i)))
	}
	return string(b)
}

func (p *part) dumpPrefixes(w io.Writer) {
	t := p.table
	edges := t.edges()
	fmt.Fprintf(w, "prefixes: %s, %s, %s\n",
		count(len(t.States)-1, "state"), count(len(edges), "edge"), count(len(t.Points), "point"))
	if t.Base != None {
		fmt.Fprintf(w, "  any path: rule %d\n", t.Base)
	}
	if acts := t.acts(&t.Points[0]); acts != "" {
		fmt.Fprintf(w, "  \"/\":%s\n", acts)
	}
	for _, e := range edges {
		fmt.Fprintf(w, "  state %d, %+q: ", e.Key>>3, e.text())
		if e.To&IsPoint == 0 {
			fmt.Fprintf(w, "rule %d\n", e.To)
			continue
		}
		point := &t.Points[e.To&^IsPoint]
		prefix := p.rules[point.From].Pattern[:point.Len]
		fmt.Fprintf(w, "point %d, behind %+q:%s\n", e.To&^IsPoint, prefix, t.acts(point))
	}
}

// acts says what is done at a point.
func (t *Table) acts(p *Point) string {
	var b strings.Builder
	if p.Accept != None {
		fmt.Fprintf(&b, " rule %d", p.Accept)
	}
	if p.End != None {
		fmt.Fprintf(&b, " at the end rule %d", p.End)
	}
	for _, rule := range t.Tries[p.Try:p.TryEnd] {
		fmt.Fprintf(&b, " try rule %d", rule)
	}
	if p.Anchor != 0 {
		a := t.Gaps.Anchors[p.Anchor]
		fmt.Fprintf(&b, " arm%s", nodes(a.Kids, a.KidsEnd))
	}
	if p.B != 0 {
		fmt.Fprintf(&b, " in form B:%s", t.acts(&t.Points[p.B]))
	}
	if p.Next != 0 {
		fmt.Fprintf(&b, " to state %d", p.Next)
	}
	return b.String()
}

func nodes(from, to uint32) string {
	if to == from+1 {
		return fmt.Sprintf(" node %d", from)
	}
	return fmt.Sprintf(" nodes %d to %d", from, to-1)
}

// texts returns what has been read in each state.
func (g *Gaps) texts() []string {
	texts := make([]string, len(g.Label))
	for parent := range g.Label {
		for child := g.First[parent]; child < g.First[parent+1]; child++ {
			texts[child] = texts[parent] + string(g.Label[child:child+1])
		}
	}
	return texts
}

func (g *Gaps) dump(w io.Writer) {
	if g == nil {
		return
	}
	fmt.Fprintf(w, "gaps: %s, %s, %s\n", count(len(g.Label), "state"), count(len(g.Len), "symbol"), count(len(g.Nodes), "node"))
	if g.Must != 0 {
		fmt.Fprintf(w, "  only paths with %q\n", g.Must)
	}
	symbols := make([]string, len(g.Len))
	for state, text := range g.texts() {
		fmt.Fprintf(w, "  state %d, %+q", state, text)
		if g.Fail[state] != 0 {
			fmt.Fprintf(w, ", else state %d", g.Fail[state])
		}
		if act := g.Act[state]; act == uint32(state) && state > 0 {
			symbols[g.Symbol[state]] = text
			fmt.Fprintf(w, ": symbol %d", g.Symbol[state])
		} else if act != 0 {
			fmt.Fprintf(w, ": as state %d", act)
		}
		fmt.Fprintln(w)
	}
	floats := g.Floats[len(g.Floats)-1]
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fmt.Fprintf(w, "  node %d on %+q%s:%s\n", i, symbols[n.Symbol], n.where(uint32(i) < floats), n.acts())
	}
}

// where says where in the path a node's segment may stand.
func (n *Node) where(float bool) string {
	var b strings.Builder
	if float {
		b.WriteString(", on every path")
		if n.From > 0 {
			b.WriteString(" behind \"/\"")
		}
	}
	if n.Anchored {
		b.WriteString(", at the end")
	}
	return b.String()
}

func (n *Node) acts() string {
	var b strings.Builder
	if n.Accept != None {
		fmt.Fprintf(&b, " rule %d", n.Accept)
	}
	if n.Kids < n.KidsEnd {
		fmt.Fprintf(&b, " arm%s", nodes(n.Kids, n.KidsEnd))
	}
	return b.String()
}
