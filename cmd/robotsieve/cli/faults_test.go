package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// faultyJob is a command whose file operations fail one after the other.
type faultyJob struct {
	args   []string
	output string // a file that the command writes; "" if none
}

// faultyTree makes the files that the jobs read.
func faultyTree(t *testing.T) string {
	t.Helper()
	var log, big strings.Builder
	for i := range 40 {
		log.WriteString(logLine(fmt.Sprintf("/p/%d", i), "GPTBot/1"))
		log.WriteString(logLine(fmt.Sprintf("/a/%d", i), "Googlebot/2.1"))
	}
	for i := range 4000 {
		big.WriteString(logLine(fmt.Sprintf("/p/%0100d", i*7919), "GPTBot/1"))
	}
	rules := "user-agent: *\ndisallow: /p\n"
	dir := tree(t, map[string]string{
		"a.log": log.String(), "b.log.gz": gzipped(t, log.String()+logLine("/p", "GPTBot/1")), "big.log": big.String(),
		"robots.txt": rules, "versions/example.com/2026-01-01.txt": rules,
		"manifest.csv": "from,origin,status,file\n2026-01-01,example.com,200,robots.txt\n" +
			"2026-02-01,example.com,200,versions/example.com/2026-01-01.txt\n",
		"lists/gptbot.json":            `{"creationTime":"2026-11-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`,
		"names.txt":                    "192.0.2.9\tx.example\tyes\n",
		"hosts/one.example":            rules,
		"hosts/two.example/robots.txt": rules,
		"more.jsonl":                   `{"host":"three.example","body":"user-agent: *\ndisallow: /q"}` + "\n",
		"urls.txt":                     "https://one.example/p\nhttps://one.example/a\nhttps://none.example/\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"audit", "--robots", at("robots.txt"), "--state", at("1.state"), at("a.log")},
		{"audit", "--robots", at("robots.txt"), "--state", at("2.state"), "--memory", "1MB", at("big.log")},
		{"compile", "-o", at("hosts.rsv"), at("hosts")},
	} {
		done(t, "", args...)
	}
	return dir
}

// TestFileOperationsFail makes the first file operation of a command fail, then the second, and a
// sample of later ones. No loss may go unreported: either the results are correct, or the exit
// status is 3 and a report says that it is partial. Output files are correct, partial or absent,
// and no other file and no open file remains.
func TestFileOperationsFail(t *testing.T) {
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	out := filepath.Join(t.TempDir(), "out")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	audit := func(args ...string) []string {
		return append([]string{"audit", "--output", "json", "--workers", "1"}, args...)
	}
	robots := []string{"--robots", at("robots.txt")}
	jobs := map[string]faultyJob{
		"audit": {audit(append(robots, "--state", out, "--memory", "1MB", at("big.log"), at("b.log.gz"))...), out},
		"audit manifest": {audit("--policy", at("manifest.csv"), "--host", "example.com", "--ip-ranges", at("lists"),
			"--resolved-names", at("names.txt"), at("*.log")), ""},
		"merge": {[]string{"merge", "--output", "json", "--memory", "1MB", "--state", out, at("1.state"),
			at("2.state")}, out},
		"compile": {[]string{"compile", "-o", out, at("hosts"), at("more.jsonl")}, out},
		"filter":  {[]string{"filter", "--rules", at("hosts.rsv"), "--agent", "x", at("urls.txt")}, ""},
	}
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		t.Run(name, func(t *testing.T) {
			j := jobs[name]
			f := faults{faultyJob: j, dirs: []string{temp, filepath.Dir(out), dir}}
			f.truth, f.wrote, _ = f.run(t, 0)
			if f.truth.code != exitDone || j.output != "" && len(f.wrote) == 0 {
				t.Fatalf("without a fault: %+v", f.truth)
			}
			f.files, f.open = f.left(t), openFiles()
			n := 1
			for f.fails(t, n) {
				n += 1 + n/10 // of many operations most are as others
			}
			if n < 2 {
				t.Error("no file operations")
			}
			t.Logf("fewer than %d file operations", n)
		})
	}
}

type faults struct {
	faultyJob
	dirs  []string // that the job reads and writes
	truth result
	wrote string // the true output, as returned by content
	files []string
	open  int
}

// isPartial is in a report that says so.
const isPartial = `"partial": true`

// errnos are the errors of the operations, in turn.
var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES}

// run runs the job, whose nth operation fails, 0 for none. failed is "" if it had fewer operations.
func (f *faults) run(t *testing.T, n int) (r result, wrote string, failed disk.Op) {
	t.Helper()
	if f.output != "" {
		os.Remove(f.output)
	}
	var ops atomic.Int64
	var op atomic.Value
	restore := disk.Inject(func(o disk.Op, _ string) error {
		if ops.Add(1) != int64(n) {
			return nil
		}
		op.Store(o)
		return errnos[n%len(errnos)]
	})
	r = command(t, "", f.args...)
	restore()
	failed, _ = op.Load().(disk.Op)
	return r, f.content(t), failed
}

// content returns what is in the output file, "" if there is none. States of the same content are
// not the same bytes.
func (f *faults) content(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(f.output)
	if err != nil || f.args[0] == "compile" {
		return string(data)
	}
	merged := command(t, "", "merge", "--output", "json", f.output)
	if merged.code == exitInput && !strings.Contains(merged.err, "not all of its input") {
		t.Errorf("a damaged state: %q", merged.err)
	}
	return merged.out
}

// fails reports whether there is an nth operation, and looks at what its failure does.
func (f *faults) fails(t *testing.T, n int) bool {
	t.Helper()
	r, wrote, op := f.run(t, n)
	if op == "" {
		return false
	}
	isTrue := r.out == f.truth.out && wrote == f.wrote
	switch {
	case r.code == exitDone && !isTrue:
		t.Errorf("operation %d, %s: exit status 0, but something is lost; stderr %q\n%s", n, op, r.err,
			reporttest.FirstDifference(r.out+wrote, f.truth.out+f.wrote))
	case r.code != exitDone && r.code != exitInput:
		t.Errorf("operation %d, %s: exit status %d, stderr %q", n, op, r.code, r.err)
	case r.code == exitInput && !strings.Contains(r.err, "robotsieve: "):
		t.Errorf("operation %d, %s: an error without a message: %q", n, op, r.err)
	case r.out != "" && r.out != f.truth.out && !strings.Contains(r.out, isPartial) && f.args[0] != "filter":
		t.Errorf("operation %d, %s: a false output that is not called partial, of %d bytes, stderr %q", n, op, len(r.out),
			r.err)
	case f.args[0] == "filter" && !strings.HasPrefix(f.truth.out, r.out):
		t.Errorf("operation %d, %s: a false output: %q", n, op, r.out)
	}
	if wrote != "" && wrote != f.wrote && (r.code != exitInput || f.args[0] != "compile" &&
		!strings.Contains(wrote, isPartial)) {
		t.Errorf("operation %d, %s: a false output file that is not called partial: exit status %d, stderr %q", n, op,
			r.code, r.err)
	}
	if f.output != "" {
		os.Remove(f.output)
	}
	files := f.left(t)
	if f.output != "" {
		files = append(files, f.output)
		slices.Sort(files)
	}
	if op != disk.OpRemove && !slices.Equal(files, f.files) {
		t.Errorf("operation %d, %s: the files are %q, and were %q", n, op, files, f.files)
	}
	for wait := time.Millisecond; openFiles() > f.open; wait *= 2 {
		if wait > time.Second {
			t.Fatalf("operation %d, %s: %d files are open, and were %d", n, op, openFiles(), f.open)
		}
		time.Sleep(wait)
	}
	return true
}

// left returns the files that there are.
func (f *faults) left(t *testing.T) (files []string) {
	t.Helper()
	for _, dir := range f.dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	return files
}

// openFiles counts the open files of the process, where the system shows them.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// asCommand is the environment variable that makes the test binary the command.
const asCommand = "ROBOTSIEVE_TEST_COMMAND"

// launched is the command in a process of its own.
func launched(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

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
	if signal.Ignored(os.Interrupt) { // in the background of a shell; commands that are started would ignore it too
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	testscript.Main(m, scriptCommands)
}

// TestInterruptEndsTheWaitForStdin checks that the first interrupt ends a command that waits for
// stdin.
func TestInterruptEndsTheWaitForStdin(t *testing.T) {
	dir := tree(t, map[string]string{"list": "http://h.example/p\n", "robots": "user-agent: *\ndisallow: /p\n"})
	for _, args := range []string{
		"compile -o D/out -", "compile --dump -", "filter --robots - --agent x D/list",
		"filter --robots D/robots --agent x -", "bench --robots - --agent x D/list", "bench --robots D/robots --agent x -",
		"audit --robots - D/list", "audit --robots D/robots -",
	} {
		for _, first := range []string{"", "{"} { // of which nobody can tell yet what it is
			r := interrupted(t, first, strings.Fields(strings.ReplaceAll(args, "D/", dir+"/"))...)
			if r.code != exitInterrupted || !strings.Contains(r.out+r.err, "nterrupted") ||
				strings.Contains(r.err, "passed over") { // as if there were trouble with the input
				t.Errorf("%s after %q: %+v", args, first, r)
			}
		}
	}
}

// TestGravestExitCodeWins checks that the gravest reason determines the exit code. A session covers
// the reasons without interrupts.
func TestGravestExitCodeWins(t *testing.T) {
	robots, log, dir := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), logLine("/p", "GPTBot/1"), t.TempDir()
	audit := func(args ...string) []string {
		return append([]string{"audit", "--robots", robots, "-", "--fail-on", "violation>0"}, args...)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{audit(), exitInterrupted}, {audit("missing.log"), exitInterrupted},
		{audit("--state", filepath.Join(dir, "none", "a.state")), exitInput}, // which is found before it reads
	} {
		if r := interrupted(t, strings.Repeat(log, 30_000), c.args...); r.code != c.want {
			t.Errorf("%s: code %d, want %d: %s", c.args, r.code, c.want, r.err)
		}
	}
}
