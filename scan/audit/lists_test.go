package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestListsOfAllCrawlersAreBounded: however many crawlers violate however many rules, on
// however many sites, the lists of a report together have their bounds, all counts stay, and
// short lists are whole.
func TestListsOfAllCrawlersAreBounded(t *testing.T) {
	tally := (&Auditor{config: Config{Samples: 1 << 20}}).newTally()
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

// kept returns the times and the beginnings of samples.
func kept(list []report.SampleInfo) (short []string) {
	for _, s := range list {
		short = append(short, s.Time[11:19]+" "+s.Line[strings.Index(s.Line, `"GET`)+5:][:12])
	}
	return short
}

func TestSamplesAreTheFirstByTimeThenByBytes(t *testing.T) {
	log := []entry{
		{target: "/private/d", time: at(9)},
		{target: "/private/c", time: at(5)},
		{target: "/private/b", time: at(7)},
		{target: "/private/a", time: at(7)},
		{target: "/private/e", time: at(8)},
		{target: "/public/00", time: at(1)},                        // no violation
		{target: "/private/f", time: "-"},                          // nor this
		{target: "/private/g", time: at(2), agent: googlebot},      // of another crawler
		{target: "/private/h", time: "02/Mar/2026:12:00:06 +0200"}, // 10:00:06 in UTC
	}
	a := newAuditor(t, robotsTxtBody)
	want := []string{"10:00:05 /private/c H", "10:00:06 /private/h H", "10:00:07 /private/a H"}
	for range 20 {
		rand.Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
		if got := kept(rowOf(auditEntries(t, a, log...), "GPTBot").Samples); !slices.Equal(got, want) {
			t.Fatalf("%q\nwant %q", got, want)
		}
	}
}

// TestHowManySamples: as many as are asked for, each the line as it is, up to a length, also if it
// is there twice.
func TestHowManySamples(t *testing.T) {
	e := entry{target: "/private/\x1b[31m\xff" + strings.Repeat("x", 2*maxSample)}
	want := report.SampleInfo{Time: "2026-03-02T10:00:00Z", Line: e.String()[:maxSample]}
	for _, n := range []int{0, 1, 5, 100} {
		a := newAuditor(t, robotsTxtBody)
		a.config.Samples = n
		got := rowOf(auditEntries(t, a, slices.Repeat([]entry{e}, 10)...), "GPTBot").Samples
		if !slices.Equal(got, slices.Repeat([]report.SampleInfo{want}, min(n, 10))) {
			t.Errorf("%d samples where %d were asked for: %.100q", len(got), n, got)
		}
	}
}

func TestUnparsedSamplesAreTheSmallest(t *testing.T) {
	lines := []string{"b", "e", "d", "\x00", "g", "c", "f", strings.Repeat("a", 2*maxSample)}
	want := fmt.Sprintf("%q", []string{"\x00", strings.Repeat("a", maxSample), "b", "c", "d"})
	for range 20 {
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		r := auditText(t, newAuditor(t, robotsTxtBody), "combined", strings.Join(lines, "\n"))
		if got := fmt.Sprintf("%q", r.UnparsedSamples); got != want {
			t.Fatalf("%.100s\nwant %.100s", got, want)
		}
	}
}
