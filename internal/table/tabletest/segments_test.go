package tabletest_test

import (
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table"
)

// spoiltSegments are the segments of a table of tableRules, and what it takes to find
// something in them.
type spoiltSegments struct {
	*table.Segments
	table *table.Table
}

func (s spoiltSegments) edge(is func(e *table.Edge) bool) *table.Edge {
	return find(s.Edges, func(e *table.Edge) bool { return e.Key != 0 && is(e) })
}

func (s spoiltSegments) rehash() { rehash(&s.Trie) }

// node is a node for which something holds.
func (s spoiltSegments) node(is func(*table.SegmentNode) bool) *table.SegmentNode {
	return find(s.Nodes, is)
}

// at is the edge to a node.
func (s spoiltSegments) at(k *table.SegmentNode) *table.Edge {
	id := uint32(slices.IndexFunc(s.Nodes, func(o table.SegmentNode) bool { return o == *k })) | table.IsPoint
	return s.edge(func(e *table.Edge) bool { return e.To == id })
}

// starts is an edge at which segments begin behind an anchor.
func (s spoiltSegments) starts(anchor uint32) *table.Edge {
	return s.edge(func(e *table.Edge) bool { return e.Key>>3 == s.Anchors[anchor].State })
}

// octet returns an anchor behind an octet.
func (s spoiltSegments) octet() *table.Anchor {
	return find(s.Anchors, func(a *table.Anchor) bool { return a.Octet != 0 })
}

func opens(k *table.SegmentNode) bool { return k.Anchor != 0 }

func goesOn(k *table.SegmentNode) bool { return k.Next != 0 }

func acceptsToo(k *table.SegmentNode) bool { return k.Accept != none }

// behind is an anchor that a node opens, ends one with segments that end the path.
func (s spoiltSegments) behind() *table.Anchor { return &s.Anchors[s.node(opens).Anchor] }

func (s spoiltSegments) ends() *table.Anchor {
	return find(s.Anchors, func(a *table.Anchor) bool { return a.Back != 0 && a.State != 0 })
}

// backwards is a node in the trie of those that end with the path.
func (s spoiltSegments) backwards() *table.SegmentNode {
	return s.node(func(k *table.SegmentNode) bool {
		return goesOn(k) && slices.ContainsFunc(s.Anchors, func(a table.Anchor) bool { return a.Back != 0 && a.Back == s.at(k).Key>>3 })
	})
}

const (
	everyPathSlash = table.EveryPathSlash
	firstPrefix    = everyPathSlash + 1
)

// wrongSegments are the ways in which segments can be wrong, one of each.
var wrongSegments = []struct {
	name, want string
	spoil      func(spoiltSegments)
}{
	{"no dead state", "state 0 is not dead", func(s spoiltSegments) { s.States = nil }},
	{"the dead state has edges", "state 0 is not dead", func(s spoiltSegments) { s.States[0].Lengths = 1 }},
	{"no edges, not even empty", "not a power of two", func(s spoiltSegments) { s.Edges = nil }},
	{"a size that is no power of two", "not a power of two", func(s spoiltSegments) { s.Edges = s.Edges[1:] }},
	{"no empty place", "without an empty place", func(s spoiltSegments) {
		for i := range s.Edges {
			s.Edges[i].Key |= 8
		}
	}},
	{"an edge that is not found", "search does not find", func(s spoiltSegments) { displace(&s.Trie, s.edge(isRule)) }},
	{"more octets than an edge has", "octets beyond", func(s spoiltSegments) {
		s.edge(func(e *table.Edge) bool { return e.Key&7 < 7 }).Word |= 1 << 63
		s.rehash()
	}},
	{"no slot bits", "slot bits are not", func(s spoiltSegments) { s.Slots = nil }},
	{"an edge of the dead state", "edge of no state", func(s spoiltSegments) {
		s.edge(func(e *table.Edge) bool { return e.Key&7 > 0 }).Key &= 7
		s.rehash()
	}},
	{"an edge of a state that does not exist", "edge of no state", func(s spoiltSegments) { s.edge(isRule).Key |= 1000 << 3; s.rehash() }},

	{"no anchors of every path", "anchors of every path", func(s spoiltSegments) {
		s.Anchors = s.Anchors[:2]
		for i := range s.table.Points {
			s.table.Points[i].Anchor = 0
		}
	}},
	{"anchor 0 is one", "anchor 0 is not none", func(s spoiltSegments) { s.Anchors[0].Best = 0 }},
	{"an anchor of a state that does not exist", "begins in no state", func(s spoiltSegments) { s.Anchors[everyPathSlash].State = 1000 }},
	{"two anchors of one state", "begins in no state", func(s spoiltSegments) { s.Anchors[everyPathSlash].State = s.behind().State }},
	{"an anchor of one state in both ways", "begins in no state", func(s spoiltSegments) { s.ends().Back = s.ends().State }},
	{"a filter that does not exist", "no such filter", func(s spoiltSegments) { s.Anchors[everyPathSlash].Filter = 100 }},
	{"no filters", "no such filter", func(s spoiltSegments) { s.Starts = nil }},
	{"a prefix that is an octet too", "lies before what it waits behind", func(s spoiltSegments) {
		s.Anchors[find(s.table.Points, waits).Anchor].Octet = 'a'
	}},

	{"an edge to a rule that does not exist", "no such rule", func(s spoiltSegments) { s.edge(isRule).To = 1000 }},
	{"a node of a rule that does not exist", "no such rule", func(s spoiltSegments) { s.node(acceptsToo).Accept = 1000 }},
	{"an edge to no rule", "edge to no node", func(s spoiltSegments) { s.edge(isRule).To = none }},
	{"an edge to a node that does not exist", "edge to no node", func(s spoiltSegments) { s.edge(isPoint).To += 1000 }},
	{"two edges to one node", "edge to no node", func(s spoiltSegments) { s.edge(isRule).To = s.edge(isPoint).To }},
	{"a node that no edge leads to", "nothing leads here", func(s spoiltSegments) { s.Nodes = append(s.Nodes, table.SegmentNode{Accept: none}) }},
	{"a state that nothing leads to", "nothing leads here", func(s spoiltSegments) { s.States = append(s.States, table.State{}) }},
	{"a node goes on in no state", "node goes on in no state", func(s spoiltSegments) { s.node(goesOn).Next = 1000 }},
	{"a node goes on where it lies", "node goes on in no state", func(s spoiltSegments) { k := s.node(goesOn); k.Next = s.at(k).Key >> 3 }},
	{"a node goes on behind an anchor", "node goes on in no state", func(s spoiltSegments) { s.node(goesOn).Next = s.behind().State }},
	{"two nodes go on in one state", "node goes on in no state", func(s spoiltSegments) {
		next := s.node(goesOn).Next
		s.node(func(k *table.SegmentNode) bool { return goesOn(k) && k.Next != next }).Next = next
	}},
	{"a node behind few octets goes on", "fewer octets than eight", func(s spoiltSegments) {
		s.node(func(k *table.SegmentNode) bool { return opens(k) && s.at(k).Key&7 < 7 }).Next = s.node(goesOn).Next
	}},
	{"an anchor that does not exist", "lies before what it waits behind", func(s spoiltSegments) { s.node(opens).Anchor = 1000 }},
	{"an anchor of every path, once more", "lies before what it waits behind", func(s spoiltSegments) { s.node(opens).Anchor = everyPathSlash }},
	{"an anchor of a prefix, once more", "lies before what it waits behind", func(s spoiltSegments) {
		s.node(opens).Anchor = find(s.table.Points, waits).Anchor
	}},
	{"an anchor of a lower state", "lies before what it waits behind", func(s spoiltSegments) {
		k := s.node(opens)
		a, of := &s.Anchors[k.Anchor], find(s.Anchors, func(a *table.Anchor) bool { return a.State == s.at(k).Key>>3 })
		a.State, of.State = of.State, a.State
	}},
	{"something waits behind the end", "behind the end of the path", func(s spoiltSegments) {
		k := s.node(opens)
		s.backwards().Anchor, k.Anchor = k.Anchor, 0
	}},
	{"a length that a state does not know", "lengths are not", func(s spoiltSegments) { s.States[1].Lengths = 0 }},
	{"a length that no edge has", "lengths are not", func(s spoiltSegments) { s.States[len(s.States)-1].Lengths ^= 0xff }},

	{"a segment that does not pass the filter of places", "filter of where it may begin", func(s spoiltSegments) {
		s.Starts[s.Anchors[everyPathSlash].Filter] = table.StartFilter{}
	}},
	{"a segment that does not pass the filter", "filter of what segments begin with", func(s spoiltSegments) {
		s.Segments.First[0][table.Fold(s.starts(everyPathSlash).Word)&63] = 0
	}},
	{"a filter that lets pass what no edge has", "filter of what segments begin with", func(s spoiltSegments) { s.Segments.First[0][63] = 0xff }},
	{"an end that does not pass the filter", "filter of what segments end with", func(s spoiltSegments) { s.Last[0] = [64]uint8{} }},
	{"a filter that lets pass what no end has", "filter of what segments end with", func(s spoiltSegments) { s.Last[0][63] = 0xff }},

	{"an anchor that promises more", "rule of those behind it", func(s spoiltSegments) { s.Anchors[everyPathSlash].Best = 0 }},
	{"an anchor that promises less", "rule of those behind it", func(s spoiltSegments) { s.Anchors[everyPathSlash].Best = none }},
	{"an octet that promises less", "rule of those behind it", func(s spoiltSegments) { s.octet().Best = none }},

	{"two edges change their rules", "rule of those behind it", func(s spoiltSegments) {
		e := s.edge(func(e *table.Edge) bool {
			return slices.ContainsFunc(s.Anchors, func(a table.Anchor) bool { return e.To == a.Best && a.State == e.Key>>3 })
		})
		o := s.edge(func(o *table.Edge) bool { return isRule(o) && o.Key>>3 != e.Key>>3 && o.To > e.To })
		e.To, o.To = o.To, e.To
	}},
	{"two edges of one state change their rules", "does not have", func(s spoiltSegments) {
		e := s.edge(isRule)
		o := s.edge(func(o *table.Edge) bool { return isRule(o) && o != e && o.Key>>3 == e.Key>>3 })
		e.To, o.To = o.To, e.To
	}},
	{"an edge of other octets", "does not have", func(s spoiltSegments) {
		s.edge(func(e *table.Edge) bool { return isRule(e) && e.Key&7 == 7 }).Word ^= 1 << 63
		s.rehash()
	}},
	{"an anchor of another octet", "does not have", func(s spoiltSegments) { s.octet().Octet ^= 1 }},
	{"an octet behind more than the slash", "more than the slash", func(s spoiltSegments) { s.octet().From += 2 }},
	{"a prefix as if it were an octet", "more than the slash", func(s spoiltSegments) { s.Anchors[firstPrefix].From = 1 }},
	{"no octet", "does not have", func(s spoiltSegments) { a := s.octet(); a.Octet, a.From = 0, 0 }},
	{"two anchors change places", "does not have", func(s spoiltSegments) {
		p := find(s.table.Points, waits)
		q := find(s.table.Points, func(q *table.Point) bool { return waits(q) && q != p })
		p.Anchor, q.Anchor = q.Anchor, p.Anchor
	}},
	{"no segments", "anchor is none", func(s spoiltSegments) { s.table.Segments = nil }},
}

func TestCheckRefusesSegments(t *testing.T) {
	for _, c := range wrongSegments {
		t.Run(c.name, func(t *testing.T) {
			rules := tableRules()
			made := tableOf(t, compile.EngineAutomaton, rules)
			if made.Segments == nil {
				t.Fatal("the rules of this test no longer make what it spoils")
			}
			c.spoil(spoiltSegments{made.Segments, made})
			refused(t, rules, made, c.want)
		})
	}
}
