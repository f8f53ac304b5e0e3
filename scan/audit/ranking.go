package audit

import (
	"cmp"
	"container/heap"
	"slices"
)

// ranking finds the most frequent of the unknown crawlers, whose rows it is given one
// by one, and makes one row of all others.
type ranking struct {
	best   []*row // a heap, the least frequent first
	others *row
}

// maxUnknownListed is how many unknown crawlers are listed (audit-rules 7).
const maxUnknownListed = 1000

func newRanking(t *tally) *ranking { return &ranking{others: t.newRow(OtherCrawlers)} }

// add adds the row of a crawler of which all has been counted; nil is none.
func (r *ranking) add(of *row) {
	if of == nil || of.requests == 0 {
		return
	}
	of.listRules()
	heap.Push(r, of)
	if len(r.best) > maxUnknownListed {
		r.others.merge(heap.Pop(r).(*row))
	}
}

// end returns the most frequent, in that order, and all others together.
func (r *ranking) end() (listed []*row, others *row) {
	slices.SortFunc(r.best, func(x, y *row) int { return compareRows(y, x) })
	r.others.listRules()
	return r.best, r.others
}

// compareRows compares how often crawlers have come; of two that have come equally
// often, the one whose name is first is taken to have come more often.
func compareRows(x, y *row) int {
	return cmp.Or(cmp.Compare(x.requests, y.requests), cmp.Compare(y.name, x.name))
}

// Len, Less, Swap, Push and Pop are heap.Interface.
func (r *ranking) Len() int           { return len(r.best) }
func (r *ranking) Less(i, j int) bool { return compareRows(r.best[i], r.best[j]) < 0 }
func (r *ranking) Swap(i, j int)      { r.best[i], r.best[j] = r.best[j], r.best[i] }
func (r *ranking) Push(x any)         { r.best = append(r.best, x.(*row)) }
func (r *ranking) Pop() any {
	last := r.best[len(r.best)-1]
	r.best = r.best[:len(r.best)-1]
	return last
}
