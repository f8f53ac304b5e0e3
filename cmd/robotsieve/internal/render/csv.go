package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// writeCSV writes a row for each crawler, in order. Sentences, such as assumptions and warnings,
// and all other parts of the report are left to the other outputs.
func writeCSV(w io.Writer, r *report.Report, _ bool) error {
	list := crawlerRows.list(w, "csv")
	for i := range r.Crawlers {
		if err := list.Add(newCrawlerRow(r, &r.Crawlers[i])); err != nil {
			return err
		}
	}
	return list.Close()
}

// CSVLine returns a line of CSV in the format of encoding/csv, with quotes also around cells with a
// semicolon. Texts must come from Cell.
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
