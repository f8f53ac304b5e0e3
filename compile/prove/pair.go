package prove

import "slices"

// pair measures two patterns that a path must both match.
type pair struct {
	a, b    *pattern
	lengths []int32 // for each state of a, the lengths of each state of b; nil if there are too many
	steps   int     // number of steps used for them
}

// maxPair limits the pairs of states that are measured. Beyond it, the longer of the two lengths is
// used. It also applies to patterns without a gap, where a path can continue in only one way until
// it has matched.
const maxPair = 20_000

// stepsOfState is the approximate cost of measuring a pair of states, in steps.
const stepsOfState = 6

// newPair measures two patterns, each of which has been measured.
func newPair(a, b *pattern) *pair {
	p := &pair{a: a, b: b}
	if len(a.moves)*len(b.moves) > maxPair || len(a.segments) == 1 || len(b.segments) == 1 {
		return p
	}
	p.lengths = slices.Repeat([]int32{never}, len(a.moves)*len(b.moves))
	for changed := true; changed; {
		changed = false
		p.steps += stepsOfState * len(p.lengths)
		for x := a.matched; x >= 0; x-- {
			for y := b.matched; y >= 0; y-- {
				if least := p.least(x, y); least < p.length(x, y) {
					p.lengths[int(x)*len(b.moves)+int(y)], changed = least, true
				}
			}
		}
	}
	return p
}

// length returns the least number of bytes that must follow a state of each.
func (p *pair) length(x, y state) int32 {
	if p.lengths == nil {
		return max(p.a.lengths[x], p.b.lengths[y])
	}
	return p.lengths[int(x)*len(p.b.moves)+int(y)]
}

// least returns the length of two states, given the lengths of the following states.
func (p *pair) least(x, y state) int32 {
	if p.a.atItsEnd(x) && p.b.atItsEnd(y) {
		return 0
	}
	m, n := p.a.from(x), p.b.from(y)
	least := 1 + p.length(m.other, n.other)
	for _, to := range m.list {
		least = min(least, to.unit.length()+p.length(to.to, n.to(to.unit)))
	}
	for _, to := range n.list {
		least = min(least, to.unit.length()+p.length(m.to(to.unit), to.to))
	}
	return least
}
