// Package history finds old versions of robots.txt in sources such as a git repository or a web
// archive. It writes them to a folder that an audit can judge by.
//
// Each source is a row of Sources with a separate file. It yields a Row for each answer that it
// finds to the writer (writer.go). The input is untrusted: what a source reads is limited, and no
// name in it becomes a file name.
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
	// Time is when the answer was first given, or when it was seen, depending on Source.Times. Rows
	// with the same origin and time are sorted by Order.
	Time     time.Time
	Month    bool // Time is the first day of the month; the exact time is unknown
	Order    int
	Status   int    // HTTP status, or policy.Unreachable
	Location string // target of a redirect, as the server wrote it
	// Body is the body of a 2xx response, or nil if it is not available. Add does not retain it.
	Body []byte
	// Digest identifies a body that isn't available here: "sha1:" and the SHA-1 in base32. The writer
	// takes the body from another row with the same digest.
	Digest string
	// Place is where the source has the answer, such as a commit or a line of a file.
	Place string
}

// Source is a kind of source.
type Source struct {
	Name string // such as "git"
	// Times says what the times of its rows mean: policy.Deployed or policy.Observed.
	Times string
	// Folder is the option for a file or folder that is read in addition to the arguments; "" if there
	// is none.
	Folder string
	// Prints is the option that makes Read print to Query.Out and yield no rows, so that no folder is
	// made; "" if there is none.
	Prints string
	// Read yields the rows in any order. Its error ends the job; it reports other unreadable input
	// with Query.Fault.
	Read func(context.Context, *Query, *Writer) error
}

// Query is the input of a source.
type Query struct {
	Args   []string
	Values map[string]string // the given options; "true" for one without a value
	Memory int64             // memory budget of source and writer together, in bytes
	In     io.Reader         // stdin, for the argument -
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

// eachFile reads each file of the arguments. It reports unreadable files, and returns errors from
// the writer or ctx.
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

// MaxBody limits the bytes of a body. Longer bodies count as unknown.
const MaxBody = 16 << 20

// Sources are the kinds of sources.
func Sources() []Source { return []Source{git, wayback, index, capturesSource} }

// UsageError describes invalid arguments of a source.
type UsageError string

// Error returns the text.
func (e UsageError) Error() string { return string(e) }
