package tabletest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

var errOpens = errors.New("anchor is none, that of another, or lies before what it waits behind")

// segmentsChecker is the state of the check of segments.
type segmentsChecker struct {
	*checker
	*table.Segments

	states []checkedSegments
	nodes  []bool // of each, whether an edge leads to it
}

// checkedSegments is a state of the tries of segments.
type checkedSegments struct {
	kind    segmentKind
	root    bool // of an anchor
	filter  uint8
	lengths uint8
	parent  uint32 // the state from which something leads here, 0 if that is a prefix or nothing
	best    uint32 // the first rule of those behind it
}

// octet is the only octet of an anchor, and where in the path it may be at the earliest.
type octet struct{ octet, from uint8 }

// segmentKind says which filter lets the segments of a state begin.
type segmentKind uint8

const (
	unreachedState segmentKind = iota
	everyPathState
	anchoredState
	backState
)

// check tells whether the tries are such that each can be searched to its end; what they
// say, checker.meaning finds out.
func (c *segmentsChecker) check() error {
	for _, check := range []func() error{
		c.roots, func() error { return eachEdge(&c.Segments.Trie, c.edge) }, c.reached, c.filters, c.best,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// roots gives each anchor its states.
func (c *segmentsChecker) roots() error {
	g := c.Segments
	if len(g.States) == 0 || g.States[0].Lengths != 0 {
		return errors.New("state 0 is not dead")
	}
	if n := len(g.Edges); n == 0 || n&(n-1) != 0 {
		return fmt.Errorf("edges: %w", errSize)
	}
	if len(g.Anchors) <= table.EveryPathSlash {
		return errors.New("anchors of every path are missing")
	}
	if g.Anchors[0] != (table.Anchor{Best: table.None}) {
		return errNoAnchor
	}
	c.states = make([]checkedSegments, len(g.States))
	for i := range c.states {
		c.states[i].best = table.None
	}
	c.nodes = make([]bool, len(g.Nodes))
	for i, a := range g.Anchors {
		kind := anchoredState
		if i <= table.EveryPathSlash {
			kind = everyPathState
		}
		if !c.root(a.State, kind) || !c.root(a.Back, backState) {
			return fmt.Errorf("anchor %d: anchor begins in no state, or in that of another", i)
		}
		if int(a.Filter) >= len(g.Starts) {
			return fmt.Errorf("anchor %d: no such filter of where segments begin", i)
		}
		c.states[a.State].filter = a.Filter
	}
	return c.octetAnchors()
}

// octetAnchors checks the anchors of one octet that may be on any path.
func (c *segmentsChecker) octetAnchors() error {
	c.octets = map[octet]uint32{}
	for i, a := range c.Segments.Anchors {
		switch {
		case a.From > 1 || a.From > 0 && a.Octet == 0:
			return fmt.Errorf("anchor %d: begins behind more than the slash of the path", i)
		case a.Octet != 0:
			if !once(c.anchored, uint32(i)) || c.octets[octet{a.Octet, a.From}] != 0 {
				return fmt.Errorf("anchor %d: %w", i, errOpens)
			}
			c.octets[octet{a.Octet, a.From}] = uint32(i)
		}
	}
	return nil
}

// root marks the state at which segments begin, unless that is none.
func (c *segmentsChecker) root(state uint32, kind segmentKind) bool {
	if state == 0 {
		return true
	}
	if uint64(state) >= uint64(len(c.states)) || c.states[state].kind != unreachedState {
		return false
	}
	c.states[state].kind, c.states[state].root = kind, true
	return true
}

func (c *segmentsChecker) edge(e *table.Edge) error {
	state := e.Key >> 3
	if state == 0 || uint64(state) >= uint64(len(c.states)) {
		return errEdgeState
	}
	from := &c.states[state]
	from.lengths |= 1 << (e.Key & 7)
	if e.To&table.IsPoint == 0 {
		if !c.has(e.To) {
			return errNoRule
		}
		from.best = min(from.best, e.To)
		return nil
	}
	if !once(c.nodes, e.To&^table.IsPoint) {
		return errors.New("edge to no node, or to one that is reached otherwise")
	}
	node := &c.Nodes[e.To&^table.IsPoint]
	if !c.has(node.Accept) {
		return errNoRule
	}
	from.best = min(from.best, node.Accept)
	if node.Next != 0 {
		if e.Key&7+1 != table.EdgeOctets {
			return errors.New("node behind fewer octets than eight goes on")
		}
		// Of the kind of the state that leads there it is only once that is known.
		if node.Next <= state || uint64(node.Next) >= uint64(len(c.states)) || !c.states[node.Next].lead(state) {
			return errors.New("node goes on in no state, in one of another, or in one that lies before it")
		}
	}
	if node.Anchor != 0 {
		return c.opens(state, node.Anchor)
	}
	return nil
}

// lead marks that something leads from a state to s, which nothing else does.
func (s *checkedSegments) lead(from uint32) bool {
	if s.kind != unreachedState || s.parent != 0 {
		return false
	}
	s.parent = from
	return true
}

// opens checks the anchor that a node behind a state leads to.
func (c *segmentsChecker) opens(state, anchor uint32) error {
	if !once(c.anchored, anchor) {
		return errOpens
	}
	a := &c.Anchors[anchor]
	for _, root := range []uint32{a.State, a.Back} {
		if root != 0 {
			if root <= state {
				return errOpens
			}
			c.states[root].parent = state
		}
	}
	return nil
}

// reached checks that all states and nodes are reached, and that nothing waits behind
// the end of the path.
func (c *segmentsChecker) reached() error {
	for i := 1; i < len(c.states); i++ {
		s := &c.states[i]
		if !s.root {
			if s.parent == 0 { // a lower state, which has its kind
				return fmt.Errorf("state %d: %w", i, errUnreached)
			}
			s.kind = c.states[s.parent].kind
		} else if s.parent != 0 && c.states[s.parent].kind == backState {
			return fmt.Errorf("state %d: something waits behind the end of the path", i)
		}
		if c.States[i].Lengths != s.lengths {
			return fmt.Errorf("state %d: %w", i, errLengths)
		}
	}
	for i, reached := range c.nodes {
		if !reached {
			return fmt.Errorf("node %d: %w", i, errUnreached)
		}
	}
	return nil
}

// filters checks that all segments pass the filters, and that those have nothing else
// where they are asked last.
func (c *segmentsChecker) filters() error {
	var first table.Filter
	var last table.LastFilter
	var lengths [2]uint8
	err := eachEdge(&c.Segments.Trie, func(e *table.Edge) error {
		switch s := &c.states[e.Key>>3]; {
		case !s.root:
		case s.kind == backState:
			table.AddEdge(last[:], e)
			lengths[1] |= s.lengths
		default:
			table.AddEdge(first[:], e)
			lengths[0] |= s.lengths
			if !passes(&c.Segments.Starts[s.filter], e.Word, e.Key&7) {
				return errors.New("a segment does not pass the filter of where it may begin")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	table.AddShorter(first[:], lengths[0])
	table.AddShorter(last[:], lengths[1])
	if first != c.Segments.First {
		return errors.New("filter of what segments begin with is not that of their edges")
	}
	if last != c.Last {
		return errors.New("filter of what segments end with is not that of their edges")
	}
	return nil
}

// passes tells whether the filter lets a segment begin that has the octets of a word,
// which has one octet more than last if it is shorter than the filter.
func passes(f *table.StartFilter, word uint64, last uint32) bool {
	class := f.Octets[0].Of(byte(word))
	for i := uint32(1); i < 3; i++ {
		if i > last {
			class &= f.Octets[i].Every()
		} else {
			class &= f.Octets[i].Of(byte(word >> (8 * i)))
		}
	}
	return class != 0
}

// best checks what lets a match stop early. States lie before those that they lead to.
func (c *segmentsChecker) best() error {
	for i := len(c.states) - 1; i > 0; i-- {
		if s := &c.states[i]; s.parent != 0 {
			parent := &c.states[s.parent]
			parent.best = min(parent.best, s.best)
		}
	}
	for i, a := range c.Anchors {
		best := uint32(table.None)
		for _, root := range []uint32{a.State, a.Back} {
			if root != 0 {
				best = min(best, c.states[root].best)
			}
		}
		if a.Best != best {
			return fmt.Errorf("anchor %d: not the first rule of those behind it", i)
		}
	}
	return nil
}

// behindSegments is behindGap in the tries of segments.
func (c *checker) behindSegments(r *rule, anchor uint32) uint32 {
	if anchor != 0 {
		return c.behind(r, anchor)
	}
	anchor = table.EveryPath + r.prefix
	rule := c.behind(r, anchor)
	if rule == table.None && r.isEveryPath() {
		rule = c.behind(r, table.EveryPath+table.EveryPathSlash-anchor)
	}
	return rule
}

// behind returns the rule in the place of one whose segments wait behind an anchor.
func (c *checker) behind(r *rule, anchor uint32) uint32 {
	g := c.Segments
	rest := r.Pattern[r.prefix+1:]
	for {
		segment, behind, more := strings.Cut(rest, "*")
		state := g.Anchors[anchor].State
		if !more && r.Anchored {
			state, segment = g.Anchors[anchor].Back, reversed(segment)
		}
		if more && anchor <= table.EveryPathSlash && len(segment) == 1 {
			if anchor = c.octets[octet{segment[0], uint8(anchor - table.EveryPath)}]; anchor == 0 {
				return table.None
			}
			rest = behind
			continue
		}
		if state == 0 {
			return table.None
		}
		to := segmentEdge(g, state, segment)
		switch {
		case to == table.None:
			return table.None
		case !more && to&table.IsPoint == 0:
			return to
		case to&table.IsPoint == 0:
			return table.None
		case !more:
			return g.Nodes[to&^table.IsPoint].Accept
		}
		if anchor = g.Nodes[to&^table.IsPoint].Anchor; anchor == 0 {
			return table.None
		}
		rest = behind
	}
}

// segmentEdge returns the target of a segment from a state, table.None if it has none.
func segmentEdge(g *table.Segments, state uint32, segment string) uint32 {
	for {
		n := min(len(segment), table.EdgeOctets)
		to := g.Edge(table.FirstOctets([]byte(segment[:n])), state<<3|uint32(n-1))
		if segment = segment[n:]; segment == "" || to == table.None {
			return to
		}
		if to&table.IsPoint == 0 {
			return table.None
		}
		if state = g.Nodes[to&^table.IsPoint].Next; state == 0 {
			return table.None
		}
	}
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}
