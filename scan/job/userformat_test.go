package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/job"
)

// TestUserFormat gives formats in the words of servers, and by their names in configurations.
func TestUserFormat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const words = `'[$time_local] $remote_addr "$http_user_agent" $request_uri'`
	config := write("nginx.conf", "log_format mine "+words+";")
	log := write("access.log", "[04/Mar/2026:05:06:07 +0000] 192.0.2.1 \"GPTBot/1.0\" /private\n")
	robots := write("robots.txt", "User-agent: *\nDisallow: /private\n")
	for format, says := range map[string]string{
		"log_format mine " + words + ";":    "",
		config + ":mine":                    "",
		config + ":other":                   "but mine; files that it includes",
		filepath.Join(dir, "none") + ":a":   "none",
		`C:\nginx.conf`:                     "is no format in words of",
		"comined":                           `no format is called "comined"; perhaps you mean combined.`,
		config:                              "is a file: give the name of a format in it too, as in " + config + ":NAME",
		"time=ts uri=u":                     `no field is called "uri"; there are bytes, claim, decoded, host, ip, `,
		"nosuch:combined":                   "no format is called",
		`$remote_addr "$http_user_agent"`:   "no field for what was requested",
		"ua=ua time=ts":                     "target",
		"(?P<ip>[0-9.]+) (?P<ua>.*) (?P<x)": "regular expression",
	} {
		o := job.AuditOptions{Robots: job.RobotsFile{Name: robots}, Logs: job.Inputs{Names: []string{log}}, Format: format}
		a, err := job.Audit(t.Context(), o)
		switch {
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v, want %q", format, err, says)
		case says == "" && err != nil:
			t.Errorf("%s: %v", format, err)
		case says == "" && (a.Report.Totals.Requests != 1 || a.Report.Inputs[0].Format != "custom"):
			t.Errorf("%s: %+v", format, a.Report.Totals)
		}
	}
}
