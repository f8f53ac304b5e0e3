package prove

// pair has the lengths of two patterns that a path must both match.
type pair struct {
	a, b    *pattern
	lengths []int32 // of each state of a, and matched, the lengths of each state of b, and matched
	steps   int     // that it took to find them
}

// maxPair is how many pairs of states are measured; of more, the longer of the two lengths is taken.
const maxPair = 20_000

// stepsOfState is how many steps take as long as to measure a pair of states, about.
const stepsOfState = 6

// newPair measures two patterns, of which each is measured.
func newPair(a, b *pattern) *pair {
	p := &pair{a: a, b: b}
	rows, columns := len(a.moves)+1, len(b.moves)+1
	if rows*columns > maxPair {
		return p
	}
	p.lengths = make([]int32, rows*columns)
	for i := range p.lengths {
		p.lengths[i] = never
	}
	p.lengths[len(p.lengths)-1] = 0
	for changed := true; changed; {
		changed = false
		p.steps += stepsOfState * len(p.lengths)
		for i := rows - 1; i >= 0; i-- {
			for j := columns - 1; j >= 0; j-- {
				x, y := stateOf(a, i), stateOf(b, j)
				if n := &p.lengths[i*columns+j]; a.length(x) < never && b.length(y) < never {
					least := p.least(x, y)
					changed = changed || least < *n
					*n = min(*n, least)
				}
			}
		}
	}
	return p
}

// stateOf returns the state with a number: the last stands for matched.
func stateOf(p *pattern, number int) state {
	if number == len(p.moves) {
		return matched
	}
	return state(number)
}

// length returns the least number of bytes after a state of each.
func (p *pair) length(x, y state) int32 {
	switch {
	case x == dead || y == dead:
		return never
	case p.lengths == nil || x == matched && y == matched:
		return max(p.a.length(x), p.b.length(y))
	case x == matched:
		x = state(len(p.a.moves))
	case y == matched:
		y = state(len(p.b.moves))
	}
	return p.lengths[int(x)*(len(p.b.moves)+1)+int(y)]
}

// least returns the length of two states by those of the states after them.
func (p *pair) least(x, y state) int32 {
	if p.a.atItsEnd(x) && p.b.atItsEnd(y) {
		return 0
	}
	m, n := p.a.movesFrom(x), p.b.movesFrom(y)
	least := 1 + p.length(m.other, n.other)
	i, j := 0, 0
	for i < len(m.list) || j < len(n.list) {
		u, to, other := units, m.other, n.other
		if i < len(m.list) {
			u = m.list[i].unit
		}
		if j < len(n.list) {
			u = min(u, n.list[j].unit)
		}
		if i < len(m.list) && m.list[i].unit == u {
			to = m.list[i].to
			i++
		}
		if j < len(n.list) && n.list[j].unit == u {
			other = n.list[j].to
			j++
		}
		least = min(least, u.length()+p.length(to, other))
	}
	return least
}
