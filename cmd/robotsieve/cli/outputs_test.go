package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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
		want := cells(n["all"], n["content"], n["not_modified"], n["empty"], n["redirected"], n["refused"], n["other"], n["GET"], n["HEAD"], n["other method"], n["true"])
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
		fmt.Sprintf("%s requests by verified clients (GrabbitBot) broke robots.txt and got content. In all, %s of %s crawler requests\nbroke it, under 2 names; %s got content.\n",
			english.Grouped(o.VerifiedContent), english.Grouped(o.Verdicts[audit.Violation]), english.Grouped(o.Requests-o.Verdicts[audit.Spoofed]), english.Grouped(o.Outcomes[audit.Content])),
		fmt.Sprintf("Lines:     %s = %s naming no crawler + %s + %s to other hosts + %s without a path + %s unparsed\n", english.Grouped(r.Lines),
			english.Grouped(r.NotCrawlers), english.Plural(o.Requests, "crawler request"), english.Grouped(r.OtherHost), english.Grouped(r.NotJudged), english.Grouped(r.Unparsed)),
		fmt.Sprintf("= %s verified (%.1f %%) + %s impostors + %s unverified + %s unverifiable\n", english.Grouped(i[audit.Verified]), 100*o.VerifiedShare,
			english.Grouped(i[audit.SpoofedIdentity]), english.Grouped(i[audit.Unverified]), english.Grouped(i[audit.Unverifiable])),
		fmt.Sprintf("\n%s could not be parsed.", english.Plural(r.Unparsed, "line")),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
