package audit

import (
	"cmp"
	"slices"
)

// Bounds of the lists of a report. A log may have each known crawler, and any number of unknown
// ones, violate each rule of each origin: no list may grow with both. What is listed depends on
// neither the memory nor the workers of an audit.
const (
	maxUnknownListed = 1000 // unknown crawlers (audit-rules 7)
	maxNameRules     = 256  // rules of each of them
	maxRules         = 4096 // rules of a known crawler: those of the most violations, if it broke at most as many
	maxDelays        = 1024 // sites of a crawler with a Crawl-delay
	maxSampleBytes   = 256 << 10

	// The bounds for all known crawlers together, and for all unknown ones.
	allRules       = 1 << 15
	allDelays      = 1 << 13
	allSampleBytes = 4 << 20
	allPaths       = 1 << 14 // targets, whose requests are counted one by one if all are kept
)

// lists are the lists of a row: how long each is, and how it is made shorter, and how long those
// of several rows may be together.
var lists = [...]struct {
	all    int
	length func(*row) int
	cut    func(r *row, most int)
}{
	{allRules, func(r *row) int { return r.rules.len() }, (*row).cutRules},
	{allDelays, func(r *row) int { return len(r.delays) }, (*row).cutDelays},
	{allSampleBytes, func(r *row) int { return r.samples.bytes }, func(r *row, most int) { r.samples.cut(most) }},
	{
		allPaths, func(r *row) int { return len(r.Figures.Paths.Kept) },
		func(r *row, most int) { r.Figures.Paths.cut(min(most, r.Figures.Paths.paths)) },
	},
}

// cutLists makes the lists of several rows as long as there is room for: the longest ones become
// equally long.
func cutLists(rows []*row) {
	for _, list := range lists {
		lengths := make([]int, len(rows))
		for i, r := range rows {
			lengths[i] = list.length(r)
		}
		most := fairShare(lengths, list.all)
		for _, r := range rows {
			list.cut(r, most)
		}
	}
}

// fairShare returns the largest number with which the lengths, each cut to it, are together at
// most all. It sorts the lengths.
func fairShare(lengths []int, all int) int {
	slices.Sort(lengths)
	for i, n := range lengths {
		if left := len(lengths) - i; n > all/left {
			return all / left
		}
		all -= n
	}
	return maxRules + maxDelays + maxSampleBytes
}

// violate counts n violations of a rule.
func (r *row) violate(k ruleKey, n int64) {
	if r.rules == nil {
		r.rules = newBounded(maxRules, hashRule)
	}
	r.rules.add(k, tallied{N: n})
}

func hashRule(k ruleKey) uint64 {
	h := mix(uint64(uint32(k.at.First))<<32 | uint64(uint32(k.at.N)))
	return mix(h ^ uint64(uint32(k.version))<<32 ^ uint64(k.line))
}

// cutRules keeps so many rules, those that were violated most often, and counts the violations
// of all others together.
func (r *row) cutRules(most int) {
	if r.rules.len() <= most {
		return
	}
	of := func(k ruleKey) int64 { return r.rules.Kept[k].N }
	keys := make([]ruleKey, 0, len(r.rules.Kept))
	for k := range r.rules.Kept {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y ruleKey) int {
		return cmp.Or(cmp.Compare(of(y), of(x)), cmp.Compare(x.at.First, y.at.First), cmp.Compare(x.at.N, y.at.N),
			cmp.Compare(x.version, y.version), cmp.Compare(x.line, y.line))
	})
	kept := make(map[ruleKey]tallied, most) // a map of which much is deleted keeps its size
	for i, k := range keys {
		if i < most {
			kept[k] = r.rules.Kept[k]
		} else {
			r.rules.Rest += of(k)
		}
	}
	r.rules.Kept = kept
}

// mergeRules adds the rules of another row.
func (r *row) mergeRules(other *row) {
	if other.rules == nil {
		return
	}
	if r.rules == nil {
		r.rules = newBounded(maxRules, hashRule)
	}
	r.rules.merge(other.rules)
}

// addDelay adds a measurement. Those of a row come in the order of their sites.
func (r *row) addDelay(d delayAt) {
	r.delays = append(r.delays, d)
	if len(r.delays) >= 2*maxDelays {
		r.cutDelays(maxDelays)
	}
}

// cutDelays keeps so many measurements, those of the most gaps.
func (r *row) cutDelays(most int) {
	if len(r.delays) <= most {
		return
	}
	bySite := func(x, y delayAt) int {
		return cmp.Or(cmp.Compare(x.at.First, y.at.First), cmp.Compare(x.at.N, y.at.N))
	}
	slices.SortFunc(r.delays, func(x, y delayAt) int { return cmp.Or(cmp.Compare(y.Gaps, x.Gaps), bySite(x, y)) })
	r.delaysNotListed += int64(len(r.delays) - most)
	r.delays = slices.Clone(r.delays[:most])
	slices.SortFunc(r.delays, bySite)
}
