package cli

import (
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// listing holds --list, --output and --anonymize. The zero value lists no rows.
type listing struct {
	list   string // violations, all or undeclared
	output string // ndjson, csv or parquet
	key    []byte // for pseudonyms; none if addresses are written
}

// The key of --anonymize. A shorter one can be guessed, and a longer one is another file by
// mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// rowsAsked returns the listing of a command line.
func rowsAsked(a *args) (rows listing, err error) {
	rows.list = a.text("list")
	if rows.list == "" {
		return rows, nil
	}
	rows.output = render.RowOutputs()[0]
	if a.set("output") {
		rows.output = a.text("output")
	}
	name := a.text("anonymize")
	if name == "" {
		return rows, nil
	}
	rows.key, err = disk.ReadLimited(name, maxKey)
	if err != nil {
		return rows, inputError(fmt.Errorf("--anonymize: %w", err))
	}
	if len(rows.key) < minKey {
		return rows, usageError("--anonymize %s has %d bytes: a key has at least %d", name, len(rows.key), minKey)
	}
	return rows, nil
}

// onStdout starts the rows on stdout. Both results are nil if there are none to write.
func (r listing) onStdout(s streams) (*job.Rows, *render.Rows, error) {
	switch {
	case r.list == "":
		return nil, nil, nil
	case r.output == "parquet" && isTerminal(s.out):
		return nil, nil, errParquet
	}
	written := render.NewRows(s.out, r.output, r.key)
	return &job.Rows{Violations: r.list == "violations", Undeclared: r.list == "undeclared", Appender: written.Appender,
		To: written}, written, nil
}

var errParquet = usageError("Parquet is not for a terminal: write it to a file or a pipe")

// endRows completes the rows after an audit. It returns the audit's error, or else its own.
func endRows(rows *render.Rows, a *job.Audited, err error) error {
	if rows == nil || a == nil && !rows.Begun() {
		return err
	}
	return errors.Join(err, writing("the rows", rows.Close()))
}
