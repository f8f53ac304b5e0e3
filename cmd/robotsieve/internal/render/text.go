package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// maxWidth is the width of prose in the whole report, in characters.
const maxWidth = 118

const blanksBetween = 2

var breaks = strings.NewReplacer("\u00ad", "-\n", " \u200b", "\n", "\u200b", "\n")

// writeText writes tables in columns, prose wrapped to width, and marks as colours.
func (d document) writeText(w io.Writer, width int, colours bool) error {
	marks := unmarked
	if colours {
		marks = strings.NewReplacer(markAlarm, text.FgRed.EscapeSeq(), markCaution, text.FgYellow.EscapeSeq(), markEnd,
			text.Reset.EscapeSeq())
	}
	var lines []string
	// wrapped adds wrapped prose. before precedes its first line.
	wrapped := func(before, prose string) {
		indent := text.StringWidthWithoutEscSequences(before)
		for line := range strings.SplitSeq(text.WrapSoft(marks.Replace(prose), width-indent), "\n") {
			lines = append(lines, strings.TrimRight(before+line, " "))
			before = strings.Repeat(" ", indent)
		}
	}
	for i, b := range d {
		if i > 0 {
			lines = append(lines, "")
		}
		if b.Title != "" {
			wrapped("", b.Title)
		}
		for _, item := range b.List {
			wrapped("- ", item)
		}
		if b.Table.rows > 0 {
			lines = append(lines, marks.Replace(b.Table.text()))
		}
		if b.Table.More != "" {
			lines = append(lines, b.Table.More)
		}
		if b.Table.rows > 0 && len(b.Facts)+len(b.Text) > 0 {
			lines = append(lines, "")
		}
		names := 0
		for _, f := range b.Facts {
			names = max(names, len(f.Name)+len(": "))
		}
		for _, f := range b.Facts {
			name := ""
			if f.Name != "" {
				name = f.Name + ":"
			}
			wrapped(fmt.Sprintf("%-*s", names, name), f.Text)
		}
		for _, line := range b.Quote {
			lines = append(lines, "  "+line)
		}
		for _, paragraph := range b.Text {
			wrapped("", paragraph)
		}
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Table lays out rows of cells in columns.
func Table(columns []Column, rows [][]string) string {
	t := table{Columns: columns, Groups: []group{{}}}
	for _, row := range rows {
		t.Groups[0].Rows = append(t.Groups[0].Rows, rowOf(row))
	}
	return t.text()
}

func (t table) text() string {
	w := pretty.NewWriter()
	style := pretty.StyleDefault
	style.Options = pretty.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", blanksBetween)
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	var configs []pretty.ColumnConfig
	var headings pretty.Row
	for i, c := range t.Columns {
		if c.Right {
			configs = append(configs, pretty.ColumnConfig{Number: i + 1, Align: text.AlignRight,
				AlignHeader: text.AlignRight})
		}
		headings = append(headings, breaks.Replace(c.Heading))
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(headings)
	// A cell that spans all columns is laid out across them.
	across := func(line string) {
		if line != "" {
			w.AppendRow(slices.Repeat(pretty.Row{line}, len(t.Columns)),
				pretty.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignLeft})
		}
	}
	for _, g := range t.Groups {
		across(g.Title)
		for _, row := range g.Rows {
			var cells pretty.Row
			for _, text := range row.texts() {
				cells = append(cells, text)
			}
			w.AppendRow(cells)
			across(row.Below)
		}
	}
	return w.Render()
}
