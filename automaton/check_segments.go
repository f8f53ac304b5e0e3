package automaton

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of New about the tries of segments, wrapped with the index of what is wrong.
var (
	errAnchors    = errors.New("anchors of every path are missing")
	errDead       = errors.New("state 0 is not dead")
	errRootState  = errors.New("anchor begins in no state, or in that of another")
	errKnot       = errors.New("edge to no knot, or to one that is reached otherwise")
	errKnotNext   = errors.New("knot goes on in no state, in one of another, or in one that lies before it")
	errKnotShort  = errors.New("knot behind fewer octets than eight goes on")
	errOpens      = errors.New("anchor is none, that of another, or lies before what it waits behind")
	errOpensBack  = errors.New("something waits behind the end of the path")
	errFirst      = errors.New("filter of what segments begin with is not that of their edges")
	errLast       = errors.New("filter of what segments end with is not that of their edges")
	errPlace      = errors.New("a segment does not pass the filter of where it may begin")
	errBegins     = errors.New("begins behind more than the slash of the path")
	errNoFilter   = errors.New("no such filter of where segments begin")
	errBestBehind = errors.New("not the first rule of those behind it")
)

// segmentsChecker is what the check of segments knows.
type segmentsChecker struct {
	*checker
	*Segments

	states []checkedSegments
	knots  []bool // of each, whether an edge leads to it
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

// gate is an anchor that is one octet, and what it is.
type gate struct {
	octet, from uint8
	anchor      uint32
}

// gate returns the anchor that is one octet, 0 if there is none.
func (c *checker) gate(octet, from uint8) uint32 {
	for _, g := range c.gates {
		if g.octet == octet && g.from == from {
			return g.anchor
		}
	}
	return 0
}

// segmentKind says which filter lets the segments of a state begin.
type segmentKind uint8

const (
	unreachedState segmentKind = iota
	floatingState
	anchoredState
	backState
)

// check tells whether the tries are such that each can be searched to its end; what they
// say, checker.meaning finds out. It sets what New sets.
func (c *segmentsChecker) check() error {
	for _, check := range []func(*segmentsChecker) error{
		(*segmentsChecker).roots, (*segmentsChecker).edges, (*segmentsChecker).reached, (*segmentsChecker).filters, (*segmentsChecker).best,
	} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

// roots gives each anchor its states.
func (c *segmentsChecker) roots() error {
	g := c.Segments
	if len(g.States) == 0 || g.States[0].Lengths != 0 {
		return errDead
	}
	if n := len(g.Edges); n == 0 || n&(n-1) != 0 {
		return fmt.Errorf("edges: %w", errSize)
	}
	if len(g.Anchors) <= FloatsOfSlash {
		return errAnchors
	}
	if g.Anchors[0] != (Anchor{Best: None}) {
		return errNoAnchor
	}
	c.states = make([]checkedSegments, len(g.States))
	for i := range c.states {
		c.states[i].best = None
	}
	c.knots = make([]bool, len(g.Knots))
	for i, a := range g.Anchors {
		kind := anchoredState
		if i <= FloatsOfSlash {
			kind = floatingState
		}
		if !c.root(a.State, kind) || !c.root(a.Back, backState) {
			return fmt.Errorf("anchor %d: %w", i, errRootState)
		}
		if int(a.Filter) >= len(g.Begin) {
			return fmt.Errorf("anchor %d: %w", i, errNoFilter)
		}
		c.states[a.State].filter = a.Filter
	}
	return c.floats()
}

// floats sets what New sets about what waits on every path.
func (c *segmentsChecker) floats() error {
	g := c.Segments
	for i := range g.Begin {
		g.Begin[i].complete()
	}
	g.floats, g.best, g.together, g.back, g.backTo = nil, None, true, 0, 0
	for i := range uint32(len(g.Anchors)) {
		a := &g.Anchors[i]
		r := reached{i, uint32(a.From)}
		switch {
		case a.From > 1 || a.From > 0 && a.Gate == 0:
			return fmt.Errorf("anchor %d: %w", i, errBegins)
		case a.Gate != 0:
			if !once(c.anchored, i) || c.gate(a.Gate, a.From) != 0 {
				return fmt.Errorf("anchor %d: %w", i, errOpens)
			}
			c.gates = append(c.gates, gate{a.Gate, a.From, i})
		case i == FloatsOfSlash:
			r.end = 1
		case i != FloatsOfNothing:
			continue
		}
		g.best = min(g.best, a.Best)
		if a.Gate == 0 && g.back == 0 {
			g.back, g.backTo = a.Back, r.end
		}
		if a.State == 0 && a.Back == g.back {
			continue
		}
		g.floats = append(g.floats, r)
		if a.Filter != 0 || a.Back != 0 && a.Back != g.back {
			g.together = false
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

func (c *segmentsChecker) edges() error {
	return c.Segments.eachEdge(c.edge)
}

func (c *segmentsChecker) edge(e *Edge) error {
	state := e.Key >> 3
	if state == 0 || uint64(state) >= uint64(len(c.states)) {
		return errEdgeState
	}
	from := &c.states[state]
	from.lengths |= 1 << (e.Key & 7)
	if e.To&IsPoint == 0 {
		if !c.has(e.To) {
			return errNoRule
		}
		from.best = min(from.best, e.To)
		return nil
	}
	if !once(c.knots, e.To&^IsPoint) {
		return errKnot
	}
	k := &c.Knots[e.To&^IsPoint]
	if !c.has(k.Accept) {
		return errNoRule
	}
	from.best = min(from.best, k.Accept)
	if k.Next != 0 {
		if e.Key&7+1 != EdgeOctets {
			return errKnotShort
		}
		// Of the kind of the state that leads there it is only once that is known.
		if k.Next <= state || uint64(k.Next) >= uint64(len(c.states)) || !c.states[k.Next].lead(state) {
			return errKnotNext
		}
	}
	if k.Anchor != 0 {
		return c.opens(state, k.Anchor)
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

// opens checks the anchor that a knot behind a state leads to.
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

// reached checks that all states and knots are reached, and that nothing waits behind
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
			return fmt.Errorf("state %d: %w", i, errOpensBack)
		}
		if c.States[i].Lengths != s.lengths {
			return fmt.Errorf("state %d: %w", i, errLengths)
		}
	}
	for i, reached := range c.knots {
		if !reached {
			return fmt.Errorf("knot %d: %w", i, errUnreached)
		}
	}
	return nil
}

// filters checks that all segments pass the filters, and that those have nothing else
// where they are asked last.
func (c *segmentsChecker) filters() error {
	var first Filter
	var last LastFilter
	var lengths [2]uint8
	err := c.Segments.eachEdge(func(e *Edge) error {
		switch s := &c.states[e.Key>>3]; {
		case !s.root:
		case s.kind == backState:
			last.Add(e)
			lengths[1] |= s.lengths
		default:
			first.Add(e)
			lengths[0] |= s.lengths
			if !c.Segments.Begin[s.filter].passes(e.Word, e.Key&7) {
				return errPlace
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	first.AddShorter(lengths[0])
	last.AddShorter(lengths[1])
	if first != c.Segments.First {
		return errFirst
	}
	if last != c.Last {
		return errLast
	}
	return nil
}

// complete sets what New sets: the families with segments of one octet, and of up to two.
func (f *Begin) complete() {
	f.two = f.Octets[2].ofEvery()
	f.one = f.Octets[1].ofEvery() & f.two
}

// passes tells whether the filter lets a segment begin that has the octets of a word,
// which has one octet more than last if it is shorter than the filter.
func (f *Begin) passes(word uint64, last uint32) bool {
	class := f.Octets[0].of(byte(word))
	switch last {
	case 0:
		return class&f.one != 0
	case 1:
		return class&f.Octets[1].of(byte(word>>8))&f.two != 0
	}
	return class&f.Octets[1].of(byte(word>>8))&f.Octets[2].of(byte(word>>16)) != 0
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
		best := uint32(None)
		for _, root := range []uint32{a.State, a.Back} {
			if root != 0 {
				best = min(best, c.states[root].best)
			}
		}
		if a.Best != best {
			return fmt.Errorf("anchor %d: %w", i, errBestBehind)
		}
	}
	return nil
}

// behindSegments is behindGap in the tries of segments.
func (c *checker) behindSegments(r *Rule, anchor uint32) uint32 {
	if anchor != 0 {
		return c.behind(r, anchor)
	}
	anchor = FloatsOfNothing + r.prefix
	rule := c.behind(r, anchor)
	if rule == None && r.floats() {
		rule = c.behind(r, FloatsOfNothing+FloatsOfSlash-anchor)
	}
	return rule
}

// behind returns the rule in the place of one whose segments wait behind an anchor.
func (c *checker) behind(r *Rule, anchor uint32) uint32 {
	g := c.Segments
	rest := r.Pattern[r.prefix+1:]
	for {
		segment, behind, more := strings.Cut(rest, "*")
		state := g.Anchors[anchor].State
		if !more && r.Anchored {
			state, segment = g.Anchors[anchor].Back, reversed(segment)
		}
		if more && anchor <= FloatsOfSlash && len(segment) == 1 {
			if anchor = c.gate(segment[0], uint8(anchor-FloatsOfNothing)); anchor == 0 {
				return None
			}
			rest = behind
			continue
		}
		if state == 0 {
			return None
		}
		to := g.to(state, segment)
		switch {
		case to == None:
			return None
		case !more && to&IsPoint == 0:
			return to
		case to&IsPoint == 0:
			return None
		case !more:
			return g.Knots[to&^IsPoint].Accept
		}
		if anchor = g.Knots[to&^IsPoint].Anchor; anchor == 0 {
			return None
		}
		rest = behind
	}
}

// to returns where a segment leads from a state, None if nowhere.
func (g *Segments) to(state uint32, segment string) uint32 {
	for {
		n := min(len(segment), EdgeOctets)
		to := g.edge(firstOctets([]byte(segment[:n])), state<<3|uint32(n-1))
		if segment = segment[n:]; segment == "" || to == None {
			return to
		}
		if to&IsPoint == 0 {
			return None
		}
		if state = g.Knots[to&^IsPoint].Next; state == 0 {
			return None
		}
	}
}
