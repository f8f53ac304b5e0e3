package prove

import (
	"iter"
	"slices"
)

// alternative is a set of paths: those that match all patterns of must, and none of avoid.
type alternative struct {
	must  []*pattern
	avoid []*pattern
	// least is a lower bound for the length of paths of this alternative and all later ones.
	least int
	// forbids and allows are the deciding rules in between, nil if none decides.
	forbids, allows *rule
}

type alternatives = iter.Seq[alternative]

// between returns the paths that one ranking allows and another forbids. In the other a forbidding
// rule decides, in the first an allowing rule or none.
func (s *space) between(allows, forbids int) alternatives {
	inOrder := s.inOneOrder(allows, forbids)
	return func(yield func(alternative) bool) {
		changed := slices.DeleteFunc(s.among(nil, allows, false), func(r *rule) bool { return r.has(forbids, false) })
		for _, d := range byLength(s.among(nil, forbids, true)) {
			allowed := s.allowed(d.pattern, allows)
			if inOrder && d.has(allows, true) {
				// If both rankings contain the two rules in the same order, the same rule decides in both.
				if len(changed) == 0 {
					continue
				}
				allowed = s.allowedBy(d.pattern, allows, slices.Clone(changed))
			}
			undo := slices.Clip(above(d, s.among(d.pattern, forbids, false)))
			for x := range allowed {
				x.must, x.avoid = append(x.must, d.pattern), append(undo, x.avoid...)
				x.least, x.forbids = d.atLeast(), d
				if !yield(x) {
					return
				}
			}
		}
	}
}

// maxExamples limits the paths of Examples to more than anybody reads.
const maxExamples = 1000

// examples searches, for each line of either ranking that decides on a path of between, for a
// shortest one. A known path comes first.
func (s *space) examples(allows, forbids int, known Answer, steps *int) (paths []string, decided bool) {
	shown, decided := map[[2]uint32]bool{}, known.Decided // ranking and line, which is 0 if no rule decides
	lines := func(x alternative) (allowing, forbidding [2]uint32) {
		return [2]uint32{uint32(allows), x.allows.lineOf()}, [2]uint32{uint32(forbids), x.forbids.lineOf()}
	}
	add := func(x alternative, path string) {
		allowing, forbidding := lines(x)
		paths, shown[allowing], shown[forbidding] = append(paths, path), true, true
	}
	if known.Path != "" {
		add(alternative{allows: s.deciding(allows, known.Path), forbids: s.deciding(forbids, known.Path)}, known.Path)
	}
	for x := range s.between(allows, forbids) {
		*steps -= stepsOfLook * s.looked
		s.looked = 0
		if *steps <= 0 || len(paths) == maxExamples {
			return paths, false
		}
		if allowing, forbidding := lines(x); shown[forbidding] && (x.allows == nil || shown[allowing]) {
			continue
		}
		a := s.shortest(func(yield func(alternative) bool) { yield(x) }, steps)
		decided = decided && a.Decided
		if a.Path != "" {
			add(x, a.Path)
		}
	}
	return paths, decided
}

// lineOf returns the line of a rule, 0 for nil.
func (r *rule) lineOf() uint32 {
	if r == nil {
		return 0
	}
	return r.line
}

// deciding returns the rule of a ranking that decides on a path, or nil if none does.
func (s *space) deciding(ranking int, path string) *rule {
	for _, r := range s.rankings[ranking] {
		if r.matches(path) {
			return r
		}
	}
	return nil
}

// allowed returns the paths that a ranking allows, among those that a pattern matches or, if it is
// nil, among all paths. Either no forbidding rule matches, or an allowing rule outranks those that
// do.
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
			if !yield(alternative{must: []*pattern{r.pattern}, avoid: above(r, forbid), allows: r}) {
				return
			}
		}
	}
}

// undone returns the paths that a rule on a line matches, but for which an opposite rule decides,
// on a line for which by returns true.
func (s *space) undone(line uint32, by func(line uint32) bool) alternatives {
	return func(yield func(alternative) bool) {
		for _, r := range s.lines[line] {
			same := s.among(r.pattern, 0, r.forbids)
			for _, x := range byLength(s.among(r.pattern, 0, !r.forbids)) {
				must := []*pattern{r.pattern, x.pattern}
				if x.rank < r.rank && by(x.line) && !yield(alternative{must: must, avoid: above(x, same), least: x.atLeast()}) {
					return
				}
			}
		}
	}
}

// changed returns the paths whose verdict changes without the rules on a line. One of these
// decides, and without them an opposite rule or, if the rule forbids, none.
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

// matches returns the paths that a rule on a line matches.
func (s *space) matches(line uint32) alternatives {
	return func(yield func(alternative) bool) {
		for _, r := range s.lines[line] {
			if !yield(alternative{must: []*pattern{r.pattern}}) {
				return
			}
		}
	}
}

// decidingWithout returns the line of the rule that decides on a path without the rules on a line,
// one of which matches it. It returns 0 if there is none.
func (s *space) decidingWithout(line uint32, path string) uint32 {
	var best *rule
	for _, r := range s.lines[line] {
		for _, p := range s.near(r.pattern) {
			for _, x := range p.rules[0] {
				if x.line != line && !(x.gone && s.hides) && (best == nil || x.rank < best.rank) && p.matches(path) {
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
