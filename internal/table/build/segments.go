package build

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// maxWork limits the hash table probes that a byte of any path may cost in the search for segments;
// a probe takes about six nanoseconds. Rules that could cost more use the automaton of gaps, which
// is one in 100 real machines with segments. Segments that wait after a one-byte segment count for
// more (octetWork), because more paths contain it.
const maxWork, octetWork = 32, 2

// segmentTries makes table.Segments from the tree of segments. Each anchor has a trie of the
// segments that may begin anywhere, and one of those that must end with the path.
type segmentTries struct {
	*segmentTree
	to       *table.Segments
	edges    []table.Edge
	roots    []root            // per anchor
	work     []uint32          // probes per place for each anchor and the anchors that it opens
	lengths  [2]uint8          // lengths of edges at which segments begin, and at which they end
	heads    [filters][]string // first bytes of the segments that pass a filter
	children [2][]segment      // of the current anchor: those that may begin anywhere, and those at the end
}

// root is an anchor of the table while its tries are made.
type root struct {
	node    uint32
	top     uint32 // anchor of a prefix, or of every path, from which it was opened in one or more steps
	isOctet bool   // see table.Anchor.Octet
	filter  uint8
}

// segment is a segment, read backwards if it must end with the path.
type segment struct {
	text string
	node uint32
}

// firstAnchor is the number of the first anchor for a prefix.
const firstAnchor = table.EveryPathSlash + 1

// The filters of where segments may begin: for segments that wait on every path, for segments that
// wait after these, and for segments after prefixes.
const (
	ofEveryPath = iota
	behindEveryPath
	behindPrefixes
	filters
)

// segments makes the tries. It returns nil if there are no segments, or if searching for them could
// be slow.
func (g *segmentTree) segments() *table.Segments {
	if g == nil {
		return nil
	}
	b := segmentTries{segmentTree: g, to: &table.Segments{}}
	n := firstAnchor + len(b.order) - 1
	b.roots = make([]root, firstAnchor, n)
	b.roots[table.EveryPath] = root{node: everyPathNode, top: table.EveryPath}
	b.roots[table.EveryPathSlash] = root{node: everyPathSlashNode, top: table.EveryPathSlash}
	for _, node := range b.order[1:] {
		b.roots = append(b.roots, root{node: node, top: uint32(len(b.roots)), filter: behindPrefixes})
	}
	b.work = make([]uint32, n)
	b.edges = make([]table.Edge, 0, len(b.nodes))
	b.to.States = make([]table.State, 1, n)
	b.to.Anchors = append(make([]table.Anchor, 0, n), table.Anchor{Best: table.None})
	b.octet()
	for i := 1; i < len(b.roots); i++ { // each may add more
		if !b.anchor(uint32(i)) {
			return nil
		}
	}
	if b.most() > maxWork {
		return nil
	}
	b.filters()
	if !b.to.SetEdges(b.edges) {
		return nil
	}
	return b.to
}

// open makes an anchor of a node after which others wait.
func (b *segmentTries) open(from, node uint32, isOctet bool) (anchor uint32) {
	r := root{node: node, top: b.roots[from].top, isOctet: isOctet, filter: behindPrefixes}
	if r.top < firstAnchor {
		r.filter = behindEveryPath
	}
	b.roots = append(b.roots, r)
	return uint32(len(b.roots) - 1)
}

// anchor makes the tries of an anchor, and reports whether the search is still fast.
func (b *segmentTries) anchor(id uint32) bool {
	r := b.roots[id]
	text := b.texts[b.nodes[r.node].symbol]
	if r.top != id && len(text) == 1 {
		b.work[r.top] += octetWork
	}
	a := table.Anchor{Best: table.None, Filter: r.filter}
	if r.isOctet {
		a.Octet, a.From = text[0], uint8(r.top-table.EveryPath)
	}
	b.sortChildren(id, &a)
	for i, state := range []*uint32{&a.State, &a.Back} {
		if len(b.children[i]) == 0 {
			continue
		}
		*state = b.newState()
		work := b.state(*state, id, 0, b.children[i])
		b.lengths[i] |= b.to.States[*state].Lengths
		if work > maxWork {
			return false
		}
		if i > 0 {
			work = 1 // although it is once per path, not per byte, so that not too many wait
		}
		b.work[r.top] += work
		if b.work[r.top] > maxWork {
			return false
		}
	}
	b.to.Anchors = append(b.to.Anchors, a)
	return true
}

// sortChildren sorts the children of an anchor by text, except for those that are one byte on every
// path, which have separate anchors that open without a search.
func (b *segmentTries) sortChildren(id uint32, a *table.Anchor) {
	b.children[0], b.children[1] = b.children[0][:0], b.children[1][:0]
	for child := b.nodes[b.roots[id].node].child; child != 0; child = b.nodes[child].sibling {
		n := &b.nodes[child]
		text, best := b.texts[n.symbol], n.best
		switch {
		case n.atEnd:
			b.children[1] = append(b.children[1], segment{reversed(text), child})
		case b.isOctet(id, child):
			if n.child != 0 {
				b.open(id, child, true)
			}
			best = n.accept
			if text[0] == b.to.Octet {
				b.to.OctetRule, best = best, table.None
			}
			if best == table.None {
				continue
			}
			fallthrough
		default:
			b.children[0] = append(b.children[0], segment{text, child})
			b.heads[a.Filter] = append(b.heads[a.Filter], text[:min(len(text), headOctets)])
		}
		a.Best = min(a.Best, best)
	}
	for _, children := range b.children {
		slices.SortFunc(children, func(x, y segment) int { return strings.Compare(x.text, y.text) })
	}
}

// isOctet reports whether a child of an anchor is a single byte that may be on any path, and is the octet of the
// table or others wait after it.
func (b *segmentTries) isOctet(anchor, child uint32) bool {
	n := &b.nodes[child]
	text := b.texts[n.symbol]
	return 0 < anchor && anchor < firstAnchor && len(text) == 1 && (n.child != 0 || text[0] == b.to.Octet)
}

// octet sets the octet of the table: of those that end a rule of every path, the one that most paths have.
func (b *segmentTries) octet() {
	b.to.OctetRule = table.None
	for _, every := range []uint32{everyPathNode, everyPathSlashNode} {
		for child := b.nodes[every].child; child != 0; child = b.nodes[child].sibling {
			n := &b.nodes[child]
			if text := b.texts[n.symbol]; len(text) == 1 && !n.atEnd && n.accept != table.None &&
				(b.to.Octet == 0 || table.Rarity(text[0]) < table.Rarity(b.to.Octet)) {
				b.to.Octet = text[0]
			}
		}
	}
}

func (b *segmentTries) newState() uint32 {
	b.to.States = append(b.to.States, table.State{})
	return uint32(len(b.to.States) - 1)
}

// state makes the edges of a state at a depth in bytes, beyond which all the given segments
// continue. It returns how many probes it may cost to continue from the state.
func (b *segmentTries) state(state, anchor uint32, depth int, all []segment) (work uint32) {
	if depth > maxWork*table.EdgeOctets {
		return maxWork + 1
	}
	var lengths uint8
	for len(all) > 0 {
		text := all[0].text
		end := min(len(text), depth+table.EdgeOctets)
		n := 1
		for end == depth+table.EdgeOctets && n < len(all) && strings.HasPrefix(all[n].text[depth:], text[depth:end]) {
			n++
		}
		work = max(work, b.edge(state, anchor, depth, end, all[:n]))
		lengths |= 1 << (end - depth - 1)
		all = all[n:]
	}
	b.to.States[state].Lengths = lengths
	return work + uint32(bits.OnesCount8(lengths))
}

// edge makes the edge of a state to the segments with the same bytes from depth to end. It returns
// the cost of the state after it, 0 if there is none.
func (b *segmentTries) edge(state, anchor uint32, depth, end int, all []segment) (work uint32) {
	first := all[0]
	at := len(b.edges)
	b.edges = append(b.edges, newEdge(state, first.text[depth:end]))
	ends := len(first.text) == end
	opens := ends && b.nodes[first.node].child != 0 && !b.isOctet(anchor, first.node)
	if ends && len(all) == 1 && !opens {
		b.edges[at].To = b.nodes[first.node].accept
		return 0
	}
	b.edges[at].To = uint32(len(b.to.Nodes)) | table.IsPoint
	node := table.SegmentNode{Accept: table.None}
	if ends {
		node.Accept, all = b.nodes[first.node].accept, all[1:]
	}
	if opens {
		node.Anchor = b.open(anchor, first.node, false)
	}
	if len(all) > 0 {
		node.Next = b.newState()
	}
	b.to.Nodes = append(b.to.Nodes, node)
	if node.Next == 0 {
		return 0
	}
	return b.state(node.Next, anchor, end, all)
}

// most returns how many probes a place may cost when as many anchors as possible wait at the same
// time: all those of every path, and others whose prefixes begin with one another. Prefixes are
// sorted.
func (b *segmentTries) most() uint32 {
	type nested struct {
		text string
		work uint32 // including those above
	}
	var above []nested
	most := uint32(0)
	for i, text := range b.prefixes {
		for len(above) > 0 && !strings.HasPrefix(text, above[len(above)-1].text) {
			above = above[:len(above)-1]
		}
		work := b.work[firstAnchor+i]
		if n := len(above); n > 0 {
			work += above[n-1].work
		}
		above = append(above, nested{text, work})
		most = max(most, work)
	}
	return most + b.work[table.EveryPath] + b.work[table.EveryPathSlash]
}

// filters makes the filters.
func (b *segmentTries) filters() {
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
			table.AddEdge(t.First[:], e)
		case last:
			table.AddEdge(t.Last[:], e)
		}
	}
	table.AddShorter(t.First[:], b.lengths[0])
	table.AddShorter(t.Last[:], b.lengths[1])
	// Segments are searched for in few groups, so that a path is traversed once.
	const few = 12
	if all := leastHeads(slices.Concat(b.heads[:]...)); len(all) <= few {
		t.Starts = []table.StartFilter{startFilter(all)}
		for i := range t.Anchors {
			t.Anchors[i].Filter = 0
		}
		return
	}
	for _, heads := range b.heads {
		t.Starts = append(t.Starts, startFilter(leastHeads(heads)))
	}
}

// headOctets is the number of bytes that a table.StartFilter compares.
const headOctets = 3

// leastHeads sorts the first bytes of segments, and omits those that begin with others.
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

// startFilter makes the filter of the beginnings of segments. Groups consist of neighbours in text
// order, so that they have bytes in common.
func startFilter(heads []string) (f table.StartFilter) {
	const groups = 8
	for i, head := range heads {
		group := uint8(1) << (i * groups / max(len(heads), groups))
		for j := range f.Octets {
			if j < len(head) {
				f.Octets[j].Add(head[j], group)
				continue
			}
			for half := range byte(16) {
				f.Octets[j].Add(half<<4|half, group) // any byte
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
