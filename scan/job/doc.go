// Package job runs whole jobs as a program needs them: from the names of files and
// options to filtered output, an archive of rules, a report or a state. The
// command robotsieve is a thin user of it, and so is every other front end.
//
// A job never prints, exits or panics. It returns what it made and an [*Error],
// whose kind says whether the options, an input or an interrupt is the cause. Its
// messages go to [Messages].
package job

import (
	"errors"
	"fmt"
	"io"
)

// Error is why a job was not done, or not wholly.
type Error struct {
	Kind Kind
	Err  error
}

// Kind says what caused an [Error].
type Kind uint8

const (
	// Usage: the options contradict each other, or something is missing.
	Usage Kind = iota + 1
	// Input: an input could not be used, or an output could not be written.
	Input
	// Interrupted: the context ended first.
	Interrupted
)

// Error returns the text of the cause.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func usageError(format string, args ...any) error { return &Error{Usage, fmt.Errorf(format, args...)} }

func inputError(err error) error { return &Error{Input, err} }

// errNothingDone is the end of a job that was interrupted before it had a result.
var errNothingDone = &Error{Interrupted, errors.New("interrupted before anything was done")}

// Messages receives the messages and the progress of a job while it runs. The zero value
// discards them.
type Messages struct {
	// Warn receives one message at a time, without a line end. A message may quote
	// bytes of the inputs as they are: escape it before printing (report.Printable).
	Warn func(message string)
	// Progress is called when a job begins to read its inputs; the function that
	// it returns is called when the job has read them.
	Progress func(Progress) (end func())
	// To is where both write, if that is known: a file there is no input and no other output of the
	// job.
	To io.Writer
}

// Progress tells how far a job is: the bytes read and their total, -1 if that is
// not known. It is safe for concurrent use.
type Progress interface {
	Progress() (read, total int64)
}

func (m Messages) warn(format string, args ...any) {
	if m.Warn != nil {
		m.Warn(fmt.Sprintf(format, args...))
	}
}

func (m Messages) progress(p Progress) (end func()) {
	if m.Progress == nil {
		return func() {}
	}
	return m.Progress(p)
}
