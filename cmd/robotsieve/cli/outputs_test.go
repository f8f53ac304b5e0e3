package cli

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// sampleReport is the audit of the sample in an output.
func sampleReport(t *testing.T, output string) string {
	t.Helper()
	r := command(t, "", append(fullAudit(sample), "--output", output)...)
	if r.code != exitDone || r.err != "" {
		t.Fatalf("%s: code %d, stderr %q", output, r.code, r.err)
	}
	return r.out
}

// sampleJSON is the Report, which the other outputs must agree with.
func sampleJSON(t *testing.T) *audit.Report {
	t.Helper()
	r := &audit.Report{}
	if err := json.Unmarshal([]byte(sampleReport(t, "json")), r); err != nil || len(r.Crawlers) == 0 {
		t.Fatalf("%v, %d crawlers", err, len(r.Crawlers))
	}
	return r
}

func TestNDJSONHasWhatJSONHas(t *testing.T) {
	whole := auditJSON(t, result{out: sampleReport(t, "json")})
	crawlers := whole["crawlers"].([]any)
	lines := strings.SplitAfter(sampleReport(t, "ndjson"), "\n")
	head := auditJSON(t, result{out: lines[0]})
	if head["record"] != "audit" || head["crawlers"] != float64(len(crawlers)) || len(lines) != len(crawlers)+2 {
		t.Errorf("record %v, %v crawlers, %d lines", head["record"], head["crawlers"], len(lines))
	}
	delete(head, "record")
	head["crawlers"], head["command"] = whole["crawlers"], whole["command"]
	if !reflect.DeepEqual(head, whole) {
		t.Errorf("got %v\nwant %v", head, whole)
	}
	for i, want := range crawlers {
		got := auditJSON(t, result{out: lines[i+1]})
		want.(map[string]any)["record"] = "crawler"
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v\nwant %v", got, want)
		}
	}
}

// flat puts the values of an object under their names, and then those of the objects
// within it, whose figures have the names that CSV has.
func flat(object map[string]any, into map[string]string) map[string]string {
	for name, value := range object {
		switch value := value.(type) {
		case float64:
			into[name] = strconv.FormatFloat(value, 'f', -1, 64)
		case string, bool:
			into[name] = fmt.Sprint(value)
		}
	}
	for _, name := range []string{"robots_txt", "identity", "reasons", "outcomes", "verdicts", "totals", "policy"} {
		inner, ok := object[name].(map[string]any)
		if !ok {
			continue
		}
		flat(inner, into)
		switch name {
		case "identity":
			into["identity_spoofed"] = into["spoofed"]
		case "robots_txt":
			into["robots_txt_fetches"] = into["fetches"]
		}
	}
	if addresses, ok := object["addresses"].(map[string]any); ok {
		into["addresses"], into["addresses_exact"] = fmt.Sprint(addresses["n"]), fmt.Sprint(addresses["exact"])
	}
	return into
}

func TestCSVHasTheFiguresOfJSON(t *testing.T) {
	whole, r := auditJSON(t, result{out: sampleReport(t, "json")}), sampleJSON(t)
	rows, err := csv.NewReader(strings.NewReader(sampleReport(t, "csv"))).ReadAll()
	if err != nil || len(rows) != 2+len(r.Crawlers) {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	compared := 0
	for i, row := range rows[1:] {
		want := flat(whole, map[string]string{})
		want["policy"], want["command"] = r.Policy.File, row[slices.Index(rows[0], "command")] // which differs in --output
		if i > 0 {
			want = flat(whole["crawlers"].([]any)[i-1].(map[string]any), map[string]string{"partial": "false"})
			c := &r.Crawlers[i-1]
			want["verified_content"], want["informed"] = fmt.Sprint(c.VerifiedContent()), fmt.Sprint(c.Informed())
		}
		for j, name := range rows[0][1:] {
			if cell := row[j+1]; cell != "" {
				value, known := want[name]
				if list, ok := whole[name].([]any); ok && len(list) > 0 || name == "versions" {
					continue // of texts
				}
				if compared++; !known || cell != value {
					t.Errorf("%s of %s: %q, but JSON has %q", name, row[1], cell, value)
				}
			}
		}
	}
	if compared < 34*len(r.Crawlers) {
		t.Errorf("only %d figures compared", compared)
	}
}

// tableAt returns the rows of the table of a text report whose header begins so, in
// words.
func tableAt(t *testing.T, text, header string) (rows [][]string) {
	t.Helper()
	_, table, found := strings.Cut(text, "\n"+header)
	if !found {
		t.Fatalf("no table %q in\n%s", header, text)
	}
	for _, line := range strings.Split(table, "\n")[1:] {
		if line == "" {
			break
		}
		rows = append(rows, regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1))
	}
	return rows
}

// cells writes numbers as a table has them.
func cells(numbers ...int64) (list []string) {
	for _, n := range numbers {
		if n == 0 {
			list = append(list, "-")
		} else {
			list = append(list, english.Grouped(n))
		}
	}
	return list
}

func TestTextHasTheFiguresOfJSON(t *testing.T) {
	text, r := sampleReport(t, "full"), sampleJSON(t)
	same := func(what string, got, want []string) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %q\nwant %q", what, got, want)
		}
	}
	figures := func(requests int64, i audit.IdentityCounts, v audit.VerdictCounts, texts ...string) []string {
		return append(texts, cells(append([]int64{requests, i[audit.Verified]}, v[:]...)...)...)
	}
	byName := map[string][]string{"all": figures(r.Totals.Requests, r.Totals.Identity, r.Totals.Verdicts, "all")}
	for _, c := range r.Crawlers {
		byName[c.Crawler] = figures(c.Requests, c.Identity, c.Verdicts, c.Crawler)
	}
	rows := tableAt(t, text, "crawler  ")[2:] // the header has three lines
	if len(rows) != len(r.Crawlers)+2 {       // the sum, and a title
		t.Errorf("%d crawlers in\n%s", len(rows), text)
	}
	for _, row := range rows {
		if row[0] != "Not bound by robots.txt, according to the operator:" {
			same(row[0], row, byName[row[0]])
		}
	}

	for _, row := range tableAt(t, text, "violations by ")[2:] { // the header has three lines
		n, known := map[string]int64{}, true
		for _, c := range r.Crawlers {
			known = known && (c.Crawler != row[0] || c.InformedKnown)
			for _, v := range c.Violations {
				if c.Crawler == row[0] && v.Identity == row[2] {
					n["all"] += v.N
					n[v.Outcome] += v.N
					if v.Method == "other" {
						v.Method = "other method"
					}
					n[v.Method] += v.N
					n[fmt.Sprint(v.Informed)] += v.N
				}
			}
		}
		want := cells(n["all"], n["content"], n["not_modified"], n["empty"], n["redirected"], n["refused"], n["other"],
			n["GET"], n["HEAD"], n["other method"], n["true"])
		if !known {
			want[len(want)-1] = "?"
		}
		same(row[0], row[3:], want)
	}
	rules := map[string]int64{}
	for _, c := range r.Crawlers {
		for _, rule := range c.Rules {
			rules[fmt.Sprint(c.Crawler, rule.Line, rule.Rule, rule.File)] += rule.Violations
		}
	}
	sum := int64(0)
	for _, row := range tableAt(t, text, "violations  crawler") {
		same("rule", row[:1], cells(rules[strings.Join(row[1:], "")]))
		sum += rules[strings.Join(row[1:], "")]
	}
	if sum != r.Totals.Verdicts[audit.Violation] {
		t.Errorf("the rules have %d violations, want %d", sum, r.Totals.Verdicts[audit.Violation])
	}
	for _, row := range tableAt(t, text, "GETs of robots.txt by") {
		for _, c := range r.Crawlers {
			if f := c.RobotsTxt; c.Crawler == row[0] {
				same(row[0], row[1:2], cells(f.Fetches))
			}
		}
	}
	for i, row := range tableAt(t, text, "version from") {
		v := r.Policy.Versions[i]
		same(row[0], row[1:4], append([]string{fmt.Sprint(v.Status)}, cells(max(v.Bytes, 0), v.Cited)...))
	}

	i, o := r.Totals.Identity, r.Totals
	for _, want := range []string{
		fmt.Sprintf("%s requests by verified clients (GrabbitBot) broke robots.txt and got content. In all, %s of %s "+
			"crawler requests\nbroke it, under 2 names; %s got content.\n",
			english.Grouped(o.VerifiedContent), english.Grouped(o.Verdicts[audit.Violation]),
			english.Grouped(o.Requests-o.Verdicts[audit.Spoofed]), english.Grouped(o.Outcomes[audit.Content])),
		fmt.Sprintf("Lines:     %s = %s naming no crawler + %s + %s to other hosts + %s without a path + %s unparsed\n",
			english.Grouped(r.Lines),
			english.Grouped(r.NotCrawlers), english.Plural(o.Requests, "crawler request"), english.Grouped(r.OtherHost),
			english.Grouped(r.NotJudged), english.Grouped(r.Unparsed)),
		fmt.Sprintf("= %s verified (%.1f %%) + %s impostors + %s unverified + %s unverifiable\n",
			english.Grouped(i[audit.Verified]), 100*o.VerifiedShare,
			english.Grouped(i[audit.SpoofedIdentity]), english.Grouped(i[audit.Unverified]),
			english.Grouped(i[audit.Unverifiable])),
		fmt.Sprintf("\n%s could not be parsed.", english.Plural(r.Unparsed, "line")),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

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
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// The sample audits by the versions of its robots.txt.
var sampleAudit = []string{
	"audit", "--policy", "../../../testdata/sample/policy.csv", "--host", "https://lantern.example", "--crawlers",
	"../../../testdata/sample/crawlers.json",
	"--ip-ranges", "../../../testdata/sample/ranges", "../../../testdata/sample/access.log.gz",
}

// twoYears makes a log of two years, with impostors, forbidden and disguised paths and crawlers that
// nobody knows, and a robots.txt that changed each month. It returns the arguments of its audit.
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

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// realAudits are those of real logs, where these are there.
func realAudits(t *testing.T) map[string][]string {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /blog/tags/\ndisallow: /wp-\ndisallow: /*?\n")
	audits := map[string][]string{}
	for _, name := range []string{"semicomplete-2015.combined.log.gz", "wordpress-2016.combined.log.gz"} {
		log := filepath.Join("..", "..", "..", "shared", "data", "logs", name)
		if _, err := os.Stat(log); err == nil {
			audits[name] = []string{"audit", "--robots", robots, "--host", "https://a.example", log}
		}
		if testing.Short() {
			break
		}
	}
	if len(audits) == 0 {
		t.Log("no real log is compared: ../shared/data/logs is not there")
	}
	return audits
}

// Every count of the report that rows can tell is what they tell.
func TestRowsAgreeWithReport(t *testing.T) {
	audits := realAudits(t)
	audits["the sample"], audits["two years"] = sampleAudit, twoYears(t)
	for name, args := range audits {
		t.Run(name, func(t *testing.T) {
			var r audit.Report
			if err := json.Unmarshal([]byte(command(t, "", append(args, "--output", "json")...).out), &r); err != nil {
				t.Fatal(err)
			}
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
			if got := rowsOf(t, violations.out); !reflect.DeepEqual(got, forbidden) ||
				int64(len(got)) != r.Totals.Verdicts[audit.Violation] {
				t.Errorf("--list violations has %d rows, all has %d violations, the report %d", len(got), len(forbidden),
					r.Totals.Verdicts[audit.Violation])
			}
			known := map[string]bool{}
			for _, c := range r.Crawlers {
				known[strings.ToLower(c.Crawler)] = true
			}
			of := map[string][]listedRow{}
			for _, row := range rows {
				name := strings.ToLower(row.Crawler)
				if !known[name] {
					name = "(others)"
				}
				of[name] = append(of[name], row)
			}
			for i := range r.Crawlers {
				compareCrawler(t, &r.Crawlers[i], of[strings.ToLower(r.Crawlers[i].Crawler)])
			}
		})
	}
}

// tally counts what a key is made of.
func tally[K comparable](rows []listedRow, key func(*listedRow) (K, bool)) map[K]int64 {
	n := map[K]int64{}
	for i := range rows {
		if k, ok := key(&rows[i]); ok {
			n[k]++
		}
	}
	return n
}

// namedCounts are counts as their JSON names them, without zeros.
func namedCounts(t *testing.T, counts json.Marshaler) map[string]int64 {
	t.Helper()
	var n map[string]int64
	text, err := counts.MarshalJSON()
	if err != nil || json.Unmarshal(text, &n) != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(n, func(_ string, n int64) bool { return n == 0 })
	return n
}

func compareCrawler(t *testing.T, c *audit.CrawlerInfo, rows []listedRow) {
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s: rows have %v, the report has %v", c.Crawler, what, got, want)
		}
	}
	isViolation := func(r *listedRow) bool { return r.Verdict == "violation" }
	own := slices.DeleteFunc(slices.Clone(rows), func(r listedRow) bool { return r.Verdict == "spoofed" })
	violations := slices.DeleteFunc(slices.Clone(rows), func(r listedRow) bool { return !isViolation(&r) })
	same("requests", int64(len(rows)), c.Requests)
	same("operator and role", []string{rows[0].Operator, rows[0].Role}, []string{c.Operator, c.Role})
	same("verdicts", tally(rows, func(r *listedRow) (string, bool) { return r.Verdict, true }), namedCounts(t, c.Verdicts))
	same("reasons", tally(rows, func(r *listedRow) (string, bool) { return r.Reason, r.Reason != "" }),
		namedCounts(t, c.Reasons))
	same("identity", tally(rows, func(r *listedRow) (string, bool) { return r.Identity, true }),
		namedCounts(t, c.Identity))
	same("outcomes", tally(rows, func(r *listedRow) (string, bool) { return r.Outcome, isViolation(r) }),
		namedCounts(t, c.Outcomes))
	same("evasive", tally(rows, func(r *listedRow) (bool, bool) { return true, r.Evasive })[true], c.Evasive)
	isInformed := func(r *listedRow) bool { return r.Informed != nil && *r.Informed }
	same("informed in grace", tally(rows, func(r *listedRow) (bool, bool) {
		return true, r.Verdict == "grace" &&
			isInformed(r)
	})[true], c.GraceInformed)
	for _, r := range rows { // what a row says of it is yes, no, or nothing
		if saysNo := r.Informed != nil && !*r.Informed; saysNo != (c.InformedKnown && !isInformed(&r) &&
			(r.Verdict == "grace" || isViolation(&r))) {
			t.Errorf("%s: informed is %v in a row of %s, and informed_known is %v", c.Crawler, r.Informed, r.Verdict,
				c.InformedKnown)
		}
	}

	kinds := map[audit.ViolationInfo]int64{}
	for _, k := range c.Violations {
		n := k.N
		k.N = 0
		kinds[k] = n
	}
	same("violations", tally(rows, func(r *listedRow) (audit.ViolationInfo, bool) {
		method := r.Method
		if method != "GET" && method != "HEAD" {
			method = "other"
		}
		return audit.ViolationInfo{Identity: r.Identity, Outcome: r.Outcome, Method: method, Informed: isInformed(r)},
			isViolation(r)
	}), kinds)
	type ruleOf struct {
		version, file, text string
		line                int
	}
	rules := map[ruleOf]int64{}
	for _, rule := range c.Rules {
		rules[ruleOf{rule.Version, rule.File, rule.Rule, rule.Line}] += rule.Violations
	}
	if c.RulesNotListed == 0 {
		same("rules", tally(rows, func(r *listedRow) (ruleOf, bool) {
			return ruleOf{r.RuleVersion, r.RuleFile, r.Rule, r.RuleLine}, isViolation(r)
		}), rules)
	}

	bytesOf := func(rows []listedRow) (n int64) {
		for _, r := range rows {
			n += r.Bytes
		}
		return n
	}
	same("bytes", bytesOf(own), c.Bytes)
	same("bytes of violations", bytesOf(violations), c.ViolationBytes)
	statuses := map[int]int64{}
	for _, s := range c.Statuses {
		statuses[s.Status] = s.N
	}
	same("statuses", tally(own, func(r *listedRow) (int, bool) { return r.Status, true }), statuses)
	if c.Addresses.Exact {
		same("addresses", int64(len(tally(own, func(r *listedRow) (string, bool) { return r.Address, r.Address != "" }))),
			c.Addresses.N)
	}
	compareTimeline(t, c, rows)
	comparePaths(t, c.Crawler, c.Paths, own)
	comparePaths(t, c.Crawler+": violations", c.ViolationPaths, violations)
}

func compareTimeline(t *testing.T, c *audit.CrawlerInfo, rows []listedRow) {
	want := map[string]int64{}
	for verdict, counts := range c.Timeline.Verdicts {
		for i, n := range counts {
			if n > 0 {
				want[c.Timeline.From[i]+" "+verdict] = n
			}
		}
	}
	got := tally(rows, func(r *listedRow) (string, bool) {
		if r.Time == nil {
			return "", false
		}
		i, found := slices.BinarySearchFunc(c.Timeline.From, *r.Time, func(from string, at time.Time) int {
			start, err := time.Parse(time.RFC3339, from)
			if err != nil {
				t.Error(err)
			}
			return start.Compare(at)
		})
		if !found {
			i--
		}
		return c.Timeline.From[max(i, 0)] + " " + r.Verdict, true
	})
	if !maps.Equal(got, want) {
		t.Errorf("%s: the rows over time are %v, the report has %v", c.Crawler, got, want)
	}
}

func comparePaths(t *testing.T, what string, list audit.PathList, rows []listedRow) {
	if !list.Exact {
		return
	}
	var got []audit.PathInfo
	for path, n := range tally(rows, func(r *listedRow) (string, bool) {
		return audit.ToUTF8(audit.FromUTF8(r.Target)[:min(len(audit.FromUTF8(r.Target)), 200)]), true
	}) {
		got = append(got, audit.PathInfo{Path: path, N: n})
	}
	slices.SortFunc(got, func(x, y audit.PathInfo) int {
		return cmp.Or(cmp.Compare(y.N, x.N),
			cmp.Compare(x.Path, y.Path))
	})
	if got = got[:min(len(got), 10)]; len(got) != len(list.List) || len(got) > 0 && !reflect.DeepEqual(got, list.List) {
		t.Errorf("%s: the paths of the rows are %v, those of the report %v", what, got, list.List)
	}
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

// Rows that cannot be written end the audit with exit status 3, in each form, while the logs are read
// and after that.
func TestRowsThatCannotBeWritten(t *testing.T) {
	for _, output := range []string{"ndjson", "csv", "parquet"} {
		for _, list := range []string{"all", "violations"} {
			size := len(command(t, "", append(sampleAudit, "--list", list, "--output", output)...).out)
			for _, room := range []int{0, 10, size / 2, size - 1} {
				var stderr bytes.Buffer
				code := run(t.Context(), append(sampleAudit, "--list", list, "--output", output),
					streams{in: strings.NewReader(""), out: &failing{room}, err: &stderr})
				if code != exitInput || !strings.Contains(stderr.String(), errFull.Error()) {
					t.Errorf("%s of %s with room for %d of %d bytes: code %d, stderr %q", output, list, room, size, code,
						stderr.String())
				}
			}
		}
	}
}
