package spill

import (
	"bytes"
	"container/heap"
	"errors"
	"math"
)

// merge returns the records of several runs in order. A loser tree that compares only the bytes
// records do not share takes half the time, but an audit in which most records wait takes less than
// 3 per cent more with a heap.
type merge struct {
	rec    []byte // the record; valid until next
	shared int    // bytes it shares with the record before
	n      int64  // how often it was added, in all runs
	err    error  // why next returned false; nil at the end

	stop      func() error // called every stopEvery records
	untilStop int          // records until the next call

	cursors cursors // a heap, the least record first
}

type cursors []*cursor

func (cs cursors) Len() int           { return len(cs) }
func (cs cursors) Less(i, j int) bool { return bytes.Compare(cs[i].rec, cs[j].rec) < 0 }
func (cs cursors) Swap(i, j int)      { cs[i], cs[j] = cs[j], cs[i] }
func (cs *cursors) Push(x any)        { *cs = append(*cs, x.(*cursor)) }

func (cs *cursors) Pop() any {
	last := len(*cs) - 1
	c := (*cs)[last]
	*cs = (*cs)[:last]
	return c
}

// newMerge reads the first record of each run. A stop that is not nil ends the merge when it
// returns an error.
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
	heap.Init(&m.cursors)
	return m, nil
}

var errOverflow = errors.New("spill: a record was counted more often than fits into 63 bits")

const stopEvery = 1 << 12

// next goes to the next record. It returns false at the end and after an error.
func (m *merge) next() bool {
	if m.err != nil || len(m.cursors) == 0 {
		return false
	}
	if m.untilStop--; m.untilStop < 0 && m.stop != nil {
		if m.err = m.stop(); m.err != nil {
			return false
		}
		m.untilStop = stopEvery
	}
	rec := m.cursors[0].rec
	m.shared = common(m.rec, rec, 0)
	m.rec = append(m.rec[:m.shared], rec[m.shared:]...)
	m.n = 0
	for len(m.cursors) > 0 && bytes.Equal(m.cursors[0].rec, m.rec) {
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
		case more:
			heap.Fix(&m.cursors, 0)
		default:
			heap.Pop(&m.cursors)
		}
	}
	return true
}
