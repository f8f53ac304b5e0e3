package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// Rows are --list, --output and --anonymize: which rows are listed, and how they are written. As
// JSON they can be sent to another process. The zero value lists none.
type Rows struct {
	List   string // violations, all or undeclared
	Output string // ndjson, csv or parquet
	Key    []byte // of pseudonyms; none: addresses are written
}

// Begin returns the rows that an audit writes to w, and a function that ends them when the audit
// has ended.
func (r Rows) Begin(w io.Writer) (rows *job.Rows, end func() error) {
	rows, written := r.begin(w)
	return rows, written.Close
}

func (r Rows) begin(w io.Writer) (*job.Rows, *render.Rows) {
	written := render.NewRows(w, r.Output, r.Key)
	return &job.Rows{Violations: r.List == "violations", Undeclared: r.List == "undeclared", Appender: written.Appender,
		To: written}, written
}

// The key of --anonymize: one that is shorter can be guessed, and one that is longer is another
// file by mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// rowsAsked are the rows that a command line asks for.
func rowsAsked(a *args) (rows Rows, err error) {
	rows.List = a.text("list")
	if rows.List == "" {
		return rows, nil
	}
	rows.Output = render.RowOutputs()[0]
	if a.set("output") {
		rows.Output = a.text("output")
	}
	name := a.text("anonymize")
	if name == "" {
		return rows, nil
	}
	rows.Key, err = disk.ReadLimited(name, maxKey)
	if err != nil {
		return rows, inputError(fmt.Errorf("--anonymize: %w", err))
	}
	if len(rows.Key) < minKey {
		return rows, usageError("--anonymize %s has %d bytes: a key has at least %d", name, len(rows.Key), minKey)
	}
	return rows, nil
}

// onStdout begins the rows on stdout; both results are nil if there are to be none here.
func (r Rows) onStdout(s streams) (*job.Rows, *render.Rows, error) {
	switch {
	case r.List == "" || s.elsewhere != nil:
		return nil, nil, nil
	case r.Output == "parquet" && isTerminal(s.out):
		return nil, nil, errParquet
	}
	rows, written := r.begin(s.out)
	return rows, written, nil
}

var errParquet = usageError("Parquet is not for a terminal: write it to a file or a pipe")

// endRows ends the rows after an audit with this result, and returns its error or that of the end.
func endRows(rows *render.Rows, a *job.Audited, err error) error {
	if rows == nil || a == nil && !rows.Begun() {
		return err
	}
	return errors.Join(err, writing("the rows", rows.Close()))
}
