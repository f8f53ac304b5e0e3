package evidence

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/report"
)

// hostile are names that mean something to a file system, a shell or a terminal.
var hostile = []string{
	"../../etc/passwd", "..", ".", "", "CON", "nul.txt", "a/b", `a\b`, "a\x00b", "a\nb", "-rf", "~", "$(reboot)",
	"`reboot`", "'; reboot; '", `"`, "a|b&c>d<e",
	strings.Repeat("x", 300), "GPTBot", "gptbot", "GPTBOT", "\xff\xfe", "Gооglebot", "\x1b[31m", "‮bot", "!!", "$HOME",
	"'", "a'b", "*", "\r\n\r\nrm -r .", "rm -r .", "reboot",
}

func TestFolderNames(t *testing.T) {
	seen := map[string]bool{}
	for i, crawler := range hostile {
		name := FolderName(i+1, crawler)
		if !fs.ValidPath(name) || strings.ContainsAny(name, `/\.`) || len(name) > 60 || seen[strings.ToLower(name)] ||
			name[0] < '0' || name[0] > '9' {
			t.Errorf("%q has the folder %q", crawler, name)
		}
		seen[strings.ToLower(name)] = true
	}
	if name := FolderName(12345, "Googlebot-Image"); name != "12345-googlebot-image" {
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

func letterOf(name string) *Letter {
	return &Letter{
		First: "2026-11-01T00:00:00Z", Last: "2026-11-30T00:00:00Z", Window: "24h",
		Robots: map[string]string{"r": "robots/0001.txt"}, MadeBy: name,
		Fetches: 3, FirstFetch: "2026-11-01T01:00:00Z", LastFetch: "2026-11-29T00:00:00Z",
		Lists: []report.RangeInfo{{File: name, Created: "2026-11-01T00:00:00Z"}}, Names: true, Sampled: name, Requests: 9,
		Crawler: report.CrawlerInfo{
			Crawler: name, Operator: name, InformedKnown: true, Obeys: "yes", Source: name, Date: "2026-11-21", Verdicts: report.VerdictCounts{report.Violation: 5},
			Rules: []report.RuleInfo{{Origin: name, File: "r", Rule: "Disallow: " + name, Line: 3, Violations: 4,
				Version: "2026-10-01T00:00:00Z"}},
			Violations: []report.ViolationInfo{
				{Identity: "verified", Outcome: "content", Informed: true, N: 2},
				{Identity: "unverified", Outcome: "refused", N: 3},
			},
		},
	}
}

func TestLetterIsSafe(t *testing.T) {
	for _, name := range hostile {
		for _, partial := range []bool{false, true} {
			l := letterOf(name)
			l.Partial, l.Differing, l.Constant = partial, partial, partial
			text := l.Text()
			if found := active(text); found != "" {
				t.Errorf("%q: a shell acts on %q in\n%s", name, found, text)
			}
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r") || strings.ContainsRune(text, '‮') {
				t.Errorf("%q: control characters in %q", name, text)
			}
			for line := range strings.Lines(text) {
				begins := strings.TrimPrefix(strings.ReplaceAll(quoted(name), glue, " "), quotation)
				if strings.HasPrefix(strings.TrimLeft(line, " -"), begins) {
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
		if err := os.WriteFile(want, []byte(l.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(want)
	if err != nil || string(golden) != l.Text() {
		t.Errorf("%v: the letter differs from %s:\n%s", err, want, l.Text())
	}
}

// A letter claims no more than the log shows.
func TestLetterClaimsNoMore(t *testing.T) {
	for want, change := range map[string]func(*Letter){
		"which robots.txt clients of this name were sent before.":   func(l *Letter) { l.Crawler.InformedKnown = false },
		"2 of the 5 requests came from clients that were verified.": func(l *Letter) { l.Lists = nil },
		"No log shows what a robots.txt of another size said,":      func(l *Letter) { l.Mixed = true },
		"of GPTBot that was seen at 2026-10-01T00:00:00Z, a copy":   func(l *Letter) { l.Observed = true },
		"taken as in force before the first request, a copy":        func(l *Letter) { l.Crawler.Rules[0].Version = "" },
		"This letter holds only if that file is what was served.":   func(l *Letter) { l.Differing = true },
		"that forbids the request, or told by 304 that its copy":    func(*Letter) {},
		"made 1 request for robots.txt at 2026-11-01T01:00:00Z. The": func(l *Letter) {
			l.Fetches, l.LastFetch, l.Crawler.InformedKnown = 1, l.FirstFetch, false
		},
		"The operator says that this crawler obeys robots.txt. The page is GPTBot, as of 2026-11-21.": func(*Letter) {},
		"The operator says that this crawler may ignore robots.txt. The page":                         func(l *Letter) { l.Crawler.Obeys = "no" },
		"The operator does not say whether this crawler obeys robots.txt.":                            func(l *Letter) { l.Crawler.Obeys = "unknown" },
	} {
		l := letterOf("GPTBot")
		change(l)
		text := strings.Join(strings.Fields(l.Text()), " ")
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
