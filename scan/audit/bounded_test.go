package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// smallest returns the keys of counts that a bounded map of a limit is to keep,
// with their counts, and the sum of all other counts.
func smallest[K comparable](counts map[K]int64, limit int, hash func(K) uint64) (kept map[K]int64, rest int64) {
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y K) int { return cmp.Compare(hash(x), hash(y)) })
	kept = map[K]int64{}
	for _, k := range keys {
		if len(keys) <= limit || hash(k) < hash(keys[limit]) {
			kept[k] = counts[k]
		} else {
			rest += counts[k]
		}
	}
	return kept, rest
}

// hashes are of names: that of the package, and one as it is for somebody who
// looks for names that collide.
var hashes = map[string]func(string) uint64{
	"hashString":           hashString,
	"a hash that collides": func(s string) uint64 { return hashString(s)>>61 + 1 },
}

// TestBounded: in any order, over any partition, merged in any order, what is kept
// are the keys with the smallest hashes, with exact counts.
func TestBounded(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for name, hash := range hashes {
		for round := range rounds {
			rng := rand.New(rand.NewPCG(6, uint64(round)))
			const limit = 4
			a := &Auditor{}
			tallies := make([]*Tally, 1+rng.IntN(4))
			for i := range tallies {
				tallies[i] = a.newTally()
				tallies[i].hosts = newBounded[string, int64](limit, hash)
			}
			counts := map[string]int64{}
			distinct := 1 + rng.IntN(40)
			for range rng.IntN(100) {
				host := fmt.Sprint(rng.IntN(distinct))
				counts[host]++
				part := tallies[rng.IntN(len(tallies))]
				part.addHost(host, 1)
				if n := len(part.hosts.kept); n > 2*limit {
					t.Fatalf("%s, round %d: %d keys kept with a limit of %d", name, round, n, limit)
				}
			}
			all := mergeAll(rng, tallies)
			all.hosts.prune(1, all.foldHost)
			kept, rest := smallest(counts, limit, hash)
			if !maps.Equal(all.hosts.kept, kept) || all.hostRest != rest {
				t.Fatalf("%s, round %d: kept %v and %d others of %v, want %v and %d",
					name, round, all.hosts.kept, all.hostRest, counts, kept, rest)
			}
		}
	}
}

// mergeAll merges tallies in any order.
func mergeAll(rng *rand.Rand, tallies []*Tally) *Tally {
	for len(tallies) > 1 {
		rng.Shuffle(len(tallies), func(i, j int) { tallies[i], tallies[j] = tallies[j], tallies[i] })
		last := len(tallies) - 1
		tallies[0].merge(tallies[last])
		tallies = tallies[:last]
	}
	return tallies[0]
}

// TestBoundedNamesAndTheirRules is TestBounded for names of which each has a
// bounded map itself. The names that are not kept are one row.
func TestBoundedNamesAndTheirRules(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for name, hash := range hashes {
		for round := range rounds {
			checkNames(t, fmt.Sprintf("%s, round %d", name, round), rand.New(rand.NewPCG(7, uint64(round))), hash)
		}
	}
}

func checkNames(t *testing.T, what string, rng *rand.Rand, hash func(string) uint64) {
	t.Helper()
	const maxNames, maxRules = 4, 3
	a := &Auditor{}
	tallies := make([]*Tally, 1+rng.IntN(4))
	for i := range tallies {
		tallies[i] = a.newTally()
		tallies[i].unknown = newBounded[string, *row](maxNames, hash)
		tallies[i].others.rules.limit = maxRules
	}
	requests := map[string]int64{}
	rules := map[string]map[ruleKey]int64{}
	distinct, lines := 1+rng.IntN(30), 1+rng.IntN(20)
	for range rng.IntN(200) {
		name := fmt.Sprint(rng.IntN(distinct))
		rule := ruleKey{line: uint32(1 + rng.IntN(lines))}
		requests[name]++
		if rules[name] == nil {
			rules[name] = map[ruleKey]int64{}
		}
		rules[name][rule]++
		// As Worker.bind and Worker.request do.
		part := tallies[rng.IntN(len(tallies))]
		part.prune(2)
		r := part.rowOf(crawler.Claim{Name: name})
		if r.requests == 0 {
			r.rules.limit = maxRules
		}
		r.requests++
		r.addRule(rule, 1)
	}
	all := mergeAll(rng, tallies)
	all.prune(1)
	kept, rest := smallest(requests, maxNames, hash)
	if all.others.requests != rest || len(all.unknown.kept) != len(kept) {
		t.Fatalf("%s: %d names and %d requests of others, want %d and %d",
			what, len(all.unknown.kept), all.others.requests, len(kept), rest)
	}
	others := map[ruleKey]int64{}
	for name, n := range requests {
		r := all.unknown.kept[name]
		if _, want := kept[name]; want != (r != nil) {
			t.Fatalf("%s: %s kept: %v, want %v", what, name, r != nil, want)
		}
		if r == nil {
			for k, n := range rules[name] {
				others[k] += n
			}
			continue
		}
		if r.requests != n {
			t.Fatalf("%s: %d requests of %s, want %d", what, r.requests, name, n)
		}
		checkRules(t, what+": "+name, r, rules[name], maxRules)
	}
	checkRules(t, what+": others", all.others, others, maxRules)
}

func checkRules(t *testing.T, what string, r *row, counts map[ruleKey]int64, limit int) {
	t.Helper()
	r.rules.limit = limit // also of a row that a merge has made
	r.rules.prune(1, r.foldRule)
	kept, rest := smallest(counts, limit, hashRule)
	if !maps.Equal(r.rules.kept, kept) || r.ruleRest != rest {
		t.Fatalf("%s: rules %v and %d others, want %v and %d", what, r.rules.kept, r.ruleRest, kept, rest)
	}
}

// TestHashesAreFixed: what they decide must be the same on every machine and in
// every version.
func TestHashesAreFixed(t *testing.T) {
	for s, want := range map[string]uint64{"": 0xf52a15e9a9b5e89b, "acmebot": 0x1f5d1bf1ea97a68e} {
		if got := hashString(s); got != want {
			t.Errorf("hash of %q: %#x, want %#x", s, got, want)
		}
	}
	if got := hashRule(ruleKey{origin: 1, version: 2, line: 3}); got != 0x830e818980e487fd {
		t.Errorf("hash of a rule: %#x, want %#x", got, uint64(0x830e818980e487fd))
	}
	if mix(0) == 0 {
		t.Error("a hash is 0, which stands for no bar")
	}
}
