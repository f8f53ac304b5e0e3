package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankingListsTheMostFrequent: in whatever order rows come, those listed are the
// ones with most requests, of equals the first by name; all others are one row with
// their sums, and of each the rules that were violated most often.
func TestRankingListsTheMostFrequent(t *testing.T) {
	a := &Auditor{}
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{0, 1, maxUnknownListed, maxUnknownListed + 1, maxUnknownListed + 500} {
		var rows []*row
		for i := range n {
			r := a.newTally().newRow(fmt.Sprintf("bot%04d", i), unknownBounds)
			r.Requests = 1 + rng.Int64N(20)
			r.Verdicts[Allowed] = r.Requests
			rows = append(rows, r)
		}
		want := slices.Clone(rows)
		slices.SortFunc(want, func(x, y *row) int {
			return cmp.Or(cmp.Compare(y.Requests, x.Requests),
				cmp.Compare(x.name, y.name))
		})
		rest := int64(0)
		for _, r := range want[min(n, maxUnknownListed):] {
			rest += r.Requests
		}
		rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		ranking := newRanking(a.newTally())
		for _, r := range rows {
			ranking.add(r)
		}
		ranking.add(nil)
		listed, others := ranking.end()
		if !slices.Equal(listed, want[:min(n, maxUnknownListed)]) || others.Requests != rest ||
			others.Verdicts[Allowed] != rest {
			t.Errorf("%d rows: %d listed, %d requests of others, want %d", n, len(listed), others.Requests, rest)
		}
	}
}

func TestListedRulesAreTheMostViolated(t *testing.T) {
	r := (&Auditor{}).newTally().newRow("bot", unknownBounds)
	sum := int64(0)
	for i := range 3 * maxNameRules {
		n := int64(1 + i%7)
		sum += n
		r.violate(ruleKey{line: uint32(i)}, n)
	}
	r.cutRules(maxNameRules)
	least, listed := int64(8), int64(0)
	for _, of := range r.rules.Kept {
		least, listed = min(least, of.N), listed+of.N
	}
	if r.rules.len() != maxNameRules || least < 5 || listed+r.rules.Rest != sum {
		t.Errorf("%d rules, of %d violations at least, %d and %d violations; want the sum %d", r.rules.len(), least, listed,
			r.rules.Rest, sum)
	}
}
