package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// listedRow is a row of --list as ndjson.
type listedRow struct {
	Time                                                               *time.Time
	Origin, Crawler, Operator, Role, Identity, Address, Method, Target string
	Status                                                             int
	Bytes                                                              int64
	Outcome, Verdict, Reason, Rule                                     string
	RuleLine                                                           int    `json:"rule_line"`
	RuleFile                                                           string `json:"rule_file"`
	RuleVersion                                                        string `json:"rule_version"`
	Informed                                                           *bool
	Evasive                                                            bool
	Input                                                              string
	Line                                                               int64
}

func rowsOf(t *testing.T, text string) (rows []listedRow) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		var r listedRow
		must.Do(t, d.Decode(&r))
		rows = append(rows, r)
	}
	return rows
}

// twoYears makes a log of two years, with impostors, forbidden and disguised paths and crawlers
// that nobody knows, and a robots.txt that changed each month. It returns the arguments of its
// audit.
func twoYears(t *testing.T) []string {
	dir, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	manifest := "from,origin,status,file\n"
	for month := range 24 {
		name := fmt.Sprintf("%02d.txt", month)
		body := fmt.Sprintf("user-agent: *\ndisallow: /secret/\ndisallow: /month%d/\n\nuser-agent: CCBot\ndisallow: /\n",
			month%5)
		manifest += fmt.Sprintf("%s,https://a.example,%d,%s\n", start.AddDate(0, month, 0).Format(time.RFC3339), 200, name)
		write(t, filepath.Join(dir, name), body)
	}
	write(t, filepath.Join(dir, "policy.csv"), manifest)
	write(t, filepath.Join(dir, "gptbot.json"),
		`{"creationTime":"2025-11-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`)
	agents := []string{"GPTBot/1.2", "CCBot/2.0", "Mozilla/5.0 (compatible; bingbot/2.0)", "ObscureBot/1", "obscurebot/2",
		"GPTBot Googlebot", "Mozilla/5.0 Firefox/140.0", "ChatGPT-User/1.0"}
	paths := []string{"/", "/robots.txt", "/secret/a", "/secret/b?c=\"d\"", "/month1/x", "/month2/y", "//secret/z",
		"/%73ecret/", "/p/1", "/p/2", "/\x1b[2J", "*"}
	methods := []string{"GET", "GET", "GET", "HEAD", "POST"}
	var log bytes.Buffer
	for i := range 12_000 {
		at := start.Add(time.Duration(i) * 24 * 730 * time.Hour / 12_000).Add(time.Duration(random.IntN(3600)) * time.Second)
		path, status := paths[random.IntN(len(paths))], []int{200, 200, 304, 403, 301, 404, 500}[random.IntN(7)]
		if path == "/robots.txt" && i%100 > 0 {
			status = 200
		}
		fmt.Fprintf(&log, "%s - - [%s] \"%s %s HTTP/1.1\" %d %d \"-\" \"%s\"\n",
			[]string{"192.0.2.1", "192.0.2.9", "198.51.100.7", "2001:db8::5",
				fmt.Sprintf("203.0.113.%d", random.IntN(250))}[random.IntN(5)], at.Format("02/Jan/2006:15:04:05 -0700"),
			methods[random.IntN(len(methods))], strings.ReplaceAll(path, `"`, `\"`), status, random.IntN(9000),
			agents[random.IntN(len(agents))])
	}
	write(t, filepath.Join(dir, "access.log"), log.String())
	return []string{"audit", "--policy", filepath.Join(dir, "policy.csv"), "--host", "https://a.example", "--ip-ranges",
		"GPTBot=" + filepath.Join(dir, "gptbot.json"), filepath.Join(dir, "access.log")}
}

// TestRowsAgreeWithReport compares every count of the report that rows can show with the rows.
func TestRowsAgreeWithReport(t *testing.T) {
	audits := map[string][]string{"the sample": fullAudit(sample), "two years": twoYears(t)}
	real := filepath.Join("..", "..", "..", "..", "shared", "data", "logs", "semicomplete-2015.combined.log.gz")
	if _, err := os.Stat(real); err == nil {
		robots := file(t, "robots.txt", "user-agent: *\ndisallow: /blog/tags/\ndisallow: /wp-\ndisallow: /*?\n")
		audits["a real log"] = []string{"audit", "--robots", robots, "--host", "https://a.example", real}
	}
	for name, args := range audits {
		t.Run(name, func(t *testing.T) {
			var r report.Report
			whole := command(t, "", append(args, "--output", "json")...).out
			must.Do(t, json.Unmarshal([]byte(whole), &r))
			all, violations := command(t, "", append(args, "--list", "all")...),
				command(t, "", append(args, "--list", "violations")...)
			if all.code != violations.code || all.err != violations.err {
				t.Errorf("codes %d and %d, stderr %q and %q", all.code, violations.code, all.err, violations.err)
			}
			rows := rowsOf(t, all.out)
			if int64(len(rows)) != r.Totals.Requests || r.Totals.Requests == 0 {
				t.Errorf("%d rows of %d requests", len(rows), r.Totals.Requests)
			}
			forbidden := slices.DeleteFunc(slices.Clone(rows), func(r listedRow) bool { return r.Verdict != "violation" })
			if got := rowsOf(t, violations.out); int64(len(got)) != r.Totals.Verdicts[report.Violation] ||
				len(got)+len(forbidden) > 0 && !reflect.DeepEqual(got, forbidden) {
				t.Errorf("--list violations has %d rows, all has %d violations, the report %d", len(got), len(forbidden),
					r.Totals.Verdicts[report.Violation])
			}
			compareRows(t, &r, whole, rows)
		})
	}
}

// ofRows are the figures of crawlers that rows tell, too.
var ofRows = lazy.Regexp(`: (requests|operator|role` +
	`|(verdicts|reasons|identity|outcomes|violations|rules|statuses) .*|evasive|grace_informed` +
	`|bytes|violation_bytes|addresses n)\s*$`)

// compareRows compares all rows of an audit with its report.
func compareRows(t *testing.T, r *report.Report, text string, rows []listedRow) {
	got := must.Get(reporttest.FiguresOf(text))(t)
	names := map[string]string{} // of crawlers, whose headers may write them otherwise
	for i := range r.Crawlers {
		names[strings.ToLower(r.Crawlers[i].Crawler)] = r.Crawlers[i].Crawler
	}
	want, of, addresses := reporttest.Figures{}, map[string][]listedRow{}, map[string]bool{}
	for _, row := range rows {
		name := cmp.Or(names[strings.ToLower(row.Crawler)], report.OtherCrawlers)
		of[name] = append(of[name], row)
		addRow(want, name+": ", &row)
		if at := name + " " + row.Address; row.Verdict != "spoofed" && row.Address != "" && !addresses[at] {
			addresses[at] = true
			want.Add(name+": addresses n", 1)
		}
	}
	for i := range r.Crawlers {
		c, of := &r.Crawlers[i], of[r.Crawlers[i].Crawler]
		for _, f := range []reporttest.Figures{got, want} { // what the report does not list, or does not know exactly
			maps.DeleteFunc(f, func(name string, _ any) bool {
				name, is := strings.CutPrefix(name, c.Crawler+": ")
				return is && (c.RulesNotListed > 0 && strings.HasPrefix(name, "rules ") ||
					!c.Addresses.Exact && name == "addresses n")
			})
		}
		for _, r := range of { // what a row says of it is yes, no, or nothing
			saysNo, asked := r.Informed != nil && !*r.Informed, r.Verdict == "grace" || r.Verdict == "violation"
			if saysNo != (c.InformedKnown && !r.isInformed() && asked) {
				t.Errorf("%s: informed is %v in a row of %s, and informed_known is %v", c.Crawler, r.Informed, r.Verdict,
					c.InformedKnown)
			}
		}
	}
	maps.DeleteFunc(got, func(name string, _ any) bool { return !ofRows().MatchString(name) })
	for _, d := range reporttest.CompareFigures(want, got) {
		t.Errorf("of rows: %v", d)
	}
}

func (r *listedRow) isInformed() bool { return r.Informed != nil && *r.Informed }

// addRow counts a row of a crawler as the report counts it.
func addRow(f reporttest.Figures, of string, r *listedRow) {
	f[of+"operator"], f[of+"role"] = r.Operator, r.Role
	isViolation, method := r.Verdict == "violation", r.Method
	if method != "GET" && method != "HEAD" {
		method = "other"
	}
	isOwn := r.Verdict != "spoofed"
	for figure, n := range map[string]int64{
		"requests": 1, "verdicts " + r.Verdict: 1, "identity " + r.Identity: 1, "evasive": oneIf(r.Evasive),
		"grace_informed":      oneIf(r.Verdict == "grace" && r.isInformed()),
		"reasons " + r.Reason: oneIf(r.Reason != ""), "outcomes " + r.Outcome: oneIf(isViolation),
		fmt.Sprintln("violations", r.Identity, r.Outcome, method, r.isInformed()): oneIf(isViolation),
		fmt.Sprintln("rules", r.Origin, r.RuleLine, r.Rule, r.RuleVersion):        oneIf(isViolation),
		fmt.Sprint("statuses ", r.Status):                                         oneIf(isOwn),
		"bytes":                                                                   r.Bytes * oneIf(isOwn),
		"violation_bytes":                                                         r.Bytes * oneIf(isViolation),
	} {
		f.Add(of+figure, float64(n))
	}
}

func oneIf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// failing is a stream that takes so many bytes.
type failing struct{ left int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestRowsThatCannotBeWritten checks that unwritable rows end the audit with exit status 3, in each
// format, during reading and afterwards.
func TestRowsThatCannotBeWritten(t *testing.T) {
	for _, output := range []string{"ndjson", "csv", "parquet"} {
		for _, list := range []string{"all", "violations"} {
			size := len(command(t, "", append(fullAudit(sample), "--list", list, "--output", output)...).out)
			for _, room := range []int{10, size - 1} {
				var stderr bytes.Buffer
				s := streams{in: strings.NewReader(""), out: &failing{room}, err: &stderr}
				code := s.run(t.Context(), append(fullAudit(sample), "--list", list, "--output", output))
				if code != exitInput || !strings.Contains(stderr.String(), errFull.Error()) {
					t.Errorf("%s of %s with room for %d of %d bytes: code %d, stderr %q", output, list, room, size, code,
						stderr.String())
				}
			}
		}
	}
}
