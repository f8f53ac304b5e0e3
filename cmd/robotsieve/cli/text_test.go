package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
)

var update = flag.Bool("update", false, "write the files of testdata anew: read them before you keep them")

// TestGolden compares each output for the sample with what was read and found good. After a
// change to one, make golden writes the files of testdata anew, to be read again.
func TestGolden(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../../..")
	same := func(name, got string) {
		t.Helper()
		name = filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: it differs at %s", name, firstDifference(got, string(want)))
		}
	}
	for _, output := range report.Outputs() {
		same("sample."+output, command(t, "", append(fullAudit("testdata/sample/"), "--output", output)...).out)
	}
	for _, file := range reportFiles {
		name := filepath.Join(t.TempDir(), "file")
		r := command(t, "", append(fullAudit("testdata/sample/"), "--quiet", "--"+file.flag, name)...)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(r.err, err)
		}
		same("sample."+file.flag, strings.ReplaceAll(string(text), name, "FILE"))
	}
}

// TestWithoutAssembly: the report is the same from a program that has neither assembly nor the profile of this one.
func TestWithoutAssembly(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || testing.Short() {
		t.Skip("needs a processor that runs two architectures, and time to build for the other one")
	}
	program := filepath.Join(t.TempDir(), "robotsieve")
	build := exec.Command(goTool(t), "build", "-pgo=off", "-o", program, "..")
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := append(fullAudit(sample), "--output", "json")
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := command(t, "", args...).out; string(out) != want {
		t.Errorf("it differs at %s", firstDifference(string(out), want))
	}
}

func TestTheReportFitsAScreen(t *testing.T) {
	for width, r := range map[int]result{80: command(t, "", fullAudit(sample)...), 120: command(t, "", append(fullAudit(sample), "--full")...)} {
		for line := range strings.Lines(r.out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d characters: %s", n, line)
			}
			if strings.HasSuffix(line, " \n") {
				t.Errorf("blanks at the end of %q", line)
			}
		}
		if n := strings.Count(r.out, "\n"); width == 80 && n > 24 {
			t.Errorf("%d lines:\n%s", n, r.out)
		}
	}
}

// The sums that a reader can check are right: of lines, of clients and of verdicts.
func TestSumsInTheReportAddUp(t *testing.T) {
	report := command(t, "", append(fullAudit(sample), "--full")...).out
	number := regexp.MustCompile(`[0-9][0-9,]*`)
	of := func(line string) (list []int) {
		for _, text := range number.FindAllString(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(line, ""), -1) {
			n := 0
			fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
			list = append(list, n)
		}
		return list
	}
	checked := 0
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "Lines:") && !strings.HasPrefix(line, "Identity:") && !strings.HasPrefix(line, "all ") {
			continue
		}
		checked++
		n, sum := of(line), 0
		if strings.HasPrefix(line, "all ") {
			n = slices.Delete(n, 1, 2) // verified, which is beside the verdicts
		}
		for _, part := range n[1:] {
			sum += part
		}
		if sum != n[0] {
			t.Errorf("%d, not %d: %s", sum, n[0], line)
		}
	}
	if checked != 3 {
		t.Errorf("%d sums in\n%s", checked, report)
	}
}
