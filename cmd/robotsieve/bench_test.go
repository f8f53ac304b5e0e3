package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/job"
)

// The test binary is the external command of its own tests: this variable says
// how it is to behave.
const behaviour = "ROBOTSIEVE_TEST_EXTERNAL"

// asCommand is the environment variable that makes the test binary the command.
const asCommand = "ROBOTSIEVE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if how := os.Getenv(behaviour); how != "" {
		os.Exit(beExternal(how))
	}
	os.Exit(m.Run())
}

// beExternal is robotsieve check --jsonl up to the second answer, and then what
// it is told to be.
func beExternal(how string) int {
	if how == "good" {
		return run(context.Background(), []string{"check", "--jsonl"}, streams{os.Stdin, os.Stdout, os.Stderr})
	}
	lines := bufio.NewScanner(os.Stdin)
	n := 0
	for ; lines.Scan(); n++ {
		if n != 1 {
			fmt.Println(`{"allowed":true,"line":0}`)
			continue
		}
		switch how {
		case "short":
			return 0
		case "garbage":
			fmt.Println("\x1b[31mwhat?")
		case "error":
			fmt.Println(`{"error":"I would rather not"}`)
		case "exit":
			fmt.Fprintln(os.Stderr, "a stack trace\nno more memory")
			return 1
		case "long":
			fmt.Print(strings.Repeat("x", 3*maxAnswer))
			time.Sleep(time.Hour)
		case "hang":
			time.Sleep(time.Hour)
		default:
			fmt.Println(`{"allowed":true}`)
		}
	}
	if n > 0 && how == "more" {
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
	r, report := benchJSON(t, externalFlag(t, "good"))
	if r.code != exitDone || r.err != "" || report.Partial || report.URLs != 4 || report.Dialect != "rfc9309" || len(report.Engines) != 3 {
		t.Fatalf("%+v", r)
	}
	for i, name := range []string{"robotsieve", "naive", "good"} {
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
	args := []string{"bench", "--robots", robots, "--agent", "x", externalFlag(t, "yes"), file(t, "urls", benchURLs)}
	r := command(t, "", args...)
	if r.code != exitFound || r.err != "" {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	for _, want := range []string{
		" bytes of robots.txt, 4 URLs, asked by x in dialect rfc9309.\n", "\nrobotsieve  compiles once ", "\nnaive       parses for each URL ",
		"75.00%\n", "\nyes: its time is that of a process that reads and writes JSON; its start-up, ",
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

func TestBenchNamesBadEngines(t *testing.T) {
	for how, want := range map[string]string{
		"short":   "robotsieve: short: it ended with 1 of 4 cases answered\n",
		"garbage": `robotsieve: garbage: answer 2 is not JSON: "\x1b[31mwhat?": `,
		"error":   `robotsieve: error: answer 2 has no verdict: "I would rather not"`,
		"exit":    "robotsieve: exit: exit status 1, with 1 of 4 cases answered: no more memory\n",
		"more":    `robotsieve: more: more answers than the 4 cases: "{\"allowed\":true}"`,
		"long":    `robotsieve: long: answer 2 is not JSON: "xxx`,
		"hang":    "robotsieve: hang: it had not ended after 2s, with 1 of 4 cases answered\n",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r, report := benchJSON(t, "--timeout", "2s", externalFlag(t, how))
			if r.code != exitInput || !strings.Contains(r.err, want) {
				t.Errorf("code %d, stderr %q, want %q", r.code, r.err, want)
			}
			if len(report.Engines) != 3 || report.Engines[0].URLNS <= 0 || report.Engines[2].Error == "" {
				t.Errorf("what could be measured is not reported: %s", r.out)
			}
		})
	}
	r, _ := benchJSON(t, "--external", "evil\x1b[31m=exit 7")
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
		"--external", "slow=echo started >'" + marker + "'; sleep 1000 | cat", "-"}, streams{strings.NewReader(benchURLs), &out, &diagnosis})
	if code != exitInterrupted || time.Since(begin) > 20*time.Second || !strings.HasPrefix(out.String(), "PARTIAL") || !strings.Contains(out.String(), "naive") {
		t.Errorf("code %d after %v\n%s\n%s", code, time.Since(begin), out.String(), diagnosis.String())
	}
}

// A shell that has ended may have left processes behind, which hold its output.
func TestBenchLeavesNoProcessBehind(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	r, _ := benchJSON(t, "--external", "bg=sleep 1000 & echo $! >'"+pid+"'; cat")
	want := "robotsieve: bg: asked nothing: it ended, with 0 of 0 cases answered, and left behind a process that holds its output\n"
	if r.code != exitInput || r.err != want {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("no /proc to find the process in")
	}
	proc := "/proc/" + strings.TrimSpace(string(number)) + "/stat"
	for range 100 {
		stat, err := os.ReadFile(proc) // "1 (sleep) S": Z is dead, and waits for init
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the process that it started is still running")
}

func TestBenchCSV(t *testing.T) {
	r := command(t, benchURLs, "bench", "--robots", file(t, "robots.txt", checkRobots), "--agent", "Googlebot", "--output", "csv", "-")
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "engine" || rows[1][0] != "robotsieve" || rows[2][8] != "4" || rows[2][9] != "4" {
		t.Errorf("%v: %+v", err, r)
	}
}

// An engine that did not come to all URLs is not said to agree on all.
func TestBenchSaysOnHowManyURLsAnEngineWasCompared(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\n"+strings.Repeat("disallow: /*x*y\n", 5_000))
	list := strings.Repeat("https://h.example/a\n", 2_000)
	bench := func(output string) result {
		r := command(t, list, "bench", "--robots", robots, "--agent", "x", "--timeout", "100us", "--output", output, "-")
		if r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		return r
	}
	if r := bench("text"); !strings.Contains(r.out, "100% of 1\n") || !strings.Contains(r.out, "naive: compared on the first 1 URL only") {
		t.Error(r.out)
	}
	var report benchReport
	if err := json.Unmarshal([]byte(bench("json").out), &report); err != nil {
		t.Fatal(err)
	}
	if e := report.Engines; report.URLs != 2_000 || !e[0].Complete || e[0].Compared != 2_000 || e[1].Complete || e[1].Compared != 1 {
		t.Errorf("%+v", report)
	}
	rows, err := csv.NewReader(strings.NewReader(bench("csv").out)).ReadAll()
	if err != nil || rows[0][12] != "urls" || rows[1][8] != "2000" || rows[2][8] != "1" || rows[2][12] != "2000" {
		t.Errorf("%v: %q", err, rows)
	}
}

func TestBenchReadsTheAgentsOwnWay(t *testing.T) {
	r := command(t, "", "bench", "--robots", file(t, "robots.txt", checkRobots), "--agent", "Googlebot", file(t, "urls", benchURLs))
	if !strings.Contains(r.out, "asked by Googlebot in dialect google.") {
		t.Error(r.out)
	}
}

func TestBenchCutsTheBodyForAllEngines(t *testing.T) {
	robots := "user-agent: *\ndisallow: /a\ndisallow: /b\n"
	for limit, want := range map[int]string{len(robots): robots, 39: robots[:39], 38: robots[:27], 27: robots[:27], 26: robots[:26], 5: ""} {
		if got := string(job.WholeLines([]byte(robots), limit)); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") {
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
		"no URLs":         {[]string{"--robots", robots, "--agent", "x"}, exitUsage, "arg"},
		"twice stdin":     {[]string{"--robots", "-", "--agent", "x", "-"}, exitUsage, "both be stdin"},
		"no command":      {[]string{"--robots", robots, "--agent", "x", "--external", "name", urls}, exitUsage, `"name" is not NAME=COMMAND`},
		"no time":         {[]string{"--robots", robots, "--agent", "x", "--timeout", "0s", urls}, exitUsage, "not above 0"},
		"unknown dialect": {[]string{"--robots", robots, "--agent", "x", "--dialect", "yahoo", urls}, exitUsage, "none of"},
		"robots.txt lost": {[]string{"--robots", robots + "x", "--agent", "x", urls}, exitInput, "no such file"},
		"list lost":       {[]string{"--robots", robots, "--agent", "x", urls + "x"}, exitInput, "urlsx"},
		"empty list":      {[]string{"--robots", robots, "--agent", "x", file(t, "none", "\n")}, exitInput, "no URL"},
		"no list of URLs": {[]string{"--robots", robots, "--agent", "x", file(t, "long", strings.Repeat("x", 2<<20))}, exitInput, "too long"},
	} {
		r := command(t, "", append([]string{"bench"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.want) || r.out != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
