package compile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// must returns the first of its arguments. No bytes of a robots.txt lead to an error:
// dialectRow.ranked makes rules as they are demanded, ranks hold the line, so that no two are equal,
// tokens are distinct, and all is of one dialect.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// machines is the source of a file's ruleset. It numbers lists of groups and builds their machines,
// one for each list, so that a file with hundreds of agents over one list of rules has one machine.
// The machine of several groups is joined: its parts are those of the machines of its groups, which
// it shares (automaton.Join). If there are too many, the small ones are merged before that: their
// rules are copied to one list, which is one part.
type machines struct {
	o      Options
	groups []Group
	bound  [][]int              // the groups of each machine
	single []int                // the number of the machine of each group alone, from 1; 0 if there is none
	joined map[string]int       // the numbers of the machines of several groups, by groupsKey
	merged map[int]bool         // of those machines, the numbers of those whose small groups are merged
	made   []*automaton.Machine // the machines of single groups, if there are joined ones
}

// Bind binds the tokens of the file to machines.
func (m *machines) Bind() (tokens []automaton.TokenNumber, wildcard, count int) {
	b := groupsOfTokens(m.o.row(), m.groups)
	m.single, m.bound = make([]int, len(m.groups)), make([][]int, 0, len(b.named)+1)
	tokens, wildcard = make([]automaton.TokenNumber, len(b.named)), -1
	for i := range b.named {
		tokens[i] = automaton.TokenNumber{Token: b.named[i].token, Number: m.number(b.named[i].groups)}
	}
	if len(b.wildcard) > 0 {
		wildcard = m.number(b.wildcard)
	}
	m.plan()
	m.single, m.joined = nil, nil
	return tokens, wildcard, len(m.bound)
}

// number returns the number of the machine of some groups.
func (m *machines) number(groups []int) int {
	if len(groups) == 1 {
		known := &m.single[groups[0]]
		if *known == 0 {
			m.bound = append(m.bound, groups)
			*known = len(m.bound)
		}
		return *known - 1
	}
	if m.joined == nil {
		m.joined, m.made = map[string]int{}, make([]*automaton.Machine, len(m.groups))
	}
	key := groupsKey(groups)
	number, known := m.joined[key]
	if !known {
		number = len(m.bound)
		m.bound, m.joined[key] = append(m.bound, groups), number
	}
	return number
}

// Build builds a machine.
func (m *machines) Build(number int) *automaton.Machine {
	if groups := m.bound[number]; len(groups) > 1 {
		return m.join(groups, m.merged[number])
	}
	return m.ofOne(m.bound[number][0])
}

// groupsKey is a key for the map of machines made of several groups.
func groupsKey(groups []int) string {
	var key []byte
	for _, g := range groups {
		key = binary.AppendUvarint(key, uint64(g))
	}
	return string(key)
}

// ofOne returns the machine of a group.
func (m *machines) ofOne(group int) *automaton.Machine {
	if m.made == nil {
		return m.ofRules(m.groups[group].Rules)
	}
	made := &m.made[group]
	if *made == nil {
		*made = m.ofRules(m.groups[group].Rules)
	}
	return *made
}

// ofRules builds a machine of one part.
func (m *machines) ofRules(rules []Rule) *automaton.Machine {
	return must(automaton.NewMachine(m.o.Dialect, m.o.row().ranked(rules), m.o.Engine))
}

// join makes the machine of several groups: of one machine for each group or, merged, of
// one for each of the largest groups and one for all others.
func (m *machines) join(groups []int, merged bool) *automaton.Machine {
	var small *automaton.Machine // nil is skipped
	if merged {
		var others []int
		groups, others = m.bySize(groups)
		small = m.merge(others)
	}
	machines := make([]*automaton.Machine, 0, len(groups)+1)
	for _, g := range groups {
		machines = append(machines, m.ofOne(g))
	}
	return must(automaton.Join(m.o.Dialect, append(machines, small)...))
}

// maxParts is how many groups of one crawler stay parts of its machine. A match looks at each
// part. Real files have one to three.
const maxParts = 16

// maxMerged bounds the rules in merged lists, in multiples of all rules of the file. Many
// crawlers may each be named by other groups: if each of them had a list of its own, the
// memory would grow with the square of the file.
const maxMerged = 4

// plan decides which lists of groups are merged. A match looks at each part, so that a crawler
// with thousands of groups would be slow; but copying the rules of all lists could square the
// memory. So the crawlers with many groups have theirs merged, all but the largest: those with
// the most groups first, as far as maxMerged allows.
func (m *machines) plan() {
	var many []int // the numbers of these machines
	for number, groups := range m.bound {
		if len(groups) > maxParts {
			many = append(many, number)
		}
	}
	if len(many) == 0 {
		return
	}
	slices.SortStableFunc(many, func(x, y int) int { return cmp.Compare(len(m.bound[y]), len(m.bound[x])) })
	room := 0
	for _, g := range m.groups {
		room += maxMerged * len(g.Rules)
	}
	m.merged = map[int]bool{}
	for _, number := range many {
		_, small := m.bySize(m.bound[number])
		rules := 0
		for _, g := range small {
			rules += len(m.groups[g].Rules)
		}
		if rules <= room {
			room -= rules
			m.merged[number] = true
		}
	}
}

// bySize returns the groups with the most rules, which stay parts, and the others in
// file order.
func (m *machines) bySize(groups []int) (large, small []int) {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(x, y int) int {
		return cmp.Compare(len(m.groups[y].Rules), len(m.groups[x].Rules))
	})
	large, small = sorted[:maxParts-1], sorted[maxParts-1:]
	slices.Sort(small)
	return large, small
}

// merge makes one machine of one part of several groups, with copies of their rules.
func (m *machines) merge(groups []int) *automaton.Machine {
	var all []Rule
	for _, g := range groups {
		all = append(all, m.groups[g].Rules...)
	}
	return m.ofRules(all)
}
