package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// Headers with a crawler's word that name no crawler are counted one by one, whoever reads the lines.
func TestOverlooked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	overlooked := []string{browser + " StashBot", "Reader/4.0(reader.example/robot.html)", "page crawler v0",
		"curl/8.0 mybot", strings.Repeat("a ", 200) + "bot", strings.Repeat("a ", 2000) + "bot"}
	for i := range 30 {
		overlooked = append(overlooked, fmt.Sprintf("Mozilla/5.0 (compatible; Reader%d; http://r.example/bot-info.html)", i))
	}
	others := []string{gptbot, acmebot, browser, "curl/8.0",
		"Mozilla/5.0 (Linux; Android 9; CUBOT_X18) AppleWebKit/537.36 Mobile Safari/537.36"}
	n, all, lines := map[string]int64{}, int64(0), []string(nil)
	for range 3000 {
		header := others[rng.IntN(len(others))]
		if i := rng.IntN(2 * len(overlooked)); i < len(overlooked) {
			header = overlooked[i*i/len(overlooked)]
			key := header
			if len(key) > 255 {
				key = key[:255] + " (longer than 255 bytes)"
			}
			n[key], all = n[key]+1, all+1
		}
		lines = append(lines, entry{agent: header}.String())
	}
	var want []report.HeaderInfo
	for header, requests := range n {
		want = append(want, report.HeaderInfo{Header: header, Requests: requests})
	}
	slices.SortFunc(want, func(x, y report.HeaderInfo) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Header, y.Header))
	})
	for workers := 1; workers < 4; workers++ {
		r := auditSplit(t, newAuditor(t, robotsTxtBody), byName(t, "combined"), rng, lines, workers)
		if !slices.Equal(r.Overlooked, want[:10]) || r.AllOverlooked() != all {
			t.Errorf("%d workers: %d, %v, want %d, %v", workers, r.AllOverlooked(), r.Overlooked, all, want[:10])
		}
	}
}

// A client may send a new header with each request: as many as are kept were chosen by their hashes.
func TestOverlookedIsBounded(t *testing.T) {
	rng, lines := rand.New(rand.NewPCG(3, 6)), []string(nil)
	for i := range 4 * maxHeaders {
		lines = append(lines, entry{agent: fmt.Sprintf("a bot%d", i)}.String())
	}
	first := auditSplit(t, newAuditor(t, robotsTxtBody), byName(t, "combined"), rng, lines, 1)
	second := auditSplit(t, newAuditor(t, robotsTxtBody), byName(t, "combined"), rng, lines, 3)
	if !slices.Equal(first.Overlooked, second.Overlooked) || first.AllOverlooked() != 4*maxHeaders {
		t.Errorf("%d of %v and %v", first.AllOverlooked(), first.Overlooked, second.Overlooked)
	}
	if !slices.ContainsFunc(first.Warnings, func(w string) bool { return strings.Contains(w, "crawler's word") }) {
		t.Errorf("no warning among %q", first.Warnings)
	}
}
