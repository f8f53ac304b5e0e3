package table

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// How the gap automaton works. Like Aho and Corasick's (1975), it reads the path once, and where a segment ends, the
// nodes waiting for that segment proceed. Five things complicate it.
//
// First, on most paths no segment begins at most bytes. While the automaton is at its root, a three-byte filter finds
// the places, out of 64 at a time, where one may begin.
//
// Second, all symbols that are suffixes of one another can end at the same byte. Looking at each of them
// at each byte would take quadratic time. So the path is read before any node proceeds, and only the
// longest symbol that ends at each byte is recorded. From there, the suffixes are followed up to the first
// one already seen, so each symbol costs one step per path: once from the end of the path, to find the
// last occurrence of each symbol, and once from its start, where the nodes that wait on every path
// proceed.
//
// Third, a node may proceed only after the one before it has, and only with a segment that begins
// where the previous one ended or later. It waits in a list for the first byte at which its
// segment may end. From that byte on its symbol is in the set of awaited symbols until it ends:
// then all its nodes proceed, each once per path. Symbols are numbered so that suffixes of one
// another are neighbours (Gaps.up), which allows awaited ones to be found one word of the set at a
// time.
//
// Fourth, a node may have many children. Those whose symbol does not occur in the path after the node are skipped.
// If a node has many more children than the path has symbols, the symbols are looked up among the children
// instead.
//
// Fifth, many rules may begin differently and continue alike, with segments that the path contains in
// another order. Such rules share a tail (Gaps.tails). If the last occurrences of its segments are in
// order, they decide for each rule that reaches the tail whether it matches; if not, they often show
// that it does not. Of the remaining rules, only those wait that outrank all that are already
// waiting.
//
// So the time for a match is linear in the bytes of the path, each times at most the logarithm of the number of
// symbols (the number of times that a path in the suffix tree switches to a larger tree); in the different
// symbols in the path; and in the nodes that proceed, each times the number of its children or of the symbols in
// the path, whichever is less. A path of n bytes contains at most n(n+1)/2 different symbols. Of each length l,
// there are at most n, and at most 1/l of the bytes of all rules. TestSearch in package bench looks for rules
// that take longer.

// Gaps finds the segments after gaps. An Aho-Corasick automaton reads the path, and where the last byte of a segment is
// read, the nodes that wait for it act.
//
// States are numbered by depth and, among the children of one parent, by label, so the children of state s are
// First[s] to First[s+1]-1. State 0 is the root, where no segment has begun. States 1 to Shallow have one
// byte.
type Gaps struct {
	First   []uint32 // one more than the states
	Label   []byte   // the byte that leads to the state
	Fail    []uint32 // the state of the longest proper suffix
	Act     []uint32 // the nearest of the state and its suffixes where a symbol ends, 0 if none does
	Symbol  []uint32 // the symbol that ends at the state; only where Act[s] == s
	Shallow uint32
	Root    [256]uint8  // child of the root by label, 0 if none
	Start   StartFilter // where segments may begin

	// Needed is a byte that occurs after the gaps of each rule, so that no rule in this automaton
	// matches without it. It is 0 if there is none.
	Needed byte

	// Len is the number of bytes of each symbol, a segment that follows a gap in one or more rules.
	Len []uint32
	// EveryPath locates the nodes that wait on every path, for rules whose first segment is the slash
	// or nothing. The nodes of symbol n are EveryPath[n] to EveryPath[n+1]-1. They are the first
	// nodes.
	EveryPath []uint32
	// Nodes are the segments of rules: a node for each distinct list of a prefix and the segments up
	// to this one.
	Nodes []GapNode
	// Anchors are the prefixes that a gap follows. Anchor 0 is none.
	Anchors []Children
	// Best is the first rule among those that wait on every path, None if there is none.
	Best uint32

	// Complete sets these. chains is per symbol. tails is per node: the node itself or another one
	// that exactly the same must follow, including its own segment, or None if more than one rule
	// waits for the node.
	chains []chain
	tails  []uint32
}

// chain locates the suffixes of a symbol. A run is a sequence of consecutive symbols, each of which
// is the longest proper suffix of the next that is a symbol.
type chain struct {
	up    uint32 // the longest proper suffix that is a symbol, None if there is none
	first uint32 // of the symbol's run
}

// GapNode is a segment after a gap, in rules that are the same up to it.
type GapNode struct {
	// Symbol is the number of its segment's text, see Gaps.Symbol.
	Symbol uint32
	// Accept is the first rule that ends with this segment.
	Accept uint32
	// Children wait once this segment is found. Best is the first rule of this node and its children.
	Children
	// From is the earliest place where the segment may begin, for a node that waits on every path: 1
	// if a slash precedes the gap, else 0.
	From uint8
	// AtEnd means that the segment must end where the path ends. Such a node has no children.
	AtEnd bool
}

// Children are the nodes that wait once a prefix or segment before a gap is found, as a half-open
// range of indexes, and the first rule of them and their children.
type Children struct {
	First, End, Best uint32
}

// complete is Complete for the gaps.
func (g *Gaps) complete() {
	g.Start.complete()
	g.completeTails()
	g.chains = make([]chain, len(g.Len))
	for state, act := range g.Act {
		if uint32(state) != act || act == 0 {
			continue
		}
		up := uint32(None)
		if suffix := g.Act[g.Fail[state]]; suffix != 0 {
			up = g.Symbol[suffix]
		}
		g.chains[g.Symbol[state]].up = up
	}
	for symbol := range g.chains {
		c := &g.chains[symbol]
		c.first = uint32(symbol)
		if symbol > 0 && c.up == uint32(symbol-1) {
			c.first = g.chains[symbol-1].first
		}
	}
}

// completeTails finds the nodes that only one rule waits for, and which of them are equal.
func (g *Gaps) completeTails() {
	type tail struct {
		symbol, next uint32 // None if nothing follows
		atEnd        bool
	}
	alike := map[tail]uint32{}
	g.tails = make([]uint32, len(g.Nodes))
	for id, node := range slices.Backward(g.Nodes) { // children come after their parents
		t := tail{node.Symbol, None, node.AtEnd}
		if node.First < node.End {
			t.next = g.tails[node.First]
			if t.next == None || node.First+1 < node.End || node.Accept != None {
				g.tails[id] = None
				continue
			}
		}
		if _, ok := alike[t]; !ok {
			alike[t] = uint32(id)
		}
		g.tails[id] = alike[t]
	}
}

// gapScratch is the memory that the gap automaton writes to.
type gapScratch struct {
	generation uint32
	ends       []ending  // the longest symbols that end in the path, in path order
	seen       []seen    // per symbol
	found      []uint32  // the symbols in the path
	rooms      []room    // per node, for tails
	waiting    []waiter  // nodes that wait or have waited
	due        []uint64  // the bytes at which symbols of waiters may first end, 64 to a word
	wake       []uint32  // the last such waiter for each of these bytes, see waiter
	awaited    symbolSet // symbols that nodes wait for and that may end now
	ready      []uint32  // the last waiter of each awaited symbol
	opened     int       // anchors whose children wait
	woken      uint32    // words of due that are 0 for good
}

// ending is a symbol and the place in the path where it ends.
type ending struct{ end, symbol uint32 }

// seen records the occurrences of a symbol in the path.
type seen struct {
	generation uint32 // the rest belongs to another path unless this is current
	last       uint32 // where the symbol ends last, with isPast set once it has ended
}

// room records where a tail fits in the path.
type room struct {
	generation uint32 // the rest belongs to another path unless this is current
	// The path doesn't contain the tail from this byte on. isCertain means that it contains the tail
	// from all earlier bytes.
	until      uint32
	rule, from uint32 // the best rule that has waited for the tail, None if none has, and from which byte on
}

// isCertain is a bit that no path length has, like isPast.
const isCertain = 1 << 31

// isPast is a bit that no path length has.
const isPast = 1 << 31

// waiter is a waiting node. Next is the number of another in the same list, 0 if there is none;
// numbers are indexes plus one.
type waiter struct{ node, next uint32 }

// begin allocates space for the symbols of g, and discards the state of the last path.
func (s *gapScratch) begin(g *Gaps) {
	if s.generation++; s.generation == 0 { // once in four thousand million paths
		clear(s.seen)
		clear(s.rooms)
		s.generation = 1
	}
	if n := len(g.Len); len(s.seen) < n {
		s.seen, s.ready = make([]seen, n), make([]uint32, n)
	}
	if n := len(g.Nodes); len(s.rooms) < n {
		s.rooms = make([]room, n)
	}
	s.found, s.waiting = s.found[:0], s.waiting[:0]
	s.opened = 0
}

// beginToWait allocates space for the nodes that wait on a path.
func (s *gapScratch) beginToWait(g *Gaps, path uint32) {
	n, words := int(path)+1, int(path)/64+1
	s.wake = slices.Grow(s.wake[:0], n)[:n]
	s.due = slices.Grow(s.due[:0], words)[:words]
	clear(s.due)
	s.awaited.reset(len(g.Len))
	s.woken = 0
}

// run is the reading of one path.
type run struct {
	*Gaps
	s         *Scratch
	length    uint32 // of the path
	everyPath bool   // what waits on every path counts
	best      uint32
	spare     uint32 // remaining budget for examining segments beyond segmentsAhead per rule
}

// Find returns the first rule below best that matches, or best if none does. s has the anchors of
// the path; everyPath means that what waits on every path counts.
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
	g.read(s, path)
	if len(s.ends) == 0 {
		return best
	}
	r := run{Gaps: g, s: s, length: uint32(len(path)), everyPath: everyPath, best: best,
		spare: uint32(min(len(path), maxSpare))}
	r.find(possible)
	return r.best
}

// read records the longest symbols that end in the path.
func (g *Gaps) read(s *Scratch, path []byte) {
	s.ends = s.ends[:0]
	b := block{0, 0, g.Start.places(path)}
	at, state := g.begin(path, 0, &b)
	for state != 0 {
		Spend(1)
		if act := g.Act[state]; act != 0 {
			s.ends = append(s.ends, ending{uint32(at), g.Symbol[act]})
		}
		if at == len(path) {
			return
		}
		// Back at the root, or where a segment has only just begun, the filter continues.
		next := g.next(state, path[at])
		switch {
		case next > g.Shallow:
			at, state = at+1, next
		case next > 0:
			at, state = g.begin(path, at-1, &b)
		default:
			at, state = g.begin(path, at, &b)
		}
	}
}

// begin returns where a segment that begins at byte i or later continues, and in which state; state
// 0 if none begins. b is the last block of places, which begin replaces when the path continues
// after it.
func (g *Gaps) begin(path []byte, i int, b *block) (at int, state uint32) {
	for i < len(path) {
		Spend(1)
		if i >= b.from+64 {
			*b = block{0, i, g.Start.places(path[i:])}
		}
		for set := b.set >> (i - b.from); set != 0; set &= set - 1 {
			Spend(1)
			at := i + bits.TrailingZeros64(set)
			if state := g.Root[path[at]]; state != 0 {
				return at + 1, uint32(state)
			}
		}
		i = b.from + 64
	}
	return len(path), 0
}

// next returns the state to which a byte leads. A result up to Shallow has not consumed the byte:
// it is 0 if the byte must be read from the root, and the state of the previous byte if a segment
// may have begun there.
func (g *Gaps) next(state uint32, c byte) uint32 {
	for {
		Spend(1)
		child, end := g.First[state], g.First[state+1]
		if end-child > 8 {
			child = g.childOfMany(child, end, c)
		}
		for ; child < end; child++ {
			if g.Label[child] == c {
				return child
			}
		}
		state = g.Fail[state]
		if state <= g.Shallow {
			return state
		}
	}
}

// childOfMany returns the state with a label among child to end-1, or end if there is none.
func (g *Gaps) childOfMany(child, end uint32, c byte) uint32 {
	if i := bytes.IndexByte(g.Label[child:end], c); i >= 0 {
		return child + uint32(i)
	}
	return end
}

// find goes through the symbols that end in the path, until no rule that can still be found
// outranks the best one.
func (r *run) find(possible uint32) {
	s := r.s
	s.begin(r.Gaps)
	for i := len(s.ends) - 1; i >= 0; i-- {
		e := s.ends[i]
		for symbol := e.symbol; symbol != None && s.seen[symbol].generation != s.generation; symbol = r.chains[symbol].up {
			Spend(1)
			s.seen[symbol] = seen{s.generation, e.end}
			s.found = append(s.found, symbol)
		}
	}
	for i := 0; i < len(s.ends) && r.best > possible; i++ {
		e := s.ends[i]
		for ; s.opened < len(s.Anchors) && s.Anchors[s.opened].End <= e.end; s.opened++ {
			a := s.Anchors[s.opened]
			r.wait(r.Anchors[a.Anchor], a.End, segmentsAhead)
		}
		if len(s.waiting) > 0 {
			r.wakeUp(e.end)
			if s.awaited.n > 0 {
				r.goOn(e)
			}
		}
		r.begins(e)
	}
}

// begins continues after the nodes of every path for the symbols that end for the first time.
func (r *run) begins(e ending) {
	s := r.s
	for symbol := e.symbol; symbol != None && s.seen[symbol].last&isPast == 0; symbol = r.chains[symbol].up {
		Spend(1)
		last := s.seen[symbol].last
		s.seen[symbol].last |= isPast
		if !r.everyPath {
			continue
		}
		for id := r.EveryPath[symbol]; id < r.EveryPath[symbol+1]; id++ {
			Spend(1)
			if node := &r.Nodes[id]; node.AtEnd || e.end < r.Len[symbol]+uint32(node.From) {
				r.waitFor(id, uint32(node.From), last, 0)
			} else {
				r.pass(node, e.end, segmentsAhead)
			}
		}
	}
}

// wait makes those children wait that may match after a byte of the path. It looks some segments
// ahead, and where rules part, as many as if they began here.
func (r *run) wait(c Children, end uint32, ahead int) {
	if c.Best >= r.best {
		return
	}
	if c.End-c.First > 1 {
		ahead = segmentsAhead
	}
	s := r.s
	if int(c.End-c.First) <= manyChildren*len(s.found) {
		Spend(int(c.End - c.First))
		for id := c.First; id < c.End; id++ {
			node := &r.Nodes[id]
			if at := s.seen[node.Symbol]; at.generation == s.generation && node.Best < r.best {
				r.waitFor(id, end, at.last&^isPast, ahead)
			}
		}
		return
	}
	for _, symbol := range s.found {
		Spend(manyChildren)
		children := r.Nodes[c.First:c.End]
		i, _ := slices.BinarySearchFunc(children, symbol, func(n GapNode, symbol uint32) int {
			return cmp.Compare(n.Symbol, symbol)
		})
		for ; i < len(children) && children[i].Symbol == symbol; i++ {
			r.waitFor(c.First+uint32(i), end, s.seen[symbol].last&^isPast, ahead)
		}
	}
}

// manyChildren is the ratio of a node's children to the path's symbols above which the children are
// searched rather than traversed.
const manyChildren = 8

// waitFor makes a node wait for its symbol, which must begin at a byte or later and ends for the
// last time at another, unless what follows decides at once whether its rule matches.
func (r *run) waitFor(id, from, last uint32, ahead int) {
	node := &r.Nodes[id]
	if node.Best >= r.best {
		return
	}
	isLast := node.First == node.End
	if tail := r.tails[id]; tail != None && !isLast && (ahead > 0 || tail != id) &&
		r.isDecided(tail, from, node.Best, ahead) {
		return
	}
	end := from + r.Len[node.Symbol]
	if end > last {
		return
	}
	if isLast {
		if !node.AtEnd || last == r.length {
			r.best = node.Accept
		}
		return
	}
	s := r.s
	if len(s.waiting) == 0 {
		s.beginToWait(r.Gaps, r.length)
	}
	others := uint32(0)
	if due, bit := &s.due[end/64], uint64(1)<<(end%64); *due&bit != 0 {
		others = s.wake[end]
	} else {
		*due |= bit
	}
	s.waiting = append(s.waiting, waiter{id, others})
	s.wake[end] = uint32(len(s.waiting))
}

// isDecided reports whether a rule that outranks the best needn't wait for a tail from a byte on:
// it is certain whether the path contains the tail there, or a rule that outranks this one waits
// for the same tail.
func (r *run) isDecided(tail, from, rule uint32, ahead int) bool {
	room := &r.s.rooms[tail]
	if room.generation != r.s.generation {
		r.measure(tail, ahead)
	}
	switch {
	case from >= room.until&^isCertain:
		return true
	case room.until&isCertain != 0:
		r.best = rule
		return true
	case room.rule <= rule && room.from <= from:
		return true
	}
	room.rule, room.from = rule, from
	return false
}

// segmentsAhead is how many segments after the next one are examined for each rule. maxSpare is how
// many more are examined per path, so that a tail shared by many rules is known to its end.
const segmentsAhead, maxSpare = 3, 256

// measure determines where in the path a tail fits. It starts from the last occurrences of the
// tail's segments: if these are in order, the answer is certain. It looks at some segments ahead,
// and at others while r.spare lasts.
func (r *run) measure(tail uint32, ahead int) {
	s := r.s
	node := &r.Nodes[tail]
	room := &s.rooms[tail]
	room.generation, room.until, room.rule = s.generation, 0, None
	at := s.seen[node.Symbol]
	end := at.last &^ isPast
	if at.generation != s.generation || node.AtEnd && end < r.length {
		return
	}
	certain := uint32(isCertain)
	if node.First < node.End {
		next := r.roomBehind(r.tails[node.First], ahead)
		certain = next & isCertain
		next &^= isCertain
		if end >= next {
			certain = 0
			if next == 0 {
				return
			}
			end = next - 1
		}
	}
	if n := r.Len[node.Symbol]; end >= n {
		room.until = end - n + 1 | certain
	}
}

// roomBehind returns room.until for the tail that follows another.
func (r *run) roomBehind(tail uint32, ahead int) uint32 {
	room := &r.s.rooms[tail]
	if room.generation == r.s.generation {
		return room.until
	}
	if ahead <= 0 {
		if r.spare == 0 {
			return isCertain - 1 // it may be anywhere
		}
		r.spare--
	}
	Spend(1)
	r.measure(tail, ahead-1)
	return room.until
}

// wakeUp adds to the awaited symbols the symbols of all nodes whose segments may end by a byte.
func (r *run) wakeUp(end uint32) {
	s := r.s
	for ; ; s.woken++ {
		Spend(1)
		due := s.due[s.woken]
		if s.woken == end/64 {
			due &= upTo(end)
		}
		s.due[s.woken] &^= due
		for ; due != 0; due &= due - 1 {
			r.await(s.wake[int(s.woken)*64+bits.TrailingZeros64(due)])
		}
		if s.woken == end/64 {
			return
		}
	}
}

// await adds the symbols of a list of waiters to the awaited ones.
func (r *run) await(i uint32) {
	s := r.s
	for i != 0 {
		Spend(1)
		w := &s.waiting[i-1]
		symbol := r.Nodes[w.node].Symbol
		if s.awaited.add(symbol) {
			s.ready[symbol] = 0
		}
		i, w.next, s.ready[symbol] = w.next, s.ready[symbol], i
	}
}

// goOn continues after the nodes that wait for the symbols ending at a byte.
func (r *run) goOn(e ending) {
	s := r.s
	for symbol := e.symbol; symbol != None; {
		Spend(1)
		first := r.chains[symbol].first
		for at := s.awaited.last(symbol); at != None && at >= first; at = s.awaited.last(at) {
			s.awaited.remove(at)
			for i := s.ready[at]; i != 0; i = s.waiting[i-1].next {
				Spend(1)
				r.pass(&r.Nodes[s.waiting[i-1].node], e.end, 0)
			}
		}
		symbol = r.chains[first].up
	}
}

// pass continues after a node whose segment has been found: it may be the last of a rule, and other
// nodes may wait after it.
func (r *run) pass(node *GapNode, end uint32, ahead int) {
	if node.Best < r.best {
		r.best = min(r.best, node.Accept)
		r.wait(node.Children, end, ahead)
	}
}
