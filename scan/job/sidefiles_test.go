package job

import (
	"bytes"
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
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	line := func(minute, address, path, agent string) string {
		return address + ` - - [01/Nov/2026:10:` + minute + `:00 +0000] "GET ` + path + ` HTTP/1.1" 200 5 "-" "` + agent +
			"\" edge\n"
	}
	log := write("access.log", line("01", "192.0.2.1", "/private/", "GPTBot/1.2")+line("02", "198.51.100.7", "/private/",
		"GPTBot/1.2")+
		line("03", "203.0.113.9", "/x", "NewBot/1.0")+line("04", "192.0.2.1", "/", "CCBot/2.0"))
	write("side/robots/1.txt", "User-agent: *\nDisallow: /private/\n")
	nginx := `log_format main '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent ` +
		`"$http_referer" "$http_user_agent" edge';`
	o := AuditOptions{
		Logs: Inputs{Names: []string{log}},
		Policy: write("side/manifest.csv",
			"from,origin,status,file\n2026-10-01T00:00:00Z,https://example.com,200,robots/1.txt\n"),
		Hosts:    []string{"https://example.com=" + filepath.Base(log)},
		Format:   write("side/nginx.conf", nginx) + ":main",
		TimeZone: "Europe/Berlin",
		Since:    "7d",
		Now:      time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC),
		Ranges: []string{"GPTBot=" + write("side/gptbot.json",
			`{"creationTime":"2026-10-31T12:00:00.0","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`)},
		Names:        write("side/names.tsv", "198.51.100.7\tcrawl.example.org\ttrue\n"),
		RangesMaxAge: 90 * 24 * time.Hour,
		Crawlers: write("side/crawlers.json",
			`[{"name":"NewBot","operator":"New","category":"search","obeys":"unknown","words":["NewBot"],"tokens":["NewBot"]}]`),
		ClientIP: "addr",
		Samples:  2,
		Workers:  1,
	}
	if _, err := os.Stat(o.Crawlers); err != nil {
		t.Fatal(err)
	}
	report := func(o AuditOptions) []byte {
		t.Helper()
		a, err := Audit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a.Report)
		if err != nil {
			t.Fatal(err)
		}
		return text
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
	if err := os.RemoveAll(filepath.Join(dir, "side")); err != nil {
		t.Fatal(err)
	}
	var received SideFiles
	if err := json.Unmarshal(sent, &received); err != nil {
		t.Fatal(err)
	}
	if got := report(AuditOptions{Logs: o.Logs, Side: &received, Workers: 1}); !bytes.Equal(got, want) {
		t.Errorf("by content:\n%s\nby files:\n%s", got, want)
	}
	if !strings.Contains(string(want), "NewBot") || !strings.Contains(string(want), `"violation":1`) {
		t.Errorf("the case shows too little: %s", want)
	}
}
