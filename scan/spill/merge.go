package spill

import (
	"errors"
	"math"
)

// merge returns the records of several runs in order. The next record is the least of those under the cursors: the winner
// of a knock-out tournament, of which only the matches of the last winner's cursor are played again.
//
// Records are hardly ever compared. A loser is kept with the number of bytes it shares with the record it lost to. When the
// winner is taken out, all that lost to it, and the next record of its run, are not less than it. Of two such records, the one
// that shares more bytes with it is the less, because where the other differs, it still equals the winner. Only if both
// share the same number are the bytes behind that compared. The next record of a run says itself how many bytes it shares with the winner.
// (This is the LCP loser tree of Bingmann, Eberle and Sanders: Engineering parallel string sorting, 2017.)
type merge struct {
	rec    []byte // the record; valid until next
	shared int    // bytes it shares with the record before
	n      int64  // of all runs
	err    error  // why next returned false; nil at the end

	stop  func() error // if not nil, it is called every stopEvery records, and its error ends them
	until int          // records until the next call

	cursors []*cursor
	tree    []player // losers of the matches; match 1 is the final, and tree[0] its winner
}

// player is a cursor in the tree.
type player struct {
	cursor int32
	shared int32 // bytes that its record shares with the one it lost to (the winner's: with the last record taken out); -1 at its end
}

// newMerge reads the first record of each run.
func newMerge(runs []*run) (*merge, error) {
	k := len(runs)
	m := &merge{cursors: make([]*cursor, k), tree: make([]player, max(k, 1))}
	m.tree[0].shared = -1
	winners := make([]player, 2*k)
	for i, r := range runs {
		m.cursors[i] = &cursor{run: r, off: r.off}
		shared, err := m.cursors[i].next()
		if err != nil {
			return nil, err
		}
		winners[k+i] = player{int32(i), int32(shared)} // with the empty record before all
	}
	for i := k - 1; i > 0; i-- {
		winners[i], m.tree[i] = m.play(winners[2*i], winners[2*i+1])
	}
	if k > 0 {
		m.tree[0] = winners[1]
	}
	return m, nil
}

// play returns the winner and the loser of a match.
func (m *merge) play(a, b player) (winner, loser player) {
	switch {
	case a.shared > b.shared:
		return a, b
	case a.shared < b.shared:
		return b, a
	case a.shared < 0:
		return a, b
	}
	x, y := m.cursors[a.cursor].rec, m.cursors[b.cursor].rec
	h := common(x, y, int(a.shared))
	if h == len(x) || h < len(y) && x[h] < y[h] {
		b.shared = int32(h)
		return a, b
	}
	a.shared = int32(h)
	return b, a
}

var errOverflow = errors.New("spill: a record was counted more often than fits into 63 bits")

const stopEvery = 1 << 12

// next goes to the next record.
func (m *merge) next() bool {
	w := m.tree[0]
	if m.err != nil || w.shared < 0 {
		return false
	}
	if m.until--; m.until < 0 && m.stop != nil {
		if m.err = m.stop(); m.err != nil {
			return false
		}
		m.until = stopEvery
	}
	m.rec = append(m.rec[:0], m.cursors[w.cursor].rec...)
	m.shared, m.n = int(w.shared), 0
	for {
		n := m.cursors[w.cursor].n
		if n > math.MaxInt64-m.n {
			m.err = errOverflow
			return false
		}
		m.n += n
		if m.err = m.advance(w.cursor); m.err != nil {
			return false
		}
		w = m.tree[0]
		if int(w.shared) != len(m.rec) || len(m.cursors[w.cursor].rec) != len(m.rec) {
			return true
		}
	}
}

// advance moves the cursor that won and plays its matches again.
func (m *merge) advance(cursor int32) error {
	shared, err := m.cursors[cursor].next()
	if err != nil {
		return err
	}
	w := player{cursor, int32(shared)}
	for i := (int(cursor) + len(m.cursors)) / 2; i > 0; i /= 2 {
		w, m.tree[i] = m.play(w, m.tree[i])
	}
	m.tree[0] = w
	return nil
}
