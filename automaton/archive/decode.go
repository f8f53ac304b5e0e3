package archive

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/robotsieve/robotsieve/automaton"
)

var errRuleset = errors.New("damaged: not a ruleset")

// decode makes a ruleset of its bytes, of which its strings are views. Lists of no more
// than most rules have no table; waits tells whether they might have.
func decode(blob []byte, most int, table automaton.TableFunc) (r *automaton.Ruleset, waits bool, err error) {
	if len(blob) == 0 || !known(automaton.Dialect(blob[0])) {
		return nil, false, errRuleset
	}
	d := automaton.Dialect(blob[0])
	c := cursor{rest: blob[1:]}
	rules, lists, machines, agents := c.uvarint(), c.uvarint(), c.uvarint(), c.uvarint()
	// A rule takes four bytes at least, all else one.
	if n := uint64(len(c.rest)); rules > n/4 || lists > n || machines > n || agents > n {
		return nil, false, errRuleset
	}
	all := c.lists(make([][]automaton.Rule, lists), make([]automaton.Rule, rules))
	if c.bad {
		return nil, false, errRuleset
	}
	b, single, waits, err := build(d, all, most, table)
	if err != nil {
		return nil, false, err
	}
	made, err := c.machines(d, make([]*automaton.Machine, machines), single)
	if err != nil {
		return nil, false, err
	}
	bound := make([]automaton.Agent, agents)
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
		return nil, false, errRuleset
	}
	r, err = b.Ruleset(bound, wildcard)
	return r, waits, err
}

// cursor reads a ruleset from front to end. What it reads after it has become bad
// is zeros.
type cursor struct {
	rest []byte
	bad  bool
}

// uvarint reads a varint.
func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.rest, c.bad = nil, true
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// step reads a signed varint and adds it to a number of 32 bits.
func (c *cursor) step(from uint32) uint32 {
	v, n := binary.Varint(c.rest)
	if n <= 0 || v < -math.MaxUint32 || v > math.MaxUint32 {
		c.rest, c.bad = nil, true
		return 0
	}
	c.rest = c.rest[n:]
	if v += int64(from); v < 0 || v > math.MaxUint32 {
		c.rest, c.bad = nil, true
	}
	return uint32(v)
}

// below reads a varint that is less than n.
func (c *cursor) below(n uint64) uint64 {
	v := c.uvarint()
	if v >= n {
		c.rest, c.bad = nil, true
		return 0
	}
	return v
}

func (c *cursor) byte() byte {
	if len(c.rest) == 0 {
		c.bad = true
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// text reads a length and as many bytes.
func (c *cursor) text() string {
	n := c.uvarint()
	if n > uint64(len(c.rest)) {
		c.rest, c.bad = nil, true
		return ""
	}
	s := view(c.rest[:n])
	c.rest = c.rest[n:]
	return s
}

// lists fills the lists with the rules, all of which must be used.
func (c *cursor) lists(lists [][]automaton.Rule, rules []automaton.Rule) [][]automaton.Rule {
	for i := range lists {
		n := c.uvarint()
		if n > uint64(len(rules)) {
			c.bad = true
			return nil
		}
		list := rules[:n:n]
		rules = rules[n:]
		var high, line uint32
		for j := range list {
			c.rule(&list[j], high, line)
			high, line = uint32(list[j].Rank>>32), list[j].Verdict.Line
		}
		lists[i] = list
	}
	c.bad = c.bad || len(rules) > 0
	return lists
}

// rule reads a rule. high and line are of the rule before.
func (c *cursor) rule(r *automaton.Rule, high, line uint32) {
	flags := c.byte()
	high = c.step(high)
	low := uint64(0)
	if flags&flagLineRank == 0 {
		low = c.below(1 << 32)
	}
	line = c.step(line)
	if flags&flagLineRank != 0 {
		low = uint64(^line)
	}
	c.bad = c.bad || flags >= flagsEnd
	r.Rank = uint64(high)<<32 | low
	r.Anchored = flags&flagAnchored != 0
	r.Form = automaton.Form(flags >> shiftForm & maskForm)
	r.Verdict = automaton.Verdict{Line: line, Disallowed: flags&flagDisallowed != 0}
	r.Pattern = c.text()
}

// build makes a machine of each list, see decode.
func build(d automaton.Dialect, lists [][]automaton.Rule, most int, table automaton.TableFunc) (
	b automaton.Builder, machines []*automaton.Machine, waits bool, err error) {
	untabled := 0
	for _, list := range lists {
		if table == nil || len(list) <= most {
			untabled += len(list)
		}
		waits = waits || tiny < len(list) && len(list) <= most
	}
	b = automaton.NewBuilder(d, len(lists), untabled)
	machines = make([]*automaton.Machine, len(lists))
	for i, list := range lists {
		of := table
		if len(list) <= most {
			of = nil
		}
		if machines[i], err = b.Machine(list, of); err != nil {
			return b, nil, false, err
		}
	}
	return b, machines, waits, nil
}

// machines reads which of the machines of single lists each machine shares.
func (c *cursor) machines(d automaton.Dialect, machines, single []*automaton.Machine) ([]*automaton.Machine, error) {
	for i := range machines {
		n := c.uvarint()
		if n > uint64(len(c.rest)) {
			return nil, errRuleset
		}
		parts := make([]*automaton.Machine, n)
		for j := range parts {
			number := c.below(uint64(len(single)))
			if c.bad {
				return nil, errRuleset
			}
			parts[j] = single[number]
		}
		if n == 1 {
			machines[i] = parts[0]
			continue
		}
		var err error
		if machines[i], err = automaton.Join(d, parts...); err != nil {
			return nil, err
		}
	}
	return machines, nil
}
