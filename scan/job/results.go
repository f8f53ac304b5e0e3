package job

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

// rangeFiles returns the files that arguments of AuditOptions.Ranges may name.
func rangeFiles(ranges []string) (names []string) {
	for _, arg := range ranges {
		names = append(names, arg)
		if _, file, ok := strings.Cut(arg, "="); ok {
			names = append(names, file)
			if at := strings.LastIndexByte(file, '@'); at >= 0 {
				names = append(names, file[:at])
			}
		}
	}
	return names
}

// ReportFile is a file that a job makes from its report, in a format that the caller knows.
type ReportFile struct {
	// Flag is the flag that names the file, such as --html. Name is empty for none.
	Flag, Name string
	// Kind describes such a file, with its article, and Is recognizes one by its first 4 KiB: a
	// file of another kind is replaced only with Force.
	Kind string
	Is   func(head []byte) bool
	// Write writes the file. It must not keep or change the report.
	Write func(io.Writer, *report.Report) error
}

// Results select the outputs of Audit and Merge.
type Results struct {
	// State names a file for the state of the logs, or of the sum for Merge; "" is none. Force
	// replaces even files that are not states, and writes states of partly read logs, but never
	// replaces an input.
	State string
	Force bool
	// Files are made from the report, which also covers the lines before an interruption.
	// If one cannot be written, the others still are. By is as in audit.Inputs.
	Files []ReportFile
	By    string
	// Stdout is where the caller writes the report; it must not be an input. Nil means
	// unknown.
	Stdout io.Writer
	// NoReport makes only the state. Merge does not check records then: invalid ones
	// are found when a report is made.
	NoReport bool
	// Only limits the report, its files and the rows to some crawlers: Crawlers are names or product
	// tokens. States always cover all crawlers.
	Only report.Choice
	// AllowDuplicates counts logs with the same content as an earlier one, and states
	// with inputs that are all in another one.
	AllowDuplicates bool
	// Anonymous keeps lines of the logs, with the addresses of clients, out of the report and the
	// messages. It excludes Samples and Evidence.
	Anonymous bool
	// CheckCondition, if not nil, is called when all files but the logs have been read. Its error
	// ends the job before a line is read: a condition on the report may be impossible.
	CheckCondition func(*Countable) error
	// Program is the version of the program, and Command its command line, for the report.
	Program, Command string
	Messages         Messages
}

func (o *Results) stateFile() disk.Output {
	return disk.Output{Option: "option State", Name: o.State, Content: aState, Force: o.Force}
}

// outputs are the state, and then the files of the report in their order.
func (o *Results) outputs() []disk.Output {
	outputs := []disk.Output{o.stateFile()}
	for _, f := range o.Files {
		outputs = append(outputs, disk.Output{Option: f.Flag, Name: f.Name, Force: o.Force,
			Content: disk.Content{Name: f.Kind, Perm: 0o666, Is: f.Is}})
	}
	return outputs
}

// writeReports writes all files of the report that it can.
func (a *auditRun) writeReports(r *report.Report) error {
	var errs []error
	for i, o := range a.outputs()[1:] {
		if o.Name != "" {
			errs = append(errs, o.Write(func(w io.Writer) error { return a.Files[i].Write(w, r) }))
		}
	}
	return errors.Join(errs...)
}

// Countable describes what a condition on a report can count.
type Countable struct {
	Crawlers *crawler.Set
	Only     report.Choice     // the crawlers in the report
	Basis    *report.BasisInfo // there are lists and names that verify clients
	WhatIf   bool              // no request gets a verdict, because of a WhatIf
	Unjudged bool              // likewise, without a robots.txt
	LooksUp  bool              // host names are looked up
}

// choose sets the crawlers of a report, and checks the condition on it. A name that is unknown
// may occur in the logs.
func (o *Results) choose(config *audit.Config) error {
	if !o.Only.IsAll() {
		config.Only = report.Choice{Crawlers: []string{}, Categories: append([]string{}, o.Only.Categories...)}
	}
	for _, text := range o.Only.Crawlers {
		if strings.TrimSpace(text) == "" {
			return usageError("option Only.Crawlers %q names no crawler", text)
		}
		names := config.Crawlers.NamesOf(text)
		if near := like(config.Crawlers, text); names == nil {
			names = []string{text}
			if near != "" {
				o.Messages.warn("option Only.Crawlers %s: no known crawler is called so%s; the logs are searched for it",
					text, near)
			}
		}
		config.Only.Crawlers = append(config.Only.Crawlers, names...)
	}
	if o.CheckCondition == nil {
		return nil
	}
	return o.CheckCondition(&Countable{Crawlers: config.Crawlers, Only: config.Only, Basis: config.Basis,
		WhatIf: config.WhatIf != nil, Unjudged: config.Policy.None(), LooksUp: config.KeepAddresses})
}

// like suggests a known crawler with a name similar to a text.
func like(known *crawler.Set, text string) string {
	if near := known.Nearest(text); near != nil {
		return " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return ""
}

// checkChoice refuses an unknown name that no crawler in the logs has.
func checkChoice(known *crawler.Set, r *report.Report) error {
	for _, name := range r.Choice.Crawlers {
		isIts := func(c report.CrawlerInfo) bool { return strings.EqualFold(c.Crawler, name) }
		if known.NamesOf(name) == nil && !slices.ContainsFunc(r.Crawlers, isIts) {
			return usageError("option Only.Crawlers %s: no crawler is called so, neither a known one nor one in the "+
				"logs%s", name, like(known, name))
		}
	}
	return nil
}

// only gives the requests of the chosen crawlers to a sink, which may be nil.
func only(c *report.Choice, to audit.Sink) audit.Sink {
	if to == nil || c.IsAll() {
		return to
	}
	return audit.SinkFunc(func(e *audit.Event) error {
		if e.IsOf(c) {
			return to.Add(e)
		}
		return nil
	})
}

var (
	// aState may reveal addresses and lines of a log.
	aState = disk.Content{Name: "a state", Perm: 0o600, Is: func(head []byte) bool {
		_, err := audit.ReadState(bytes.NewReader(head), int64(len(head)))
		return !errors.Is(err, audit.ErrNotState)
	}}
	anArchive = disk.Content{Name: "an archive", Perm: 0o666, Is: func(head []byte) bool {
		_, err := archive.Open(head)
		return !errors.Is(err, archive.ErrNotArchive)
	}}
)

// checkFolder refuses a folder to be made if err, from disk.CheckFolder, does, or if the job reads or
// writes one of its names, or if it cannot be written.
func checkFolder(option, dir string, names []string, err error) error {
	if errors.Is(err, disk.ErrOccupied) {
		return usageError("%s: %w", option, err)
	}
	abs, failed := filepath.Abs(dir)
	const sep = string(filepath.Separator)
	err = cmp.Or(err, failed)
	for _, name := range names {
		path, failed := filepath.Abs(name)
		if err = cmp.Or(err, failed); err == nil && name != "" &&
			strings.HasPrefix(path+sep, abs+sep) {
			return usageError("%s %s would replace %s, which is in it", option, dir, name)
		}
	}
	if err == nil {
		err = disk.Writing(dir, disk.CheckWritable(filepath.Dir(filepath.Clean(dir))))
	}
	if err != nil {
		return inputError(err)
	}
	return nil
}

// RefuseStreams returns an error, of type *Error, if stdout or stderr is one of the files that are
// read: writing would corrupt them. The names are files, folders and
// patterns; "-" is stdin.
func RefuseStreams(stdout, stderr io.Writer, stdin io.Reader, names ...string) error {
	return outputError(disk.Inputs{Names: names, Stdin: stdin}.Refuse(disk.Streams(stdout, stderr)))
}

// checkOutputs is disk.CheckOutputs. It also tries the folder for spilled records.
func checkOutputs(inputs disk.Inputs, others []disk.Sink, outputs ...disk.Output) error {
	if err := disk.CheckOutputs(inputs, others, outputs...); err != nil {
		return outputError(err)
	}
	if err := spill.CheckDir(""); err != nil {
		return inputError(err)
	}
	return nil
}

// outputError returns an error of an output as an error of a job; nil if it is nil.
func outputError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[disk.RefusedError](err); ok {
		return usageError("%w", err)
	}
	return inputError(err)
}
