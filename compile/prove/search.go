package prove

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"
	"strings"
)

// A search goes from the empty path over the states that all patterns of a space have together, as
// far as they still matter: of a pattern that has matched, the ranks are kept, and patterns that
// these outrank are dropped. It takes the paths in the order of the least length that they can have
// when they match a pattern (A*, Hart, Nilsson and Raphael 1968), and of equal length in the order
// of bytes, so that the first that is wanted is the answer. States that can lead to none are left out.
type search struct {
	space    *space
	patterns []*pattern
	wanted   *wanted
	within   *pattern // that the path must match; nil for every path
	alphabet []unit
	longest  int // paths longer than this are not wanted
	steps    int // that are left

	queue  queue
	closed map[string]struct{}
	key    []byte
	moved  [units][]item // by the units that move a pattern of the node at hand
	moves  [units]bool   // which these are
	stay   []item        // after all other units
}

// wanted says which verdicts are wanted, by the bits of the machines that forbid.
type wanted [1 << MaxMachines]bool

// node is the state after a path.
type node struct {
	path    string
	length  int // the least of the paths from here that match within
	items   []item
	best    [MaxMachines]uint32 // the highest rank that has matched whatever follows
	within  state
	percent percent
}

// item is a pattern that may still match, by its number in the search.
type item struct {
	pattern uint32
	at      state
}

// queue has the nodes in the order of length, then of the lengths of their paths, then of bytes.
type queue []*node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	x, y := q[i], q[j]
	return cmp.Or(cmp.Compare(x.length, y.length), cmp.Compare(len(x.path), len(y.path)),
		strings.Compare(x.path, y.path)) < 0
}
func (q *queue) Push(n any) { *q = append(*q, n.(*node)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return n
}

// run returns the path, nil if there is none, and whether that is proved.
func (s *search) run() (f *found, decided bool) {
	s.closed = map[string]struct{}{}
	s.begin()
	for len(s.queue) > 0 {
		n := heap.Pop(&s.queue).(*node)
		if n.path != robotsTxt {
			if s.isWanted(n) {
				return &found{n.path, s.deciding(n)}, true
			}
			if s.isKnown(n) {
				continue
			}
			s.closed[string(s.key)] = struct{}{}
		}
		s.expand(n)
		if s.steps < 0 {
			return nil, false
		}
	}
	return nil, true
}

// robotsTxt is the path that everybody may fetch, so that no answer has it.
const robotsTxt = "/robots.txt"

// begin puts the path "/" into the queue.
func (s *search) begin() {
	const slash = '/'
	n := &node{path: "/"}
	for i := range n.best {
		n.best[i] = unranked
	}
	if s.within != nil {
		n.within = advance(s.within, s.within.start(), slash)
	}
	for i, p := range s.patterns {
		n.add(p, item{uint32(i), advance(p, p.start(), slash)})
	}
	s.steps -= len(s.patterns)
	s.push(n)
}

// advance returns the state of a pattern after a unit.
func advance(p *pattern, at state, u unit) state {
	if at < 0 {
		return at
	}
	return p.after(at, u)
}

// add adds the state of a pattern.
func (n *node) add(p *pattern, x item) {
	switch x.at {
	case dead:
	case matched:
		for i := range n.best {
			n.best[i] = min(n.best[i], p.rank[i])
		}
	default:
		n.items = append(n.items, x)
	}
}

// push puts a node into the queue if it can lead to what is wanted.
func (s *search) push(n *node) {
	n.items = slices.DeleteFunc(n.items, func(x item) bool { return !s.patterns[x.pattern].matters(&n.best) })
	s.steps -= len(n.items) + 8 + len(n.path)/16
	n.length = len(n.path)
	if s.within != nil && n.within != matched {
		if n.within == dead {
			return
		}
		n.length += int(s.within.lengths[n.within])
	}
	if n.length > s.longest || !s.isPossible(n) || s.isKnown(n) {
		return
	}
	heap.Push(&s.queue, n)
}

// matters reports whether the pattern outranks the best in a ranking.
func (p *pattern) matters(best *[MaxMachines]uint32) bool {
	for i, rank := range p.rank {
		if rank < best[i] {
			return true
		}
	}
	return false
}

// isKnown reports whether a path to the same state was taken before. It leaves the state in key.
func (s *search) isKnown(n *node) bool {
	k := append(s.key[:0], byte(n.percent))
	k = binary.AppendVarint(k, int64(n.within))
	for i := range s.space.machines {
		k = binary.AppendUvarint(k, uint64(n.best[i]))
	}
	last := uint32(0)
	for _, x := range n.items {
		k = binary.AppendUvarint(binary.AppendUvarint(k, uint64(x.pattern-last)), uint64(x.at))
		last = x.pattern
	}
	s.key = k
	_, known := s.closed[string(k)]
	return known
}

// isWanted reports whether the path of a node is wanted as it is.
func (s *search) isWanted(n *node) bool {
	if s.within != nil && n.within != matched && !s.within.atItsEnd(n.within) {
		return false
	}
	forbidden := 0
	for i, rank := range s.deciding(n) {
		if s.space.forbids(i, rank) {
			forbidden |= 1 << i
		}
	}
	return s.wanted[forbidden]
}

// deciding returns the ranks of the rules that decide on the path of a node as it is.
func (s *search) deciding(n *node) [MaxMachines]uint32 {
	best := n.best
	for _, x := range n.items {
		if p := s.patterns[x.pattern]; p.atItsEnd(x.at) {
			for i := range best {
				best[i] = min(best[i], p.rank[i])
			}
		}
	}
	return best
}

// isPossible reports whether verdicts that are wanted can follow from the ranks of a node and of the
// patterns that may still match.
func (s *search) isPossible(n *node) bool {
	var can [2]int // the machines that may allow, and those that may forbid
	for i := range s.space.machines {
		bit := 1 << i
		can[index(s.space.forbids(i, n.best[i]))] |= bit
		for _, x := range n.items {
			if rank := s.patterns[x.pattern].rank[i]; rank < n.best[i] {
				can[index(s.space.forbids(i, rank))] |= bit
			}
		}
	}
	for forbidden := range 1 << len(s.space.machines) {
		if s.wanted[forbidden] && forbidden&^can[1] == 0 && (1<<len(s.space.machines)-1)&^forbidden&^can[0] == 0 {
			return true
		}
	}
	return false
}

func index(is bool) int {
	if is {
		return 1
	}
	return 0
}

// expand puts the nodes after a node into the queue: one for each unit that moves a pattern, and
// one for the first of all others.
func (s *search) expand(n *node) {
	s.move(n)
	others := false
	for _, u := range s.alphabet {
		moves := s.moves[u]
		if !moves && (others || u >= escaped || u == '%') {
			continue
		}
		percent, may := n.percent.after(u)
		if !may {
			continue
		}
		others = others || !moves
		s.push(s.follow(n, u, percent))
	}
}

// move finds the units that move a pattern of a node, and where to.
func (s *search) move(n *node) {
	s.stay = s.stay[:0]
	for u := range s.moved { // those that were not in the alphabet
		s.moves[u], s.moved[u] = false, s.moved[u][:0]
	}
	for _, x := range n.items {
		m := s.patterns[x.pattern].from(x.at)
		if m.other != dead {
			s.stay = append(s.stay, item{x.pattern, m.other})
		}
		for _, y := range m.list {
			s.moves[y.unit] = true
			s.moved[y.unit] = append(s.moved[y.unit], item{x.pattern, y.to})
		}
	}
	if s.within != nil && n.within >= 0 {
		for _, y := range s.within.from(n.within).list {
			s.moves[y.unit] = true
		}
	}
}

// follow returns the node after a unit.
func (s *search) follow(n *node, u unit, percent percent) *node {
	next := &node{path: n.path + u.String(), best: n.best, within: n.within, percent: percent}
	if s.within != nil && n.within >= 0 {
		next.within = s.within.from(n.within).to(u)
	}
	moved, stay := s.moved[u], s.stay
	next.items = make([]item, 0, len(moved)+len(stay))
	for len(moved)+len(stay) > 0 {
		if len(moved) == 0 || len(stay) > 0 && stay[0].pattern < moved[0].pattern {
			next.add(s.patterns[stay[0].pattern], stay[0])
			stay = stay[1:]
			continue
		}
		if len(stay) > 0 && stay[0].pattern == moved[0].pattern {
			stay = stay[1:] // moved elsewhere
		}
		next.add(s.patterns[moved[0].pattern], moved[0])
		moved = moved[1:]
	}
	s.steps -= len(s.moved[u]) + len(s.stay)
	return next
}
