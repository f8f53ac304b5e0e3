package automaton

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of New about the automaton of gaps, wrapped with the index of what is
// wrong.
var (
	errArrays   = errors.New("not one label, suffix and symbol for each state")
	errChildren = errors.New("children of states do not follow one another")
	errLabel    = errors.New("children of a state are not in the order of their labels")
	errFail     = errors.New("not the longest proper suffix")
	errAct      = errors.New("not the longest suffix at which a symbol ends")
	errLeaf     = errors.New("state that leads to no symbol")
	errSymbol   = errors.New("symbol is none, or ends at another state too")
	errLen      = errors.New("symbol is not as long as its state is deep")
	errShallow  = errors.New("not the number of states with one octet")
	errChild    = errors.New("not the child of the root")
	errBegin    = errors.New("a symbol does not pass the filter")
	errNodes    = errors.New("ranges of nodes do not follow one another")
	errFloat    = errors.New("floats of a symbol are not in order")
	errKids     = errors.New("kids are not in order")
	errCircle   = errors.New("node waits for itself")
	errEnd      = errors.New("node at the end of the path has kids")
	errBest     = errors.New("not the first rule of those behind it")
	errNoAnchor = errors.New("anchor 0 is not none")
	errMust     = errors.New("rule without the octet that all are said to have")
	errOperator = errors.New("the octet that all rules are said to have is that of gaps")
	errUnread   = errors.New("symbol that no state reads")
)

// gaps checks the automaton of segments; then what waits for them.
func (c *checker) gaps() error {
	g := c.Gaps
	for _, check := range []func(*Gaps) error{
		(*Gaps).checkChildren, (*Gaps).checkRoot, (*Gaps).checkSuffixes, (*Gaps).checkSymbols,
		(*Gaps).checkBegin, (*Gaps).checkRanges, (*Gaps).checkOrder, (*Gaps).checkBest,
	} {
		if err := check(g); err != nil {
			return fmt.Errorf("gaps: %w", err)
		}
	}
	if g.Must == '*' {
		return fmt.Errorf("gaps: %w", errOperator)
	}
	for i := range g.Nodes {
		if !c.has(g.Nodes[i].Accept) {
			return fmt.Errorf("gaps: node %d: %w", i, errNoRule)
		}
	}
	return nil
}

// checkChildren checks that each state but the root is the child of one that has a
// lower number, so that states are in the order of their depth.
func (g *Gaps) checkChildren() error {
	n := len(g.Label)
	if n == 0 || len(g.First) != n+1 || len(g.Fail) != n || len(g.Act) != n || len(g.Symbol) != n {
		return errArrays
	}
	if g.First[0] != 1 || int(g.First[n]) != n {
		return errChildren
	}
	for s := range n {
		first, end := g.First[s], g.First[s+1]
		if uint64(first) <= uint64(s) || end < first || uint64(end) > uint64(n) {
			return fmt.Errorf("state %d: %w", s, errChildren)
		}
		for child := first + 1; child < end; child++ {
			if g.Label[child] <= g.Label[child-1] {
				return fmt.Errorf("state %d: %w", child, errLabel)
			}
		}
	}
	return nil
}

func (g *Gaps) checkRoot() error {
	if g.Shallow != g.First[1]-1 || g.Shallow > 255 {
		return errShallow
	}
	var root [256]uint8
	for child := uint32(1); child <= g.Shallow; child++ {
		root[g.Label[child]] = uint8(child)
	}
	for c := range root {
		if g.Root[c] != root[c] {
			return fmt.Errorf("octet %d: %w", c, errChild)
		}
	}
	return nil
}

// checkSuffixes finds each suffix anew from those of lower states, which have been
// found right before.
func (g *Gaps) checkSuffixes() error {
	if g.Fail[0] != 0 || g.Act[0] != 0 {
		return fmt.Errorf("state 0: %w", errFail)
	}
	for parent := range uint32(len(g.Label)) {
		for child := g.First[parent]; child < g.First[parent+1]; child++ {
			fail := uint32(0)
			if parent > 0 {
				fail = g.longest(g.Fail[parent], g.Label[child])
			}
			if g.Fail[child] != fail {
				return fmt.Errorf("state %d: %w", child, errFail)
			}
			if act := g.Act[child]; act != child && act != g.Act[fail] {
				return fmt.Errorf("state %d: %w", child, errAct)
			}
		}
	}
	return nil
}

// longest returns the state to which an octet leads from a state or, where it
// leads nowhere, from the longest of its suffixes from which it leads on.
func (g *Gaps) longest(state uint32, c byte) uint32 {
	for ; state != 0; state = g.Fail[state] {
		if child := g.child(state, c); child != 0 {
			return child
		}
	}
	return uint32(g.Root[c])
}

// child returns the state to which an octet leads from a state, 0 if it leads
// nowhere.
func (g *Gaps) child(state uint32, c byte) uint32 {
	for child := g.First[state]; child < g.First[state+1]; child++ {
		if g.Label[child] == c {
			return child
		}
	}
	return 0
}

// checkSymbols checks that each symbol ends at one state, and is as long as that is
// deep. As states are in the order of their depth, it rises where the children of
// a depth's first state begin.
func (g *Gaps) checkSymbols() error {
	if len(g.Floats) != len(g.Len)+1 {
		return errNodes
	}
	read := make([]bool, len(g.Len))
	depth, deeper := uint32(0), uint32(1)
	for s := range uint32(len(g.Label)) {
		if s == deeper {
			depth, deeper = depth+1, g.First[s]
		}
		if g.Act[s] != s || s == 0 {
			if s > 0 && g.First[s] == g.First[s+1] {
				return fmt.Errorf("state %d: %w", s, errLeaf)
			}
			continue
		}
		symbol := g.Symbol[s]
		if !once(read, symbol) {
			return fmt.Errorf("state %d: %w", s, errSymbol)
		}
		if g.Len[symbol] != depth {
			return fmt.Errorf("symbol %d: %w", symbol, errLen)
		}
	}
	for symbol, read := range read {
		if !read {
			return fmt.Errorf("symbol %d: %w", symbol, errUnread)
		}
	}
	return nil
}

// ends tells whether a symbol ends at a state itself.
func (g *Gaps) ends(state uint32) bool { return g.Act[state] == state }

// checkBegin checks that the filter lets each symbol pass, and sets what New sets.
func (g *Gaps) checkBegin() error {
	g.Begin.complete()
	return g.beginBelow(0, 0, 0)
}

// beginBelow checks it of the symbols that go on from a state, which lies behind some
// octets, less than the filter has, the first of them in the lowest byte.
func (g *Gaps) beginBelow(state uint32, depth uint32, octets uint64) error {
	for child := g.First[state]; child < g.First[state+1]; child++ {
		octets := octets | uint64(g.Label[child])<<(8*depth)
		if (g.ends(child) || depth == 2) && !g.Begin.passes(octets, depth) {
			return fmt.Errorf("state %d: %w", child, errBegin)
		}
		if depth < 2 {
			if err := g.beginBelow(child, depth+1, octets); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofEvery returns the classes in which every octet is.
func (c *Classes) ofEvery() uint8 {
	every := uint8(0xff)
	for i := range c.Lo {
		every &= c.Lo[i] & c.Hi[i]
	}
	return every
}

// checkRanges checks that each node is a float, or waits behind one anchor or one
// node with a lower number.
func (g *Gaps) checkRanges() error {
	next := uint32(0)
	for symbol, from := range g.Floats {
		if from < next || symbol == 0 && from != 0 {
			return fmt.Errorf("floats %d: %w", symbol, errNodes)
		}
		next = from
	}
	if len(g.Anchors) == 0 || g.Anchors[0] != (Kids{Best: None}) {
		return errNoAnchor
	}
	for i, a := range g.Anchors[1:] {
		if a.Kids != next || a.KidsEnd < next {
			return fmt.Errorf("anchor %d: %w", i+1, errNodes)
		}
		next = a.KidsEnd
	}
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if node.Kids != next || node.KidsEnd < next {
			return fmt.Errorf("node %d: %w", i, errNodes)
		}
		if next = node.KidsEnd; node.Kids < next && int(node.Kids) <= i {
			return fmt.Errorf("node %d: %w", i, errCircle)
		}
	}
	if int(next) != len(g.Nodes) {
		return errNodes
	}
	return nil
}

// checkOrder checks the order in which rules are looked for.
func (g *Gaps) checkOrder() error {
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if uint64(node.Symbol) >= uint64(len(g.Len)) {
			return fmt.Errorf("node %d: %w", i, errSymbol)
		}
		if node.Anchored && node.Kids != node.KidsEnd {
			return fmt.Errorf("node %d: %w", i, errEnd)
		}
	}
	for symbol := range uint32(len(g.Len)) {
		if !g.floatsInOrder(symbol) {
			return fmt.Errorf("symbol %d: %w", symbol, errFloat)
		}
	}
	for i, a := range g.Anchors {
		if !g.kidsInOrder(a.Kids, a.KidsEnd) {
			return fmt.Errorf("anchor %d: %w", i, errKids)
		}
	}
	for i := range g.Nodes {
		if node := &g.Nodes[i]; !g.kidsInOrder(node.Kids, node.KidsEnd) {
			return fmt.Errorf("node %d: %w", i, errKids)
		}
	}
	return nil
}

// floatsInOrder tells whether the floats of a symbol are of it and ascend by where
// they may begin, then by whether they are anchored, so that there are at most
// four.
func (g *Gaps) floatsInOrder(symbol uint32) bool {
	least := 0
	for id := g.Floats[symbol]; id < g.Floats[symbol+1]; id++ {
		node := &g.Nodes[id]
		order := 2 * int(node.From)
		if node.Anchored {
			order++
		}
		if node.Symbol != symbol || node.From > 1 || order < least {
			return false
		}
		least = order + 1
	}
	return true
}

// kidsInOrder tells whether nodes ascend by their order.
func (g *Gaps) kidsInOrder(kids, end uint32) bool {
	for id := kids + 1; id < end; id++ {
		if g.Nodes[id].order() <= g.Nodes[id-1].order() {
			return false
		}
	}
	return true
}

// order is that of the kids of a node: by symbol, of one symbol the anchored last.
func (n *Node) order() uint64 { return orderOf(n.Symbol, n.Anchored) }

func orderOf(symbol uint32, anchored bool) uint64 {
	if anchored {
		return uint64(symbol)<<1 | 1
	}
	return uint64(symbol) << 1
}

// checkBest checks what lets a match stop early.
func (g *Gaps) checkBest() error {
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if node.Best != min(node.Accept, g.bestOf(node.Kids, node.KidsEnd)) {
			return fmt.Errorf("node %d: %w", i, errBest)
		}
	}
	for i, a := range g.Anchors {
		if a.Best != g.bestOf(a.Kids, a.KidsEnd) {
			return fmt.Errorf("anchor %d: %w", i, errBest)
		}
	}
	if g.Best != g.bestOf(0, g.Floats[len(g.Floats)-1]) {
		return errBest
	}
	return nil
}

func (g *Gaps) bestOf(nodes, end uint32) uint32 {
	best := uint32(None)
	for id := nodes; id < end; id++ {
		best = min(best, g.Nodes[id].Best)
	}
	return best
}

// behindGap returns the rule in the place of one whose segments wait behind an
// anchor, or on every path if that is 0; None if there is none.
func (c *checker) behindGap(r *Rule, anchor uint32) (uint32, error) {
	if c.Segments != nil {
		return c.behindSegments(r, anchor), nil
	}
	g := c.Gaps
	if g == nil {
		return None, nil
	}
	rest := r.Pattern[r.prefix+1:]
	if g.Must != 0 && strings.IndexByte(rest, g.Must) < 0 {
		return None, errMust
	}
	kids, end := g.Anchors[anchor].Kids, g.Anchors[anchor].KidsEnd
	for float := anchor == 0; ; float = false {
		segment, behind, more := strings.Cut(rest, "*")
		state := g.state(segment)
		if state == 0 || !g.ends(state) {
			return None, nil
		}
		symbol, anchored := g.Symbol[state], r.Anchored && !more
		var id uint32
		if float {
			id = g.floatOf(r, symbol, anchored)
		} else {
			id = g.kid(kids, end, symbol, anchored)
		}
		if id == None {
			return None, nil
		}
		node := &g.Nodes[id]
		if !more {
			return node.Accept, nil
		}
		rest, kids, end = behind, node.Kids, node.KidsEnd
	}
}

// state returns the state behind the octets of a segment, 0 if there is none.
func (g *Gaps) state(segment string) uint32 {
	state := uint32(g.Root[segment[0]])
	for i := 1; i < len(segment) && state != 0; i++ {
		state = g.child(state, segment[i])
	}
	return state
}

// floatOf returns the float of a rule's first segment, None if there is none.
func (g *Gaps) floatOf(r *Rule, symbol uint32, anchored bool) uint32 {
	id := g.float(symbol, uint8(r.prefix), anchored)
	if id == None && r.floats() {
		id = g.float(symbol, uint8(1-r.prefix), anchored)
	}
	return id
}

// float returns the float of a symbol that may begin at an octet, None if there is
// none.
func (g *Gaps) float(symbol uint32, from uint8, anchored bool) uint32 {
	for id := g.Floats[symbol]; id < g.Floats[symbol+1]; id++ {
		if node := &g.Nodes[id]; node.From == from && node.Anchored == anchored {
			return id
		}
	}
	return None
}

// kid returns the node of a symbol among kids, None if there is none.
func (g *Gaps) kid(kids, end, symbol uint32, anchored bool) uint32 {
	want := orderOf(symbol, anchored)
	i, ok := slices.BinarySearchFunc(g.Nodes[kids:end], want, func(n Node, want uint64) int {
		return cmp.Compare(n.order(), want)
	})
	if !ok {
		return None
	}
	return kids + uint32(i)
}
