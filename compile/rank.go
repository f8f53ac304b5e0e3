package compile

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile/internal/rank"
)

// ranked compiles rules in file order to rules sorted by rank. Rules that never match are left out.
func (row *dialectReading) ranked(rules []Rule) []automaton.Rule {
	var few [64]uint64 // most groups are smaller
	order := few[:0]
	for i := range rules {
		r := &rules[i]
		if r.Inert {
			continue
		}
		order = append(order, row.orderOf(r, len(r.Pattern), i))
		if directory := row.indexPage(r); directory != "" {
			order = append(order, row.orderOf(r, len(directory)+len("$"), i)|isIndexPage)
		}
	}
	// Sorting numbers is faster than sorting rules, which are five times as long.
	slices.Sort(order)
	made := make([]automaton.Rule, len(order))
	for i, o := range order {
		row.fill(&made[i], &rules[uint32(o)>>1], o&isIndexPage != 0)
		for r := &made[i]; strings.Contains(r.Pattern, "**") && r.Form != automaton.FormDecoded; {
			r.Pattern = strings.ReplaceAll(r.Pattern, "**", "*") // consecutive gaps are one
		}
	}
	return made
}

// isIndexPage marks, in the order of a line, the second rule of an index page.
const isIndexPage = 1

// orderOf returns a sort key for a rule, so that the highest rank comes first. Its upper half is
// the complement of the upper half of the rank, its lower half the index of the rule, since rules
// are in file order.
func (row *dialectReading) orderOf(r *Rule, length, index int) uint64 {
	return uint64(^uint32(row.rankOf(r, length)>>32))<<32 | uint64(index)<<1
}

// indexPage returns the directory of the index page that an Allow names in dialect Google, or "".
// Such an Allow makes a second rule, which allows the bare directory.
func (row *dialectReading) indexPage(r *Rule) string {
	const page = "/index.htm"
	if !r.Allow || !row.indexPages || !strings.Contains(r.Pattern, page) {
		return ""
	}
	at := strings.LastIndexByte(r.Pattern, '/')
	if !strings.HasPrefix(r.Pattern[at:], page) {
		return ""
	}
	return r.Pattern[:at+1]
}

// rankOf returns the rank of a rule whose pattern has the given length.
func (row *dialectReading) rankOf(r *Rule, length int) uint64 {
	if row.dialect.FirstMatchDecides() {
		return rank.Earlier(r.Line)
	}
	return rank.Of(length, r.Line, r.Allow)
}

// fill makes a ranked rule from a line, or from the directory of the index page that it names. A
// gap at the end is redundant, and so is a $ after it.
func (row *dialectReading) fill(ranked *automaton.Rule, r *Rule, directory bool) {
	pattern, length, atEnd := r.Pattern, len(r.Pattern), directory
	switch {
	case directory:
		pattern = row.indexPage(r)
		length = len(pattern) + len("$")
	case r.Form != automaton.FormDecoded: // there * and $ are ordinary bytes
		pattern, atEnd = strings.CutSuffix(pattern, "$")
		if strings.HasSuffix(pattern, "*") {
			pattern, atEnd = strings.TrimRight(pattern, "*"), false
		}
	}
	*ranked = automaton.Rule{
		Rank: row.rankOf(r, length), Pattern: pattern, AtEnd: atEnd, Form: r.Form,
		Verdict: automaton.Verdict{Line: uint32(r.Line), Disallowed: !r.Allow && r.Pattern != ""},
	}
}
