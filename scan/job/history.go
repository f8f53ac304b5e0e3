package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/internal/history"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// HistoryOptions name a source of versions of robots.txt, and the folder to make from it.
type HistoryOptions struct {
	Source string   // one of HistorySources
	Args   []string // the inputs: a repository for git, otherwise files, or folders for captures
	// Values are the options of the source. For git: path, of the file or of a folder of files named by
	// host, and origin, of the file. For wayback: bodies, the folder of downloaded captures; fl, the fields of
	// a CDX text without a header; and urls, "true" to print the missing ones. For index: bodies, a folder of
	// robots.txt files. For captures: fields, as CompileOptions.Fields.
	Values map[string]string
	// Output is the folder for Audit. It may exist if it is empty, or, with Force, if it is one
	// made by History. It must be empty if an option makes the source print.
	Output   string
	Force    bool
	Stdin    io.Reader // for the argument -; nil stands for os.Stdin
	Stdout   io.Writer // for an option that prints
	Memory   int64     // how many bytes the job may hold; 0 is DefaultMemory
	Messages Messages
}

// HistoryMade is the result of History. Lost means that a part of the source could not be read.
type HistoryMade struct {
	history.Summary
	Lost bool
}

// maxFaults bounds how many unreadable places are named.
const maxFaults = 50

// History reads the versions of robots.txt in a source, and writes them as a folder for
// AuditOptions.Policy. It goes on when a part of the source cannot be read, and warns of it. An
// error is of type *Error; nothing has been written then.
func History(ctx context.Context, o HistoryOptions) (*HistoryMade, error) {
	made := &HistoryMade{}
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	q := &history.Query{Args: o.Args, Values: o.Values, Memory: o.Memory, In: cmp.Or[io.Reader](o.Stdin, os.Stdin),
		Out: o.Stdout, MaxLine: shareCompiling(o.Memory).line, Window: newBudget(o.Memory).window(), Explain: explained}
	q.Refuse = func(name string) error {
		if isArchive(name) {
			return errNoFiles(name)
		}
		return nil
	}
	q.Warn = func(m string) { o.Messages.warn("%s", m) }
	faults := int64(0)
	q.Fault = func(m string) {
		made.Lost = true
		faults++
		if faults <= maxFaults {
			q.Warn(m)
		}
	}
	sources := history.Sources()
	at := slices.IndexFunc(sources, func(s history.Source) bool { return s.Name == o.Source })
	if at < 0 {
		return nil, usageError("option Source %q is none of %s", o.Source, strings.Join(HistorySources(), ", "))
	}
	source := sources[at]
	names, prints := append(slices.Clone(o.Args), o.Values[source.Folder]), o.Values[source.Prints] != ""
	if err := RefuseStreams(o.Stdout, o.Messages.To, o.Stdin, names...); err != nil {
		return nil, err
	}
	var w *history.Writer
	if !prints {
		var err error
		if w, err = o.begin(names, source.Times, q.Fault); err != nil {
			return nil, err
		}
	}
	err := source.Read(ctx, q, w)
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
	if own, ok := errors.AsType[*Error](err); ok && own.Kind == Usage {
		return nil, own
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

// begin begins the folder, which must differ from all inputs.
func (o *HistoryOptions) begin(names []string, times string, fault func(string)) (*history.Writer, error) {
	if o.Output == "" {
		return nil, usageError("no folder to write: name it with -o FOLDER")
	}
	if err := checkFolder("-o", o.Output, names, history.CheckFolder(o.Output, o.Force)); err != nil {
		return nil, err
	}
	w, err := history.NewWriter(o.Output, times, o.Memory, fault)
	if err != nil {
		return nil, inputError(disk.Writing(o.Output, err))
	}
	return w, nil
}

// HistorySources returns the names of the kinds of sources of History.
func HistorySources() (names []string) {
	for _, s := range history.Sources() {
		names = append(names, s.Name)
	}
	return names
}

// LogHistoryOptions name the logs that LogHistory reads. Hosts name the sites of logs without hosts.
type LogHistoryOptions struct {
	LogOptions
	Limits
	// Bodies are files and folders of robots.txt, plain or compressed, to compare sizes with.
	Bodies          []string
	AllowDuplicates bool      // also reads logs with the same content as one before them
	Stdout          io.Writer // as in Results
	Messages        Messages
}

// LogHistory finds in logs what each site answered to GETs of /robots.txt, and when. It calls each for
// every site, by name. A log that cannot be used causes a warning; partial means that some lines
// could not be read or parsed. Errors are of type *Error.
func LogHistory(ctx context.Context, o LogHistoryOptions, each func(*report.LoggedSite) error) (
	partial bool, err error,
) {
	memory := cmp.Or(o.Memory, DefaultMemory)
	sizes := map[int64][]string{}
	unread := history.EachBody(ctx, o.Bodies, func(in *source.Input, body []byte) {
		sizes[int64(len(body))] = append(sizes[int64(len(body))], in.Name)
	})
	if unread != nil {
		o.Messages.warn("%v", unread)
	}
	workers := newBudget(memory / 4 * 3).workers(o.Workers)
	f := history.NewFetches(workers, memory/4, sizes)
	defer f.Close()
	a, err := Audit(ctx, AuditOptions{
		LogOptions: o.LogOptions, Limits: Limits{Memory: memory / 4 * 3, Workers: workers},
		Results:  Results{NoReport: true, AllowDuplicates: o.AllowDuplicates, Stdout: o.Stdout, Messages: o.Messages},
		Extracts: Extracts{Fetched: f, Read: o.Bodies},
	})
	if a == nil {
		return false, err
	}
	if err != nil { // the lines before the interrupt are listed
		ctx = context.WithoutCancel(ctx)
	}
	var stopped error
	failed := f.List(ctx, func(site *report.LoggedSite) error {
		stopped = each(site)
		return stopped
	})
	if failed != nil && stopped == nil {
		failed = inputError(failed)
	}
	return a.Partial || unread != nil, cmp.Or(failed, err)
}
