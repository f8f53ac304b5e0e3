package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// writeCSV writes one row for the audit, with the basis of the figures, then one for each
// crawler, with the figures. The column record tells them apart.
func writeCSV(w io.Writer, r *audit.Report, _ bool) error {
	out := NewCSV(w)
	header := []any{"record"}
	for _, f := range figures {
		header = append(header, f.name)
	}
	out.Write(header...)
	row := func(record string, c *crawler) {
		cells := []any{record}
		for _, f := range figures {
			switch {
			case c == nil && f.ofAudit != nil, f.name == "partial": // in each row: some read rows alone
				cells = append(cells, f.ofAudit(r))
			case c != nil && f.ofCrawler != nil:
				cells = append(cells, f.ofCrawler(c))
			default:
				cells = append(cells, "")
			}
		}
		out.Write(cells...)
	}
	row("audit", nil)
	for i := range r.Crawlers {
		row("crawler", &r.Crawlers[i])
	}
	return out.Err
}

// CSV writes lines of CSV, as encoding/csv does, with quotes also around cells with a semicolon.
type CSV struct {
	Err  error // the first of writing
	w    io.Writer
	line []byte
}

// NewCSV returns a CSV that writes each line at once.
func NewCSV(w io.Writer) *CSV { return &CSV{w: w} }

// Write writes a line. Texts among the cells are those that Cell returns.
func (c *CSV) Write(cells ...any) {
	c.line = c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		switch v := cell.(type) {
		case string:
			c.line = appendQuoted(c.line, Cell(v))
		case float64:
			c.line = strconv.AppendFloat(c.line, v, 'f', -1, 64)
		default:
			c.line = fmt.Append(c.line, v)
		}
	}
	if c.Err == nil {
		_, c.Err = c.w.Write(append(c.line, '\n'))
	}
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
