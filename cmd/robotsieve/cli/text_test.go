package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
)

var update = flag.Bool("update", false, "write the files of testdata anew: read them before you keep them")

// TestGolden compares each output for the sample with what was read and found good. After a
// change to one, make golden writes the files of testdata anew, to be read again.
func TestGolden(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../..")
	same := func(name, got string) {
		t.Helper()
		name = filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: it differs at %s", name, firstDifference(got, string(want)))
		}
	}
	for _, output := range report.Outputs() {
		same("sample."+output, command(t, "", append(fullAudit("testdata/sample/"), "--output", output)...).out)
	}
	for _, file := range reportFiles {
		name := filepath.Join(t.TempDir(), "file")
		r := command(t, "", append(fullAudit("testdata/sample/"), "--quiet", "--"+file.flag, name)...)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(r.err, err)
		}
		same("sample."+file.flag, strings.ReplaceAll(string(text), name, "FILE"))
	}
}

// TestWithoutAssembly: the report is the same from a program that has neither assembly nor the profile of this one.
func TestWithoutAssembly(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("needs a processor that runs two architectures, and time to build for the other one")
	}
	program := filepath.Join(t.TempDir(), "robotsieve")
	build := exec.Command(goTool(t), "build", "-pgo=off", "-o", program, "..")
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := append(fullAudit(sample), "--output", "json")
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := command(t, "", args...).out; string(out) != want {
		t.Errorf("it differs at %s", firstDifference(string(out), want))
	}
}

func TestTheReportFitsAScreen(t *testing.T) {
	for width, r := range map[int]result{80: command(t, "", fullAudit(sample)...), 120: command(t, "", append(fullAudit(sample), "--full")...)} {
		for line := range strings.Lines(r.out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d characters: %s", n, line)
			}
			if strings.HasSuffix(line, " \n") {
				t.Errorf("blanks at the end of %q", line)
			}
		}
		if n := strings.Count(r.out, "\n"); width == 80 && n > 24 {
			t.Errorf("%d lines:\n%s", n, r.out)
		}
	}
}

// The sums that a reader can check are right: of lines, of clients and of verdicts.
func TestSumsInTheReportAddUp(t *testing.T) {
	report := command(t, "", append(fullAudit(sample), "--full")...).out
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
		if !strings.HasPrefix(line, "Lines:") && !strings.HasPrefix(line, "Identity:") && !strings.HasPrefix(line, "all ") {
			continue
		}
		checked++
		n, sum := of(line), 0
		if strings.HasPrefix(line, "all ") {
			n = slices.Delete(n, 1, 2) // verified, which is beside the verdicts
		}
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

// TestHeadlinesDoNotAcquit: what was not judged is not said to be no violation.
func TestHeadlinesDoNotAcquit(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	manifest := file(t, "manifest.csv", "from,origin,status,file\n2026-01-01T00:00:00Z,https://example.com,404,\n")
	vhost := "other.example:443 " + logLine("/p", "GPTBot/1")
	for name, c := range map[string]struct {
		log, want string
		args      []string
	}{
		"other hosts only":  {vhost, "No crawler request could be judged: 1 went to other hosts, 0 had no path to judge.", []string{"--robots", robots, "--host", "https://example.com"}},
		"no host known":     {logLine("/p", "GPTBot/1"), "1 crawler request: none could be judged; 1 could not be decided.", []string{"--policy", manifest}},
		"some not decided":  {logLine("/q", "GPTBot/1") + logLine("/p", "GPTBot/1 bingbot/2.0"), "2 crawler requests: none is known to have broken robots.txt; 1 could not be decided.", []string{"--robots", robots}},
		"exempt only":       {logLine("/p", "ChatGPT-User/1"), "1 crawler request: none could be judged; 1 came from crawlers that robots.txt does not bind,", []string{"--robots", robots}},
		"permitted, exempt": {logLine("/q", "GPTBot/1") + logLine("/p", "ChatGPT-User/1"), "none is known to have broken robots.txt; 1 came from crawlers that robots.txt does not bind,", []string{"--robots", robots}},
		"all are permitted": {logLine("/q", "GPTBot/1"), "1 crawler request: none broke robots.txt.", []string{"--robots", robots}},
		"nobody":            {logLine("/p", "Mozilla/5.0 (X11)"), "No line names a crawler.", []string{"--robots", robots}},
	} {
		if r := command(t, c.log, append(append([]string{"audit"}, c.args...), "-")...); !strings.Contains(strings.Join(strings.Fields(r.out), " ")+"\n", c.want) {
			t.Errorf("%s: lacks %q:\n%s%s", name, c.want, r.out, r.err)
		}
	}
}

// TestWarningsOfStrangers: of what looks as if addresses were not the clients', and of
// a robots.txt that nobody was given.
func TestWarningsOfStrangers(t *testing.T) {
	robots, list := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), file(t, "a.txt", "203.0.113.0/24\n")
	const proxy, zero, wall, logged = "no request under the name GPTBot", "end in .0", "status 403 (1)", "No request for robots.txt is in these logs"
	for name, c := range map[string]struct {
		log  string
		args []string
		want string
	}{
		"all from elsewhere":     {strings.Repeat(logLine("/q", "GPTBot/1"), 10), []string{"--ip-ranges", "GPTBot=" + list + "@2026-11-10"}, proxy},
		"ends cut off":           {strings.ReplaceAll(strings.Repeat(logLine("/q", "GPTBot/1"), 10), "192.0.2.1 ", "192.0.2.0 "), []string{"--ip-ranges", "GPTBot=" + list + "@2026-11-10"}, zero},
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

// TestWarningOfWhatIsTakenAsCurrent: what is judged by a robots.txt that was seen long
// before may be wrongly so.
func TestWarningOfWhatIsTakenAsCurrent(t *testing.T) {
	seen := file(t, "manifest.csv", "from,origin,status,file\n2026-01-01T00:00:00Z,https://example.com,200,robots.txt\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(seen), "robots.txt"), []byte("user-agent: *\ndisallow: /p\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const last = "last seen more than 24h before the end of the log"
	for history, want := range map[string]bool{"observed": true, "deployed": false} {
		r := command(t, logLine("/p", "GPTBot/1"), "audit", "--output", "json", "--policy", seen, "--history", history, "--host", "https://example.com", "-")
		if strings.Contains(fmt.Sprint(auditJSON(t, r)["warnings"]), last) != want {
			t.Errorf("%s: warns: %v, want %v\n%s%s", history, !want, want, r.out, r.err)
		}
	}
	for flag, c := range map[string]struct{ says, denies string }{
		"--samples=0":       {"Later than the window after the last one nothing is known.", "ever since"},
		"--assume-constant": {"the one seen last as in force ever since, as requested.", "nothing is known"},
	} {
		r := command(t, logLine("/p", "GPTBot/1"), "audit", "--output", "json", "--policy", seen, "--history", "observed", "--host", "https://example.com", flag, "-")
		if text := fmt.Sprint(auditJSON(t, r)["assumptions"]); !strings.Contains(text, c.says) || strings.Contains(text, c.denies) {
			t.Errorf("%s: %s", flag, text)
		}
	}
}
