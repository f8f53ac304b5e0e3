package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// writeCSV writes one row for the audit, with the basis of the figures, then one for each
// crawler, with the figures, and one for each site if there are several. The column record tells them apart. Sentences, such as assumptions and warnings, are for people and in
// the other forms.
func writeCSV(w io.Writer, r *report.Report, _ bool) error {
	header, all := []any{"record"}, append(slices.Clone(figures), siteName, knownCrawlers)
	for _, f := range all {
		header = append(header, f.name)
	}
	var text strings.Builder
	text.WriteString(CSVLine(header...))
	row := func(record string, c *crawler, has []figure) {
		cells := []any{record}
		for _, f := range all {
			switch {
			case c == nil && f.ofAudit != nil, f.name == "partial": // in each row: some read rows alone
				cells = append(cells, f.ofAudit(r))
			case c != nil && f.ofCrawler != nil && slices.ContainsFunc(has, func(of figure) bool { return of.name == f.name }):
				cells = append(cells, f.ofCrawler(c))
			default:
				cells = append(cells, "")
			}
		}
		text.WriteString(CSVLine(cells...))
	}
	row("audit", nil, nil)
	for i := range r.Crawlers {
		row("crawler", &r.Crawlers[i], figures)
	}
	for i := range r.Sites {
		if len(r.Sites) > 1 {
			row("site", asCrawler(&r.Sites[i]), append([]figure{siteName}, siteFigures...))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
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
		case *int64: // perhaps not known
			if v != nil {
				b = strconv.AppendInt(b, *v, 10)
			}
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
