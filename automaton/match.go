package automaton

import (
	"math/bits"
	"sort"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/internal/table"
)

// A match returns the verdict of the first rule, in order of rank, that matches. Four things
// complicate this.
//
// First, dialects compare different forms of a path. Each rule names the form in which it is
// written. A form is computed at most once per match, into the Scratch, and only for paths that are
// not in that form already; nearly all are.
//
// Second, only a few rules can match, and trying all takes time. A list (list.go) rules out most
// with one comparison of eight bytes. A table never looks at rules that do not match: from the
// path's slash on it reads eight bytes at a time, and in each state it looks up the edge with these
// bytes, once for each edge length. The lookups are independent loads, where an automaton that
// reads single bytes would wait for each. In the first state, which has most of the edges, a filter
// leaves about one of the eight lengths.
//
// Third, a rule with gaps matches only after all its segments have been found in order. Where its
// prefix ends, the segment after the first gap begins to wait; where a waiting segment is found,
// the next one begins to wait. Segments are searched for where they may begin or, where that could
// be slow, by an automaton that reads the path once (package internal/table). The leftmost match of
// each segment is always right, since it leaves the most bytes for what follows. The search stops
// when no waiting rule could outrank the best one found.
//
// Fourth, a machine may have several parts, whose best rules are then compared by rank. Nearly all
// machines have one part.

const robotsTxt = "/robots.txt"

// formSet is a set of forms.
type formSet uint8

const (
	otherForms formSet = 1 << iota // all but FormB
	formB
	allForms = otherForms | formB
)

func (f formSet) has(form Form) bool {
	if form == FormB {
		return f&formB != 0
	}
	return f&otherForms != 0
}

// Match returns the verdict on a path that Dialect.Path has returned; other bytes are accepted too.
// Match allocates only to grow s, and retains no reference to path. It is safe for concurrent use
// if each goroutine has its own Scratch.
//
// All dialects but Google allow /robots.txt whatever the rules say (RFC 9309 2.2.2).
func (m *Machine) Match(s *Scratch, path []byte) Verdict {
	if m == nil {
		return Verdict{}
	}
	if m.exemptsItself && string(path) == robotsTxt {
		return Verdict{}
	}
	switch m.form {
	case FormRaw:
		return m.verdict(s, path)
	case FormDecoded:
		return m.verdict(s, s.decoded(path))
	}
	n := plain.Canonical(path)
	if n == len(path) {
		return m.verdict(s, path)
	}
	s.a = formed(s.a, path, n, FormA)
	best := m.first(s, s.a, otherForms, nil)
	if m.hasB {
		s.b = formed(s.b, path, n, FormB)
		best = m.first(s, s.b, formB, best)
	}
	if best == nil {
		return Verdict{}
	}
	return best.Verdict
}

// MatchPlain is Match for a path that IsPlain, for callers that ask several machines about one
// path.
func (m *Machine) MatchPlain(s *Scratch, path []byte) Verdict {
	if m == nil || m.exemptsItself && string(path) == robotsTxt {
		return Verdict{}
	}
	return m.verdict(s, path)
}

// verdict returns the verdict on a path that is in the form of all rules. For machines of one part
// it repeats first, so that a list can answer without reading the rule.
func (m *Machine) verdict(s *Scratch, path []byte) Verdict {
	if m.parts == nil {
		i := uint32(len(m.rules))
		switch {
		case len(path) == 0 || path[0] != '/':
			i = m.firstOfAny(path, allForms, i)
		case m.table == nil:
			return m.list.verdict(m.rules, path)
		case len(path) == 1:
			i = min(i, m.table.Root)
		default:
			i = m.firstInTable(s, path, allForms, i)
		}
		if int(i) < len(m.rules) {
			return m.rules[i].Verdict
		}
		return Verdict{}
	}
	if best := m.first(s, path, allForms, nil); best != nil {
		return best.Verdict
	}
	return Verdict{}
}

// first returns the highest-ranked rule in the given forms that matches and outranks best;
// otherwise best.
func (m *Machine) first(s *Scratch, path []byte, forms formSet, best *Rule) *Rule {
	if m.parts == nil {
		return m.part.better(s, path, forms, best)
	}
	for _, p := range m.parts {
		best = p.better(s, path, forms, best)
	}
	return best
}

// better is Machine.first for one part.
func (p *part) better(s *Scratch, path []byte, forms formSet, best *Rule) *Rule {
	limit := uint32(len(p.rules))
	if best != nil { // only what outranks it
		limit = uint32(sort.Search(len(p.rules), func(i int) bool { return p.rules[i].Rank <= best.Rank }))
	}
	if i := p.first(s, path, forms, limit); i < limit {
		return &p.rules[i]
	}
	return best
}

// first returns the index of the first rule below limit that matches, or limit if none does.
func (p *part) first(s *Scratch, path []byte, forms formSet, limit uint32) uint32 {
	if len(path) == 0 || path[0] != '/' {
		return p.firstOfAny(path, forms, limit)
	}
	if p.table == nil {
		return p.list.first(p.rules, path, forms, limit)
	}
	return p.firstInTable(s, path, forms, limit)
}

// firstOfAny is first for bytes that do not begin with a slash.
func (p *part) firstOfAny(path []byte, forms formSet, limit uint32) uint32 {
	for i := range p.rules[:limit] {
		if r := &p.rules[i]; forms.has(r.Form) && r.matchesAfter(view(path), 0) {
			return uint32(i)
		}
	}
	return limit
}

// firstInTable returns the index of the first rule below best that matches a path beginning with a
// slash, or best if none does. It is long because it is the hot loop: calling a function for each
// edge would cost more than the function does.
func (p *part) firstInTable(s *Scratch, path []byte, forms formSet, best uint32) uint32 {
	t := p.table
	if forms&otherForms != 0 {
		best = min(best, t.Base)
	}
	s.table.Anchors = s.table.Anchors[:0]
	point := &t.Points[0]
	if len(path) == 1 || t.AtSlash {
		best = p.reach(point, s, path, 1, forms, best)
	}
	state, at := point.Next, 1
	for state != 0 {
		rest := path[at:]
		word := table.FirstOctets(rest)
		lengths := t.States[state].Lengths & table.LengthsUpTo[min(len(rest), table.EdgeOctets)]
		if state == 1 {
			f, folded := &t.First, table.Fold(word) // as Filter.of does, which is not inlined
			lengths &= f[0][folded&63] & f[1][folded>>8&63] & f[2][folded>>16&63] & f[3][folded>>24&63] &
				f[4][folded>>32&63] & f[5][folded>>40&63] & f[6][folded>>48&63] & f[7][folded>>56&63]
		}
		table.Spend(1 + bits.OnesCount8(lengths))
		key, from := state<<3, at
		state = 0
		for ; lengths != 0; lengths &= lengths - 1 {
			n := uint32(bits.TrailingZeros8(lengths))
			to := t.Edge(word&table.WordMask[n+1], key|n)
			if to == table.None {
				continue
			}
			seen := from + int(n) + 1
			if to&table.IsPoint == 0 {
				if to&table.IsWhole != 0 {
					if forms&otherForms != 0 {
						best = min(best, to&^table.IsWhole)
					}
				} else if r := &p.rules[to]; to < best && forms.has(r.Form) && r.matchesAfter(view(path), seen) {
					best = to
				}
				continue
			}
			point := &t.Points[to&^table.IsPoint]
			end := int(point.Len)
			if end > seen && (end > len(path) || string(path[seen:end]) != p.rules[point.From].Pattern[seen:end]) {
				continue
			}
			best = p.reach(point, s, path, end, forms, best)
			if point.Next != 0 {
				state, at = point.Next, end
			}
		}
	}
	if g := t.Segments; g != nil {
		return g.Find(&s.table, path, forms&otherForms != 0, best)
	}
	if g := t.Gaps; g != nil && (g.Best < best && forms&otherForms != 0 || len(s.table.Anchors) > 0) {
		return g.Find(&s.table, path, forms&otherForms != 0, best)
	}
	return best
}

// reach returns the better of best and the rules of the point that the path has reached.
func (p *part) reach(at *table.Point, s *Scratch, path []byte, end int, forms formSet, best uint32) uint32 {
	if forms&otherForms != 0 {
		best = p.act(at, s, path, end, best)
	}
	if at.B != 0 && forms&formB != 0 {
		best = p.act(&p.table.Points[at.B], s, path, end, best)
	}
	return best
}

// act is reach for a point of one form.
func (p *part) act(at *table.Point, s *Scratch, path []byte, end int, best uint32) uint32 {
	best = min(best, at.Accept)
	if end == len(path) {
		best = min(best, at.End)
	}
	for _, i := range p.table.Candidates[at.Candidates:at.CandidatesEnd] {
		if i < best && p.rules[i].matchesAfter(view(path), end) {
			best = i
		}
	}
	if at.Anchor != 0 {
		s.table.Anchors = append(s.table.Anchors, table.Reached{Anchor: at.Anchor, End: uint32(end)})
	}
	return best
}

// view returns bytes as a string without copying them. It is used only during a match, when nothing
// writes to the bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
