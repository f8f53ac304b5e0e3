package automaton

import (
	"math/bits"
	"sort"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/internal/table"
)

// The match, in one line: the first rule in the order of rank that matches is the verdict.
// Four things complicate it.
//
// First, the dialects compare different forms of a path. A rule says in which one it is
// written, and each form is made at most once a match, into the Scratch, and only if the path
// is not in that form already: nearly all are.
//
// Second, only few rules can match, and to try all would take time for each. A list (list.go)
// excludes most with one comparison of eight bytes. A table does not look at rules that do
// not match at all: from the path's slash on it reads eight bytes at a time, and at each
// state looks up, for each length of edge that leaves it, the edge with these bytes. The
// lookups are independent loads, where an automaton that reads byte by byte would wait for
// each. In the first state, with most of the edges, a filter leaves about one of the eight
// lengths.
//
// Third, a rule with gaps has matched only when all its segments are found one after the
// other. Where its prefix ends, the segment after the first gap begins to wait; where a
// segment is found that waits, the next one begins to. Segments are searched for where they
// may begin, or, where that could take long, an automaton reads the path once (package
// internal/table). The leftmost place of each segment is as good as any later one, since it
// leaves the most room for what follows. Nothing is searched for if no rule that waits could
// outrank the best one found.
//
// Fourth, a machine may have several parts; then ranks are compared. Nearly all machines have
// one part.

const robotsTxt = "/robots.txt"

// formSet is the set of forms whose rules a path is compared with.
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

// Match returns the verdict on a path as Dialect.Path returns it. Path may be any bytes. Match
// allocates only when s must grow, and keeps no view of path after it returns. Any number of
// goroutines may call it, each with its own Scratch.
//
// All dialects but google allow /robots.txt itself by any rules (RFC 9309 2.2.2).
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
	if plain.IsCanonical(path) {
		return m.verdict(s, path)
	}
	s.a, _ = AppendForm(s.a[:0], path, FormA, false)
	best := m.first(s, s.a, otherForms, nil)
	if m.hasB {
		s.b, _ = AppendForm(s.b[:0], path, FormB, false)
		best = m.first(s, s.b, formB, best)
	}
	if best == nil {
		return Verdict{}
	}
	return best.Verdict
}

// MatchPlain is like Match for a path that IsPlain. It is for callers that ask several
// machines about one path.
func (m *Machine) MatchPlain(s *Scratch, path []byte) Verdict {
	if m == nil || m.exemptsItself && string(path) == robotsTxt {
		return Verdict{}
	}
	return m.verdict(s, path)
}

// verdict returns the verdict on a path that is in the form of all rules. For a machine of one
// part it repeats what first does, so that a list answers without a look at the rule.
func (m *Machine) verdict(s *Scratch, path []byte) Verdict {
	if m.parts == nil {
		i := uint32(len(m.rules))
		switch {
		case len(path) == 0 || path[0] != '/':
			i = m.firstOfAny(path, allForms, i)
		case m.table == nil:
			return m.list.verdict(m.rules, path)
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

// first returns the rule of the highest rank of those in the given forms that match, best if
// none outranks that.
func (m *Machine) first(s *Scratch, path []byte, forms formSet, best *Rule) *Rule {
	if m.parts == nil {
		return m.part.better(s, path, forms, best)
	}
	for _, p := range m.parts {
		best = p.better(s, path, forms, best)
	}
	return best
}

// better is like Machine.first for one part.
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

// first returns the first rule below limit that matches, limit if none does.
func (p *part) first(s *Scratch, path []byte, forms formSet, limit uint32) uint32 {
	if len(path) == 0 || path[0] != '/' {
		return p.firstOfAny(path, forms, limit)
	}
	if p.table == nil {
		return p.list.first(p.rules, path, forms, limit)
	}
	return p.firstInTable(s, path, forms, limit)
}

// firstOfAny is like first for bytes that do not begin with a slash.
func (p *part) firstOfAny(path []byte, forms formSet, limit uint32) uint32 {
	for i := range p.rules[:limit] {
		if r := &p.rules[i]; forms.has(r.Form) && r.matchesAfter(view(path), 0) {
			return uint32(i)
		}
	}
	return limit
}

// firstInTable returns the first rule below best that matches a path which begins with a
// slash, best if none does. It is long because it is the hot loop: a call for each edge would
// cost more than what it does there.
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

// reach returns the better of best and the rules of a point, at which the path has come to
// a byte.
func (p *part) reach(at *table.Point, s *Scratch, path []byte, end int, forms formSet, best uint32) uint32 {
	if forms&otherForms != 0 {
		best = p.act(at, s, path, end, best)
	}
	if at.B != 0 && forms&formB != 0 {
		best = p.act(&p.table.Points[at.B], s, path, end, best)
	}
	return best
}

// act is like reach for the point of one form.
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

// view returns bytes as a string without copying them. It is used only during a match, in
// which nothing writes to the bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
