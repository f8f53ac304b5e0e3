package automaton

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// String returns the machine as text: its rules in the order of their rank, each
// with its number, line, verdict, pattern and rank, whose halves are written apart, and
// if it has a table, that. It is meant to be read, when a verdict surprises, and changes
// with the engine.
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
		rank := p.rules[i].Rank
		fmt.Fprintf(w, "  %s, rank %d.%08x\n", p.rule(uint32(i)), rank>>32, uint32(rank))
	}
	if p.table != nil {
		p.dumpPrefixes(w)
		p.table.Segments.dump(w)
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

// edges returns the edges of a trie by state, then octets.
func (t *Trie) edges() []Edge {
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
			fmt.Fprintf(w, "rule %d\n", e.To&^IsWhole)
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
	switch {
	case p.Anchor == 0:
	case t.Segments != nil:
		fmt.Fprintf(&b, " arm anchor %d", p.Anchor)
	default:
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

func (g *Segments) dump(w io.Writer) {
	if g == nil {
		return
	}
	edges := g.edges()
	fmt.Fprintf(w, "segments: %s, %s, %s\n",
		count(len(g.States)-1, "state"), count(len(edges), "edge"), count(len(g.Knots), "knot"))
	for i, a := range g.Anchors {
		if a.Best != None {
			fmt.Fprintf(w, "  anchor %d%s:%s\n", i, g.where(uint32(i)), a.states())
		}
	}
	for i := range g.Begin {
		g.Begin[i].dump(w, i)
	}
	backwards := g.backwards(edges)
	for _, e := range edges {
		text, over := e.text(), ""
		if backwards[e.Key>>3] {
			text, over = reversed(text), "back over "
		}
		fmt.Fprintf(w, "  state %d, %s%+q: ", e.Key>>3, over, text)
		if e.To&IsPoint == 0 {
			fmt.Fprintf(w, "rule %d\n", e.To)
			continue
		}
		fmt.Fprintf(w, "knot %d:%s\n", e.To&^IsPoint, g.Knots[e.To&^IsPoint].acts())
	}
}

// where says behind what an anchor's segments wait, if that is on every path.
func (g *Segments) where(anchor uint32) string {
	a := &g.Anchors[anchor]
	switch {
	case a.Gate != 0:
		return fmt.Sprintf(", behind %+q at octet %d or later", string([]byte{a.Gate}), a.From)
	case anchor == FloatsOfNothing:
		return ", on every path"
	case anchor == FloatsOfSlash:
		return ", on every path behind \"/\""
	}
	return ""
}

// states says where the segments behind an anchor are read.
func (a *Anchor) states() string {
	var b strings.Builder
	if a.State != 0 {
		fmt.Fprintf(&b, " state %d by filter %d", a.State, a.Filter)
	}
	if a.Back != 0 {
		fmt.Fprintf(&b, " at the end state %d", a.Back)
	}
	return b.String()
}

// dump writes of each class of the filter which octets it lets a segment begin with.
func (f *Begin) dump(w io.Writer, number int) {
	for class := range 8 {
		if f.Octets[0].octets(class) == "" {
			continue
		}
		fmt.Fprintf(w, "  filter %d, class %d:", number, class)
		for i := range f.Octets {
			if f.Octets[i].ofEvery()&(1<<class) != 0 {
				io.WriteString(w, " any")
			} else {
				fmt.Fprintf(w, " %+q", f.Octets[i].octets(class))
			}
		}
		fmt.Fprintln(w)
	}
}

// octets returns the octets of a class.
func (c *Classes) octets(class int) string {
	var set []byte
	for octet := range 256 {
		if c.of(byte(octet))&(1<<class) != 0 {
			set = append(set, byte(octet))
		}
	}
	return string(set)
}

// acts says what is done at a knot.
func (k *Knot) acts() string {
	var b strings.Builder
	if k.Accept != None {
		fmt.Fprintf(&b, " rule %d", k.Accept)
	}
	if k.Anchor != 0 {
		fmt.Fprintf(&b, " arm anchor %d", k.Anchor)
	}
	if k.Next != 0 {
		fmt.Fprintf(&b, " to state %d", k.Next)
	}
	return b.String()
}

// backwards tells of each state whether segments are read backwards in it. Edges are in
// the order of their states, and lead to higher ones.
func (g *Segments) backwards(edges []Edge) []bool {
	backwards := make([]bool, len(g.States))
	for _, a := range g.Anchors {
		backwards[a.Back] = true
	}
	for _, e := range edges {
		if e.To&IsPoint != 0 && backwards[e.Key>>3] {
			backwards[g.Knots[e.To&^IsPoint].Next] = true
		}
	}
	return backwards
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
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
