//go:build unix

package cli

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// TestSignalsEndTheReadingOfPipes checks that the first SIGINT or SIGTERM ends a command that waits
// for a pipe.
func TestSignalsEndTheReadingOfPipes(t *testing.T) {
	t.Parallel() // it waits for processes
	dir := faultyTree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	pipe := at("pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	audit := []string{"audit", "--robots", at("robots.txt"), at("a.log")}
	for name, args := range map[string][]string{
		"ranges":   append(audit, "--ip-ranges", "gptbot="+pipe),
		"crawlers": append(audit, "--crawlers", pipe),
		"log":      append(audit, pipe),
		"format":   append(audit, "--format", pipe+":main"),
		"urls":     {"filter", "--robots", at("robots.txt"), "--agent", "x", pipe},
		"compile":  {"compile", "-o", at("out"), pipe},
		"check":    {"check", "--robots", pipe, "--agent", "x", "/p"},
		"captures": {"history", "captures", "-o", at("out"), pipe},
	} {
		for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			c := launched(t, args...)
			must.Do(t, c.Start())
			time.Sleep(100 * time.Millisecond)
			killed := time.AfterFunc(5*time.Second, func() { c.Process.Kill() })
			c.Process.Signal(sent)
			c.Wait()
			if !killed.Stop() {
				t.Errorf("%s: %v does not end it", name, sent)
			}
			status := c.ProcessState.Sys().(syscall.WaitStatus)
			if status.ExitStatus() != exitInterrupted && !(status.Signaled() && status.Signal() == sent) {
				t.Errorf("%s: %v: %v", name, sent, c.ProcessState)
			}
		}
	}
	if _, err := os.Stat(at("out")); err == nil {
		t.Error("there is an output")
	}
}

// TestIgnoredSignalStaysIgnored checks that a signal ignored by nohup stays ignored.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	c := launched(t, "audit", "--robots", robots, "-")
	c.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	in := must.Get(c.StdinPipe())(t)
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

// TestInterruptedRowsAreWhole checks that the first SIGINT ends a list of rows properly: rows are
// complete, and Parquet has its footer.
func TestInterruptedRowsAreWhole(t *testing.T) {
	skipUnderRace(t)
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	for _, output := range []string{"ndjson", "csv", "parquet"} {
		c := launched(t, "audit", "--robots", robots, "--list", "all", "--output", output, "-")
		var out bytes.Buffer
		c.Stdout = &out
		in := must.Get(c.StdinPipe())(t)
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		if _, err := in.Write([]byte(manyViolations(10_000))); err != nil {
			t.Error(err)
		}
		time.Sleep(100 * time.Millisecond)
		c.Process.Signal(os.Interrupt)
		err := c.Wait()
		in.Close()
		if text := out.String(); c.ProcessState.ExitCode() != exitInterrupted ||
			!strings.HasSuffix(text, map[string]string{"parquet": "PAR1"}[output]) || output != "parquet" && text != "" &&
			!strings.HasSuffix(text, "\n") || len(text) < 8 {
			t.Errorf("%s: %v, %d bytes end in %q", output, err, len(text), text[max(len(text)-10, 0):])
		}
	}
}

var kills = flag.Int("kills", 8, "how often each command is killed at a random moment")

// TestKilledAtRandomMoments checks that after a kill the output file is either the old one or a
// complete new one, and that no other file remains. Only SIGKILL, between two system calls, may
// leave a hidden file next to the output.
func TestKilledAtRandomMoments(t *testing.T) {
	skipUnderRace(t)
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
				must.Do(t, os.WriteFile(out, j.old, 0o600))
			}
			replaceable()
			old, begin := f.content(t), time.Now()
			if text, err := launched(t, j.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			whole := time.Since(begin)
			f.wrote = f.content(t)
			f.files = f.left(t)
			for range *kills {
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
	must.Do(t, c.Start())
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
			reporttest.FirstDifference(is, f.wrote))
	}
	files := f.left(t)
	if by == syscall.SIGKILL {
		files = slices.DeleteFunc(files, func(name string) bool { return f.hidden(name) && os.Remove(name) == nil })
	}
	if !slices.Equal(files, f.files) {
		t.Errorf("%v after %v: the files are %q, and were %q", by, after, files, f.files)
	}
}

// hidden reports whether a file is a new output without its name, or a temporary file whose name was
// about to be removed.
func (f *faults) hidden(name string) bool {
	dir, base := filepath.Split(name)
	return filepath.Clean(dir) == filepath.Dir(f.output) && strings.HasPrefix(base, "."+filepath.Base(f.output)) ||
		strings.HasPrefix(base, "robotsieve-")
}
