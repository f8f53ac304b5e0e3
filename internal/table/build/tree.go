package build

import (
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// segmentTree is the tree of the segments of all rules with gaps, from which table.Segments
// (segments.go) or table.Gaps (gaps.go) is made. Symbols are the distinct texts of segments.
// Numbers are assigned in the order in which rules are added.
type segmentTree struct {
	symbols  map[string]uint32
	texts    []string // of symbols
	nodes    []treeNode
	edges    map[treeEdge]uint32
	anchors  map[anchorKey]uint32 // number of the anchor
	order    []uint32             // node of each anchor; anchor 0 is none
	prefixes []string             // text of each anchor but 0, sorted
	rests    []string             // per rule, the pattern after the first gap
}

// treeNode is a segment, or a prefix that a gap follows.
type treeNode struct {
	symbol       uint32
	atEnd        bool // must end with the path
	slash        bool // waits after the slash on every path
	accept, best uint32
	child        uint32 // the last of its children, 0 if none
	sibling      uint32 // the previous child, 0 if none
}

type treeEdge struct {
	parent, symbol uint32
	atEnd          bool
}

type anchorKey struct {
	text  string
	formB bool
}

// The nodes of the prefixes that every path has: nothing, and the slash.
const (
	noNode = iota
	everyPathNode
	everyPathSlashNode
	firstNode
)

// newSegmentTree returns an empty tree.
func newSegmentTree() *segmentTree {
	g := &segmentTree{
		symbols: map[string]uint32{}, edges: map[treeEdge]uint32{}, anchors: map[anchorKey]uint32{},
		order: []uint32{noNode},
	}
	for range firstNode {
		g.node(treeNode{})
	}
	return g
}

// add adds the prefix of a rule and its segments, and returns the tree. Most tables have no rules
// with gaps, and no tree.
func (g *segmentTree) add(rule uint32, prefix, rest string, r *Pattern) *segmentTree {
	if g == nil {
		g = newSegmentTree()
	}
	g.rests = append(g.rests, rest)
	at := g.prefix(prefix, r.FormB)
	for more := true; more; {
		g.nodes[at].best = min(g.nodes[at].best, rule)
		var segment string
		segment, rest, more = strings.Cut(rest, "*")
		at = g.child(at, g.symbol(segment), r.AtEnd && !more)
	}
	g.nodes[at].best = min(g.nodes[at].best, rule)
	g.nodes[at].accept = min(g.nodes[at].accept, rule)
	return g
}

// isEveryPath reports whether every path begins with a prefix, which is empty or begins with a
// slash.
func isEveryPath(prefix string, formB bool) bool { return len(prefix) <= 1 && !formB }

// prefix returns the node of a prefix.
func (g *segmentTree) prefix(text string, formB bool) uint32 {
	if isEveryPath(text, formB) {
		return everyPathNode + uint32(len(text))
	}
	key := anchorKey{text, formB}
	if id, ok := g.anchors[key]; ok {
		return g.order[id]
	}
	g.anchors[key] = uint32(len(g.order))
	g.order = append(g.order, g.node(treeNode{}))
	g.prefixes = append(g.prefixes, text)
	return g.order[len(g.order)-1]
}

// anchor returns the number of the anchor of a prefix.
func (g *segmentTree) anchor(text string, formB bool) uint32 {
	return g.anchors[anchorKey{text, formB}]
}

func (g *segmentTree) symbol(text string) uint32 {
	id, ok := g.symbols[text]
	if !ok {
		id = uint32(len(g.texts))
		g.symbols[text] = id
		g.texts = append(g.texts, text)
	}
	return id
}

func (g *segmentTree) child(parent, symbol uint32, atEnd bool) uint32 {
	key := treeEdge{parent, symbol, atEnd}
	id, ok := g.edges[key]
	if !ok {
		slash, sibling := parent == everyPathSlashNode, g.nodes[parent].child
		id = g.node(treeNode{symbol: symbol, atEnd: atEnd, slash: slash, sibling: sibling})
		g.nodes[parent].child = id
		g.edges[key] = id
	}
	return id
}

func (g *segmentTree) node(n treeNode) uint32 {
	n.accept, n.best = table.None, table.None
	g.nodes = append(g.nodes, n)
	return uint32(len(g.nodes) - 1)
}
