package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinesOutsideOfThePeriodCanBeParsed: a log whose requests are all before the period is no log
// of another format because of a line of rubbish.
func TestLinesOutsideOfThePeriodCanBeParsed(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	line := `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1.2"` + "\n"
	o := AuditOptions{
		Logs:   Inputs{Names: []string{put("old.log", strings.Repeat(line, 40)+"rubbish\n")}},
		Robots: RobotsFile{Name: put("robots.txt", "User-agent: *\nDisallow:\n")},
		Since:  "2026-11-02",
	}
	a, err := Audit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if in := a.Report.Inputs[0]; a.Partial || in.Error != "" || in.Lines != 1 || in.Unparsed != 1 || in.OutOfPeriod != 40 {
		t.Errorf("partial %v, %+v", a.Partial, in)
	}
	o.Logs.Names[0] = put("other.log", strings.Repeat(line, 10)+"rubbish\n")
	if a, err = Audit(t.Context(), o); err != nil || !a.Partial ||
		!strings.Contains(strings.Join(a.Report.Warnings, "\n"), "1 of its 11 lines (9.09 %)") {
		t.Error(a.Partial, err, a.Report.Warnings)
	}
}
