package automaton

import "fmt"

// Builder makes the machines of one robots.txt and its ruleset, in few pieces of memory:
// the first machine and the rule lists of all machines are one piece, if they are small.
// To allocate is a third of the time to compile a small file, and to go from one piece to
// the next most of the time to match by rules that are in no cache.
//
// Machines of one Builder keep one another in memory. A Builder belongs to one goroutine;
// its machines and rulesets do not change. The zero value is for RFC9309 and has room for
// nothing.
type Builder struct {
	dialect  Dialect
	first    *Machine  // nil if it is taken
	machines []Machine // the room for others that is left
	lists    []listed  // the room for lists that is left
}

// NewBuilder returns a Builder with room for a number of machines, and for a number of
// rules of those without a table. Where there are more, each takes memory of its own; room
// that is not used is wasted.
func NewBuilder(d Dialect, machines, rules int) Builder {
	b := Builder{dialect: d}
	b.first, b.lists = newFirst(rules)
	if machines > 1 {
		b.machines = make([]Machine, machines-1)
	}
	return b
}

// NewMachine returns a machine of rules in the order of their rank, as Builder.Machine does.
func NewMachine(d Dialect, rules []Rule, e Engine) (*Machine, error) {
	listed := len(rules)
	if e.wantsTable(rules) {
		listed = 0
	}
	b := NewBuilder(d, 1, listed)
	return b.Machine(rules, e)
}

// withList is a machine in one piece of memory with lists.
type withList[L any] struct {
	Machine
	list L
}

// newFirst makes a machine and room for the lists of a number of rules, in one piece if
// these are few. Each piece has a size that the allocator knows and that is a multiple of a
// line of the cache.
func newFirst(rules int) (*Machine, list) {
	switch {
	case rules == 0:
	case rules <= 2:
		first := &withList[[2]listed]{}
		return &first.Machine, first.list[:rules]
	case rules <= 6:
		first := &withList[[6]listed]{}
		return &first.Machine, first.list[:rules]
	case rules <= 10:
		first := &withList[[10]listed]{}
		return &first.Machine, first.list[:rules]
	case rules <= 18:
		first := &withList[[18]listed]{}
		return &first.Machine, first.list[:rules]
	case rules <= 34:
		first := &withList[[34]listed]{}
		return &first.Machine, first.list[:rules]
	case rules <= 66:
		first := &withList[[66]listed]{}
		return &first.Machine, first.list[:rules]
	}
	return &Machine{}, make(list, rules)
}

// Machine makes a machine of rules in the order of their rank, the one that outranks all
// others first. The rules are taken over, not copied: the caller must not use them afterwards. The error
// names the rule that is not as the documentation of Rule demands.
func (b *Builder) Machine(rules []Rule, e Engine) (*Machine, error) {
	if !b.dialect.Known() {
		return nil, fmt.Errorf("automaton: %w", errUnknownDialect)
	}
	m := b.machine()
	row := b.dialect.row()
	*m = Machine{dialect: b.dialect, form: row.form, exemptsItself: row.exemptsItself, part: part{rules: rules}}
	for i := range rules {
		r := &rules[i]
		if err := r.complete(b.dialect); err != nil {
			return nil, fmt.Errorf("automaton: rule %d: %w", i, err)
		}
		if i > 0 && r.Rank >= rules[i-1].Rank {
			return nil, fmt.Errorf("automaton: rule %d: rank is not below that of the rule before", i)
		}
		m.hasB = m.hasB || r.Form == FormB
	}
	m.table = e.table(rules)
	if m.table == nil {
		m.list = b.list(rules)
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

// Ruleset makes a ruleset of the machines of its groups; wildcard is the one of the groups
// for *, nil if there is none. The dialect original takes the first agent in the given
// order whose token is part of a crawler's name; for the others the order is of no
// importance, and each token may occur once. The agents are taken over, not copied. Ruleset is
// called once.
func (b *Builder) Ruleset(agents []TokenMachine, wildcard *Machine) (*Ruleset, error) {
	if !b.dialect.Known() {
		return nil, fmt.Errorf("automaton: %w", errUnknownDialect)
	}
	r := &Ruleset{dialect: b.dialect}
	if err := r.set(agents, wildcard); err != nil {
		return nil, err
	}
	return r, nil
}
