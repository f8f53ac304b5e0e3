package tabletest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/internal/table/tabletest"
)

const (
	none    = table.None
	rfc9309 = automaton.RFC9309
)

// rule writes a rule as a pattern in which only '*' and a final '$' mean
// something. It forbids what it matches, unless the pattern begins with '+'.
func rule(form automaton.Form, line uint32, pattern string) automaton.Rule {
	pattern, allow := strings.CutPrefix(pattern, "+")
	r := automaton.Rule{Form: form, Verdict: automaton.Verdict{Line: line, Disallowed: !allow}}
	pattern, r.Anchored = strings.CutSuffix(pattern, "$")
	if strings.HasSuffix(pattern, "*") {
		r.Anchored = false
	}
	for i, segment := range strings.Split(pattern, "*") {
		if i > 0 && segment != "" {
			r.Pattern += "*"
		}
		r.Pattern += segment
	}
	return r
}

// inOrder returns the rules with descending ranks, unless the first has one.
func inOrder(rules []automaton.Rule) []automaton.Rule {
	rules = slices.Clone(rules)
	if len(rules) > 0 && rules[0].Rank == 0 {
		for i := range rules {
			rules[i].Rank = uint64(len(rules) - i)
		}
	}
	return rules
}

// tableRules reach every part of a table: prefixes that part in their first octets
// and late, anchored and not, in both forms; rules with gaps that are tried and that
// wait; nodes of every path; segments of one, two, four and more octets, and suffixes of others.
func tableRules() []automaton.Rule {
	var rules []automaton.Rule
	add := func(form automaton.Form, patterns ...string) {
		for _, pattern := range patterns {
			rules = append(rules, rule(form, uint32(len(rules)+1), pattern))
		}
	}
	add(automaton.FormA, "/abcdefghijklmnop/x/1", "/abcdefghijklmnop/x/2", "/abcdefgh/long/$", "+/abcdefgh", "/ab$", "/ab", "/c", "/other/text/as/long/as/any")
	add(automaton.FormB, "/?q=(1)", "/?q=(1)$", "/?q=*w", "/?r=(2)")
	add(automaton.FormA, "/?q=", "/t*uuu", "/t*v$", "+/s*u", "/t")
	add(automaton.FormA, "/w*one/e", "/w*two/e", "/w*three/e*one/e", "/w*four/e$", "/w*five/e", "/wait*six/e", "/wait*seven/e", "/wait*one/e", "/wait*two/e", "/wait*five/e")
	add(automaton.FormA, "*one/e$", "*one/e", "/*one/e*tone/e", "*e*four/e*e", "*e*one/e", "/*five/e$", "*oe", "*/e", "/*/ef", "/$", "/")
	add(automaton.FormA, "*segments/of/many", "*segments/of/more", "*of/many/octets$", "*at/many/octets$", "/*e/e*x", "/*e/e*y*z$")
	return inOrder(rules)
}

// tableOf is the table that package compile makes of rules.
func tableOf(t testing.TB, engine compile.Engine, rules []automaton.Rule) *table.Table {
	t.Helper()
	made := engine.Table(rules)
	if made == nil {
		t.Fatal("package compile makes no table")
	}
	return made
}

// tableEngines are those that answer with a table.
var tableEngines = []compile.Engine{compile.EngineAutomaton, compile.EngineGaps}

// spoilt is a table of tableRules, and what it takes to find something in it.
type spoilt struct {
	*table.Table
	*table.Gaps
	rules []automaton.Rule
}

// rule returns the number of the rule with a pattern, written as for rule.
func (s spoilt) rule(pattern string) uint32 {
	want := rule(automaton.FormA, 1, pattern)
	for i, r := range s.rules {
		if r.Pattern == want.Pattern && r.Anchored == want.Anchored {
			return uint32(i)
		}
	}
	panic("no rule " + pattern)
}

// find returns the first of things for which what it is looked for holds.
func find[T any](things []T, is func(*T) bool) *T {
	for i := range things {
		if is(&things[i]) {
			return &things[i]
		}
	}
	panic("the rules of this test no longer make what it spoils")
}

// point returns a point, edge an edge, for which something holds.
func (s spoilt) point(is func(p *table.Point) bool) *table.Point {
	return find(s.Points, is)
}

func (s spoilt) edge(is func(e *table.Edge) bool) *table.Edge {
	return find(s.Edges, func(e *table.Edge) bool { return e.Key != 0 && is(e) })
}

// chained is an edge to a point that lies farther than the edge has octets.
func (s spoilt) chained() *table.Edge {
	return s.edge(func(e *table.Edge) bool { return isPoint(e) && s.at(e).Len > s.depth(e.Key>>3)+e.Key&7+1 })
}

// depth is the number of octets before a state.
func (s spoilt) depth(state uint32) uint32 {
	return s.point(func(p *table.Point) bool { return p.Next == state }).Len
}

// short is an edge of less than eight octets to a point.
func (s spoilt) short() *table.Edge {
	return s.edge(func(e *table.Edge) bool { return e.Key&7 < 7 && isPoint(e) })
}

func isPoint(e *table.Edge) bool { return e.To&table.IsPoint != 0 }

func isWhole(e *table.Edge) bool { return isRule(e) && e.To&table.IsWhole != 0 }

func isRule(e *table.Edge) bool { return e.To&table.IsPoint == 0 }

func (s spoilt) at(e *table.Edge) *table.Point { return &s.Points[e.To&^table.IsPoint] }

func hasB(p *table.Point) bool { return p.B != 0 }

func leads(p *table.Point) bool { return p.Next > 1 }

func waits(p *table.Point) bool { return p.Anchor != 0 }

func tries(p *table.Point) bool { return p.CandidatesEnd > p.Candidates+1 }

func accepts(p *table.Point) bool { return p.Accept != none }

// rehash puts the edges where they are found.
func (s spoilt) rehash() { rehash(&s.Trie) }

func rehash(t *table.Trie) {
	var edges []table.Edge
	for _, e := range t.Edges {
		if e.Key != 0 {
			edges = append(edges, e)
		}
	}
	for i := range t.Edges {
		t.Edges[i] = table.Edge{To: none}
	}
	t.Slots = make([]uint8, len(t.Edges))
	for _, e := range edges {
		i := table.Hash(e.Word, e.Key, t.Seed)
		t.Slots[int(i)&(len(t.Edges)-1)] |= table.SlotBit(i)
		for ; t.Edges[int(i)&(len(t.Edges)-1)].Key != 0; i++ {
		}
		t.Edges[int(i)&(len(t.Edges)-1)] = e
	}
}

// displace moves an edge to where a search does not find it: the last empty place in its
// order.
func displace(t *table.Trie, e *table.Edge) {
	slot := int(table.Hash(e.Word, e.Key, t.Seed))
	for i := len(t.Edges) - 1; ; i-- {
		if place := &t.Edges[(slot+i)&(len(t.Edges)-1)]; place.Key == 0 {
			*place, *e = *e, *place
			return
		}
	}
}

// state returns the state behind the octets of a segment.
func (s spoilt) state(octets string) uint32 {
	state := uint32(0)
	for _, c := range []byte(octets) {
		child := s.First(state)
		for ; s.Label[child] != c; child++ {
		}
		state = child
	}
	return state
}

// First is Gaps.First, which the filter of the same name hides.
func (s spoilt) First(state uint32) uint32 { return s.Gaps.First[state] }

// node returns the node at which the rule with a pattern ends.
func (s spoilt) node(pattern string) *table.GapNode {
	id := s.rule(pattern)
	return find(s.Nodes, func(n *table.GapNode) bool { return n.Accept == id })
}

func hasChildren(n *table.GapNode) bool { return n.First < n.End }

// wrong are the ways in which a table can be wrong, one of each.
var wrong = []struct {
	name, want string
	spoil      func(spoilt)
}{
	{"no state behind the slash", "state 1 is missing", func(s spoilt) { s.States = s.States[:1] }},
	{"the dead state has edges", "state 0 is not dead", func(s spoilt) { s.States[0].Lengths = 1 }},
	{"no edges, not even empty", "not a power of two", func(s spoilt) { s.Edges = nil }},
	{"a size that is no power of two", "not a power of two", func(s spoilt) { s.Edges = s.Edges[1:] }},
	{"no points", "point 0 is not the slash", func(s spoilt) { s.Points = nil }},
	{"point 0 lies elsewhere", "point 0 is not the slash", func(s spoilt) { s.Points[0].Len = 2 }},
	{"point 0 goes on elsewhere", "point 0 is not the slash", func(s spoilt) { s.Points[0].Next = 2 }},
	{"the rule for every path is none", "base: no such rule", func(s spoilt) { s.Base = 1000 }},

	{"a point accepts no rule", "no such rule", func(s spoilt) { s.point(accepts).Accept = 1000 }},
	{"a point ends no rule", "no such rule", func(s spoilt) { s.Points[0].End = 1000 }},
	{"rules to try overlap", "do not follow", func(s spoilt) { s.point(tries).Candidates++ }},
	{"rules to try end before they begin", "do not follow", func(s spoilt) { s.point(tries).CandidatesEnd = 0 }},
	{"rules to try end beyond the last", "do not follow", func(s spoilt) { s.point(tries).CandidatesEnd += 1000 }},
	{"rules to try that no point has", "do not follow", func(s spoilt) { s.Candidates = append(s.Candidates, s.Candidates[0]) }},
	{"rules to try out of order", "do not follow", func(s spoilt) { slices.Reverse(s.Candidates) }},
	{"no rule to try", "do not follow", func(s spoilt) { s.Candidates[s.point(tries).CandidatesEnd-1] = none }},
	{"a rule to try that does not exist", "do not follow", func(s spoilt) { s.Candidates[s.point(tries).CandidatesEnd-1] = 1000 }},
	{"an anchor that does not exist", "anchor is none", func(s spoilt) { s.point(waits).Anchor = 1000 }},
	{"an anchor of two points", "anchor is none", func(s spoilt) { s.point(tries).Anchor = s.point(waits).Anchor }},
	{"anchors, and nothing behind gaps", "anchor is none", func(s spoilt) { s.Table.Gaps = nil }},
	{"a point in form B that does not exist", "point for form B", func(s spoilt) { s.point(hasB).B = 1000 }},
	{"a point in form B is its own", "point for form B", func(s spoilt) {
		s.point(func(p *table.Point) bool { return p == s.point(hasB) }).B = uint32(slices.IndexFunc(s.Points, func(p table.Point) bool { return p.B != 0 }))
	}},
	{"a point in form B of two", "point for form B", func(s spoilt) { s.point(leads).B = s.point(hasB).B }},
	{"a point in form B goes on", "point for form B", func(s spoilt) { s.Points[s.point(hasB).B].Next = 2 }},
	{"a point goes on in no state", "goes on in no state", func(s spoilt) { s.point(leads).Next = 1000 }},
	{"a point goes on behind the slash", "goes on in no state", func(s spoilt) { s.point(leads).Next = 1 }},
	{"two points go on in one state", "goes on in no state", func(s spoilt) {
		next := s.point(leads).Next
		s.point(func(p *table.Point) bool { return leads(p) && p.Next != next }).Next = next
	}},
	{"a state that nothing leads to", "nothing leads here", func(s spoilt) { s.States = append(s.States, table.State{}) }},
	{"a point that nothing leads to", "nothing leads here", func(s spoilt) {
		n := uint32(len(s.Candidates))
		s.Points = append(s.Points, table.Point{Accept: none, End: none, Candidates: n, CandidatesEnd: n})
	}},

	{"no empty place", "without an empty place", func(s spoilt) {
		for i := range s.Edges {
			s.Edges[i].Key |= 8
		}
	}},
	{"an edge that is not found", "search does not find", func(s spoilt) { displace(&s.Trie, s.edge(isRule)) }},
	{"an empty place that leads somewhere", "empty place leads", func(s spoilt) {
		find(s.Edges, func(e *table.Edge) bool { return e.Key == 0 }).To = 0
	}},
	{"empty places that lead somewhere", "empty place leads", func(s spoilt) {
		for i := range s.Edges {
			if slices.IndexFunc(s.Edges, func(e table.Edge) bool { return e.Key == 0 }) < i && s.Edges[i].Key == 0 {
				s.Edges[i].To = 0
			}
		}
	}},
	{"no slot bits", "slot bits are not", func(s spoilt) { s.Slots = nil }},
	{"a slot bit of no edge", "slot bits are not", func(s spoilt) { s.Slots[0] = ^s.Slots[0] }},
	{"an edge that is not marked as whole", "not marked so", func(s spoilt) { s.edge(isWhole).To &^= table.IsWhole }},
	{"an edge that is marked as whole", "not marked so", func(s spoilt) {
		s.edge(func(e *table.Edge) bool { return isRule(e) && !isWhole(e) }).To |= table.IsWhole
	}},
	{"an edge of the dead state", "edge of no state", func(s spoilt) { s.edge(func(e *table.Edge) bool { return e.Key&7 > 0 }).Key &= 7; s.rehash() }},
	{"an edge of a state that does not exist", "edge of no state", func(s spoilt) { s.edge(isRule).Key |= 1000 << 3; s.rehash() }},
	{"more octets than an edge has", "octets beyond", func(s spoilt) { s.short().Word |= 1 << 63; s.rehash() }},
	{"an edge to a rule that does not exist", "no such rule", func(s spoilt) { s.edge(isRule).To = 1000 }},
	{"an edge to no rule", "edge to no point", func(s spoilt) { s.edge(isRule).To = none }},
	{"an edge to a point that does not exist", "edge to no point", func(s spoilt) { s.edge(isPoint).To += 1000 }},
	{"an edge back to the slash", "edge to no point", func(s spoilt) { s.edge(isPoint).To = table.IsPoint }},
	{"an edge to a point of another", "edge to no point", func(s spoilt) { s.short().To = s.chained().To }},
	{"an edge to a point in form B", "edge to no point", func(s spoilt) { s.short().To = s.point(hasB).B | table.IsPoint }},
	{"a point before the end of its edge", "does not lie behind it", func(s spoilt) { s.at(s.short()).Len-- }},
	{"a point far behind a short edge", "does not lie behind it", func(s spoilt) { s.at(s.short()).Len++ }},
	{"a state behind a short edge", "does not lie behind it", func(s spoilt) {
		p := s.point(leads)
		s.at(s.short()).Next, p.Next = p.Next, 0
	}},
	{"a text of a rule that does not exist", "too short", func(s spoilt) { s.at(s.chained()).From = 1000 }},
	{"a text of a rule that ends before", "too short", func(s spoilt) { s.at(s.chained()).From = s.rule("/ab") }},
	{"a text that holds a gap", "too short", func(s spoilt) { s.at(s.chained()).From = s.rule("/w*three/e*one/e") }},
	{"a length that a state does not know", "lengths are not", func(s spoilt) { s.States[2].Lengths = 0 }},
	{"a length that no edge has", "lengths are not", func(s spoilt) { s.States[2].Lengths |= 1 << 6 }},
	{"an edge that does not pass the filter", "filter of the first state", func(s spoilt) { s.Table.First[0]['a'&63] = 0 }},
	{"a filter that lets pass what no edge has", "filter of the first state", func(s spoilt) { s.Table.First[0][63] = 0xff }},

	{"segments in two ways", "in two ways", func(s spoilt) { s.Segments = &table.Segments{} }},

	{"no rule for every path", "rule 37: the table does not have", func(s spoilt) { s.Base = none }},
	{"a rule for every path that is not", "stand where no path", func(s spoilt) { s.Base = s.rule("/ab") }},
	{"a rule missing where its prefix ends", "does not have", func(s spoilt) { s.point(accepts).Accept = none }},
	{"a rule missing where the path ends", "does not have", func(s spoilt) { s.Points[0].End = none }},
	{"a rule that outranks it, but is another", "does not have", func(s spoilt) { s.Points[0].End = 0 }},
	{"an edge to another rule", "does not have", func(s spoilt) { s.edge(isWhole).To = s.rule("/ab") | table.IsWhole }},
	{"an edge of other octets", "does not have", func(s spoilt) {
		e := s.edge(isRule)
		e.Word ^= 1 << 7 // at which the filter does not look
		s.rehash()
	}},
	{"a text of another rule", "does not have", func(s spoilt) { s.at(s.chained()).From = s.rule("/other/text/as/long/as/any") }},
	{"a rule to try that belongs elsewhere", "does not have", func(s spoilt) { s.Candidates[0] = s.rule("/ab") }},
	{"two anchors change places", "does not have", func(s spoilt) {
		one := s.point(waits)
		other := s.point(func(p *table.Point) bool { return waits(p) && p != one })
		one.Anchor, other.Anchor = other.Anchor, one.Anchor
	}},
	{"no point in form B", "does not have", func(s spoilt) {
		b := s.Points[s.point(hasB).B]
		s.point(hasB).B = 0
		s.edge(func(e *table.Edge) bool { return e.To == s.rule("/c")|table.IsWhole }).To = uint32(slices.Index(s.Points, b)) | table.IsPoint
		s.Points[slices.Index(s.Points, b)].Len = 2
	}},
	{"a rule in form A where one in form B ends", "does not have", func(s spoilt) {
		p := s.point(hasB)
		s.Points[p.B].Accept, p.Accept = p.Accept, s.Points[p.B].Accept
	}},
	{"a rule twice", "stand where no path", func(s spoilt) { s.point(waits).End = s.rule("/") }},

	{"a state without a label", "not one label", func(s spoilt) { s.Label = s.Label[1:] }},
	{"a state without a suffix", "not one label", func(s spoilt) { s.Fail = s.Fail[1:] }},
	{"a state without an act", "not one label", func(s spoilt) { s.Act = s.Act[1:] }},
	{"a state without a symbol", "not one label", func(s spoilt) { s.Symbol = s.Symbol[1:] }},
	{"no end of the last state's children", "not one label", func(s spoilt) { s.Gaps.First = s.Gaps.First[1:] }},
	{"no states", "not one label", func(s spoilt) {
		s.Label, s.Fail, s.Act, s.Symbol, s.Gaps.First = nil, nil, nil, nil, s.Gaps.First[:1]
	}},
	{"the root is its own child", "children of states do not", func(s spoilt) { s.Gaps.First[0] = 0 }},
	{"the first child of the root is nobody's", "children of states do not", func(s spoilt) { s.Gaps.First[0] = 2 }},
	{"a state that is nobody's child", "children of states do not", func(s spoilt) { s.Gaps.First[len(s.Label)]-- }},
	{"a state is its own child", "children of states do not", func(s spoilt) { s.Gaps.First[3] = 3 }},
	{"children end before they begin", "children of states do not", func(s spoilt) { s.Gaps.First[4] = s.Gaps.First[3] - 1 }},
	{"children beyond the last state", "children of states do not", func(s spoilt) { s.Gaps.First[len(s.Label)-1] += 1000 }},
	{"labels out of order", "order of their labels", func(s spoilt) { s.Label[1], s.Label[2] = s.Label[2], s.Label[1] }},
	{"the same label twice", "order of their labels", func(s spoilt) { s.Label[2] = s.Label[1] }},
	{"shallow states that are deep", "not the number of states", func(s spoilt) { s.Shallow++ }},
	{"a child that the root does not know", "not the child of the root", func(s spoilt) { s.Root['o'] = 0 }},
	{"a child that the root does not have", "not the child of the root", func(s spoilt) { s.Root['z'] = 1 }},
	{"a suffix of the root", "state 0: not the longest proper suffix", func(s spoilt) { s.Fail[0] = 1 }},
	{"an act of the root", "state 0: not the longest proper suffix", func(s spoilt) { s.Act[0] = 1 }},
	{"a suffix that is not the longest", "not the longest proper suffix", func(s spoilt) { s.Fail[s.state("tone/e")] = s.state("/e") }},
	{"a suffix that is none", "not the longest proper suffix", func(s spoilt) { s.Fail[s.state("tone/e")] = 1 << 30 }},
	{"an act that is not the nearest", "at which a symbol ends", func(s spoilt) { s.Act[s.state("tone/e")] = s.state("/e") }},
	{"no act", "at which a symbol ends", func(s spoilt) { s.Act[s.state("one/e")] = 0 }},
	{"a state that leads nowhere", "leads to no symbol", func(s spoilt) { s.Act[s.state("tone/e")] = s.state("one/e") }},
	{"a symbol that does not exist", "symbol is none", func(s spoilt) { s.Symbol[s.state("one/e")] = 1000 }},
	{"a symbol at two states", "symbol is none", func(s spoilt) { s.Symbol[s.state("one/e")] = s.Symbol[s.state("/e")] }},
	{"a symbol of another length", "not as long as its state", func(s spoilt) { s.Len[s.Symbol[s.state("one/e")]]++ }},
	{"a symbol that ends nowhere", "symbol that no state reads", func(s spoilt) {
		s.Len, s.EveryPath = append(s.Len, 1), append(s.EveryPath, s.EveryPath[len(s.EveryPath)-1])
	}},
	{"symbols without nodes of every path", "do not follow", func(s spoilt) { s.EveryPath = s.EveryPath[1:] }},

	{"a filter that no symbol passes", "pass the filter", func(s spoilt) { s.Start.Octets[0] = table.Classes{} }},
	{"a filter that no second octet passes", "pass the filter", func(s spoilt) { s.Start.Octets[1].Hi['n'>>4] = 0 }},
	{"a filter that no third octet passes", "pass the filter", func(s spoilt) { s.Start.Octets[2].Hi['e'>>4] = 0 }},
	{"a symbol of one octet that needs a second", "pass the filter", func(s spoilt) { s.Start.Octets[1].Lo[7] = 0 }},
	{"a symbol of two octets that needs a third", "pass the filter", func(s spoilt) { s.Start.Octets[2].Lo[7] = 0 }},

	{"nodes of every path that begin late", "do not follow", func(s spoilt) { s.EveryPath[0] = 1 }},
	{"nodes of every path that end before they begin", "do not follow", func(s spoilt) {
		for i := range s.EveryPath[1:] {
			s.EveryPath[i+1] = uint32(len(s.EveryPath) - i)
		}
	}},
	{"no anchor 0", "anchor 0 is not none", func(s spoilt) {
		s.Anchors = nil
		for i := range s.Points {
			s.Points[i].Anchor = 0
		}
	}},
	{"anchor 0 is one", "anchor 0 is not none", func(s spoilt) { s.Anchors[0].Best = 0 }},
	{"an anchor of others' nodes", "do not follow", func(s spoilt) { s.Anchors[1].First++ }},
	{"an anchor that ends before it begins", "do not follow", func(s spoilt) { s.Anchors[1].End = 0 }},
	{"a node of others' nodes", "do not follow", func(s spoilt) { find(s.Nodes, hasChildren).First++ }},
	{"a node that ends before it begins", "do not follow", func(s spoilt) { find(s.Nodes, hasChildren).End = 0 }},
	{"a node that nothing waits for", "do not follow", func(s spoilt) { s.Nodes = append(s.Nodes, s.Nodes[len(s.Nodes)-1]) }},
	{"a node that waits for itself", "waits for itself", func(s spoilt) {
		last := len(s.Nodes)
		s.Nodes = append(s.Nodes, s.Nodes[last-1])
		s.Nodes[last].First, s.Nodes[last].End = uint32(last), uint32(last+1)
	}},
	{"a node of no symbol", "symbol is none", func(s spoilt) { s.Nodes[0].Symbol = 1000 }},
	{"children at the end of the path", "end of the path has children", func(s spoilt) { find(s.Nodes, hasChildren).AtEnd = true }},
	{"a node of another symbol", "nodes of a symbol on every path", func(s spoilt) { s.Nodes[0].Symbol++ }},
	{"a node of every path that begins at the third octet", "nodes of a symbol on every path", func(s spoilt) { s.node("/*five/e$").From = 2 }},
	{"the same node of every path twice", "nodes of a symbol on every path", func(s spoilt) { s.node("*one/e$").AtEnd = false }},
	{"children out of order", "children are not in order", func(s spoilt) {
		children := s.Anchors[1].First
		s.Nodes[children].Symbol, s.Nodes[children+1].Symbol = s.Nodes[children+1].Symbol, s.Nodes[children].Symbol
	}},
	{"the same child twice", "children are not in order", func(s spoilt) {
		children := s.Anchors[1].First
		s.Nodes[children+1].Symbol = s.Nodes[children].Symbol
		s.Nodes[children+1].AtEnd, s.Nodes[children].AtEnd = false, false
	}},
	{"children of a node out of order", "children are not in order", func(s spoilt) {
		children := find(s.Nodes, func(n *table.GapNode) bool { return n.End > n.First+1 }).First
		s.Nodes[children].Symbol, s.Nodes[children+1].Symbol = s.Nodes[children+1].Symbol, s.Nodes[children].Symbol
	}},
	{"a node that promises more", "not the first rule", func(s spoilt) { s.node("*one/e").Best = 0 }},
	{"a node that promises less", "not the first rule", func(s spoilt) { s.node("*one/e").Best = none }},
	{"an anchor that promises less", "not the first rule", func(s spoilt) { s.Anchors[1].Best = none }},
	{"nodes of every path that promise less", "not the first rule", func(s spoilt) { s.Gaps.Best = none }},
	{"an octet that a rule does not have", "that all are said to have", func(s spoilt) { s.Needed = 'n' }},
	{"an octet that is the gap", "is that of gaps", func(s spoilt) { s.Needed = '*' }},
	{"a node accepts no rule", "no such rule", func(s spoilt) { s.accept("*one/e", 1000) }},
	{"a node without its rule", "does not have", func(s spoilt) { s.accept("*one/e", none) }},
	{"a node with the rule of another", "does not have", func(s spoilt) { s.accept("*one/e", 1) }},
	{"a node of every path behind nothing instead of the slash", "does not have", func(s spoilt) { s.node("/*/ef").From = 0 }},
	{"a node that need not be at the end", "does not have", func(s spoilt) { s.node("/*five/e$").AtEnd = false }},
}

// accept gives a node another rule, and all that promise the old one the new.
func (s spoilt) accept(pattern string, id uint32) {
	s.node(pattern).Accept = id
	s.mend()
}

// mend computes anew what nodes promise.
func (s spoilt) mend() {
	best := func(children, end uint32) uint32 {
		b := uint32(none)
		for id := children; id < end; id++ {
			b = min(b, s.Nodes[id].Best)
		}
		return b
	}
	for i := len(s.Nodes) - 1; i >= 0; i-- {
		n := &s.Nodes[i]
		n.Best = min(n.Accept, best(n.First, n.End))
	}
	for i := range s.Anchors {
		s.Anchors[i].Best = best(s.Anchors[i].First, s.Anchors[i].End)
	}
	s.Gaps.Best = best(0, s.EveryPath[len(s.EveryPath)-1])
}

func TestCheckRefusesTables(t *testing.T) {
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			rules := tableRules()
			made := tableOf(t, compile.EngineGaps, rules)
			c.spoil(spoilt{made, made.Gaps, rules})
			refused(t, rules, made, c.want)
		})
	}
}

// refused tells whether Check refuses a table with an error.
func refused(t *testing.T, rules []automaton.Rule, made *table.Table, want string) {
	t.Helper()
	if err := tabletest.Check(made, rules); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}

// TestCheckAcceptsTables: what the test above spoils is good, also if it is made of
// few rules.
func TestCheckAcceptsTables(t *testing.T) {
	rules := tableRules()
	for n := 1; n <= len(rules); n++ {
		for _, engine := range tableEngines {
			if err := tabletest.Check(tableOf(t, engine, rules[:n]), rules[:n]); err != nil {
				t.Errorf("%d rules: %v", n, err)
			}
		}
	}
}

// TestCheckRefusesLongSearches: a table that is nearly full is right, but slow.
func TestCheckRefusesLongSearches(t *testing.T) {
	var rules []automaton.Rule
	const n = 1 << 10
	for i := range n - 1 {
		rules = append(rules, rule(automaton.FormA, uint32(i+1), fmt.Sprintf("/%04d", i)))
	}
	rules = inOrder(rules)
	made := tableOf(t, compile.EngineAutomaton, rules)
	full := spoilt{Table: made}
	full.Edges = slices.DeleteFunc(full.Edges, func(e table.Edge) bool { return e.Key == 0 })
	full.Edges = append(full.Edges, table.Edge{To: none})
	full.rehash()
	if len(full.Edges) != n {
		t.Fatalf("%d edges, want %d", len(full.Edges), n)
	}
	if err := tabletest.Check(made, rules); err == nil || !strings.Contains(err.Error(), "takes long") {
		t.Errorf("got error %v", err)
	}
}
