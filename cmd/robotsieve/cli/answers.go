package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// answerWriter prints answers in the format of --output.
type answerWriter struct {
	w    *bufio.Writer
	form string
	json jsonList

	several    bool  // there are several agents
	unknown    int64 // answers without a verdict
	disallowed bool  // at least one URL is disallowed
}

func newAnswerWriter(s streams, form string, several bool) *answerWriter {
	b := bufio.NewWriter(s.out)
	if form == "csv" {
		fmt.Fprint(b, render.CSVLine("url", "agent", "dialect", "allowed", "line", "rule", "unknown"))
	}
	return &answerWriter{w: b, form: form, several: several, json: jsonList{w: b}}
}

// write prints an answer, or one about a captured page if that is not nil, and counts its verdict.
func (w *answerWriter) write(a explain.Answer, page *job.PageAnswer) {
	if a.Unknown {
		w.unknown++
	}
	w.disallowed = w.disallowed || !a.Allowed && !a.Unknown
	var v any = a.Rewrite(report.ToUTF8)
	if page != nil {
		v = page.Rewrite(report.ToUTF8)
	}
	switch w.form {
	case "json":
		w.json.add(v)
	case "ndjson":
		_ = render.WriteJSON(w.w, v, "") // close returns the error
	case "csv":
		a = a.Rewrite(report.Printable)
		fmt.Fprint(w.w, render.CSVLine(a.URL, a.Agent, a.Dialect, a.Allowed, a.Line, a.Rule, a.Unknown))
	default:
		w.text(a.Rewrite(report.Printable))
		if page != nil {
			w.pageText(page.Rewrite(report.Printable))
		}
	}
}

func (w *answerWriter) text(a explain.Answer) {
	line := func(format string, args ...any) {
		fmt.Fprintf(w.w, format+"\n", args...)
	}
	line("%-10s  %s", a.Verdict(), a.URL)
	if w.several {
		line("  agent     %s", a.Agent)
	}
	if a.Line > 0 {
		line("  rule      line %d: %s", a.Line, a.Rule)
	}
	line("  because   %s", a.WhyRule)
	for _, g := range a.Groups {
		line("  group     line %d: User-agent: %s", g.Line, english.List(g.Agents))
	}
	if a.WhyGroup != "" {
		line("  because   %s", a.WhyGroup)
	}
	line("  reading   %s", a.Dialect)
	if a.Contested != "" {
		line("  contested %s", a.Contested)
	}
	if a.Exempt != "" {
		line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
	}
}

func (w *answerWriter) close() error {
	if w.form == "json" {
		w.json.end()
	}
	return writing("the answers", w.w.Flush())
}

// pageText prints the lines after the verdict on the URL of a captured page.
func (w *answerWriter) pageText(a job.PageAnswer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w.w, "  %-9s "+format+"\n", append([]any{label}, args...)...)
	}
	if a.RobotsTxt != "" {
		line("robots", "%s", a.RobotsTxt)
	}
	c := a.Capture
	capture := []string{fmt.Sprintf("status %d", c.Status)}
	if c.ContentType != "" {
		capture = append(capture, c.ContentType)
	}
	if c.Date != "" {
		capture = append(capture, c.Date)
	}
	if c.Captures > 1 {
		capture = append(capture, fmt.Sprintf("the newest of %s", english.Plural(int64(c.Captures), "capture")))
	}
	line("capture", "%s", strings.Join(capture, ", "))
	for _, s := range a.Statements {
		label, text := "header", s.Source+": "+s.Text
		if s.Source == "meta" {
			label, text = "meta", s.Crawler+": "+s.Text
			if s.Crawler == "" {
				text = "robots: " + s.Text
			}
		}
		if !s.Applies {
			text += " (not for " + a.Agent + ")"
		}
		if len(s.Unknown) > 0 {
			text += " (unknown: " + strings.Join(s.Unknown, ", ") + ")"
		}
		line(label, "%s", text)
	}
	if len(a.Directives) > 0 {
		line("page", "states %s", strings.Join(a.Directives, ", "))
	} else {
		line("page", "states nothing that restricts %s", a.Agent)
	}
	if a.Partial {
		line("but", "not all of its head was read, because it is too large")
	}
	if c.Unread != "" {
		line("but", "the body could not be read to its end: %s", c.Unread)
	}
	if a.Unseen != "" {
		line("unseen", "%s", a.Unseen)
	}
}

// jsonList writes a JSON array with one value per line. The writer keeps the first error.
type jsonList struct {
	w     *bufio.Writer
	begun bool
}

func (l *jsonList) add(v any) {
	var b bytes.Buffer
	_ = render.WriteJSON(&b, v, "") // a buffer has no error
	separator := "[\n"
	if l.begun {
		separator = ",\n"
	}
	l.begun = true
	fmt.Fprintf(l.w, "%s%s", separator, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (l *jsonList) end() {
	if l.begun {
		fmt.Fprint(l.w, "\n]\n")
	} else {
		fmt.Fprint(l.w, "[]\n")
	}
}

func writeJSONList[T any](w *bufio.Writer, values []T) {
	list := jsonList{w: w}
	for _, v := range values {
		list.add(v)
	}
	list.end()
}
