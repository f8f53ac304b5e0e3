package compile

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxWork is how many probes of a hash table an octet of a path may cost in the search
// for segments, whatever the path is; a probe takes some six nanoseconds. Rules for which
// it could be more have the automaton of gaps: of 100 real machines with segments, one.
// What waits behind a segment of one octet counts for more, since paths have that sooner.
const maxWork, octetWork = 32, 2

// segments makes the tries of segments of the tree of nodes: for each anchor one of
// those that may begin anywhere and one of those that must end with the path.
type segments struct {
	*gaps
	to      *automaton.Segments
	edges   []automaton.Edge
	roots   []root            // of each anchor
	work    []uint32          // of each anchor with those that it opens: the probes that a place may cost
	lengths [2]uint8          // of all edges at which segments begin, and of those where they end
	heads   [filters][]string // the first octets of the segments that pass a filter
	kids    [2][]segment      // of the anchor at hand, those that may begin anywhere and those at the end
}

// root is what stands for an anchor.
type root struct {
	node   uint32
	top    uint32 // the anchor of a prefix, or of every path, from which it was opened in one or more steps
	gate   bool
	filter uint8
}

// segment is a segment, read backwards if it must end with the path.
type segment struct {
	text string
	node uint32
}

// firstAnchor is the number of the first anchor that stands for a prefix.
const firstAnchor = automaton.FloatsOfSlash + 1

// Which filter of where they may begin segments have: one is for those that wait on
// every path, one for those that wait behind these, one for those behind prefixes.
const (
	ofFloats = iota
	behindFloats
	behindPrefixes
	filters
)

// segments makes the tries, nil if there are no segments, or if the search for them
// could take long.
func (g *gaps) segments() *automaton.Segments {
	if len(g.texts) == 0 {
		return nil
	}
	b := segments{gaps: g, to: &automaton.Segments{}}
	b.start()
	for i := 1; i < len(b.roots); i++ { // to which each may add
		if !b.anchor(uint32(i)) {
			return nil
		}
	}
	if b.most() > maxWork {
		return nil
	}
	b.filters()
	if !hashEdges(&b.to.Trie, b.edges) {
		return nil
	}
	return b.to
}

// start makes the anchors of every path and of prefixes.
func (b *segments) start() {
	n := firstAnchor + len(b.order) - 1
	b.roots = make([]root, firstAnchor, n)
	b.roots[automaton.FloatsOfNothing] = root{node: floatsOfNothing, top: automaton.FloatsOfNothing}
	b.roots[automaton.FloatsOfSlash] = root{node: floatsOfSlash, top: automaton.FloatsOfSlash}
	for _, node := range b.order[1:] {
		b.roots = append(b.roots, root{node: node, top: uint32(len(b.roots)), filter: behindPrefixes})
	}
	b.work = make([]uint32, n)
	b.edges = make([]automaton.Edge, 0, len(b.nodes))
	b.to.States = make([]automaton.State, 1, n)
	b.to.Anchors = append(make([]automaton.Anchor, 0, n), automaton.Anchor{Best: automaton.None})
}

// open makes an anchor of a node behind which others wait.
func (b *segments) open(from, node uint32, gate bool) (anchor uint32) {
	r := root{node: node, top: b.roots[from].top, gate: gate, filter: behindPrefixes}
	if r.top < firstAnchor {
		r.filter = behindFloats
	}
	b.roots = append(b.roots, r)
	return uint32(len(b.roots) - 1)
}

// anchor makes the tries of an anchor, and tells whether the search is still short.
func (b *segments) anchor(id uint32) bool {
	r := b.roots[id]
	if n := &b.nodes[r.node]; r.top != id && len(b.texts[n.symbol]) == 1 {
		b.work[r.top] += octetWork
	}
	a := automaton.Anchor{Best: automaton.None, Filter: r.filter}
	if r.gate {
		a.Gate, a.From = b.texts[b.nodes[r.node].symbol][0], uint8(r.top-automaton.FloatsOfNothing)
	}
	b.sortKids(id, &a)
	for i, state := range []*uint32{&a.State, &a.Back} {
		if len(b.kids[i]) == 0 {
			continue
		}
		*state = b.newState()
		work := b.state(*state, id, 0, b.kids[i])
		b.lengths[i] |= b.to.States[*state].Lengths
		if work > maxWork {
			return false
		}
		if i > 0 {
			work = 1 // for a path, not for an octet, but so that not too many wait
		}
		if b.work[r.top] += work; b.work[r.top] > maxWork {
			return false
		}
	}
	b.to.Anchors = append(b.to.Anchors, a)
	return true
}

// sortKids puts the kids of an anchor in the order of their text, apart from those that
// wait behind one octet on every path: these have anchors of their own, which open without
// a search.
func (b *segments) sortKids(id uint32, a *automaton.Anchor) {
	b.kids[0], b.kids[1] = b.kids[0][:0], b.kids[1][:0]
	for kid := b.nodes[b.roots[id].node].kids; kid != 0; kid = b.nodes[kid].sibling {
		n := &b.nodes[kid]
		text, best := b.texts[n.symbol], n.best
		switch {
		case n.anchored:
			b.kids[1] = append(b.kids[1], segment{reversed(text), kid})
		case b.isGate(id, kid):
			b.open(id, kid, true)
			if best = n.accept; best == automaton.None {
				continue
			}
			fallthrough
		default:
			b.kids[0] = append(b.kids[0], segment{text, kid})
			b.heads[a.Filter] = append(b.heads[a.Filter], text[:min(len(text), headOctets)])
		}
		a.Best = min(a.Best, best)
	}
	for _, kids := range b.kids {
		slices.SortFunc(kids, func(x, y segment) int { return strings.Compare(x.text, y.text) })
	}
}

// isGate tells whether a kid of an anchor is one octet that waits on every path and
// behind which others wait.
func (b *segments) isGate(anchor, kid uint32) bool {
	n := &b.nodes[kid]
	return 0 < anchor && anchor < firstAnchor && n.kids != 0 && len(b.texts[n.symbol]) == 1
}

func (b *segments) newState() uint32 {
	b.to.States = append(b.to.States, automaton.State{})
	return uint32(len(b.to.States) - 1)
}

// state makes the edges of a state at a depth in octets, behind which all the given
// segments go on, and returns how many probes it may cost to read on from it.
func (b *segments) state(state, anchor uint32, depth int, all []segment) (work uint32) {
	if depth > maxWork*automaton.EdgeOctets {
		return maxWork + 1
	}
	var lengths uint8
	for len(all) > 0 {
		text := all[0].text
		end := min(len(text), depth+automaton.EdgeOctets)
		n := 1
		for end == depth+automaton.EdgeOctets && n < len(all) && strings.HasPrefix(all[n].text[depth:], text[depth:end]) {
			n++
		}
		work = max(work, b.edge(state, anchor, depth, end, all[:n]))
		lengths |= 1 << (end - depth - 1)
		all = all[n:]
	}
	b.to.States[state].Lengths = lengths
	return work + uint32(bits.OnesCount8(lengths))
}

// edge makes the edge of a state to the segments that have the same octets from depth
// to end, and returns what state does of the state behind it, 0 if there is none.
func (b *segments) edge(state, anchor uint32, depth, end int, all []segment) (work uint32) {
	first := all[0]
	at := len(b.edges)
	b.edges = append(b.edges, automaton.Edge{Word: wordOf(first.text[depth:end]), Key: state<<3 | uint32(end-depth-1)})
	ends := len(first.text) == end
	opens := ends && b.nodes[first.node].kids != 0 && !b.isGate(anchor, first.node)
	if ends && len(all) == 1 && !opens {
		b.edges[at].To = b.nodes[first.node].accept
		return 0
	}
	id := len(b.to.Knots)
	b.edges[at].To = uint32(id) | automaton.IsPoint
	knot := automaton.Knot{Accept: automaton.None}
	if ends {
		knot.Accept, all = b.nodes[first.node].accept, all[1:]
	}
	if opens {
		knot.Anchor = b.open(anchor, first.node, false)
	}
	if len(all) > 0 {
		knot.Next = b.newState()
	}
	b.to.Knots = append(b.to.Knots, knot)
	if knot.Next == 0 {
		return 0
	}
	return b.state(knot.Next, anchor, end, all)
}

// most returns how many probes a place may cost when as many anchors wait at a time as
// can: all of every path, and of the others those whose prefixes begin with one another.
func (b *segments) most() uint32 {
	type prefix struct {
		text string
		work uint32 // with those above
	}
	var above []prefix
	most := uint32(0)
	for i, text := range b.prefixes {
		for len(above) > 0 && !strings.HasPrefix(text, above[len(above)-1].text) {
			above = above[:len(above)-1]
		}
		work := b.work[firstAnchor+i]
		if n := len(above); n > 0 {
			work += above[n-1].work
		}
		above = append(above, prefix{text, work})
		most = max(most, work)
	}
	return most + b.work[automaton.FloatsOfNothing] + b.work[automaton.FloatsOfSlash]
}

// filters makes the filters.
func (b *segments) filters() {
	t := b.to
	const first, last = 1, 2
	of := make([]uint8, len(t.States)) // whether segments begin or end in a state
	for _, a := range t.Anchors {
		of[a.State], of[a.Back] = first, last
	}
	of[0] = 0
	for i := range b.edges {
		switch e := &b.edges[i]; of[e.Key>>3] {
		case first:
			t.First.Add(e)
		case last:
			t.Last.Add(e)
		}
	}
	t.First.AddShorter(b.lengths[0])
	t.Last.AddShorter(b.lengths[1])
	// Few are looked for at once, so that a path is gone through once.
	const few = 12
	if all := leastHeads(slices.Concat(b.heads[:]...)); len(all) <= few {
		t.Begin = []automaton.Begin{begin(all)}
		for i := range t.Anchors {
			t.Anchors[i].Filter = 0
		}
		return
	}
	for _, heads := range b.heads {
		t.Begin = append(t.Begin, begin(leastHeads(heads)))
	}
}

// headOctets is how many octets of a segment the filter of where it may begin has.
const headOctets = 3

// leastHeads sorts the first octets of segments, and leaves out those that begin with
// others.
func leastHeads(heads []string) []string {
	slices.Sort(heads)
	n := 0
	for _, head := range heads {
		if n == 0 || !strings.HasPrefix(head, heads[n-1]) {
			heads[n] = head
			n++
		}
	}
	return heads[:n]
}

// begin makes the filter of what segments begin with. Families are of those that are
// neighbours in the order of their text, so that they have octets in common.
func begin(heads []string) (f automaton.Begin) {
	const families = 8
	for i, head := range heads {
		family := uint8(1) << (i * families / max(len(heads), families))
		for j := range f.Octets {
			if j < len(head) {
				f.Octets[j].Add(head[j], family)
				continue
			}
			for half := range byte(16) {
				f.Octets[j].Add(half<<4|half, family) // any octet
			}
		}
	}
	return f
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}
