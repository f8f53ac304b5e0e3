package job

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
)

// checkEvidence refuses a folder of evidence that cannot be made, or in whose place something is
// that the job reads or writes.
func (o *AuditOptions) checkEvidence(inputs inputFiles) error {
	if o.Evidence == "" {
		return nil
	}
	switch err := evidence.CheckFolder(o.Evidence, o.Force); {
	case errors.Is(err, evidence.ErrOccupied):
		return usageError("--evidence: %w", err)
	case err != nil:
		return inputError(err)
	}
	if err := o.refuseWithin(inputs); err != nil {
		return err
	}
	w, err := evidence.Begin(o.Evidence)
	if err == nil {
		err = w.Discard()
	}
	if err != nil {
		return inputError(writing(o.Evidence, err))
	}
	return nil
}

// refuseWithin refuses a folder of evidence that holds an input or an output.
func (o *AuditOptions) refuseWithin(inputs inputFiles) error {
	dir, err := filepath.Abs(o.Evidence)
	if err != nil {
		return inputError(err)
	}
	for _, out := range o.outputs() {
		if path, err := filepath.Abs(out.name); err == nil && out.name != "" &&
			strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return usageError("%s %s would be in the folder of --evidence", out.flag, out.name)
		}
	}
	return eachFile(o.Evidence, func(path string) error {
		return refuseShared("--evidence", path, inputs, nil)
	})
}

// eachFile calls do for all files in a folder, if it exists.
func eachFile(dir string, do func(path string) error) error {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // it does not exist, or writing it will fail
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = eachFile(path, do)
		} else {
			err = do(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errNoEvidence is the error of an audit that was interrupted before there was a folder.
var errNoEvidence = errors.New("interrupted: there is no folder of evidence")

// writeEvidence makes the folder of an audit with a report. err is the audit's own error. An audit
// that was interrupted has no evidence: the lines that it has not read could clear what it has
// found.
func (o *AuditOptions) writeEvidence(ctx context.Context, e *evidenceFolder, r *audit.Report, lines *evidenceLines,
	err error) error {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		o.Messages.warn("%v", errNoEvidence)
		return err
	}
	m := e.manifest
	m.Program, m.Command, m.TimeZone = o.Program, o.Command, o.TimeZone
	sum, unwritten := "", e.writeAll(ctx, o.Evidence, r, lines)
	if unwritten == nil {
		sum, unwritten = e.writer.Commit(m)
	}
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, writing(o.Evidence, unwritten)))
	}
	text := fmt.Sprintf("%s has the evidence of the violations by %s", o.Evidence,
		english.Plural(int64(len(m.Crawlers)), "crawler"))
	if len(m.Crawlers) == 0 {
		text = fmt.Sprintf("there is no violation: %s has no lines", o.Evidence)
	}
	if m.NotShown > 0 {
		o.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			o.Evidence, english.Plural(m.NotShown, "violation"))
	}
	o.Messages.warn("%s; the SHA-256 of its manifest is %s", text, sum)
	return err
}

// writeAll writes the files of a folder, of an audit with a report and lines.
func (e *evidenceFolder) writeAll(ctx context.Context, dir string, r *audit.Report, lines *evidenceLines) error {
	m := e.manifest
	m.Partial, m.Proxied, e.requests = r.Partial, r.Proxied, requestsOf(r)
	if err := e.write(ctx, dir, lines); err != nil {
		return err
	}
	m.NotShown = r.Totals.Verdicts[audit.Violation] - e.report.Totals.Verdicts[audit.Violation]
	return nil
}
