package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// ranker makes the ranked rules of groups: the rules of all groups in one array and
// their patterns in one string, so that a ruleset keeps nothing else of the body.
// On real files that halves the memory that is kept.
type ranker struct {
	row   *dialectRow
	rules []automaton.Rule
	text  text
	order []uint64 // of the current group, see orderOf
}

// makeRoom makes room for the rules of groups, and for the tokens of their agents. It
// returns how many of the rules are in groups too small for a table.
func (k *ranker) makeRoom(groups []Group) (listed int) {
	rules, octets, longest := 0, 0, 0
	for i := range groups {
		n, length := k.size(groups[i].Rules)
		rules, octets, longest = rules+n, octets+length, max(longest, n)
		if n <= crossover {
			listed += n
		}
		for j := range groups[i].Agents {
			octets += len(groups[i].Agents[j].Token)
		}
	}
	k.rules, k.order = make([]automaton.Rule, 0, rules), slices.Grow(k.order, longest)
	k.text.Grow(octets)
	return listed
}

// size returns the number of ranked rules that some rules become, and the number of bytes
// in their patterns.
func (k *ranker) size(rules []Rule) (n, octets int) {
	for i := range rules {
		r := &rules[i]
		if r.Inert {
			continue
		}
		n++
		octets += len(r.Pattern)
		if index := k.indexPage(r); index != "" {
			n++
			octets += len(index)
		}
	}
	return n, octets
}

// rank returns the rules of a group, for which there is room, in the order of their
// rank.
func (k *ranker) rank(g Group) []automaton.Rule {
	k.order = k.order[:0]
	for i := range g.Rules {
		r := &g.Rules[i]
		if r.Inert {
			continue
		}
		k.order = append(k.order, k.orderOf(r, len(r.Pattern), i))
		if index := k.indexPage(r); index != "" {
			k.order = append(k.order, k.orderOf(r, len(index), i)|isIndexPage)
		}
	}
	// Numbers are sorted in less time than rules, which are five times as long.
	slices.Sort(k.order)
	from := len(k.rules)
	k.rules = k.rules[:from+len(k.order)]
	ranked := k.rules[from:len(k.rules):len(k.rules)]
	for i, o := range k.order {
		r := &g.Rules[uint32(o)>>1]
		pattern := r.Pattern
		if o&isIndexPage != 0 {
			pattern = k.indexPage(r)
		}
		k.fill(&ranked[i], r, pattern)
	}
	return ranked
}

// isIndexPage is set in the order of the second rule that a line becomes.
const isIndexPage = 1

// orderOf returns a number that sorts the rules of a group by rank, the highest first. Its
// upper half is the complement of the upper half of the rank, its lower half has the index
// of the rule, since rules are in the order of their lines.
func (k *ranker) orderOf(r *Rule, length, index int) uint64 {
	return uint64(^uint32(k.rankOf(r, length)>>32))<<32 | uint64(index)<<1
}

// indexPage returns the pattern of the second rule that an Allow of Google's makes
// if it names an index page, which then also allows the bare directory; empty if
// there is none.
func (k *ranker) indexPage(r *Rule) string {
	const page = "/index.htm"
	if !r.Allow || !k.row.indexPages || !strings.Contains(r.Pattern, page) {
		return ""
	}
	at := strings.LastIndexByte(r.Pattern, '/')
	if !strings.HasPrefix(r.Pattern[at:], page) {
		return ""
	}
	return r.Pattern[:at+1] + "$"
}

// rankOf returns the rank of a rule with a pattern of some length: the longer
// outranks the shorter, of equally long ones what allows outranks what forbids, and
// of equal ones the first in the file keeps the line. Where FirstMatchDecides, the first
// in the file outranks all.
func (k *ranker) rankOf(r *Rule, length int) uint64 {
	earlier := uint64(math.MaxUint32 - uint32(r.Line)) // the higher, the earlier in the file
	if k.row.firstMatch {
		return earlier
	}
	rank := uint64(length)<<33 | earlier
	if r.Allow {
		rank |= 1 << 32
	}
	return rank
}

// lengthOf returns the length of the pattern that a rank is of, where the longest decides.
func lengthOf(rank uint64) int { return int(rank >> 33) }

// fill makes a ranked rule of a line and a pattern. Several gaps in a row are one. A
// gap at the end means nothing, nor does a \$ after it.
func (k *ranker) fill(ranked *automaton.Rule, r *Rule, pattern string) {
	ranked.Rank, ranked.Form = k.rankOf(r, len(pattern)), r.Form
	ranked.Verdict = automaton.Verdict{Line: uint32(r.Line), Disallowed: !r.Allow && pattern != ""}
	if r.Form != automaton.FormDecoded { // there * and $ are ordinary bytes
		pattern, ranked.AtEnd = strings.CutSuffix(pattern, "$")
		if strings.HasSuffix(pattern, "*") {
			pattern, ranked.AtEnd = strings.TrimRight(pattern, "*"), false
		}
		if strings.IndexByte(pattern, '*') >= 0 { // as few have
			for strings.Contains(pattern, "**") {
				pattern = strings.ReplaceAll(pattern, "**", "*")
			}
		}
	}
	ranked.Pattern = k.text.keep(pattern)
}
