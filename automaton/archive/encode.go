package archive

import (
	"encoding/binary"
	"math"

	"github.com/robotsieve/robotsieve/automaton"
)

// encoder encodes rulesets one at a time. It numbers the lists and machines of a ruleset in the order in which its
// agents refer to them.
type encoder struct {
	lists    [][]automaton.Rule
	listOf   map[*automaton.Rule]uint64    // the number of a list, by its first rule
	machines [][]uint64                    // the numbers of each machine's lists
	machine  map[*automaton.Machine]uint64 // the number of a machine
	rules    int
	out      []byte
}

func newEncoder() *encoder {
	return &encoder{listOf: map[*automaton.Rule]uint64{}, machine: map[*automaton.Machine]uint64{}}
}

func (e *encoder) reset() {
	clear(e.listOf)
	clear(e.machine)
	*e = encoder{lists: e.lists[:0], listOf: e.listOf, machines: e.machines[:0], machine: e.machine, out: e.out[:0]}
}

// encode returns the encoded ruleset without a checksum. The bytes are valid until the next call.
func (e *encoder) encode(r *automaton.Ruleset) []byte {
	e.reset()
	for _, a := range r.Agents() {
		e.add(a.Machine)
	}
	if m := r.Wildcard(); m != nil {
		e.add(m)
	}
	e.out = append(e.out, byte(r.Dialect()))
	for _, n := range []int{e.rules, len(e.lists), len(e.machines), len(r.Agents())} {
		e.uvarint(uint64(n))
	}
	for _, list := range e.lists {
		e.list(list)
	}
	for _, lists := range e.machines {
		e.uvarint(uint64(len(lists)))
		for _, n := range lists {
			e.uvarint(n)
		}
	}
	for _, a := range r.Agents() {
		e.text(a.Token)
		e.uvarint(e.machine[a.Machine])
	}
	wildcard := uint64(0)
	if m := r.Wildcard(); m != nil {
		wildcard = e.machine[m] + 1
	}
	e.uvarint(wildcard)
	return e.out
}

// add numbers a machine and its lists, unless it is already known.
func (e *encoder) add(m *automaton.Machine) {
	if _, known := e.machine[m]; known {
		return
	}
	e.machine[m] = uint64(len(e.machines))
	lists := m.Lists()
	numbers := make([]uint64, 0, len(lists))
	for _, list := range lists {
		if len(list) == 0 {
			continue
		}
		n, known := e.listOf[&list[0]]
		if !known {
			n = uint64(len(e.lists))
			e.listOf[&list[0]] = n
			e.lists = append(e.lists, list)
			e.rules += len(list)
		}
		numbers = append(numbers, n)
	}
	e.machines = append(e.machines, numbers)
}

// list writes a list of rules, each as the difference from its predecessor.
func (e *encoder) list(list []automaton.Rule) {
	e.uvarint(uint64(len(list)))
	before := &automaton.Rule{}
	for i := range list {
		r := &list[i]
		flags := byte(r.Form) & maskForm << shiftForm
		if r.AtEnd {
			flags |= flagAtEnd
		}
		if r.Verdict.Disallowed {
			flags |= flagDisallowed
		}
		low := uint32(r.Rank & math.MaxUint32)
		if low == ^r.Verdict.Line {
			flags |= flagLineRank
		}
		e.out = append(e.out, flags)
		e.step(uint32(before.Rank>>32), uint32(r.Rank>>32))
		if flags&flagLineRank == 0 {
			e.uvarint(uint64(low))
		}
		e.step(before.Verdict.Line, r.Verdict.Line)
		e.text(r.Pattern)
		before = r
	}
}

func (e *encoder) uvarint(v uint64) { e.out = binary.AppendUvarint(e.out, v) }

func (e *encoder) step(from, to uint32) {
	e.out = binary.AppendVarint(e.out, int64(to)-int64(from))
}

func (e *encoder) text(s string) {
	e.uvarint(uint64(len(s)))
	e.out = append(e.out, s...)
}
