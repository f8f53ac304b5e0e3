package prove

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// A search starts at the path "/" and explores the joint states of an alternative's patterns. It
// visits paths by the minimum length of their matching extensions (A*, Hart, Nilsson and Raphael
// 1968), then in byte order, so that the first wanted path is the answer. It prunes paths that
// match a pattern to avoid, or lead to a state reached before.
type search struct {
	alternative
	space   *space
	from    sender // of the tried units, or a later one
	longest int    // limit on the length of paths
	steps   int    // remaining budget

	queue  queue
	both   *pair // the two patterns of must; nil if there aren't two
	closed map[string]struct{}
	key    []byte
	moves  [units]bool // some pattern of the current node moves by the unit
	moving []unit      // these units

	wakes  [units][]item // the patterns to avoid that a unit moves from where they rest, and their new states
	waking []unit        // the units with wakes
}

// node is the state after a path.
type node struct {
	path    string
	length  int // minimum length of matching paths from here
	must    [2]state
	percent percent
	// avoid lists, by number, the patterns to avoid that may still match and don't rest. It is derived
	// from the parent's when the node is taken from the queue, because few nodes ever are.
	avoid  []item
	parent *node
	unit   unit // last of the path
}

// item is a pattern that may still match, by its number in the search.
type item struct {
	pattern uint32
	at      state
}

// queue orders nodes by length, then by the lengths of their paths, then by bytes.
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

// robotsTxt is always allowed, so it is never an answer.
const robotsTxt = "/robots.txt"

// run returns the path, or "" if there is none, and whether that is proved.
func (s *search) run() (path string, decided bool) {
	if !s.begin() {
		return "", true
	}
	for len(s.queue) > 0 && s.steps > 0 {
		n := heap.Pop(&s.queue).(*node)
		switch {
		case n.parent != nil && !s.follow(n):
			continue
		case n.path == robotsTxt: // another path may lead to this state
		case s.isKnown(n):
			continue
		case s.isWanted(n):
			return n.path, true
		}
		s.expand(n)
	}
	return "", len(s.queue) == 0
}

// reset starts another search in the same memory.
func (s *search) reset(of alternative, from sender, longest, steps int) {
	for _, u := range s.waking {
		s.wakes[u] = s.wakes[u][:0]
	}
	clear(s.queue)
	*s = search{alternative: of, space: s.space, from: from, longest: longest, steps: steps, queue: s.queue[:0],
		key: s.key, moving: s.moving, wakes: s.wakes, waking: s.waking[:0]}
}

// begin puts the path "/" into the queue. It returns false if a pattern to avoid matches everything
// that some pattern of must matches.
func (s *search) begin() bool {
	for _, m := range s.must {
		for _, p := range s.space.covering(m, &s.steps) {
			s.steps -= len(s.avoid) / 8
			if slices.Contains(s.avoid, p) {
				return false
			}
		}
		if m.lengths == nil && m.form != automaton.FormRaw {
			s.steps -= stepsOfMoves * len(m.moves)
		}
		m.measure()
	}
	root := &node{path: "/"}
	for i, m := range s.must {
		root.must[i] = m.root
	}
	if len(s.must) == 2 {
		s.both = newPair(s.must[0], s.must[1])
		s.steps -= s.both.steps
	}
	root.length = 1 + int(s.left(root))
	if root.length > s.longest {
		return true
	}
	s.steps -= 2 * len(s.avoid)
	for i, p := range s.avoid {
		switch p.root {
		case p.matched:
			return false
		case p.dead:
		case p.rest:
			s.rest(uint32(i), p)
		default:
			root.avoid = append(root.avoid, item{uint32(i), p.root})
		}
	}
	s.closed, s.queue = map[string]struct{}{}, append(s.queue, root)
	return true
}

// rest adds to wakes what moves a pattern from where it rests.
func (s *search) rest(number uint32, p *pattern) {
	for _, x := range p.from(p.rest).list {
		if len(s.wakes[x.unit]) == 0 {
			s.waking = append(s.waking, x.unit)
		}
		s.wakes[x.unit] = append(s.wakes[x.unit], item{number, x.to})
		s.steps--
	}
}

// push puts the node after a unit into the queue if a wanted path can begin with its path. It
// returns false if the unit may not follow.
func (s *search) push(parent *node, u unit) bool {
	percent, may := parent.percent.after(u)
	if !may {
		return false
	}
	n := node{parent: parent, unit: u, percent: percent}
	for i, m := range s.must {
		n.must[i] = m.from(parent.must[i]).to(u)
	}
	n.length = len(parent.path) + int(u.length())
	left := s.left(&n)
	n.length += int(left)
	if left < never && n.length <= s.longest {
		n.path = parent.path + u.String()
		heap.Push(&s.queue, &n)
	}
	return true
}

// left returns the minimum number of bytes after a node.
func (s *search) left(n *node) int32 {
	switch len(s.must) {
	case 1:
		return s.must[0].lengths[n.must[0]]
	case 2:
		return s.both.length(n.must[0], n.must[1])
	}
	return 0
}

// follow computes avoid of a node. It returns false if one of the patterns to avoid has matched.
func (s *search) follow(n *node) bool {
	from, wakes := n.parent.avoid, s.wakes[n.unit]
	s.steps -= 1 + len(from) + len(wakes) + len(n.path)/16
	n.avoid = make([]item, 0, len(from)+len(wakes))
	for len(from)+len(wakes) > 0 {
		var x item
		if len(from) == 0 || len(wakes) > 0 && wakes[0].pattern < from[0].pattern {
			x, wakes = wakes[0], wakes[1:]
		} else {
			x, from = from[0], from[1:]
			if len(wakes) > 0 && wakes[0].pattern == x.pattern {
				wakes = wakes[1:] // it does not rest
			}
			x.at = s.avoid[x.pattern].from(x.at).to(n.unit)
		}
		switch p := s.avoid[x.pattern]; x.at {
		case p.matched:
			return false
		case p.dead, p.rest:
		default:
			n.avoid = append(n.avoid, x)
		}
	}
	return true
}

// isKnown reports whether an earlier path has led to the state of a node, and records the state.
func (s *search) isKnown(n *node) bool {
	k := append(s.key[:0], byte(n.percent))
	for _, at := range n.must {
		k = binary.AppendVarint(k, int64(at))
	}
	last := uint32(0)
	for _, x := range n.avoid {
		k = binary.AppendUvarint(binary.AppendUvarint(k, uint64(x.pattern-last)), uint64(x.at))
		last = x.pattern
	}
	s.key = k
	_, known := s.closed[string(k)]
	if !known {
		s.closed[string(k)] = struct{}{}
	}
	return known
}

// isWanted reports whether the path of a node is itself wanted.
func (s *search) isWanted(n *node) bool {
	for i, m := range s.must {
		if !m.atItsEnd(n.must[i]) {
			return false
		}
	}
	return !slices.ContainsFunc(n.avoid, func(x item) bool { return s.avoid[x.pattern].atItsEnd(x.at) })
}

// expand puts the nodes after a node into the queue: one for each unit that moves a pattern, and
// one for the first of all others.
func (s *search) expand(n *node) {
	s.findMoves(n)
	s.steps -= stepsOfPush * len(s.moving)
	for _, u := range s.moving {
		if u.sender() >= s.from {
			s.push(n, u)
		}
	}
	for u := unit('!'); u < escaped; u++ {
		if !s.moves[u] && u.sender() == urls && s.push(n, u) {
			break
		}
	}
	for _, u := range s.moving {
		s.moves[u] = false
	}
}

// The approximate costs, in steps, of finding the moves from a state, and of putting a node into
// the queue.
const (
	stepsOfMoves = 16
	stepsOfPush  = 4
)

// findMoves finds the units that move a pattern of a node.
func (s *search) findMoves(n *node) {
	s.moving = append(s.moving[:0], s.waking...)
	for _, u := range s.waking {
		s.moves[u] = true
	}
	mark := func(p *pattern, at state) {
		if p.moves[at] == nil {
			s.steps -= stepsOfMoves
		}
		for _, x := range p.from(at).list {
			if !s.moves[x.unit] {
				s.moves[x.unit], s.moving = true, append(s.moving, x.unit)
			}
		}
	}
	for i, m := range s.must {
		mark(m, n.must[i])
	}
	for _, x := range n.avoid {
		mark(s.avoid[x.pattern], x.at)
	}
}
