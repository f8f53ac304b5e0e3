package automaton

import (
	"bytes"
	"math/bits"
	"slices"
)

// The automaton of gaps, in one line: Aho and Corasick's (1975) reads the path
// once, and where a segment ends, the nodes that wait for it go on. It is for the few
// rules that the search for segments (segments.go) could take long with: whatever they
// are, it takes the same time for each octet. Three things complicate it.
//
// First, on most paths no segment begins at most octets. As long as the
// automaton is at its root, a filter of three octets, 64 places at a time, tells
// where one may begin.
//
// Second, a node may go on only once the one before it has, and only with a
// segment that begins where that one ended or later. So each symbol has a queue
// of the nodes that wait for it, in the order of where the one before ended, and
// those at its front that may go on leave it for good. What a node costs, it
// costs once a path, however often its segment is found; what is paid for each
// time is a look at the queue, some ten nanoseconds. Queues begin empty for
// each path without being cleared, by a generation. Nodes that wait on every
// path, the floats, are found by their symbol and never queued, nor are the many
// kids of one node, so that a path does not pay for all of them.
//
// Third, a segment that is anchored must end where the path does. It waits in a
// queue of its own, which is looked at when the path is read and its last octet
// has ended the symbol.

// reached is an anchor that the path has, and where it ends.
type reached struct{ anchor, end uint32 }

// gapScratch is what the automaton of gaps writes to.
type gapScratch struct {
	generation uint64
	queues     []queue  // for each symbol two: of its nodes, and of those that are anchored
	waiting    []waiter // of all queues
	families   []family // of kids that wait too, but are in no queue
	seen       []uint64 // of each node that is in no queue, the generation in which it was last seen
	opened     int      // the anchors whose kids wait
	anchors    []reached
}

type queue struct {
	generation  uint64 // the queue is empty if it is not the current one
	first, last uint32 // indexes in waiting
}

type waiter struct {
	node, end uint32 // from where on the node's segment may begin
	next      uint32 // index in waiting, None at the end of the queue
}

// begin empties all queues and sees to it that there are enough for g.
func (s *gapScratch) begin(g *Gaps) {
	s.generation++
	s.waiting = s.waiting[:0]
	s.opened = 0
	if n := 2 * len(g.Len); len(s.queues) < n {
		s.queues = append(s.queues, make([]queue, n-len(s.queues))...)
	}
	if n := len(g.families); len(s.families) < n {
		s.families = append(s.families, make([]family, n-len(s.families))...)
	}
	if n := len(g.Nodes); len(s.seen) < n {
		s.seen = append(s.seen, make([]uint64, n-len(s.seen))...)
	}
}

// wait lets those nodes wait for their segments that can do better than best.
func (s *gapScratch) wait(g *Gaps, kids, kidsEnd, end, best uint32) {
	if kidsEnd-kids > maxQueued {
		i, _ := slices.BinarySearch(g.families, kids)
		s.families[i] = family{s.generation, end}
		return
	}
	for id := kids; id < kidsEnd; id++ {
		node := &g.Nodes[id]
		if node.Best >= best {
			continue
		}
		i := 2 * node.Symbol
		if node.Anchored {
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
	s      *Scratch
	length int  // of the path
	floats bool // those wait too
	acted  bool // begin was called
	best   uint32
	floor  uint32 // no rule that may still be found is better
}

// first returns the first rule below best that matches, best if none does. The
// anchors in s are those that the path has.
func (g *Gaps) first(s *Scratch, path []byte, floats bool, best uint32) uint32 {
	floor := uint32(None)
	if floats {
		floor = g.Best
	}
	for _, a := range s.anchors {
		floor = min(floor, g.Anchors[a.anchor].Best)
	}
	if floor >= best || g.Must != 0 && bytes.IndexByte(path, g.Must) < 0 {
		return best
	}
	b := block{0, 0, g.Begin.places(path)}
	at, state := g.begin(path, 0, &b)
	if state == 0 {
		return best
	}
	r := run{Gaps: g, s: s, length: len(path), floats: floats, best: best, floor: floor}
	for state != 0 {
		at, state = g.begin(path, r.read(path, at, state), &b)
	}
	return r.best
}

// read reads from an octet on, in a state, until it is back at the root, and
// returns the octet at which that was.
func (r *run) read(path []byte, at int, state uint32) int {
	for state != 0 {
		if r.Act[state] != 0 {
			if r.act(r.Act[state], at); r.best <= r.floor {
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
// state; state 0 if none begins. A block of places is at hand, and kept at hand.
func (g *Gaps) begin(path []byte, i int, b *block) (at int, state uint32) {
	for i < len(path) {
		if i >= b.from+64 {
			*b = block{0, i, g.Begin.places(path[i:])}
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

// next returns the state that an octet leads to. It is 0 if that octet must be read
// from the root, and if it must be read behind one octet only, where a segment may
// have begun, it is that state.
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

// childOfMany returns the state with a label from child to end-1, end if there is
// none.
func (g *Gaps) childOfMany(child, end uint32, c byte) uint32 {
	if i := bytes.IndexByte(g.Label[child:end], c); i >= 0 {
		return child + uint32(i)
	}
	return end
}

// act lets go on what waits for the symbols that end at an octet of the path; at
// is the state of the longest of them.
func (r *run) act(at uint32, end int) {
	s := &r.s.gapScratch
	if !r.acted {
		r.acted = true
		s.begin(r.Gaps)
	}
	for ; s.opened < len(s.anchors) && int(s.anchors[s.opened].end) <= end; s.opened++ {
		a := r.Anchors[s.anchors[s.opened].anchor]
		s.wait(r.Gaps, a.Kids, a.KidsEnd, s.anchors[s.opened].end, r.best)
	}
	for ; at != 0; at = r.Act[r.Fail[at]] {
		symbol := r.Symbol[at]
		begin := uint32(end) - r.Len[symbol]
		if r.floats && r.Floats[symbol] < r.Floats[symbol+1] {
			r.actFloats(symbol, begin, end)
		}
		if s.queues[2*symbol].generation == s.generation || end == r.length {
			r.actQueued(symbol, begin, end)
		}
		if r.kidsFrom != nil {
			r.actFamilies(symbol, begin, end)
		}
	}
}

func (r *run) actFamilies(symbol, begin uint32, end int) {
	s := &r.s.gapScratch
	for _, k := range r.kids[r.kidsFrom[symbol]:r.kidsFrom[symbol+1]] {
		if f := &s.families[k.family]; f.generation == s.generation && f.end <= begin {
			r.actUnqueued(k.node, &r.Nodes[k.node], end)
		}
	}
}

// actUnqueued is for a node that is in no queue, whose symbol has ended.
func (r *run) actUnqueued(id uint32, node *Node, end int) {
	s := &r.s.gapScratch
	switch {
	case node.Best >= r.best:
	case node.Anchored:
		if end == r.length {
			r.best = node.Accept
		}
	case s.seen[id] != s.generation:
		s.seen[id] = s.generation
		r.pass(node, end)
	}
}

func (r *run) actFloats(symbol, begin uint32, end int) {
	for id := r.Floats[symbol]; id < r.Floats[symbol+1]; id++ {
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

// pass is what happens when a node's segment has been found: it may be the last
// of a rule, and others may wait behind it.
func (r *run) pass(node *Node, end int) {
	if node.Best >= r.best {
		return
	}
	r.best = min(r.best, node.Accept)
	r.s.wait(r.Gaps, node.Kids, node.KidsEnd, uint32(end), r.best)
}
