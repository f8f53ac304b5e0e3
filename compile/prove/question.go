package prove

import (
	"cmp"
	"iter"
	"slices"
)

// alternative is a way in which paths can be as was asked for: they match all patterns of must, and
// none of avoid.
type alternative struct {
	must  []*pattern
	avoid []*pattern
	// least is a length below which neither this alternative nor a later one has paths.
	least int
	cost  int // steps that it took to find it, beside those for avoid
}

type alternatives = iter.Seq[alternative]

// between has the paths that one ranking allows and another forbids: in the other decides a rule
// that forbids, in the one a rule that allows, or none.
func (s *space) between(allows, forbids int) alternatives {
	inOrder := s.inOneOrder(allows, forbids)
	return func(yield func(alternative) bool) {
		common := func(rank uint32) bool { return s.has(forbids, s.rankings[allows][rank].pattern, false) }
		changed := slices.DeleteFunc(s.rules(allows, nil, false), common)
		for _, rank := range s.byLength(forbids, s.rules(forbids, nil, true)) {
			d := s.rankings[forbids][rank].pattern
			allowed := s.allowed(allows, d)
			if inOrder && s.has(allows, d, true) {
				// If of two rankings in one order both have the two rules, one of these decides in both.
				if len(changed) == 0 {
					continue
				}
				allowed = s.allowedBy(allows, d, slices.Clone(changed))
			}
			near := s.rules(forbids, d, false)
			undo := s.patternsOf(forbids, s.above(rank, near))
			for x := range allowed {
				x.must, x.avoid = append(x.must, d), append(undo[:len(undo):len(undo)], x.avoid...)
				x.least, x.cost = d.atLeast(), x.cost+len(near)
				if !yield(x) {
					return
				}
			}
		}
	}
}

// allowed has the paths that a ranking allows, among those that a pattern matches or, if it is nil,
// among all: no rule matches that forbids, or one that allows and outranks those that do.
func (s *space) allowed(ranking int, among *pattern) alternatives {
	return func(yield func(alternative) bool) {
		if !yield(alternative{avoid: s.patternsOf(ranking, s.rules(ranking, among, true))}) {
			return
		}
		s.allowedBy(ranking, among, s.rules(ranking, among, false))(yield)
	}
}

// allowedBy has the paths that one of some rules of a ranking allows, among those that a pattern
// matches or, if it is nil, among all.
func (s *space) allowedBy(ranking int, among *pattern, rules []uint32) alternatives {
	return func(yield func(alternative) bool) {
		forbid := s.rules(ranking, among, true)
		for _, rank := range s.byLength(ranking, rules) {
			must, avoid := []*pattern{s.rankings[ranking][rank].pattern}, s.patternsOf(ranking, s.above(rank, forbid))
			if !yield(alternative{must: must, avoid: avoid, cost: len(forbid)}) {
				return
			}
		}
	}
}

// undone has the paths that a rule on a line matches, and on which one decides that says the opposite.
func (s *space) undone(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, rank := range s.lines[line] {
			rule := s.rankings[0][rank]
			same := s.rules(0, rule.pattern, rule.forbids)
			for _, x := range s.byLength(0, s.above(rank, s.rules(0, rule.pattern, !rule.forbids))) {
				p := s.rankings[0][x].pattern
				must, avoid := []*pattern{rule.pattern, p}, s.patternsOf(0, s.above(x, same))
				if !yield(alternative{must: must, avoid: avoid, least: p.atLeast()}) {
					return
				}
			}
		}
	}
}

// changed has the paths on which the verdict is another without the rules on a line: one of these
// decides and, without them, one that says the opposite or, if the rule forbids, none.
func (s *space) changed(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, rank := range s.lines[line] {
			rule := s.rankings[0][rank]
			same := s.others(line, s.rules(0, rule.pattern, rule.forbids))
			opposite := s.others(line, s.rules(0, rule.pattern, !rule.forbids))
			avoid := slices.Concat(s.patternsOf(0, s.above(rank, same)), s.patternsOf(0, s.above(rank, opposite)))
			avoid = avoid[:len(avoid):len(avoid)]
			must := []*pattern{rule.pattern}
			if rule.forbids && !yield(alternative{must: must, avoid: append(avoid, s.patternsOf(0, same)...)}) {
				return
			}
			for _, x := range s.byLength(0, opposite) {
				if x < rank {
					continue
				}
				must := []*pattern{rule.pattern, s.rankings[0][x].pattern}
				if !yield(alternative{must: must, avoid: append(avoid, s.patternsOf(0, s.above(x, same))...)}) {
					return
				}
			}
		}
	}
}

// matches has the paths that a rule on a line matches.
func (s *space) matches(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, rank := range s.lines[line] {
			if !yield(alternative{must: []*pattern{s.rankings[0][rank].pattern}}) {
				return
			}
		}
	}
}

// decidingWithout returns the line of the rule that decides on a path without those on a line; 0 if
// none does.
func (s *space) decidingWithout(line uint32, path string) uint32 {
	for _, rule := range s.rankings[0] {
		if rule.line != line && rule.pattern.matches(path) {
			return rule.line
		}
	}
	return 0
}

// byLength sorts ranks of a ranking: the rules that may match the shortest paths come first.
func (s *space) byLength(ranking int, ranks []uint32) []uint32 {
	slices.SortStableFunc(ranks, func(x, y uint32) int {
		return cmp.Compare(s.rankings[ranking][x].pattern.atLeast(), s.rankings[ranking][y].pattern.atLeast())
	})
	return ranks
}
