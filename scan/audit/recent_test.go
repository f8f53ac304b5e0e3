package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// TestGuardRecent fails when a line of a crawler no longer finds its header and its target where the lines before
// it left them.
func TestGuardRecent(t *testing.T) {
	run := begin(t, newAuditor(t, robotsTxtBody, "http://example.com"))
	w, f := run.Worker(), byName(t, "combined")
	line := []byte(entry{target: "/public"}.String() + "\n")
	w.Chunk(f, nil, append(line, line...))
	for header, known := range w.agents {
		recent := &w.clients.recent[slotOf([]byte(header))%recentHeaders]
		if recent.header != header || recent.agent != known.agent {
			t.Errorf("%q is not found", header)
		}
	}
	target := w.target.recent
	if target == nil || !target.permits || target.binding == nil || target.kept == nil {
		t.Fatalf("the target is known as %+v", target)
	}
	clear(w.agents) // both are found without the maps
	clear(target.paths.Kept)
	kept := target.kept
	w.Chunk(f, nil, line)
	if len(w.agents) > 0 || w.target.recent != target || len(target.paths.Kept) > 0 || kept.N != 3 {
		t.Errorf("%d agents, %d targets were made anew, %d requests counted", len(w.agents), len(target.paths.Kept), kept.N)
	}
}

// TestSharedPlaces: headers and targets that share their places are not mixed up.
func TestSharedPlaces(t *testing.T) {
	alike := func(i int) string { return fmt.Sprintf("/%03d/%s", i, strings.Repeat("x", 39)) }
	if slotOf([]byte(alike(1))) != slotOf([]byte(alike(2))) {
		t.Fatal("they share none: choose other bytes that slotOf does not read")
	}
	run := begin(t, newAuditor(t, "User-agent: *\nDisallow: /00\n", "http://example.com"))
	w, f := run.Worker(), byName(t, "combined")
	var log strings.Builder
	const targets, rounds = 20, 3
	for range rounds {
		for i := range targets {
			fmt.Fprintln(&log, entry{target: alike(i)})
			fmt.Fprintln(&log, entry{target: "/", agent: "Mozilla/5.0" + alike(i)[1:] + "(compatible; GPTBot/1.2)"})
		}
	}
	w.Chunk(f, nil, []byte(log.String()))
	r := rowOf(resultOf(t, run), "GPTBot")
	if r.Verdicts[report.Violation] != 10*rounds || r.Verdicts[report.Allowed] != (10+targets)*rounds {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
	for _, p := range r.Paths.List {
		if p.Path != "/" && p.N != rounds {
			t.Errorf("%d requests for %s", p.N, p.Path)
		}
	}
}
