package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The table of sites has what the single requests say, whoever the clients were.
func TestSites(t *testing.T) {
	lines := strings.Join(stateLog(rand.New(rand.NewPCG(7, 7)), 4000), "\n")
	for _, proxied := range []bool{false, true} {
		config := stateAuditor(t).config
		want, names := map[string]*report.SiteInfo{}, map[string]map[string]bool{}
		config.Proxied = &proxied
		config.Judged = listen(func(j *Event) {
			if want[j.Origin] == nil {
				want[j.Origin], names[j.Origin] = &report.SiteInfo{Origin: j.Origin}, map[string]bool{}
			}
			for range j.N {
				want[j.Origin].Add(j.Verdict, 1, max(j.Size, 0)*min(1, int64(report.Spoofed-j.Verdict)))
			}
			if j.Crawler != nil && j.Verdict != report.Spoofed {
				names[j.Origin][j.Name] = true
			}
		})
		r := auditText(t, New(config), "vhost_combined", lines)
		if len(r.Sites) < 3 {
			t.Fatalf("only %d sites", len(r.Sites))
		}
		for _, s := range r.Sites {
			w := want[s.Origin]
			if w == nil {
				t.Fatalf("nobody requested %+v", s)
			}
			if w.Crawlers = int64(len(names[s.Origin])); s != *w {
				t.Errorf("proxied %v:\ngot  %+v\nwant %+v", proxied, s, *w)
			}
			delete(want, s.Origin)
		}
		if len(want) > 0 {
			t.Errorf("%d sites are missing", len(want))
		}
	}
}

// Of more sites than there is room for, those listed are counted exactly, the others have a row of
// their own, and neither the order of lines nor states change anything.
func TestManySites(t *testing.T) {
	var versions []version
	var lines []string
	const sites = 2*maxSiteKeys + 1000
	for i := range sites {
		versions = append(versions, version{at: fmt.Sprintf("https://h%d.example", i), from: -9 * day0, body: robotsTxtBody})
		lines = append(lines, entry{vhost: fmt.Sprintf("h%d.example:443", i), agent: "X-Bot/1 (+http://x.example)"}.String())
		if i%100 == 0 {
			lines = append(lines, lines[len(lines)-1], lines[len(lines)-1])
		}
	}
	set := crawlers(t)
	a := New(Config{Crawlers: set, Policy: history(t, policy.Options{}, versions...)})
	r := auditText(t, a, "vhost_combined", strings.Join(lines, "\n"))
	last := r.Sites[len(r.Sites)-1]
	if len(r.Sites) != maxSitesListed+1 || last.Origin != report.OtherSites || last.Requests+maxSitesListed+
		2*int64(len(slices.DeleteFunc(slices.Clone(r.Sites), func(s report.SiteInfo) bool { return s.Requests != 3 }))) !=
		int64(len(lines)) {
		t.Fatalf("%d sites, the last %+v", len(r.Sites), last)
	}
	if !strings.Contains(strings.Join(r.Warnings, " "), "crawlers requested more sites") {
		t.Errorf("%q", r.Warnings)
	}
	want := marshal(t, r)
	slices.Reverse(lines)
	got, err := reportOf(a, stateOf(t, a, lines[:100]), stateOf(t, a, lines[100:]))
	if err != nil {
		t.Fatal(err)
	}
	if got := marshal(t, got); got != want {
		t.Error(firstDifference(got, want))
	}
}
