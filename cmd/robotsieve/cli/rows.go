package cli

import (
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// The key of --anonymize. A shorter one can be guessed, and a longer one is another file by mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// rowsAsked starts the rows of --list on stdout. Both results are nil if there are none to write.
func rowsAsked(s streams, a *args) (*job.Rows, *render.Rows, error) {
	list, output, key := a.text("list"), render.RowOutputs()[0], []byte(nil)
	if list == "" {
		return nil, nil, nil
	}
	if a.set("output") {
		output = a.text("output")
	}
	if name := a.text("anonymize"); name != "" {
		var err error
		if key, err = disk.ReadLimited(name, maxKey); err != nil {
			return nil, nil, inputError(fmt.Errorf("--anonymize: %w", err))
		}
		if len(key) < minKey {
			return nil, nil, usageError("--anonymize %s has %d bytes: a key has at least %d", name, len(key), minKey)
		}
	}
	if output == "parquet" && isTerminal(s.out) {
		return nil, nil, errParquet
	}
	written := render.NewRows(s.out, output, key)
	return &job.Rows{Violations: list == "violations", Undeclared: list == "undeclared", Appender: written.Appender,
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
