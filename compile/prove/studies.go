package prove

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// Two published studies class files by signs that are quicker to find than a proof. Both are
// computed here of the rules of a machine, so that they differ from Classify by how they judge, not
// by how they read: docs/classes.md says what of the text is not in a machine.

// AllSomeNone returns the class by the Data Provenance Initiative (Longpre and others, "Consent in
// Crisis", 2024; parse_robots.py): rules with a question mark do not count; "none" if nothing is
// disallowed, or the same values are allowed in the same order; "all" if / is disallowed and nothing
// allowed; else "some".
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

// values returns the values of the rules of a machine that have no question mark, in the order of
// their lines.
func values(m *automaton.Machine) (allow, disallow []string) {
	rules := slices.Concat(m.Lists()...)
	slices.SortFunc(rules, func(a, b automaton.Rule) int {
		return cmp.Or(cmp.Compare(a.Verdict.Line, b.Verdict.Line), cmp.Compare(b.Rank, a.Rank))
	})
	line := uint32(0)
	for i := range rules {
		r := &rules[i]
		v := valueOf(m.Dialect(), r)
		if v == "" || strings.Contains(v, "?") || r.Verdict.Line == line { // google makes two rules of some lines
			continue
		}
		if line = r.Verdict.Line; r.Verdict.Disallowed {
			disallow = append(disallow, v)
		} else {
			allow = append(allow, v)
		}
	}
	return allow, disallow
}

// valueOf returns the value of a rule as its line has it, but for the spelling of its bytes and for
// further gaps after a gap. A Rule lacks a gap at the end, which its rank still counts.
func valueOf(d automaton.Dialect, r *automaton.Rule) string {
	v := r.Pattern
	if r.AtEnd {
		v += "$"
	}
	if compile.FirstMatchDecides(d) {
		return v // whose patterns are whole
	}
	if len(v) < compile.PatternLength(r.Rank) {
		v += "*"
	}
	return v
}

// dummyPath is what the study of 2025 asks for beside the values, for files that allow / alone.
const dummyPath = "/dummy-testing-path-54321"

// Probes returns the paths that the study of AI crawlers at IMC 2025 (Liu and others, "Somesite I
// Used To Crawl"; robots_analysis_final.py) asks for: the values of all Allow and Disallow lines
// of the file, whoever they bind, without a $ at the end; and /, and a path that no file names. They
// are URLs, as some values begin with no slash.
func Probes(r *automaton.Ruleset) [][]byte {
	const host = "http://host"
	probes, seen := [][]byte{[]byte(host + "/"), []byte(host + dummyPath)}, map[*automaton.Rule]bool{}
	for _, a := range append(slices.Clip(r.Agents()), automaton.TokenMachine{Machine: r.Wildcard()}) {
		for _, list := range a.Machine.Lists() {
			if len(list) == 0 || seen[&list[0]] {
				continue
			}
			seen[&list[0]] = true
			for i := range list {
				probes = append(probes, []byte(host+strings.TrimSuffix(valueOf(r.Dialect(), &list[i]), "$")))
			}
		}
	}
	return probes
}

// Probed returns the class by the study of Probes: "fully" if a machine forbids all of them, "none" if
// it forbids none, else "partially".
func Probed(m *automaton.Machine, probes [][]byte) string {
	var s automaton.Scratch
	forbidden, allowed := false, false
	for _, url := range probes {
		disallowed := m.Match(&s, m.Dialect().Path(&s, url)).Disallowed
		forbidden, allowed = forbidden || disallowed, allowed || !disallowed
		if forbidden && allowed {
			return "partially"
		}
	}
	if forbidden {
		return "fully"
	}
	return "none"
}
