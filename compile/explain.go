package compile

import (
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// Rule returns the rule on a line, such as that of a verdict, and whether there is one.
func (r *Robots) Rule(line int) (Rule, bool) {
	for _, g := range r.Groups {
		for _, rule := range g.Rules {
			if rule.Line == line {
				return rule, true
			}
		}
	}
	return Rule{}, false
}

// Bound returns the groups that m, a machine of the file's ruleset, is made of, as indexes
// in Groups in file order. There are none for nil.
func (r *Robots) Bound(m *automaton.Machine) []int {
	if m == nil {
		return nil
	}
	if i := slices.Index(r.ofGroup, m); i >= 0 {
		return []int{i}
	}
	for _, j := range r.joined {
		if j.machine == m {
			return j.groups
		}
	}
	return nil
}

// Matching returns every rule of m that matches a path, as Dialect.Path returns it, in the
// order of their rank: the first one decides. It is slow, and serves to explain a verdict.
func Matching(m *automaton.Machine, s *automaton.Scratch, path []byte) []automaton.Rule {
	if m == nil {
		return nil
	}
	var matching []automaton.Rule
	for _, rule := range slices.Concat(m.Lists()...) {
		b := automaton.NewBuilder(m.Dialect(), 1, 1)
		one, err := b.Machine([]automaton.Rule{rule}, nil)
		if err == nil && one.Match(s, path).Line != 0 {
			matching = append(matching, rule)
		}
	}
	slices.SortFunc(matching, byRank)
	return matching
}

// Matches is Matching for m, a machine of the file's ruleset, with the rules as they are in
// the file. The Specificity of each is the length that it was ranked by: where an Allow for
// an index page matches the bare directory, that of the directory.
func (r *Robots) Matches(m *automaton.Machine, s *automaton.Scratch, path []byte) []Rule {
	var matching []Rule
	for _, rule := range Matching(m, s, path) {
		found, ok := r.Rule(int(rule.Verdict.Line))
		// An Allow of Google's for an index page is two rules of one line.
		if !ok || slices.ContainsFunc(matching, func(r Rule) bool { return r.Line == found.Line }) {
			continue
		}
		if !FirstMatchDecides(m.Dialect()) {
			found.Specificity = int(rule.Rank >> 33)
		}
		matching = append(matching, found)
	}
	return matching
}
