// Package job runs whole jobs: from the names of files and
// options to filtered output, an archive of rules, a report or a state. The
// command robotsieve is a thin wrapper around it, like every other front end.
//
// A job never prints, exits or panics. It returns what it made and an [*Error],
// whose kind is the cause: the options, an input or an interrupt. Its
// messages go to [Messages].
//
// An audit by one robots.txt, and how many requests broke it:
//
//	var o job.AuditOptions
//	o.Logs.Names = []string{"access.log"}
//	o.Robots.Name = "robots.txt"
//	audited, err := job.Audit(ctx, o)
//	n := audited.Report.Totals.Verdicts[report.Violation]
package job

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// Error says why a job failed, wholly or in part.
type Error struct {
	Kind Kind
	Err  error
}

// Kind is the cause of an [Error].
type Kind uint8

const (
	// Usage means that the options contradict each other, or that one is missing.
	Usage Kind = iota + 1
	// Input means that an input could not be used, or an output could not be written.
	Input
	// Interrupted means that the context ended first.
	Interrupted
)

// Error returns the text of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func usageError(format string, args ...any) error { return &Error{Usage, fmt.Errorf(format, args...)} }

func inputError(err error) error { return &Error{Input, err} }

// errNothingDone ends a job that was interrupted before it had a result.
var errNothingDone = &Error{Interrupted, errors.New("interrupted before anything was done")}

// Messages receives the messages and the progress of a job while it runs. The zero value
// discards them.
type Messages struct {
	// Warn receives one message at a time, without a line end. A message may quote
	// raw bytes of the inputs: escape it before printing (report.Printable).
	Warn func(message string)
	// Progress is called when a job begins to read its inputs; the function that
	// it returns is called when the job has read them.
	Progress func(Progress) (end func())
	// Word, if not nil, puts texts of the report into the words of the caller's users. A message, an
	// error or a text of the report names an option by its field, as in "option MaxUnparsed", and the function
	// that shows how logs are read job.Explain.
	Word func(text string) string
	// To is where messages and progress are written, if known: a file there may be no input and no other
	// output of the job.
	To io.Writer
}

// Progress reports how far a job is: the bytes read and their total, -1 if
// unknown. It is safe for concurrent use.
type Progress interface {
	Progress() (read, total int64)
}

func (m Messages) warn(format string, args ...any) {
	if m.Warn != nil {
		m.Warn(fmt.Sprintf(format, args...))
	}
}

func (m Messages) warnAll(texts []string) {
	for _, text := range texts {
		m.warn("%s", text)
	}
}

func (m Messages) word(text string) string {
	if m.Word == nil {
		return text
	}
	return m.Word(text)
}

// wordInputs puts the report's texts about inputs into the words of the caller's users.
func (m Messages) wordInputs(in *audit.Inputs) {
	in.List, in.Warnings, in.Notes = slices.Clone(in.List), slices.Clone(in.Warnings), slices.Clone(in.Notes)
	for i := range in.List {
		in.List[i].Error = m.word(in.List[i].Error)
	}
	m.wordTexts(in.Warnings, in.Notes)
}

// wordTexts puts texts into the words of the caller's users.
func (m Messages) wordTexts(lists ...[]string) {
	for _, texts := range lists {
		for i := range texts {
			texts[i] = m.word(texts[i])
		}
	}
}

func (m Messages) progress(p Progress) (end func()) {
	if m.Progress == nil {
		return func() {}
	}
	return m.Progress(p)
}
