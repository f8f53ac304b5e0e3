//go:build unix

package cli

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The first SIGINT, SIGTERM or SIGHUP ends a command that waits for a pipe, whatever it wants to
// read from it: when nobody has opened the pipe to write, and when nothing is written.
func TestSignalsEndTheReadingOfPipes(t *testing.T) {
	t.Parallel() // it waits for processes
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	pipe := at("pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	audit := []string{"audit", "--robots", at("robots.txt"), at("a.log")}
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as by nohup
		signals = append(signals, syscall.SIGHUP)
	}
	n := 0
	for name, args := range map[string][]string{
		"robots":          {"audit", "--robots", pipe, at("a.log")},
		"policy":          {"audit", "--policy", pipe, at("a.log")},
		"ranges":          append(audit, "--ip-ranges", "gptbot="+pipe),
		"names":           append(audit, "--resolved-names", pipe),
		"crawlers":        append(audit, "--crawlers", pipe),
		"log":             append(audit, pipe),
		"format":          append(audit, "--format", pipe+":main"),
		"explain format":  {"formats", "--explain", "--format", pipe + ":main", at("a.log")},
		"explain log":     {"formats", "--explain", pipe},
		"anonymize":       append(audit, "--list", "all", "--anonymize", pipe),
		"filter warc":     {"filter", "--robots", at("robots.txt"), "--agent", "x", "--format", "warc", pipe},
		"check crawlers":  {"check", "--robots", at("robots.txt"), "--crawlers", pipe, "--agent", "x", "/p"},
		"filter robots":   {"filter", "--robots", pipe, "--agent", "x", at("urls.txt")},
		"filter crawlers": {"filter", "--robots", at("robots.txt"), "--crawlers", pipe, "--agent", "x", at("urls.txt")},
		"urls":            {"filter", "--robots", at("robots.txt"), "--agent", "x", pipe},
		"compile":         {"compile", "-o", at("out"), pipe},
		"dump":            {"compile", "--dump", pipe},
		"check":           {"check", "--robots", pipe, "--agent", "x", "/p"},
		"list crawlers":   {"crawlers", "--crawlers", pipe},
		"captures":        {"history", "captures", "-o", at("out"), pipe},
		"wayback":         {"history", "wayback", "-o", at("out"), pipe},
		"history log":     {"history", "log", pipe},
		"bench robots":    {"bench", "--robots", pipe, "--agent", "x", at("urls.txt")},
		"bench urls":      {"bench", "--robots", at("robots.txt"), "--agent", "x", pipe},
	} {
		for _, opened := range []bool{false, true} {
			sent := signals[n%len(signals)]
			n++
			w, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !opened {
				w.Close()
			}
			c := launched(t, args...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			killed := time.AfterFunc(5*time.Second, func() { c.Process.Kill() })
			c.Process.Signal(sent)
			c.Wait()
			w.Close()
			if !killed.Stop() {
				t.Errorf("%s, opened %v: %v does not end it", name, opened, sent)
			}
			status := c.ProcessState.Sys().(syscall.WaitStatus)
			if status.ExitStatus() != exitInterrupted && !(status.Signaled() && status.Signal() == sent) {
				t.Errorf("%s, opened %v: %v: %v", name, opened, sent, c.ProcessState)
			}
		}
	}
	if _, err := os.Stat(at("out")); err == nil {
		t.Error("there is an output")
	}
}

// What nohup ignores stays ignored.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	c := launched(t, "audit", "--robots", robots, "-")
	c.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	if _, err := in.Write([]byte(manyViolations(1000))); err != nil {
		t.Error(err)
	}
	time.Sleep(100 * time.Millisecond)
	c.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// The first SIGINT ends a list of rows: these are whole, and Parquet has its footer.
func TestInterruptedRowsAreWhole(t *testing.T) {
	skipUnderRace(t)
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	for _, output := range []string{"ndjson", "csv", "parquet"} {
		c := launched(t, "audit", "--robots", robots, "--list", "all", "--output", output, "-")
		var out bytes.Buffer
		c.Stdout = &out
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		if _, err := in.Write([]byte(manyViolations(10_000))); err != nil {
			t.Error(err)
		}
		time.Sleep(100 * time.Millisecond)
		c.Process.Signal(os.Interrupt)
		err = c.Wait()
		in.Close()
		if text := out.String(); c.ProcessState.ExitCode() != exitInterrupted ||
			!strings.HasSuffix(text, map[string]string{"parquet": "PAR1"}[output]) || output != "parquet" && text != "" &&
			!strings.HasSuffix(text, "\n") || len(text) < 8 {
			t.Errorf("%s: %v, %d bytes end in %q", output, err, len(text), text[max(len(text)-10, 0):])
		}
	}
}

var kills = flag.Int("kills", 12, "how often each command is killed at a random moment")

// TestKilledAtRandomMoments: whenever a command is killed, its output file is the old one or a
// whole new one, and no other file
// is left. Only SIGKILL, between two calls of the system, may leave a hidden one beside the output.
func TestKilledAtRandomMoments(t *testing.T) {
	skipUnderRace(t)
	n := *kills
	if testing.Short() {
		n = min(n, 5)
	}
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	out := filepath.Join(t.TempDir(), "out")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	oldState, oldArchive := plain(t, at("1.state")), plain(t, at("hosts.rsv"))
	for name, j := range map[string]struct {
		args []string
		old  []byte
	}{
		"audit": {[]string{"audit", "--output", "json", "--robots", at("robots.txt"), "--memory", "1MB", "--state", out,
			at("big.log"), at("b.log.gz")}, oldState},
		"merge": {[]string{"merge", "--output", "json", "--memory", "1MB", "--state", out, at("1.state"), at("2.state")},
			oldState},
		"compile": {[]string{"compile", "-o", out, at("hosts"), at("more.jsonl")}, oldArchive},
		"filter":  {[]string{"filter", "--rules", at("hosts.rsv"), "--agent", "x", at("urls.txt")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			job := faultyJob{args: j.args}
			if j.old != nil {
				job.output = out
			}
			f := faults{faultyJob: job, dirs: []string{dir, temp, filepath.Dir(out)}}
			replaceable := func() {
				os.Remove(out)
				if j.old == nil {
					return
				}
				if err := os.WriteFile(out, j.old, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			replaceable()
			old, begin := f.content(t), time.Now()
			if text, err := launched(t, j.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			whole := time.Since(begin)
			f.wrote = f.content(t)
			f.files = f.left(t)
			for range n {
				replaceable()
				f.kill(t, old, whole)
			}
		})
	}
}

// kill kills the job at a moment of the time that it takes.
func (f *faults) kill(t *testing.T, old string, whole time.Duration) {
	t.Helper()
	by := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}[rand.IntN(4)]
	after := rand.N(whole + whole/10)
	c := launched(t, f.args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	if err := c.Process.Signal(by); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	c.Wait()
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() && status.ExitStatus() != exitDone && status.ExitStatus() != exitInterrupted ||
		status.Signaled() && status.Signal() != by {
		t.Errorf("%v after %v: %v", by, after, c.ProcessState)
	}
	is := f.content(t)
	if partial := status.ExitStatus() == exitInterrupted && strings.Contains(is, isPartial); is != old && is != f.wrote &&
		!partial {
		t.Errorf("%v after %v: the output is neither the old file nor the new one, which differs at %s", by, after,
			firstDifference(is, f.wrote))
	}
	files := f.left(t)
	if by == syscall.SIGKILL {
		files = slices.DeleteFunc(files, func(name string) bool { return f.hidden(name) && os.Remove(name) == nil })
	}
	if !slices.Equal(files, f.files) {
		t.Errorf("%v after %v: the files are %q, and were %q", by, after, files, f.files)
	}
}

// hidden reports whether a file is a new output without its name.
func (f *faults) hidden(name string) bool {
	return filepath.Dir(name) == filepath.Dir(f.output) &&
		strings.HasPrefix(filepath.Base(name), "."+filepath.Base(f.output)+".")
}

// TestKilledEvidence: whatever SIGKILL leaves beside a folder of evidence is removed by the next audit that makes it.
func TestKilledEvidence(t *testing.T) {
	t.Parallel() // it waits for processes and the disk
	skipUnderRace(t)
	log := file(t, "a.log", strings.Repeat(logLine("/p", "GPTBot/1"), 15_000))
	dir := filepath.Join(t.TempDir(), "ev")
	args := []string{"audit", "--quiet", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), "--evidence",
		dir, "--force", log}
	begin := time.Now()
	if text, err := launched(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	whole, left := time.Since(begin), 0
	for range min(*kills, 4) {
		c := launched(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole/2 + rand.N(whole/2))
		_ = c.Process.Kill()
		_ = c.Wait()
		if names, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".ev.*.tmp")); len(names) > 0 {
			left++
		}
	}
	if text, err := launched(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("after %d folders were left: %v, %v", left, entries, err)
	}
	verifies(t, dir)
}
