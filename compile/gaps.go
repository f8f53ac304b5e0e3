package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/table"
)

// segmentTree is the tree of the segments of all rules with gaps, as rules come. Of it are
// made table.Segments (segments.go) or, here, table.Gaps: symbols are numbered in the order
// of their text, and so are the nodes; then Aho and Corasick's automaton is made of the
// symbols.
type segmentTree struct {
	symbols  map[string]uint32
	texts    []string // of symbols
	nodes    []treeNode
	edges    map[treeEdge]uint32
	anchors  map[anchorKey]uint32 // to the index in order
	order    []uint32             // the indexes in nodes of what stands for prefixes, by the number of their anchor
	prefixes []string             // the texts of the anchors, none for number 0
	rests    []string             // of all rules, what follows the first gap
}

// treeNode is a segment, or what stands for a prefix that a gap follows.
type treeNode struct {
	symbol       uint32
	atEnd        bool // it must end with the path
	slash        bool // it waits behind the slash on every path
	accept, best uint32
	child        uint32 // the last of its children, 0 if none
	sibling      uint32 // the child before it, 0 if none
}

type treeEdge struct {
	parent, symbol uint32
	atEnd          bool
}

type anchorKey struct {
	text  string
	formB bool
}

// What stands for the prefixes behind which nodes wait on every path.
const (
	noNode = iota
	everyPathNode
	everyPathSlashNode
	firstNode
)

// newSegmentTree returns an empty tree.
func newSegmentTree() *segmentTree {
	g := &segmentTree{symbols: map[string]uint32{}, edges: map[treeEdge]uint32{}, anchors: map[anchorKey]uint32{}, order: []uint32{noNode}}
	for range firstNode {
		g.node(treeNode{})
	}
	return g
}

// add adds what follows the first gap of a rule, and returns the tree. Most tables have no
// rule with a gap, and no tree.
func (g *segmentTree) add(rule uint32, prefix, rest string, r *automaton.Rule) *segmentTree {
	if g == nil {
		g = newSegmentTree()
	}
	g.rests = append(g.rests, rest)
	at := g.prefix(prefix, r.Form == automaton.FormB)
	for more := true; more; {
		g.nodes[at].best = min(g.nodes[at].best, rule)
		var segment string
		segment, rest, more = strings.Cut(rest, "*")
		at = g.child(at, g.symbol(segment), r.Anchored && !more)
	}
	g.nodes[at].best = min(g.nodes[at].best, rule)
	g.nodes[at].accept = min(g.nodes[at].accept, rule)
	return g
}

// isEveryPath tells whether every path has a prefix.
func isEveryPath(prefix string, formB bool) bool { return len(prefix) <= 1 && !formB }

// prefix returns what stands for a prefix.
func (g *segmentTree) prefix(text string, formB bool) uint32 {
	if isEveryPath(text, formB) {
		return everyPathNode + uint32(len(text))
	}
	key := anchorKey{text, formB}
	if id, ok := g.anchors[key]; ok {
		return g.order[id]
	}
	g.anchors[key] = uint32(len(g.order))
	g.order = append(g.order, g.node(treeNode{}))
	g.prefixes = append(g.prefixes, text)
	return g.order[len(g.order)-1]
}

// anchor returns the number of the anchor of a prefix.
func (g *segmentTree) anchor(text string, formB bool) uint32 {
	return g.anchors[anchorKey{text, formB}]
}

func (g *segmentTree) symbol(text string) uint32 {
	id, ok := g.symbols[text]
	if !ok {
		id = uint32(len(g.texts))
		g.symbols[text] = id
		g.texts = append(g.texts, text)
	}
	return id
}

func (g *segmentTree) child(parent, symbol uint32, atEnd bool) uint32 {
	key := treeEdge{parent, symbol, atEnd}
	id, ok := g.edges[key]
	if !ok {
		id = g.node(treeNode{symbol: symbol, atEnd: atEnd, slash: parent == everyPathSlashNode, sibling: g.nodes[parent].child})
		g.nodes[parent].child = id
		g.edges[key] = id
	}
	return id
}

func (g *segmentTree) node(n treeNode) uint32 {
	n.accept, n.best = table.None, table.None
	g.nodes = append(g.nodes, n)
	return uint32(len(g.nodes) - 1)
}

// gaps makes the automaton, nil if there are no gaps.
func (g *segmentTree) gaps() *table.Gaps {
	if g == nil {
		return nil
	}
	a := &table.Gaps{Must: g.must()}
	texts := slices.Sorted(slices.Values(g.texts))
	numbers := make([]uint32, len(texts)) // of each symbol, in the order of their text
	for number, text := range texts {
		numbers[g.symbols[text]] = uint32(number)
	}
	g.number(a, numbers)
	b := ahoCorasick{a, texts}
	b.trie()
	for child := uint32(1); child <= b.Shallow; child++ {
		b.Root[b.Label[child]] = uint8(child)
	}
	b.fail()
	heads := make([]string, len(texts))
	for i, text := range texts {
		heads[i] = text[:min(len(text), headOctets)]
	}
	a.Start = startFilter(leastHeads(heads))
	return a
}

// must returns the rarest octet that stands behind the gaps of all rules, 0 if there is
// none.
func (g *segmentTree) must() (rarest byte) {
	var rules [256]int // with the octet, of those that were looked at
	for i, rest := range g.rests {
		for j := range len(rest) {
			if c := rest[j]; rules[c] == i {
				rules[c]++
			}
		}
	}
	rules['*'], rules[0] = 0, 0
	for octet, n := range rules {
		if n == len(g.rests) && (rarest == 0 || table.Rarity(byte(octet)) > table.Rarity(rarest)) {
			rarest = byte(octet)
		}
	}
	return rarest
}

// number gives the nodes their final places: first those that wait on every path, by
// symbol; then the children of each anchor and of each node, in the order of their parents.
// It is long because each of these needs the places of those before it.
func (g *segmentTree) number(a *table.Gaps, symbols []uint32) {
	final := make([]uint32, 0, len(g.nodes)) // from final number to node
	symbol := func(id uint32) uint32 { return symbols[g.nodes[id].symbol] }
	order := func(id uint32) uint32 { // of children, those of one symbol that must end with the path last
		if g.nodes[id].atEnd {
			return symbol(id)<<1 | 1
		}
		return symbol(id) << 1
	}
	children := func(parent uint32) table.Children {
		start := len(final)
		for id := g.nodes[parent].child; id != 0; id = g.nodes[id].sibling {
			final = append(final, id)
		}
		slices.SortFunc(final[start:], func(x, y uint32) int { return cmp.Compare(order(x), order(y)) })
		return table.Children{First: uint32(start), End: uint32(len(final)), Best: g.nodes[parent].best}
	}
	children(everyPathNode)
	everyPath := children(everyPathSlashNode).End
	// The sort is stable, so that nodes behind nothing come before those behind the slash.
	slices.SortStableFunc(final, func(x, y uint32) int { return cmp.Compare(symbol(x), symbol(y)) })
	a.Best = min(g.nodes[everyPathNode].best, g.nodes[everyPathSlashNode].best)
	a.Anchors = make([]table.Children, len(g.order))
	a.Anchors[0].Best = table.None
	for i := 1; i < len(g.order); i++ {
		a.Anchors[i] = children(g.order[i])
	}
	a.Nodes = make([]table.GapNode, 0, len(g.nodes))
	for i := 0; i < len(final); i++ {
		n := &g.nodes[final[i]]
		node := table.GapNode{Symbol: symbols[n.symbol], Accept: n.accept, Children: children(final[i]), AtEnd: n.atEnd}
		if n.slash {
			node.From = 1
		}
		a.Nodes = append(a.Nodes, node)
	}
	a.Len = make([]uint32, len(symbols))
	for symbol, number := range symbols {
		a.Len[number] = uint32(len(g.texts[symbol]))
	}
	a.EveryPath = make([]uint32, len(symbols)+1)
	for _, n := range a.Nodes[:everyPath] {
		a.EveryPath[n.Symbol+1]++
	}
	for i := 1; i < len(a.EveryPath); i++ {
		a.EveryPath[i] += a.EveryPath[i-1]
	}
}

// ahoCorasick makes the states that read symbols, which are sorted.
type ahoCorasick struct {
	*table.Gaps
	texts []string
}

// trie makes the states, depth by depth. A state is a range of the symbols, which begin
// with the same octets.
func (b *ahoCorasick) trie() {
	type symbols struct{ from, to, depth uint32 }
	n, before := 1, "" // a symbol has the states that it does not share with the one before it
	for _, text := range b.texts {
		n += len(text) - common(before, text)
		before = text
	}
	states := make([]symbols, 1, n)
	states[0].to = uint32(len(b.texts))
	b.Label = make([]byte, 1, n)
	b.First, b.Act, b.Symbol = make([]uint32, 0, n+1), make([]uint32, 0, n), make([]uint32, 0, n)
	for i := 0; i < len(states); i++ {
		s := states[i]
		b.First = append(b.First, uint32(len(states)))
		act, symbol := uint32(0), uint32(0)
		if uint32(len(b.texts[s.from])) == s.depth {
			act, symbol = uint32(i), s.from
			s.from++
		}
		b.Act, b.Symbol = append(b.Act, act), append(b.Symbol, symbol)
		for s.from < s.to {
			c := b.texts[s.from][s.depth]
			n := s.from + 1
			for n < s.to && b.texts[n][s.depth] == c {
				n++
			}
			states = append(states, symbols{s.from, n, s.depth + 1})
			b.Label = append(b.Label, c)
			s.from = n
		}
	}
	b.First = append(b.First, uint32(len(states)))
	b.Shallow = b.First[1] - 1
}

// fail links each state with that of its longest proper suffix, in the order of their
// depth.
func (b *ahoCorasick) fail() {
	b.Fail = make([]uint32, len(b.Label))
	for parent := range b.Label {
		for child := b.First[parent]; child < b.First[parent+1]; child++ {
			if parent > 0 {
				b.Fail[child] = b.suffix(b.Fail[parent], b.Label[child])
			}
			if b.Act[child] == 0 {
				b.Act[child] = b.Act[b.Fail[child]]
			}
		}
	}
}

// suffix returns the state to which an octet leads from a state or, where it leads
// nowhere, from those of its suffixes.
func (b *ahoCorasick) suffix(state uint32, c byte) uint32 {
	for ; state != 0; state = b.Fail[state] {
		for child := b.First[state]; child < b.First[state+1]; child++ {
			if b.Label[child] == c {
				return child
			}
		}
	}
	return uint32(b.Root[c])
}
