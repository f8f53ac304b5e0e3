package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestListsOfAllCrawlersAreBounded: however many crawlers violate however many rules, on
// however many sites, the lists of a report together have their bounds, all counts stay, and
// short lists are whole.
func TestListsOfAllCrawlersAreBounded(t *testing.T) {
	tally := (&Auditor{}).newTally()
	tally.samples = 1 << 20
	var rows []*row
	for i := range 60 {
		r := tally.newRow(fmt.Sprint("bot", i), unknownBounds)
		rows = append(rows, r)
		lines, sites := 3*maxRules, 3*maxDelays
		if i < 3 {
			lines, sites = 10, 10
		}
		for j := range lines {
			r.violate(ruleKey{line: uint32(j)}, 1)
			r.samples.add(int64(j), bytes.Repeat([]byte{'x'}, 500))
		}
		for j := range sites {
			r.addDelay(delayAt{policy.Site{First: int32(j), N: 1}, report.DelayInfo{Gaps: int64(j % 7)}})
		}
		if i%10 == 9 {
			cutLists(rows)
		}
	}
	rules, delays, sampled := 0, 0, 0
	for i, r := range rows {
		rules, delays, sampled = rules+r.rules.len(), delays+len(r.delays), sampled+r.samples.bytes
		n, sites := int64(3*maxRules), 3*maxDelays
		if i < 3 {
			n, sites = 10, 10
			if r.rules.len() != 10 || len(r.delays) != 10 || len(r.samples.Kept) != 10 {
				t.Errorf("%s: a short list was cut: %d, %d, %d", r.name, r.rules.len(), len(r.delays), len(r.samples.Kept))
			}
		}
		listed := r.rules.Rest
		for _, of := range r.rules.Kept {
			listed += of.N
		}
		if listed != n || int64(len(r.delays))+r.delaysNotListed != int64(sites) {
			t.Errorf("%s: %d violations and %d measurements, want %d and %d", r.name, listed,
				int64(len(r.delays))+r.delaysNotListed, n, sites)
		}
	}
	for _, of := range []struct{ n, most int }{{rules, allRules}, {delays, allDelays}, {sampled, allSampleBytes}} {
		if of.n > of.most || of.n < of.most*9/10 {
			t.Errorf("a list of %d, want at most %d and nearly as many", of.n, of.most)
		}
	}
}

// TestSamplesAreBoundedInBytes: which lines are quoted depends on the lines alone, also when
// not all that may be quoted have room.
func TestSamplesAreBoundedInBytes(t *testing.T) {
	var lines [][]byte
	for i := range 300 {
		lines = append(lines, bytes.Repeat([]byte{byte(i)}, 10+i*7%maxSample))
	}
	var want []sample
	for range 5 {
		s := samples{most: 1000}
		for _, i := range rand.Perm(len(lines)) {
			s.add(int64(i), lines[i])
		}
		if s.bytes > maxSampleBytes || len(s.Kept) < 200 {
			t.Fatalf("%d lines of %d bytes", len(s.Kept), s.bytes)
		}
		if want == nil {
			want = s.Kept
		}
		if !slices.EqualFunc(want, s.Kept, func(x, y sample) bool { return compareSamples(x, y) == 0 }) {
			t.Fatal("another order of lines gave other samples")
		}
	}
}
