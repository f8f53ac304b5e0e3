//go:build unix

package cli

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 20, "how often each command is killed at a random moment")

// launched is the command in a process of its own.
func launched(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

// TestKilledAtRandomMoments: whenever a command is killed, its output file is the old one or a whole new one, and no other file
// is left. Only SIGKILL, between two calls of the system, may leave a hidden one beside the output.
func TestKilledAtRandomMoments(t *testing.T) {
	if underRace {
		t.Skip("its processes are tried without the race detector")
	}
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
		"audit":   {[]string{"audit", "--output", "json", "--robots", at("robots.txt"), "--memory", "1MB", "--state", out, at("big.log"), at("b.log.gz")}, oldState},
		"merge":   {[]string{"merge", "--output", "json", "--memory", "1MB", "--state", out, at("1.state"), at("2.state")}, oldState},
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
	if !status.Signaled() && status.ExitStatus() != exitDone && status.ExitStatus() != exitInterrupted || status.Signaled() && status.Signal() != by {
		t.Errorf("%v after %v: %v", by, after, c.ProcessState)
	}
	is := f.content(t)
	if partial := status.ExitStatus() == exitInterrupted && strings.Contains(is, isPartial); is != old && is != f.wrote && !partial {
		t.Errorf("%v after %v: the output is neither the old file nor the new one, which differs at %s", by, after, firstDifference(is, f.wrote))
	}
	files := f.left(t)
	if by == syscall.SIGKILL {
		files = slices.DeleteFunc(files, func(name string) bool { return f.hidden(name) && os.Remove(name) == nil })
	}
	if !slices.Equal(files, f.files) {
		t.Errorf("%v after %v: the files are %q, and were %q", by, after, files, f.files)
	}
}

// hidden tells whether a file is a new output without its name.
func (f *faults) hidden(name string) bool {
	return filepath.Dir(name) == filepath.Dir(f.output) && strings.HasPrefix(filepath.Base(name), "."+filepath.Base(f.output)+".")
}

// TestKilledEvidence: whatever SIGKILL leaves beside a folder of evidence is removed by the next audit that makes it.
func TestKilledEvidence(t *testing.T) {
	if underRace {
		t.Skip("its processes are tried without the race detector")
	}
	log := file(t, "a.log", strings.Repeat(logLine("/p", "GPTBot/1"), 50_000))
	dir := filepath.Join(t.TempDir(), "ev")
	args := []string{"audit", "--quiet", "--robots", file(t, "robots.txt", "user-agent: *\ndisallow: /p\n"), "--evidence", dir, "--force", log}
	begin := time.Now()
	if text, err := launched(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	whole, left := time.Since(begin), 0
	for range min(*kills, 8) {
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
	verifies(t, dir, log)
}
