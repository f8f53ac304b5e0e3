package build

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/internal/table"
)

// gaps makes the Aho-Corasick automaton for the symbols of the tree, or returns nil if there are no
// gaps.
func (g *segmentTree) gaps() *table.Gaps {
	if g == nil {
		return nil
	}
	a := &table.Gaps{Needed: g.needed()}
	texts := slices.Sorted(slices.Values(g.texts))
	b := ahoCorasick{a, texts}
	b.trie()
	for child := uint32(1); child <= b.Shallow; child++ {
		b.Root[b.Label[child]] = uint8(child)
	}
	b.fail()
	ordered := b.number()
	numbers := make([]uint32, len(texts)) // of each symbol in the tree
	for i, text := range texts {
		numbers[g.symbols[text]] = ordered[i]
	}
	g.number(a, numbers)
	heads := make([]string, len(texts))
	for i, text := range texts {
		heads[i] = text[:min(len(text), headOctets)]
	}
	a.Start = startFilter(leastHeads(heads))
	return a
}

// needed returns the rarest byte that occurs after the gaps of all rules, or 0 if there is none.
func (g *segmentTree) needed() (rarest byte) {
	var rules [256]int // the number of consecutive rules, from the first, with the byte
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

// number assigns the nodes their final positions: first those that wait on every path, by symbol;
// then the children of each anchor and each node, in the order of their parents. numbers has the
// numbers of the symbols. The function is long because each step needs the positions assigned by
// previous steps.
func (g *segmentTree) number(a *table.Gaps, numbers []uint32) {
	final := make([]uint32, 0, len(g.nodes)) // from final number to node
	symbol := func(id uint32) uint32 { return numbers[g.nodes[id].symbol] }
	order := func(id uint32) uint32 { // of children; with equal symbols, those that must end with the path come last
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
	// The sort is stable, so that nodes after nothing precede those after the slash.
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
		node := table.GapNode{Symbol: numbers[n.symbol], Accept: n.accept, Children: children(final[i]), AtEnd: n.atEnd}
		if n.slash {
			node.From = 1
		}
		a.Nodes = append(a.Nodes, node)
	}
	a.Len = make([]uint32, len(numbers))
	for symbol, number := range numbers {
		a.Len[number] = uint32(len(g.texts[symbol]))
	}
	a.EveryPath = make([]uint32, len(numbers)+1)
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

// trie makes the states, depth by depth. A state is a range of symbols with a common beginning.
func (b *ahoCorasick) trie() {
	type symbols struct{ from, to, depth uint32 }
	n, before := 1, "" // the states of a symbol that it doesn't share with the previous one
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

// fail links each state to the state of its longest proper suffix, in order of depth.
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

// suffix returns the state to which a byte leads from a state or, if there is none, from its
// suffixes.
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

// number renumbers the symbols and returns the number of each. The suffixes of a symbol that are symbols form a path in
// a tree. Each symbol is followed by one of the symbols of which it is the longest suffix: the one with the most
// symbols after it. Any such path therefore switches between rows of numbers no more often than the logarithm of the
// number of symbols.
func (b *ahoCorasick) number() []uint32 {
	n := len(b.texts)
	up := make([]int, n)          // the longest suffix, n if there is none
	size := make([]int, n+1)      // number of symbols after one
	heavy := make([]int, n+1)     // the symbol that follows one, counting from 1; 0 for none
	shortest := make([]int, 0, n) // all symbols by length
	for state, act := range b.Act {
		if uint32(state) != act || act == 0 {
			continue
		}
		symbol, suffix := int(b.Symbol[state]), b.Act[b.Fail[state]]
		up[symbol] = n
		if suffix != 0 {
			up[symbol] = int(b.Symbol[suffix])
		}
		shortest = append(shortest, symbol)
	}
	for _, symbol := range slices.Backward(shortest) {
		size[symbol]++
		size[up[symbol]] += size[symbol]
		if h := heavy[up[symbol]]; h == 0 || size[symbol] > size[h-1] {
			heavy[up[symbol]] = symbol + 1
		}
	}
	numbers := make([]uint32, n)
	next := uint32(0)
	for _, symbol := range shortest {
		if up[symbol] < n && heavy[up[symbol]] == symbol+1 {
			continue // it follows that suffix
		}
		for at := symbol + 1; at != 0; at = heavy[at-1] {
			numbers[at-1] = next
			next++
		}
	}
	for state, act := range b.Act {
		if uint32(state) == act && act != 0 {
			b.Symbol[state] = numbers[b.Symbol[state]]
		}
	}
	return numbers
}
