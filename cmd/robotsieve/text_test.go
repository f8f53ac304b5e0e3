package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// textOf prints a report as text.
func textOf(r *audit.Report) string {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	writeText(w, r, false)
	w.Flush()
	return out.String()
}

func wants(t *testing.T, report string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(report, w) {
			t.Errorf("the report lacks %q:\n%s", w, report)
		}
	}
}

func TestTheReportFitsAScreen(t *testing.T) {
	r := command(t, "", fullAudit(sample)...)
	for line := range strings.Lines(r.out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("%d characters: %s", n, line)
		}
		if strings.HasSuffix(line, " \n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

// A table that is cut says what it left out, and its sums are those of all.
func TestCutTablesAddUp(t *testing.T) {
	r := &audit.Report{Policy: audit.PolicyInfo{History: "deployed"}}
	for i := range 100 {
		r.Crawlers = append(r.Crawlers, audit.CrawlerInfo{
			Crawler: fmt.Sprintf("Bot%03d", i), Requests: 10,
			Verdicts:   audit.VerdictCounts{audit.Violation: 3, audit.Allowed: 7},
			Violations: []audit.ViolationInfo{{Identity: "unverified", Outcome: "obtained", Method: "GET", N: 3}},
			Rules:      []audit.RuleInfo{{File: "a.txt", Line: 2, Rule: "Disallow: /", Violations: 3}},
		})
		r.Policy.Versions = append(r.Policy.Versions, audit.VersionInfo{Status: 200, From: fmt.Sprintf("2026-01-01T00:00:%02dZ", i%60), Cited: int64(i)})
		r.Inputs = append(r.Inputs, audit.InputInfo{Name: fmt.Sprint(i, ".log"), Format: "combined", Bytes: 5, Complete: true})
	}
	r.Totals = audit.Totals{Requests: 1000, Verdicts: audit.VerdictCounts{audit.Violation: 300, audit.Allowed: 700}}
	report := textOf(r)
	wants(t, report,
		"(40 more)  see json, csv       400      280     120\n",
		"all                          1,000      700     300\n",
		"and 180 violations of others", "and 180 violations of other rules",
		"and 92 inputs more, 460 bytes", "and 88 versions more",
	)
	if strings.Contains(report, "Bot060") {
		t.Error("a row more than there should be")
	}
}

func TestARuleOfTwoVersionsOfOneFileIsOneRow(t *testing.T) {
	rule := audit.RuleInfo{File: "a.txt", Line: 2, Rule: "Disallow: /", Violations: 3}
	r := &audit.Report{Policy: audit.PolicyInfo{History: "deployed"}, Crawlers: []audit.CrawlerInfo{{Crawler: "Bot"}}}
	for _, from := range []string{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"} {
		rule.Version = from
		r.Crawlers[0].Rules = append(r.Crawlers[0].Rules, rule)
	}
	wants(t, textOf(r), "         6  Bot         2  Disallow: /  a.txt\n")
}

// A headline never claims what is not proven.
func TestHeadline(t *testing.T) {
	violated := func(verified, proven int64) *audit.Report {
		r := &audit.Report{Totals: audit.Totals{
			Requests: 9, Proven: proven, Verdicts: audit.VerdictCounts{audit.Violation: 3, audit.Allowed: 6},
			Outcomes: audit.OutcomeCounts{audit.Obtained: 2}, Identity: audit.IdentityCounts{audit.Verified: verified, audit.Unverified: 9 - verified},
		}}
		r.Crawlers = []audit.CrawlerInfo{{Crawler: "Bot", Verdicts: audit.VerdictCounts{audit.Violation: 3}}}
		if proven > 0 {
			r.Crawlers[0].Violations = []audit.ViolationInfo{{Identity: "verified", Outcome: "obtained", Method: "GET", N: proven}}
		}
		return r
	}
	for _, c := range []struct {
		report *audit.Report
		want   string
	}{
		{&audit.Report{}, "No request by a client that identifies itself as a crawler.\n"},
		{&audit.Report{Totals: audit.Totals{Requests: 2}}, "2 requests by clients identifying themselves as crawlers, none for what every lawful copy of robots.txt forbids them.\n"},
		{violated(0, 0), "Proven violations: 0, as nobody's identity is verified.\n3 of 9 requests by clients identifying"},
		{violated(4, 0), "Proven violations: 0, as none by a verified client was answered with the content.\n"},
		{violated(4, 1), "Proven violations, by verified clients and answered with the content: 1 by Bot.\n"},
		{&audit.Report{Partial: true}, "PARTIAL: "},
	} {
		if got := textOf(c.report); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q first", got, c.want)
		}
	}
}

// The sums that a reader can check are right: of lines, of clients and of verdicts.
func TestSumsInTheReportAddUp(t *testing.T) {
	report := command(t, "", fullAudit(sample)...).out
	number := regexp.MustCompile(`[0-9][0-9,]*`)
	of := func(line string) (list []int) {
		for _, text := range number.FindAllString(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(line, ""), -1) {
			n := 0
			fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
			list = append(list, n)
		}
		return list
	}
	checked := 0
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "Lines ") && !strings.HasPrefix(line, "Identity ") && !strings.HasPrefix(line, "all ") {
			continue
		}
		checked++
		n, sum := of(line), 0
		for _, part := range n[1:] {
			sum += part
		}
		if sum != n[0] {
			t.Errorf("%d, not %d: %s", sum, n[0], line)
		}
	}
	if checked != 3 {
		t.Errorf("%d sums in\n%s", checked, report)
	}
}

// TestTextSaysWhatItLeavesOut checks that a report on many sites stays readable, and
// says how much it does not show.
func TestTextSaysWhatItLeavesOut(t *testing.T) {
	r := &audit.Report{Policy: audit.PolicyInfo{File: "sites", History: "observed"}}
	c := audit.CrawlerInfo{Crawler: "GPTBot", Requests: 60}
	for i := range maxFetchersShown + 5 {
		site := fmt.Sprintf("https://site%d.example", i)
		r.Policy.Origins = append(r.Policy.Origins, site)
		c.CrawlDelay = append(c.CrawlDelay, audit.DelayInfo{Origin: site, Delay: 1, Gaps: 1})
	}
	r.Crawlers = []audit.CrawlerInfo{c}
	report := textOf(r)
	wants(t, report, "and 5 rows more: see --output json.\nGaps between")
	wants(t, strings.Join(strings.Fields(report), " "), "https://site7.example and 22 more, with a window")
}

// TestHeadlinesDoNotAcquit: what was not judged is not said to be no violation.
func TestHeadlinesDoNotAcquit(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	manifest := file(t, "manifest.csv", "from,origin,status,file\n2026-01-01T00:00:00Z,https://example.com,404,\n")
	vhost := "other.example:443 " + logLine("/p", "GPTBot/1")
	for name, c := range map[string]struct {
		log, want string
		args      []string
	}{
		"other hosts only":  {vhost, "could be judged: 1 went to other hosts", []string{"--robots", robots, "--host", "https://example.com"}},
		"no host known":     {logLine("/p", "GPTBot/1"), "1 request by clients identifying themselves as crawlers, none of which could be decided.", []string{"--policy", manifest}},
		"some not decided":  {logLine("/q", "GPTBot/1") + logLine("/p", "GPTBot/1 bingbot/2.0"), "none known to be for what every lawful copy of robots.txt\nforbids them; 1 could not be decided.", []string{"--robots", robots}},
		"exempt only":       {logLine("/p", "ChatGPT-User/1"), "none of which was judged by it: 1 was by agents that it does\nnot bind.", []string{"--robots", robots}},
		"permitted, exempt": {logLine("/q", "GPTBot/1") + logLine("/p", "ChatGPT-User/1"), "robots.txt\nforbids them; 1 was by agents that it does not bind.", []string{"--robots", robots}},
		"all are permitted": {logLine("/q", "GPTBot/1"), "crawlers, none for what every lawful copy", []string{"--robots", robots}},
		"nobody":            {logLine("/p", "Mozilla/5.0 (X11)"), "No request by a client that identifies itself as a crawler.\n", []string{"--robots", robots}},
	} {
		if r := command(t, c.log, append(append([]string{"audit"}, c.args...), "-")...); !strings.Contains(r.out, c.want) {
			t.Errorf("%s: lacks %q:\n%s%s", name, c.want, r.out, r.err)
		}
	}
}

// TestWarningsOfStrangers: of what looks as if addresses were not the clients', and of
// a robots.txt that nobody was given.
func TestWarningsOfStrangers(t *testing.T) {
	robots, list := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.txt", "203.0.113.0/24\n")
	const proxy, zero, wall, logged = "not one request by the name of GPTBot", "end in .0", "or a firewall or bot protection", "requests are not logged"
	for name, c := range map[string]struct {
		log  string
		args []string
		want string
	}{
		"all from elsewhere":     {strings.Repeat(logLine("/q", "GPTBot/1"), 10), []string{"--ip-ranges", "GPTBot=" + list}, proxy},
		"ends cut off":           {strings.ReplaceAll(strings.Repeat(logLine("/q", "GPTBot/1"), 10), "192.0.2.1 ", "192.0.2.0 "), []string{"--ip-ranges", "GPTBot=" + list}, zero},
		"403 and no other fetch": {strings.Replace(logLine("/robots.txt", "GPTBot/1"), " 200 5 ", " 403 5 ", 1), nil, wall},
		"fetched elsewhere":      {"example.com:443 " + logLine("/p", "GPTBot/1") + "other.example:443 " + logLine("/robots.txt", "GPTBot/1"), []string{"--host", "https://example.com"}, ""},
		"fetched by nobody":      {"example.com:443 " + logLine("/p", "GPTBot/1"), []string{"--host", "https://example.com"}, logged},
	} {
		r := command(t, c.log, append(append([]string{"audit", "--robots", robots, "--output", "json"}, c.args...), "-")...)
		report := auditJSON(t, r)
		said := fmt.Sprint(report["warnings"], report["assumptions"])
		for _, text := range []string{wall, logged} {
			if strings.Contains(said, text) && text != c.want && (text != logged || name == "fetched elsewhere") {
				t.Errorf("%s: says %q", name, text)
			}
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: does not say %q: %s", name, c.want, said)
		}
	}
}

// TestWarningsOfWhatIsTakenAsCurrent: who is called spoofed by a list without a date,
// and what is judged by a robots.txt that was seen long before, may be wrongly so.
func TestWarningsOfWhatIsTakenAsCurrent(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	undated, dated := file(t, "a.txt", "198.51.100.0/24\n"), file(t, "b.json", `{"creationTime":"2026-11-01T00:00:00","prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}`)
	seen := file(t, "manifest.csv", "from,origin,status,file\n2026-01-01T00:00:00Z,https://example.com,200,robots.txt\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(seen), "robots.txt"), []byte("user-agent: *\ndisallow: /p\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const spoofed, last = "as spoofed because of lists of addresses without a date", "last seen more than 24h before the end of the log"
	for name, c := range map[string]struct {
		args []string
		want map[string]bool
	}{
		"an undated list":    {[]string{"--robots", robots, "--ip-ranges", "GPTBot=" + undated}, map[string]bool{spoofed: true}},
		"a dated list":       {[]string{"--robots", robots, "--ip-ranges", "GPTBot=" + dated}, map[string]bool{spoofed: false}},
		"seen months before": {[]string{"--policy", seen, "--history", "observed", "--host", "https://example.com"}, map[string]bool{last: true}},
		"put up then":        {[]string{"--policy", seen, "--host", "https://example.com"}, map[string]bool{last: false}},
	} {
		r := command(t, logLine("/p", "GPTBot/1"), append(append([]string{"audit", "--output", "json"}, c.args...), "-")...)
		for text, want := range c.want {
			if strings.Contains(fmt.Sprint(auditJSON(t, r)["warnings"]), text) != want {
				t.Errorf("%s: warns of %q: %v, want %v\n%s%s", name, text, !want, want, r.out, r.err)
			}
		}
	}
}
