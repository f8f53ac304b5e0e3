package report

import (
	"fmt"
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// maxWidth is the width of the prose of the whole report, in characters.
const maxWidth = 118

// breaks breaks a heading where it may be broken.
var breaks = strings.NewReplacer("\u00ad", "-\n", " \u200b", "\n", "\u200b", "\n")

// writeScreen writes the report on one screen, writeFull the whole report.
func writeScreen(w io.Writer, r *audit.Report, colours bool) error {
	return writeBlocks(w, screen(r), screenWidth, colours)
}

func writeFull(w io.Writer, r *audit.Report, colours bool) error {
	return writeBlocks(w, document(r), maxWidth, colours)
}

// writeBlocks writes blocks with tables in columns, prose of a width, and marks as colours.
func writeBlocks(w io.Writer, blocks []block, width int, colours bool) error {
	marks := unmarked
	if colours {
		marks = strings.NewReplacer(markAlarm, text.FgRed.EscapeSeq(), markCaution, text.FgYellow.EscapeSeq(), markEnd, text.Reset.EscapeSeq())
	}
	var lines []string
	// wrapped adds prose, with a text before its first line.
	wrapped := func(before, prose string) {
		indent := text.StringWidthWithoutEscSequences(before)
		for line := range strings.SplitSeq(text.WrapSoft(marks.Replace(prose), width-indent), "\n") {
			lines = append(lines, strings.TrimRight(before+line, " "))
			before = strings.Repeat(" ", indent)
		}
	}
	for i, b := range blocks {
		if i > 0 {
			lines = append(lines, "")
		}
		if b.title != "" {
			wrapped("", b.title)
		}
		for _, item := range b.list {
			wrapped("- ", item)
		}
		if len(b.table.rows) > 0 {
			lines = append(lines, marks.Replace(Table(b.table.header, b.table.rows)))
		}
		if b.table.more != "" {
			lines = append(lines, b.table.more)
		}
		if len(b.table.rows) > 0 && len(b.facts)+len(b.text) > 0 {
			lines = append(lines, "")
		}
		names := 0
		for _, f := range b.facts {
			names = max(names, len(f.name)+len(": "))
		}
		for _, f := range b.facts {
			name := ""
			if f.name != "" {
				name = f.name + ":"
			}
			wrapped(fmt.Sprintf("%-*s", names, name), f.text)
		}
		for _, line := range b.quote {
			lines = append(lines, "  "+line)
		}
		for _, paragraph := range b.text {
			wrapped("", paragraph)
		}
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Table lays out rows of cells in columns. A column whose heading begins with > is
// flush right. A row of one cell is a title within the table.
func Table(header []string, rows [][]string) string {
	w := pretty.NewWriter()
	style := pretty.StyleDefault
	style.Options = pretty.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	var configs []pretty.ColumnConfig
	var headings pretty.Row
	for i, heading := range header {
		heading, right := strings.CutPrefix(heading, ">")
		if right {
			configs = append(configs, pretty.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
		headings = append(headings, breaks.Replace(heading))
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(headings)
	for _, row := range rows {
		var cells pretty.Row
		for i := range header {
			cells = append(cells, row[min(i, len(row)-1)])
		}
		// A cell that is the same in all columns is laid out across them.
		w.AppendRow(cells, pretty.RowConfig{AutoMerge: len(row) == 1, AutoMergeAlign: text.AlignLeft})
	}
	return w.Render()
}
