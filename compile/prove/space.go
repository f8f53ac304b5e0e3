package prove

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// unranked is the rank of what no rule of a ranking has.
const unranked = math.MaxUint32

// space has the patterns of some machines, each once, and the ranking of each machine. Searches share
// it one after the other.
type space struct {
	machines []*automaton.Machine
	rankings [][]ranked
	patterns []*pattern // in the order of plain
	nodes    []prefix   // in the order of plain
	index    map[patternKey]*pattern
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

func newSpace(machines ...*automaton.Machine) *space {
	s := &space{machines: machines, rankings: make([][]ranked, len(machines)), index: map[patternKey]*pattern{}}
	for i, m := range machines {
		rules := slices.Concat(m.Lists()...)
		slices.SortStableFunc(rules, func(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) })
		for j := range rules {
			p := s.pattern(&rules[j])
			s.rankings[i] = append(s.rankings[i], ranked{p, rules[j].Verdict.Line, rules[j].Verdict.Disallowed})
			p.rank[i] = min(p.rank[i], uint32(j))
			if i == 0 {
				p.rules = append(p.rules, uint32(j))
			}
		}
	}
	slices.SortStableFunc(s.patterns, func(x, y *pattern) int { return strings.Compare(x.plain(), y.plain()) })
	s.nest()
	return s
}

// pattern returns the pattern of a rule.
func (s *space) pattern(r *automaton.Rule) *pattern {
	p := newPattern(r)
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
		s.nodes = append(s.nodes, prefix{plain, i, i + 1, s.above(n-1, plain)})
	}
}

// above returns the first of a node and those above it that a text begins with.
func (s *space) above(node int, text string) int {
	for node >= 0 && !strings.HasPrefix(text, s.nodes[node].plain) {
		node = s.nodes[node].parent
	}
	return node
}

// near returns the patterns that may match a path which another pattern matches.
func (s *space) near(p *pattern) (near []*pattern) {
	plain := p.plain()
	at, _ := slices.BinarySearchFunc(s.nodes, plain, func(n prefix, text string) int { return strings.Compare(n.plain, text) })
	for up := s.above(at-1, plain); up >= 0; up = s.nodes[up].parent {
		near = append(near, s.patterns[s.nodes[up].from:s.nodes[up].to]...)
	}
	for ; at < len(s.nodes) && strings.HasPrefix(s.nodes[at].plain, plain); at++ {
		near = append(near, s.patterns[s.nodes[at].from:s.nodes[at].to]...)
	}
	return near
}

// forbids reports whether the rule of a rank in a ranking forbids.
func (s *space) forbids(ranking int, rank uint32) bool {
	return rank != unranked && s.rankings[ranking][rank].forbids
}

// found is a path with the ranks of the rules that decide on it.
type found struct {
	path string
	rank [MaxMachines]uint32
}

// answer searches among the paths that one of some patterns matches, or among all if within is nil.
func (s *space) answer(w *wanted, within []*pattern, steps int) (a Answer) {
	left := steps
	f, decided := s.shortest(w, within, &left)
	a.Decided, a.Steps = decided, steps-left
	if f == nil {
		return a
	}
	a.Path = f.path
	var scratch automaton.Scratch
	for _, m := range s.machines {
		a.Verdicts = append(a.Verdicts, m.Match(&scratch, []byte(a.Path)))
	}
	return a
}

// shortest is answer, first among the paths of URLs, then among those that clients send besides. It
// takes the steps from those that are left.
func (s *space) shortest(w *wanted, within []*pattern, steps *int) (f *found, decided bool) {
	f, decided = s.among(ofURLs(), w, within, steps)
	if f == nil && slices.ContainsFunc(s.patterns, (*pattern).isOdd) {
		var also bool
		f, also = s.among(ofClients(), w, within, steps)
		decided = decided && also
	}
	return f, decided
}

// among is shortest with an alphabet. It searches pattern by pattern, and only for paths that are no
// longer than the best so far. One search takes at most half of the steps that are left.
func (s *space) among(alphabet []unit, w *wanted, within []*pattern, steps *int) (best *found, decided bool) {
	if within == nil {
		x := &search{space: s, patterns: s.patterns, wanted: w, alphabet: alphabet, longest: math.MaxInt32, steps: *steps}
		best, decided = x.run()
		*steps = x.steps
		return best, decided
	}
	for _, p := range within {
		p.measure()
	}
	within = slices.Clone(within)
	slices.SortStableFunc(within, func(x, y *pattern) int { return cmp.Compare(x.length(), y.length()) })
	decided = true
	for _, p := range within {
		x := &search{space: s, patterns: s.near(p), wanted: w, within: p, alphabet: alphabet, longest: math.MaxInt32}
		if best != nil {
			x.longest = len(best.path)
		}
		x.steps = *steps / 2
		*steps -= x.steps
		f, all := x.run()
		*steps += x.steps
		decided = decided && all
		if f != nil && (best == nil || len(f.path) < len(best.path) || f.path < best.path) {
			best = f
		}
	}
	return best, decided
}

// needed returns patterns of which a path that is wanted matches one; nil if none need match.
func (s *space) needed(w *wanted) (needed []*pattern) {
	for i := range s.machines {
		var candidates []*pattern
		switch forbidden := w.of(i, len(s.machines)); {
		case forbidden == 1<<1:
			candidates = s.rules(i, true, unranked)
			if len(s.machines) == 2 && w.of(1-i, 2) == 1<<0 && s.inOneOrder() {
				candidates = s.changed(i)
			}
		case forbidden == 1<<0 && s.forbids(i, s.ofAll(i)):
			candidates = s.rules(i, false, s.ofAll(i))
		default:
			continue
		}
		if needed == nil || len(candidates) < len(needed) {
			needed = append([]*pattern{}, candidates...)
		}
	}
	return needed
}

// of returns which verdicts of a machine are wanted: bit 0 if allowed ones are, bit 1 if forbidden ones.
func (w *wanted) of(machine, machines int) (verdicts int) {
	for bits := range 1 << machines {
		if w[bits] {
			verdicts |= 1 << (bits >> machine & 1)
		}
	}
	return verdicts
}

// rules returns the patterns of the rules of a ranking that forbid, or those that allow, and have a
// rank above a given one.
func (s *space) rules(ranking int, forbid bool, below uint32) (rules []*pattern) {
	for _, p := range s.patterns {
		if rank := p.rank[ranking]; rank < below && s.forbids(ranking, rank) == forbid {
			rules = append(rules, p)
		}
	}
	return rules
}

// ofAll returns the highest rank of a rule that matches every path; unranked if there is none.
func (s *space) ofAll(ranking int) (rank uint32) {
	rank = unranked
	for _, p := range s.patterns {
		if advance(p, p.start(), '/') == matched {
			rank = min(rank, p.rank[ranking])
		}
	}
	return rank
}

// inOneOrder reports whether, of the rules that two rankings have both, those that forbid and those
// that allow outrank each other in one as in the other.
func (s *space) inOneOrder() bool {
	var lowest [2]uint32 // in the second ranking, of those that allow and of those that forbid
	for rank, rule := range s.rankings[0] {
		p := rule.pattern
		if p.rank[0] != uint32(rank) || p.rank[1] == unranked || s.forbids(1, p.rank[1]) != rule.forbids {
			continue
		}
		if lowest[index(!rule.forbids)] > p.rank[1] {
			return false
		}
		lowest[index(rule.forbids)] = max(lowest[index(rule.forbids)], p.rank[1])
	}
	return true
}

// changed returns patterns, of two rankings in one order, of which a path that one forbids and the
// other allows matches one. The rule that decides in one is not in the other, or that in the other is
// not in the one: were both in both, the same of them would decide.
func (s *space) changed(forbids int) (changed []*pattern) {
	for _, p := range s.patterns {
		forbidden, allowed := p.rank[forbids], p.rank[1-forbids]
		isForbidden := forbidden != unranked && s.forbids(forbids, forbidden)
		isAllowed := allowed != unranked && !s.forbids(1-forbids, allowed)
		if isForbidden && (allowed == unranked || isAllowed) || isAllowed && (forbidden == unranked || isForbidden) {
			changed = append(changed, p)
		}
	}
	return changed
}
