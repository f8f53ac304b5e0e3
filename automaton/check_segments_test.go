package automaton_test

import (
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// spoiltSegments are the segments of a table of tableRules, and what it takes to find
// something in them.
type spoiltSegments struct {
	*automaton.Segments
	table *automaton.Table
}

func (s spoiltSegments) edge(is func(e *automaton.Edge) bool) *automaton.Edge {
	return find(s.Edges, func(e *automaton.Edge) bool { return e.Key != 0 && is(e) })
}

func (s spoiltSegments) rehash() { rehash(&s.Trie) }

// knot is a knot for which something holds.
func (s spoiltSegments) knot(is func(*automaton.Knot) bool) *automaton.Knot { return find(s.Knots, is) }

// at is the edge to a knot.
func (s spoiltSegments) at(k *automaton.Knot) *automaton.Edge {
	id := uint32(slices.IndexFunc(s.Knots, func(o automaton.Knot) bool { return o == *k })) | automaton.IsPoint
	return s.edge(func(e *automaton.Edge) bool { return e.To == id })
}

// starts is an edge at which segments begin behind an anchor.
func (s spoiltSegments) starts(anchor uint32) *automaton.Edge {
	return s.edge(func(e *automaton.Edge) bool { return e.Key>>3 == s.Anchors[anchor].State })
}

// gate returns an anchor behind an octet.
func (s spoiltSegments) gate() *automaton.Anchor {
	return find(s.Anchors, func(a *automaton.Anchor) bool { return a.Gate != 0 })
}

func opens(k *automaton.Knot) bool { return k.Anchor != 0 }

func goesOn(k *automaton.Knot) bool { return k.Next != 0 }

func acceptsToo(k *automaton.Knot) bool { return k.Accept != none }

// behind is an anchor that a knot opens, ends one with segments that end the path.
func (s spoiltSegments) behind() *automaton.Anchor { return &s.Anchors[s.knot(opens).Anchor] }

func (s spoiltSegments) ends() *automaton.Anchor {
	return find(s.Anchors, func(a *automaton.Anchor) bool { return a.Back != 0 && a.State != 0 })
}

// backwards is a knot in the trie of those that end with the path.
func (s spoiltSegments) backwards() *automaton.Knot {
	return s.knot(func(k *automaton.Knot) bool {
		return goesOn(k) && slices.ContainsFunc(s.Anchors, func(a automaton.Anchor) bool { return a.Back != 0 && a.Back == s.at(k).Key>>3 })
	})
}

const (
	slashFloats = automaton.FloatsOfSlash
	firstPrefix = slashFloats + 1
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
		s.edge(func(e *automaton.Edge) bool { return e.Key&7 < 7 }).Word |= 1 << 63
		s.rehash()
	}},
	{"no homes", "homes are not", func(s spoiltSegments) { s.Homes = nil }},
	{"an edge of the dead state", "edge of no state", func(s spoiltSegments) {
		s.edge(func(e *automaton.Edge) bool { return e.Key&7 > 0 }).Key &= 7
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
	{"an anchor of a state that does not exist", "begins in no state", func(s spoiltSegments) { s.Anchors[slashFloats].State = 1000 }},
	{"two anchors of one state", "begins in no state", func(s spoiltSegments) { s.Anchors[slashFloats].State = s.behind().State }},
	{"an anchor of one state in both ways", "begins in no state", func(s spoiltSegments) { s.ends().Back = s.ends().State }},
	{"a filter that does not exist", "no such filter", func(s spoiltSegments) { s.Anchors[slashFloats].Filter = 100 }},
	{"no filters", "no such filter", func(s spoiltSegments) { s.Begin = nil }},
	{"a gate that is a prefix too", "lies before what it waits behind", func(s spoiltSegments) {
		s.Anchors[find(s.table.Points, waits).Anchor].Gate = 'a'
	}},

	{"an edge to a rule that does not exist", "no such rule", func(s spoiltSegments) { s.edge(isRule).To = 1000 }},
	{"a knot of a rule that does not exist", "no such rule", func(s spoiltSegments) { s.knot(acceptsToo).Accept = 1000 }},
	{"an edge to no rule", "edge to no knot", func(s spoiltSegments) { s.edge(isRule).To = none }},
	{"an edge to a knot that does not exist", "edge to no knot", func(s spoiltSegments) { s.edge(isPoint).To += 1000 }},
	{"two edges to one knot", "edge to no knot", func(s spoiltSegments) { s.edge(isRule).To = s.edge(isPoint).To }},
	{"a knot that no edge leads to", "nothing leads here", func(s spoiltSegments) { s.Knots = append(s.Knots, automaton.Knot{Accept: none}) }},
	{"a state that nothing leads to", "nothing leads here", func(s spoiltSegments) { s.States = append(s.States, automaton.State{}) }},
	{"a knot goes on in no state", "knot goes on in no state", func(s spoiltSegments) { s.knot(goesOn).Next = 1000 }},
	{"a knot goes on where it lies", "knot goes on in no state", func(s spoiltSegments) { k := s.knot(goesOn); k.Next = s.at(k).Key >> 3 }},
	{"a knot goes on behind an anchor", "knot goes on in no state", func(s spoiltSegments) { s.knot(goesOn).Next = s.behind().State }},
	{"two knots go on in one state", "knot goes on in no state", func(s spoiltSegments) {
		next := s.knot(goesOn).Next
		s.knot(func(k *automaton.Knot) bool { return goesOn(k) && k.Next != next }).Next = next
	}},
	{"a knot behind few octets goes on", "fewer octets than eight", func(s spoiltSegments) {
		s.knot(func(k *automaton.Knot) bool { return opens(k) && s.at(k).Key&7 < 7 }).Next = s.knot(goesOn).Next
	}},
	{"an anchor that does not exist", "lies before what it waits behind", func(s spoiltSegments) { s.knot(opens).Anchor = 1000 }},
	{"an anchor of every path, once more", "lies before what it waits behind", func(s spoiltSegments) { s.knot(opens).Anchor = slashFloats }},
	{"an anchor of a prefix, once more", "lies before what it waits behind", func(s spoiltSegments) {
		s.knot(opens).Anchor = find(s.table.Points, waits).Anchor
	}},
	{"an anchor of a lower state", "lies before what it waits behind", func(s spoiltSegments) {
		k := s.knot(opens)
		a, of := &s.Anchors[k.Anchor], find(s.Anchors, func(a *automaton.Anchor) bool { return a.State == s.at(k).Key>>3 })
		a.State, of.State = of.State, a.State
	}},
	{"something waits behind the end", "behind the end of the path", func(s spoiltSegments) {
		k := s.knot(opens)
		s.backwards().Anchor, k.Anchor = k.Anchor, 0
	}},
	{"a length that a state does not know", "lengths are not", func(s spoiltSegments) { s.States[1].Lengths = 0 }},
	{"a length that no edge has", "lengths are not", func(s spoiltSegments) { s.States[len(s.States)-1].Lengths ^= 0xff }},

	{"a segment that does not pass the filter of places", "filter of where it may begin", func(s spoiltSegments) {
		s.Begin[s.Anchors[slashFloats].Filter] = automaton.Begin{}
	}},
	{"a segment that does not pass the filter", "filter of what segments begin with", func(s spoiltSegments) {
		s.Segments.First[0][automaton.Fold(s.starts(slashFloats).Word)&63] = 0
	}},
	{"a filter that lets pass what no edge has", "filter of what segments begin with", func(s spoiltSegments) { s.Segments.First[0][63] = 0xff }},
	{"an end that does not pass the filter", "filter of what segments end with", func(s spoiltSegments) { s.Last[0] = [64]uint8{} }},
	{"a filter that lets pass what no end has", "filter of what segments end with", func(s spoiltSegments) { s.Last[0][63] = 0xff }},

	{"an anchor that promises more", "rule of those behind it", func(s spoiltSegments) { s.Anchors[slashFloats].Best = 0 }},
	{"an anchor that promises less", "rule of those behind it", func(s spoiltSegments) { s.Anchors[slashFloats].Best = none }},
	{"a gate that promises less", "rule of those behind it", func(s spoiltSegments) { s.gate().Best = none }},

	{"two edges change their rules", "rule of those behind it", func(s spoiltSegments) {
		e := s.edge(func(e *automaton.Edge) bool {
			return slices.ContainsFunc(s.Anchors, func(a automaton.Anchor) bool { return e.To == a.Best && a.State == e.Key>>3 })
		})
		o := s.edge(func(o *automaton.Edge) bool { return isRule(o) && o.Key>>3 != e.Key>>3 && o.To > e.To })
		e.To, o.To = o.To, e.To
	}},
	{"two edges of one state change their rules", "does not have", func(s spoiltSegments) {
		e := s.edge(isRule)
		o := s.edge(func(o *automaton.Edge) bool { return isRule(o) && o != e && o.Key>>3 == e.Key>>3 })
		e.To, o.To = o.To, e.To
	}},
	{"an edge of other octets", "does not have", func(s spoiltSegments) {
		s.edge(func(e *automaton.Edge) bool { return isRule(e) && e.Key&7 == 7 }).Word ^= 1 << 63
		s.rehash()
	}},
	{"a gate of another octet", "does not have", func(s spoiltSegments) { s.gate().Gate ^= 1 }},
	{"a gate behind more than the slash", "more than the slash", func(s spoiltSegments) { s.gate().From += 2 }},
	{"a prefix as if it were a gate", "more than the slash", func(s spoiltSegments) { s.Anchors[firstPrefix].From = 1 }},
	{"no gate", "does not have", func(s spoiltSegments) { a := s.gate(); a.Gate, a.From = 0, 0 }},
	{"two anchors change places", "does not have", func(s spoiltSegments) {
		p := find(s.table.Points, waits)
		q := find(s.table.Points, func(q *automaton.Point) bool { return waits(q) && q != p })
		p.Anchor, q.Anchor = q.Anchor, p.Anchor
	}},
	{"no segments", "anchor is none", func(s spoiltSegments) { s.table.Segments = nil }},
}

func TestNewRefusesSegments(t *testing.T) {
	for _, c := range wrongSegments {
		t.Run(c.name, func(t *testing.T) {
			rules := tableRules()
			table := tableOf(t, compile.EngineAutomaton, rules)
			if table.Segments == nil {
				t.Fatal("the rules of this test no longer make what it spoils")
			}
			c.spoil(spoiltSegments{table.Segments, table})
			refused(t, rules, table, c.want)
		})
	}
}
