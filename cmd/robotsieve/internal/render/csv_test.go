package render

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/must"
	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// asCSV reads the CSV of a report back: the names of its columns, and a map by these for each row.
func asCSV(t *testing.T, r *report.Report) (header []string, rows []map[string]string) {
	t.Helper()
	records := must.Get(csv.NewReader(strings.NewReader(written(t, "csv", r, false))).ReadAll())(t)
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return records[0], rows
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
