package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

// crawlerRow is a crawler as CSV lists it, with the report that it is of.
type crawlerRow struct {
	*crawler
	of                *report.Report
	days              int64 // on which it came; 0 if they are not known
	firstDay, lastDay string
}

func newCrawlerRow(r *report.Report, c *crawler) *crawlerRow {
	row := &crawlerRow{crawler: c, of: r}
	if c.Timeline.By > report.Day {
		return row
	}
	for _, from := range c.Timeline.From {
		if day := from.Format(time.DateOnly); day != row.lastDay {
			row.days, row.firstDay, row.lastDay = row.days+1, cmp.Or(row.firstDay, day), day
		}
	}
	return row
}

// crawlerRows are the rows of a report as CSV.
var crawlerRows = slices.Concat(
	rowTable[crawlerRow]{
		{name: "crawler", means: "its name; `(other unknown crawlers)` stands for all that are not listed one by one",
			value: func(r *crawlerRow) value { return words(r.Crawler) }},
		{name: "operator", means: "who runs it; `unknown` if it is not a known crawler",
			value: func(r *crawlerRow) value { return words(r.Operator) }},
		{name: "category", means: "what it crawls for, such as `search` or `ai-training`, or `unknown`",
			value: func(r *crawlerRow) value { return words(r.Category) }},
		{name: "role", means: "`crawler`, or `fetcher`: sent by a person, a subscription or the site's own operator",
			value: func(r *crawlerRow) value { return words(string(r.Role)) }},
		{name: "obeys", means: "whether its operator says that it obeys robots.txt: `yes`, `no` or `unknown`",
			value: func(r *crawlerRow) value { return words(string(r.Obeys)) }},
		{name: "requests", kind: integerRow, means: "all requests under its name, those of impostors included",
			value: func(r *crawlerRow) value { return integer(r.Requests) }},
		{name: "share", kind: decimalRow, means: "its share of the requests of all crawlers in the report, from 0 to 1",
			value: func(r *crawlerRow) value { return ratio(r.Requests, r.of.Totals.Requests) }},
		{name: "bytes", kind: integerRow, means: "bytes of bodies sent to it, without impostors, as far as the log has sizes",
			value: func(r *crawlerRow) value { return integer(r.Bytes) }},
		{name: "addresses", kind: integerRow, means: "how many addresses it came from, without impostors; " +
			"an estimate if there are more than 2,048",
			value: func(r *crawlerRow) value { return integer(r.Addresses.N) }},
		{name: "days", kind: integerRow, means: "on how many days requests came under its name, in the time zone of the " +
			"report; this column and the next two have no value if its [timeline](#crawlerstimeline) is by week or longer",
			value: func(r *crawlerRow) value { return integer(r.days).when(r.days > 0) }},
		{name: "first_day", means: "the first of these days, such as `2026-11-02`",
			value: func(r *crawlerRow) value { return words(r.firstDay) }},
		{name: "last_day", means: "and the last",
			value: func(r *crawlerRow) value { return words(r.lastDay) }},
	},
	verdictColumns(),
	rowTable[crawlerRow]{
		{name: "violation_share", kind: decimalRow, means: "the share of violations in its requests, without those of " +
			"impostors, from 0 to 1",
			value: func(r *crawlerRow) value {
				return r.judged(ratio(r.Verdicts[report.Violation], r.Requests-r.Verdicts[report.Spoofed]))
			}},
		{name: "violation_bytes", kind: integerRow, means: "bytes of bodies sent in answer to violations",
			value: func(r *crawlerRow) value { return r.judged(integer(r.ViolationBytes)) }},
		{name: "violation_verified", kind: integerRow, means: "violations by clients that are proven to be this crawler",
			value: func(r *crawlerRow) value { return r.judged(integer(violationsOf(r.crawler, report.Verified).all)) }},
		{name: "violation_content", kind: integerRow, means: "violations that were answered with content",
			value: func(r *crawlerRow) value { return r.judged(integer(r.Outcomes[report.Content])) }},
		{name: "violation_refused", kind: integerRow,
			means: "violations that were " + outcomeTerms[report.Refused].means,
			value: func(r *crawlerRow) value { return r.judged(integer(r.Outcomes[report.Refused])) }},
		{name: "violation_informed", kind: integerRow, means: "violations after a client of this name was sent a " +
			"robots.txt that forbids the request, or told by 304 that its copy stands; no value if the log does not " +
			"tell what was sent",
			value: func(r *crawlerRow) value { return r.judged(integer(r.Informed())).when(r.InformedKnown) }},
		{name: "verified", kind: integerRow, means: "requests by clients that are proven to be this crawler; `verified`, " +
			"`unverified`, `unverifiable` and `spoofed` add up to `requests`",
			value: func(r *crawlerRow) value { return integer(r.Identity[report.Verified]) }},
		{name: "unverified", kind: integerRow, means: "requests by clients about which nothing is proven",
			value: func(r *crawlerRow) value { return integer(r.Identity[report.Unverified]) }},
		{name: "unverifiable", kind: integerRow, means: "requests by clients that cannot be verified: the " +
			"operator publishes nothing for that, or the log has no public address of the client",
			value: func(r *crawlerRow) value { return integer(r.Identity[report.Unverifiable]) }},
		{name: "robots_txt_fetches", kind: integerRow, means: "its GETs of robots.txt; no value if the logs have none by " +
			"any client",
			value: func(r *crawlerRow) value { return integer(r.RobotsTxt.Fetches).when(r.of.RobotsTxt.Logged) }},
		{name: "partial", kind: boolRow, means: "not all of the input was read, or too many lines could not be parsed; " +
			"the same in each row",
			value: func(r *crawlerRow) value { return boolean(r.of.Partial) }},
	},
)

// verdictColumns has a column for each verdict.
func verdictColumns() (list rowTable[crawlerRow]) {
	for v, means := range [report.Verdicts]string{
		report.Allowed: "requests that robots.txt permits. This and the next eight columns have all " +
			"[verdicts](#totalsverdicts) and add up to `requests`; those that rest on a robots.txt have no value if none " +
			"was given",
		report.RobotsFetch:   "requests for robots.txt itself",
		report.Violation:     "requests that robots.txt forbids, whichever copy of it the crawler may have been using",
		report.Grace:         "requests that some of these copies forbid and others permit",
		report.Indeterminate: "requests that cannot be decided",
		report.NoPolicy:      "requests that are permitted only because there was no robots.txt",
		report.Unreachable:   "requests that are permitted only because robots.txt failed",
		report.Exempt:        "requests of an agent that robots.txt does not bind, according to its operator",
		report.Spoofed:       "requests of impostors: clients whose address proves that they are not this crawler",
	} {
		v := report.Verdict(v)
		get := func(r *crawlerRow) value { return integer(r.Verdicts[v]) }
		list = append(list, rowColumn[crawlerRow]{name: v.String(), kind: integerRow, means: means, value: get})
		switch v {
		case report.Allowed, report.Violation, report.Grace, report.NoPolicy, report.Unreachable:
			list[len(list)-1].value = func(r *crawlerRow) value { return r.judged(get(r)) }
		}
	}
	return list
}

// judged returns a value that rests on a robots.txt, and none if no robots.txt was given: that nothing
// was judged must not read as if the crawler broke nothing.
func (r *crawlerRow) judged(v value) value { return v.when(!r.of.Policy.None()) }

// ratio returns the share of n in a number, and none if that is 0.
func ratio(n, of int64) value { return decimal(float64(n) / float64(of)).when(of > 0) }

// writeCSV writes a row for each crawler, in their order. Sentences, such as assumptions and warnings,
// and all other parts of the report are in the other forms.
func writeCSV(w io.Writer, r *report.Report, _ bool) error {
	list := crawlerRows.list(w, "csv")
	for i := range r.Crawlers {
		if err := list.Add(newCrawlerRow(r, &r.Crawlers[i])); err != nil {
			return err
		}
	}
	return list.Close()
}

// CSVLine returns a line of CSV, as encoding/csv has it, with quotes also around cells with a
// semicolon. Texts among the cells are those that Cell returns.
func CSVLine(cells ...any) string {
	var b []byte
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		switch v := cell.(type) {
		case string:
			b = appendQuoted(b, Cell(v))
		case float64:
			b = strconv.AppendFloat(b, v, 'f', -1, 64)
		default:
			b = fmt.Append(b, v)
		}
	}
	return string(append(b, '\n'))
}

// appendQuoted appends a cell, with quotes if it needs them.
func appendQuoted(b []byte, cell string) []byte {
	if cell == "" || cell[0] != ' ' && cell != `\.` && !strings.ContainsAny(cell, "\",;\r\n") {
		return append(b, cell...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(cell, `"`, `""`)...), '"')
}

// Cell returns text for a cell of CSV, so that no spreadsheet takes it for a formula: not
// behind blanks, and not in the full-width characters that some take for ASCII. Where a semicolon
// separates cells, as in much of Europe, each part of the text may become one.
func Cell(text string) string {
	parts := strings.SplitAfter(text, ";")
	for i, part := range parts {
		if first := strings.TrimLeft(part, " "); strings.IndexAny(first, "=+-@\t\r\n＝＋－＠") == 0 {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, "")
}
