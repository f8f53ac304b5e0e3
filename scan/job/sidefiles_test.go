package job

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSideFilesByContent audits by side files that another process has read, when the files
// themselves are gone, and compares the report.
func TestSideFilesByContent(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/sample")); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	log := filepath.Join(dir, "access.log.gz")
	o := AuditOptions{
		Logs: Inputs{Names: []string{log}}, Policy: filepath.Join(dir, "policy.csv"),
		Hosts: []string{"https://lantern.example=access.log.gz"},
		Format: put("nginx.conf", "log_format main "+`'$remote_addr - - [$time_local] "$request" $status $body_bytes_sent `+
			`"$http_referer" "$http_user_agent"';`) + ":main",
		Crawlers: filepath.Join(dir, "crawlers.json"), Ranges: []string{filepath.Join(dir, "ranges")},
		Names: put("names.tsv", "198.51.100.7\tcrawl.example.org\ttrue\n"), RangesMaxAge: 90 * 24 * time.Hour,
		TimeZone: "Europe/Berlin", Since: "30d", Now: time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC), Samples: 2, Workers: 1,
	}
	report := func(o AuditOptions) string {
		t.Helper()
		a, err := Audit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a.Report)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := report(o)
	side, err := ReadSideFiles(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(side)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"policy.csv", "robots-2026-09-07.txt", "robots-2026-11-17.txt", "nginx.conf",
		"crawlers.json", "ranges", "names.tsv"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	var received SideFiles
	if err := json.Unmarshal(sent, &received); err != nil {
		t.Fatal(err)
	}
	if got := report(AuditOptions{Logs: o.Logs, Side: &received, Workers: 1}); got != want {
		t.Errorf("by content:\n%s\nby files:\n%s", got, want)
	}
	if !strings.Contains(want, "GrabbitBot") || !strings.Contains(want, `"verified":1`) {
		t.Errorf("the case shows too little: %s", want)
	}
}
