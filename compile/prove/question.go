package prove

import (
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
}

type alternatives = iter.Seq[alternative]

// between has the paths that one ranking allows and another forbids: in the other decides a rule
// that forbids, in the one a rule that allows, or none.
func (s *space) between(allows, forbids int) alternatives {
	inOrder := s.inOneOrder(allows, forbids)
	return func(yield func(alternative) bool) {
		changed := slices.DeleteFunc(s.among(nil, allows, false), func(r *rule) bool { return r.has(forbids, false) })
		for _, d := range byLength(s.among(nil, forbids, true)) {
			allowed := s.allowed(d.pattern, allows)
			if inOrder && d.has(allows, true) {
				// If of two rankings in one order both have the two rules, one of these decides in both.
				if len(changed) == 0 {
					continue
				}
				allowed = s.allowedBy(d.pattern, allows, slices.Clone(changed))
			}
			undo := slices.Clip(above(d, s.among(d.pattern, forbids, false)))
			for x := range allowed {
				x.must, x.avoid = append(x.must, d.pattern), append(undo, x.avoid...)
				if x.least = d.atLeast(); !yield(x) {
					return
				}
			}
		}
	}
}

// allowed has the paths that a ranking allows, among those that a pattern matches or, if it is nil,
// among all: no rule matches that forbids, or one that allows and outranks those that do.
func (s *space) allowed(p *pattern, ranking int) alternatives {
	return func(yield func(alternative) bool) {
		if yield(alternative{avoid: above(nil, s.among(p, ranking, true))}) {
			s.allowedBy(p, ranking, s.among(p, ranking, false))(yield)
		}
	}
}

// allowedBy is allowed for the paths that one of some rules allows.
func (s *space) allowedBy(p *pattern, ranking int, rules []*rule) alternatives {
	return func(yield func(alternative) bool) {
		forbid := s.among(p, ranking, true)
		for _, r := range byLength(rules) {
			if !yield(alternative{must: []*pattern{r.pattern}, avoid: above(r, forbid)}) {
				return
			}
		}
	}
}

// undone has the paths that a rule on a line matches, and on which one decides that says the opposite.
func (s *space) undone(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, r := range s.lines[line] {
			same := s.among(r.pattern, 0, r.forbids)
			for _, x := range byLength(s.among(r.pattern, 0, !r.forbids)) {
				must := []*pattern{r.pattern, x.pattern}
				if x.rank < r.rank && !yield(alternative{must: must, avoid: above(x, same), least: x.atLeast()}) {
					return
				}
			}
		}
	}
}

// changed has the paths on which the verdict is another without the rules on a line: one of these
// decides and, without them, one that says the opposite or, if the rule forbids, none.
func (s *space) changed(line uint32) alternatives {
	onLine := func(r *rule) bool { return r.line == line }
	return func(yield func(alternative) bool) {
		for _, r := range s.lines[line] {
			same := slices.DeleteFunc(s.among(r.pattern, 0, r.forbids), onLine)
			opposite := slices.DeleteFunc(s.among(r.pattern, 0, !r.forbids), onLine)
			avoid := slices.Clip(slices.Concat(above(r, same), above(r, opposite)))
			none := alternative{must: []*pattern{r.pattern}, avoid: append(avoid, above(nil, same)...)}
			if r.forbids && !yield(none) {
				return
			}
			for _, x := range byLength(opposite) {
				if x.rank < r.rank {
					continue
				}
				must := []*pattern{r.pattern, x.pattern}
				if !yield(alternative{must: must, avoid: append(avoid, above(x, same)...)}) {
					return
				}
			}
		}
	}
}

// matches has the paths that a rule on a line matches.
func (s *space) matches(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, r := range s.lines[line] {
			if !yield(alternative{must: []*pattern{r.pattern}}) {
				return
			}
		}
	}
}

// decidingWithout returns the line of the rule that decides on a path without those on a line, of
// which one matches it; 0 if none does.
func (s *space) decidingWithout(line uint32, path string) uint32 {
	var best *rule
	for _, r := range s.lines[line] {
		for _, p := range s.near(r.pattern) {
			for _, x := range p.rules[0] {
				if x.line != line && (best == nil || x.rank < best.rank) && p.matches(path) {
					best = x
				}
			}
		}
	}
	if best == nil {
		return 0
	}
	return best.line
}
