package compile

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// gaps is the tree of the segments of all rules with gaps, as rules come. Of it are
// made the tries of segments (segments.go) or, here, the automaton of gaps: symbols are
// numbered in the order of their text, and so are the nodes; then Aho and
// Corasick's automaton is made of the symbols.
type gaps struct {
	symbols  map[string]uint32
	texts    []string
	nodes    []gapNode
	edges    map[gapEdge]uint32
	anchors  map[anchorKey]uint32 // to the index in nodes that stands for the prefix
	order    []uint32             // the anchors' indexes in nodes, in the order of their numbers
	prefixes []string             // the texts of the anchors, none for number 0
	musts    octetSet             // the octets that stand behind the gaps of all rules
}

// gapNode is a node, or what stands for a prefix that a gap follows.
type gapNode struct {
	symbol       uint32
	anchored     bool
	slash        bool // it waits behind the slash on every path
	accept, best uint32
	kids         uint32 // the last of its kids, 0 if none
	sibling      uint32 // the kid before it, 0 if none
}

type gapEdge struct {
	parent, symbol uint32
	anchored       bool
}

type anchorKey struct {
	text  string
	formB bool
}

// What stands for the prefixes behind which nodes wait on every path.
const (
	noNode = iota
	floatsOfNothing
	floatsOfSlash
	firstNode
)

// octetSet is a set of octets.
type octetSet [4]uint64

func (s *octetSet) add(octet byte) { s[octet>>6] |= 1 << (octet & 63) }

func (s *octetSet) has(octet byte) bool { return s[octet>>6]>>(octet&63)&1 != 0 }

// begin makes what the first rule needs. Most tables have none with a gap.
func (g *gaps) begin() {
	if g.symbols == nil {
		g.symbols, g.edges, g.anchors = map[string]uint32{}, map[gapEdge]uint32{}, map[anchorKey]uint32{}
	}
	for range firstNode {
		g.nodes = append(g.nodes, gapNode{best: automaton.None})
	}
	g.order = append(g.order, noNode)
	for i := range g.musts {
		g.musts[i] = math.MaxUint64
	}
}

// reset forgets all but the room, and that too if there is so much of it that to clear
// it would take longer than to make it.
func (g *gaps) reset() {
	const much = 1 << 10
	if len(g.nodes) > much {
		*g = gaps{}
		return
	}
	clear(g.symbols)
	clear(g.edges)
	clear(g.anchors)
	clear(g.texts)
	clear(g.prefixes)
	g.texts, g.prefixes, g.nodes, g.order = g.texts[:0], g.prefixes[:0], g.nodes[:0], g.order[:0]
}

// add adds what follows the first gap of a rule.
func (g *gaps) add(rule uint32, prefix, rest string, r *automaton.Rule) {
	if len(g.nodes) == 0 {
		g.begin()
	}
	var octets octetSet
	for i := range len(rest) {
		octets.add(rest[i])
	}
	for i := range g.musts {
		g.musts[i] &= octets[i]
	}
	at := g.prefix(prefix, r.Form == automaton.FormB)
	for more := true; more; {
		g.nodes[at].best = min(g.nodes[at].best, rule)
		var segment string
		segment, rest, more = strings.Cut(rest, "*")
		at = g.kid(at, g.symbol(segment), r.Anchored && !more)
	}
	g.nodes[at].best = min(g.nodes[at].best, rule)
	g.nodes[at].accept = min(g.nodes[at].accept, rule)
}

func isFloat(prefix string, formB bool) bool { return len(prefix) <= 1 && !formB }

// prefix returns what stands for a prefix.
func (g *gaps) prefix(text string, formB bool) uint32 {
	if isFloat(text, formB) {
		return floatsOfNothing + uint32(len(text))
	}
	key := anchorKey{text, formB}
	if id, ok := g.anchors[key]; ok {
		return g.order[id]
	}
	g.anchors[key] = uint32(len(g.order))
	g.order = append(g.order, g.node(gapNode{}))
	g.prefixes = append(g.prefixes, text)
	return g.order[len(g.order)-1]
}

// anchor returns the number of the anchor of a prefix.
func (g *gaps) anchor(text string, formB bool) uint32 { return g.anchors[anchorKey{text, formB}] }

func (g *gaps) symbol(text string) uint32 {
	id, ok := g.symbols[text]
	if !ok {
		id = uint32(len(g.texts))
		g.symbols[text] = id
		g.texts = append(g.texts, text)
	}
	return id
}

func (g *gaps) kid(parent, symbol uint32, anchored bool) uint32 {
	key := gapEdge{parent, symbol, anchored}
	id, ok := g.edges[key]
	if !ok {
		id = g.node(gapNode{
			symbol: symbol, anchored: anchored, slash: parent == floatsOfSlash, sibling: g.nodes[parent].kids,
		})
		g.nodes[parent].kids = id
		g.edges[key] = id
	}
	return id
}

func (g *gaps) node(n gapNode) uint32 {
	n.accept, n.best = automaton.None, automaton.None
	g.nodes = append(g.nodes, n)
	return uint32(len(g.nodes) - 1)
}

// build makes the automaton, nil if there are no gaps.
func (g *gaps) build() *automaton.Gaps {
	if len(g.texts) == 0 {
		return nil
	}
	a := &automaton.Gaps{Must: g.must()}
	numbers, texts := g.sortSymbols()
	g.number(a, numbers)
	(&ahoCorasick{a, texts}).build()
	return a
}

// must returns the rarest octet that stands behind the gaps of all rules, 0 if there
// is none.
func (g *gaps) must() (rarest byte) {
	for i := 1; i < 256; i++ {
		octet := byte(i)
		if g.musts.has(octet) && octet != '*' && (rarest == 0 || automaton.Rarity(octet) > automaton.Rarity(rarest)) {
			rarest = octet
		}
	}
	return rarest
}

// sortSymbols returns the number of each symbol in the order of their text, and the
// texts in that order.
func (g *gaps) sortSymbols() (numbers []uint32, texts []string) {
	order := make([]uint32, len(g.texts))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(g.texts[x], g.texts[y]) })
	numbers, texts = make([]uint32, len(order)), make([]string, len(order))
	for number, symbol := range order {
		numbers[symbol] = uint32(number)
		texts[number] = g.texts[symbol]
	}
	return numbers, texts
}

// number gives the nodes their final places: floats first, by symbol; then the
// kids of each anchor and of each node, in the order of their parents. It is long
// because each of these needs the places of those before it.
func (g *gaps) number(a *automaton.Gaps, symbols []uint32) {
	final := make([]uint32, 0, len(g.nodes)) // from final number to node
	kids := func(parent uint32) (from, to uint32) {
		start := len(final)
		for id := g.nodes[parent].kids; id != 0; id = g.nodes[id].sibling {
			final = append(final, id)
		}
		slices.SortFunc(final[start:], func(x, y uint32) int {
			n, m := &g.nodes[x], &g.nodes[y]
			return cmp.Or(cmp.Compare(symbols[n.symbol], symbols[m.symbol]), compareBool(n.anchored, m.anchored))
		})
		return uint32(start), uint32(len(final))
	}
	kids(floatsOfNothing)
	_, floats := kids(floatsOfSlash)
	// The sort is stable, so that nodes behind nothing come before those behind
	// the slash.
	slices.SortStableFunc(final, func(x, y uint32) int {
		return cmp.Compare(symbols[g.nodes[x].symbol], symbols[g.nodes[y].symbol])
	})
	a.Best = min(g.nodes[floatsOfNothing].best, g.nodes[floatsOfSlash].best)
	a.Anchors = make([]automaton.Kids, len(g.order))
	a.Anchors[0].Best = automaton.None
	for i := 1; i < len(g.order); i++ {
		n, m := kids(g.order[i])
		a.Anchors[i] = automaton.Kids{Kids: n, KidsEnd: m, Best: g.nodes[g.order[i]].best}
	}
	a.Nodes = make([]automaton.Node, 0, len(g.nodes))
	for i := 0; i < len(final); i++ {
		n := &g.nodes[final[i]]
		node := automaton.Node{
			Symbol: symbols[n.symbol], Accept: n.accept, Best: n.best, Anchored: n.anchored,
		}
		if n.slash {
			node.From = 1
		}
		node.Kids, node.KidsEnd = kids(final[i])
		a.Nodes = append(a.Nodes, node)
	}
	a.Len = make([]uint32, len(symbols))
	for symbol, number := range symbols {
		a.Len[number] = uint32(len(g.texts[symbol]))
	}
	a.Floats = make([]uint32, len(symbols)+1)
	for _, n := range a.Nodes[:floats] {
		a.Floats[n.Symbol+1]++
	}
	for i := 1; i < len(a.Floats); i++ {
		a.Floats[i] += a.Floats[i-1]
	}
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// ahoCorasick makes the states that read symbols, which are sorted.
type ahoCorasick struct {
	*automaton.Gaps
	texts []string
}

func (b *ahoCorasick) build() {
	b.trie()
	for child := uint32(1); child <= b.Shallow; child++ {
		b.Root[b.Label[child]] = uint8(child)
	}
	b.fail()
	b.filter()
}

// trie makes the states, depth by depth. A state is a range of the symbols, which
// begin with the same octets.
func (b *ahoCorasick) trie() {
	type span struct{ from, to, depth uint32 }
	n := b.size()
	states := make([]span, 1, n)
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
			states = append(states, span{s.from, n, s.depth + 1})
			b.Label = append(b.Label, c)
			s.from = n
		}
	}
	b.First = append(b.First, uint32(len(states)))
	b.Shallow = b.First[1] - 1
}

// size returns the number of states: a symbol has those that it does not share with
// the one before it.
func (b *ahoCorasick) size() int {
	n, before := 1, ""
	for _, text := range b.texts {
		n += len(text) - common(before, text)
		before = text
	}
	return n
}

// fail links each state with that of its longest proper suffix, in the order of
// their depth.
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

// filter tells where a symbol may begin.
func (b *ahoCorasick) filter() {
	heads := make([]string, len(b.texts))
	for i, text := range b.texts {
		heads[i] = text[:min(len(text), headOctets)]
	}
	b.Begin = begin(leastHeads(heads))
}
