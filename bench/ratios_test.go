package bench_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRatios runs the script of make bench on a log of 1 MB, and checks that all rows are there and that missing
// programs are reported.
func TestRatios(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	program := t.TempDir() + "/robotsieve"
	if out, err := exec.Command("go", "build", "-pgo=off", "-o", program,
		"../cmd/robotsieve").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := exec.Command("bash", "ratios.sh", "1", "1")
	c.Env = append(c.Environ(), "ROBOTSIEVE="+program, "TMPDIR="+t.TempDir(), "SHARED=none")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, row := range []string{"audit of .gz", "audit of .zst", "audit of plain", "audit of JSON", "audit by two versions",
		"filter of URLs", "filter of quoted CSV", "filter of Parquet", "compile", "audit of 30 rotated", "audit of 1 MB", "version"} {
		if !strings.Contains(string(out), "\n| "+row) {
			t.Errorf("no row of %s:\n%s", row, out)
		}
	}
	if strings.Contains(string(out), "rotated .gz | 0.000 ") { // 30 files and a warning on stderr
		t.Errorf("what the audit says on stderr is taken for its time:\n%s", out)
	}
	for program, name := range map[string]string{"igzip": "igzip -dc", "duckdb": "duckdb -csv", "lnav": "lnav -n"} {
		if _, err := exec.LookPath(program); err != nil && !strings.Contains(string(out), name+" is missing") {
			t.Errorf("%s is not said to be missing:\n%s", program, out)
		}
	}
}
