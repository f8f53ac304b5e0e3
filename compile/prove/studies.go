package prove

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile/internal/rank"
)

// AllSomeNone classifies a machine like the Data Provenance Initiative (parse_robots.py). Rules
// with a question mark do not count. The class is "none" if nothing is disallowed, or if the same
// values are allowed in the same order; "all" if / is disallowed and nothing allowed; otherwise
// "some". docs/reference/classes.md lists what a machine does not preserve of its robots.txt.
func AllSomeNone(m *automaton.Machine) string {
	allow, disallow := values(m)
	switch {
	case len(disallow) == 0, slices.Equal(allow, disallow):
		return "none"
	case len(allow) == 0 && slices.Contains(disallow, "/"):
		return "all"
	}
	return "some"
}

// values returns the values without a question mark, in the order of their lines. Google makes two
// rules of some lines.
func values(m *automaton.Machine) (allow, disallow []string) {
	rules := slices.Concat(m.Lists()...)
	slices.SortStableFunc(rules, func(a, b automaton.Rule) int { return cmp.Compare(a.Verdict.Line, b.Verdict.Line) })
	rules = slices.CompactFunc(rules, func(a, b automaton.Rule) bool { return a.Verdict.Line == b.Verdict.Line })
	for i := range rules {
		switch v := valueOf(m.Dialect(), &rules[i]); {
		case v == "", strings.Contains(v, "?"):
		case rules[i].Verdict.Disallowed:
			disallow = append(disallow, v)
		default:
			allow = append(allow, v)
		}
	}
	return allow, disallow
}

// valueOf returns the value of a rule as on its line, except for the spelling of bytes and repeated
// gaps. A Rule omits a gap at the end, which its rank still counts.
func valueOf(d automaton.Dialect, r *automaton.Rule) string {
	v := r.Pattern
	if r.AtEnd {
		v += "$"
	}
	if !d.FirstMatchDecides() && len(v) < rank.Length(r.Rank) {
		v += "*"
	}
	return v
}

// Probed classifies a machine like the study of AI crawlers at IMC 2025 (robots_analysis_final.py),
// which tests /, a path that no file names, and the values of all rules of the file, up to a blank
// and without a final $. The class is "fully" if all of these are forbidden, "none" if none is, and
// otherwise "partially".
func Probed(m *automaton.Machine, r *automaton.Ruleset) string {
	var s automaton.Scratch
	forbidden, allowed := false, false
	ask := func(value string) bool {
		is := allows(m, &s, value)
		forbidden, allowed = forbidden || !is, allowed || is
		return !forbidden || !allowed
	}
	if ask("/") && ask("/dummy-testing-path-54321") {
		valuesOfAll(r)(ask)
	}
	switch {
	case forbidden && allowed:
		return "partially"
	case forbidden:
		return "fully"
	}
	return "none"
}

// Bias returns how many more of the directories in a robots.txt a machine allows than the machine
// for crawlers without a group does, as in Sun, Zhuang, Councill and Giles, "Determining Bias to
// Search Engines from Robots.txt", 2007. Above 0 the crawler is favored, below 0 disfavored. The
// directories are the distinct values of all rules, tested as in Probed.
func Bias(m *automaton.Machine, r *automaton.Ruleset) (bias int) {
	var s automaton.Scratch
	seen := map[string]bool{}
	for value := range valuesOfAll(r) {
		if seen[value] {
			continue
		}
		seen[value] = true
		if is := allows(m, &s, value); is != allows(r.Wildcard(), &s, value) {
			if bias--; is {
				bias += 2
			}
		}
	}
	return bias
}

// allows tests a machine with the value of a rule, up to a blank and without a final $.
func allows(m *automaton.Machine, s *automaton.Scratch, value string) bool {
	value, _, _ = strings.Cut(value, " ")
	return m.Match(s, m.Dialect().Path(s, []byte("http://host"+strings.TrimSuffix(value, "$")))).Allowed()
}

// valuesOfAll returns the values of all rules of a ruleset, possibly repeated.
func valuesOfAll(r *automaton.Ruleset) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[*automaton.Rule]bool{} // the first rules of lists, which machines share
		for _, a := range append(slices.Clip(r.Agents()), automaton.TokenMachine{Machine: r.Wildcard()}) {
			for _, list := range a.Machine.Lists() {
				for i := range list {
					if i == 0 && seen[&list[0]] {
						break
					}
					seen[&list[0]] = true
					if !yield(valueOf(r.Dialect(), &list[i])) {
						return
					}
				}
			}
		}
	}
}
