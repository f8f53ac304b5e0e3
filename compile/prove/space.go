package prove

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// space has the distinct patterns of some machines, and the ranking of each machine.
type space struct {
	rankings [][]*rule
	patterns []*pattern // sorted by plain
	nodes    []prefix   // sorted by plain
	index    map[patternKey]*pattern
	// from is clients; or escapers if rules are compared in FormRaw; or urls for machines of several
	// dialects, which differ on nearly all paths that aren't URLs.
	from   sender
	looked int                // rules examined since the last search
	isOdd  bool               // some pattern has what only clients send, see hasOdd
	lines  map[uint32][]*rule // in the first ranking
	search *search            // the last one
	hides  bool               // dropped rules are skipped
}

// rule is a rule of a ranking. The highest rank is 0.
type rule struct {
	*pattern
	rank    int
	line    uint32
	forbids bool
	gone    bool // see Rules.Drop
}

type patternKey struct {
	text  string
	form  automaton.Form
	atEnd bool
}

// prefix is the common plain beginning of patterns[from:to].
type prefix struct {
	plain    string
	from, to int
	parent   int // the longest shorter prefix, -1 if there is none
}

// The approximate costs, in steps, of reading a rule and of examining one.
const (
	stepsOfRule = 16
	stepsOfLook = 2
)

// newSpace returns the space of machines, any of which may be nil. It uses steps of a Prover;
// without any left, the space is empty.
func (p *Prover) newSpace(machines ...*automaton.Machine) *space {
	for _, m := range machines {
		p.Steps -= stepsOfRule * m.Len()
	}
	if p.Steps <= 0 {
		machines = make([]*automaton.Machine, len(machines))
	}
	s := &space{
		rankings: make([][]*rule, len(machines)), index: map[patternKey]*pattern{}, lines: map[uint32][]*rule{},
		from: clients, search: &search{},
	}
	s.search.space = s
	for _, m := range machines {
		if m != nil && machines[0] != nil && m.Dialect() != machines[0].Dialect() {
			s.from = urls
		}
	}
	for i, m := range machines {
		rules := slices.Concat(m.Lists()...)
		if s.from == clients && len(rules) > 0 && rules[0].Form == automaton.FormRaw {
			s.from = escapers
		}
		slices.SortStableFunc(rules, func(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) })
		for rank := range rules {
			v := rules[rank].Verdict
			r := &rule{pattern: s.pattern(&rules[rank]), rank: rank, line: v.Line, forbids: v.Disallowed}
			s.rankings[i], r.rules[i] = append(s.rankings[i], r), append(r.rules[i], r)
			if i == 0 {
				s.lines[r.line] = append(s.lines[r.line], r)
			}
		}
	}
	slices.SortStableFunc(s.patterns, func(x, y *pattern) int { return strings.Compare(x.plain(), y.plain()) })
	s.nest()
	return s
}

func (s *space) pattern(r *automaton.Rule) *pattern {
	p := newPattern(r, s.from)
	key := patternKey{r.Pattern, p.form, r.AtEnd}
	if known := s.index[key]; known != nil {
		return known
	}
	s.index[key], s.patterns, s.isOdd = p, append(s.patterns, p), s.isOdd || slices.ContainsFunc(p.segments, hasOdd)
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

// enclosing returns the first of a node and its parents with which a text begins.
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

// covering returns the patterns that cover a pattern, including itself. The first call for a
// pattern uses steps.
func (s *space) covering(p *pattern, steps *int) []*pattern {
	if p.covered == nil {
		near := s.near(p)
		*steps -= len(near) * (2 + len(p.moves)/8)
		p.covered = slices.DeleteFunc(near, func(x *pattern) bool { return !x.covers(p) })
	}
	return p.covered
}

// among returns the forbidding or the allowing rules of a ranking that may match a path which a
// pattern matches. It returns all of them if the pattern is nil.
func (s *space) among(p *pattern, ranking int, forbid bool) (rules []*rule) {
	patterns := s.patterns
	if p != nil {
		patterns = s.near(p)
	}
	s.looked += 1 + len(patterns)
	for _, p := range patterns {
		for _, r := range p.rules[ranking] {
			if r.forbids == forbid && !(r.gone && s.hides) {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// above returns the patterns of the rules that outrank a rule, or of all rules if it is nil.
func above(r *rule, rules []*rule) (patterns []*pattern) {
	for _, x := range rules {
		if r == nil || x.rank < r.rank {
			patterns = append(patterns, x.pattern)
		}
	}
	return patterns
}

// byLength sorts rules by the minimum length of matching paths.
func byLength(rules []*rule) []*rule {
	slices.SortStableFunc(rules, func(x, y *rule) int { return cmp.Compare(x.atLeast(), y.atLeast()) })
	return rules
}

// has reports whether the first rule with a pattern in a ranking forbids, or allows.
func (p *pattern) has(ranking int, forbid bool) bool {
	return len(p.rules[ranking]) > 0 && p.rules[ranking][0].forbids == forbid
}

// inOneOrder reports whether, among the rules common to two rankings, forbidding and allowing rules
// outrank each other in the same way.
func (s *space) inOneOrder(one, other int) bool {
	lowest := map[bool]int{} // in the other, of the allowing and of the forbidding rules so far
	for _, r := range s.rankings[one] {
		if r.rules[one][0] != r || !r.has(other, r.forbids) {
			continue
		}
		rank := r.rules[other][0].rank
		if rank < lowest[!r.forbids] {
			return false
		}
		lowest[r.forbids] = max(lowest[r.forbids], rank)
	}
	return true
}

// any searches for a path of any of the alternatives, within the remaining steps.
func (s *space) any(of alternatives, steps *int) Answer { return s.answer(of, steps, true) }

// shortest searches for the shortest path of the alternatives.
func (s *space) shortest(of alternatives, steps *int) Answer { return s.answer(of, steps, false) }

// answer searches the paths of URLs first, then the other paths that clients send.
func (s *space) answer(of alternatives, steps *int, first bool) Answer {
	a := s.over(urls, of, steps, first)
	if a.Path == "" && s.isOdd && s.from < urls {
		also := s.over(s.from, of, steps, first)
		return Answer{also.Path, a.Decided && also.Decided}
	}
	return a
}

// over is answer for the units with the given or a later sender. It only searches for paths no
// longer than the best so far. The search of one alternative uses at most half of the remaining
// steps.
func (s *space) over(from sender, of alternatives, steps *int, first bool) Answer {
	if *steps <= 0 {
		return Answer{}
	}
	best, longest := Answer{Decided: true}, math.MaxInt
	for x := range of {
		if x.least > longest || first && best.Path != "" {
			break
		}
		*steps -= stepsOfLook*s.looked + len(x.avoid)
		s.looked = 0
		if *steps <= 0 {
			best.Decided = false
			break
		}
		s.search.reset(x, from, longest, *steps/2)
		*steps -= s.search.steps
		path, decided := s.search.run()
		*steps += s.search.steps
		best.Decided = best.Decided && decided
		if path != "" && (best.Path == "" || len(path) < longest || path < best.Path) {
			best.Path, longest = path, len(path)
		}
	}
	*steps -= stepsOfLook * s.looked
	s.looked = 0
	return best
}
