package render

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/reporttest"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A line of the text format is a comment, or a name with labels and a number. Labels have no
// quote, backslash or line end that is not escaped.
var promLine = regexp.MustCompile(`^(?:# (?:HELP|TYPE) robotsieve_[a-z_]+ ` +
	`.+|robotsieve_[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? [0-9.]+)$`)

func promOf(t *testing.T, r *report.Report) []string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePrometheus(&b, r); err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(b.String(), "\n")
	if !ended {
		t.Error("the last line does not end")
	}
	lines, seen := strings.Split(text, "\n"), map[string]bool{}
	for _, line := range lines {
		series, _, _ := strings.Cut(line, "} ")
		if !promLine.MatchString(line) || !strings.HasPrefix(line, "#") && seen[series] {
			t.Errorf("a line that is not of the text format, or comes twice: %q", line)
		}
		seen[series] = true
	}
	return lines
}

// TestPrometheus checks that each number of the report is in a sample, and that unknown crawlers
// are combined.
func TestPrometheus(t *testing.T) {
	r := &report.Report{Program: "v1", Schema: "robotsieve.audit/3", Partial: true,
		From: reporttest.Time("2026-11-16T00:00:01.5Z")}
	r.Lines, r.Unparsed, r.NotCrawlers, r.Totals.Requests = 20, 1, 2, 17
	r.RobotsTxt.Served = 3
	for _, c := range []struct {
		name, operator string
		n              int64
	}{{"Zbot", "Z", 5}, {"inventedbot", "unknown", 3}, {"Abot", "A", 7}, {"otherbot", "unknown", 2}} {
		info := report.CrawlerInfo{Crawler: c.name, Operator: c.operator, Role: "crawler", Requests: c.n, Bytes: 10 * c.n,
			ViolationBytes: c.n, InformedKnown: c.name != "Abot"}
		info.Verdicts[report.Violation] = c.n
		info.Violations = []report.ViolationInfo{{Identity: report.Verified, Outcome: report.Content, Method: report.Get,
			Informed: true, N: c.n}}
		r.Crawlers = append(r.Crawlers, info)
	}
	got := strings.Join(promOf(t, r), "\n") + "\n"
	const violations = `robotsieve_violations{crawler="%",identity="verified",outcome="content",method="GET",` +
		`informed="true"} `
	for _, want := range []string{
		`robotsieve_info{program="v1",schema="robotsieve.audit/3"} 1`, `robotsieve_partial 1`,
		`robotsieve_lines{kind="crawler"} 17`, `robotsieve_lines{kind="unparsed"} 1`,
		`robotsieve_robots_txt_requests{answer="served"} 3`, `robotsieve_first_request_timestamp_seconds 1794787201.5`,
		`robotsieve_requests{crawler="(unknown)",operator="unknown",role="crawler",verdict="violation"} 5`,
		`robotsieve_requests{crawler="Abot",operator="A",role="crawler",verdict="violation"} 7`,
		`robotsieve_bytes{crawler="(unknown)",operator="unknown",role="crawler"} 50`,
		`robotsieve_violation_bytes{crawler="Zbot",operator="Z",role="crawler"} 5`,
		strings.Replace(violations, `%"`, `Zbot",operator="Z",role="crawler"`, 1) + "5",
		strings.NewReplacer(`%"`, `Abot",operator="A",role="crawler"`, "true", "unknown").Replace(violations) + "7",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "inventedbot") {
		t.Error("a name that anybody can invent is a label")
	}
}

// TestPrometheusEscapesLabels checks that text of clients and files can't end a label or a line.
func TestPrometheusEscapesLabels(t *testing.T) {
	attack := "a\"} 1\nrobotsieve_violations{crawler=\"GPTBot\"} 99 \\\" \x1b[2J \u202e"
	r := &report.Report{Program: attack, Crawlers: []report.CrawlerInfo{{Crawler: attack, Operator: attack,
		Role: "crawler"}}}
	for _, line := range promOf(t, r) {
		if strings.HasPrefix(line, `robotsieve_violations{crawler="GPTBot"`) || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("the attack came through: %q", line)
		}
	}
	hostile, _ := hostileReport()
	promOf(t, hostile)
}
