package cli

import (
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// listing is --list, --output and --anonymize: which rows are listed, and how they are written. The zero value
// lists none.
type listing struct {
	list   string // violations, all or undeclared
	output string // ndjson, csv or parquet
	key    []byte // of pseudonyms; none: addresses are written
}

// The key of --anonymize: one that is shorter can be guessed, and one that is longer is another
// file by mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// rowsAsked are the rows that a command line asks for.
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

// onStdout begins the rows on stdout; both results are nil if there are to be none.
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

// endRows ends the rows after an audit with this result, and returns its error or that of the end.
func endRows(rows *render.Rows, a *job.Audited, err error) error {
	if rows == nil || a == nil && !rows.Begun() {
		return err
	}
	return errors.Join(err, writing("the rows", rows.Close()))
}
