package compile

import (
	"encoding/binary"

	"github.com/robotsieve/robotsieve/automaton"
)

// ruleset makes the machines of the file and binds its tokens to them.
func (p *parser) ruleset() *automaton.Ruleset {
	b := bindings{dialect: p.o.Dialect}
	b.all(p.robots.Groups)
	m := machines{o: p.o, groups: p.robots.Groups, ranker: ranker{dialect: p.o.Dialect}, made: make([]bound, len(p.robots.Groups))}
	m.makeRoom(b)
	m.plan(b)
	var some [few]automaton.Agent
	agents := some[:0] // on the stack, since NewRuleset copies them
	for _, n := range b.named {
		agents = append(agents, automaton.Agent{Token: m.ranker.text.keep(n.token), Machine: m.of(n.groups)})
	}
	var wildcard *automaton.Machine
	if len(b.wildcard) > 0 {
		wildcard = m.of(b.wildcard)
	}
	p.robots.bound = m.made
	ruleset, err := automaton.NewRuleset(p.o.Dialect, agents, wildcard)
	if err != nil {
		// No bytes lead here: tokens are distinct, machines of the dialect.
		panic(err)
	}
	return ruleset
}

// machines makes the machines of lists of groups, one of each list, so that a file
// with hundreds of agents over one list of rules makes one machine.
type machines struct {
	o      Options
	groups []Group
	ranker ranker
	joined map[string]*automaton.Machine // of several groups, by groupsKey
	merged map[string]bool               // which of these are merged as far as they are many
	// made has the machine of each group by its number, nil where it binds nobody,
	// and behind these the joined.
	made []bound
}

// bound is a machine with the groups that it is made of.
type bound struct {
	machine *automaton.Machine
	groups  []int
}

// makeRoom makes room for the machines of all groups and for tokens.
func (m *machines) makeRoom(b bindings) {
	tokens := 0
	for _, n := range b.named {
		tokens += len(n.token)
	}
	m.ranker.makeRoom(m.groups, tokens)
	for i := range m.made {
		m.made[i].groups = b.each[i : i+1]
	}
}

// of returns the machine of some groups.
func (m *machines) of(groups []int) *automaton.Machine {
	if len(groups) == 1 {
		return m.ofOne(groups[0])
	}
	key := groupsKey(groups)
	joined := m.joined[key]
	if joined == nil {
		if m.joined == nil {
			m.joined = map[string]*automaton.Machine{}
		}
		joined = m.join(groups, m.merged[key])
		m.joined[key] = joined
		m.made = append(m.made, bound{joined, groups})
	}
	return joined
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
	made := &m.made[group]
	if made.machine == nil {
		one, err := machine(m.o.Dialect, m.o.Engine, m.ranker.rank(m.groups[group]))
		if err != nil {
			// No bytes lead here: rules are made by ranker.fill, and tables of these.
			panic(err)
		}
		made.machine = one
	}
	return made.machine
}

// join makes the machine of several groups of the machines of each, or of the
// largest of them and one of all others.
func (m *machines) join(groups []int, merged bool) *automaton.Machine {
	var small []int
	if merged {
		groups, small = m.bySize(groups)
	}
	machines := make([]*automaton.Machine, len(groups), len(groups)+1)
	for i, g := range groups {
		machines[i] = m.ofOne(g)
	}
	if merged {
		machines = append(machines, m.merge(small))
	}
	joined, err := automaton.Join(m.o.Dialect, machines...)
	if err != nil {
		// No bytes lead here: ranks hold the line, so that no two are equal.
		panic(err)
	}
	return joined
}
