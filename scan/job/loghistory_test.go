package job

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// logHistory returns what LogHistory finds, a line for each interval.
func logHistory(t *testing.T, o LogHistoryOptions, bodies ...string) (text string, partial bool) {
	t.Helper()
	var b strings.Builder
	o.Bodies = bodies
	partial, err := LogHistory(t.Context(), o, func(s *report.LoggedSite) error {
		fmt.Fprintf(&b, "%s: %d %v\n", s.Site, s.Answers, s.Unclear)
		for _, in := range s.Intervals {
			for _, a := range in.Answers {
				fmt.Fprintf(&b, "  %v to %v: %d of %d (%d) %v\n", a.First, a.Last, a.Status, a.Bytes, a.N, a.Fits)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), partial
}

// logsOf names logs.
func logsOf(names ...string) LogOptions { return LogOptions{Logs: Inputs{Names: names}} }

// logLines writes answers such as "GET 200 40" of a host at times that are hours apart.
func logLines(host string, from time.Time, answers ...string) (lines []string) {
	for i, a := range answers {
		method, rest, _ := strings.Cut(a, " ")
		lines = append(lines, fmt.Sprintf("%s:443 192.0.2.7 - - [%s] \"%s /robots.txt HTTP/1.1\" %s \"-\" \"Bot/1.0\"\n",
			host, from.Add(time.Duration(i)*time.Hour).Format("02/Jan/2006:15:04:05 -0700"), method, rest))
	}
	return lines
}

// TestLogHistory reads a rotated and compressed log in any order, with any number of workers, and compares the
// result with a manifest made by hand.
func TestLogHistory(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	day := time.Date(2026, 1, 10, 8, 0, 0, 0, time.FixedZone("", 3600))
	one := logLines("example.com", day, "GET 200 40", "GET 200 40", "GET 304 0", "HEAD 200 0", "GET 206 9",
		"GET 200 40")
	two := append(logLines("example.com", day.Add(24*time.Hour), "GET 200 55", "GET 503 99", "GET 503 98", "GET 200 55"),
		logLines("www.example.com", day, "GET 301 200", "GET 404 12", "GET 200 -", "POST 405 1")...)
	const at = "example.com:443 192.0.2.7 - - [10/Jan/2026:09:00:00 +0100] "
	other := at + "\"GET /robots.txtx HTTP/1.1\" 200 7 \"-\" \"B\"\n" +
		at + "\"GET /robots.txt?a HTTP/1.1\" 200 7 \"-\" \"Bot\"\n" +
		at + "\"GET / HTTP/1.1\" 200 40 \"-\" \"Mozilla/5.0\"\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Join(one, "")))
	z.Close()
	rotated := []string{
		write("access.log.1.gz", packed.Bytes()), write("access.log", []byte(strings.Join(two, "")+other)),
	}
	whole := write("whole.log", []byte(strings.Join(one, "")+other+strings.Join(two, "")))
	old := write("old/robots.txt", bytes.Repeat([]byte("#"), 40))
	same := write("old/sub/robots-2.txt", bytes.Repeat([]byte("#"), 40))
	packed.Reset()
	z.Reset(&packed)
	_, _ = z.Write(bytes.Repeat([]byte("#"), 55))
	z.Close()
	now := write("now.txt.gz", packed.Bytes())
	want := fmt.Sprintf(`https://example.com: 7 map[206:1 304:1 not GET:1]
  2026-01-10T07:00:00Z to 2026-01-10T12:00:00Z: 200 of 40 (3) [%s %s]
  2026-01-11T07:00:00Z to 2026-01-11T07:00:00Z: 200 of 55 (1) [%s]
  2026-01-11T08:00:00Z to 2026-01-11T09:00:00Z: 503 of -1 (2) []
  2026-01-11T10:00:00Z to 2026-01-11T10:00:00Z: 200 of 55 (1) [%s]
https://www.example.com: 3 map[not GET:1]
  2026-01-10T07:00:00Z to 2026-01-10T07:00:00Z: 301 of -1 (1) []
  2026-01-10T08:00:00Z to 2026-01-10T08:00:00Z: 404 of -1 (1) []
  2026-01-10T09:00:00Z to 2026-01-10T09:00:00Z: 200 of -1 (1) []
`, old, same, now, now)
	for name, o := range map[string]LogHistoryOptions{
		"rotated":       {LogOptions: logsOf(rotated...)},
		"in no order":   {LogOptions: logsOf(rotated[1], rotated[0]), Limits: Limits{Workers: 4}},
		"whole":         {LogOptions: logsOf(whole), Limits: Limits{Workers: 2}},
		"little memory": {LogOptions: logsOf(whole), Limits: Limits{Memory: 2_000_000}},
	} {
		if got, partial := logHistory(t, o, filepath.Join(dir, "old"), now); got != want || partial {
			t.Errorf("%s: partial %v\n got %s\nwant %s", name, partial, got, want)
		}
	}
}

// TestLogHistoryOfUnnamedSites checks that --host names the site of all or some logs without host names.
func TestLogHistoryOfUnnamedSites(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.log", "b.log"} {
		line := "192.0.2.7 - - [10/Jan/2026:09:00:00 +0100] \"GET /robots.txt HTTP/1.1\" 200 7 \"-\" \"Bot/" + name + "\"\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for hosts, want := range map[string]string{
		"": ": 2", "example.com": "example.com: 2", "https://example.com": "https://example.com: 2",
		"example.com,example.org=b.log": "example.com: 1 example.org: 1",
	} {
		o := LogHistoryOptions{LogOptions: logsOf(filepath.Join(dir, "*.log"))}
		if hosts != "" {
			o.Hosts = strings.Split(hosts, ",")
		}
		text, _ := logHistory(t, o)
		var got []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, " ") {
				got = append(got, strings.TrimSuffix(line, " map[]\n"))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", hosts, got, want)
		}
	}
}

// TestLogHistoryOfAForger checks that a client that names any number of hosts, and a site whose robots.txt changes
// its size each time, take neither much memory nor much time.
func TestLogHistoryOfAForger(t *testing.T) {
	name := filepath.Join(t.TempDir(), "access.log")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	at := time.Date(2026, 1, 10, 8, 0, 0, 0, time.UTC)
	for i := range n {
		host, size := fmt.Sprintf("h%d.example", i), 7
		if i%2 == 0 {
			host, size = "example.com", i
		}
		fmt.Fprint(f, logLines(host, at.Add(time.Duration(i)*time.Second), fmt.Sprintf("GET 200 %d", size))[0])
	}
	f.Close()
	sites, intervals := 0, 0
	begun := time.Now()
	o := LogHistoryOptions{LogOptions: logsOf(name), Limits: Limits{Memory: 8_000_000}}
	_, err = LogHistory(t.Context(), o, func(s *report.LoggedSite) error {
		sites, intervals = sites+1, max(intervals, len(s.Intervals))
		return nil
	})
	if err != nil || sites != n/2+1 || intervals > 1000 || time.Since(begun) > time.Minute {
		t.Errorf("%d sites, up to %d intervals, in %v: %v", sites, intervals, time.Since(begun), err)
	}
}
