package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/scan/job"
)

func init() {
	filesystem.Register("flaky", func(ctx context.Context) filesystem.Interface { return &flaky{memfs.New(ctx)} })
	register.DoFn2x0[[]byte, func(int, string)](&manyShards{})
	register.DoFn2x0[int, string](&takeSum{})
}

// write writes a file, and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// robotsTxt writes a robots.txt.
func robotsTxt(t *testing.T) string {
	return write(t, filepath.Join(t.TempDir(), "robots.txt"), "User-agent: *\nDisallow: /private/\n")
}

// logOf returns a log of n requests.
func logOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "192.0.2.%d - - [10/Nov/2026:10:00:0%d +0000] \"GET /private/%d HTTP/1.1\" 200 123 \"-\" "+
			"\"GPTBot/1.2\"\n", i%250, i%10, i)
	}
	return b.String()
}

// TestEmptyFilesAreRead: an empty file is read whatever its place is, as after a rotation of logs.
func TestEmptyFilesAreRead(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	empty, log := write(t, filepath.Join(dir, "access.log"), ""), write(t, filepath.Join(dir, "access.log.1"), logOf(3))
	for _, names := range [][]string{{empty}, {empty, log}, {log, empty}} {
		out, _ := ended(t, 0, "", 1<<30, append([]string{"audit", "--output", "json", "--robots", robots}, names...)...)
		if n := len(reportOf(t, out).Inputs); n != len(names) {
			t.Errorf("%d files: %d inputs", len(names), n)
		}
	}
	ended(t, 0, "", 1<<30, "filter", "--robots", robots, "--agent", "x", "--out", filepath.Join(dir, "out"), empty,
		write(t, filepath.Join(dir, "blank.txt"), "\n\nhttps://a.example/\n"))
}

// TestRowsAreReplacedInTheirFolderOnly: --out is a name and no pattern, and only files that have
// the names of rows are rows.
func TestRowsAreReplacedInTheirFolderOnly(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	log := write(t, filepath.Join(dir, "a.log"), logOf(3))
	other := write(t, filepath.Join(dir, "r1", "rows-00007.ndjson"), "x")
	old := write(t, filepath.Join(dir, "r[1]", "rows-00007.csv"), "x")
	notes := write(t, filepath.Join(dir, "r[1]", "rows-notes.txt"), "x")
	folder := write(t, filepath.Join(dir, "r[1]", "rows-00008.csv", "x"), "x")
	args := []string{"audit", "--quiet", "--robots", robots, "--list", "all", "--out", filepath.Join(dir, "r[1]"), log}
	ended(t, 2, "rows-00007.csv", 1<<30, args...)
	ended(t, 0, "", 1<<30, append(args, "--force")...)
	for name, there := range map[string]bool{other: true, old: false, notes: true, folder: true,
		filepath.Join(dir, "r[1]", "rows-00000.ndjson"): true} {
		if _, err := os.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNamesThatAreNotUTF8 audits a log whose name is not UTF-8, found in a folder and named, and
// filters such a list.
func TestNamesThatAreNotUTF8(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	log := filepath.Join(dir, "caf\xe9.log")
	if err := os.WriteFile(log, []byte(logOf(4)), 0o600); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{dir, log} {
		out := t.TempDir()
		ended(t, 0, "", 1<<30, "audit", "--quiet", "--robots", robots, "--list", "all", "--out", out, name)
		if rows, _ := listedIn(t, out, ".ndjson"); len(rows) != 4+1 {
			t.Errorf("%q: %d rows", name, len(rows)-1)
		}
	}
	const url, out = "https://a.example/open\n", "out"
	t.Chdir(t.TempDir())
	ended(t, 0, "", 1<<30, "filter", "--robots", robots, "--agent", "GPTBot", "--out", out, write(t, "caf\xe9.txt", url))
	if kept, err := os.ReadFile("out/caf\xe9.txt"); err != nil || string(kept) != url {
		t.Errorf("%q, %v", kept, err)
	}
}

// TestLogsThatChangeBetweenTheReadings: rows of a log that has grown are those of the lines that
// the report has counted; if lines are missing, the audit fails.
func TestLogsThatChangeBetweenTheReadings(t *testing.T) {
	robots := robotsTxt(t)
	for how, change := range map[string]func(name string) error{
		"grown":     func(name string) error { return os.WriteFile(name, []byte(logOf(2000)), 0o600) },
		"new":       func(name string) error { return os.WriteFile(name, []byte(logOf(2000)), 0o600) },
		"gone":      os.Remove,
		"cut short": func(name string) error { return os.WriteFile(name, []byte(logOf(3)), 0o600) },
	} {
		dir, out, scratch := t.TempDir(), t.TempDir(), t.TempDir()
		for i := range 4 {
			write(t, filepath.Join(dir, fmt.Sprint(i, ".log")), logOf(20+i))
		}
		lines := 20 + 21 + 22 + 23
		if how == "new" {
			write(t, filepath.Join(dir, "2.log"), "")
			lines -= 22
		}
		var once sync.Once
		attempts(t, func(ctx context.Context, work func(context.Context) error) error {
			if facts, _ := filepath.Glob(scratch + "/*/" + factsName); len(facts) > 0 {
				once.Do(func() {
					if err := change(filepath.Join(dir, "2.log")); err != nil {
						t.Error(err)
					}
				})
			}
			return work(ctx)
		})
		_, diagnosis, code := command(t, 3000, "audit", "--robots", robots, "--quiet", "--list", "all", "--out", out,
			"--scratch", scratch, dir)
		rows, _ := listedIn(t, out, ".ndjson")
		if isWhole, isRefused := len(rows)-1 == lines, how == "gone" || how == "cut short"; !isRefused &&
			(code != 0 || !isWhole) || isRefused && (code != 3 || !strings.Contains(diagnosis, "2.log: has changed")) {
			t.Errorf("%s: code %d, %d rows: %s", how, code, len(rows)-1, diagnosis)
		}
	}
}

// TestALogThatVanishesStopsNoOther: one that was divided by then is one log that could not be read,
// and is told once.
func TestALogThatVanishesStopsNoOther(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	write(t, filepath.Join(dir, "a.log"), logOf(20))
	gone := write(t, filepath.Join(dir, "b.log"), logOf(300))
	var once sync.Once
	attempts(t, func(ctx context.Context, work func(context.Context) error) error {
		once.Do(func() { _ = os.Remove(gone) })
		return work(ctx)
	})
	for _, args := range [][]string{{"--list", "all", "--out", filepath.Join(dir, "rows")}, nil} {
		once = sync.Once{}
		write(t, gone, logOf(300))
		out, diagnosis, code := command(t, 3000, append([]string{"audit", "--robots", robots, filepath.Join(dir, "a.log"),
			gone}, args...)...)
		if code != 3 || strings.Count(diagnosis, "b.log") != 1 || !strings.Contains(out, "20 of 20 crawler requests") ||
			!strings.Contains(out, "1 log could not be read") {
			t.Errorf("%s: code %d: %s%s", args, code, diagnosis, out)
		}
	}
	if rows, _ := listedIn(t, filepath.Join(dir, "rows"), ".ndjson"); len(rows) != 20+1 {
		t.Errorf("%d rows", len(rows)-1)
	}
}

// TestStatesKnowTheirLogs: merge does not count a large log twice, whatever its name is.
func TestStatesKnowTheirLogs(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	var states []string
	for _, name := range []string{"a", "b"} {
		states = append(states, filepath.Join(dir, name+".state"))
		ended(t, 0, "", 3000, "audit", "--robots", robots, "--state", states[len(states)-1],
			write(t, filepath.Join(dir, name+".log"), logOf(300)))
	}
	a, err := job.Merge(t.Context(), job.MergeOptions{States: states})
	if err != nil || a.Report.Totals.Requests != 300 {
		t.Errorf("%v, %+v", err, a)
	}
}

// TestListsThatCannotBeOpened have no result, so that an older one stays, and are told once.
func TestListsThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	list, old := write(t, filepath.Join(dir, "in", "a.txt"), "PK\x03\x04 an archive that is none"),
		write(t, filepath.Join(dir, "out", "a.txt"), "old")
	write(t, filepath.Join(dir, "in", "b.txt"), "https://a.example/\n")
	_, diagnosis := ended(t, 3, list, 1<<30, "filter", "--robots", robotsTxt(t), "--agent", "GPTBot", "--out",
		filepath.Join(dir, "out"), filepath.Join(dir, "in"))
	if kept, err := os.ReadFile(old); err != nil || string(kept) != "old" || strings.Count(diagnosis, list) != 1 {
		t.Errorf("%q, %v: %s", kept, err, diagnosis)
	}
}

// TestTheKeyIsNotReplaced by another output.
func TestTheKeyIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	key, log := write(t, filepath.Join(dir, "key"), "sixteen octets, or more"),
		write(t, filepath.Join(dir, "a.log"), logOf(3))
	for _, flag := range []string{"--html", "--state"} {
		ended(t, 2, "would replace", 1<<30, "audit", "--robots", robotsTxt(t), "--list", "all", "--out",
			filepath.Join(dir, "rows"), "--anonymize", key, "--force", flag, key, log)
		if text, err := os.ReadFile(key); err != nil || string(text) != "sixteen octets, or more" {
			t.Errorf("%s: %q, %v", flag, text, err)
		}
	}
}

// TestRefusalsAreUsageErrors: what a worker refuses because of the options ends the command as it
// ends robotsieve, and what can be known before is told before anything is read.
func TestRefusalsAreUsageErrors(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	log := write(t, filepath.Join(dir, "a.log"), strings.ReplaceAll(logOf(300), "192", "a.example:80 192"))
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--format", "vhost_combined"}, "names hosts"},
		{[]string{"--fail-on", "violation.verified>0", "--host", "https://a.example"}, "can never hold"},
		{[]string{"--host", "https://b.example=nothing"}, "names none of the logs"},
	} {
		ended(t, 2, c.says, 9000, append(append([]string{"audit", "--quiet", "--robots", robots, "--list", "all", "--out",
			out}, c.args...), log)...)
		if names, _ := filepath.Glob(filepath.Join(out, "*")); c.args[0] != "--host" && len(names) > 0 {
			t.Errorf("%s: %v", c.args, names)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRowsThatNobodyCanSeeAreMissed: rows that are in a folder of that name elsewhere are an error.
func TestRowsThatNobodyCanSeeAreMissed(t *testing.T) {
	robots, dir := robotsTxt(t), t.TempDir()
	out := filepath.Join(dir, "out")
	attempts(t, func(ctx context.Context, work func(context.Context) error) error {
		err := work(ctx)
		return errors.Join(err, os.RemoveAll(out))
	})
	if printed, _ := ended(t, 3, "rows-00000.ndjson", 1<<30, "audit", "--robots", robots, "--list", "all", "--out", out,
		write(t, filepath.Join(dir, "a.log"), logOf(3))); !strings.Contains(printed, "GPTBot") {
		t.Error(printed)
	}
	ended(t, 3, "is it a folder that all workers share", 1<<30, "filter", "--robots", robots, "--agent", "x", "--out", out,
		write(t, filepath.Join(dir, "urls.txt"), "https://a.example/\n"))
}

// manyShards stands for 32,769 audits, of which two have lines.
type manyShards struct{}

func (*manyShards) ProcessElement(_ []byte, emit func(int, string)) {
	emit(0/fan, "shard-0")
	emit(32768/fan, "shard-32768")
}

// takeSum takes the names of sums.
type takeSum struct{}

var sums struct {
	sync.Mutex
	names []string
}

func (*takeSum) ProcessElement(_ int, name string) {
	sums.Lock()
	defer sums.Unlock()
	sums.names = append(sums.names, name)
}

// TestOneSumOfAnyNumberOfShards: the last step of the tree adds up all that the others have left.
func TestOneSumOfAnyNumberOfShards(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	scratch := t.TempDir()
	beam.ParDo0(s, &takeSum{}, addedUpInATree(s, &spec{Scratch: scratch}, beam.ParDo(s, &manyShards{}, beam.Impulse(s))))
	attempts(t, func(context.Context, func(context.Context) error) error { return nil })
	if err := run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if want := join(scratch, "sum-2-000000.state"); len(sums.names) != 1 || sums.names[0] != want {
		t.Errorf("the sums are %q", sums.names)
	}
}

// flaky is a filesystem in memory whose names are URLs, as those of Beam's are, and which fails at
// times.
type flaky struct{ filesystem.Interface }

var faulty struct {
	sync.Mutex
	opens, failing map[string]int // how often a file was opened, and which time it breaks off
	sizes          map[string]int // how often its size is not known
}

// inMemory is the name of a file in memory.
func inMemory(name string) string {
	u, err := url.Parse(name)
	if err != nil {
		return "memfs://invalid"
	}
	return "memfs://flaky-" + u.Host + u.Path
}

func (f *flaky) List(ctx context.Context, pattern string) ([]string, error) {
	names, err := f.Interface.List(ctx, inMemory(pattern))
	for i := range names {
		names[i] = strings.Replace(names[i], "memfs://flaky-", "flaky://", 1)
	}
	return names, err
}

func (f *flaky) Size(ctx context.Context, name string) (int64, error) {
	faulty.Lock()
	defer faulty.Unlock()
	if faulty.sizes[name]--; faulty.sizes[name] >= 0 {
		return -1, errors.New("503")
	}
	return f.Interface.Size(ctx, inMemory(name))
}

func (f *flaky) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return f.Interface.OpenWrite(ctx, inMemory(name))
}

func (f *flaky) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	faulty.Lock()
	defer faulty.Unlock()
	faulty.opens[name]++
	r, err := f.Interface.OpenRead(ctx, inMemory(name))
	if err == nil && faulty.opens[name] == faulty.failing[name] {
		return io.NopCloser(io.MultiReader(io.LimitReader(r, 10), iotest.ErrReader(errors.New("connection reset")))), nil
	}
	return r, err
}

// Remove implements filesystem.Remover.
func (f *flaky) Remove(ctx context.Context, name string) error {
	return f.Interface.(filesystem.Remover).Remove(ctx, inMemory(name))
}

// put puts a file on the flaky filesystem.
func put(t *testing.T, name, text string) {
	t.Helper()
	w, err := memfs.New(t.Context()).OpenWrite(t.Context(), inMemory(name))
	if err == nil {
		_, err = io.Copy(w, bytes.NewReader([]byte(text)))
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestConnectionsThatBreak: copies are found, and counted once, though files cannot be read at the
// first time; and a file that is named twice is read once.
func TestConnectionsThatBreak(t *testing.T) {
	wait := pause
	t.Cleanup(func() { pause = wait })
	pause = time.Millisecond
	robots := robotsTxt(t)
	put(t, "flaky://logs/a.log", logOf(50))
	put(t, "flaky://logs/b.log", logOf(50))
	for fails := range 4 {
		faulty.opens, faulty.failing, faulty.sizes = map[string]int{}, map[string]int{"flaky://logs/b.log": fails},
			map[string]int{"flaky://logs/b.log": fails}
		out, diagnosis := ended(t, 0, "a.log is named twice", 1<<30, "audit", "--robots", robots, "--output", "json",
			"flaky://logs/a.log", "flaky://logs/*.log")
		if r := reportOf(t, out); r.Lines != 50 || !strings.Contains(diagnosis, "same content") {
			t.Errorf("the opening %d fails: %d lines: %s", fails, r.Lines, diagnosis)
		}
	}
	faulty.sizes = map[string]int{"flaky://logs/b.log": 99}
	out, _ := ended(t, 3, "b.log: 503", 1<<30, "audit", "--robots", robots, "--output", "json", "flaky://logs/*.log")
	if r := reportOf(t, out); r.Lines != 50 {
		t.Errorf("no size: %d lines", r.Lines)
	}
}

// TestNamesThatBeamReadsInAnotherWay are refused, or told as files that cannot be read.
func TestNamesThatBeamReadsInAnotherWay(t *testing.T) {
	robots := robotsTxt(t)
	log := write(t, filepath.Join(t.TempDir(), "a.log"), logOf(5))
	for _, args := range [][]string{
		{"--list", "all", "--out", "flaky://rows/x%202026", log}, {"--list", "all", "--out", "flaky://rows/*", log},
		{"--scratch", "flaky://s/a#b", log}, {"flaky://logs/a?.log"},
	} {
		ended(t, 2, "the name has one of", 1<<30, append([]string{"audit", "--robots", robots}, args...)...)
	}
	faulty.opens, faulty.failing, faulty.sizes = map[string]int{}, nil, map[string]int{}
	put(t, "flaky://odd/day%231.log", logOf(5))
	put(t, "flaky://odd/day2.log", logOf(6))
	out, _ := ended(t, 3, "day#1.log: the name has one of", 1<<30, "audit", "--robots", robots, "--output", "json",
		"flaky://odd/*.log")
	if r := reportOf(t, out); r.Lines != 6 {
		t.Errorf("%d lines", r.Lines)
	}
	ended(t, 0, "", 1<<30, "audit", "--robots", robots, "--quiet", "--list", "all", "--out", "flaky://rows/plain",
		"--scratch", "flaky://scratch/s", log)
	ended(t, 2, "the name has one of", 1<<30, "filter", "--robots", robots, "--agent", "x", "--out", "flaky://kept/f",
		write(t, filepath.Join(t.TempDir(), "day#1.txt"), "https://a.example/\n"))
	for pattern, want := range map[string]int{"memfs://flaky-rows/plain/rows-00000.ndjson": 1,
		"memfs://flaky-scratch/**": 0} {
		if names, err := memfs.New(t.Context()).List(t.Context(), pattern); err != nil || len(names) != want {
			t.Errorf("%s: %v, %q", pattern, err, names)
		}
	}
}
