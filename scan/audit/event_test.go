package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// given audits a log in chunks of so many lines, and returns what a sink gets of each of its lines, by their numbers.
func given(t *testing.T, a *Auditor, f *format.Format, lines []string, atOnce int) map[int64]Event {
	t.Helper()
	got := map[int64]Event{}
	a.config.Judged = listen(func(j *Event) {
		if _, again := got[j.Number]; again || j.N != 1 || j.Input != 7 {
			t.Errorf("line %d is given again, or %d times, or as one of input %d", j.Number, j.N, j.Input)
		}
		j.Line, j.Address, j.Method, j.Target = bytes.Clone(j.Line), bytes.Clone(j.Address), bytes.Clone(j.Method),
			bytes.Clone(j.Target)
		got[j.Number] = *j
	})
	run := begin(t, a)
	w := run.Worker()
	line := int64(1)
	for part := range slices.Chunk(lines, atOnce) {
		w.SetPlace(7, line)
		// with room after it, as chunks of a source
		chunk := append(make([]byte, 0, 1<<20), strings.Join(part, "\n")+"\n"...)
		w.Chunk(f, nil, chunk)
		line += int64(len(part))
	}
	resultOf(t, run)
	return got
}

// TestJudgedSaysAllOfTheLine checks that Judged receives the place of each request and everything
// in its line, with chunks of any size, whether its verdict is immediate or deferred.
func TestJudgedSaysAllOfTheLine(t *testing.T) {
	lines := []string{
		entry{}.String(), "", entry{agent: browser}.String(), "no log",
		entry{target: "/private/" + strings.Repeat("x", 9000), method: "HEAD", status: "403", size: "-", addr: "-"}.String(),
		entry{addr: "192.0.2.9", target: "/robots.txt", size: "7"}.String(),
		entry{target: "/private/y", time: "-"}.String() + "\r",
		entry{target: "/?" + strings.Repeat("z", 7000), agent: acmebot + strings.Repeat(" a", 16<<10)}.String(),
	}
	for _, atOnce := range []int{1, 2, len(lines)} {
		got := given(t, newAuditor(t, robotsTxtBody, "https://example.com"), byName(t, "combined"), lines, atOnce)
		if len(got) != 5 {
			t.Fatalf("%d requests were given", len(got))
		}
		for number, j := range got {
			line := strings.TrimSuffix(lines[number-1], "\r")
			if string(j.Line) != line[:min(len(line), maxGivenLine)] || j.Cut != (len(line) > maxGivenLine) {
				t.Errorf("line %d is %.100q, cut %t", number, j.Line, j.Cut)
			}
			if j.Origin != "https://example.com" || !strings.Contains(line, string(j.Method)+" "+string(j.Target)) ||
				len(j.Target) == 0 {
				t.Errorf("line %d went to %q: %q %.100q", number, j.Origin, j.Method, j.Target)
			}
			if late := j.Verdict == report.Violation; late != (j.Worker == -1) {
				t.Errorf("%v came from worker %d", j.Verdict, j.Worker)
			}
		}
		if j := got[5]; j.Status != 403 || j.Size != -1 || j.Address != nil || len(j.Target) != maxGivenText ||
			j.Rule.Line != 2 {
			t.Errorf("status %d, size %d, address %q, %d bytes of the target, rule %+v", j.Status, j.Size, j.Address,
				len(j.Target), j.Rule)
		}
		if j := got[6]; j.Status != 200 || j.Size != 7 || string(j.Address) != "192.0.2.9" ||
			j.Verdict != report.RobotsFetch {
			t.Errorf("status %d, size %d, address %q, %v", j.Status, j.Size, j.Address, j.Verdict)
		}
	}
}

// TestJudgedNumbersLinesOfEveryFormat checks the numbers of lines in every format.
func TestJudgedNumbersLinesOfEveryFormat(t *testing.T) {
	for _, name := range format.Names() {
		f := byName(t, name)
		sample := strings.ReplaceAll(f.Sample(), "Mozilla/5.0", "GPTBot/1.2")
		lines := append(strings.Split(strings.TrimSuffix(f.Head(), "\n"), "\n"), "", sample, "no log", sample)
		if f.Head() == "" {
			lines = lines[1:]
		}
		for number, j := range given(t, newAuditor(t, robotsTxtBody), f, lines, len(lines)) {
			if want := lines[number-1]; string(j.Line) != want {
				t.Errorf("%s: line %d is %q, not %q", name, number, j.Line, want)
			}
		}
	}
	request := `{"ts":"2026-03-02T10:00:00Z","request":{"remote_ip":"192.0.2.17","method":"GET",` +
		`"host":"example.com","uri":"/","headers":{"User-Agent":["GPTBot"]}},"status":200,"size":1}`
	got := map[int64]int{}
	a := newAuditor(t, robotsTxtBody)
	a.config.Judged = listen(func(j *Event) { got[j.Number]++ })
	w := begin(t, a).Worker()
	w.SetPlace(0, 10)
	w.Chunk(byName(t, "caddy"), nil, []byte("["+request+","+request+"]\n\n"+request+"\n"))
	if got[10] != 2 || got[12] != 1 {
		t.Errorf("requests by line: %v", got)
	}
}

// TestJudgedOnlyViolations checks that OnlyViolations passes nothing else, and that nothing else waits for it.
func TestJudgedOnlyViolations(t *testing.T) {
	c := newAuditor(t, robotsTxtBody, "https://example.com").config
	c.Identities = known(t, c.Crawlers, map[string]string{"GPTBot": `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`})
	c.OnlyViolations = true
	n := int64(0)
	c.Judged = listen(func(j *Event) {
		if n++; j.Verdict != report.Violation || j.Worker != -1 {
			t.Errorf("%v was given by worker %d", j.Verdict, j.Worker)
		}
	})
	lines := entry{target: "/"}.String() + "\n" + entry{target: "/private/x"}.String() + "\n" +
		entry{target: "/robots.txt"}.String() + "\n"
	if r := auditText(t, New(c), "combined", lines); n != 1 || r.Totals.Verdicts[report.Violation] != 1 {
		t.Errorf("%d requests were given, of %d violations", n, r.Totals.Verdicts[report.Violation])
	}
}

// TestChoice checks that a report on some crawlers has the same rows for them as the full report,
// and the same lines, with sums over these rows, and that states make the same report.
func TestChoice(t *testing.T) {
	lines := stateLog(rand.New(rand.NewPCG(3, 5)), 4000)
	all, err := reportOf(stateAuditor(t), stateOf(t, stateAuditor(t), lines))
	if err != nil {
		t.Fatal(err)
	}
	unknown := slices.IndexFunc(all.Crawlers, func(c report.CrawlerInfo) bool { return c.Operator == report.Unknown })
	for _, only := range []report.Choice{
		{Categories: []string{report.AI}},
		{Categories: []string{"search", report.Unknown}},
		{Crawlers: []string{"googlebot"}, Categories: []string{"AI-training"}},
		{Crawlers: []string{all.Crawlers[unknown].Crawler, "bingbot"}},
		{Crawlers: []string{"no crawler"}},
	} {
		a := stateAuditor(t)
		a.config.Only = only
		got, err := reportOf(a, stateOf(t, a, lines))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := anyWrongSum(got); wrong != "" {
			t.Errorf("%v: %s", only, wrong)
		}
		want := slices.DeleteFunc(slices.Clone(all.Crawlers),
			func(c report.CrawlerInfo) bool { return !only.Has(c.Crawler, c.Category) })
		if !reflect.DeepEqual(got.Crawlers, want) {
			t.Errorf("%v: got %+v\nwant %+v", only, got.Crawlers, want)
		}
		if got.LineCounts != all.LineCounts || got.AllBytes != all.AllBytes || got.AllRequests() != all.Totals.Requests {
			t.Errorf("%v: %+v and %d requests, want %+v", only, got.LineCounts, got.AllRequests(), all.LineCounts)
		}
		checkSitesOf(t, only, got, lines)
		sum, err := reportOf(a, stateOf(t, a, lines[:700]), stateOf(t, a, lines[700:]))
		if err != nil {
			t.Fatal(err)
		}
		if got, sum := marshal(t, got), marshal(t, sum); got != sum {
			t.Errorf("%v: the sum of states: %s", only, firstDifference(sum, got))
		}
	}
}

// checkSitesOf compares the sites of a report with the requests of its crawlers. Those of crawlers that are
// not known, and chosen by name, are in the last row.
func checkSitesOf(t *testing.T, only report.Choice, r *report.Report, lines []string) {
	t.Helper()
	want, others := map[string]int64{}, int64(0)
	config := stateAuditor(t).config
	config.Judged = listen(func(j *Event) {
		switch byCategory := (report.Choice{Categories: append([]string{"none"}, only.Categories...)}); {
		case !j.IsOf(&only):
		case j.Crawler == nil && !j.IsOf(&byCategory):
			others += j.N
		default:
			want[j.Origin] += j.N
		}
	})
	auditText(t, New(config), "vhost_combined", strings.Join(lines, "\n"))
	for _, s := range r.Sites {
		if s.Origin == report.OtherSites {
			want[s.Origin] = others
		}
		if s.Requests != want[s.Origin] {
			t.Errorf("%v: %s has %d requests, want %d", only, s.Origin, s.Requests, want[s.Origin])
		}
		delete(want, s.Origin)
	}
	if len(want) > 0 {
		t.Errorf("%v: sites without a row: %v", only, want)
	}
}

// TestSites checks the table of sites against single requests of all kinds of clients.
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

// TestManySites checks that, if there are too many sites, the listed ones are counted exactly, the
// others share a row, and neither the order of lines nor states change anything.
func TestManySites(t *testing.T) {
	var versions []version
	var lines []string
	const sites = maxSiteKeys + 1000
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
