package job

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// output is a file that a job writes. All files that jobs write are outputs, with two guarantees:
// an output replaces nothing that the job reads nor, unless force is set, a file with
// content of another kind; and its name refers to the old content or the new one, never to a part.
type output struct {
	flag  string // which names it
	name  string // as the user gave it; "" if not wanted
	kind  kind
	force bool
}

// kind is a kind of content.
type kind struct {
	name string // such as "a state"
	perm fs.FileMode
	// is reports whether a file is of the kind, including other versions and damaged files, by its first bytes.
	is func(head []byte) bool
}

var (
	// aState may reveal addresses and lines of a log.
	aState = kind{"a state", 0o600, func(head []byte) bool {
		_, err := audit.ReadState(bytes.NewReader(head), int64(len(head)))
		return !errors.Is(err, audit.ErrNotState)
	}}
	anArchive = kind{"an archive", 0o666, func(head []byte) bool {
		_, err := archive.Open(head)
		return !errors.Is(err, archive.ErrNotArchive)
	}}
)

// headBytes suffice to identify a kind.
const headBytes = 4096

// check returns an error, before a job spends hours on reading, if write would fail because of
// the name, or would replace an input or another output of the job.
func (o output) check(inputs inputFiles, others []sink) error {
	switch o.name {
	case "":
		return nil
	case "-":
		return usageError("%s -: what is written is a file, not a stream", o.flag)
	}
	if err := refuseShared(o.flag, o.name, inputs, others); err != nil {
		return err
	}
	path, err := o.replaced()
	if err != nil {
		return err
	}
	if err := disk.CheckWritable(filepath.Dir(path)); err != nil {
		return inputError(writing(o.name, err))
	}
	return nil
}

// write calls write with a new file, and renames it when all of it is on the disk. If that
// fails, nothing is left behind, and an existing file is unchanged. If the name is a
// symbolic link, its target is replaced, not the link. The mode of a replaced file is kept.
func (o output) write(write func(io.Writer) error) error {
	w, err := o.begin(write)
	if err != nil {
		return err
	}
	return w.commit()
}

// begin is write up to the renaming: the caller calls commit or discard.
func (o output) begin(write func(io.Writer) error) (*pending, error) {
	path, err := o.replaced()
	if err != nil {
		return nil, err
	}
	f, err := disk.NewPending(path, o.kind.perm)
	if err != nil {
		return nil, inputError(writing(o.name, err))
	}
	w := &pending{f, o.name}
	if err := write(f); err != nil {
		return nil, errors.Join(writing(o.name, err), w.discard())
	}
	return w, nil
}

// replaced returns the target of the name, if it may be replaced. Its errors are of type
// *Error.
func (o output) replaced() (path string, err error) {
	path, is := o.name, true
	old, err := disk.Stat(o.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err = disk.Lstat(o.name); err == nil {
			err = errors.New("a symbolic link that leads to no file")
		} else {
			err = nil
		}
	case err != nil:
	case !old.Mode().IsRegular():
		err = errors.New("not a regular file")
	default:
		if old.Size() > 0 && !o.force {
			is, err = o.isKind()
		}
		if err == nil && is {
			path, err = disk.EvalSymlinks(o.name)
		}
	}
	switch {
	case err != nil:
		return "", inputError(writing(o.name, err))
	case !is:
		return "", usageError("%s %s would replace a file that is not %s; option Force does it all the same", o.flag, o.name,
			o.kind.name)
	}
	return path, nil
}

func (o output) isKind() (bool, error) {
	f, err := disk.Open(o.name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	return o.kind.is(head), err
}

// pending is a new file without its final name. Its errors contain the name that the user gave.
type pending struct {
	file *disk.Pending
	name string
}

// commit gives the file its final name.
func (w *pending) commit() error { return writing(w.name, w.file.Commit()) }

// discard removes the file.
func (w *pending) discard() error { return writing(w.name, w.file.Discard()) }

// writing returns an error of writing a file, with the name that the user gave
// instead of the temporary one; nil if err is nil.
func writing(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w", name, cause(err))
}

// cause returns an error of package os without the name in it.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// inputFiles are the files that a job reads.
type inputFiles struct {
	// names are files, folders (with their members) and patterns; "-" is stdin. Names of nothing
	// are ignored.
	names []string
	stdin io.Reader // nil stands for os.Stdin
}

// find returns the name of the input that is this file, "" if there is none.
func (i inputFiles) find(file fs.FileInfo) string {
	for _, name := range i.names {
		if name == "-" {
			if in := streamSink("standard input", cmp.Or[any](i.stdin, os.Stdin)); in.is(file) {
				return in.name
			}
			continue
		}
		matches := []string{name}
		if _, err := disk.Stat(name); err != nil {
			matches, _ = disk.Glob(name)
		}
		for _, name := range matches {
			if found := findIn(name, file); found != "" {
				return found
			}
		}
	}
	return ""
}

// findIn looks for a file among those of a name. Links to folders within a folder are not followed.
func findIn(name string, file fs.FileInfo) string {
	info, err := disk.Stat(name)
	switch {
	case err != nil:
		return ""
	case os.SameFile(info, file):
		return name
	case !info.IsDir():
		return ""
	}
	entries, _ := disk.ReadDir(name) // reading it will fail
	for _, e := range entries {
		member := filepath.Join(name, e.Name())
		if e.IsDir() {
			if found := findIn(member, file); found != "" {
				return found
			}
		} else if info, err := disk.Stat(member); err == nil && os.SameFile(info, file) {
			return member
		}
	}
	return ""
}

// checkOutputs refuses output files of a job that cannot be written, that are an input, or that
// are the same file. It also tries the folder for spilled records.
func checkOutputs(inputs inputFiles, others []sink, outputs ...output) error {
	if err := inputs.refuse(others); err != nil {
		return err
	}
	flags := map[string]string{} // of the names to be written, which need not exist
	for _, o := range outputs {
		if err := o.check(inputs, others); err != nil {
			return err
		}
		if o.name == "" {
			continue
		}
		path := filepath.Clean(o.name)
		if flag := flags[path]; flag != "" {
			return usageError("%s and %s would both write %s", flag, o.flag, o.name)
		}
		flags[path] = o.flag
		others = append(others, fileSink(o.flag, o.name))
	}
	if err := spill.CheckDir(""); err != nil {
		return inputError(err)
	}
	return nil
}

// checkFolder refuses a folder to be made if err, from disk.CheckFolder, does, or if the job reads or
// writes one of its names.
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
	if err != nil {
		return inputError(err)
	}
	return nil
}

// sink is a destination: its name for the user, and its file; nil if that is not a regular file.
type sink struct {
	name string
	file fs.FileInfo
}

func (s sink) is(file fs.FileInfo) bool { return s.file != nil && os.SameFile(s.file, file) }

// streams are the sinks of the standard streams.
func streams(stdout, stderr io.Writer) []sink {
	return []sink{streamSink("standard output", stdout), streamSink("standard error", stderr)}
}

// fileSink is the sink of a file that a flag names.
func fileSink(flag, name string) sink {
	info, err := disk.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return sink{flag, nil}
	}
	return sink{flag, info}
}

func streamSink(name string, stream any) sink {
	if f, ok := stream.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return sink{name, info}
		}
	}
	return sink{name, nil}
}

// RefuseStreams returns an error, of type *Error, if stdout or stderr is one of the files that are
// read: writing would corrupt them. The names are files, folders and
// patterns; "-" is stdin.
func RefuseStreams(stdout, stderr io.Writer, stdin io.Reader, names ...string) error {
	return inputFiles{names, stdin}.refuse(streams(stdout, stderr))
}

func (i inputFiles) refuse(outputs []sink) error {
	for _, s := range outputs {
		if s.file == nil {
			continue
		}
		if name := i.find(s.file); name != "" {
			return usageError("%s is to be read, but %s would be written to it", name, s.name)
		}
	}
	return nil
}

// refuseShared returns an error if a file that a flag names is an input, or the file of another
// output.
func refuseShared(flag, name string, inputs inputFiles, others []sink) error {
	file := fileSink(flag, name).file
	if file == nil {
		return nil // there is nothing to corrupt
	}
	if input := inputs.find(file); input != "" {
		return usageError("%s %s would replace %s, which is to be read", flag, name, input)
	}
	for _, s := range others {
		if s.is(file) {
			return usageError("%s %s would replace the file of %s", flag, name, s.name)
		}
	}
	return nil
}

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

func (o *Results) stateFile() output { return output{"option State", o.State, aState, o.Force} }

// outputs are the state and the files of the report.
func (o *Results) outputs() []output {
	outputs := []output{o.stateFile()}
	for _, f := range o.Files {
		outputs = append(outputs, output{f.Flag, f.Name, kind{f.Kind, 0o666, f.Is}, o.Force})
	}
	return outputs
}

// writeReports writes all files of the report that it can.
func (a *auditing) writeReports(r *report.Report) error {
	var errs []error
	for i, o := range a.outputs()[1:] {
		if o.name != "" {
			errs = append(errs, o.write(func(w io.Writer) error { return a.Files[i].Write(w, r) }))
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
