package compile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// ruleset makes the machines of the file and binds its tokens to them.
func (p *parser) ruleset(r *Robots) {
	m := machines{o: p.o, Robots: r, ranker: ranker{row: p.row, order: p.order[:0]}}
	m.makeRoom()
	m.keepTokens()
	b := &p.tokens
	b.row = p.row
	b.all(r.Groups)
	m.plan(b)
	agents := make([]automaton.TokenMachine, len(b.named))
	for i, n := range b.named {
		agents[i] = automaton.TokenMachine{Token: n.token, Machine: m.of(n.groups)}
	}
	var wildcard *automaton.Machine
	if len(b.wildcard) > 0 {
		wildcard = m.of(b.wildcard)
	}
	r.Ruleset = must(m.builder.Ruleset(agents, wildcard))
	p.order = m.ranker.order
}

// must returns the first of its arguments. No bytes of a robots.txt lead to an error:
// ranker.fill makes rules as it demands them, ranks hold the line, so that no two are equal,
// tokens are distinct, and all is of one dialect.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// machines makes the machines of lists of groups, one for each list, so that a file with
// hundreds of agents over one list of rules makes one machine. The machine of several groups is
// joined: its parts are those of the machines of its groups, which it shares (automaton.Join).
// If there are too many, the small ones are merged before that: their rules are copied to one
// list, which is one part.
type machines struct {
	*Robots // of the file
	o       Options
	ranker  ranker
	builder automaton.Builder
	byKey   map[string]*automaton.Machine // the machines of several groups, by groupsKey
	merged  map[string]bool               // the keys of those machines whose small groups are merged
}

// joined is a machine with the groups that it is made of.
type joined struct {
	machine *automaton.Machine
	groups  []int
}

// makeRoom makes room for the machines of all groups.
func (m *machines) makeRoom() {
	listed := m.ranker.makeRoom(m.Groups)
	m.builder = automaton.NewBuilder(m.o.Dialect, len(m.Groups), listed)
	m.ofGroup = make([]*automaton.Machine, len(m.Groups))
}

// keepTokens writes the tokens of all groups in lower case, in the memory of the ruleset.
// Tokens are bound after that.
func (m *machines) keepTokens() {
	for i := range m.Groups {
		for j := range m.Groups[i].Agents {
			a := &m.Groups[i].Agents[j]
			a.Token = m.ranker.text.keepLower(a.Token)
		}
	}
}

// of returns the machine of some groups.
func (m *machines) of(groups []int) *automaton.Machine {
	if len(groups) == 1 {
		return m.ofOne(groups[0])
	}
	key := groupsKey(groups)
	made := m.byKey[key]
	if made == nil {
		if m.byKey == nil {
			m.byKey = map[string]*automaton.Machine{}
		}
		made = m.join(groups, m.merged[key])
		m.byKey[key] = made
		m.joined = append(m.joined, joined{made, groups})
	}
	return made
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
	made := &m.ofGroup[group]
	if *made == nil {
		*made = must(m.builder.Machine(m.ranker.rank(m.Groups[group]), m.o.Engine.Table))
	}
	return *made
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
func (m *machines) plan(b *tokenGroups) {
	var many [][]int
	for _, n := range b.named {
		if len(n.groups) > maxParts {
			many = append(many, n.groups)
		}
	}
	if len(b.wildcard) > maxParts {
		many = append(many, b.wildcard)
	}
	if len(many) == 0 {
		return
	}
	slices.SortStableFunc(many, func(x, y []int) int { return cmp.Compare(len(y), len(x)) })
	room := 0
	for _, g := range m.Groups {
		room += maxMerged * len(g.Rules)
	}
	m.merged = map[string]bool{}
	for _, groups := range many {
		key := groupsKey(groups)
		if m.merged[key] {
			continue
		}
		_, small := m.bySize(groups)
		rules := 0
		for _, g := range small {
			rules += len(m.Groups[g].Rules)
		}
		if rules <= room {
			room -= rules
			m.merged[key] = true
		}
	}
}

// bySize returns the groups with the most rules, which stay parts, and the others in
// file order.
func (m *machines) bySize(groups []int) (large, small []int) {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(x, y int) int {
		return cmp.Compare(len(m.Groups[y].Rules), len(m.Groups[x].Rules))
	})
	large, small = sorted[:maxParts-1], sorted[maxParts-1:]
	slices.Sort(small)
	return large, small
}

// merge makes one machine of one part of several groups, with copies of their rules.
func (m *machines) merge(groups []int) *automaton.Machine {
	var all Group
	for _, g := range groups {
		all.Rules = append(all.Rules, m.Groups[g].Rules...)
	}
	k := ranker{row: m.o.row()}
	k.makeRoom([]Group{all})
	b := automaton.NewBuilder(m.o.Dialect, 1, 0)
	return must(b.Machine(k.rank(all), m.o.Engine.Table))
}
