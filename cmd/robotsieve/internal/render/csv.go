package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// writeCSV writes one row per crawler, in order, and nothing else of the report.
func writeCSV(w io.Writer, r *report.Report, _ bool) error {
	list := crawlerRows().list(w, "csv")
	for i := range r.Crawlers {
		if err := list.Add(newCrawlerRow(r, &r.Crawlers[i])); err != nil {
			return err
		}
	}
	return list.Close()
}

// CSVLine returns a line as encoding/csv writes it, but also quotes cells with a semicolon.
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

func appendQuoted(b []byte, cell string) []byte {
	if cell == "" || cell[0] != ' ' && cell != `\.` && !strings.ContainsAny(cell, "\",;\r\n") {
		return append(b, cell...)
	}
	return append(append(append(b, '"'), strings.ReplaceAll(cell, `"`, `""`)...), '"')
}

// Cell returns text for a CSV cell that no spreadsheet runs as a formula, even after blanks, in full-width
// characters, or after the semicolons that separate cells in much of Europe.
func Cell(text string) string {
	parts := strings.SplitAfter(text, ";")
	for i, part := range parts {
		if first := strings.TrimLeft(part, " "); strings.IndexAny(first, "=+-@\t\r\n＝＋－＠") == 0 {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, "")
}
