package spill

import (
	"bytes"
	"errors"
	"math"
)

// merge returns the records of several runs in order. A loser tree that compares only the bytes
// records do not share takes half the time, but an audit in which most records wait takes less than
// 3 per cent more with a heap.
type merge struct {
	rec    []byte // the record; valid until next
	shared int    // bytes shared with the previous record
	n      int64  // its count in all runs
	err    error  // the error that ended iteration; nil at the end

	stop      func() error // called every stopEvery records
	untilStop int          // records until the next call

	cursors cursors
}

// cursors is a heap with the smallest record first.
type cursors []*cursor

// fix moves a cursor down to its place after its record has become greater.
func (cs cursors) fix(at int) {
	moved := cs[at]
	for {
		child := 2*at + 1
		if child >= len(cs) {
			break
		}
		if child+1 < len(cs) && cs[child+1].before(cs[child]) {
			child++
		}
		if !cs[child].before(moved) {
			break
		}
		cs[at], at = cs[child], child
	}
	cs[at] = moved
}

// before reports whether the record of a cursor sorts before the record of another.
func (c *cursor) before(o *cursor) bool { return bytes.Compare(c.rec, o.rec) < 0 }

// newMerge reads the first record of each run. If stop isn't nil, the merge ends when stop returns
// an error.
func newMerge(runs []*run, stop func() error) (*merge, error) {
	m := &merge{stop: stop}
	for _, r := range runs {
		c := &cursor{run: r, off: r.off}
		more, err := c.next()
		if err != nil {
			return nil, err
		}
		if more {
			m.cursors = append(m.cursors, c)
		}
	}
	for at := len(m.cursors)/2 - 1; at >= 0; at-- {
		m.cursors.fix(at)
	}
	return m, nil
}

var errOverflow = errors.New("spill: a record was counted more often than fits into 63 bits")

const stopEvery = 1 << 12

// next advances to the next record. It returns false at the end and after an error.
func (m *merge) next() bool {
	if m.err != nil || len(m.cursors) == 0 {
		return false
	}
	m.untilStop--
	if m.untilStop < 0 && m.stop != nil {
		if m.err = m.stop(); m.err != nil {
			return false
		}
		m.untilStop = stopEvery
	}
	rec := m.cursors[0].rec
	m.shared = common(m.rec, rec, 0)
	m.rec = append(m.rec[:m.shared], rec[m.shared:]...)
	m.n = 0
	for same := true; same; same = len(m.cursors) > 0 && bytes.Equal(m.cursors[0].rec, m.rec) {
		c := m.cursors[0]
		if c.n > math.MaxInt64-m.n {
			m.err = errOverflow
			return false
		}
		m.n += c.n
		more, err := c.next()
		switch {
		case err != nil:
			m.err = err
			return false
		case !more:
			last := len(m.cursors) - 1
			m.cursors[0] = m.cursors[last]
			m.cursors = m.cursors[:last]
		}
		if len(m.cursors) > 1 {
			m.cursors.fix(0)
		}
	}
	return true
}
