package automaton

import (
	"fmt"
	"slices"
	"strings"
)

// Builder makes the machines of one robots.txt and its ruleset, in few pieces of
// memory: the first machine and the lists of all machines are one, if they are small.
// To make pieces is a third of what it takes to compile a small file, and to go from
// one to the next most of what it takes to match by the rules of an origin that are
// in no cache. The ruleset lies apart: those of thousands of origins together stay in
// a cache that would not hold their machines.
//
// Machines of one Builder keep one another in memory. It belongs to one goroutine;
// what it has made does not change any more.
type Builder struct {
	dialect  Dialect
	first    *Machine  // nil if it is taken
	machines []Machine // what is left of the room for the others
	lists    []listed  // what is left of the room for lists
}

// NewBuilder returns a Builder with room for so many machines that New would make,
// and for so many rules of those without a table. Where there are more, each takes
// memory of its own; what is too much is wasted.
func NewBuilder(d Dialect, machines, rules int) Builder {
	b := Builder{dialect: d}
	b.first, b.lists = newFirst(rules)
	if machines > 1 {
		b.machines = make([]Machine, machines-1)
	}
	return b
}

// newFirst makes a machine and room for the lists of so many rules, in one piece if
// these are few. The sizes are such as the allocator has of whole lines of a cache.
func newFirst(rules int) (*Machine, list) {
	switch {
	case rules == 0:
		return &Machine{}, nil
	case rules <= 2:
		first := &struct {
			Machine
			list [2]listed
		}{}
		return &first.Machine, first.list[:rules]
	case rules <= 6:
		first := &struct {
			Machine
			list [6]listed
		}{}
		return &first.Machine, first.list[:rules]
	case rules <= 10:
		first := &struct {
			Machine
			list [10]listed
		}{}
		return &first.Machine, first.list[:rules]
	case rules <= 18:
		first := &struct {
			Machine
			list [18]listed
		}{}
		return &first.Machine, first.list[:rules]
	case rules <= 34:
		first := &struct {
			Machine
			list [34]listed
		}{}
		return &first.Machine, first.list[:rules]
	case rules <= 66:
		first := &struct {
			Machine
			list [66]listed
		}{}
		return &first.Machine, first.list[:rules]
	}
	return &Machine{}, make(list, rules)
}

// Machine is New with what is left of the Builder's room.
func (b *Builder) Machine(rules []Rule, t *Table) (*Machine, error) {
	if !b.dialect.Known() {
		return nil, fmt.Errorf("automaton: %w", errUnknownDialect)
	}
	m := b.machine()
	r := b.dialect.reading()
	*m = Machine{dialect: b.dialect, form: r.form, exemptsItself: r.exemptsItself, part: part{rules: rules, table: t}}
	for i := range rules {
		r := &rules[i]
		if err := r.complete(b.dialect); err != nil {
			return nil, fmt.Errorf("automaton: rule %d: %w", i, err)
		}
		if i > 0 && r.Rank >= rules[i-1].Rank {
			return nil, fmt.Errorf("automaton: rule %d: %w", i, errRank)
		}
		m.hasB = m.hasB || r.Form == FormB
	}
	if t == nil {
		m.list = b.list(rules)
	} else if err := t.check(rules); err != nil {
		return nil, fmt.Errorf("automaton: table: %w", err)
	}
	return m, nil
}

// machine returns a new machine.
func (b *Builder) machine() (m *Machine) {
	switch {
	case b.first != nil:
		m, b.first = b.first, nil
		return m
	case len(b.machines) > 0:
		m, b.machines = &b.machines[0], b.machines[1:]
		return m
	}
	return &Machine{}
}

// list makes the list of rules.
func (b *Builder) list(rules []Rule) (l list) {
	if n := len(rules); n <= len(b.lists) {
		l, b.lists = b.lists[:n:n], b.lists[n:]
	} else {
		l = make(list, n)
	}
	for i := range rules {
		l[i].set(&rules[i])
	}
	return l
}

func (e *listed) set(r *Rule) {
	e.line, e.disallowed = r.Verdict.Line, r.Verdict.Disallowed
	n := int(r.prefix)
	switch {
	case r.gaps || r.Anchored || n > EdgeOctets+1:
	case n == 0:
		e.whole = 1 // as long as any path
	case r.Pattern[0] == '/':
		e.whole = uint8(n)
	}
	if n > 1 {
		octets := r.Pattern[1:min(n, EdgeOctets+1)]
		e.word, e.octets = firstOctets([]byte(octets)), uint8(len(octets))
	}
	if r.gaps {
		e.must = rarest(r.Pattern[n+1:])
	}
}

// Ruleset is NewRuleset with the agents taken over, not copied. It is called once.
func (b *Builder) Ruleset(agents []Agent, wildcard *Machine) (*Ruleset, error) {
	if !b.dialect.Known() {
		return nil, fmt.Errorf("automaton: %w", errUnknownDialect)
	}
	r := &Ruleset{dialect: b.dialect, agents: agents, wildcard: wildcard}
	if wildcard != nil && wildcard.dialect != r.dialect {
		return nil, fmt.Errorf("automaton: wildcard: %w", errDialect)
	}
	if r.dialect.reading().crawlers != namedWithin {
		slices.SortFunc(r.agents, func(a, b Agent) int { return strings.Compare(a.Token, b.Token) })
	}
	for i := range r.agents {
		if err := r.check(i); err != nil {
			return nil, fmt.Errorf("automaton: agent %q: %w", r.agents[i].Token, err)
		}
		r.tokens |= tokenBit(r.agents[i].Token)
	}
	return r, nil
}
