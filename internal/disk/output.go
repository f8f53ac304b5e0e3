package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// RefusedError says that an output may not be written, because of what the user asked for.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

func refused(format string, args ...any) error { return RefusedError(fmt.Sprintf(format, args...)) }

// Output is a file that a job writes, with two guarantees: it replaces nothing that the job reads nor, unless Force is
// set, a file with content of another kind; and its name refers to the old content or the new one, never to a part.
type Output struct {
	Option  string // which names it
	Name    string // as the user gave it; "" if not wanted
	Content Content
	Force   bool
}

// Content is a kind of content.
type Content struct {
	Name string      // such as "a state"
	Perm fs.FileMode // of a new file
	// Is reports whether a file is of the kind, including other versions and damaged files, by its first bytes.
	Is func(head []byte) bool
}

// headBytes suffice to identify a kind.
const headBytes = 4096

// check returns an error, before a job spends hours on reading, if write would fail because of
// the name, or would replace an input or another output of the job.
func (o Output) check(inputs Inputs, others []Sink) error {
	switch o.Name {
	case "":
		return nil
	case "-":
		return refused("%s -: what is written is a file, not a stream", o.Option)
	}
	if err := refuseShared(o.Option, o.Name, inputs, others); err != nil {
		return err
	}
	path, err := o.replaced()
	if err != nil {
		return err
	}
	if err := CheckWritable(filepath.Dir(path)); err != nil {
		return Writing(o.Name, err)
	}
	return nil
}

// Write calls write with a new file, and renames it when all of it is on the disk. If that
// fails, nothing is left behind, and an existing file is unchanged. If the name is a
// symbolic link, its target is replaced, not the link. The mode of a replaced file is kept.
func (o Output) Write(write func(io.Writer) error) error {
	w, err := o.Begin(write)
	if err != nil {
		return err
	}
	return w.Commit()
}

// Begin is Write up to the renaming: the caller calls Commit or Discard.
func (o Output) Begin(write func(io.Writer) error) (*Unnamed, error) {
	path, err := o.replaced()
	if err != nil {
		return nil, err
	}
	f, err := newPending(path, o.Content.Perm)
	if err != nil {
		return nil, Writing(o.Name, err)
	}
	w := &Unnamed{f, o.Name}
	if err := write(f); err != nil {
		return nil, errors.Join(Writing(o.Name, err), w.Discard())
	}
	return w, nil
}

// replaced returns the target of the name, if it may be replaced.
func (o Output) replaced() (path string, err error) {
	path, is := o.Name, true
	old, err := Stat(o.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err = Lstat(o.Name); err == nil {
			err = errors.New("a symbolic link that leads to no file")
		} else {
			err = nil
		}
	case err != nil:
	case !old.Mode().IsRegular():
		err = errors.New("not a regular file")
	default:
		if old.Size() > 0 && !o.Force {
			is, err = o.hasContent()
		}
		if err == nil && is {
			path, err = evalSymlinks(o.Name)
		}
	}
	switch {
	case err != nil:
		return "", Writing(o.Name, err)
	case !is:
		return "", refused("%s %s would replace a file that is not %s; option Force does it all the same", o.Option, o.Name,
			o.Content.Name)
	}
	return path, nil
}

func (o Output) hasContent() (bool, error) {
	f, err := Open(o.Name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	return o.Content.Is(head), err
}

// Unnamed is a new file without its final name. Its errors contain the name that the user gave.
type Unnamed struct {
	file *pending
	name string
}

// Commit gives the file its final name.
func (w *Unnamed) Commit() error { return Writing(w.name, w.file.Commit()) }

// Discard removes the file.
func (w *Unnamed) Discard() error { return Writing(w.name, w.file.Discard()) }

// Writing returns an error of writing a file, with the name that the user gave
// instead of the temporary one; nil if err is nil.
func Writing(name string, err error) error {
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

// Inputs are the files that a job reads.
type Inputs struct {
	// Names are files, folders (with their members) and patterns; "-" is stdin. Names of nothing
	// are ignored.
	Names []string
	Stdin io.Reader // nil stands for os.Stdin
}

// find returns the name of the input that is this file, "" if there is none.
func (i Inputs) find(file fs.FileInfo) string {
	for _, name := range i.Names {
		if name == "-" {
			if in := streamSink("standard input", cmp.Or[any](i.Stdin, os.Stdin)); in.is(file) {
				return in.name
			}
			continue
		}
		matches := []string{name}
		if _, err := Stat(name); err != nil {
			matches, _ = glob(name)
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
	info, err := Stat(name)
	switch {
	case err != nil:
		return ""
	case os.SameFile(info, file):
		return name
	case !info.IsDir():
		return ""
	}
	entries, _ := ReadDir(name) // reading it will fail
	for _, e := range entries {
		member := filepath.Join(name, e.Name())
		if e.IsDir() {
			if found := findIn(member, file); found != "" {
				return found
			}
		} else if info, err := Stat(member); err == nil && os.SameFile(info, file) {
			return member
		}
	}
	return ""
}

// CheckOutputs refuses output files of a job that cannot be written, that are an input, or that
// are the same file.
func CheckOutputs(inputs Inputs, others []Sink, outputs ...Output) error {
	if err := inputs.Refuse(others); err != nil {
		return err
	}
	flags := map[string]string{} // of the names to be written, which need not exist
	for _, o := range outputs {
		if err := o.check(inputs, others); err != nil {
			return err
		}
		if o.Name == "" {
			continue
		}
		path := filepath.Clean(o.Name)
		if flag := flags[path]; flag != "" {
			return refused("%s and %s would both write %s", flag, o.Option, o.Name)
		}
		flags[path] = o.Option
		others = append(others, fileSink(o.Option, o.Name))
	}
	return nil
}

// Sink is a destination: its name for the user, and its file; nil if that is not a regular file.
type Sink struct {
	name string
	file fs.FileInfo
}

func (s Sink) is(file fs.FileInfo) bool { return s.file != nil && os.SameFile(s.file, file) }

// Streams are the sinks of the standard streams.
func Streams(stdout, stderr io.Writer) []Sink {
	return []Sink{streamSink("standard output", stdout), streamSink("standard error", stderr)}
}

// fileSink is the sink of a file that a flag names.
func fileSink(flag, name string) Sink {
	info, err := Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return Sink{flag, nil}
	}
	return Sink{flag, info}
}

func streamSink(name string, stream any) Sink {
	if f, ok := stream.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return Sink{name, info}
		}
	}
	return Sink{name, nil}
}

// Refuse returns an error if an output is one of the inputs.
func (i Inputs) Refuse(outputs []Sink) error {
	for _, s := range outputs {
		if s.file == nil {
			continue
		}
		if name := i.find(s.file); name != "" {
			return refused("%s is to be read, but %s would be written to it", name, s.name)
		}
	}
	return nil
}

// refuseShared returns an error if a file that a flag names is an input, or the file of another
// output.
func refuseShared(flag, name string, inputs Inputs, others []Sink) error {
	file := fileSink(flag, name).file
	if file == nil {
		return nil // there is nothing to corrupt
	}
	if input := inputs.find(file); input != "" {
		return refused("%s %s would replace %s, which is to be read", flag, name, input)
	}
	for _, s := range others {
		if s.is(file) {
			return refused("%s %s would replace the file of %s", flag, name, s.name)
		}
	}
	return nil
}
