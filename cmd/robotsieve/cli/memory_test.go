package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
)

// manyViolations is a log of n lines that differ, each of which has to wait for
// the end of the log, and some of browsers, which have not.
func manyViolations(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `198.51.%d.%d - - [%02d/Nov/2026:%02d:%02d:%02d +0000] "GET /p/%d HTTP/1.1" 200 5 "-" "%s"`+"\n",
			i/256%256, i%256, 1+i/86400%28, i/3600%24, i/60%60, i%60, i*7919%n,
			[]string{"GPTBot/1", googleAgent, "New-Bot/1 (+http://x.example)"}[i%3])
		if i%10 == 0 {
			b.WriteString(logLine("/p", "Mozilla/5.0 Firefox/1"))
		}
	}
	return b.String()
}

// tempDir makes an empty folder the one for temporary files, and returns a
// function that fails the test unless it still is empty.
func tempDir(t *testing.T) (dir string, empty func(when string)) {
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir, func(when string) {
		t.Helper()
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", when, list, err)
		}
	}
}

// TestLittleMemoryMakesTheSameReport checks that the report is the same with little memory, and
// that no file remains.
func TestLittleMemoryMakesTheSameReport(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ncrawl-delay: 1\ndisallow: /p\n")
	log := manyViolations(25_000) // a small part of it would fill the memory
	a, b := file(t, "a.log", log[:len(log)/3]), file(t, "b.log.gz", gzipped(t, log[len(log)/3:]))
	state := filepath.Join(t.TempDir(), "a.state")
	_, empty := tempDir(t)
	audit := func(args ...string) result {
		return command(t, "", append([]string{"audit", "--robots", robots, "--output", "json", "--samples", "2"},
			append(args, a, b)...)...)
	}
	want := audit("--workers", "1")
	for how, got := range map[string]result{
		"one worker":   audit("--memory", "1MB", "--workers", "1"),
		"four workers": audit("--memory", "1MB", "--workers", "4"),
		"and a state":  audit("--memory", "1MB", "--workers", "2", "--state", state),
		"merged":       command(t, "", "merge", "--memory", "1MB", "--output", "json", state),
	} {
		if got.code != exitDone || withoutInputs(got.out) != withoutInputs(want.out) {
			t.Errorf("%s: code %d, stderr %q, differs at %s", how, got.code, got.err, reporttest.FirstDifference(got.out, want.out))
		}
		empty(how)
	}

	zipped := gzipped(t, log)
	torn := command(t, "", "audit", "--robots", robots, "--memory", "1MB", "--samples", "1",
		file(t, "torn.gz", zipped[:len(zipped)-20]))
	if torn.code != exitInput || !strings.HasPrefix(torn.out, "PARTIAL") {
		t.Errorf("torn: code %d, %.100q", torn.code, torn.out)
	}
	empty("torn")
}
