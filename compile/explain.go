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

// GroupsOf returns the groups that m, a machine of the file's ruleset, is made of, as indexes
// in Groups in file order. There are none for nil.
func (r *Robots) GroupsOf(m *automaton.Machine) []int {
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
// order of their rank: the first one decides. Their Value is the pattern as it is compared.
// The Specificity of each is the length that it was ranked by, 0 where the first match
// decides: where an Allow for an index page matches the bare directory, that of the
// directory. Matching is slow, and serves to explain a verdict.
func Matching(m *automaton.Machine, s *automaton.Scratch, path []byte) []Rule {
	if m == nil {
		return nil
	}
	rules := slices.Concat(m.Lists()...)
	slices.SortFunc(rules, byRank)
	var matching []Rule
	for _, rule := range rules {
		line := int(rule.Verdict.Line)
		// An Allow of Google's for an index page is two rules of one line.
		if slices.ContainsFunc(matching, func(r Rule) bool { return r.Line == line }) {
			continue
		}
		b := automaton.NewBuilder(m.Dialect(), 1, 1)
		one, err := b.Machine([]automaton.Rule{rule}, nil)
		if err != nil || one.Match(s, path).Line == 0 {
			continue
		}
		pattern := rule.Pattern
		if rule.Anchored {
			pattern += "$"
		}
		found := Rule{Line: line, Value: pattern, Pattern: pattern, Form: rule.Form, Allow: !rule.Verdict.Disallowed}
		if !readings[m.Dialect()].firstMatch {
			found.Specificity = int(rule.Rank >> 33)
		}
		matching = append(matching, found)
	}
	return matching
}

// Matches is Matching for m, a machine of the file's ruleset, with the rules as they are in
// the file.
func (r *Robots) Matches(m *automaton.Machine, s *automaton.Scratch, path []byte) []Rule {
	matching := Matching(m, s, path)
	for i := range matching {
		if rule, ok := r.Rule(matching[i].Line); ok {
			rule.Specificity = matching[i].Specificity
			matching[i] = rule
		}
	}
	return matching
}
