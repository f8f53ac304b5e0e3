package job

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/report"
)

// withoutFetches writes a real log without its requests for robots.txt, which show that it had none, and
// returns the addresses of its lines.
func withoutFetches(t *testing.T, name, to string) (addresses []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Skip("no real logs: ", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for lines := bufio.NewScanner(z); lines.Scan(); {
		if line := lines.Text(); !strings.Contains(line, "robots.txt") {
			addr, _, _ := strings.Cut(line, " ")
			addresses = append(addresses, addr)
			text.WriteString(line + "\n")
		}
	}
	if err := os.WriteFile(to, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return addresses
}

// blocked audits a log with nginx's rules, and returns these and what was said.
func blocked(t *testing.T, log string, change func(*AuditOptions)) (rules, said string) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var o AuditOptions
	o.Logs.Names, o.Block = []string{put("log", log)}, []BlockFile{{"nginx", filepath.Join(dir, "rules")}}
	o.Robots.Name = put("robots.txt", "User-agent: *\nDisallow: /p/\n")
	o.Messages.Warn = func(message string) { said += message + "\n" }
	change(&o)
	if _, err := Audit(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "rules"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), said
}

// logLine is a request of a crawler of a second of the day.
func logLine(addr, path, agent string, second int) string {
	return fmt.Sprintf("%s - - [18/Nov/2026:%02d:%02d:%02d +0000] \"GET %s HTTP/1.1\" 200 5 \"-\" \"%s\"\n", addr,
		second/3600, second/60%60, second%60, path, agent)
}

// TestBlockLooksForAProxy checks that a proxy's addresses are not refused, even if nothing verifies clients.
func TestBlockLooksForAProxy(t *testing.T) {
	var log strings.Builder
	for i := range 2000 {
		addr := fmt.Sprintf("192.0.2.%d", 10+i%8)
		if i%100 == 99 || i < 20 { // the first lines are no proxy's
			addr = fmt.Sprintf("198.51.100.%d", 10+i%100)
		}
		log.WriteString(logLine(addr, "/p/", "FooBot/1.0", i))
	}
	rules, said := blocked(t, log.String(), func(*AuditOptions) {})
	if blockedAddress.MatchString(rules) || !strings.Contains(said, "2,000 violations at addresses that are a proxy's") {
		t.Errorf("%s\n%.500s", said, rules)
	}
}

// TestBlockSparesCutAddresses checks that addresses cut by the server are not refused, although each of them broke
// robots.txt.
func TestBlockSparesCutAddresses(t *testing.T) {
	var log strings.Builder
	for i := range 100 {
		log.WriteString(logLine(fmt.Sprintf("192.0.%d.1", i), "/p/", "FooBot/1.0", i))
	}
	rules, said := blocked(t, log.String(), func(*AuditOptions) {})
	if blockedAddress.MatchString(rules) || !strings.Contains(said, "100 violations at private, cut or missing") {
		t.Errorf("%s\n%.500s", said, rules)
	}
}

// TestBlockCountsWhatIsPermitted checks that the dry run counts permitted requests of refused clients, even if
// --host distinguishes the logs.
func TestBlockCountsWhatIsPermitted(t *testing.T) {
	var log strings.Builder
	for i := range 100 {
		log.WriteString(logLine("192.0.2.7", map[bool]string{true: "/p/", false: "/"}[i < 60], "FooBot/1.0", i))
	}
	log.WriteString(logLine("192.0.2.7", "/", "Mozilla/5.0 (X11) Firefox/140", 200))
	const byAddress = "refused 101 requests, 40 of them permitted by robots.txt, 1 of anybody else"
	const byName = "refused 100 requests, 40 of them permitted by robots.txt, 0 of anybody else"
	for _, hosts := range [][]string{nil, {"https://a.example=*log"}} {
		rules, said := blocked(t, log.String(), func(o *AuditOptions) { o.Hosts = hosts })
		if !strings.Contains(rules, byAddress) || !strings.Contains(said, byAddress) || strings.Contains(rules, "(foobot)") ||
			!strings.Contains(said, "1 rule (FooBot) is in comments only, because nobody can verify the crawler") {
			t.Errorf("%q: %s\n%s", hosts, said, rules)
		}
		rules, said = blocked(t, log.String(), func(o *AuditOptions) { o.Hosts, o.BlockNames = hosts, true })
		if !strings.Contains(said, byName) || !strings.Contains(rules, "(foobot)") || blockedAddress.MatchString(rules) {
			t.Errorf("%q: %s\n%s", hosts, said, rules)
		}
	}
}

var blockedAddress = regexp.MustCompile(`(?m)^    (\S+/\d+) 1;$`)

// TestBlockRealLogs checks, on real logs, that each active rule refuses addresses that broke robots.txt and are in
// no list of Google, and that the dry run counts the requests from these addresses.
func TestBlockRealLogs(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared", "data")
	for _, name := range []string{"semicomplete-2015", "small-site-2005-2018", "wordpress-2016"} {
		dir := t.TempDir()
		log, robots, rules := filepath.Join(dir, "log"), filepath.Join(dir, "robots.txt"), filepath.Join(dir, "rules")
		lines := withoutFetches(t, filepath.Join(shared, "logs", name+".combined.log.gz"), log)
		err := os.WriteFile(robots, []byte("User-agent: *\nDisallow: /files/\nDisallow: /wp-\nDisallow: /*?\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		broke := map[string]bool{}
		o := AuditOptions{LogOptions: LogOptions{Logs: Inputs{Names: []string{log}}},
			Judging: Judging{Robots: RobotsFile{Name: robots}}, Identity: Identity{Ranges: []string{"googlebot.json=" + filepath.Join(shared, "bots", "ip-ranges", "googlebot.json")}}, Extracts: Extracts{Block: []BlockFile{{"nginx", rules}}, Judged: audit.SinkFunc(func(j *audit.Event) error {
				if j.Verdict == report.Violation && j.Identity != report.Verified {
					broke[string(j.Address)] = true
				}
				return nil
			})}}
		if _, err := Audit(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(rules)
		if err != nil {
			t.Fatal(err)
		}
		geo, rest, _ := strings.Cut(string(text), "map $http_user_agent")
		if strings.Contains(rest, `"~*`) {
			t.Errorf("%s: a rule by name, although nobody is verified but search engines", name)
		}
		refused := 0
		matches := blockedAddress.FindAllStringSubmatch(geo, -1)
		for _, m := range matches {
			p, of := netip.MustParsePrefix(m[1]), 0
			for addr := range broke {
				if a, err := netip.ParseAddr(addr); err == nil && p.Contains(a) {
					of++
				}
			}
			if least := map[bool]int{true: 1, false: 2}[p.IsSingleIP()]; of < least {
				t.Errorf("%s: %s is refused for %d addresses", name, p, of)
			}
			for _, addr := range lines {
				if a, err := netip.ParseAddr(addr); err == nil && p.Contains(a) {
					refused++
				}
			}
			if google := netip.MustParsePrefix("66.249.64.0/19"); google.Overlaps(p) {
				t.Errorf("%s: %s belongs to Googlebot", name, p)
			}
		}
		want := fmt.Sprintf("these rules would have refused %s,", english.Plural(int64(refused), "request"))
		if len(matches) == 0 || !strings.Contains(geo, want) {
			t.Errorf("%s: %d rules; the log has %d requests at their addresses:\n%.300s", name, len(matches), refused, geo)
		}
	}
}
