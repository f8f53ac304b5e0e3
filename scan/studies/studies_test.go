package studies

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// profiles are two crawlers of one operator.
var profiles = []crawler.Profile{
	{Name: "AlphaBot", Operator: "Acme", Category: "search"}, {Name: "BetaBot", Operator: "Acme", Category: "ai-training"},
}

// request makes a judged request out of: crawler, address, seconds, verdict, and perhaps the site.
func request(t *testing.T, text string) *audit.Judged {
	t.Helper()
	f := append(strings.Fields(text), "https://a.example")
	j := &audit.Judged{Worker: -1, Crawler: f[0], Origin: f[4], Target: []byte("/page"), HasTime: f[2] != "-", N: 1,
		Identity: report.Unverified}
	for i := range profiles {
		if profiles[i].Name == f[0] {
			j.Profile = &profiles[i]
		}
	}
	if f[1] != "-" {
		j.Address = []byte(f[1])
	}
	fmt.Sscan(f[2], &j.Time)
	j.Time *= second
	for v := range report.Verdicts {
		if v.String() == f[3] {
			j.Verdict = v
		}
	}
	if j.Verdict == report.Spoofed {
		j.Identity = report.SpoofedIdentity
	}
	if f[3] == "robots_head" {
		j.Verdict, j.MethodClass = report.RobotsFetch, report.Head
	}
	if j.Verdict == report.RobotsFetch {
		j.Target = []byte("/robots.txt")
	}
	return j
}

// rowsOf returns the rows of requests, in a few lines of text each.
func rowsOf(t *testing.T, r *report.Report, requests ...string) []string {
	t.Helper()
	s := New(profiles, 1, spill.Options{Memory: 1 << 20, Dir: t.TempDir()})
	defer s.Close()
	for i, text := range requests {
		j := request(t, text)
		j.Worker = i%2 - 1
		s.Put(j)
	}
	rows, err := s.Rows(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return texts(rows)
}

func texts(rows []report.StudyRow) (list []string) {
	for _, r := range rows {
		text := fmt.Sprintf("%s %s %s %s: %.4g of %d %s", r.Scope, r.Name, r.Identity, r.Measure, r.Value, r.N, r.Unit)
		if r.Requests > 0 {
			text += fmt.Sprintf(" (%d requests)", r.Requests)
		}
		if !math.IsNaN(r.Low) {
			text += fmt.Sprintf(" %.4g-%.4g", r.Low, r.High)
		}
		list = append(list, strings.Join(strings.Fields(text), " "))
	}
	return list
}

// byHand are the requests of three crawlers, of which what follows is counted by hand: AlphaBot has
// three sessions at one address and one at another, and fetches robots.txt three times; BetaBot none.
var byHand = []string{
	"AlphaBot 192.0.2.1 0 robots_fetch", "AlphaBot 192.0.2.1 10 allowed", "AlphaBot 192.0.2.1 310 allowed", // 300 s: one
	"AlphaBot 192.0.2.1 611 violation", "AlphaBot 192.0.2.1 612 allowed", // 301 s: another
	"AlphaBot 192.0.2.1 50000 grace", "AlphaBot 192.0.2.1 50001 robots_fetch", // robots.txt after the page
	"AlphaBot 192.0.2.2 11 allowed", "AlphaBot 192.0.2.2 300000 robots_fetch",
	"AlphaBot - 20 violation", "AlphaBot 192.0.2.9 15 spoofed",
	"BetaBot 192.0.2.3 0 allowed", "BetaBot 192.0.2.3 1 allowed https://b.example",
	"NewBot 192.0.2.3 0 violation", "OldBot 192.0.2.3 1 allowed", // two names, two sessions
}

func TestByHand(t *testing.T) {
	r := &report.Report{RobotsTxt: report.RobotsInfo{Logged: true}}
	got := rowsOf(t, r, byHand...)
	for _, want := range []string{
		"crawler AlphaBot unverified requests_complied: 0.6667 of 6 requests (6 requests)", // 4 of 6
		"crawler AlphaBot unverified sessions_complied: 0.6667 of 3 sessions (5 requests) 0.2077-0.9385",
		"crawler AlphaBot unverified session_checked_first: 0.25 of 4 sessions 0.04559-0.6994",
		"crawler AlphaBot unverified checked_first: 1 of 1 visits",
		"crawler AlphaBot unverified never_checked: 0 of 1 visits",
		"crawler AlphaBot unverified recheck_12h: 0 of 2 gaps", // 13.9 and 69.4 hours
		"crawler AlphaBot unverified recheck_24h: 0.5 of 2 gaps", "crawler AlphaBot unverified recheck_48h: 0.5 of 2 gaps",
		"crawler AlphaBot unverified recheck_72h: 1 of 2 gaps",
		"crawler AlphaBot spoofed never_checked: 1 of 1 visits",
		"crawler BetaBot unverified never_checked: 1 of 2 visits",
		"crawler (unknown crawlers) unverified sessions_complied: 0.5 of 2 sessions (2 requests) 0.09453-0.9055",
		"operator Acme unverified crawlers_complied: 0.5 of 2 crawlers (8 requests)",
		"operator Acme unverified crawlers_checked: 0.5 of 2 crawlers (8 requests)",
		"operator Acme unverified crawlers_checked_and_complied: 0 of 2 crawlers (8 requests)",
		"category ai-training unverified crawlers_complied: 1 of 1 crawlers (2 requests)",
		"site https://b.example unverified sessions_complied: 1 of 1 sessions (1 requests) 0.2065-1",
		"all unverified requests_complied: 0.7 of 10 requests (10 requests)",
		"all unverified sessions_complied: 0.7143 of 7 sessions (9 requests) 0.3589-0.9178",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no row %q", want)
		}
	}
	for _, text := range got {
		if strings.Contains(text, "spoofed") && strings.Contains(text, "complied") {
			t.Errorf("an impostor is judged: %s", text)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
	lines := slices.Clone(byHand)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if again := rowsOf(t, r, lines...); !slices.Equal(got, again) {
		t.Errorf("in another order:\n%s", strings.Join(again, "\n"))
	}
}

// TestCheckedInTheSameSecond: a fetch that the log has in the second of a page came before it, and a
// HEAD of robots.txt is neither a fetch nor a page.
func TestCheckedInTheSameSecond(t *testing.T) {
	got := rowsOf(t, &report.Report{RobotsTxt: report.RobotsInfo{Logged: true}},
		"AlphaBot 192.0.2.1 5 allowed", "AlphaBot 192.0.2.1 5 robots_fetch",
		"BetaBot 192.0.2.2 1 robots_head", "BetaBot 192.0.2.2 5 robots_fetch", "BetaBot 192.0.2.2 6 allowed")
	for _, name := range []string{"AlphaBot", "BetaBot"} {
		for _, want := range []string{"session_checked_first: 1 of 1 sessions 0.2065-1", "checked_first: 1 of 1 visits"} {
			if want = "crawler " + name + " unverified " + want; !slices.Contains(got, want) {
				t.Errorf("there is no row %q in\n%s", want, strings.Join(got, "\n"))
			}
		}
	}
}

// What a log cannot say is said, and is in no row.
func TestWhatIsNotKnown(t *testing.T) {
	got := rowsOf(t, &report.Report{Assumptions: []string{"one"}, Warnings: []string{"two", "three"}},
		"AlphaBot - 1 allowed", "AlphaBot 192.0.2.1 - allowed")
	if want := "all unverified crawlers_complied: 1 of 1 crawlers (2 requests)"; len(got) < 8 || got[7] != want {
		t.Errorf("%q", got)
	}
	for i, text := range got {
		if isLimit := strings.Contains(text, "limit"); isLimit != (2 <= i && i < 7) || !isLimit &&
			(strings.Contains(text, "check") || strings.Contains(text, "sessions")) {
			t.Errorf("%d: %s", i, text)
		}
	}
}

// Published or textbook values.
func TestStatistics(t *testing.T) {
	for _, c := range []struct { // Newcombe 1998, table I
		part, of  int64
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		r := shareRow("", "", "", "sessions", c.part, c.of)
		if math.Abs(r.Low-c.low) > 5e-5 || math.Abs(r.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f", c.part, c.of, r.Low, r.High)
		}
	}
	var drug []span // Freireich and others 1963: weeks of remission with 6-MP; + is censored
	for text := range strings.FieldsSeq("6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+") {
		var s span
		number, censored := strings.CutSuffix(text, "+")
		fmt.Sscan(number, &s.seconds)
		s.ended = !censored
		drug = append(drug, s)
	}
	if m := median(drug); m != 23 {
		t.Errorf("median %v", m)
	}
	if m := median(drug[17:]); !math.IsNaN(m) {
		t.Errorf("median %v of what never ends", m)
	}
	if m := median([]span{{1, true}, {2, true}, {3, true}, {4, true}}); m != 2 {
		t.Errorf("median %v", m)
	}
}

// The rows of changes and of Crawl-delay are those of the report.
func TestReported(t *testing.T) {
	seconds := func(n int64) *int64 { return &n }
	counts := func(requests, paths int64) report.ChangeCounts {
		return report.ChangeCounts{Requests: requests, Paths: &paths}
	}
	r := &report.Report{
		Crawlers: []report.CrawlerInfo{{Crawler: "AlphaBot", CrawlDelay: []report.DelayInfo{
			{Origin: "https://a.example", Delay: 30, Gaps: 40, Shorter: 10}}}},
		Changes: []report.RobotsChange{
			{Time: "T", NewFile: "new.txt", After: report.ChangeSide{Days: 14}, Crawlers: []report.ChangedCrawler{
				{Crawler: "AlphaBot", Before: counts(100, 60), After: counts(100, 40), FetchSeconds: seconds(3600),
					LastSeconds: seconds(7200)},
				{Crawler: "BetaBot", Before: counts(10, 0), After: counts(0, 0), Unknown: report.ChangeNoFetch},
				{Crawler: "GammaBot", Before: counts(5, 5), After: counts(5, 5), Unknown: report.ChangeNoFetch},
				{Crawler: "DeltaBot", Before: counts(5, 5), After: counts(5, 1), FetchSeconds: seconds(100),
					LastSeconds: seconds(99999), Ongoing: true},
			}},
			{Given: true, Crawlers: []report.ChangedCrawler{{Crawler: "AlphaBot", Before: counts(1, 0), After: counts(1, 0)}}},
		},
	}
	got, want := texts(reported(r)), []string{
		"crawler AlphaBot crawl_delay: 0.75 of 40 gaps",
		"crawler AlphaBot changed_paths_before: 0.6 of 100 requests",
		"crawler AlphaBot changed_paths_after: 0.4 of 100 requests",
		"crawler AlphaBot changed_paths_z: -2.828 of 200 requests", // -0.2/sqrt(0.25*0.02)
		"crawler GammaBot changed_paths_before: 1 of 5 requests", "crawler GammaBot changed_paths_after: 1 of 5 requests",
		"crawler DeltaBot changed_paths_before: 1 of 5 requests", "crawler DeltaBot changed_paths_after: 0.2 of 5 requests",
		"crawler DeltaBot changed_paths_z: -2.582 of 10 requests",
		"all latency_to_fetch: 3600 of 3 crawlers and changes", "crawler AlphaBot latency_to_fetch: 3600 of 1 changes",
		"crawler DeltaBot latency_to_fetch: 100 of 1 changes", "crawler GammaBot latency_to_fetch: NaN of 1 changes",
		"all latency_to_last_forbidden: 7200 of 2 crawlers and changes",
		"crawler AlphaBot latency_to_last_forbidden: 7200 of 1 changes",
		"crawler DeltaBot latency_to_last_forbidden: NaN of 1 changes",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Hostile names and times are counted in bounded memory.
func TestHostile(t *testing.T) {
	s := New(profiles, 1, spill.Options{Memory: 1 << 20, Dir: t.TempDir()})
	defer s.Close()
	for i := range 100_000 {
		s.Put(&audit.Judged{Worker: -1, Crawler: strings.Repeat("x\x00", i%50), Address: fmt.Append(nil, i), HasTime: true,
			Time: int64(i) << 45, N: 1, Identity: report.Unverifiable})
	}
	rows, err := s.Rows(t.Context(), &report.Report{})
	if text := texts(rows); err != nil || !slices.Contains(text,
		"all unverifiable sessions_complied: 1 of 100000 sessions (100000 requests) 1-1") {
		t.Error(err, text)
	}
}
