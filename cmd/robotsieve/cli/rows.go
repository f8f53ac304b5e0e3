package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/job"
)

// rowFlags are the flags of an audit that lists requests.
type rowFlags struct {
	list    string // violations or all; empty: there is no list
	keyFile string
	rows    *report.Rows // nil if there is no list
}

func addRowFlags(cmd *cobra.Command) *rowFlags {
	f := &rowFlags{}
	choice(cmd, "list", "", "print a row for each violation, or for each request of a crawler, in place of the report: as --output "+strings.Join(report.RowOutputs(), ", ")+"; default ndjson", to(&f.list), "violations", "all")
	cmd.Flags().StringVar(&f.keyFile, "anonymize", "", "with --list: replace addresses by pseudonyms, which are the same for the same key: a file of at least 16 bytes that others do not know")
	return f
}

// The key of --anonymize: one that is shorter can be guessed, and one that is longer is another
// file by mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// begin returns the list that is asked for, nil if none is. output is that of the report, unless
// another one was chosen.
func (f *rowFlags) begin(s streams, output string, chosen bool) (*job.Rows, error) {
	outputs := report.RowOutputs()
	switch {
	case f.list == "" && f.keyFile != "":
		return nil, usageError("--anonymize is for --list: the report has no addresses")
	case f.list == "" && !slices.Contains(report.Outputs(), output):
		return nil, usageError("--output %s is for --list", output)
	case f.list == "":
		return nil, nil
	case !chosen:
		output = outputs[0]
	case !slices.Contains(outputs, output):
		return nil, usageError("--list has no --output %s: choose one of %s", output, strings.Join(outputs, ", "))
	case output == "parquet" && isTerminal(s.out):
		return nil, usageError("Parquet is not for a terminal: write it to a file or a pipe")
	}
	rows := &job.Rows{Violations: f.list == "violations"}
	var key []byte
	if f.keyFile != "" {
		var err error
		if key, err = disk.ReadLimited(f.keyFile, maxKey); err != nil {
			return nil, inputError(fmt.Errorf("--anonymize: %w", err))
		}
		if len(key) < minKey {
			return nil, usageError("--anonymize %s has %d bytes: a key has at least %d", f.keyFile, len(key), minKey)
		}
		rows.Files = []string{f.keyFile}
	}
	f.rows = report.NewRows(s.out, output, key)
	rows.Appender, rows.To = f.rows.Appender, f.rows
	return rows, nil
}

// end ends the list after an audit with this result, and returns its error or that of the end.
func (f *rowFlags) end(a *job.Audited, err error) error {
	if f.rows == nil || a == nil && !f.rows.Begun() {
		return err
	}
	if failed := f.rows.Close(); failed != nil {
		return errors.Join(err, inputError(fmt.Errorf("writing the rows: %w", failed)))
	}
	return err
}
