// Package render writes a report.Report: as JSON, which is the Report itself, for other programs, as
// CSV for spreadsheets, and as text for people.
//
// An output is a function that takes a Report, in its own file, and a row of
// outputs. All write from shared descriptions: crawlerRows has the columns of CSV, figures the
// numbers in tables with their headings and meanings; document has the whole report as sentences,
// facts and tables, and screen the part that fits on one screen.
//
// Rows, a list of the requests themselves, have their own description, rowTable, and their own
// outputs.
package render

import (
	"bufio"
	"io"

	"github.com/robotsieve/robotsieve/scan/report"
)

// outputs are the forms that a report can be written in. Those for people get texts that cannot act on a
// terminal, and local times; in colours, what needs attention stands out. Those for programs keep the
// bytes of texts, as WriteJSON and columns write them.
var outputs = []struct {
	name      string
	forPeople bool
	write     func(w io.Writer, r *report.Report, colours bool) error
}{
	{"text", true, writeScreen},
	{Full, true, writeFull},
	{"markdown", true, writeMarkdown},
	{"json", false, writeJSON},
	{"csv", false, writeCSV},
}

// Full is the output with the whole report as text, instead of one screen.
const Full = "full"

// Outputs returns the names of the outputs, the default first.
func Outputs() []string {
	var names []string
	for _, o := range outputs {
		names = append(names, o.name)
	}
	return names
}

// Write writes a report in one of Outputs.
func Write(w io.Writer, output string, r *report.Report, colours bool) error {
	b := bufio.NewWriter(w)
	for _, o := range outputs {
		if o.name != output {
			continue
		}
		if o.forPeople {
			r = forPeople(r)
		}
		if err := o.write(b, r, colours); err != nil {
			return err
		}
	}
	return b.Flush()
}

// forPeople copies a report, with texts that cannot act on a terminal, and with local times.
func forPeople(r *report.Report) *report.Report {
	shown := r.Rewrite(report.Printable)
	shown.Localize()
	return shown
}

func writeJSON(w io.Writer, r *report.Report, _ bool) error {
	return WriteJSON(w, r.Rewrite(report.ToUTF8), "  ")
}
