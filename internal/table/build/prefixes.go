package build

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// prefix is the part of a rule's pattern before its first gap.
type prefix struct {
	text  string // includes the slash
	key   uint64 // up to eight bytes after the slash, the first in the highest byte
	rule  uint32
	gaps  bool // a gap follows
	waits bool // the segments after it are searched for, instead of trying the rule
}

func newPrefix(text string, rule uint32, gaps bool) prefix {
	octets := text[1:min(len(text), 1+table.EdgeOctets)]
	return prefix{text: text, key: bits.ReverseBytes64(table.FirstOctets([]byte(octets))), rule: rule, gaps: gaps}
}

// comparePrefixes orders prefixes by text, and equal ones by rule. Nearly always the keys differ.
func comparePrefixes(x, y prefix) int {
	if x.key != y.key {
		return cmp.Compare(x.key, y.key)
	}
	return cmp.Or(strings.Compare(x.text, y.text), cmp.Compare(x.rule, y.rule))
}

// prefixes makes the trie of prefixes of a table. An edge has up to eight bytes, or more while no
// other prefix ends or differs there.
type prefixes struct {
	patterns []Pattern
	table    *table.Table
	edges    []table.Edge // in the order of creation
	// anchor returns the anchor of a prefix that a gap follows.
	anchor func(prefix) uint32
}

// build adds all prefixes, sorted by text and then rule, and reports success. No prefix is empty;
// those that are only the slash belong to point 0.
func (b *prefixes) build(all []prefix) bool {
	t := b.table
	t.States = make([]table.State, 2, 2+len(all)/4)
	t.Points = make([]table.Point, 0, 1+len(all)/4)
	b.edges = slices.Grow(b.edges, len(all)+len(all)/2)
	rooted := 0
	for rooted < len(all) && all[rooted].text == "/" {
		rooted++
	}
	b.point(all[:rooted], 1)
	if len(all) > rooted {
		t.Points[0].Next = 1
		b.state(1, 1, all[rooted:])
	}
	for i := range b.edges {
		e := &b.edges[i]
		t.States[e.Key>>3].Lengths |= 1 << (e.Key & 7)
		if e.Key>>3 == 1 {
			table.AddEdge(t.First[:], e)
		}
	}
	table.AddShorter(t.First[:], t.States[1].Lengths)
	return t.SetEdges(b.edges)
}

// state makes the edges of a state at a depth in bytes, beyond which all the given prefixes
// continue.
func (b *prefixes) state(state uint32, depth int, all []prefix) {
	for len(all) > 0 {
		text := all[0].text
		end := min(len(text), depth+table.EdgeOctets)
		whole := end < depth+table.EdgeOctets
		n := 1
		for n < len(all) && strings.HasPrefix(all[n].text[depth:], text[depth:end]) && (!whole || len(all[n].text) == end) {
			n++
		}
		b.edge(state, depth, end, all[:n])
		all = all[n:]
	}
}

// edge makes the edge of a state to the prefixes with the same bytes from depth to end.
func (b *prefixes) edge(state uint32, depth, end int, all []prefix) {
	e := newEdge(state, all[0].text[depth:end])
	if len(all) == 1 && !all[0].waits {
		e.To = all[0].rule
		if r := &b.patterns[e.To]; end == len(all[0].text) && !all[0].gaps && !r.AtEnd && !r.FormB {
			e.To |= table.IsWhole
		}
		b.edges = append(b.edges, e)
		return
	}
	end += common(all[0].text[end:], all[len(all)-1].text[end:])
	n := 0
	for n < len(all) && len(all[n].text) == end {
		n++
	}
	point := b.point(all[:n], end)
	b.table.Points[point].From = all[0].rule // it has the bytes, whether or not it ends here
	e.To = point | table.IsPoint
	b.edges = append(b.edges, e)
	if n < len(all) {
		next := uint32(len(b.table.States))
		b.table.States = append(b.table.States, table.State{})
		b.table.Points[point].Next = next
		b.state(next, end, all[n:])
	}
}

// common is the length of the longest common prefix.
func common(x, y string) int {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// point makes the point of equal prefixes, at a depth in bytes.
func (b *prefixes) point(all []prefix, depth int) uint32 {
	id := b.pointOf(all, depth, false)
	if slices.ContainsFunc(all, func(p prefix) bool { return b.patterns[p.rule].FormB }) {
		b.table.Points[id].B = b.pointOf(all, depth, true)
	}
	return id
}

// pointOf makes the point of those in FormB, or of all others.
func (b *prefixes) pointOf(all []prefix, depth int, formB bool) uint32 {
	t := b.table
	p := table.Point{Accept: table.None, End: table.None, Len: uint32(depth), Candidates: uint32(len(t.Candidates))}
	for _, prefix := range all {
		r := &b.patterns[prefix.rule]
		switch {
		case r.FormB != formB:
		case prefix.waits:
			p.Anchor = b.anchor(prefix)
		case prefix.gaps:
			t.Candidates = append(t.Candidates, prefix.rule)
		case r.AtEnd:
			p.End = min(p.End, prefix.rule)
		default:
			p.Accept = min(p.Accept, prefix.rule)
		}
	}
	p.CandidatesEnd = uint32(len(t.Candidates))
	if len(all) > 0 {
		p.From = all[0].rule
	}
	t.Points = append(t.Points, p)
	return uint32(len(t.Points) - 1)
}

// newEdge makes an edge of a state with up to eight bytes.
func newEdge(state uint32, text string) table.Edge {
	return table.Edge{Word: table.FirstOctets([]byte(text)), Key: state<<3 | uint32(len(text)-1)}
}
