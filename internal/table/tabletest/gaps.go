package tabletest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Errors about the automaton of gaps.
var (
	errChildren = errors.New("children of states do not follow one another")
	errFail     = errors.New("not the longest proper suffix")
	errSymbol   = errors.New("symbol is none, or ends at another state too")
	errNodes    = errors.New("ranges of nodes do not follow one another")
	errOrder    = errors.New("children are not in order")
	errBest     = errors.New("not the first rule of those behind it")
	errNoAnchor = errors.New("anchor 0 is not none")
)

// gapsChecker checks the automaton of gaps.
type gapsChecker struct {
	*checker
	*table.Gaps
}

// check checks the automaton of segments; then what waits for them.
func (g *gapsChecker) check() error {
	for _, check := range []func() error{
		g.checkChildren, g.checkRoot, g.checkSuffixes, g.checkSymbols,
		func() error { return g.checkBegin(0, 0, 0) }, g.checkRanges, g.checkOrder, g.checkBest,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	if g.Needed == '*' {
		return errors.New("the octet that all rules are said to have is that of gaps")
	}
	for i := range g.Nodes {
		if !g.has(g.Nodes[i].Accept) {
			return fmt.Errorf("node %d: %w", i, errNoRule)
		}
	}
	return nil
}

// checkChildren checks that each state but the root is the child of one that has a
// lower number, so that states are in the order of their depth.
func (g *gapsChecker) checkChildren() error {
	n := len(g.Gaps.Label)
	if n == 0 || len(g.Gaps.First) != n+1 || len(g.Fail) != n || len(g.Act) != n || len(g.Symbol) != n {
		return errors.New("not one label, suffix and symbol for each state")
	}
	if g.Gaps.First[0] != 1 || int(g.Gaps.First[n]) != n {
		return errChildren
	}
	for s := range n {
		first, end := g.Gaps.First[s], g.Gaps.First[s+1]
		if uint64(first) <= uint64(s) || end < first || uint64(end) > uint64(n) {
			return fmt.Errorf("state %d: %w", s, errChildren)
		}
		for child := first + 1; child < end; child++ {
			if g.Gaps.Label[child] <= g.Gaps.Label[child-1] {
				return fmt.Errorf("state %d: children of a state are not in the order of their labels", child)
			}
		}
	}
	return nil
}

func (g *gapsChecker) checkRoot() error {
	if g.Shallow != g.Gaps.First[1]-1 || g.Shallow > 255 {
		return errors.New("not the number of states with one octet")
	}
	var root [256]uint8
	for child := uint32(1); child <= g.Shallow; child++ {
		root[g.Gaps.Label[child]] = uint8(child)
	}
	for c := range root {
		if g.Root[c] != root[c] {
			return fmt.Errorf("octet %d: not the child of the root", c)
		}
	}
	return nil
}

// checkSuffixes finds each suffix anew from those of lower states, which have been
// found right before.
func (g *gapsChecker) checkSuffixes() error {
	if g.Fail[0] != 0 || g.Act[0] != 0 {
		return fmt.Errorf("state 0: %w", errFail)
	}
	for parent := range uint32(len(g.Gaps.Label)) {
		for child := g.Gaps.First[parent]; child < g.Gaps.First[parent+1]; child++ {
			fail := uint32(0)
			if parent > 0 {
				fail = g.longest(g.Fail[parent], g.Gaps.Label[child])
			}
			if g.Fail[child] != fail {
				return fmt.Errorf("state %d: %w", child, errFail)
			}
			if act := g.Act[child]; act != child && act != g.Act[fail] {
				return fmt.Errorf("state %d: not the longest suffix at which a symbol ends", child)
			}
		}
	}
	return nil
}

// longest returns the state to which an octet leads from a state or, where it
// leads nowhere, from the longest of its suffixes from which it leads on.
func (g *gapsChecker) longest(state uint32, c byte) uint32 {
	for ; state != 0; state = g.Fail[state] {
		if child := g.child(state, c); child != 0 {
			return child
		}
	}
	return uint32(g.Root[c])
}

// child returns the state to which an octet leads from a state, 0 if it leads
// nowhere.
func (g *gapsChecker) child(state uint32, c byte) uint32 {
	for child := g.Gaps.First[state]; child < g.Gaps.First[state+1]; child++ {
		if g.Gaps.Label[child] == c {
			return child
		}
	}
	return 0
}

// checkSymbols checks that each symbol ends at one state, and is as long as that is
// deep. As states are in the order of their depth, it rises where the children of
// a depth's first state begin.
func (g *gapsChecker) checkSymbols() error {
	if len(g.EveryPath) != len(g.Len)+1 {
		return errNodes
	}
	read := make([]bool, len(g.Len))
	depth, deeper := uint32(0), uint32(1)
	for s := range uint32(len(g.Gaps.Label)) {
		if s == deeper {
			depth, deeper = depth+1, g.Gaps.First[s]
		}
		if g.Act[s] != s || s == 0 {
			if s > 0 && g.Gaps.First[s] == g.Gaps.First[s+1] {
				return fmt.Errorf("state %d: state that leads to no symbol", s)
			}
			continue
		}
		symbol := g.Symbol[s]
		if !once(read, symbol) {
			return fmt.Errorf("state %d: %w", s, errSymbol)
		}
		if g.Len[symbol] != depth {
			return fmt.Errorf("symbol %d: symbol is not as long as its state is deep", symbol)
		}
	}
	for symbol, read := range read {
		if !read {
			return fmt.Errorf("symbol %d: symbol that no state reads", symbol)
		}
	}
	return nil
}

// ends tells whether a symbol ends at a state itself.
func (g *gapsChecker) ends(state uint32) bool { return g.Act[state] == state }

// checkBegin checks that the filter lets the symbols pass that go on from a state, which
// lies behind some octets, less than the filter has, the first of them in the lowest byte.
func (g *gapsChecker) checkBegin(state uint32, depth uint32, octets uint64) error {
	for child := g.Gaps.First[state]; child < g.Gaps.First[state+1]; child++ {
		octets := octets | uint64(g.Gaps.Label[child])<<(8*depth)
		if (g.ends(child) || depth == 2) && !passes(&g.Start, octets, depth) {
			return fmt.Errorf("state %d: a symbol does not pass the filter", child)
		}
		if depth < 2 {
			if err := g.checkBegin(child, depth+1, octets); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRanges checks that each node waits on every path, or waits behind one anchor or one
// node with a lower number.
func (g *gapsChecker) checkRanges() error {
	next := uint32(0)
	for symbol, from := range g.EveryPath {
		if from < next || symbol == 0 && from != 0 {
			return fmt.Errorf("nodes of every path, symbol %d: %w", symbol, errNodes)
		}
		next = from
	}
	if len(g.Anchors) == 0 || g.Anchors[0] != (table.Children{Best: table.None}) {
		return errNoAnchor
	}
	for i, a := range g.Anchors[1:] {
		if a.First != next || a.End < next {
			return fmt.Errorf("anchor %d: %w", i+1, errNodes)
		}
		next = a.End
	}
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if node.First != next || node.End < next {
			return fmt.Errorf("node %d: %w", i, errNodes)
		}
		if next = node.End; node.First < next && int(node.First) <= i {
			return fmt.Errorf("node %d: node waits for itself", i)
		}
	}
	if int(next) != len(g.Nodes) {
		return errNodes
	}
	return nil
}

// checkOrder checks the order in which rules are looked for.
func (g *gapsChecker) checkOrder() error {
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if uint64(node.Symbol) >= uint64(len(g.Len)) {
			return fmt.Errorf("node %d: %w", i, errSymbol)
		}
		if node.AtEnd && node.First != node.End {
			return fmt.Errorf("node %d: node at the end of the path has children", i)
		}
	}
	for symbol := range uint32(len(g.Len)) {
		if !g.everyPathInOrder(symbol) {
			return fmt.Errorf("symbol %d: nodes of a symbol on every path are not in order", symbol)
		}
	}
	for i, a := range g.Anchors {
		if !g.childrenInOrder(a.First, a.End) {
			return fmt.Errorf("anchor %d: %w", i, errOrder)
		}
	}
	for i := range g.Nodes {
		if node := &g.Nodes[i]; !g.childrenInOrder(node.First, node.End) {
			return fmt.Errorf("node %d: %w", i, errOrder)
		}
	}
	return nil
}

// everyPathInOrder tells whether the nodes of a symbol on every path are of it and ascend by
// where they may begin, then by whether they are anchored, so that there are at most four.
func (g *gapsChecker) everyPathInOrder(symbol uint32) bool {
	least := 0
	for id := g.EveryPath[symbol]; id < g.EveryPath[symbol+1]; id++ {
		node := &g.Nodes[id]
		order := 2 * int(node.From)
		if node.AtEnd {
			order++
		}
		if node.Symbol != symbol || node.From > 1 || order < least {
			return false
		}
		least = order + 1
	}
	return true
}

// childrenInOrder tells whether nodes ascend by their order.
func (g *gapsChecker) childrenInOrder(children, end uint32) bool {
	for id := children + 1; id < end; id++ {
		if compareNodes(g.Nodes[id], g.Nodes[id-1]) <= 0 {
			return false
		}
	}
	return true
}

// compareNodes orders the children of a node: by symbol, of one symbol the anchored last.
func compareNodes(x, y table.GapNode) int {
	if x.Symbol == y.Symbol && x.AtEnd != y.AtEnd {
		return map[bool]int{true: 1, false: -1}[x.AtEnd]
	}
	return cmp.Compare(x.Symbol, y.Symbol)
}

// checkBest checks what lets a match stop early.
func (g *gapsChecker) checkBest() error {
	for i := range g.Nodes {
		node := &g.Nodes[i]
		if node.Best != min(node.Accept, g.bestOf(node.First, node.End)) {
			return fmt.Errorf("node %d: %w", i, errBest)
		}
	}
	for i, a := range g.Anchors {
		if a.Best != g.bestOf(a.First, a.End) {
			return fmt.Errorf("anchor %d: %w", i, errBest)
		}
	}
	if g.Best != g.bestOf(0, g.EveryPath[len(g.EveryPath)-1]) {
		return errBest
	}
	return nil
}

func (g *gapsChecker) bestOf(nodes, end uint32) uint32 {
	best := uint32(table.None)
	for id := nodes; id < end; id++ {
		best = min(best, g.Nodes[id].Best)
	}
	return best
}

// behindGap returns the rule in the place of one whose segments wait behind an
// anchor, or on every path if that is 0; table.None if there is none.
func (c *checker) behindGap(r *rule, anchor uint32) (uint32, error) {
	if c.Segments != nil {
		return c.behindSegments(r, anchor), nil
	}
	g := &gapsChecker{c, c.Gaps}
	if c.Gaps == nil {
		return table.None, nil
	}
	rest := r.Pattern[r.prefix+1:]
	if g.Needed != 0 && strings.IndexByte(rest, g.Needed) < 0 {
		return table.None, errors.New("rule without the octet that all are said to have")
	}
	children, end := g.Anchors[anchor].First, g.Anchors[anchor].End
	for everyPath := anchor == 0; ; everyPath = false {
		segment, behind, more := strings.Cut(rest, "*")
		state := g.state(segment)
		if state == 0 || !g.ends(state) {
			return table.None, nil
		}
		symbol, anchored := g.Symbol[state], r.Anchored && !more
		var id uint32
		if everyPath {
			id = g.everyPathOf(r, symbol, anchored)
		} else {
			id = g.nodeOf(children, end, symbol, anchored)
		}
		if id == table.None {
			return table.None, nil
		}
		node := &g.Nodes[id]
		if !more {
			return node.Accept, nil
		}
		rest, children, end = behind, node.First, node.End
	}
}

// state returns the state behind the octets of a segment, 0 if there is none.
func (g *gapsChecker) state(segment string) uint32 {
	state := uint32(g.Root[segment[0]])
	for i := 1; i < len(segment) && state != 0; i++ {
		state = g.child(state, segment[i])
	}
	return state
}

// everyPathOf returns the node of a rule's first segment on every path, table.None if there
// is none.
func (g *gapsChecker) everyPathOf(r *rule, symbol uint32, anchored bool) uint32 {
	other := uint32(table.None) // which waits elsewhere, where that does not matter
	for id := g.EveryPath[symbol]; id < g.EveryPath[symbol+1]; id++ {
		switch node := &g.Nodes[id]; {
		case node.AtEnd != anchored:
		case uint32(node.From) == r.prefix:
			return id
		case r.isEveryPath():
			other = id
		}
	}
	return other
}

// nodeOf returns the node of a symbol among children, table.None if there is none.
func (g *gapsChecker) nodeOf(children, end, symbol uint32, anchored bool) uint32 {
	want := table.GapNode{Symbol: symbol, AtEnd: anchored}
	i, ok := slices.BinarySearchFunc(g.Nodes[children:end], want, compareNodes)
	if !ok {
		return table.None
	}
	return children + uint32(i)
}
