package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// writeReport prints a report in one of its forms.
func writeReport(s streams, form string, r *audit.Report) error {
	w := bufio.NewWriter(s.out)
	var err error
	switch form {
	case "json":
		err = writeJSON(w, r)
	case "ndjson":
		err = writeNDJSON(w, r)
	case "csv":
		err = writeCSV(w, r)
	default:
		writeText(w, r, colours(s.out))
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// encoder makes an encoder that leaves <, > and & as they are: this is JSON for
// programs, not for a page.
func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func writeJSON(w io.Writer, r *audit.Report) error {
	e := encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// writeNDJSON prints the report without its crawlers on a line, and then each
// crawler on a line of its own. The field record tells them apart.
func writeNDJSON(w io.Writer, r *audit.Report) error {
	e := encoder(w)
	type head struct {
		Record string `json:"record"`
		*audit.Report
		Crawlers int `json:"crawlers"` // in the place of the list: how many follow
	}
	if err := e.Encode(head{"audit", r, len(r.Crawlers)}); err != nil {
		return err
	}
	type line struct {
		Record string `json:"record"`
		audit.CrawlerInfo
	}
	for _, c := range r.Crawlers {
		if err := e.Encode(line{"crawler", c}); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV prints one row a crawler. What the rows rest on is the same in all of
// them, and stands behind the figures; so that it is there in any case, a report
// without a crawler has one row that names none.
func writeCSV(w io.Writer, r *audit.Report) error {
	c := csv.NewWriter(w)
	c.Write([]string{
		"crawler", "operator", "category", "requests",
		"allowed", "robots_fetch", "violation", "grace", "indeterminate", "no_policy", "unreachable", "exempt", "spoofed",
		"obtained", "redirected", "refused", "absent", "verified", "partial",
		"verified_obtained", "informed", "grace_informed", "identity_spoofed", "unverified", "unverifiable",
		"no_version", "no_host", "no_time", "unknown_scheme", "lossy_path", "truncated", "ambiguous_agent", "redirected_policy", "contested",
		"robots_txt_fetches", "from", "to", "policy", "history", "window_seconds", "versions", "lines", "unparsed", "sampling", "warnings", "assumptions",
	})
	list := r.Crawlers
	if len(list) == 0 {
		list = []audit.CrawlerInfo{{}}
	}
	rest := []string{
		r.From, r.To, cell(r.Policy.File), r.Policy.History, strconv.FormatInt(r.Policy.WindowSeconds, 10),
		strconv.Itoa(len(r.Policy.Versions)), strconv.FormatInt(r.Lines, 10), strconv.FormatInt(r.Unparsed, 10),
		cell(r.Sampling), cell(strings.Join(r.Warnings, " ")), cell(strings.Join(r.Assumptions, " ")),
	}
	for _, i := range list {
		v, o, d, n := i.Verdicts, i.Outcomes, i.Identity, i.Reasons
		row := append(
			[]string{cell(i.Crawler), cell(i.Operator), cell(i.Category)},
			append(numbers(i.Requests,
				v.Allowed, v.RobotsFetch, v.Violation, v.Grace, v.Indeterminate, v.NoPolicy, v.Unreachable, v.Exempt, v.Spoofed,
				o.Obtained, o.Redirected, o.Refused, o.Absent, d.Verified), strconv.FormatBool(r.Partial))...,
		)
		row = append(row, numbers(i.Proven(), i.Informed(), i.GraceInformed, d.Spoofed, d.Unverified, d.Unverifiable,
			n.NoVersion, n.NoHost, n.NoTime, n.UnknownScheme, n.LossyPath, n.Truncated, n.AmbiguousAgent, n.RedirectedPolicy, n.Contested,
			i.RobotsTxt.Fetches)...)
		c.Write(append(row, rest...))
	}
	c.Flush()
	return c.Error()
}

func numbers(list ...int64) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return texts
}

// cell keeps a spreadsheet from taking text of strangers for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
