// Package history finds the versions that robots.txt had, in sources such as a git repository or
// an archive of the web, and writes them as a folder that an audit can judge by.
//
// A source is a row of Sources and a file of its own: it reads and gives the writer a Row for each
// answer that it finds (writer.go). The input is not trusted: what a source reads is bounded, and
// no name in it becomes the name of a file.
package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Row is a response to /robots.txt from some origins, as recorded by a source.
type Row struct {
	Origins []origin.Origin
	// Time is since when it was given, or when it was seen, as Source.Times says. Of several rows
	// of an origin and moment those with a smaller Order come first.
	Time     time.Time
	Month    bool // Time is only the first day of the month that is known
	Order    int
	Status   int    // HTTP status, or policy.Unreachable
	Location string // where a redirect leads, as the server wrote it
	// Body is the body of a 2xx response, or nil if it is not available. Add does not retain it.
	Body []byte
	// Digest identifies a body that is not available: "sha1:" and the SHA-1 in base32. The writer finds the body if
	// another row has it.
	Digest string
	// Place is where the source says so, such as a commit or the line of a file.
	Place string
}

// Source is a kind of source.
type Source struct {
	Name string // such as "git"
	// Times is the meaning of the times of its rows: policy.Deployed or policy.Observed.
	Times string
	// Folder is the option that names a file or a folder that is read, beside the arguments; "" if none does.
	Folder string
	// Prints is the option with which Read prints something to Query.Out and gives no rows, so that no folder is
	// made; "" if there is none.
	Prints string
	// Read gives the rows in any order. Its error ends the job: what else cannot be read is for
	// Query.Fault.
	Read func(context.Context, *Query, *Writer) error
}

// Query is what a source is asked.
type Query struct {
	Args   []string
	Values map[string]string // of the options that were given; "true" for one without a value
	Memory int64             // how many bytes the source and the writer may hold together
	In     io.Reader         // stdin, which the argument - names
	Out    io.Writer
	// MaxLine bounds a line of JSON, and Window the windows of decompressors, in bytes. Explain adds to the error of an
	// input. Refuse says why a file is not read, such as an archive of compile.
	MaxLine int
	Window  int64
	Explain func(error) error
	Refuse  func(name string) error
	// Warn reports a warning to the user, and Fault reports unreadable input and its location.
	Warn, Fault func(message string)
}

// fault reports unreadable input.
func (q *Query) fault(format string, args ...any) { q.Fault(fmt.Sprintf(format, args...)) }

// eachFile has each file of the arguments read. One that cannot be read is told of; the error is that
// of the writer, or of ctx.
func (q *Query) eachFile(ctx context.Context, to *Writer, read func(*source.Input) error) error {
	for _, name := range q.Args {
		in, err := source.NewInput(name, q.In, -1), error(nil)
		if name != "-" {
			in, err = source.NewFile(name)
		}
		if err == nil {
			err = read(in)
		}
		if ctx.Err() != nil || to != nil && to.failed != nil {
			return err
		}
		if _, names := errors.AsType[*source.Error](err); names {
			q.fault("%v", err)
		} else if err != nil {
			q.fault("%s: %v", name, err)
		}
	}
	return nil
}

// MaxBody is how many bytes a body may have. One that has more is not known.
const MaxBody = 16 << 20

// Sources are the kinds of sources.
func Sources() []Source { return []Source{git, wayback, index, capturesSource} }

// UsageError describes invalid arguments of a source.
type UsageError string

// Error returns the text.
func (e UsageError) Error() string { return string(e) }
