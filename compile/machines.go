package compile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// must returns made. No robots.txt leads to an error: dialectReading.ranked makes valid rules, ranks
// are unique because they include the line, tokens are distinct, and everything is in one dialect.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// machines is the source of a file's ruleset. It numbers lists of groups and builds a machine for
// each list, so that a file with hundreds of agents over one list of rules has one machine. The
// machine for several groups joins the machines of these groups and shares their parts
// (automaton.Join). If there are too many groups, the small ones are first merged by copying their
// rules into a single part.
type machines struct {
	o      Options
	groups []Group
	bound  [][]int              // groups of each machine
	single []int                // number of each group's own machine, from 1; 0 if there is none
	joined map[string]int       // numbers of the machines for several groups, by groupsKey
	merged map[int]bool         // numbers of the machines whose small groups are merged
	made   []*automaton.Machine // machines of single groups, if any are joined
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

func groupsKey(groups []int) string {
	var key []byte
	for _, g := range groups {
		key = binary.AppendUvarint(key, uint64(g))
	}
	return string(key)
}

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

// join makes a machine from one machine per group. If merged, only the largest groups keep a
// machine of their own, and all others share one.
func (m *machines) join(groups []int, merged bool) *automaton.Machine {
	var small *automaton.Machine // nil is skipped
	if merged {
		var others []int
		groups, others = m.bySize(groups)
		var rules []Rule
		for _, g := range others {
			rules = append(rules, m.groups[g].Rules...)
		}
		small = m.ofRules(rules)
	}
	machines := make([]*automaton.Machine, 0, len(groups)+1)
	for _, g := range groups {
		machines = append(machines, m.ofOne(g))
	}
	return must(automaton.Join(m.o.Dialect, append(machines, small)...))
}

// maxParts is the number of groups per crawler up to which none are merged. A match examines each
// part. Real files have one to three.
const maxParts = 16

// maxMerged limits the rules in merged lists to a multiple of the rules in the file. If every
// crawler were named by different groups and had its own list, memory would grow with the square of
// the file.
const maxMerged = 4

// plan chooses the lists of groups to merge. A match examines each part, so a crawler with
// thousands of groups would be slow, but copying the rules of all lists could use quadratic memory.
// So crawlers with many groups have all but their largest merged, beginning with the crawlers with
// the most groups, until maxMerged is reached.
func (m *machines) plan() {
	var many []int // numbers of these machines
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

// bySize returns the groups with the most rules, which remain separate parts, and the other groups
// in file order.
func (m *machines) bySize(groups []int) (large, small []int) {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(x, y int) int {
		return cmp.Compare(len(m.groups[y].Rules), len(m.groups[x].Rules))
	})
	large, small = sorted[:maxParts-1], sorted[maxParts-1:]
	slices.Sort(small)
	return large, small
}
