package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

const sample = "../../../testdata/sample/"

// result is what a run of the command left.
type result struct {
	out, err string
	code     int
}

func command(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	return runIn(t.Context(), strings.NewReader(stdin), args...)
}

// runIn runs robotsieve in process until a context ends.
func runIn(ctx context.Context, stdin io.Reader, args ...string) result {
	var out, err bytes.Buffer
	code := streams{in: stdin, out: &out, err: &err}.run(ctx, args)
	return result{out.String(), err.String(), code}
}

// interrupted interrupts robotsieve when it has read a text from stdin, after which it gets nothing more.
func interrupted(t *testing.T, text string, args ...string) result {
	t.Helper()
	in := &blocking{strings.NewReader(text), make(chan struct{}), make(chan struct{})}
	defer close(in.until)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-in.read
		time.Sleep(50 * time.Millisecond) // let some chunks through; any number will do
		interrupt()
	}()
	return runIn(ctx, in, args...)
}

func wants(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
}

// file writes a file for a test and returns its name.
func file(t testing.TB, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	write(t, name, content)
	return name
}

// write writes a file, in a folder that it makes if there is none.
func write(t testing.TB, name, content string) {
	t.Helper()
	makeDir(t, filepath.Dir(name))
	must.Do(t, os.WriteFile(name, []byte(content), 0o666))
}

func makeDir(t testing.TB, name string) {
	t.Helper()
	must.Do(t, os.MkdirAll(name, 0o777))
}

func raw(t testing.TB, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(name))(t)
}

func done(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	r := command(t, stdin, args...)
	if r.code != exitDone {
		t.Fatalf("%v: code %d, stderr %q", args, r.code, r.err)
	}
	return r
}

// logLine is a line of a combined log in which a crawler asks for a path.
func logLine(path, agent string) string {
	return `192.0.2.1 - - [10/Nov/2026:12:00:00 +0000] "GET ` + path + ` HTTP/1.1" 200 5 "-" "` + agent + `"` + "\n"
}

func auditJSON(t *testing.T, r result) map[string]any {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("%v in %q, stderr %q", err, r.out, r.err)
	}
	return report
}

// underRace reports whether the race detector runs. It multiplies the memory of a process, and the
// time until one starts.
var underRace = func() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// skipUnderRace skips a test of the memory or the processes of a command.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("not under the race detector")
	}
}

// fullAudit is the audit of the sample that make demo runs, with names relative to
// the folder of the sample.
func fullAudit(folder string) []string {
	return []string{
		"audit", "--policy", folder + "policy.csv", "--host", "https://lantern.example",
		"--crawlers", folder + "crawlers.json", "--ip-ranges", folder + "ranges", folder + "access.log.gz",
	}
}

// TestAuditOfTheSampleFindsItsTruth checks that an audit finds the facts in expected.json.
func TestAuditOfTheSampleFindsItsTruth(t *testing.T) {
	data := raw(t, sample+"expected.json")
	var want map[string]json.RawMessage
	must.Do(t, json.Unmarshal(data, &want))
	notSaid := regexp.MustCompile(`^(schema|http_libraries|identity_no_list|totals .*|robots_txt .*` +
		`|.*: (operator|role|rules .*|robots_txt .*))\s*$`)
	for by, args := range map[string][]string{
		"robots": {"audit", "--robots", sample + "robots.txt", sample + "access.log.gz"},
		"policy": fullAudit(sample),
	} {
		r := command(t, "", append(args, "--output", "json")...)
		got, err := reporttest.FiguresOf(r.out)
		truth, err2 := reporttest.FiguresOf(string(want[by]))
		if r.code != exitDone || r.err != "" || err != nil || err2 != nil || len(truth) < 100 {
			t.Fatalf("%v, %v, %d figures, code %d, stderr %q", err, err2, len(truth), r.code, r.err)
		}
		maps.DeleteFunc(got, func(name string, _ any) bool { return notSaid.MatchString(name) })
		if found := reporttest.CompareFigures(got, truth); len(found) > 0 {
			t.Errorf("%s: %v", by, found)
		}
	}
}

func TestSampleIsWhatItsGeneratorMakes(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to run the generator with")
	}
	made := must.Get(exec.Command(goTool, "run", "../../../internal/test/generate").Output())(t)
	if log := file(t, "access.log.gz", string(made)); !bytes.Equal(plain(t, log), plain(t, sample+"access.log.gz")) {
		t.Error("access.log.gz differs: run make sample, and read what changed")
	}
}

// plain reads a file, decompressed if its name ends in .gz: compressed bytes may
// differ from one version of Go to the next.
func plain(t *testing.T, name string) []byte {
	t.Helper()
	f := must.Get(os.Open(name))(t)
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		r = must.Get(gzip.NewReader(f))(t)
	}
	return must.Get(io.ReadAll(r))(t)
}

// withoutInputs cuts the list of inputs and the command line out of a report in JSON.
func withoutInputs(report string) string {
	head, rest, _ := strings.Cut(withoutCommand(report), `"inputs":`)
	_, tail, _ := strings.Cut(rest, `]`)
	return head + tail
}

// withoutCommand cuts the command line out of a report.
func withoutCommand(report string) string {
	return regexp.MustCompile(`"command": ?"([^"\\]|\\.)*"`).ReplaceAllString(report, `"command":""`)
}

// TestFailedReadSaysHowMuchIsCovered checks that the other bytes of a plain file are read,
// including those after an unreadable place.
func TestFailedReadSaysHowMuchIsCovered(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	text := strings.Repeat(logLine("/p", "FooBot/1"), 30_000)
	log := file(t, "a.log", text)
	for failing := 1; failing <= 40; failing++ {
		var reads atomic.Int64
		restore := disk.Inject(func(op disk.Op, name string) error {
			if op == disk.OpRead && filepath.Base(name) == "a.log" && reads.Add(1) == int64(failing) {
				return syscall.EIO
			}
			return nil
		})
		r := command(t, "", "audit", "--robots", robots, "--output", "json", "--workers", "1", log)
		restore()
		_, rest, partly := strings.Cut(r.err, "the report covers ")
		if !partly {
			continue // no bytes of the log were lost, or all
		}
		number, rest, _ := strings.Cut(rest, " of its ")
		covered, err := strconv.Atoi(strings.ReplaceAll(number, ",", ""))
		lines := auditJSON(t, r)["lines"].(float64)
		if covered == len(text) && lines == 30_000 {
			continue // it read the log to compare it with others
		}
		if want := english.Plural(int64(len(text)), "byte") + ")\n"; err != nil || !strings.HasPrefix(rest, want) || covered >= len(text) ||
			math.Abs(float64(covered)/float64(len(text))*30_000-lines) > 10 {
			t.Errorf("read %d: %v lines, %s", failing, lines, r.err)
		}
		if lines > 100 { // of fewer, one that is cut is as many as make a warning
			return
		}
	}
	t.Error("no read failed")
}

// blocking is a stdin on which nothing more comes until it is closed.
type blocking struct {
	first io.Reader
	read  chan struct{} // closed when first has been read
	until chan struct{}
}

func (b *blocking) Read(p []byte) (int, error) {
	if n, err := b.first.Read(p); err == nil {
		return n, nil
	}
	select {
	case <-b.read:
	default:
		close(b.read)
	}
	<-b.until
	return 0, io.EOF
}

// TestInterruptPrintsWhatIsKnown checks that an interrupted command prints a partial result, and
// makes no folder of evidence.
func TestInterruptPrintsWhatIsKnown(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log, dir := strings.Repeat(logLine("/p", "FooBot/1"), 30_000), t.TempDir()
	for _, args := range [][]string{nil, {"--evidence", filepath.Join(dir, "evidence")}} {
		r := interrupted(t, log, append([]string{"audit", "--robots", robots, "--output", "json", "-"}, args...)...)
		if left, _ := os.ReadDir(dir); r.code != exitInterrupted || !strings.Contains(r.err, "interrupted") || len(left) > 0 ||
			auditJSON(t, r)["partial"] != true {
			t.Errorf("%s: left %v, %+v", args, left, r)
		}
	}
	r := interrupted(t, strings.Repeat("http://a.example/some/path\n", 60_000), "filter", "--robots", robots, "--agent",
		"FooBot", "--output", "json", "-")
	lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
	sum := auditJSON(t, result{out: lines[len(lines)-1]})
	if n := strings.Count(r.out, "\n"); r.code != exitInterrupted || sum["partial"] != true || sum["kept"] != float64(n) ||
		n == 0 || !strings.Contains(r.err, "interrupted") {
		t.Errorf("code %d, %d lines, stderr %q", r.code, n, r.err)
	}
}

// interrupter interrupts when something is written to it.
type interrupter struct {
	bytes.Buffer
	interrupt func()
}

func (w *interrupter) Write(p []byte) (int, error) {
	w.interrupt()
	return w.Buffer.Write(p)
}

// TestInterruptWhileTheReportIsMade checks that an interrupt after reading, but before judging,
// prints and leaves nothing wrong.
func TestInterruptWhileTheReportIsMade(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	// When it has been read, there is a warning.
	log := gzipped(t, strings.Repeat(logLine("/p", "GPTBot/1"), 100))
	log = file(t, "a.log.gz", log[:len(log)-4])
	state := filepath.Join(t.TempDir(), "a.state")
	for name, args := range map[string][]string{"report": {}, "state": {"--state", state}, "names": {"--resolve"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		var out bytes.Buffer
		diag := interrupter{interrupt: interrupt}
		code := streams{out: &out, err: &diag}.run(ctx, append([]string{"audit", "--robots", robots, log}, args...))
		if code != exitInterrupted || out.Len() > 0 || !strings.Contains(diag.String(), "interrupted while the report was "+
			"made: there is none\n") {
			t.Errorf("%s: code %d, stdout %q, stderr %q", name, code, out.String(), diag.String())
		}
		if left, err := os.ReadDir(filepath.Dir(state)); len(left) > 0 || err != nil {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1B": 1, "7 B": 7, "1k": 1e3, "1kB": 1e3, "1KB": 1e3, "1KiB": 1024, "1MB": 1e6, "1MiB": 1 << 20,
		"1.5GB":   1.5e9,
		" 256MB ": 256e6, "1 GiB": 1 << 30, "2T": 2e12, "1e6": 1e6,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0MB", "-1", "-1MB", "MB", "junk", "1XB", "NaN", "Inf", "1e30", "9999999999GB",
		"0.5", "1 2", "0x"} {
		if got, err := parseBytes(text); err == nil || !strings.Contains(err.Error(), "is not a number of bytes") {
			t.Errorf("%q: got %d, %v; want an error", text, got, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"24h": 24 * time.Hour, "1d": 24 * time.Hour, "30d": 720 * time.Hour, "0d": 0, "90m": 90 * time.Minute,
		"36h30m": 36*time.Hour + 30*time.Minute,
		"65535d": 65535 * 24 * time.Hour,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "+1d", "1.5d", "65536d", "99999999999h", "24", "1 d", "24x", "1d12h"} {
		if got, err := parseDuration(text); err == nil || !strings.Contains(err.Error(), "is not a time") {
			t.Errorf("%q: got %v, %v; want an error", text, got, err)
		}
	}
}

// TestGuardSmallAudit checks that an audit of a small log uses little memory, without buffers for a
// large one.
func TestGuardSmallAudit(t *testing.T) {
	skipUnderRace(t) // which allocates
	const most = 8 << 20
	log := make([]string, 0, 5000)
	for i := range cap(log) {
		log = append(log, fmt.Sprintf(`198.51.%d.%d - - [01/Nov/2026:00:%02d:%02d +0000] "GET /news/article-%d HTTP/1.1" `+
			`200 5 "-" "Mozilla/5.0 (compatible; %s; +http://x.example/bots)"`,
			i/256, i%256, i/60%60, i%60, i%700, []string{"GPTBot/1", "New-Bot/1", "bingbot/2.0"}[i%3]))
	}
	name, robots := file(t, "access.log", strings.Join(log, "\n")),
		file(t, "robots.txt", "user-agent: *\ndisallow: /news/article-1\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done(t, "", "audit", "--workers", "2", "--robots", robots, name)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("an audit of %d kB allocates %d kB", len(strings.Join(log, "\n"))>>10, took>>10)
	}
}
