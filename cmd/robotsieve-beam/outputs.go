package main

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/sniff"
)

// The results of each list are a file of their own under --out. A file that is there already is
// replaced, but never one that is read.

// outputs gives each list the name of its file of results: its own, from the folder on that all
// lists are in. The counts of another filter, which are in a folder of results, are no list: a
// warning names them.
func outputs(lists []candidate, spec *spec) (named []candidate, warnings []string, err error) {
	files := slices.Clone(spec.Filter.Files)
	for _, c := range lists {
		if path.Base(filepath.ToSlash(c.File.Name)) == countsName {
			warnings = append(warnings, fmt.Sprintf("%s: not read, since it has the counts of a filter", c.File.Name))
			continue
		}
		named, files = append(named, c), append(files, c.File.Name)
	}
	used, err := newUsedNames(files)
	if err != nil {
		return nil, nil, err
	}
	if err := used.write(join(spec.Out, countsName), "the counts"); err != nil {
		return nil, nil, err
	}
	rests, err := relative(named)
	if err != nil {
		return nil, nil, err
	}
	for i := range named {
		c, rest := &named[i], resultName(rests[i], spec.Filter.Options.Format)
		if !isUnder(rest) { // an object may have any name
			return nil, nil, usageError("%s: its result would be %q in --out, which is no name of a file there", c.File.Name,
				rest)
		}
		c.Output = join(spec.Out, rest)
		if err := checkName(c.Output, "*"); err != nil {
			return nil, nil, err
		}
		if err := used.write(c.Output, "the result of "+c.File.Name); err != nil {
			return nil, nil, err
		}
	}
	return named, warnings, nil
}

// relative returns the names of lists from the folder on that all of them are in.
func relative(lists []candidate) ([]string, error) {
	all := make([][]string, len(lists)) // the parts of their names
	var root []string
	for i, c := range lists {
		full, err := absolute(c.File.Name)
		if err != nil {
			return nil, err
		}
		all[i] = strings.Split(full, "/")
		if folder := all[i][:len(all[i])-1]; i == 0 {
			root = folder
		} else {
			root = common(root, folder)
		}
	}
	names := make([]string, len(lists))
	for i, parts := range all {
		names[i] = strings.Join(parts[len(root):], "/")
	}
	return names, nil
}

// absolute returns a name as a path from the root on, with slashes. Names of objects stay as they
// are, since others are of other objects.
func absolute(name string) (string, error) {
	if !isPath(name) {
		return "/" + strings.Replace(name, "://", "/", 1), nil
	}
	name, err := filepath.Abs(name)
	return filepath.ToSlash(name), err
}

// common returns the parts with which both begin.
func common(a, b []string) []string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// resultName returns the name of a list without the ends that say how it is packed, since results
// are not. What is kept of the lists in an archive is one text. Members of gzip are copied from
// WARC files, so these keep their names.
func resultName(name string, format list.Kind) string {
	isWARC := format == list.WARC || slices.ContainsFunc([]string{".warc.", ".wat.", ".wet."}, func(kind string) bool {
		return strings.Contains(path.Base(name), kind)
	})
	if isWARC {
		return name
	}
	if ext := path.Ext(name); ext != ".tgz" && slices.Contains(sniff.Compressions(), ext) {
		name = strings.TrimSuffix(name, ext)
	}
	if ext := path.Ext(name); slices.Contains([]string{".tar", ".zip", ".tgz", ".tzst", ".tbz2", ".txz"}, ext) {
		name = strings.TrimSuffix(name, ext) + ".txt"
	}
	return name
}

// isUnder reports whether a name, with slashes, is that of a file in any folder or in the folders
// under it.
func isUnder(name string) bool {
	return name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

// usedNames are the files that a filter reads, and those that it is going to write.
type usedNames struct {
	read    map[string]string // what is read, by its places
	written map[string]string // what is written, by the full name
	folders map[string]string // one of the files that are written in each folder, by its full name
}

func newUsedNames(files []string) (*usedNames, error) {
	u := &usedNames{read: map[string]string{}, written: map[string]string{}, folders: map[string]string{}}
	for _, name := range files {
		full, err := absolute(name)
		if err != nil {
			return nil, err
		}
		u.read[full], u.read[placeOf(name, full)] = name, name
		if real, err := filepath.EvalSymlinks(full); err == nil && isPath(name) {
			u.read[filepath.ToSlash(real)] = name
		}
	}
	return u, nil
}

// placeOf returns where in the tree of folders a name is, whatever links lead there: that is what
// renaming replaces.
func placeOf(name, full string) string {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil && isPath(name) {
		return path.Join(filepath.ToSlash(dir), path.Base(full))
	}
	return full
}

// write notes the name of a file and what is written there. It fails if the name is in use.
func (u *usedNames) write(name, what string) error {
	full, err := absolute(name)
	if err != nil {
		return err
	}
	if other := u.written[full]; other != "" {
		return usageError("%s and %s would have one name, %s", other, what, name)
	}
	u.written[full] = what
	if inside := u.folders[full]; inside != "" {
		return usageError("%s would be %s, the folder of %s", what, name, inside)
	}
	for folder := path.Dir(full); u.folders[folder] == "" && folder != path.Dir(folder); folder = path.Dir(folder) {
		if other := u.written[folder]; other != "" {
			return usageError("%s would be the folder of %s", other, what)
		}
		u.folders[folder] = what
	}
	if file := u.read[placeOf(name, full)]; file != "" {
		return usageError("%s would replace %s, which is read", what, file)
	}
	return nil
}
