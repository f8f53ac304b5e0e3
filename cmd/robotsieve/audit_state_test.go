package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report of hours of reading is not lost because its state could not be
// written.
func TestReportIsPrintedWhereTheStateCannotBeWritten(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	// The folder is there when the flags are checked, and gone when the log has been read.
	in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), dir}
	var out, diag strings.Builder
	code := run(t.Context(), []string{"audit", "--robots", robots, "--output", "json", "--fail-on", "violation>0",
		"--state", filepath.Join(dir, "a.state"), "-"}, streams{in, &out, &diag})
	r := result{out.String(), diag.String(), code}
	if report := auditJSON(t, r); code != exitInput || report["lines"] != 1.0 || !strings.Contains(r.err, "a.state") || strings.Contains(r.err, "--fail-on") {
		t.Errorf("code %d, %v lines, stderr %q", code, report["lines"], r.err)
	}
}

// vanishing removes a folder when it is read.
type vanishing struct {
	*strings.Reader
	dir string
}

func (v *vanishing) Read(p []byte) (int, error) {
	os.RemoveAll(v.dir)
	return v.Reader.Read(p)
}

func TestStateIsRefusedBeforeAnythingIsRead(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no such folder": {[]string{"--state", filepath.Join(dir, "none", "a.state")}, exitInput, "none"},
		"a folder":       {[]string{"--state", dir}, exitInput, dir},
		"with --resolve": {[]string{"--state", filepath.Join(dir, "a.state"), "--resolve"}, exitUsage, "--resolve has no effect on a state"},
	} {
		t.Run(name, func(t *testing.T) {
			in := &vanishing{strings.NewReader(logLine("/p", "GPTBot/1")), ""}
			var out, diag strings.Builder
			code := run(t.Context(), append([]string{"audit", "--robots", robots, "-"}, c.args...), streams{in, &out, &diag})
			if code != c.code || !strings.Contains(diag.String(), c.says) || out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q; want %d and %q", code, out.String(), diag.String(), c.code, c.says)
			}
			if in.Len() == 0 {
				t.Error("the log was read")
			}
		})
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
