package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// Whom names the crawlers that a group binds, as one of several in a dialect.
func (g GroupText) Whom(groups int, dialect string) string {
	switch names := g.Binds; {
	case len(names) == 0:
		return "no crawler"
	case len(names) == 1 && names[0] == "*" && groups > 1:
		return "every crawler that no other group names (*)"
	case len(names) == 1 && names[0] == "*":
		return "every crawler (*)"
	case dialect == automaton.Original.String():
		return "crawlers whose name contains " + strings.Join(g.Binds, " or ") + ", and that no group before names"
	default:
		return strings.Join(g.Binds, ", ")
	}
}

// Permission describes what a rule permits.
func (r RuleText) Permission() string {
	switch {
	case r.Paths == "":
		return "has no effect"
	case r.Allow:
		return "may fetch"
	default:
		return "may not fetch"
	}
}

// Severities are the severities of notes, the gravest first.
func Severities() []string { return []string{"error", "warning", "note"} }

// Gravest returns the notes, the gravest first.
func (d *Description) Gravest() []lint.Note {
	return slices.SortedStableFunc(slices.Values(d.Notes), func(x, y lint.Note) int {
		return slices.Index(Severities(), x.Severity) - slices.Index(Severities(), y.Severity)
	})
}

// NoteText returns a note with the parts of the lines that it concerns.
func NoteText(n lint.Note) string {
	if n.Text == "" {
		return n.Note
	}
	var texts []string
	for _, text := range n.Texts {
		texts = append(texts, `"`+text+`"`)
	}
	return n.Note + ": " + english.List(texts)
}

// LinesOf names lines.
func LinesOf(lines []int) string {
	return english.Verb(int64(len(lines)), "line ", "lines ") + english.List(Numbers(lines))
}

// Numbers writes the numbers of lines.
func Numbers(lines []int) (texts []string) {
	for _, line := range lines {
		texts = append(texts, fmt.Sprint(line))
	}
	return texts
}

// Sentence describes a restriction.
func (r Restriction) Sentence() string {
	switch r.Class {
	case "full":
		return "full: everything is forbidden"
	case "none":
		return "none: everything is allowed"
	case "partial":
		return fmt.Sprintf("partial: %s is forbidden, %s is allowed", r.Forbidden, r.Allowed)
	}
	return "undecided, because the search was too long"
}

// Change groups differences that differ only in agents and in line numbers.
type Change []Difference

// ChangesOf groups differences.
func ChangesOf(differences []Difference) (list []Change) {
	places := map[Difference]int{}
	for _, x := range differences {
		key := x
		key.Agent, key.LineBefore, key.LineAfter = "", 0, 0
		i, known := places[key]
		if !known {
			i, list = len(list), append(list, nil)
			places[key] = i
		}
		list[i] = append(list[i], x)
	}
	return list
}

// Words name the agents of a change, and the rules that decide now and decided before.
func (c Change) Words() (agents, now, before string) {
	var linesNow, linesBefore []int
	for _, x := range c {
		linesNow, linesBefore = append(linesNow, x.LineAfter), append(linesBefore, x.LineBefore)
	}
	return english.List(c.Names()), decidedBy(c[0].RuleAfter, linesNow), decidedBy(c[0].RuleBefore, linesBefore)
}

// Names name the agents of a change.
func (c Change) Names() (names []string) {
	for _, x := range c {
		names = append(names, x.Agent)
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) })
	return spelled(names)
}

// May describes the change.
func (c Change) May() string {
	if c[0].Change == NowForbidden {
		return "may no longer fetch"
	}
	return "may now fetch"
}

// NamesOf lists agents, possibly beginning with *.
func NamesOf(agents []string) string { return english.List(spelled(agents)) }

// spelled returns names of agents, with words for a * at the beginning.
func spelled(agents []string) []string {
	if len(agents) > 0 && agents[0] == "*" {
		agents = append([]string{"every crawler that no group names (*)"}, agents[1:]...)
	}
	return agents
}

func decidedBy(rule string, lines []int) string {
	if rule == "" {
		return "no rule matches"
	}
	return LinesOf(slices.Compact(slices.Sorted(slices.Values(lines)))) + ": " + rule
}
