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

// Results say what Audit and Merge make, and how.
type Results struct {
	// State names a file for the state of the logs or of the sum, for Merge; "" is none. Force
	// replaces also a file that is not a state, but never one that is read.
	State string
	Force bool
	// Files are files to be made of the report, which also has the lines before an interruption.
	// One that cannot be written does not keep the others from it. By is as in audit.Inputs.
	Files []ReportFile
	By    string
	// Stdout is where the caller writes the report, which must not be a file that is read. Nil: it is
	// not known.
	Stdout io.Writer
	// NoReport: only the state is made. Merge does not look into records then: one that makes no
	// sense is found when a report is made.
	NoReport bool
	// AllowDuplicates counts also the logs that have the content of one before them, and the states
	// whose inputs are all in another one.
	AllowDuplicates bool
	// Anonymous: neither the report nor a message quotes a line of the logs, which has the address of
	// a client. There can be neither Samples nor Evidence.
	Anonymous bool
	// Check, if not nil, is called when all files but the logs have been read. Its error
	// ends the job before a line is read.
	Check func(*audit.Config) error
	// Program is the version of the program, and Command its command line, for the report.
	Program, Command string
	// Memory is how many bytes the job may hold; 0 is DefaultMemory. If it is too little
	// for the side files, the error is of the kind Input.
	Memory   int64
	Messages Messages
}

func (o *Results) stateFile() output { return output{"--state", o.State, aState, o.Force} }

// outputs are the state and the files of the report.
func (o *Results) outputs() []output {
	outputs := []output{o.stateFile()}
	for _, f := range o.Files {
		outputs = append(outputs, output{f.Flag, f.Name, kind{f.Kind, 0o666, f.Is}, o.Force})
	}
	return outputs
}

// writeReports writes the files of the report, all that it can.
func (a *auditing) writeReports(r *audit.Report) error {
	var errs []error
	for i, o := range a.outputs()[1:] {
		if o.name != "" {
			errs = append(errs, o.write(func(w io.Writer) error { return a.Files[i].Write(w, r) }))
		}
	}
	return errors.Join(errs...)
}
