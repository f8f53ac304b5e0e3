package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"
)

// The test binary is the external command of its own tests: this variable says
// how it is to behave.
const behaviour = "ROBOTSIEVE_TEST_EXTERNAL"

// asCommand is the environment variable that makes the test binary the command.
const asCommand = "ROBOTSIEVE_TEST_COMMAND"

// peakFile is the environment variable that names a file for the status of that process, as
// Linux has it, at its end.
const peakFile = "ROBOTSIEVE_TEST_PEAK"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		code := Main()
		if name := os.Getenv(peakFile); name != "" {
			status, _ := os.ReadFile("/proc/self/status")
			_ = os.WriteFile(name, status, 0o666)
		}
		os.Exit(code)
	}
	if how := os.Getenv(behaviour); how != "" {
		os.Exit(beExternal(how))
	}
	os.Exit(m.Run())
}

// beExternal is robotsieve check --jsonl, or fails after the first answer, or allows
// everything.
func beExternal(how string) int {
	if how == "good" {
		return run(context.Background(), []string{"check", "--jsonl"}, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	}
	lines := bufio.NewScanner(os.Stdin)
	for n := 0; lines.Scan(); n++ {
		if n == 1 && how == "short" {
			return 0
		}
		fmt.Println(`{"allowed":true}`)
	}
	return 0
}

// externalFlag names the test binary as external command.
func externalFlag(t *testing.T, how string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector would have each process sleep for a second at its end.
	return "--external=" + how + "=GORACE=atexit_sleep_ms=0 " + behaviour + "=" + how + " '" + self + "'"
}

const benchURLs = "https://h.example/a\r\n\nhttps://h.example/tilde~\n/\xff\x1b\nhttps://h.example/a/b"

// benchJSON runs bench on four URLs.
func benchJSON(t *testing.T, args ...string) (result, benchReport) {
	t.Helper()
	robots := file(t, "robots.txt", checkRobots+"# \xff\n")
	r := command(t, benchURLs, append([]string{"bench", "--robots", robots, "--agent", "x", "--output", "json", "-"}, args...)...)
	var report benchReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return r, report
}

func TestBench(t *testing.T) {
	r, report := benchJSON(t, "--list", externalFlag(t, "good"))
	if r.code != exitDone || r.err != "" || report.Partial || report.URLs != 4 || report.Dialect != "rfc9309" || len(report.Engines) != 3 {
		t.Fatalf("%+v", r)
	}
	for i, name := range []string{"robotsieve", "robotsieve", "good"} {
		e := report.Engines[i]
		if e.Engine != name || e.Compared != 4 || e.Agreed != 4 || e.Error != "" || len(e.Disagreements) != 0 {
			t.Errorf("%+v", e)
		}
		if (e.CompileNS > 0) != (name == "robotsieve") || (e.StartUpNS > 0) != (name == "good") {
			t.Errorf("%s: %v to compile, %v to start", name, e.CompileNS, e.StartUpNS)
		}
		if name != "good" && (e.URLNS <= 0 || e.URLsPerSecond <= 0) { // its time may be lost in that of a process
			t.Errorf("%s: %v ns a URL, %v URLs a second", name, e.URLNS, e.URLsPerSecond)
		}
	}
}

func TestBenchFindsDisagreements(t *testing.T) {
	robots := file(t, "robots.txt", checkRobots)
	args := []string{"bench", "--robots", robots, "--agent", "x", "--list", externalFlag(t, "yes"), file(t, "urls", benchURLs)}
	r := command(t, "", args...)
	if r.code != exitFound || r.err != "" {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	for _, want := range []string{
		" bytes of robots.txt, 4 URLs, agent x, dialect rfc9309.\n", "\nrobotsieve  compiles once ", "\nrobotsieve  plain list ",
		"75.00%\n", "\nyes: the time includes reading and writing JSON; the start-up of its process, ",
		"\nyes disagrees with robotsieve on 1 URL:\n  https://h.example/tilde~: allowed, robotsieve disallowed (line 9: Disallow: /tilde%7E)\n",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	// Google's parser allows it.
	if r := command(t, "", append(args, "--dialect", "google")...); r.code != exitDone {
		t.Errorf("%+v", r)
	}
}

// What a bad command may do is tested in package bench; here, that the user is told.
func TestBenchNamesBadParsers(t *testing.T) {
	r, report := benchJSON(t, externalFlag(t, "short"))
	if r.code != exitInput || r.err != "robotsieve: short: it ended with 1 of 4 cases answered\n" {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	if e := report.Engines; len(e) != 2 || e[0].URLNS <= 0 || e[1].Error == "" || e[1].Compared != 1 || e[1].Complete {
		t.Errorf("what could be measured is not reported: %s", r.out)
	}
	r, _ = benchJSON(t, "--external", "evil\x1b[31m=exit 7")
	if r.code != exitInput || r.err != "robotsieve: evil\\x1b[31m: asked nothing: exit status 7, with 0 of 0 cases answered\n" {
		t.Errorf("%+v", r)
	}
	if strings.Contains(r.out, "\x1b") {
		t.Error("escape sequences reach the terminal")
	}
}

func TestBenchThatIsInterruptedPrintsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	// The shell's children hold its output, and would outlive it.
	marker := file(t, "marker", "")
	go func() {
		for {
			if data, _ := os.ReadFile(marker); len(data) > 0 {
				cancel()
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var out, diagnosis bytes.Buffer
	begin := time.Now()
	code := run(ctx, []string{"bench", "--robots", file(t, "robots.txt", checkRobots), "--agent", "x",
		"--external", "slow=echo started >'" + marker + "'; sleep 1000 | cat", "-"}, streams{in: strings.NewReader(benchURLs), out: &out, err: &diagnosis})
	if code != exitInterrupted || time.Since(begin) > 20*time.Second || !strings.HasPrefix(out.String(), "PARTIAL") || !strings.Contains(out.String(), "compiles once") {
		t.Errorf("code %d after %v\n%s\n%s", code, time.Since(begin), out.String(), diagnosis.String())
	}
}

func TestBenchCSV(t *testing.T) {
	r := command(t, benchURLs, "bench", "--robots", file(t, "robots.txt", checkRobots), "--agent", "Googlebot", "--output", "csv", "-")
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "engine" || rows[1][0] != "robotsieve" || rows[1][8] != "4" || rows[1][9] != "4" {
		t.Errorf("%v: %+v", err, r)
	}
}

// A parser that did not answer about all URLs in time has failed, and is not said to
// agree on all.
func TestBenchSaysOnHowManyURLsAParserWasCompared(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\n"+strings.Repeat("disallow: /*x*y\n", 5_000))
	list := strings.Repeat("https://h.example/"+strings.Repeat("a", 100)+"x1234\n", 200_000)
	r := command(t, list, "bench", "--robots", robots, "--agent", "x", "--list", "--timeout", "1s", "--output", "json", "-")
	var report benchReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatal(err)
	}
	if e := report.Engines; r.code != exitInput || !e[0].Complete || e[1].Complete || e[1].Compared == 0 || e[1].Compared >= 200_000 || e[1].Error != "timed out after 1s" {
		t.Errorf("code %d: %+v", r.code, report)
	}
}

func TestBenchReadsTheAgentsOwnWay(t *testing.T) {
	r := command(t, "", "bench", "--robots", file(t, "robots.txt", checkRobots), "--agent", "Googlebot", file(t, "urls", benchURLs))
	if !strings.Contains(r.out, "agent Googlebot, dialect google.") {
		t.Error(r.out)
	}
}

func TestBenchCutsTheBodyForAllEngines(t *testing.T) {
	robots := "user-agent: *\ndisallow: /a\ndisallow: /b\n"
	for limit, want := range map[int]string{len(robots): robots, 39: robots[:39], 38: robots[:27], 27: robots[:27], 26: robots[:26], 5: ""} {
		if got := string(compile.WholeLines([]byte(robots), limit)); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("%d: %q, want %q", limit, got, want)
		}
	}
	r := command(t, "/b\n/a\n", "bench", "--robots", file(t, "robots.txt", robots), "--agent", "x", "--max-bytes", "30", externalFlag(t, "good"), "-")
	if r.code != exitDone || !strings.Contains(r.out, "27 bytes of robots.txt") {
		t.Errorf("%+v", r)
	}
}

func TestBenchUsageAndInputs(t *testing.T) {
	robots, urls := file(t, "robots.txt", checkRobots), file(t, "urls", benchURLs)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no robots.txt":   {[]string{"--agent", "x", urls}, exitUsage, "name it with --robots FILE"},
		"no agent":        {[]string{"--robots", robots, urls}, exitUsage, "--agent NAME"},
		"no URLs":         {[]string{"--robots", robots, "--agent", "x"}, exitUsage, "no list of URLs"},
		"twice stdin":     {[]string{"--robots", "-", "--agent", "x", "-"}, exitUsage, "both be stdin"},
		"no command":      {[]string{"--robots", robots, "--agent", "x", "--external", "name", urls}, exitUsage, `"name" is not NAME=COMMAND`},
		"no time":         {[]string{"--robots", robots, "--agent", "x", "--timeout", "0s", urls}, exitUsage, "not above 0"},
		"unknown dialect": {[]string{"--robots", robots, "--agent", "x", "--dialect", "yahoo", urls}, exitUsage, "none of"},
		"robots.txt lost": {[]string{"--robots", robots + "x", "--agent", "x", urls}, exitInput, "no such file"},
		"list lost":       {[]string{"--robots", robots, "--agent", "x", urls + "x"}, exitInput, "urlsx"},
		"empty list":      {[]string{"--robots", robots, "--agent", "x", file(t, "none", "\n")}, exitInput, "no URL"},
		"a header":        {[]string{"--robots", robots, "--agent", "GPTBot/1.2", urls}, exitUsage, `"GPTBot/1.2" is not a product token`},
		"no URL":          {[]string{"--robots", robots, "--agent", "x", file(t, "index", "com,example)/ 2026 {}\nhttp:x\n")}, exitInput, "no URL in the lists"},
		"no list of URLs": {[]string{"--robots", robots, "--agent", "x", file(t, "long", strings.Repeat("x", 2<<20))}, exitInput, "too long"},
	} {
		r := command(t, "", append([]string{"bench"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) || r.out != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r := command(t, "", "bench", "--robots", robots, "--agent", "x", file(t, "mixed", "foo\n/a\nhttp://h/\n"))
	if r.code != exitDone || r.err != "robotsieve: neither a URL nor a path: 1 line; each parser reads these in its own way\n" {
		t.Errorf("%+v", r)
	}
}
