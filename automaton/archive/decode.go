package archive

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/robotsieve/robotsieve/automaton"
)

var errRuleset = errors.New("not a ruleset")

// decode makes a ruleset whose strings alias its bytes. Lists of at most most rules get no table; waits reports
// whether one of them might get one later. size is the approximate memory of the lists and tables in bytes.
func decode(blob []byte, most int) (r *automaton.Ruleset, size int64, waits bool, err error) {
	c := cursor{rest: blob}
	d := automaton.Dialect(c.byte())
	rules, lists, machines, agents := c.uvarint(), c.uvarint(), c.uvarint(), c.uvarint()
	// A rule takes at least four bytes, everything else at least one.
	if n := uint64(len(c.rest)); c.bad || !d.Known() || rules > n/4 || lists > n || machines > n || agents > n {
		return nil, 0, false, errRuleset
	}
	all := c.lists(make([][]automaton.Rule, lists), make([]automaton.Rule, rules))
	if c.bad {
		return nil, 0, false, errRuleset
	}
	b, single, waits, err := build(d, all, most)
	if err != nil {
		return nil, 0, false, err
	}
	for _, m := range single {
		size += m.Size()
	}
	made := make([]*automaton.Machine, machines)
	for i := range made {
		if made[i], err = c.machine(d, single); err != nil {
			return nil, 0, false, err
		}
	}
	bound := make([]automaton.TokenMachine, agents)
	for i := range bound {
		bound[i].Token = c.text()
		if m := c.below(machines); !c.bad {
			bound[i].Machine = made[m]
		}
	}
	var wildcard *automaton.Machine
	if m := c.below(machines + 1); m > 0 {
		wildcard = made[m-1]
	}
	if c.bad || len(c.rest) > 0 {
		return nil, 0, false, errRuleset
	}
	r, err = b.Ruleset(bound, wildcard)
	return r, size, waits, err
}

// cursor reads a ruleset from front to end. A bad cursor reads zeros.
type cursor struct {
	rest []byte
	bad  bool
}

// fail makes the cursor bad.
func (c *cursor) fail() { c.rest, c.bad = nil, true }

// next returns the next n bytes.
func (c *cursor) next(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail()
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if b := c.next(1); b != nil {
		return b[0]
	}
	return 0
}

// text reads a length and as many bytes.
func (c *cursor) text() string { return view(c.next(c.uvarint())) }

// uvarint reads a varint.
func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// step reads a signed varint and adds it to a number of 32 bits.
func (c *cursor) step(from uint32) uint32 {
	v, n := binary.Varint(c.rest)
	if n <= 0 || v < -math.MaxUint32 || v > math.MaxUint32 || v+int64(from) < 0 || v+int64(from) > math.MaxUint32 {
		c.fail()
		return 0
	}
	c.rest = c.rest[n:]
	return uint32(v + int64(from))
}

// below reads a varint that is less than n.
func (c *cursor) below(n uint64) uint64 {
	v := c.uvarint()
	if v >= n {
		c.fail()
		return 0
	}
	return v
}

// lists reads the rules of each list. The lists must use all rules.
func (c *cursor) lists(lists [][]automaton.Rule, rules []automaton.Rule) [][]automaton.Rule {
	for i := range lists {
		n := c.uvarint()
		if n > uint64(len(rules)) {
			c.fail()
			return nil
		}
		list := rules[:n:n]
		rules = rules[n:]
		before := &automaton.Rule{}
		for j := range list {
			c.rule(&list[j], before)
			before = &list[j]
		}
		lists[i] = list
	}
	if len(rules) > 0 {
		c.fail()
	}
	return lists
}

func (c *cursor) rule(r, before *automaton.Rule) {
	flags := c.byte()
	high, low := c.step(uint32(before.Rank>>32)), uint64(0)
	if flags&flagLineRank == 0 {
		low = c.below(1 << 32)
	}
	line := c.step(before.Verdict.Line)
	if flags&flagLineRank != 0 {
		low = uint64(^line)
	}
	if flags >= flagsEnd {
		c.fail()
	}
	r.Rank = uint64(high)<<32 | low
	r.AtEnd = flags&flagAtEnd != 0
	r.Form = automaton.Form(flags >> shiftForm & maskForm)
	r.Verdict = automaton.Verdict{Line: line, Disallowed: flags&flagDisallowed != 0}
	r.Pattern = c.text()
}

// build makes a machine from each list; see decode.
func build(d automaton.Dialect, lists [][]automaton.Rule, most int) (
	b automaton.Builder, machines []*automaton.Machine, waits bool, err error) {
	untabled := 0
	for _, list := range lists {
		if len(list) <= most {
			untabled += len(list)
		}
		waits = waits || tiny < len(list) && len(list) <= most
	}
	b = automaton.NewBuilder(d, len(lists), untabled)
	machines = make([]*automaton.Machine, len(lists))
	for i, list := range lists {
		engine := automaton.EngineAuto
		if len(list) <= most {
			engine = automaton.EngineList
		}
		if machines[i], err = b.Machine(list, engine); err != nil {
			return b, nil, false, err
		}
	}
	return b, machines, waits, nil
}

// machine reads the list numbers of a machine, and combines the machines of these lists.
func (c *cursor) machine(d automaton.Dialect, single []*automaton.Machine) (*automaton.Machine, error) {
	n := c.uvarint()
	if n > uint64(len(c.rest)) {
		return nil, errRuleset
	}
	parts := make([]*automaton.Machine, n)
	for i := range parts {
		if number := c.below(uint64(len(single))); !c.bad {
			parts[i] = single[number]
		}
	}
	if n == 1 {
		return parts[0], nil
	}
	return automaton.Join(d, parts...)
}
