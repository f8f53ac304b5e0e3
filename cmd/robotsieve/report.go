package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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

// csvFigures are the columns of a crawler, csvBasis those that say what all figures
// rest on.
var (
	csvFigures = []string{
		"crawler", "operator", "category", "requests",
		"allowed", "robots_fetch", "violation", "grace", "indeterminate", "no_policy", "unreachable", "exempt", "spoofed",
		"obtained", "redirected", "refused", "absent", "verified", "partial",
		"verified_obtained", "informed", "grace_informed", "identity_spoofed", "unverified", "unverifiable",
		"no_version", "no_host", "no_time", "unknown_scheme", "lossy_path", "truncated", "ambiguous_agent", "redirected_policy", "contested",
		"robots_txt_fetches",
	}
	csvBasis = []string{
		"from", "to", "policy", "history", "window_seconds", "versions",
		"lines", "blank", "unparsed", "not_crawlers", "other_host", "not_judged", "verified_share",
		"unparsed_samples", "sampling", "warnings", "assumptions", "inputs",
	}
)

// writeCSV prints one row for the audit, with what the figures rest on, and then one
// for each crawler, with the figures. The column record tells them apart.
func writeCSV(w io.Writer, r *audit.Report) error {
	c := csv.NewWriter(w)
	c.Write(slices.Concat([]string{"record"}, csvFigures, csvBasis))
	basis := []string{
		r.From, r.To, cell(r.Policy.File), r.Policy.History, strconv.FormatInt(r.Policy.WindowSeconds, 10),
		cell(versionList(r.Policy.Versions)),
	}
	basis = append(basis, numbers(r.Lines, r.Blank, r.Unparsed, r.NotCrawlers, r.OtherHost, r.NotJudged)...)
	basis = append(basis, strconv.FormatFloat(r.Totals.VerifiedShare, 'f', -1, 64),
		cell(strings.Join(r.UnparsedSamples, "; ")), cell(r.Sampling), cell(strings.Join(r.Warnings, " ")), cell(strings.Join(r.Assumptions, " ")),
		cell(inputList(r.Inputs)))
	whole := make([]string, len(csvFigures))
	whole[slices.Index(csvFigures, "partial")] = strconv.FormatBool(r.Partial)
	c.Write(slices.Concat([]string{"audit"}, whole, basis))
	for _, i := range r.Crawlers {
		v, o, d, n := i.Verdicts, i.Outcomes, i.Identity, i.Reasons
		row := []string{"crawler", cell(i.Crawler), cell(i.Operator), cell(i.Category)}
		row = append(row, numbers(i.Requests)...)
		row = append(row, numbers(slices.Concat(v[:], o[:], d[:1])...)...)
		row = append(row, strconv.FormatBool(r.Partial))
		row = append(row, numbers(i.Proven(), i.Informed(), i.GraceInformed, d[audit.SpoofedIdentity], d[audit.Unverified], d[audit.Unverifiable])...)
		row = append(row, numbers(append(n[:], i.RobotsTxt.Fetches)...)...)
		c.Write(append(row, make([]string, len(csvBasis))...))
	}
	c.Flush()
	return c.Error()
}

// inputList names inputs with their sizes, in a cell.
func inputList(inputs []audit.InputInfo) string {
	var list []string
	for _, in := range inputs {
		text := fmt.Sprintf("%s (%d bytes)", in.Name, in.Bytes)
		if in.Error != "" {
			text += " " + in.Error
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// versionList names versions, in a cell: as many as are shown of them in text.
func versionList(versions []audit.VersionInfo) string {
	var list []string
	for _, v := range versions[:min(len(versions), maxVersionsShown)] {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", v.Origin, cmp.Or(v.From, "before all time"), v.Status, v.File)))
	}
	if more := len(versions) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
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
