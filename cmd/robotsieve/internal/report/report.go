// Package report writes an audit.Report: as JSON, which is the Report itself, as
// ndjson and CSV for other programs, and as text for people.
//
// An output is a function that takes a Report, in a file of its own, and a row of
// outputs. It writes what two descriptions give it: columns has every figure with its
// name, heading and meaning; document has the whole report as sentences, facts and
// tables.
package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// outputs are the forms that a report can be written in. In colours, text that
// needs attention stands out; this is for terminals.
var outputs = []struct {
	name  string
	write func(w io.Writer, r *audit.Report, colours bool) error
}{
	{"text", writeText},
	{"json", writeJSON},
	{"ndjson", writeNDJSON},
	{"csv", writeCSV},
}

// Outputs returns the names of the outputs, the default first.
func Outputs() []string {
	var names []string
	for _, o := range outputs {
		names = append(names, o.name)
	}
	return names
}

// Write writes a report in the output of this name, which is one of Outputs.
func Write(w io.Writer, output string, r *audit.Report, colours bool) error {
	b := bufio.NewWriter(w)
	for _, o := range outputs {
		if o.name == output {
			if err := o.write(b, r, colours); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// Encoder returns an encoder that leaves <, > and & as they are: its JSON is for
// programs, not for web pages.
func Encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func writeJSON(w io.Writer, r *audit.Report, _ bool) error {
	e := Encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// writeNDJSON writes the report without its crawlers on the first line, then each
// crawler on a line of its own. The field record tells them apart.
func writeNDJSON(w io.Writer, r *audit.Report, _ bool) error {
	e := Encoder(w)
	err := e.Encode(struct {
		Record string `json:"record"`
		*audit.Report
		Crawlers int `json:"crawlers"` // how many lines follow, in place of the list
	}{"audit", r, len(r.Crawlers)})
	for i := range r.Crawlers {
		if err == nil {
			err = e.Encode(struct {
				Record string `json:"record"`
				*audit.CrawlerInfo
			}{"crawler", &r.Crawlers[i]})
		}
	}
	return err
}
