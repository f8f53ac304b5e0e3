package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// kept returns the times and the beginnings of samples.
func kept(list []SampleInfo) (short []string) {
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
		if got := kept(auditEntries(t, a, log...).row("GPTBot").Samples); !slices.Equal(got, want) {
			t.Fatalf("%q\nwant %q", got, want)
		}
	}
}

// TestHowManySamples: as many as are asked for, each the line as it is, up to a length, also if it is there twice.
func TestHowManySamples(t *testing.T) {
	e := entry{target: "/private/\x1b[31m\xff" + strings.Repeat("x", 2*maxSample)}
	want := SampleInfo{"2026-03-02T10:00:00Z", e.String()[:maxSample]}
	for _, n := range []int{0, 1, 5, 100} {
		a := newAuditor(t, robotsTxtBody)
		a.config.Samples = n
		got := auditEntries(t, a, slices.Repeat([]entry{e}, 10)...).row("GPTBot").Samples
		if !slices.Equal(got, slices.Repeat([]SampleInfo{want}, min(n, 10))) {
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

// TestNothingKeepsAViewOfTheChunk: chunks are overwritten as soon as they are
// counted.
func TestNothingKeepsAViewOfTheChunk(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	f := byName(t, "vhost_combined")
	rng := rand.New(rand.NewPCG(8, 8))
	safeRun, poisonedRun := begin(t, a), begin(t, a)
	safe, poisoned := safeRun.Worker(), poisonedRun.Worker()
	for range 10 {
		lines := messyLog(rng, 300, true)
		for i := range 20 { // new names and hosts in each chunk
			lines = append(lines, entry{vhost: fmt.Sprintf("h%d.example", rng.IntN(1000)),
				agent: fmt.Sprintf("N%d-Bot", i)}.String(),
				entry{vhost: "example.com", agent: fmt.Sprintf("N%d-Bot", rng.IntN(1000)), target: "/private/"}.String(),
				entry{target: fmt.Sprintf("https://u%d.example/", rng.IntN(1000)), vhost: "x"}.String())
		}
		chunk := []byte(strings.Join(lines, "\n"))
		safe.Chunk(f, nil, slices.Clone(chunk))
		poisoned.Chunk(f, nil, chunk)
		for i := range chunk {
			chunk[i] = 0xff
		}
	}
	want, got := marshal(t, report(t, safeRun)), marshal(t, report(t, poisonedRun))
	if got != want {
		t.Error(firstDifference(got, want))
	}
}
