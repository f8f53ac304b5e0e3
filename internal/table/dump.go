package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Dump prints the table as text, line by line. prefix returns the first bytes of a rule's pattern.
func (t *Table) Dump(printf func(format string, args ...any), prefix func(rule, octets uint32) string) {
	edges := t.sortedEdges()
	printf("prefixes: %s, %s, %s\n", Count(len(t.States)-1, "state"), Count(len(edges), "edge"),
		Count(len(t.Points), "point"))
	for i := range t.Points {
		p := &t.Points[i]
		var l links
		text := "/"
		if i > 0 {
			text = prefix(p.From, p.Len)
		} else {
			l.add("any path rule", t.Base, None)
		}
		l.add("rule", p.Accept, None)
		l.add("at the end rule", p.End, None)
		for _, rule := range t.Candidates[p.Candidates:p.CandidatesEnd] {
			l.add("try rule", rule, None)
		}
		if t.Gaps != nil {
			l.children(t.Gaps.Anchors[p.Anchor])
		} else {
			l.add("start anchor", p.Anchor, 0)
		}
		l.add("in form B point", p.B, 0)
		l.add("to state", p.Next, 0)
		printf("  point %d, behind %+q%v\n", i, text, l)
	}
	for _, e := range edges {
		printf("  state %d, %+q: %s\n", e.Key>>3, e.text(), e.target("point"))
	}
	if t.Segments != nil {
		t.Segments.dump(printf)
	}
	if t.Gaps != nil {
		t.Gaps.dump(printf)
	}
}

// Count formats a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// links are the targets of a dump's line.
type links []string

// String returns the end of the line.
func (l links) String() string {
	if len(l) == 0 {
		return ""
	}
	return ": " + strings.Join(l, ", ")
}

// add adds a link to a thing by number, unless that number means none.
func (l *links) add(what string, id, none uint32) {
	if id != none {
		*l = append(*l, fmt.Sprintf("%s %d", what, id))
	}
}

// children adds the nodes of a range.
func (l *links) children(c Children) {
	switch {
	case c.First+1 == c.End:
		l.add("start node", c.First, None)
	case c.First < c.End:
		*l = append(*l, fmt.Sprintf("start node %d to %d", c.First, c.End-1))
	}
}

// sortedEdges returns the edges by state, then bytes.
func (t *Trie) sortedEdges() []Edge {
	edges := slices.DeleteFunc(slices.Clone(t.Edges), func(e Edge) bool { return e.Key == 0 })
	slices.SortFunc(edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.Key>>3, y.Key>>3), strings.Compare(x.text(), y.text()))
	})
	return edges
}

// text returns the bytes of the edge.
func (e *Edge) text() string {
	var b []byte
	for i := range e.Key&7 + 1 {
		b = append(b, byte(e.Word>>(8*i)))
	}
	return string(b)
}

// target describes where the edge leads: to a rule, or to a thing of a kind.
func (e *Edge) target(kind string) string {
	if e.To&IsPoint != 0 {
		return fmt.Sprintf("%s %d", kind, e.To&^IsPoint)
	}
	return fmt.Sprintf("rule %d", e.To&^IsWhole)
}

func (g *Segments) dump(printf func(format string, args ...any)) {
	edges := g.sortedEdges()
	printf("segments: %s, %s, %s\n", Count(len(g.States)-1, "state"), Count(len(edges), "edge"),
		Count(len(g.Nodes), "node"))
	backwards := make([]bool, len(g.States))
	for i, a := range g.Anchors {
		backwards[a.Back] = true
		label := ""
		switch {
		case a.Best == None:
			continue
		case a.Octet != 0:
			label = fmt.Sprintf(", behind %+q at octet %d or later", string([]byte{a.Octet}), a.From)
		case i == EveryPath:
			label = ", on every path"
		case i == EveryPathSlash:
			label = `, on every path behind "/"`
		}
		var l links
		l.add("to search state", a.State, 0)
		l.add("at the end to search state", a.Back, 0)
		printf("  anchor %d%s%v\n", i, label, l)
	}
	if g.OctetRule != None {
		printf("  on every path, %+q: rule %d\n", string([]byte{g.Octet}), g.OctetRule)
	}
	for i, n := range g.Nodes {
		var l links
		l.add("rule", n.Accept, None)
		l.add("start anchor", n.Anchor, 0)
		l.add("to search state", n.Next, 0)
		printf("  node %d%v\n", i, l)
	}
	for _, e := range edges { // sorted by state, and they lead to higher ones
		label := fmt.Sprintf("%+q", e.text())
		if backwards[e.Key>>3] {
			octets := []byte(e.text())
			slices.Reverse(octets)
			label = fmt.Sprintf("back over %+q", octets)
			if e.To&IsPoint != 0 {
				backwards[g.Nodes[e.To&^IsPoint].Next] = true
			}
		}
		printf("  search state %d, %s: %s\n", e.Key>>3, label, e.target("node"))
	}
}

// shownText returns the end of a text: printing it whole for each state of a long segment would take quadratic space.
func shownText(text string) string { return text[max(0, len(text)-1000):] }

func (g *Gaps) dump(printf func(format string, args ...any)) {
	printf("gaps: %s, %s, %s\n", Count(len(g.Label), "state"), Count(len(g.Len), "symbol"), Count(len(g.Nodes), "node"))
	if g.Needed != 0 {
		printf("  only paths with %q\n", g.Needed)
	}
	texts, symbols := make([]string, len(g.Label)), make([]string, len(g.Len))
	for state, act := range g.Act {
		for child := g.First[state]; child < g.First[state+1]; child++ {
			texts[child] = shownText(texts[state] + string(g.Label[child:child+1]))
		}
		if state > 0 && act == uint32(state) {
			symbols[g.Symbol[state]] = texts[state]
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label := ""
		if uint32(i) < g.EveryPath[len(g.EveryPath)-1] {
			label = ", on every path"
			if n.From > 0 {
				label += ` behind "/"`
			}
		}
		if n.AtEnd {
			label += ", at the end"
		}
		var l links
		l.add("rule", n.Accept, None)
		l.children(n.Children)
		printf("  node %d, on %+q%s%v\n", i, symbols[n.Symbol], label, l)
	}
}
