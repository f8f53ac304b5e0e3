// Package render writes a report.Report as JSON (the Report itself) for other programs, as CSV for
// spreadsheets, and as text for people.
//
// Each output is a function of a Report, with a file of its own and a row in outputs. They share columns
// (of crawlers in crawlercolumns.go), and documents of sentences, facts and tables: full has the whole
// report, and screen the part that fits on one screen. Rows list the requests themselves.
package render

import (
	"bufio"
	"io"

	"github.com/robotsieve/robotsieve/scan/report"
)

// outputs are the formats of a report. Those for people get local times, colours, and texts that can't
// control a terminal; those for programs keep the bytes of texts.
var outputs = []struct {
	name      string
	forPeople bool
	write     func(w io.Writer, r *report.Report, colours bool) error
}{
	{"text", true, func(w io.Writer, r *report.Report, colours bool) error {
		return screen(r).writeText(w, screenWidth, colours)
	}},
	{Full, true, func(w io.Writer, r *report.Report, colours bool) error {
		return full(r).writeText(w, maxWidth, colours)
	}},
	{"markdown", true, writeMarkdown},
	{"json", false, func(w io.Writer, r *report.Report, _ bool) error {
		return WriteJSON(w, r.Rewrite(report.ToUTF8), "  ")
	}},
	{"csv", false, writeCSV},
}

// Full is the output with the whole report as text instead of one screen.
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

// forPeople copies a report with local times and texts that can't control a terminal.
func forPeople(r *report.Report) *report.Report {
	shown := r.Rewrite(report.Printable)
	shown.Localize()
	return shown
}
