package compile

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// prefix is what a rule's pattern begins with.
type prefix struct {
	text string // its slash included
	rule uint32
	gaps bool // a gap follows
	wait bool // what follows it is searched for, not tried
}

// prefixes makes the automaton of prefixes of a table: a trie in which an edge
// has up to eight octets, and more where no other prefix parts in them.
type prefixes struct {
	rules []automaton.Rule
	table *automaton.Table
	edges []automaton.Edge // in the order in which they are made
	// anchor returns the anchor of a prefix which a gap follows.
	anchor func(prefix) uint32
}

// build adds all prefixes, sorted by text and then rule, none of them empty.
// Those that are the slash alone are only those that count for point 0.
func (b *prefixes) build(all []prefix) bool {
	t := b.table
	t.States = make([]automaton.State, 2, 2+len(all)/4)
	t.Points = make([]automaton.Point, 0, 1+len(all)/4)
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
	for _, e := range b.edges {
		t.States[e.Key>>3].Lengths |= 1 << (e.Key & 7)
	}
	b.first()
	return hashEdges(&t.Trie, b.edges)
}

// first makes the filter of what may come first: an edge of state 1 passes it by its
// octets, and behind its end by any.
func (b *prefixes) first() {
	t := b.table
	for i := range b.edges {
		if e := &b.edges[i]; e.Key>>3 == 1 {
			t.First.Add(e)
		}
	}
	t.First.AddShorter(t.States[1].Lengths)
}

// state makes the edges of a state at a depth in octets, behind which all the
// given prefixes go on.
func (b *prefixes) state(state uint32, depth int, all []prefix) {
	for len(all) > 0 {
		text := all[0].text
		end := min(len(text), depth+automaton.EdgeOctets)
		n := 1
		if end < depth+automaton.EdgeOctets {
			for n < len(all) && all[n].text == text {
				n++
			}
		} else {
			for n < len(all) && strings.HasPrefix(all[n].text[depth:], text[depth:end]) {
				n++
			}
		}
		b.edge(state, depth, end, all[:n])
		all = all[n:]
	}
}

// edge makes the edge of a state to the prefixes that have the same octets from
// depth to end.
func (b *prefixes) edge(state uint32, depth, end int, all []prefix) {
	e := automaton.Edge{Word: wordOf(all[0].text[depth:end]), Key: state<<3 | uint32(end-depth-1)}
	if len(all) == 1 && !all[0].wait {
		e.To = all[0].rule
		if r := &b.rules[e.To]; end == len(all[0].text) && !all[0].gaps && !r.Anchored && r.Form != automaton.FormB {
			e.To |= automaton.IsWhole
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
	b.table.Points[point].From = all[0].rule // it has the octets, whether or not it ends here
	e.To = point | automaton.IsPoint
	b.edges = append(b.edges, e)
	if n < len(all) {
		next := uint32(len(b.table.States))
		b.table.States = append(b.table.States, automaton.State{})
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

// point makes the point of prefixes that are equal, at a depth in octets.
func (b *prefixes) point(all []prefix, depth int) uint32 {
	id := b.pointOf(all, depth, false)
	if slices.ContainsFunc(all, func(p prefix) bool { return b.rules[p.rule].Form == automaton.FormB }) {
		b.table.Points[id].B = b.pointOf(all, depth, true)
	}
	return id
}

// pointOf makes the point of those that are in FormB, or of those that are not.
func (b *prefixes) pointOf(all []prefix, depth int, formB bool) uint32 {
	t := b.table
	p := automaton.Point{
		Accept: automaton.None, End: automaton.None, Len: uint32(depth), Try: uint32(len(t.Tries)),
	}
	for _, prefix := range all {
		r := &b.rules[prefix.rule]
		switch {
		case (r.Form == automaton.FormB) != formB:
		case prefix.wait:
			p.Anchor = b.anchor(prefix)
		case prefix.gaps:
			t.Tries = append(t.Tries, prefix.rule)
		case r.Anchored:
			p.End = min(p.End, prefix.rule)
		default:
			p.Accept = min(p.Accept, prefix.rule)
		}
	}
	p.TryEnd = uint32(len(t.Tries))
	if len(all) > 0 {
		p.From = all[0].rule
	}
	t.Points = append(t.Points, p)
	return uint32(len(t.Points) - 1)
}

// wordOf returns up to eight octets as an edge has them.
func wordOf(text string) (word uint64) {
	for i := len(text) - 1; i >= 0; i-- {
		word = word<<8 | uint64(text[i])
	}
	return word
}

// hashEdges puts the edges of a trie into its table. An edge that lies far from where
// the search for it begins would make a match slow; robots.txt can be written so that
// many do, but hardly for a seed that hangs on all of it, nor for several. Where a table
// is as full as it gets, seven tenths, that happens to one in a hundred of those with many
// thousand edges, by chance: half of the attempts have twice the room. It returns
// whether one succeeded.
func hashEdges(t *automaton.Trie, edges []automaton.Edge) bool {
	const attempts = 8
	size := 1 << bits.Len(uint(len(edges)*10/7))
	t.Seed = seedOf(edges)
	t.Edges = make([]automaton.Edge, size)
	for attempt := range attempts {
		if attempt == attempts/2 {
			size *= 2
			t.Edges = make([]automaton.Edge, size)
		}
		for i := range t.Edges {
			t.Edges[i] = automaton.Edge{To: automaton.None}
		}
		if putEdges(t.Edges, edges, t.Seed) {
			t.Homes = homes(edges, t.Seed, size)
			return true
		}
		t.Seed++
	}
	return false
}

func putEdges(table, edges []automaton.Edge, seed uint64) bool {
	mask := uint64(len(table) - 1)
	for _, e := range edges {
		i := automaton.HashEdge(e.Word, e.Key, seed)
		for n := 1; table[i&mask].Key != 0; n++ {
			if n == automaton.MaxProbes { // and the search looks no further
				return false
			}
			i++
		}
		table[i&mask] = e
	}
	return true
}

// homes makes Trie.Homes.
func homes(edges []automaton.Edge, seed uint64, size int) []uint8 {
	homes := make([]uint8, size)
	for _, e := range edges {
		hash := automaton.HashEdge(e.Word, e.Key, seed)
		homes[hash&uint64(size-1)] |= automaton.Home(hash)
	}
	return homes
}

// seedOf returns a number that depends on the octets of all edges and on their order
// (after FNV-1a, a word at a time).
func seedOf(edges []automaton.Edge) uint64 {
	const (
		offset = 0xcbf29ce484222325
		prime  = 0x100000001b3
	)
	seed := uint64(offset)
	for _, e := range edges {
		seed = (seed ^ e.Word) * prime
		seed ^= seed >> 29
	}
	return seed
}
