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

// Scratch is the working memory of matches. The zero value is ready for use. Its buffers grow to
// the longest path and the largest machine that they have seen, and are reused. A Scratch serves
// any number of machines, but only one goroutine at a time.
type Scratch struct {
	a, b, path []byte
	table      table.Scratch
}

// Machine matches paths with the rules for one crawler on one origin. It is immutable and safe for
// concurrent use. The nil Machine has no rules and allows everything.
type Machine struct {
	dialect       Dialect
	form          Form // the dialect's
	exemptsItself bool // the dialect's
	hasB          bool // a rule is in FormB
	number        uint32
	later         atomic.Pointer[later] // builds the machine on demand; nil once it is built
	part
	parts []*part // set by Join, instead of the machine's own part
}

// later is a source of machines that are built on demand, one at a time.
type later struct {
	mu     sync.Mutex
	source Source
}

// laterMachines returns count machines, each of which is built when it is first used.
func laterMachines(d Dialect, source Source, n int) []Machine {
	l, row, machines := &later{source: source}, d.row(), make([]Machine, n)
	for i := range machines {
		m := &machines[i]
		m.dialect, m.form, m.exemptsItself, m.number = d, row.form, row.exemptsItself, uint32(i)
		m.later.Store(l)
	}
	return machines
}

// built returns m, which may be nil, after building it if necessary.
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

// part is a list of rules sorted by rank, highest first, with the engine that finds the first
// match. Joined machines share the parts of their groups, so that the machines of a robots.txt take
// memory in proportion to the file.
type part struct {
	rules []Rule
	list  list         // nil if there is a table
	table *table.Table // nil if there is a list
}

// Size returns the approximate memory of a machine's rules and engine in bytes, excluding the text
// of patterns.
func (m *Machine) Size() (bytes int64) {
	for _, p := range m.all() {
		bytes += int64(len(p.rules))*int64(unsafe.Sizeof(Rule{})) + int64(len(p.list))*int64(unsafe.Sizeof(listed{}))
		if p.table != nil {
			bytes += p.table.Size()
		}
	}
	return bytes
}

// Join returns a machine with the rules of several machines of one dialect, ordered by rank. It
// shares the rules instead of copying them. If two rules have the same rank, the earlier machine's
// decides. Nil machines are skipped; a machine of another dialect is an error.
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

func (m *Machine) all() []*part {
	if m == nil || m.parts == nil && len(m.rules) == 0 {
		return nil
	}
	if m.parts == nil {
		return []*part{&m.part}
	}
	return m.parts
}

// Dialect returns the dialect in which the machine's rules were read; for the nil Machine it is
// RFC9309.
func (m *Machine) Dialect() Dialect {
	if m == nil {
		return RFC9309
	}
	return m.dialect
}

func (m *Machine) Len() int {
	n := 0
	for _, p := range m.all() {
		n += len(p.rules)
	}
	return n
}

// Lists returns the machine's rules as the lists that Builder.Machine and Join were given, each
// sorted by rank. Machines joined from the same machine return the same slice for it. The caller
// must not modify the rules.
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

// Forbids reports whether any rule can forbid a path.
func (m *Machine) Forbids() bool {
	for _, p := range m.all() {
		if slices.ContainsFunc(p.rules, func(r Rule) bool { return !r.Verdict.Allowed() }) {
			return true
		}
	}
	return false
}

// Agrees reports whether two machines, of any dialects, are certain to forbid the same canonical
// paths (IsCanonical) by the same lines, apart from /robots.txt, on which dialects differ. It may
// return false for machines that agree. An audit calls it once per crawler and copy of robots.txt,
// so that judging by two dialects is as fast as by one.
func (m *Machine) Agrees(o *Machine) bool {
	mine, others := m.deciding(), o.deciding()
	return slices.EqualFunc(mine, others, func(p, q []Rule) bool {
		return slices.EqualFunc(p, q, func(x, y Rule) bool {
			return x.AtEnd == y.AtEnd && x.Verdict == y.Verdict && x.Pattern == y.Pattern &&
				(len(mine) == 1 || x.Rank == y.Rank)
		})
	})
}

// deciding returns the rules of each non-empty part without trailing rules that allow and outrank
// no disallowing rule of any part: these change nothing but the line of a verdict.
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
