package job_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
)

// write writes files to a new folder, and returns their names in order.
func write(t *testing.T, files ...[2]string) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, f[0])
		if err := os.WriteFile(name, []byte(f[1]), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// A W3C log that begins without #Fields is read with those of the log before it if the
// number of columns fits, which the report states; and refused if not.
func TestLogsContinueTheHeaderOfTheirSet(t *testing.T) {
	const header = "#Fields: date time c-ip cs-method cs-uri-stem cs(User-Agent) sc-status\n"
	const line = "2026-03-04 05:06:07 192.0.2.1 GET /a Mozilla/5.0+(compatible;+GPTBot/1.0) 200\n"
	names := write(t,
		[2]string{"1.log", header + line}, [2]string{"2.log", strings.Repeat(line, 5)}, [2]string{"3.log", line},
		[2]string{"4.log", strings.Replace(line, " 200", " 200 0", 1)},
		[2]string{"robots.txt", "user-agent: *\ndisallow: /b\n"})
	var warnings []string
	a, err := job.Audit(t.Context(), job.AuditOptions{
		Results: job.Results{Messages: job.Messages{Warn: func(message string) { warnings = append(warnings, message) }}},
		Logs:    job.Inputs{Names: names[:4]}, Robots: job.RobotsFile{Name: names[4]},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(warnings, "\n")
	for _, says := range []string{"2.log begins without a line that names its columns: it is read with the last one of " +
		names[0], "3.log begins", "4.log: this is a W3C log"} {
		if !strings.Contains(all, says) {
			t.Errorf("%q does not say %q", all, says)
		}
	}
	if a.Report.Lines != 7 || !a.Partial || !slices.ContainsFunc(a.Report.Warnings,
		func(w string) bool { return strings.Contains(w, "2.log begins") }) {
		t.Errorf("lines %d, partial %v, warnings %q", a.Report.Lines, a.Partial, a.Report.Warnings)
	}
}

// The assumptions of a report say what a format does to paths.
func TestAssumptionsSayWhatPathsLost(t *testing.T) {
	names := write(t,
		[2]string{"iis.log", "#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query cs(User-Agent) " +
			"sc-status\n2026-03-04 05:06:07 192.0.2.1 GET /a - GPTBot/1.0 200\n"},
		[2]string{"robots.txt", "user-agent: *\ndisallow: /b\n"})
	a, err := job.Audit(t.Context(), job.AuditOptions{Logs: job.Inputs{Names: names[:1]},
		Robots: job.RobotsFile{Name: names[1]}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(a.Report.Assumptions, func(s string) bool {
		return strings.HasPrefix(s, "Logs of the format w3c have paths without their percent-encoding.")
	}) {
		t.Errorf("%q", a.Report.Assumptions)
	}
}

// Explain goes on when a log cannot be used, and says so in its error.
func TestExplain(t *testing.T) {
	combined, _ := format.ByName("combined")
	names := write(t, [2]string{"good.log", combined.Sample() + "\ngarbage\n" + combined.Sample() + "\n"},
		[2]string{"bad.log", "2026/03/04 05:06:07 [error] 71#71: *5 x\n"}, [2]string{"empty.log", ""})
	var logs []*job.ExplainedLog
	o := job.ExplainOptions{Logs: job.Inputs{Names: append(names, names[0]+".none")}}
	show := func(log *job.ExplainedLog) error {
		logs = append(logs, log)
		return nil
	}
	if err := job.Explain(t.Context(), o, show); kindOf(err) != job.Input ||
		!strings.Contains(err.Error(), "the format of 3 of 4 logs") {
		t.Errorf("%v", err)
	}
	if len(logs) != 3 {
		t.Fatalf("%d logs", len(logs))
	}
	good := logs[0]
	if good.Format.Name() != "combined" || good.Requests != 2 || good.Unparsed != 1 || len(good.Examples) != 3 ||
		!slices.Equal(good.Format.Lacks(), []string{"host"}) || len(good.Missing) != 1 {
		t.Errorf("%+v", good.Explanation)
	}
	if e := good.Examples[1]; e.Number != 2 || e.Fault == "" || string(e.Line) != "garbage" {
		t.Errorf("%+v", e)
	}
	if logs[1].Err == nil || !strings.Contains(logs[1].Err.Error(), "error log of nginx") ||
		!errors.Is(logs[2].Err, format.ErrEmpty) {
		t.Errorf("%v; %v", logs[1].Err, logs[2].Err)
	}

	o.Logs.Names, o.Format, logs = names[:1], "common", nil
	if err := job.Explain(t.Context(), o, show); err != nil || logs[0].Format.Name() != "common" ||
		len(logs[0].Readings) > 0 {
		t.Errorf("%v", err)
	}
	o.Logs.Names, logs = write(t, [2]string{"docker.log",
		`{"log":"192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] \"GET / HTTP/1.1\" 200 5\n","stream":"stdout","time":"T"}` +
			"\n"}), nil
	if err := job.Explain(t.Context(), o, show); err != nil || logs[0].Format.Name() != "docker:common" ||
		logs[0].Requests != 1 {
		t.Errorf("a format that is named, in an envelope that is not: %v", err)
	}
	o.Format = "nothing"
	if err := job.Explain(t.Context(), o, show); kindOf(err) != job.Usage {
		t.Errorf("an unknown format: %v", err)
	}
	if err := job.Explain(t.Context(), job.ExplainOptions{}, show); kindOf(err) != job.Usage {
		t.Errorf("no logs: %v", err)
	}
}
