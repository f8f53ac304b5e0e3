package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// writeCSV writes one row for the audit, with the basis of the figures, then one for each
// crawler, with the figures. The column record tells them apart.
func writeCSV(w io.Writer, r *audit.Report, _ bool) error {
	out := csv.NewWriter(w)
	header := []string{"record"}
	for _, column := range columns {
		header = append(header, column.name)
	}
	out.Write(header)
	row := func(record string, c *audit.CrawlerInfo) {
		cells := []string{record}
		for _, column := range columns {
			cell := ""
			switch {
			case c == nil && column.auditValue != nil, column.name == "partial": // in each row: some read rows alone
				cell = csvText(column.auditValue(r))
			case c != nil && column.value != nil:
				cell = csvText(column.value(c))
			}
			cells = append(cells, cell)
		}
		out.Write(cells)
	}
	row("audit", nil)
	for i := range r.Crawlers {
		row("crawler", &r.Crawlers[i])
	}
	out.Flush()
	return out.Error()
}

func csvText(value any) string {
	switch v := value.(type) {
	case string:
		return Cell(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// Cell returns text for a cell of CSV, so that no spreadsheet takes it for a formula: not
// behind blanks, and not in the full-width characters that some take for ASCII.
func Cell(text string) string {
	if first := strings.TrimLeft(text, " "); strings.IndexAny(first, "=+-@\t\r\n＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
