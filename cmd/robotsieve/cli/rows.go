package cli

import (
	"errors"
	"fmt"
	"io"
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
	rows    *report.Rows // nil if none are written here
}

// Rows are --list, --output and --anonymize: which rows are listed, and how they are written. As JSON they
// can be sent to another process. The zero value lists none.
type Rows struct {
	List   string // violations or all
	Output string // ndjson, csv or parquet
	Key    []byte // of pseudonyms; none: addresses are written
}

// Begin returns the rows that an audit writes to w, and a function that ends them when the audit has ended.
func (r Rows) Begin(w io.Writer) (rows *job.Rows, end func() error) {
	rows, written := r.begin(w)
	return rows, written.Close
}

func (r Rows) begin(w io.Writer) (*job.Rows, *report.Rows) {
	written := report.NewRows(w, r.Output, r.Key)
	return &job.Rows{Violations: r.List == "violations", Appender: written.Appender, To: written}, written
}

func addRowFlags(cmd *cobra.Command) *rowFlags {
	f := &rowFlags{}
	choice(cmd, "list", "", "print a row for each violation, or for each request of a crawler, "+
		"in place of the report: as --output "+strings.Join(report.RowOutputs(), ", ")+"; default ndjson", to(&f.list),
		"violations", "all")
	cmd.Flags().StringVar(&f.keyFile, "anonymize", "",
		"with --list: replace addresses by pseudonyms, which are the same for the same key, "+
			"and quote no line of the logs anywhere: a file of at least 16 bytes that others do not know")
	return f
}

// The key of --anonymize: one that is shorter can be guessed, and one that is longer is another
// file by mistake.
const (
	minKey = 16
	maxKey = 1 << 20
)

// chosen returns the list that is asked for. output is that of the report, unless another one was chosen.
func (f *rowFlags) chosen(output string, chosen bool) (rows Rows, err error) {
	outputs := report.RowOutputs()
	switch {
	case f.list == "" && f.keyFile != "":
		return rows, usageError("--anonymize is for --list")
	case f.list == "" && !slices.Contains(report.Outputs(), output):
		return rows, usageError("--output %s is for --list", output)
	case f.list == "":
		return rows, nil
	case !chosen:
		output = outputs[0]
	case !slices.Contains(outputs, output):
		return rows, usageError("--list has no --output %s: choose one of %s", output, strings.Join(outputs, ", "))
	}
	rows = Rows{List: f.list, Output: output}
	if f.keyFile != "" {
		if rows.Key, err = disk.ReadLimited(f.keyFile, maxKey); err != nil {
			return rows, inputError(fmt.Errorf("--anonymize: %w", err))
		}
		if len(rows.Key) < minKey {
			return rows, usageError("--anonymize %s has %d bytes: a key has at least %d", f.keyFile, len(rows.Key),
				minKey)
		}
	}
	return rows, nil
}

// begin begins a list on stdout.
func (f *rowFlags) begin(s streams, r Rows) (rows *job.Rows, err error) {
	switch {
	case r.List == "":
		return nil, nil
	case r.Output == "parquet" && isTerminal(s.out):
		return nil, usageError("Parquet is not for a terminal: write it to a file or a pipe")
	}
	rows, f.rows = r.begin(s.out)
	return rows, nil
}

// end ends the list after an audit with this result, and returns its error or that of the end.
func (f *rowFlags) end(a *job.Audited, err error) error {
	if f.rows == nil || a == nil && !f.rows.Begun() {
		return err
	}
	return errors.Join(err, writing("the rows", f.rows.Close()))
}
