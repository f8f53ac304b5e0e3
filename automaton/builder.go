package automaton

import "fmt"

// Builder makes the machines of one robots.txt and its ruleset with few allocations: the first
// machine shares one allocation with the rule lists of all machines, if they are small. Allocating
// takes a third of the time to compile a small file, and pointer chasing takes most of the time to
// match rules that are not cached.
//
// Machines of one Builder keep one another in memory. A Builder belongs to one goroutine; the
// machines and rulesets that it makes are immutable. The zero value is a Builder for RFC9309
// without preallocated space.
type Builder struct {
	dialect  Dialect
	first    *Machine  // nil once it is taken
	machines []Machine // preallocated machines that are not used yet
	lists    []listed  // preallocated lists that are not used yet
}

// NewBuilder returns a Builder with space for the given number of machines, and for the given
// number of rules in machines without a table. More of either are allocated one by one; unused
// space is wasted.
func NewBuilder(d Dialect, machines, rules int) Builder {
	b := Builder{dialect: d}
	b.first, b.lists = newFirst(rules)
	if machines > 1 {
		b.machines = make([]Machine, machines-1)
	}
	return b
}

// NewMachine returns a machine for rules sorted by rank, as Builder.Machine does.
func NewMachine(d Dialect, rules []Rule, e Engine) (*Machine, error) {
	listed := len(rules)
	if e.wantsTable(rules) {
		listed = 0
	}
	b := NewBuilder(d, 1, listed)
	return b.Machine(rules, e)
}

// withList is a machine and its lists in one allocation.
type withList[L any] struct {
	Machine
	list L
}

// newFirst allocates a machine and lists for a number of rules, together if the rules are few. The
// sizes are size classes of the allocator and multiples of a cache line.
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

// Machine makes a machine from rules sorted by rank, highest first. It takes ownership of the
// slice: the caller must not use the rules afterwards. If a rule breaks a requirement in the
// documentation of Rule, the error names it.
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
			return nil, fmt.Errorf("automaton: rule %d: rank is not below the previous rule's", i)
		}
		m.hasB = m.hasB || r.Form == FormB
	}
	m.table = e.table(rules)
	if m.table == nil {
		m.list = b.list(rules)
	}
	return m, nil
}

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

// Ruleset makes a ruleset from the machines of its groups; wildcard is the machine for *, or nil if
// no group is for *. Dialect Original uses the first agent in the given order whose token occurs in
// a crawler's name. In the other dialects the order does not matter, and tokens must be unique.
// Ruleset takes ownership of agents and may be called only once.
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
