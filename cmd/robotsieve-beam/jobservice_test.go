//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
)

// TestJobServiceInAnotherProcess submits audits to Prism in a process of its own, as to the job
// service of a cluster: with the work done in the submitting process, and in worker processes that
// share nothing with it but the scratch folder and --out.
func TestJobServiceInAnotherProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "prism"),
		"github.com/apache/beam/sdks/v2/go/cmd/prism").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Prism does not stage the program, but has a command that starts a worker: here what would be
	// in a container.
	worker := filepath.Join(dir, "worker")
	script := `#!/bin/sh
for a; do case $a in --id=*) id=$(echo "${a#--id=}" | tr -d "'");; --provision_endpoint=*) at=${a#--provision_endpoint=};; esac; done
echo begun >> ` + worker + `.log
` + asCommand + `=1 exec ` + self + ` --worker --id="$id" --logging_endpoint="$at" --control_endpoint="$at" --options='{}'
`
	if err := os.WriteFile(worker, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	prism := exec.Command(filepath.Join(dir, "prism"), "-job_port", port, "-serve_http=false")
	if err := prism.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = prism.Process.Kill(); _ = prism.Wait() })

	args, set := logs(t, 9)
	want, rows := oneAudit(t, set), oneList(t, set, cli.Rows{List: "violations", Output: "ndjson"})
	for environment, flags := range map[string][]string{
		"LOOPBACK": nil, "PROCESS": {"--environment_config", fmt.Sprintf(`{"command":%q}`, worker)},
	} {
		out, scratch := filepath.Join(dir, environment), filepath.Join(dir, "scratch")
		submit := func(more ...string) string {
			c := exec.Command(self, slices.Concat(args, flags, more, []string{
				"--runner", "universal", "--endpoint", "localhost:" + port, "--environment_type", environment, "--scratch", scratch,
			})...)
			c.Env = append(os.Environ(), asCommand+"=1")
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Run(); c.ProcessState.ExitCode() != 3 || !strings.Contains(stderr.String(), "damaged.log.gz") {
				t.Fatalf("%s: %v: %s%s", environment, err, stdout.String(), stderr.String())
			}
			return stdout.String()
		}
		same(t, reportOf(t, submit("--output", "json")), want)
		submit("--quiet", "--list", "violations", "--out", out)
		if got, _ := listedIn(t, out, ".ndjson"); !slices.Equal(got, rows) {
			t.Errorf("%s: %d rows, and not %d", environment, len(got), len(rows))
		}
		if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
			t.Errorf("%s: left in the scratch folder: %v, %v", environment, left, err)
		}
	}
	if begun, err := os.ReadFile(worker + ".log"); err != nil || len(begun) == 0 {
		t.Errorf("no worker process has been started: %v", err)
	}
}
