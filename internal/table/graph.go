package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Section is a part of a table as a graph for people to read.
type Section struct {
	Title    string
	Notes    []string
	Vertices []Vertex
}

// Vertex is a state, or anything else of a table that has a number.
type Vertex struct {
	Kind  string
	ID    uint32
	Label string
	Edges []GraphEdge
}

// GraphEdge leads to a vertex, or to several of adjoining numbers. If Octets is set, Label
// is what the edge reads.
type GraphEdge struct {
	Label    string
	Octets   bool
	Kind     string
	From, To uint32
}

// add adds an edge to one vertex.
func (v *Vertex) add(label, kind string, id uint32) {
	v.Edges = append(v.Edges, GraphEdge{Label: label, Kind: kind, From: id, To: id})
}

// addRule adds an edge to a rule, unless it is none.
func (v *Vertex) addRule(label string, rule uint32) {
	if rule != None {
		v.add(label, "rule", rule)
	}
}

// addLink adds an edge to a vertex whose kind has no number 0.
func (v *Vertex) addLink(label, kind string, id uint32) {
	if id != 0 {
		v.add(label, kind, id)
	}
}

// addChildren adds an edge to the nodes of a range.
func (v *Vertex) addChildren(c Children) {
	if c.First < c.End {
		v.Edges = append(v.Edges, GraphEdge{Label: "start", Kind: "node", From: c.First, To: c.End - 1})
	}
}

// Count writes a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Graph returns the table as a graph. The function prefix returns the first octets of the
// pattern of a rule.
func (t *Table) Graph(prefix func(rule, octets uint32) string) []Section {
	edges := t.sortedEdges()
	s := Section{Title: fmt.Sprintf("prefixes: %s, %s, %s",
		Count(len(t.States)-1, "state"), Count(len(edges), "edge"), Count(len(t.Points), "point"))}
	for i := range t.Points {
		p := &t.Points[i]
		v := Vertex{Kind: "point", ID: uint32(i), Label: `behind "/"`}
		if i > 0 {
			v.Label = fmt.Sprintf("behind %+q", prefix(p.From, p.Len))
		} else {
			v.addRule("any path", t.Base)
		}
		v.addRule("", p.Accept)
		v.addRule("at the end", p.End)
		for _, rule := range t.Candidates[p.Candidates:p.CandidatesEnd] {
			v.addRule("try", rule)
		}
		if t.Gaps != nil {
			v.addChildren(t.Gaps.Anchors[p.Anchor])
		} else {
			v.addLink("start", "anchor", p.Anchor)
		}
		v.addLink("in form B", "point", p.B)
		v.addLink("to", "state", p.Next)
		s.Vertices = append(s.Vertices, v)
	}
	s.addStates("state", "point", len(t.States), edges, nil)
	sections := []Section{s}
	if t.Segments != nil {
		sections = append(sections, t.Segments.graph())
	}
	if t.Gaps != nil {
		sections = append(sections, t.Gaps.graph())
	}
	return sections
}

// sortedEdges returns the edges by state, then octets.
func (t *Trie) sortedEdges() []Edge {
	edges := slices.DeleteFunc(slices.Clone(t.Edges), func(e Edge) bool { return e.Key == 0 })
	slices.SortFunc(edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.Key>>3, y.Key>>3), strings.Compare(x.text(), y.text()))
	})
	return edges
}

// text returns the octets of the edge.
func (e *Edge) text() string {
	var b []byte
	for i := range e.Key&7 + 1 {
		b = append(b, byte(e.Word>>(8*i)))
	}
	return string(b)
}

// addStates adds the states of a trie, whose edges lead to rules and to vertices of a kind.
// Some states may read backwards.
func (s *Section) addStates(kind, target string, states int, edges []Edge, backwards []bool) {
	from := len(s.Vertices)
	for state := 1; state < states; state++ {
		s.Vertices = append(s.Vertices, Vertex{Kind: kind, ID: uint32(state)})
	}
	for _, e := range edges {
		state := e.Key >> 3
		label := fmt.Sprintf("%+q", e.text())
		if backwards != nil && backwards[state] {
			octets := []byte(e.text())
			slices.Reverse(octets)
			label = fmt.Sprintf("back over %+q", octets)
		}
		to := GraphEdge{Label: label, Octets: true, Kind: "rule", From: e.To &^ IsWhole, To: e.To &^ IsWhole}
		if e.To&IsPoint != 0 {
			to.Kind, to.From, to.To = target, e.To&^IsPoint, e.To&^IsPoint
		}
		v := &s.Vertices[from+int(state)-1]
		v.Edges = append(v.Edges, to)
	}
}

func (g *Segments) graph() Section {
	edges := g.sortedEdges()
	s := Section{Title: fmt.Sprintf("segments: %s, %s, %s",
		Count(len(g.States)-1, "state"), Count(len(edges), "edge"), Count(len(g.Nodes), "node"))}
	backwards := make([]bool, len(g.States))
	for i, a := range g.Anchors {
		backwards[a.Back] = true
		v := Vertex{Kind: "anchor", ID: uint32(i)}
		switch {
		case a.Best == None:
			continue
		case a.Octet != 0:
			v.Label = fmt.Sprintf("behind %+q at octet %d or later", string([]byte{a.Octet}), a.From)
		case i == EveryPath:
			v.Label = "on every path"
		case i == EveryPathSlash:
			v.Label = `on every path behind "/"`
		}
		v.addLink(fmt.Sprintf("by filter %d to", a.Filter), "search state", a.State)
		v.addLink("at the end to", "search state", a.Back)
		s.Vertices = append(s.Vertices, v)
	}
	for i := range g.Starts {
		s.Notes = append(s.Notes, g.Starts[i].notes(i)...)
	}
	for i, n := range g.Nodes {
		v := Vertex{Kind: "node", ID: uint32(i)}
		v.addRule("", n.Accept)
		v.addLink("start", "anchor", n.Anchor)
		v.addLink("to", "search state", n.Next)
		s.Vertices = append(s.Vertices, v)
	}
	for _, e := range edges { // in the order of their states, and they lead to higher ones
		if e.To&IsPoint != 0 && backwards[e.Key>>3] {
			backwards[g.Nodes[e.To&^IsPoint].Next] = true
		}
	}
	s.addStates("search state", "node", len(g.States), edges, backwards)
	return s
}

// notes says of each class of the filter which octets it lets a segment begin with.
func (f *StartFilter) notes(number int) (notes []string) {
	for class := range 8 {
		note := fmt.Sprintf("filter %d, class %d:", number, class)
		var sets [3]string
		for i := range f.Octets {
			for octet := range 256 {
				if f.Octets[i].Of(byte(octet))&(1<<class) != 0 {
					sets[i] += string([]byte{byte(octet)})
				}
			}
			if len(sets[i]) == 256 {
				note += " any"
			} else {
				note += fmt.Sprintf(" %+q", sets[i])
			}
		}
		if sets[0] != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// shownText returns the end of a text: those of all states of a long segment would take the square of its length.
func shownText(text string) string { return text[max(0, len(text)-1000):] }

func (g *Gaps) graph() Section {
	s := Section{Title: fmt.Sprintf("gaps: %s, %s, %s",
		Count(len(g.Label), "state"), Count(len(g.Len), "symbol"), Count(len(g.Nodes), "node"))}
	if g.Needed != 0 {
		s.Notes = []string{fmt.Sprintf("only paths with %q", g.Needed)}
	}
	texts, symbols := make([]string, len(g.Label)), make([]string, len(g.Len))
	nodes := make([][]uint32, len(g.Len)) // of each symbol
	for i, n := range g.Nodes {
		nodes[n.Symbol] = append(nodes[n.Symbol], uint32(i))
	}
	for state := range uint32(len(g.Label)) {
		v := Vertex{Kind: "read state", ID: state, Label: fmt.Sprintf("%+q", texts[state])}
		first, end := g.First[state], g.First[state+1]
		for child := first; child < end; child++ {
			texts[child] = shownText(texts[state] + string(g.Label[child:child+1]))
		}
		if first < end {
			v.Edges = append(v.Edges, GraphEdge{Label: "to", Kind: "read state", From: first, To: end - 1})
		}
		v.addLink("else", "read state", g.Fail[state])
		if act := g.Act[state]; act != state {
			v.addLink("as", "read state", act)
		} else if state > 0 {
			symbols[g.Symbol[state]] = texts[state]
			for _, node := range nodes[g.Symbol[state]] {
				v.add("found", "node", node)
			}
		}
		s.Vertices = append(s.Vertices, v)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label := fmt.Sprintf("on %+q", symbols[n.Symbol])
		if uint32(i) < g.EveryPath[len(g.EveryPath)-1] {
			label += ", on every path"
			if n.From > 0 {
				label += ` behind "/"`
			}
		}
		if n.AtEnd {
			label += ", at the end"
		}
		v := Vertex{Kind: "node", ID: uint32(i), Label: label}
		v.addRule("", n.Accept)
		v.addChildren(n.Children)
		s.Vertices = append(s.Vertices, v)
	}
	return s
}
