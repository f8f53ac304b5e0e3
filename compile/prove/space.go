package prove

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// space has the patterns of some machines, each once, and the ranking of each machine.
type space struct {
	rankings [][]ranked
	patterns []*pattern // in the order of plain
	nodes    []prefix   // in the order of plain
	index    map[patternKey]*pattern
	// alphabet is that of clients, or of URLs alone where machines of several dialects are compared:
	// these differ on nearly all paths that are no URLs.
	alphabet []unit
	lines    map[uint32][]uint32 // the ranks of the rules on each line, in the first ranking
}

// ranked is a rule of a ranking, which has the highest rank first: 0.
type ranked struct {
	pattern *pattern
	line    uint32
	forbids bool
}

type patternKey struct {
	text  string
	form  automaton.Form
	atEnd bool
}

// prefix is the plain beginning of patterns, which are patterns[from:to].
type prefix struct {
	plain    string
	from, to int
	parent   int // the longest shorter prefix, -1 if there is none
}

// newSpace returns the space of machines, of which each may be nil.
func newSpace(machines ...*automaton.Machine) *space {
	s := &space{rankings: make([][]ranked, len(machines)), index: map[patternKey]*pattern{}, lines: map[uint32][]uint32{}}
	s.alphabet = ofClients()
	for _, m := range machines {
		if m != nil && machines[0] != nil && m.Dialect() != machines[0].Dialect() {
			s.alphabet = ofURLs()
		}
	}
	for i, m := range machines {
		rules := slices.Concat(m.Lists()...)
		slices.SortStableFunc(rules, func(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) })
		for rank := range rules {
			p, v := s.pattern(&rules[rank]), rules[rank].Verdict
			s.rankings[i] = append(s.rankings[i], ranked{p, v.Line, v.Disallowed})
			p.ranks[i] = append(p.ranks[i], uint32(rank))
			if i == 0 {
				s.lines[v.Line] = append(s.lines[v.Line], uint32(rank))
			}
		}
	}
	slices.SortStableFunc(s.patterns, func(x, y *pattern) int { return strings.Compare(x.plain(), y.plain()) })
	s.nest()
	return s
}

// pattern returns the pattern of a rule.
func (s *space) pattern(r *automaton.Rule) *pattern {
	p := newPattern(r, s.alphabet)
	key := patternKey{r.Pattern, p.form, r.AtEnd}
	if known := s.index[key]; known != nil {
		return known
	}
	s.index[key], s.patterns = p, append(s.patterns, p)
	return p
}

// nest sets nodes.
func (s *space) nest() {
	for i, p := range s.patterns {
		plain := p.plain()
		n := len(s.nodes)
		if n > 0 && s.nodes[n-1].plain == plain {
			s.nodes[n-1].to = i + 1
			continue
		}
		s.nodes = append(s.nodes, prefix{plain, i, i + 1, s.enclosing(n-1, plain)})
	}
}

// enclosing returns the first of a node and those above it that a text begins with.
func (s *space) enclosing(node int, text string) int {
	for node >= 0 && !strings.HasPrefix(text, s.nodes[node].plain) {
		node = s.nodes[node].parent
	}
	return node
}

// near returns the patterns that may match a path which another pattern matches.
func (s *space) near(p *pattern) (near []*pattern) {
	plain := p.plain()
	byPlain := func(n prefix, text string) int { return strings.Compare(n.plain, text) }
	at, _ := slices.BinarySearchFunc(s.nodes, plain, byPlain)
	for up := s.enclosing(at-1, plain); up >= 0; up = s.nodes[up].parent {
		near = append(near, s.patterns[s.nodes[up].from:s.nodes[up].to]...)
	}
	for ; at < len(s.nodes) && strings.HasPrefix(s.nodes[at].plain, plain); at++ {
		near = append(near, s.patterns[s.nodes[at].from:s.nodes[at].to]...)
	}
	return near
}

// rules returns the ranks of the rules of a ranking that forbid, or of those that allow, which may
// match a path that a pattern matches; of all if it is nil.
func (s *space) rules(ranking int, may *pattern, forbid bool) (ranks []uint32) {
	patterns := s.patterns
	if may != nil {
		patterns = s.near(may)
	}
	for _, p := range patterns {
		for _, rank := range p.ranks[ranking] {
			if s.rankings[ranking][rank].forbids == forbid {
				ranks = append(ranks, rank)
			}
		}
	}
	return ranks
}

// above returns the ranks that are above one.
func (s *space) above(rank uint32, ranks []uint32) (above []uint32) {
	for _, x := range ranks {
		if x < rank {
			above = append(above, x)
		}
	}
	return above
}

// others returns the ranks, in the first ranking, of rules on other lines.
func (s *space) others(line uint32, ranks []uint32) []uint32 {
	return slices.DeleteFunc(ranks, func(x uint32) bool { return s.rankings[0][x].line == line })
}

func (s *space) patternsOf(ranking int, ranks []uint32) (patterns []*pattern) {
	for _, rank := range ranks {
		patterns = append(patterns, s.rankings[ranking][rank].pattern)
	}
	return patterns
}

// has reports whether the first rule of a ranking with a pattern forbids, or allows.
func (s *space) has(ranking int, p *pattern, forbid bool) bool {
	return len(p.ranks[ranking]) > 0 && s.rankings[ranking][p.ranks[ranking][0]].forbids == forbid
}

// inOneOrder reports whether, of the rules that two rankings have both, those that forbid and those
// that allow outrank each other in one as in the other.
func (s *space) inOneOrder(one, other int) bool {
	var lowest [2]uint32 // in the other, of the rules so far that allow and of those that forbid
	for rank, rule := range s.rankings[one] {
		p, forbids := rule.pattern, 0
		if rule.forbids {
			forbids = 1
		}
		if p.ranks[one][0] != uint32(rank) || !s.has(other, p, rule.forbids) {
			continue
		}
		if p.ranks[other][0] < lowest[1-forbids] {
			return false
		}
		lowest[forbids] = max(lowest[forbids], p.ranks[other][0])
	}
	return true
}

// any searches for a path of any of the alternatives. It takes the steps from those that are left.
func (s *space) any(of alternatives, steps *int) Answer { return s.answer(of, steps, true) }

// shortest searches for the shortest path of the alternatives.
func (s *space) shortest(of alternatives, steps *int) Answer { return s.answer(of, steps, false) }

// answer searches among the paths of URLs, then among those that clients send besides.
func (s *space) answer(of alternatives, steps *int, first bool) Answer {
	a := among(ofURLs(), of, steps, first)
	isOdd := func(p *pattern) bool { return p.isOdd }
	if a.Path == "" && len(s.alphabet) > len(ofURLs()) && slices.ContainsFunc(s.patterns, isOdd) {
		also := among(s.alphabet, of, steps, first)
		return Answer{also.Path, a.Decided && also.Decided}
	}
	return a
}

// among is answer with an alphabet. It searches only for paths that are no longer than the best so far.
// The search of one alternative takes at most half of the steps that are left.
func among(alphabet []unit, of alternatives, steps *int, first bool) Answer {
	best, longest := Answer{Decided: true}, math.MaxInt
	for x := range of {
		if x.least > longest || first && best.Path != "" {
			break
		}
		if *steps -= 1 + len(x.avoid) + x.cost; *steps <= 0 {
			best.Decided = false
			break
		}
		search := &search{alternative: x, alphabet: alphabet, longest: longest, steps: *steps / 2}
		*steps -= search.steps
		path, decided := search.run()
		*steps += search.steps
		best.Decided = best.Decided && decided
		if path != "" && (best.Path == "" || len(path) < longest || path < best.Path) {
			best.Path, longest = path, len(path)
		}
	}
	return best
}
