package compile

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// ranker makes the ranked rules of groups: those of all groups in one array and
// their patterns in one string, so that a ruleset keeps nothing else of the body.
// On real files that halves what of the body is kept.
type ranker struct {
	dialect automaton.Dialect
	rules   []automaton.Rule
	text    text
	order   []uint64 // of the group at hand, see orderOf
}

// newRanker makes a ranker for groups, and for so many octets of other text.
func newRanker(d automaton.Dialect, groups []Group, others int) *ranker {
	rules := 0
	for i := range groups {
		for j := range groups[i].Rules {
			r := &groups[i].Rules[j]
			if r.Inert {
				continue
			}
			rules++
			others += len(r.Pattern)
			if index := indexPage(r, d); index != "" {
				rules++
				others += len(index)
			}
		}
	}
	k := &ranker{dialect: d, rules: make([]automaton.Rule, 0, rules)}
	k.text.Grow(others)
	return k
}

// rank returns the rules of a group in the order of their rank.
func (k *ranker) rank(g Group) []automaton.Rule {
	k.order = k.order[:0]
	for i := range g.Rules {
		r := &g.Rules[i]
		if r.Inert {
			continue
		}
		k.order = append(k.order, orderOf(r, len(r.Pattern), i))
		if index := indexPage(r, k.dialect); index != "" {
			k.order = append(k.order, orderOf(r, len(index), i)|isIndexPage)
		}
	}
	// Numbers are sorted in a quarter of the time that rules of 48 bytes take.
	slices.Sort(k.order)
	from := len(k.rules)
	for _, o := range k.order {
		r := &g.Rules[uint32(o)>>1]
		pattern := r.Pattern
		if o&isIndexPage != 0 {
			pattern = indexPage(r, k.dialect)
		}
		k.rules = append(k.rules, k.ruleOf(r, pattern))
	}
	return k.rules[from:len(k.rules):len(k.rules)]
}

// isIndexPage says that an order is of the second rule that a line makes.
const isIndexPage = 1

// orderOf is a number by which the rules of a group, which are in the order of
// their lines, are sorted as by their ranks, the highest first. Its lower half has
// the index of the rule.
func orderOf(r *Rule, length, index int) uint64 {
	return uint64(^uint32(rankOf(r, length)>>32))<<32 | uint64(index)<<1
}

// indexPage returns the pattern of the second rule that an Allow of Google's makes
// if it names an index page, which then also allows the bare directory; empty if
// there is none.
func indexPage(r *Rule, d automaton.Dialect) string {
	if d != automaton.Google || !r.Allow {
		return ""
	}
	at := strings.LastIndexByte(r.Pattern, '/')
	if at < 0 || !strings.HasPrefix(r.Pattern[at:], "/index.htm") {
		return ""
	}
	return r.Pattern[:at+1] + "$"
}

// rankOf returns the rank of a rule with a pattern of some length: the longer
// outranks the shorter, of equally long ones what allows outranks what forbids, and
// of equal ones the first in the file keeps the line. In the dialect original the
// first in the file outranks all.
func rankOf(r *Rule, length int) uint64 {
	order := uint64(math.MaxUint32 - uint32(r.Line))
	if r.Form == automaton.FormDecoded {
		return order
	}
	rank := uint64(length)<<33 | order
	if r.Allow {
		rank |= 1 << 32
	}
	return rank
}

func byRank(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) }

// ruleOf makes a rule of a pattern. Several wildcards in a row are one, and one at
// the end means nothing, nor does the anchor after it.
func (k *ranker) ruleOf(rule *Rule, pattern string) automaton.Rule {
	r := automaton.Rule{
		Rank: rankOf(rule, len(pattern)), Form: rule.Form,
		Verdict: automaton.Verdict{Line: uint32(rule.Line), Disallowed: !rule.Allow && pattern != ""},
	}
	if rule.Form != automaton.FormDecoded { // there * and $ are ordinary octets
		pattern, r.Anchored = strings.CutSuffix(pattern, "$")
		if strings.HasSuffix(pattern, "*") {
			pattern, r.Anchored = strings.TrimRight(pattern, "*"), false
		}
		if at := strings.IndexByte(pattern, '*'); at >= 0 && strings.Contains(pattern[at:], "**") {
			pattern = squeeze(pattern)
		}
	}
	r.Pattern = k.text.keep(pattern)
	return r
}

// squeeze makes one of several wildcards in a row.
func squeeze(pattern string) string {
	b := make([]byte, 0, len(pattern))
	for i := range len(pattern) {
		if pattern[i] != '*' || i == 0 || pattern[i-1] != '*' {
			b = append(b, pattern[i])
		}
	}
	return string(b)
}

// text is many strings in one piece of memory.
type text struct{ strings.Builder }

// keep returns a copy of s that lies in t.
func (t *text) keep(s string) string {
	from := t.Len()
	t.WriteString(s)
	return t.String()[from:]
}
