package compile

import (
	"cmp"
	"slices"
	"sort"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile/internal/rank"
)

// Rule returns the rule on a line, such as a verdict's line, and whether there is one.
func (r *Robots) Rule(line int) (Rule, bool) {
	before := sort.Search(len(r.Groups), func(i int) bool { return r.Groups[i].Agents[0].Line > line })
	if before == 0 {
		return Rule{}, false
	}
	rules := r.Groups[before-1].Rules
	i, found := slices.BinarySearchFunc(rules, line, func(r Rule, line int) int { return cmp.Compare(r.Line, line) })
	if !found {
		return Rule{}, false
	}
	return rules[i], true
}

// GroupsOf returns the indexes in Groups, in file order, of the groups that make up m, a machine of
// the file's ruleset. It returns none for a nil machine.
func (r *Robots) GroupsOf(m *automaton.Machine) []int {
	if number, ok := r.Ruleset.Number(m); ok {
		return r.machines.bound[number]
	}
	return nil
}

// Match is a rule that matches a path.
type Match struct {
	// Rule is the rule in the file. For Matching, which has no file, it is the machine's rule, with
	// the compiled pattern as its Value.
	Rule
	// RankedBy is the pattern length by which the rule was ranked, or 0 if the first match decides. It
	// is the length of Pattern, except if an Allow for an index page matches the bare directory: then
	// it is the length of the directory.
	RankedBy int
}

// Matching returns all rules of m that match a path, as returned by Dialect.Path, sorted by rank:
// the first one decides. It is slow and meant for explaining verdicts.
func Matching(m *automaton.Machine, s *automaton.Scratch, path []byte) []Match {
	if m == nil {
		return nil
	}
	d := m.Dialect()
	if d.Exempts(path) {
		return nil
	}
	form, inB := s.Forms(d, path)
	rules := slices.Concat(m.Lists()...)
	slices.SortStableFunc(rules, func(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) })
	var matching []Match
	for _, rule := range rules {
		line := int(rule.Verdict.Line)
		if line == 0 { // no file has the rule (Robots.Unreachable)
			continue
		}
		// In dialect Google an Allow for an index page is two rules of one line.
		if slices.ContainsFunc(matching, func(m Match) bool { return m.Line == line }) {
			continue
		}
		if rule.Form == automaton.FormB && !rule.Matches(inB) || rule.Form != automaton.FormB && !rule.Matches(form) {
			continue
		}
		pattern := rule.Pattern
		if rule.AtEnd {
			pattern += "$"
		}
		found := Match{Rule: Rule{
			Line: line, Value: pattern, Pattern: pattern, Form: rule.Form, Allow: !rule.Verdict.Disallowed,
		}}
		if !d.FirstMatchDecides() {
			found.RankedBy = rank.Length(rule.Rank)
		}
		matching = append(matching, found)
	}
	return matching
}

// Matches is Matching for a machine of the file's ruleset, with rules as they stand in the file.
func (r *Robots) Matches(m *automaton.Machine, s *automaton.Scratch, path []byte) []Match {
	matching := Matching(m, s, path)
	for i := range matching {
		if rule, ok := r.Rule(matching[i].Line); ok {
			matching[i].Rule = rule
		}
	}
	return matching
}
