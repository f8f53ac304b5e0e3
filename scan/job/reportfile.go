package job

import (
	"errors"
	"io"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// ReportFile is a file that a job makes of its report, in a form that the caller knows.
type ReportFile struct {
	// Flag is the flag that names the file, such as --html. Name is empty for none.
	Flag, Name string
	// Kind says what such a file is, with its article, and Is tells it by its first 4 KiB: a
	// file of another kind is replaced only with Force.
	Kind string
	Is   func(head []byte) bool
	// Write writes the file. It must not keep or change the report.
	Write func(io.Writer, *audit.Report) error
}

// reportFiles are the files that options ask for.
func reportFiles(list []ReportFile, force bool) (outputs []output) {
	for _, f := range list {
		outputs = append(outputs, output{f.Flag, f.Name, kind{f.Kind, 0o666, f.Is}, force})
	}
	return outputs
}

// writeReports writes the files of the report, all that it can.
func (a *auditing) writeReports(r *audit.Report) error {
	var errs []error
	for i, o := range a.outputs {
		if o.name != "" {
			errs = append(errs, o.write(func(w io.Writer) error { return a.files[i].Write(w, r) }))
		}
	}
	return errors.Join(errs...)
}
