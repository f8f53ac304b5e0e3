package compile

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// ruleset makes the machines of the file. A crawler is bound by all groups that
// name it, merged, and where none does by all for *, merged; in the dialect
// original by the first record that binds it.
func (p *parser) ruleset() *automaton.Ruleset {
	b := bindings{groups: map[string][]int{}}
	for i, g := range p.robots.Groups {
		for _, a := range g.Agents {
			b.bind(p.o.Dialect, a, i)
		}
	}
	p.robots.bound = map[*automaton.Machine][]int{}
	single := make([]*automaton.Machine, len(p.robots.Groups))
	for i, g := range p.robots.Groups {
		single[i] = p.machine(g)
	}
	made := map[string]*automaton.Machine{}
	machine := func(groups []int) *automaton.Machine {
		key := groupsKey(groups)
		m := made[key]
		if m == nil {
			m = p.join(single, groups)
			made[key] = m
			p.robots.bound[m] = groups
		}
		return m
	}
	agents := make([]automaton.Agent, 0, len(b.tokens))
	for _, token := range b.tokens {
		agents = append(agents, automaton.Agent{Token: token, Machine: machine(b.groups[token])})
	}
	var wildcard *automaton.Machine
	if len(b.wildcard) > 0 {
		wildcard = machine(b.wildcard)
	}
	ruleset, err := automaton.NewRuleset(p.o.Dialect, agents, wildcard)
	if err != nil {
		// No bytes lead here: tokens are distinct, machines of the dialect.
		panic(err)
	}
	return ruleset
}

// bindings are the groups that bind each token, and those for *.
type bindings struct {
	tokens   []string // in file order
	groups   map[string][]int
	wildcard []int
}

func (b *bindings) bind(d automaton.Dialect, a Agent, group int) {
	if a.Wildcard {
		if d != automaton.Original || len(b.wildcard) == 0 {
			b.wildcard = appendNew(b.wildcard, group)
		}
		return
	}
	// An empty token is a token to Google's parser, which a crawler without a
	// name finds. To the others it binds nobody.
	if a.Token == "" && d != automaton.Google {
		return
	}
	bound, known := b.groups[a.Token]
	if !known {
		b.tokens = append(b.tokens, a.Token)
	}
	if !known || d != automaton.Original {
		b.groups[a.Token] = appendNew(bound, group)
	}
}

// appendNew appends a group unless it is the last one already, as it is where a
// group names one token twice.
func appendNew(groups []int, group int) []int {
	if n := len(groups); n > 0 && groups[n-1] == group {
		return groups
	}
	return append(groups, group)
}

// groupsKey is a key for the map of machines made, so that a file with hundreds
// of agents over one list of rules makes one machine.
func groupsKey(groups []int) string {
	var key []byte
	for _, g := range groups {
		key = binary.AppendUvarint(key, uint64(g))
	}
	return string(key)
}

// rank returns the rules of a group in the order of their rank.
func rank(g Group, d automaton.Dialect) []automaton.Rule {
	rules := make([]automaton.Rule, 0, len(g.Rules))
	for _, r := range g.Rules {
		rules = appendRanked(rules, r, d)
	}
	slices.SortFunc(rules, byRank)
	return rules
}

func byRank(x, y automaton.Rule) int { return cmp.Compare(y.Rank, x.Rank) }

// join makes the machine of some groups of the machines of all.
func (p *parser) join(single []*automaton.Machine, groups []int) *automaton.Machine {
	if len(groups) == 1 {
		return single[groups[0]]
	}
	var machines []*automaton.Machine
	for _, g := range groups {
		machines = append(machines, single[g])
	}
	m, err := automaton.Join(p.o.Dialect, machines...)
	if err != nil {
		// No bytes lead here: ranks hold the line, so that no two are equal.
		panic(err)
	}
	return m
}

// machine makes the machine of one group.
func (p *parser) machine(g Group) *automaton.Machine {
	m, err := Machine(p.o.Dialect, p.o.Engine, rank(g, p.o.Dialect))
	if err != nil {
		// No bytes lead here: rules are made by ruleOf below.
		panic(err)
	}
	return m
}

// appendRanked appends what one line of robots.txt makes: a rule, nothing if it
// can never match, and for an Allow of Google's a second rule if it names an
// index page, which then also allows the bare directory.
func appendRanked(rules []automaton.Rule, r Rule, d automaton.Dialect) []automaton.Rule {
	if r.Inert {
		return rules
	}
	rules = append(rules, ruleOf(r, r.Pattern))
	if d == automaton.Google && r.Allow {
		if at := strings.LastIndexByte(r.Pattern, '/'); at >= 0 && strings.HasPrefix(r.Pattern[at:], "/index.htm") {
			rules = append(rules, ruleOf(r, r.Pattern[:at+1]+"$"))
		}
	}
	return rules
}

// rankOf returns the rank of a rule with a pattern: the longer outranks the
// shorter, of equally long ones what allows outranks what forbids, and of equal
// ones the first in the file keeps the line. In the dialect original the first in
// the file outranks all.
func rankOf(r Rule, pattern string) uint64 {
	order := uint64(math.MaxUint32 - uint32(r.Line))
	if r.Form == automaton.FormDecoded {
		return order
	}
	rank := uint64(len(pattern))<<33 | order
	if r.Allow {
		rank |= 1 << 32
	}
	return rank
}

// ruleOf makes a rule of a pattern. Several wildcards in a row are one, and one at
// the end means nothing, nor does the anchor after it.
func ruleOf(rule Rule, pattern string) automaton.Rule {
	r := automaton.Rule{
		Rank: rankOf(rule, pattern), Form: rule.Form, Pattern: pattern,
		Verdict: automaton.Verdict{Line: uint32(rule.Line), Disallowed: !rule.Allow && pattern != ""},
	}
	if rule.Form == automaton.FormDecoded { // * and $ are ordinary octets
		return r
	}
	r.Pattern, r.Anchored = strings.CutSuffix(pattern, "$")
	if strings.HasSuffix(r.Pattern, "*") {
		r.Pattern, r.Anchored = strings.TrimRight(r.Pattern, "*"), false
	}
	if strings.Contains(r.Pattern, "**") {
		r.Pattern = squeeze(r.Pattern)
	}
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
