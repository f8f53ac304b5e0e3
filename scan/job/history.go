package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/history"
)

// HistoryOptions name a source of versions of robots.txt, and the folder that is made of it.
type HistoryOptions struct {
	Source history.Source
	Args   []string
	Values map[string]string // of the flags of the source, by their names
	// Output is the folder for Audit. It may exist if it is empty, or, with Force, if it is one
	// that History has made. With a flag of the source that prints there is none.
	Output   string
	Force    bool
	Stdout   io.Writer // for a flag that prints
	Memory   int64     // how many bytes the job may hold; 0 is DefaultMemory
	Messages Messages
}

// HistoryMade is what History has made. Lost: a part of the source could not be read.
type HistoryMade struct {
	history.Summary
	Lost bool
}

// maxFaults bounds the places that cannot be read and are named.
const maxFaults = 50

// History reads the versions of robots.txt that a source tells of, and writes them as a folder for
// AuditOptions.Policy. It goes on when a part of the source cannot be read, and warns of it. An
// error is of type *Error; nothing has been written then.
func History(ctx context.Context, o HistoryOptions) (*HistoryMade, error) {
	made := &HistoryMade{}
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	q := &history.Query{Args: o.Args, Values: o.Values, Memory: o.Memory, Out: o.Stdout}
	q.Warn = func(m string) { o.Messages.warn("%s", m) }
	faults := int64(0)
	q.Fault = func(m string) {
		made.Lost = true
		if faults++; faults <= maxFaults {
			q.Warn(m)
		}
	}
	names := slices.Concat(o.Args, slices.Sorted(maps.Values(o.Values)))
	if err := RefuseStreams(o.Stdout, o.Messages.To, nil, names...); err != nil {
		return nil, err
	}
	prints := false
	for _, f := range o.Source.Flags {
		prints = prints || f.Prints && o.Values[f.Name] != ""
		if f.Needed && o.Values[f.Name] == "" {
			return nil, usageError("history %s needs --%s: %s", o.Source.Name, f.Name, f.Help)
		}
	}
	var w *history.Writer
	if !prints {
		var err error
		if w, err = o.begin(names, q.Fault); err != nil {
			return nil, err
		}
	}
	err := o.Source.Read(ctx, q, w)
	if more := faults - maxFaults; more > 0 {
		q.Warn("and " + english.Plural(more, "more place") + " like these could not be read")
	}
	switch {
	case w == nil:
	case err != nil:
		err = errors.Join(err, w.Discard())
	default:
		err = w.Commit(ctx)
		made.Summary = w.Summary
	}
	if usage := history.UsageError(""); errors.As(err, &usage) {
		return nil, usageError("%w", err)
	}
	if ctx.Err() != nil {
		return nil, errNothingDone
	}
	if err != nil {
		return nil, inputError(err)
	}
	return made, nil
}

// begin begins the folder, which must have none of the names that are read in it.
func (o *HistoryOptions) begin(names []string, fault func(string)) (*history.Writer, error) {
	if o.Output == "" {
		return nil, usageError("no folder to write: name it with -o FOLDER")
	}
	dir, err := filepath.Abs(o.Output)
	for _, name := range names {
		path, unknown := filepath.Abs(name)
		if err = cmp.Or(err, unknown); err == nil && name != "" && strings.HasPrefix(path+"/", dir+"/") {
			return nil, usageError("-o %s would replace %s, which is to be read", o.Output, name)
		}
	}
	err = cmp.Or(err, history.CheckFolder(o.Output, o.Force))
	if errors.Is(err, disk.ErrOccupied) {
		return nil, usageError("-o: %w", err)
	}
	if err != nil {
		return nil, inputError(err)
	}
	w, err := history.NewWriter(o.Output, o.Source.Times, o.Memory, fault)
	if err != nil {
		return nil, inputError(writing(o.Output, err))
	}
	return w, nil
}
