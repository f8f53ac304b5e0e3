package job

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// hostile are names that mean something to a file system, a shell or a terminal.
var hostile = []string{
	"../../etc/passwd", "..", ".", "", "CON", "nul.txt", "a/b", `a\b`, "a\x00b", "a\nb", "-rf", "~", "$(reboot)",
	"`reboot`", "'; reboot; '", `"`, "a|b&c>d<e",
	strings.Repeat("x", 300), "GPTBot", "gptbot", "GPTBOT", "\xff\xfe", "Gооglebot", "\x1b[31m", "‮bot", "!!", "$HOME",
	"'", "a'b", "*", "\r\n\r\nrm -r .", "rm -r .", "reboot",
}

func TestFileName(t *testing.T) {
	seen := map[string]bool{}
	for i, crawler := range append(hostile, hostile...) {
		name := fileName("letter-"+crawler, ".txt", seen)
		seen[name] = true
		if !regexp.MustCompile(`^letter[a-z0-9-]{0,50}(\.[0-9]+)?\.txt$`).MatchString(name) || len(seen) != i+1 {
			t.Errorf("%q has the name %q", crawler, name)
		}
	}
	if name := fileName("lines-Googlebot-Image", ".log", map[string]bool{}); name != "lines-googlebot-image.log" {
		t.Error(name)
	}
}

// active returns the characters of a text that a shell would act on, outside of single quotes.
func active(text string) (found string) {
	within := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			within = !within
		case within:
		case c == '\\':
			i++ // the next one is quoted
		case strings.IndexByte("\"`$&|;<>(){}*?[]#~!^", c) >= 0:
			found += string(c)
		}
	}
	if within {
		found += "'"
	}
	return found
}

// letterCase is a folder with one letter about the only crawler of a report.
type letterCase struct {
	folderAudit
	Report  *report.Report
	Crawler *report.CrawlerInfo
}

func letterOf(name string) *letterCase {
	crawler := report.CrawlerInfo{
		Crawler: name, Operator: name, InformedKnown: true, Obeys: "yes", Source: name, Date: "2026-11-21",
		Verdicts: report.VerdictCounts{report.Violation: 5},
		Rules: []report.RuleInfo{{Origin: name, File: "r", Rule: "Disallow: " + name, Line: 3, Violations: 4,
			Version: reporttest.Time("2026-10-01T00:00:00Z")}},
		Violations: []report.ViolationInfo{
			{Identity: report.Verified, Outcome: report.Content, Method: report.Get, Informed: true, N: 2},
			{Identity: report.Unverified, Outcome: report.NotModified, Method: report.Head, N: 3},
		},
		RobotsTxt: report.FetchInfo{Fetches: 3, First: reporttest.Time("2026-11-01T01:00:00Z"), Last: reporttest.Time("2026-11-29T00:00:00Z")},
	}
	r := &report.Report{
		Sampling: name, Ranges: []report.RangeInfo{{Crawler: name, File: name, Created: reporttest.Time("2026-11-01T00:00:00Z")}},
		From: reporttest.Time("2026-11-01T00:00:00Z"), To: reporttest.Time("2026-11-30T00:00:00Z"),
		Policy: report.PolicyInfo{History: "deployed", WindowSeconds: 24 * 60 * 60}, Crawlers: []report.CrawlerInfo{crawler},
	}
	b := &basis.Basis{}
	b.SetRows([]policy.Row{{File: "r", Status: 200}})
	return &letterCase{folderAudit{auditPlan: auditPlan{loaded: &loadedBasis{basis: b}}, details: details{
		MadeBy: report.ToUTF8(name), Lines: []linesFile{{File: "answers.log"}, {File: "lines-x.log", Crawler: name}}}},
		r, &r.Crawlers[0]}
}

func textOf(t *testing.T, l *letterCase) string {
	t.Helper()
	files := map[string][]byte{}
	if err := l.addLetter(files, l.Report, l.Crawler); err != nil || len(files) != 1 {
		t.Fatal(err, len(files))
	}
	for _, text := range files {
		return string(text)
	}
	return ""
}

func TestLetterIsSafe(t *testing.T) {
	for _, name := range hostile {
		for _, partial := range []bool{false, true} {
			l := letterOf(name)
			if l.Report.Partial, l.Report.RobotsTxt.Contradicted = partial, partial; partial {
				l.Report.Policy.History = "constant"
			}
			text := textOf(t, l)
			if found := active(text); found != "" {
				t.Errorf("%q: a shell acts on %q in\n%s", name, found, text)
			}
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r") || strings.ContainsRune(text, '‮') {
				t.Errorf("%q: control characters in %q", name, text)
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(strings.TrimLeft(line, " -"), quoted(name)) {
					t.Errorf("%q: a line begins with a quotation: %q", name, line)
				}
				if strings.Contains(line, "robotsieve verify") && line != "    robotsieve verify .\n" {
					t.Errorf("%q: the command is %q", name, line)
				}
			}
		}
	}
}

func TestLetter(t *testing.T) {
	l := letterOf("GPTBot")
	const want = "testdata/letter.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(want, []byte(textOf(t, l)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(want)
	if text := textOf(t, l); err != nil || string(golden) != text {
		t.Errorf("%v: the letter differs from %s:\n%s", err, want, text)
	}
}

// TestLetterClaimsNoMore checks that a letter claims no more than the log shows.
func TestLetterClaimsNoMore(t *testing.T) {
	for want, change := range map[string]func(*letterCase){
		"The log does not say which robots.txt they were sent before.": func(l *letterCase) { l.Crawler.InformedKnown = false },
		"- 2 requests: GET, client verified, answer content, after a client of this name was sent a robots.txt that " +
			"forbids it, or told by 304 that its copy stands - 3 requests: HEAD, client unverified, answer not modified": func(*letterCase) {},
		"are left out. - list: GPTBot, of 2026-11-01T00:00:00Z The operator":                 func(*letterCase) {},
		"All lines in the folder are from 2026-11-01T00:00:00Z to 2026-11-30T00:00:00Z. The": func(*letterCase) {},
		"themselves as a crawler without a name":                                             func(l *letterCase) { l.Crawler.Crawler = report.Nameless },
		"- list: gptbot.json, undated": func(l *letterCase) {
			l.Report.Ranges[0].File, l.Report.Ranges[0].Created = `C:\lists\gptbot.json`, report.Time{}
		},
		"of GPTBot that was seen at 2026-10-01T00:00:00Z, a copy": func(l *letterCase) { l.Report.Policy.History = "observed" },
		"taken as in force before the first request, a copy":      func(l *letterCase) { l.Crawler.Rules[0].Version = report.Time{} },
		"- others, which report.json has": func(l *letterCase) {
			l.Crawler.Rules = slices.Repeat(l.Crawler.Rules, 12)
		},
		"This letter holds only if that file is what was served.":                                                func(l *letterCase) { l.Report.RobotsTxt.Contradicted = true },
		"themselves as one of many unknown crawlers made":                                                        func(l *letterCase) { l.Crawler.Crawler = report.OtherCrawlers },
		"Clients of this name made 3 requests for robots.txt from 2026-11-01T01:00:00Z to 2026-11-29T00:00:00Z.": func(*letterCase) {},
		"The operator says that this crawler obeys robots.txt. The page is GPTBot, as of 2026-11-21.":            func(*letterCase) {},
		"The operator says that this crawler may ignore robots.txt. The page":                                    func(l *letterCase) { l.Crawler.Obeys = "no" },
		"The operator does not say whether this crawler obeys robots.txt.":                                       func(l *letterCase) { l.Crawler.Obeys = "unknown" },
	} {
		l := letterOf("GPTBot")
		change(l)
		text := strings.Join(strings.Fields(textOf(t, l)), " ")
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
		for _, word := range []string{"published", "had been sent", "proven", "told the"} {
			if strings.Contains(text, word) {
				t.Errorf("%q in\n%s", word, text)
			}
		}
	}
}
