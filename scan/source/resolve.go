package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Inputs resolves command-line arguments into inputs, in their order:
//
//   - "-" stands for stdin;
//   - the exact name of an existing file stands for that file, even if it contains *, ? or [;
//   - an existing directory stands for the regular files in it and in its subdirectories, sorted by name; hidden names are left
//     out, a symbolic link to a file is followed, and one to a directory is left out with a warning;
//   - a pattern with *, ? or [ stands for the files and directories that match it, sorted; as in a shell, a wildcard does not
//     match a leading dot.
//
// A file named twice, also through links, is read once, with a warning. Each argument that gives nothing to read, or a pattern
// with a match that cannot be used, is one error; the inputs that are returned can be used. No file is opened, so a file without
// read permission is reported by [Input.Head] or in [Result].
func Inputs(args []string, stdin io.Reader) (ins []*Input, warnings []string, errs []error) {
	v := resolver{seen: seen{byID: map[fileID]string{}}}
	for _, arg := range args {
		var err error
		if arg == "-" {
			v.stdin(stdin)
		} else {
			err = v.argument(arg)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return v.ins, v.warnings, errs
}

type resolver struct {
	ins      []*Input
	warnings []string
	seen     seen
	found    int // regular files in directories, those seen before among them
	hasStdin bool
}

func (v *resolver) warn(format string, args ...any) {
	v.warnings = append(v.warnings, fmt.Sprintf(format, args...))
}

func (v *resolver) argument(arg string) error {
	info, err := disk.Stat(arg)
	if err == nil {
		return v.path(arg, info)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?[") {
		return newError(arg, -1, err)
	}
	names, err := disk.Glob(arg)
	if err != nil {
		return newError(arg, -1, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return hiddenFrom(arg, name) })
	if len(names) == 0 {
		return &Error{Name: arg, Offset: -1, Err: fmt.Errorf("no file matches: %w", fs.ErrNotExist)}
	}
	slices.Sort(names)
	var all []error
	for _, name := range names {
		if info, err = disk.Stat(name); err == nil {
			err = v.path(name, info)
		} else {
			err = newError(name, -1, err)
		}
		if err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (v *resolver) path(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return v.directory(name)
	}
	v.add(newFile(name, info), info)
	return nil
}

// directory adds the files of a directory and of those in it.
func (v *resolver) directory(name string) error {
	before := v.found
	err := v.walk(name)
	if err == nil && v.found == before {
		err = &Error{Name: name, Offset: -1, Err: errors.New("no files in this directory")}
	}
	return err
}

// walk adds the files of a directory in the order of their names, each directory in it at its place. It ends, because it goes
// into no link.
func (v *resolver) walk(name string) error {
	entries, err := disk.ReadDir(name) // sorted
	if err != nil {
		return newError(name, -1, err)
	}
	var all []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(name, e.Name())
		if e.IsDir() {
			all = append(all, v.walk(path))
			continue
		}
		info, err := disk.Stat(path)
		switch {
		case err != nil:
			v.warn("%v: left out", newError(path, -1, err))
		case info.IsDir():
			v.warn("%s is a link to a directory: left out", path)
		case info.Mode().IsRegular():
			v.found++
			v.add(newFile(path, info), info)
		}
	}
	return errors.Join(all...)
}

func (v *resolver) stdin(r io.Reader) {
	if v.hasStdin {
		v.warn("- is given twice: read once")
		return
	}
	v.hasStdin = true
	in := NewInput("-", r, -1)
	var info fs.FileInfo
	if f, ok := disk.Of(r); ok {
		if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
			info = fi
			if at, err := f.Seek(0, io.SeekCurrent); err == nil {
				in.Size = max(0, fi.Size()-at)
			}
		}
	}
	v.add(in, info)
}

// add appends an input unless its file is there already. If info is nil, the file is not known.
func (v *resolver) add(in *Input, info fs.FileInfo) {
	if info != nil {
		if first, ok := v.seen.before(in.Name, info); ok {
			v.warn("%s is the same file as %s: read once", in.Name, first)
			return
		}
	}
	v.ins = append(v.ins, in)
}

// hiddenFrom reports whether a wildcard at the start of a path element of pattern matched the leading dot of a hidden name,
// which filepath.Glob allows and shells do not.
func hiddenFrom(pattern, name string) bool {
	p := strings.Split(filepath.Clean(pattern), string(filepath.Separator))
	n := strings.Split(filepath.Clean(name), string(filepath.Separator))
	if len(p) != len(n) {
		return false
	}
	for i := range p {
		if strings.HasPrefix(n[i], ".") && !strings.HasPrefix(p[i], ".") {
			return true
		}
	}
	return false
}

// seen remembers files by identity.
type seen struct {
	byID  map[fileID]string // where the system has file numbers
	infos []fs.FileInfo     // elsewhere
	names []string
}

// before returns the first name of a file that has been seen before.
func (s *seen) before(name string, info fs.FileInfo) (string, bool) {
	if id, ok := identify(info); ok {
		if first, ok := s.byID[id]; ok {
			return first, true
		}
		s.byID[id] = name
		return "", false
	}
	for i, old := range s.infos {
		if os.SameFile(old, info) {
			return s.names[i], true
		}
	}
	s.infos, s.names = append(s.infos, info), append(s.names, name)
	return "", false
}

// fileID identifies a file, as os.SameFile does, and can be a map key: so a directory of a hundred thousand logs takes no
// comparisons in pairs.
type fileID struct{ device, inode uint64 }
