package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

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
