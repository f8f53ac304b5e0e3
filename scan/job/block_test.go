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

var blockedAddress = regexp.MustCompile(`(?m)^    (\S+/\d+) 1;$`)

// On real logs each rule in force is of addresses that broke robots.txt and that no list of Google has,
// and the dry run counts what stands in the log at these addresses.
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
				t.Errorf("%s: %s is of Googlebot", name, p)
			}
		}
		want := fmt.Sprintf("these rules would have refused %s,", english.Plural(int64(refused), "request"))
		if len(matches) == 0 || !strings.Contains(geo, want) {
			t.Errorf("%s: %d rules; the log has %d requests at their addresses:\n%.300s", name, len(matches), refused, geo)
		}
	}
}
