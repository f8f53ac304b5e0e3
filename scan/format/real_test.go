package format

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// open opens a file of real logs, or skips the test where there are none.
func open(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "logs", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no real logs here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// combinedLine is the combined format as a regular expression, for lines in
// which every quote is escaped.
var combinedLine = regexp.MustCompile(`^(\S+) \S+ [^"]*?\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4})\] ` +
	`"([A-Za-z_]+) ((?:/|https?://|\*)(?:[^"\\]|\\.)*?)(?: HTTP/[\d.]+)?" (\d{3}) (\d+|-) ` +
	`"(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)"(?: |$)`)

// TestRealCombinedLogs detects three logs of three servers, and reads each of
// their lines as a regular expression does that knows nothing of this package.
// Lines that it does not match are those without a request or with raw quotes.
func TestRealCombinedLogs(t *testing.T) {
	for _, c := range []struct {
		name     string
		lines    int
		unparsed int // each looked at: cut lines, and targets such as "./x"
	}{
		{"semicomplete-2015.combined.log.gz", 10_000, 1},
		{"small-site-2005-2018.combined.log.gz", 105_177, 27},
		{"wordpress-2016.combined.log.gz", 206_860, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			z, err := gzip.NewReader(open(t, c.name))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Detect(data[:min(len(data), SampleBytes)], false)
			if err != nil || f.Name() != "combined" {
				t.Fatalf("detected as %v, %v", f, err)
			}
			if testing.Short() {
				data = data[:bytes.LastIndexByte(data[:min(len(data), 1<<20)], '\n')+1]
			}
			var r Record
			reader := f.NewReader()
			lines, unparsed, unmatched := 0, 0, 0
			for line := range bytes.Lines(data) {
				line = bytes.TrimRight(line, "\r\n")
				lines++
				m := combinedLine.FindSubmatch(line)
				if reader.Reset(line); reader.Next(&r) != Request {
					if unparsed++; m != nil {
						t.Errorf("not a record: %s", line)
					}
					continue
				}
				reader.Complete(&r)
				if !r.HasTime || r.Status == 0 {
					t.Errorf("no time or no status: %s", line)
				}
				if m == nil {
					unmatched++
					continue
				}
				at, ok := parseTime(m[2])
				for _, same := range []struct {
					what string
					is   bool
				}{
					{"address", bytes.Equal(r.Addr, m[1])},
					{"time", ok == r.HasTime && at == r.Time},
					{"method", bytes.Equal(r.Method, m[3])},
					{"target", bytes.Equal(r.Target, unescape(nil, m[4]))},
					{"status", r.Status == int(m[5][0]-'0')*100+int(m[5][1]-'0')*10+int(m[5][2]-'0')},
					{"size", r.Size == parseSize(m[6], field{0, len(m[6])})},
					{"agent", bytes.Equal(r.Agent, unescape(nil, m[7]))},
				} {
					if !same.is {
						t.Errorf("%s differs: %+v of %s", same.what, fieldsOf(&r), line)
					}
				}
			}
			t.Logf("%d lines, %d unparsed, %d unmatched", lines, unparsed, unmatched)
			if !testing.Short() && (lines != c.lines || unparsed != c.unparsed) {
				t.Errorf("%d lines, %d unparsed, want %d and %d", lines, unparsed, c.lines, c.unparsed)
			}
		})
	}
}

// fixtures are what is known of the files in many-formats.tar.xz, by what their
// paths begin with; the longest counts. An error is wanted where it is empty.
var fixtures = map[string]string{
	"":                                    "",
	"willthefarmer/data/apache_combined/": "combined",
	"willthefarmer/data/nginx_combined/":  "combined",
	"willthefarmer/data/apache_vhost/":    "vhost_combined",

	"willthefarmer/data/apache_common/farmfreshsoftware.access.log": "common",
	"willthefarmer/data/apache_common/farmwork.access.log":          "common",

	"erddap/nginx_example_logs/":                              "combined",
	"advertools/logs_testing/nginx_access.log":                "combined",
	"advertools/logs_testing/combined":                        "combined",
	"advertools/logs_testing/dreamhost_apache_access.log":     "combined",
	"opensearch-catalog/apache/data/raw.log":                  "combined",
	"opensearch-catalog/nginx/data/raw.log":                   "combined",
	"formats/lnav-web/logfile_shop_access_log.0":              "combined",
	"formats/lnav-web/logfile_access_log.0":                   "combined",
	"formats/lnav-web/logfile_bad_access_log.0":               "combined",
	"formats/lnav-web/logfile_regexp_access_log.0":            "vhost_combined",
	"formats/crowdsec/.tests/bunkerweb-logs/":                 "vhost_combined",
	"formats/crowdsec/.tests/nginx-cve-2021-41773/":           "vhost_combined",
	"formats/crowdsec/.tests/spring4shell_cve-2022-22965/":    "vhost_combined",
	"formats/crowdsec/.tests/ipv6-postoverflow/":              "combined",
	"formats/crowdsec/.tests/traefik_clf/":                    "traefik",
	"formats/lnav-web/logfile_uwsgi.0":                        "uwsgi",
	"opensearch-catalog/amazon_elb/data/raw.log":              "alb",
	"opensearch-catalog/amazon_s3/data/raw.log":               "s3",
	"formats/crowdsec/.tests/litespeed-http-sensitive-files/": "combined",
	"formats/crowdsec/.tests/apache-http-probing/":            "common",
	"formats/crowdsec/.tests/caddy-":                          "caddy",
	"formats/lnav-web/logfile_caddy_log.0":                    "compose:caddy",
	"formats/lnav-web/logfile_haproxy.0":                      "syslog:haproxy:user-agent",
	"formats/lnav-web/logfile_caddy_log.1":                    "caddy",
	"formats/crowdsec/.tests/traefik_json/":                   "traefik_json",
	"formats/crowdsec/.tests/traefik_base-http-scenario/":     "traefik_json",
	"formats/lnav-web/logfile_cloudflare":                     "cloudflare",
	"opensearch-catalog/aws_waf/data/raw.log":                 "aws_waf",

	"willthefarmer/data/apache_csv/":                                "apache_csv",
	"formats/lnav-web/logfile_w3c":                                  "w3c",
	"formats/lnav-web/logfile_w3c.2":                                "", // FTP
	"formats/lnav-web/logfile_w3c.4":                                "incapsula",
	"formats/lnav-web/logfile_w3c.5":                                "", // other columns than the header has
	"formats/lnav-web/logfile_bro_http.log.0":                       "zeek",
	"formats/crates.io/test_data/cloudfront/":                       "cloudfront",
	"formats/crates.io/test_data/cloudfront/basic.log.gz":           "",
	"formats/crates.io/test_data/cloudfront/recoverable-errors.log": "", // each line has a header that is not its own
	"opensearch-catalog/amazon_cloudfront/data/raw.log":             "cloudfront",
}

// crowdsec are the fixtures of a project that has many logs of nginx and Apache
// with a few lines each, not all of them listed here.
const crowdsec = "formats/crowdsec/.tests/"

func wantOfFixture(name string) (want string, listed bool) {
	longest := ""
	for prefix := range fixtures {
		if len(prefix) > len(longest) && strings.HasPrefix(name, prefix) {
			longest = prefix
		}
	}
	return fixtures[longest], longest != "" || !strings.HasPrefix(name, crowdsec)
}

// lineOf are the formats as regular expressions, of lines that begin with an
// address or with a host and an address.
var lineOf = map[string]*regexp.Regexp{
	"combined":       regexp.MustCompile(`^[0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} \S+ ".*" ".*"`),
	"common":         regexp.MustCompile(`^[0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} [^"]*$`),
	"vhost_combined": regexp.MustCompile(`^[\w.:-]+ [0-9A-Fa-f.:]+ \S+ .*\[\d\d/\w{3}/\d{4}[^]]*\] ".*" \d{3} \S+ ".*" ".*"`),
}

// isOf tells whether a line looks like one of a format, for those of lineOf and of JSON.
func isOf(name string, line []byte) bool {
	if like := lineOf[name]; like != nil {
		return like.Match(line)
	}
	return line[0] != '{' || json.Valid(line)
}

// TestRealFixtures detects hundreds of small logs in many formats: the ones that
// this package knows for what they are, all others not at all.
func TestRealFixtures(t *testing.T) {
	x, err := xz.NewReader(open(t, "many-formats.tar.xz"))
	if err != nil {
		t.Fatal(err)
	}
	detected := map[string]int{}
	for archive := tar.NewReader(x); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		head, err := io.ReadAll(io.LimitReader(archive, SampleBytes))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		f, err := Detect(head, len(head) < SampleBytes)
		if err == nil {
			got = f.Name()
		}
		detected[got]++
		if want, listed := wantOfFixture(h.Name); listed && got != want {
			t.Errorf("%s: detected as %q, want %q: %v", h.Name, got, want, err)
		}
		if lineOf[got] == nil {
			continue
		}
		lines, matched := 0, 0
		for line := range bytes.Lines(head) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
				if lines++; isOf(got, line) {
					matched++
				}
			}
		}
		if matched*2 <= lines {
			t.Errorf("%s: detected as %s, which %d of %d lines are", h.Name, got, matched, lines)
		}
	}
	for _, want := range []string{"", "combined", "common", "vhost_combined"} {
		if detected[want] == 0 {
			t.Errorf("nothing was detected as %q: %v", want, detected)
		}
	}
}
