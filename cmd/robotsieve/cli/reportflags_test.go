package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files of the report are written beside it, or in place of it, by an audit and by a merge.
func TestReportFiles(t *testing.T) {
	args, log := failOnFiles(t)
	dir := t.TempDir()
	state, prom, merged := filepath.Join(dir, "a.state"), filepath.Join(dir, "a.prom"), filepath.Join(dir, "b.prom")
	r := command(t, "", append(append([]string{"audit", "--quiet", "--fail-on", "violation>0", "--prometheus", prom, "--state", state}, args...), log)...)
	if r.code != exitFound || r.out != "" || r.err != "robotsieve: --fail-on violation>0: there are 7\n" {
		t.Errorf("--quiet: %+v", r)
	}
	if r := command(t, "", "merge", "--prometheus", merged, "--output", "csv", state); r.code != exitDone || !strings.HasPrefix(r.out, "record,") {
		t.Errorf("merge: %+v", r)
	}
	one, err := os.ReadFile(prom)
	other, err2 := os.ReadFile(merged)
	if err != nil || err2 != nil || string(one) != string(other) || !strings.Contains(string(one), `robotsieve_requests{crawler="GPTBot",operator="OpenAI",role="crawler",verdict="violation"} 3`+"\n") {
		t.Errorf("%v, %v:\n%s\n%s", err, err2, one, other)
	}
	if r := command(t, "", append(append([]string{"audit", "--prometheus", prom}, args...), log)...); r.code != exitDone {
		t.Errorf("over a file of the same kind: %+v", r)
	}
}

// No file of the report is an input, another output, or a file of another kind.
func TestReportFilesReplaceNothingElse(t *testing.T) {
	args, log := failOnFiles(t)
	robots, dir := args[1], t.TempDir()
	notes := file(t, "notes.txt", "mine")
	fresh := filepath.Join(dir, "new.prom")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"the log":        {[]string{"--prometheus", log, "--force"}, exitUsage, "which is to be read"},
		"the robots.txt": {[]string{"--prometheus", robots, "--force"}, exitUsage, "which is to be read"},
		"two flags":      {[]string{"--prometheus", fresh, "--state", dir + "/./new.prom"}, exitUsage, "--state and --prometheus would both write"},
		"a file of text": {[]string{"--prometheus", notes}, exitUsage, "would replace a file that is not a file of figures for Prometheus"},
		"a folder":       {[]string{"--prometheus", dir}, exitInput, "not a regular file"},
		"in no folder":   {[]string{"--prometheus", filepath.Join(dir, "none", "a.prom")}, exitInput, "none"},
		"with --force":   {[]string{"--prometheus", file(t, "old.txt", "mine"), "--force"}, exitDone, ""},
	} {
		r := command(t, "", append(append([]string{"audit"}, append(c.args, args...)...), log)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: code %d, stderr %q; want %d and %q", name, r.code, r.err, c.code, c.says)
		}
	}
}
