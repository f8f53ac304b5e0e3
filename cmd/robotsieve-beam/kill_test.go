//go:build unix

package main

import (
	"context"
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

// asCommand is the variable of the environment with which the test is the program.
const asCommand = "ROBOTSIEVE_BEAM_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		workIfWorker()
		os.Exit(program(8_000).Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestKilledAtRandomMoments kills the program while it works: each file that has its name is whole,
// and when the work is done again, all are as if it had never been killed. SIGTERM leaves no other
// files behind; SIGKILL may leave hidden ones.
func TestKilledAtRandomMoments(t *testing.T) {
	audited, _ := logs(t, 3)
	dir, robots, _ := lists(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"audit":  append(slices.Clone(audited), "--quiet", "--list", "all", "--force"),
		"filter": {"filter", "--robots", robots, "--agent", "GPTBot", filepath.Join(dir, "lists")},
	} {
		for signal, what := range map[syscall.Signal]string{syscall.SIGTERM: " is told to end",
			syscall.SIGKILL: " is killed"} {
			t.Run(name+what, func(t *testing.T) {
				out, full, temp := t.TempDir(), t.TempDir(), t.TempDir()
				launch := func(out string) *exec.Cmd {
					c := exec.Command(self, append(slices.Clone(args), "--out", out)...)
					c.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+temp)
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					return c
				}
				begin := time.Now()
				_ = launch(full).Wait()
				takes := time.Since(begin)
				want, _ := filesIn(t, full)
				rng, killed := rand.New(rand.NewPCG(1, uint64(signal))), 0
				for range 6 {
					c := launch(out)
					time.Sleep(time.Duration(rng.Int64N(int64(takes))))
					_ = c.Process.Signal(signal)
					_ = c.Wait()
					if c.ProcessState.ExitCode() != 3 {
						killed++
					}
					got, hidden := filesIn(t, out)
					for name, data := range got {
						rest, _ := filepath.Rel(out, name)
						if whole := want[filepath.Join(full, rest)]; strings.ReplaceAll(data, out, full) != whole {
							t.Errorf("%s has %d bytes, and not %d", rest, len(data), len(whole))
						}
					}
					left, err := os.ReadDir(temp)
					if signal == syscall.SIGTERM && (len(hidden) > 0 || len(left) > 0 || err != nil) {
						t.Errorf("left behind: %v, %v, %v", hidden, left, err)
					}
				}
				_ = launch(out).Wait()
				got, _ := filesIn(t, out)
				for name, data := range want {
					rest, _ := filepath.Rel(full, name)
					if again := strings.ReplaceAll(got[filepath.Join(out, rest)], out, full); again != data {
						t.Errorf("%s has %d bytes, and not %d", rest, len(again), len(data))
					}
				}
				if len(got) != len(want) || len(got) < 10 || killed < 2 {
					t.Errorf("%d files, and not %d; killed %d times", len(got), len(want), killed)
				}
			})
		}
	}
}
