package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// folderWith writes files into a folder, and returns it.
func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// auditFiles audits logs by a robots.txt that allows everything.
func auditFiles(t *testing.T, names ...string) (*Audited, error) {
	t.Helper()
	robots := filepath.Join(folderWith(t, map[string]string{"robots.txt": "User-agent: *\nDisallow:\n"}), "robots.txt")
	o := AuditOptions{Judging: Judging{Robots: RobotsFile{Name: robots}}, LogOptions: LogOptions{Hosts: []string{"www.example.com"}}}
	o.Workers, o.Logs.Names = 2, names
	return Audit(t.Context(), o)
}

// combinedLine is a line of combined: a client, minute and second, a target with a protocol, a status, a size and
// a User-Agent.
func combinedLine(client string, minute, second int, target string, status, size int, agent string) string {
	return fmt.Sprintf("%s - - [04/Mar/2026:05:%02d:%02d +0000] \"GET %s\" %d %d \"-\" \"%s\"\n", client, minute, second, target,
		status, size, agent)
}

// TestTwins checks the warning about two logs with the same requests in different lines, such as nginx's and
// Apache's on one machine.
func TestTwins(t *testing.T) {
	// log has requests for /0, /1, …, each a minute later.
	log := func(n int, client, end string, second, status, size int) (text string) {
		for i := range n {
			text += combinedLine(client, i, second, fmt.Sprintf("/%d%s", i, end), status, size, "GPTBot/1.2")
		}
		return text
	}
	nginx := log(9, "203.0.113.7", " HTTP/2.0", 7, 200, 100)
	for _, c := range []struct {
		name, other string
		told        bool
	}{
		{"of Apache behind", log(8, "203.0.113.7", " HTTP/1.0", 6, 200, 300), true},
		{"of Apache, with the address of the proxy", log(8, "127.0.0.1", " HTTP/1.0", 6, 200, 300), true},
		{"of Apache, with the host", strings.ReplaceAll(log(8, "203.0.113.7", " HTTP/1.0", 7, 200, 300), "203.0.113.7",
			"www.example.com:443 203.0.113.7"), true},
		{"of few requests", log(4, "203.0.113.7", " HTTP/1.0", 6, 200, 300), false},
		{"of the same site without TLS, with redirects", log(9, "203.0.113.7", " HTTP/1.1", 6, 301, 300), false},
		{"of another time", log(9, "203.0.113.7", " HTTP/1.1", 37, 200, 300), false},
		{"of other paths", strings.ReplaceAll(log(9, "203.0.113.7", " HTTP/1.1", 7, 200, 300), "GET /", "GET /a/"), false},
		{"of one path again and again", strings.Repeat(combinedLine("203.0.113.7", 0, 7, "/0 HTTP/1.0", 200, 3, "GPTBot/1.2"), 9),
			false},
	} {
		dir := folderWith(t, map[string]string{"proxy_access_log": nginx, "access_log": c.other})
		a, err := auditFiles(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(a.Report.Warnings, "\n")
		told := strings.Contains(all, "have the same requests") && strings.Contains(all, filepath.Join(dir, "access_log")) &&
			strings.Contains(all, filepath.Join(dir, "proxy_access_log")) && strings.Contains(all, "Leave one of the two out")
		if told != c.told {
			t.Errorf("%s: told is %v: %s", c.name, told, all)
		}
	}
}

// TestErrorLogsInFolders checks that error logs in a folder are left out, with a warning, but cause an error if
// they are named or alone.
func TestErrorLogsInFolders(t *testing.T) {
	files := map[string]string{
		"error.log":      "2026/03/04 05:06:07 [error] 71#71: *5 open() failed, client: 192.0.2.1\n",
		"error_log":      "[Wed Mar 04 05:06:07.089 2026] [core:error] [pid 71:tid 1] [client 192.0.2.1:4711] AH00126: Invalid\n",
		"php.log":        "[04-Mar-2026 05:06:07 UTC] PHP Warning:  Undefined variable $x in /a.php on line 3\n",
		"php-fpm.log":    "[04-Mar-2026 05:06:07] NOTICE: fpm is running, pid 1\n",
		"httperr1.log":   "#Software: Microsoft HTTP API 2.0\n#Fields: date time c-ip cs-method cs-uri\n2026-03-04 05:06:07 ::1 - -\n",
		"syslog-err.log": "Mar  4 05:06:07 web1 nginx: 2026/03/04 05:06:07 [error] 71#71: *5 open() failed\n",
	}
	alone := folderWith(t, files)
	files["access.log"] = combinedLine("192.0.2.1", 0, 0, "/ HTTP/1.1", 200, 5, "GPTBot/1.2")
	dir := folderWith(t, files)
	a, err := auditFiles(t, dir)
	if err != nil || a.Partial || a.Report.Lines != 1 || len(a.Inputs) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	for name := range files {
		said := strings.Contains(strings.Join(a.Report.Warnings, "\n"), filepath.Join(dir, name)+": this is an error log")
		if said != (name != "access.log") {
			t.Errorf("%s: said is %v: %q", name, said, a.Report.Warnings)
		}
	}
	for _, names := range [][]string{{alone}, {dir, filepath.Join(dir, "error.log")}} {
		if a, err := auditFiles(t, names...); err != nil && !errors.As(err, new(*Error)) || err == nil && !a.Partial {
			t.Errorf("%q: %+v, %v", names, a, err)
		}
	}
}

// TestClients checks logs whose clients cannot be verified because of how the server logs them.
func TestClients(t *testing.T) {
	const ten = 10
	log := func(n int, client func(i int) string, end func(i int) string) (text string) {
		for i := range n {
			agent := fmt.Sprintf("GPTBot/1.%d", i%3)
			text += strings.TrimSuffix(combinedLine(client(i), i, 0, "/ HTTP/1.1", 200, 5, agent), "\n") + end(i) + "\n"
		}
		return text
	}
	none := func(int) string { return "" }
	is := func(s string) func(int) string { return func(int) string { return s } }
	each := func(pattern string) func(int) string { return func(i int) string { return fmt.Sprintf(pattern, i) } }
	for _, c := range []struct {
		name, log string
		by        report.ClientsBy
	}{
		{"addresses", log(ten, each("192.0.2.%d"), none), report.ByAddress},
		{"names", log(ten, each("crawl-%d.example.net"), none), report.ByName},
		{"a private address", log(ten, is("10.0.0.9"), none), report.ByProxy},
		{"a private address of IPv6", log(ten, is("fd00::9"), none), report.ByProxy},
		{"one address, often", log(30, is("192.0.2.1"), none), report.ByProxy},
		{"one address", log(ten, is("192.0.2.1"), none), report.ByAddress},
		{"few lines", log(5, is("10.0.0.9"), none), report.ByAddress},
		{"private addresses of people", log(ten, each("10.0.0.%d"), none), report.ByAddress},
		{"X-Forwarded-For behind", log(ten, is("10.0.0.9"), each(` "203.0.113.%d"`)), report.ByForwarded},
		{"X-Forwarded-For that nobody sent", log(ten, is("10.0.0.9"), is(` "-"`)), report.ByProxy},
	} {
		a, err := auditFiles(t, filepath.Join(folderWith(t, map[string]string{"access.log": c.log}), "access.log"))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Report.Clients(); got != c.by || a.Report.NoAgents() {
			t.Errorf("%s: %q, want %q", c.name, got, c.by)
		}
	}
	a, err := auditFiles(t, filepath.Join(folderWith(t, map[string]string{
		"access.log": combinedLine("192.0.2.1", 0, 0, "/ HTTP/1.1", 200, 5, "-")}), "access.log"))
	if err != nil || !a.Report.NoAgents() {
		t.Errorf("no User-Agents: %+v, %v", a, err)
	}
}

// TestForwardedForms checks the client from X-Forwarded-For in every place and form in which servers log it.
func TestForwardedForms(t *testing.T) {
	const end = `[04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" 200 12 "-" "GPTBot/1.2"`
	const proxies = "10.0.0.0/8"
	by, err := crawler.ParseClientIP("xff", []string{proxies})
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "203.0.113.7:4711": "203.0.113.7", "[2001:db8::5]:41234": "2001:db8::5",
		"[2001:db8::5]": "2001:db8::5", "2001:db8::5": "2001:db8::5", "203.0.113.7, 10.0.0.3": "203.0.113.7",
		"203.0.113.7,10.0.0.3:80": "203.0.113.7", "unknown": "", "unknown, 10.0.0.3": "", "unknown, 203.0.113.7": "203.0.113.7",
	} {
		for _, line := range []string{
			"10.0.0.9 - - " + end + ` "` + list + `"`,
			list + " 10.0.0.9 - - " + end,
			list + " - 10.0.0.9 - - " + end,
			`"` + list + `" 10.0.0.9 - - ` + end,
		} {
			// The other line distinguishes a list of one address in front from a host.
			log := line + "\n" + strings.Replace(line, list, "198.51.100.77", 1) + "\n"
			f, err := format.Detect([]byte(log), true)
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			var r format.Record
			reader := f.NewReader()
			reader.Reset([]byte(log))
			if reader.Next(&r) != format.Request {
				t.Errorf("%s: no request of %s", line, f.Name())
				continue
			}
			reader.Complete(&r)
			if got := string(by.Of(r.Addr, r.Forwarded)); got != want || r.Host != nil {
				t.Errorf("%s: the client is %q by %s, want %q; host %q", line, got, f.Name(), want, r.Host)
			}
		}
	}
}
