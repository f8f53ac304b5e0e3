package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// asCSV reads the CSV of a report back: the names of its columns, and a map by these for each row.
func asCSV(t *testing.T, r *report.Report) (header []string, rows []map[string]string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(written(t, "csv", r, false))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return records[0], rows
}

// sampleReport is the report of the sample, as its JSON has it.
func sampleReport(t *testing.T) *report.Report {
	t.Helper()
	text, err := os.ReadFile("../../cli/testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	r := new(report.Report)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCSVAddsUpToTheJSON checks that CSV has one row per crawler of the JSON, and that its columns
// add up to the totals.
func TestCSVAddsUpToTheJSON(t *testing.T) {
	r := sampleReport(t)
	header, rows := asCSV(t, r)
	if len(r.Crawlers) < 10 || len(rows) != len(r.Crawlers) {
		t.Fatalf("%d rows for %d crawlers", len(rows), len(r.Crawlers))
	}
	number := func(row map[string]string, name string) int64 {
		n, err := strconv.ParseInt(row[name], 10, 64)
		if err != nil {
			t.Fatalf("%s of %s: %v", name, row["crawler"], err)
		}
		return n
	}
	sums, share := map[string]int64{}, 0.0
	for i, row := range rows {
		if row["crawler"] != r.Crawlers[i].Crawler || row["operator"] != r.Crawlers[i].Operator {
			t.Errorf("row %d is about %s by %s, want %s", i, row["crawler"], row["operator"], r.Crawlers[i].Crawler)
		}
		part, err := strconv.ParseFloat(row["share"], 64)
		if share += part; err != nil {
			t.Error(err)
		}
		verdicts := int64(0)
		for v := range report.Verdicts {
			verdicts += number(row, v.String())
		}
		identities := number(row, "verified") + number(row, "unverified") + number(row, "unverifiable") +
			number(row, "spoofed")
		if n := number(row, "requests"); verdicts != n || identities != n {
			t.Errorf("%s: %d requests, %d by verdict, %d by identity", row["crawler"], n, verdicts, identities)
		}
		for _, name := range header {
			if n, err := strconv.ParseInt(row[name], 10, 64); err == nil {
				sums[name] += n
			}
		}
	}
	of := &r.Totals
	want := map[string]int64{"requests": of.Requests, "bytes": of.Bytes, "violation_bytes": of.ViolationBytes,
		"violation_content": of.Outcomes[report.Content], "violation_refused": of.Outcomes[report.Refused],
		"verified": of.Identity[report.Verified], "unverified": of.Identity[report.Unverified],
		"unverifiable": of.Identity[report.Unverifiable], "violation_verified": 190, "violation_informed": 190}
	for v, n := range of.Verdicts {
		want[report.Verdict(v).String()] = n
	}
	for name, n := range want {
		if sums[name] != n {
			t.Errorf("%s: the rows add up to %d, the report has %d", name, sums[name], n)
		}
	}
	if share < 0.9999 || share > 1.0001 {
		t.Errorf("the shares add up to %v", share)
	}
}

// TestCSVHasNoValueForWhatIsNotKnown checks that unknown values are empty cells, not zeros.
func TestCSVHasNoValueForWhatIsNotKnown(t *testing.T) {
	c := report.CrawlerInfo{Crawler: "Bot", Requests: 4, Verdicts: report.VerdictCounts{report.RobotsFetch: 1,
		report.Indeterminate: 2, report.Spoofed: 1}}
	r := &report.Report{Crawlers: []report.CrawlerInfo{c}, Totals: report.Totals{Requests: 4},
		Policy: report.PolicyInfo{History: "none"}}
	empty := func() (names []string) {
		header, rows := asCSV(t, r)
		for _, name := range header {
			if rows[0][name] == "" {
				names = append(names, name)
			}
		}
		return names
	}
	r.RobotsTxt.Logged = true
	r.Crawlers[0].Operator, r.Crawlers[0].Category, r.Crawlers[0].Role, r.Crawlers[0].Obeys = "O", "seo", "crawler", "yes"
	want := strings.Fields("days first_day last_day allowed violation grace no_policy unreachable violation_share " +
		"violation_bytes violation_verified violation_content violation_refused violation_informed " +
		"challenged_violations")
	if got := empty(); !slices.Equal(got, want) {
		t.Errorf("without a robots.txt %v have no value, want %v", got, want)
	}
	r.Policy.History, r.RobotsTxt.Logged = "constant", false
	want = strings.Fields("days first_day last_day violation_informed robots_txt_fetches")
	if got := empty(); !slices.Equal(got, want) {
		t.Errorf("without fetches of robots.txt %v have no value, want %v", got, want)
	}
}

// TestCSVCountsDays checks that days are counted once, in the report's time zone.
func TestCSVCountsDays(t *testing.T) {
	for _, c := range []struct {
		by         report.Unit
		from, want string
	}{
		{report.Hour, "2026-10-24T23:00:00+02:00 2026-10-25T02:00:00+02:00 2026-10-25T23:00:00+01:00",
			"2 2026-10-24 2026-10-25"},
		{report.Day, "2026-11-30T00:00:00Z 2026-12-02T00:00:00Z 2027-01-01T00:00:00Z", "3 2026-11-30 2027-01-01"},
		{report.Week, "2026-11-02T00:00:00Z 2026-11-09T00:00:00Z", "  "},
		{report.Day, "", "  "}, // no request has a time
	} {
		l := report.Timeline{By: c.by, From: reporttest.Times(c.from)}
		_, rows := asCSV(t, &report.Report{Crawlers: []report.CrawlerInfo{{Crawler: "Bot", Timeline: l}}})
		if got := fmt.Sprint(rows[0]["days"], " ", rows[0]["first_day"], " ", rows[0]["last_day"]); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.by, c.from, got, c.want)
		}
	}
}

// TestHostileCrawlersAreOneRowEach checks that any name of a crawler gives one row without
// formulas.
func TestHostileCrawlersAreOneRowEach(t *testing.T) {
	r := new(report.Report)
	for _, text := range hostileTexts {
		r.Crawlers = append(r.Crawlers, report.CrawlerInfo{Crawler: text, Operator: text, Category: text,
			Role: report.Role(text), Obeys: report.YesNo(text)})
	}
	_, rows := asCSV(t, r)
	if len(rows) != len(hostileTexts) {
		t.Fatalf("%d rows for %d crawlers", len(rows), len(hostileTexts))
	}
	for i, row := range rows {
		for _, name := range []string{"crawler", "operator", "category", "role", "obeys"} {
			if want := Cell(report.Printable(hostileTexts[i])); row[name] != want {
				t.Errorf("%s of %q is %q, want %q", name, hostileTexts[i], row[name], want)
			}
		}
	}
}

// TestColumnsOfCSV checks that columns have unique names that need no quotes, and are documented.
func TestColumnsOfCSV(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range crawlerRows() {
		if seen[c.name] || c.means == "" || strings.Trim(c.name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("the column %q, %q", c.name, c.means)
		}
		seen[c.name] = true
	}
	if got := written(t, "csv", new(report.Report), false); got != crawlerRows().csvHeader() {
		t.Errorf("a report without crawlers is %q", got)
	}
}

func TestCellIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "GPTBot": "GPTBot", "=1+1": "'=1+1", "+1": "'+1", "-bot-": "'-bot-", "@x": "'@x", "\tx": "'\tx",
		"\rx": "'\rx", "a=b": "a=b", "ä": "ä",
		"a;=1": "a;'=1", "a; =1;-;b": "a;' =1;'-;b", ";": ";", " =1": "' =1", "＝1": "'＝1", "－": "'－",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	texts, cells := []string{"", " a", `\.`, `"`, "a,b", "x"}, []any{}
	for _, text := range texts {
		cells = append(cells, text)
	}
	var want bytes.Buffer
	w := csv.NewWriter(&want)
	w.Write(texts)
	if w.Flush(); CSVLine(cells...) != want.String() {
		t.Errorf("got %q, want %q", CSVLine(cells...), want.String())
	}
	if got := CSVLine(`a;"=b;=c`); got != "\"a;\"\"=b;'=c\"\n" {
		t.Errorf("got %q", got)
	}
}
