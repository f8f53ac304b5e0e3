package table

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// The automaton of gaps, in one line: Aho and Corasick's (1975) reads the path once, and
// where a segment ends, the nodes that wait for it go on. Three things complicate it.
//
// First, on most paths no segment begins at most octets. While the automaton is at its root,
// a filter of three octets, 64 places at a time, tells where one may begin.
//
// Second, a node may go on only once the one before it has, and only with a segment that
// begins where that one ended or later. So each symbol has a queue of the nodes that wait for
// it, in the order of where the one before ended, and those that may go on leave its front for
// good: a node costs time once a path, however often its segment is found. A generation
// empties all queues for the next path. Nodes that wait on every path are found by their
// symbol and never queued, nor are the many children of one node, so that a path does not pay
// for all of them.
//
// Third, a segment may have to end where the path does. It waits in a queue of its own, which
// is looked at when the last octet of the path has ended the symbol.

// Gaps finds the segments behind gaps: an Aho-Corasick automaton reads the path, and
// where the last octet of a segment is read, the nodes that wait for it act.
//
// Its states are numbered by depth and, among those of one parent, by label, so that the
// children of state s are those from First[s] to First[s+1]-1. State 0 is the root, where
// no segment has begun. States 1 to Shallow have one octet.
type Gaps struct {
	First   []uint32 // one more than there are states
	Label   []byte   // the octet that leads to the state
	Fail    []uint32 // the state of the longest proper suffix
	Act     []uint32 // the nearest of the state itself and its suffixes at which a symbol ends, 0 if none does
	Symbol  []uint32 // the symbol that ends at the state; only where Act[s] == s
	Shallow uint32
	Root    [256]uint8  // the child of the root by its label, 0 if none
	Start   StartFilter // of where segments begin

	// Needed is an octet that stands behind the gaps of each rule, so that no rule in this
	// automaton matches without it. 0 if there is none.
	Needed byte

	// Len is the number of octets of each symbol, which is a segment that stands behind a
	// gap in one or more rules.
	Len []uint32
	// EveryPath are the nodes that wait on every path, for rules whose first segment is
	// the slash or nothing: those of symbol n are the nodes from EveryPath[n] to
	// EveryPath[n+1]-1. They are the first nodes.
	EveryPath []uint32
	// Nodes are the segments of rules: a node for each different list of a prefix and the
	// segments up to this one.
	Nodes []GapNode
	// Anchors are the prefixes that a gap follows. Anchor 0 is none.
	Anchors []Children
	// Best is the first rule with a gap of those that wait on every path, None if there
	// is none.
	Best uint32

	// Complete sets these: where the children of nodes and anchors with many begin,
	// ascending; and these children by symbol, those of symbol n from grouped[from[n]] to
	// grouped[from[n+1]-1], nil if there are none.
	groups  []uint32
	grouped []grouped
	from    []uint32
}

// GapNode is a segment behind a gap, in rules that are the same up to it.
type GapNode struct {
	// Symbol is the number of its segment's text, see Gaps.Symbol.
	Symbol uint32
	// Accept is the first rule that ends with this segment.
	Accept uint32
	// Children wait once this segment is seen; Best is the first rule of this node and of
	// them.
	Children
	// From is where in the path the segment may begin at the earliest, for a node that
	// waits on every path: 1 if a slash comes before the gap, else 0.
	From uint8
	// AtEnd says that the segment must end where the path ends. Such a node has no
	// children.
	AtEnd bool
}

// Children are the nodes that wait once a prefix or segment is seen that a gap follows, as
// a range of indexes, the end excluded, and the first rule of them and their children.
type Children struct {
	First, End, Best uint32
}

// maxQueued is the highest number of children of a node that are queued. More are a
// group, and are found by their symbol when that is read.
const maxQueued = 256

// grouped is a node in a group.
type grouped struct{ node, group uint32 }

// complete sets what Complete sets.
func (g *Gaps) complete() {
	g.Start.complete()
	g.groups, g.grouped, g.from = nil, nil, nil
	add := func(c Children) {
		if c.End-c.First <= maxQueued {
			return
		}
		for id := c.First; id < c.End; id++ {
			g.grouped = append(g.grouped, grouped{id, uint32(len(g.groups))})
		}
		g.groups = append(g.groups, c.First)
	}
	for _, a := range g.Anchors {
		add(a)
	}
	for i := range g.Nodes {
		add(g.Nodes[i].Children)
	}
	if len(g.groups) == 0 {
		return
	}
	symbol := func(c grouped) uint32 { return g.Nodes[c.node].Symbol }
	slices.SortStableFunc(g.grouped, func(x, y grouped) int { return cmp.Compare(symbol(x), symbol(y)) })
	g.from = make([]uint32, len(g.Len)+1)
	for _, c := range g.grouped {
		g.from[symbol(c)+1]++
	}
	for i := 1; i < len(g.from); i++ {
		g.from[i] += g.from[i-1]
	}
}

// gapScratch is the memory that the automaton of gaps writes to.
type gapScratch struct {
	generation uint64
	queues     []queue  // for each symbol two: of its nodes, and of those at the end of the path
	waiting    []waiter // of all queues
	groups     []group
	seen       []uint64 // of each node that is in no queue, the generation in which it was last seen
	opened     int      // the anchors whose children wait
}

type queue struct {
	generation  uint64 // the queue is empty if it is not the current one
	first, last uint32 // indexes in waiting
}

type waiter struct {
	node, end uint32 // from where on the node's segment may begin
	next      uint32 // index in waiting, None at the end of the queue
}

// group is the state of a group during a match.
type group struct {
	generation uint64 // its nodes wait if it is the current one
	end        uint32 // from where on their segments may begin
}

// begin empties all queues and makes sure that there are enough for g.
func (s *gapScratch) begin(g *Gaps) {
	s.generation++
	s.waiting = s.waiting[:0]
	s.opened = 0
	if n := 2 * len(g.Len); len(s.queues) < n {
		s.queues = append(s.queues, make([]queue, n-len(s.queues))...)
	}
	if n := len(g.groups); len(s.groups) < n {
		s.groups = append(s.groups, make([]group, n-len(s.groups))...)
	}
	if n := len(g.Nodes); len(s.seen) < n {
		s.seen = append(s.seen, make([]uint64, n-len(s.seen))...)
	}
}

// queue lets those children wait for their segments that can do better than best.
func (s *gapScratch) queue(g *Gaps, c Children, end, best uint32) {
	if c.End-c.First > maxQueued {
		i, _ := slices.BinarySearch(g.groups, c.First)
		s.groups[i] = group{s.generation, end}
		return
	}
	for id := c.First; id < c.End; id++ {
		node := &g.Nodes[id]
		if node.Best >= best {
			continue
		}
		i := 2 * node.Symbol
		if node.AtEnd {
			i++
		}
		q := &s.queues[i]
		last := uint32(len(s.waiting))
		s.waiting = append(s.waiting, waiter{id, end, None})
		if q.generation != s.generation {
			*q = queue{s.generation, last, last}
			continue
		}
		if q.first == None {
			q.first = last
		} else {
			s.waiting[q.last].next = last
		}
		q.last = last
	}
}

// run is the reading of one path.
type run struct {
	*Gaps
	s         *Scratch
	length    int  // of the path
	everyPath bool // what waits on every path counts
	acted     bool // the queues have been emptied for this path
	best      uint32
	possible  uint32 // no rule that may still be found is better
}

// Find returns the first rule below best that matches, best if none does. The anchors in
// s are those that the path has; everyPath says that what waits on every path counts.
func (g *Gaps) Find(s *Scratch, path []byte, everyPath bool, best uint32) uint32 {
	possible := uint32(None)
	if everyPath {
		possible = g.Best
	}
	for _, a := range s.Anchors {
		possible = min(possible, g.Anchors[a.Anchor].Best)
	}
	if possible >= best || g.Needed != 0 && bytes.IndexByte(path, g.Needed) < 0 {
		return best
	}
	b := block{0, 0, g.Start.places(path)}
	at, state := g.begin(path, 0, &b)
	if state == 0 {
		return best
	}
	r := run{Gaps: g, s: s, length: len(path), everyPath: everyPath, best: best, possible: possible}
	for state != 0 {
		at, state = g.begin(path, r.read(path, at, state), &b)
	}
	return r.best
}

// read reads from an octet on, in a state, until it is back at the root, and returns the
// octet at which that was.
func (r *run) read(path []byte, at int, state uint32) int {
	for state != 0 {
		if r.Act[state] != 0 {
			if r.act(r.Act[state], at); r.best <= r.possible {
				return len(path)
			}
		}
		if at == len(path) {
			break
		}
		// Back at the root, or where a segment has but begun, the filter goes on.
		if state = r.next(state, path[at]); state <= r.Shallow {
			if state > 0 {
				return at - 1
			}
			return at
		}
		at++
	}
	return at
}

// begin returns where a segment that begins at octet i or later goes on, and in which
// state; state 0 if none begins. b is the last block of places that was made, which begin
// replaces where the path goes on behind it.
func (g *Gaps) begin(path []byte, i int, b *block) (at int, state uint32) {
	for i < len(path) {
		if i >= b.from+64 {
			*b = block{0, i, g.Start.places(path[i:])}
		}
		for set := b.set >> (i - b.from); set != 0; set &= set - 1 {
			at := i + bits.TrailingZeros64(set)
			if state := g.Root[path[at]]; state != 0 {
				return at + 1, uint32(state)
			}
		}
		i = b.from + 64
	}
	return len(path), 0
}

// next returns the state that an octet leads to. A result up to Shallow has not read the
// octet: it is 0 if the octet must be read from the root, and the state of the octet before
// it if a segment may have begun with that one.
func (g *Gaps) next(state uint32, c byte) uint32 {
	for {
		child, end := g.First[state], g.First[state+1]
		if end-child > 8 {
			child = g.childOfMany(child, end, c)
		}
		for ; child < end; child++ {
			if g.Label[child] == c {
				return child
			}
		}
		if state = g.Fail[state]; state <= g.Shallow {
			return state
		}
	}
}

// childOfMany returns the state with a label from child to end-1, end if there is none.
func (g *Gaps) childOfMany(child, end uint32, c byte) uint32 {
	if i := bytes.IndexByte(g.Label[child:end], c); i >= 0 {
		return child + uint32(i)
	}
	return end
}

// act goes on behind the nodes that wait for the symbols that end at an octet of the path;
// at is the state of the longest of these symbols.
func (r *run) act(at uint32, end int) {
	s := &r.s.gapScratch
	if !r.acted {
		r.acted = true
		s.begin(r.Gaps)
	}
	for ; s.opened < len(r.s.Anchors) && int(r.s.Anchors[s.opened].End) <= end; s.opened++ {
		a := r.s.Anchors[s.opened]
		s.queue(r.Gaps, r.Anchors[a.Anchor], a.End, r.best)
	}
	for ; at != 0; at = r.Act[r.Fail[at]] {
		symbol := r.Symbol[at]
		begin := uint32(end) - r.Len[symbol]
		if r.everyPath && r.EveryPath[symbol] < r.EveryPath[symbol+1] {
			r.actEveryPath(symbol, begin, end)
		}
		if s.queues[2*symbol].generation == s.generation || end == r.length {
			r.actQueued(symbol, begin, end)
		}
		if r.from != nil {
			r.actGroups(symbol, begin, end)
		}
	}
}

func (r *run) actGroups(symbol, begin uint32, end int) {
	s := &r.s.gapScratch
	for _, c := range r.grouped[r.from[symbol]:r.from[symbol+1]] {
		if g := &s.groups[c.group]; g.generation == s.generation && g.end <= begin {
			r.actUnqueued(c.node, &r.Nodes[c.node], end)
		}
	}
}

// actUnqueued goes on behind a node that is in no queue, whose symbol has ended.
func (r *run) actUnqueued(id uint32, node *GapNode, end int) {
	s := &r.s.gapScratch
	switch {
	case node.Best >= r.best:
	case node.AtEnd:
		if end == r.length {
			r.best = node.Accept
		}
	case s.seen[id] != s.generation:
		s.seen[id] = s.generation
		r.pass(node, end)
	}
}

func (r *run) actEveryPath(symbol, begin uint32, end int) {
	for id := r.EveryPath[symbol]; id < r.EveryPath[symbol+1]; id++ {
		if node := &r.Nodes[id]; begin >= uint32(node.From) {
			r.actUnqueued(id, node, end)
		}
	}
}

func (r *run) actQueued(symbol, begin uint32, end int) {
	s := &r.s.gapScratch
	q := &s.queues[2*symbol]
	for q.generation == s.generation && q.first != None && s.waiting[q.first].end <= begin {
		node := &r.Nodes[s.waiting[q.first].node]
		q.first = s.waiting[q.first].next
		r.pass(node, end)
	}
	if end < r.length {
		return
	}
	if q = &s.queues[2*symbol+1]; q.generation != s.generation {
		return
	}
	for i := q.first; i != None && s.waiting[i].end <= begin; i = s.waiting[i].next {
		r.best = min(r.best, r.Nodes[s.waiting[i].node].Accept)
	}
}

// pass goes on behind a node whose segment has been found: it may be the last of a rule, and
// other nodes may wait behind it.
func (r *run) pass(node *GapNode, end int) {
	if node.Best >= r.best {
		return
	}
	r.best = min(r.best, node.Accept)
	r.s.queue(r.Gaps, node.Children, uint32(end), r.best)
}
