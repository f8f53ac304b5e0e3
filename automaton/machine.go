package automaton

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Scratch is the memory that a match writes to: the forms of one path, and the segments that
// wait while it is read. The zero value is ready for use; its buffers grow to the longest path and
// the largest machine that they have seen and are then reused. A Scratch belongs to one
// goroutine at a time and serves any number of machines, one after the other.
type Scratch struct {
	a, b, path []byte
	table      table.Scratch
}

// Machine matches paths with the rules for one crawler on one origin. It is immutable and
// safe for any number of goroutines. The nil Machine has no rules and allows everything.
type Machine struct {
	dialect       Dialect
	form          Form // of the dialect
	exemptsItself bool // likewise
	hasB          bool // a rule is in FormB
	number        uint32
	later         atomic.Pointer[later] // builds the machine by its number; nil if it is built
	part
	parts []*part // of a machine that Join has made, which has none of its own
}

// later has the source of machines that are built when they are asked for, one at a time.
type later struct {
	mu     sync.Mutex
	source Source
}

// laterMachines returns machines of a dialect, each of which is built when a ruleset that has it is first
// asked for it.
func laterMachines(d Dialect, source Source, n int) []Machine {
	l, row, machines := &later{source: source}, d.row(), make([]Machine, n)
	for i := range machines {
		m := &machines[i]
		m.dialect, m.form, m.exemptsItself, m.number = d, row.form, row.exemptsItself, uint32(i)
		m.later.Store(l)
	}
	return machines
}

// built returns a machine, which may be nil, after it has been built.
func (m *Machine) built() *Machine {
	if m != nil {
		if l := m.later.Load(); l != nil {
			l.complete(m)
		}
	}
	return m
}

func (l *later) complete(m *Machine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.later.Load() == nil {
		return // another goroutine was faster
	}
	b := l.source.Build(int(m.number))
	m.hasB, m.part, m.parts = b.hasB, b.part, b.parts
	m.later.Store(nil)
}

// part is a list of rules, the highest rank first, with one of the two engines that find the
// first of them that matches. Machines that Join has made of the same groups share their
// parts, so that the machines of a robots.txt together take memory in proportion to it.
type part struct {
	rules []Rule
	list  list         // nil if there is a table
	table *table.Table // nil if there is a list
}

// Size returns about how many bytes the rules of a machine take and what finds them, beside the
// octets of patterns.
func (m *Machine) Size() (bytes int64) {
	for _, p := range m.all() {
		bytes += int64(len(p.rules))*int64(unsafe.Sizeof(Rule{})) + int64(len(p.list))*int64(unsafe.Sizeof(listed{}))
		if p.table != nil {
			bytes += p.table.Size()
		}
	}
	return bytes
}

// Join makes one machine of several of a dialect, which answers as one with all their rules
// would, in the order of their ranks. It shares their rules instead of copying them. Of two
// rules of one rank, that of the earlier machine decides. Nil machines are skipped; a machine
// of another dialect is an error.
func Join(d Dialect, machines ...*Machine) (*Machine, error) {
	if !d.Known() {
		return nil, fmt.Errorf("automaton: %w", errUnknownDialect)
	}
	joined := &Machine{dialect: d, form: d.row().form, exemptsItself: d.row().exemptsItself}
	for i, m := range machines {
		if m == nil {
			continue
		}
		if m.dialect != d {
			return nil, fmt.Errorf("automaton: machine %d: %w", i, errDialect)
		}
		joined.hasB = joined.hasB || m.hasB
		joined.parts = append(joined.parts, m.all()...)
	}
	return joined, nil
}

// all returns the parts that have rules.
func (m *Machine) all() []*part {
	if m == nil || m.parts == nil && len(m.rules) == 0 {
		return nil
	}
	if m.parts == nil {
		return []*part{&m.part}
	}
	return m.parts
}

// Dialect returns the dialect in which the machine's rules were read, RFC9309 for the nil
// Machine.
func (m *Machine) Dialect() Dialect {
	if m == nil {
		return RFC9309
	}
	return m.dialect
}

// Len returns the number of rules.
func (m *Machine) Len() int {
	n := 0
	for _, p := range m.all() {
		n += len(p.rules)
	}
	return n
}

// Lists returns the rules of the machine in the lists that Builder.Machine and Join made it
// of, each in the order of its rank. Machines that Join made of the same machine share its
// list: it is the same slice. The rules are the machine's own and are not to be changed.
func (m *Machine) Lists() [][]Rule {
	if m == nil {
		return nil
	}
	parts := m.all()
	lists := make([][]Rule, len(parts))
	for i, p := range parts {
		lists[i] = p.rules
	}
	return lists
}

// Forbids reports whether there is a rule that can forbid a path.
func (m *Machine) Forbids() bool {
	for _, p := range m.all() {
		if slices.ContainsFunc(p.rules, func(r Rule) bool { return !r.Verdict.Allowed() }) {
			return true
		}
	}
	return false
}

// Agrees reports whether two machines, of any dialects, are certain to forbid the same paths by
// the same lines as long as the path is canonical (IsCanonical) and is not /robots.txt, about
// which the dialects differ. It may return false for machines that agree all the same. An
// audit asks it once for each crawler and copy of robots.txt, so that to judge by two dialects
// takes no longer than by one.
func (m *Machine) Agrees(o *Machine) bool {
	mine, others := m.deciding(), o.deciding()
	return slices.EqualFunc(mine, others, func(p, q []Rule) bool {
		return slices.EqualFunc(p, q, func(x, y Rule) bool {
			return x.AtEnd == y.AtEnd && x.Verdict == y.Verdict && x.Pattern == y.Pattern &&
				(len(mine) == 1 || x.Rank == y.Rank)
		})
	})
}

// deciding returns the rules of each part that has any, without those at its end which change
// nothing but the line of a verdict that allows: rules that allow and outrank no rule that
// disallows, in any part.
func (m *Machine) deciding() (lists [][]Rule) {
	parts, lowest := m.all(), uint64(math.MaxUint64)
	for _, p := range parts {
		for i := range p.rules {
			if r := &p.rules[i]; r.Verdict.Disallowed {
				lowest = min(lowest, r.Rank)
			}
		}
	}
	for _, p := range parts {
		rules := p.rules
		for n := len(rules) - 1; n >= 0 && rules[n].Verdict.Allowed() && rules[n].Rank < lowest; n-- {
			rules = rules[:n]
		}
		if len(rules) > 0 {
			lists = append(lists, rules)
		}
	}
	return lists
}
