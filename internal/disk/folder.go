package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// ErrOccupied is the error for a folder that must not be replaced, because it isn't empty.
var ErrOccupied = errors.New("exists and is not empty")

// CheckFolder reports whether a folder can be created under a name: nothing exists there, or an empty folder, or, with
// force, a folder whose entries are ours. Otherwise the error wraps ErrOccupied, with what as the description if the
// folder is ours, or comes from the file system.
func CheckFolder(dir, what string, force bool, isOurs func([]fs.DirEntry) bool) error {
	info, err := Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s %w: it is not a folder", dir, ErrOccupied)
	}
	entries, err := ReadDir(dir)
	switch {
	case err != nil || len(entries) == 0:
		return err
	case !isOurs(entries):
		return fmt.Errorf("%s %w", dir, ErrOccupied)
	case force:
		return nil
	}
	return fmt.Errorf("%s %w: it has %s already, which --force replaces", dir, ErrOccupied, what)
}

// Folder is a folder under construction. It is hidden next to its final name, so that it becomes
// visible as a whole or not at all. Commit or Discard ends it. It isn't safe for concurrent use.
type Folder struct {
	dir, temp string
	perm      fs.FileMode // of folders
}

// NewFolder creates a hidden folder. A process that ends without Discard, as by SIGKILL, leaves it
// behind.
func NewFolder(dir string, perm fs.FileMode) (*Folder, error) {
	dir = filepath.Clean(dir)
	parent, base := filepath.Split(dir)
	if _, err := Stat(cmp.Or(parent, ".")); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, temp: hidden(parent, base), perm: perm}
	return f, MkdirAll(f.temp, perm)
}

// hidden returns a new name next to a folder. File names have at most 255 bytes.
func hidden(parent, base string) string {
	return fmt.Sprintf("%s.%.200s.%08x.tmp", parent, strings.ToValidUTF8(base, ""), rand.Uint32())
}

// Path returns the path of a file before Commit or Discard. The name uses slashes.
func (f *Folder) Path(name string) string { return filepath.Join(f.temp, filepath.FromSlash(name)) }

// Create creates a new file and its parent folders.
func (f *Folder) Create(name string, perm fs.FileMode) (*File, error) {
	path := f.Path(name)
	if err := MkdirAll(filepath.Dir(path), f.perm); err != nil {
		return nil, err
	}
	return OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// Append appends to a file, creating it and its parent folders if necessary. last means that the
// file is then complete; it is flushed to disk.
func (f *Folder) Append(name string, text []byte, perm fs.FileMode, last bool) error {
	path := f.Path(name)
	if err := MkdirAll(filepath.Dir(path), f.perm); err != nil {
		return err
	}
	file, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err == nil && last {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Commit renames the folder to its final name, replacing a folder that CheckFolder has permitted.
// If that fails, or if err is not nil, nothing is left.
func (f *Folder) Commit(err error) error {
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return nil
}

// rename renames the folder to its final name. It removes an existing folder, which is restored on
// failure.
func (f *Folder) rename() error {
	if _, err := Lstat(f.dir); errors.Is(err, fs.ErrNotExist) {
		return rename(f.temp, f.dir)
	} else if err != nil {
		return err
	}
	parent, base := filepath.Split(f.dir)
	old := hidden(parent, base)
	if err := rename(f.dir, old); err != nil {
		return err
	}
	if err := rename(f.temp, f.dir); err != nil {
		return errors.Join(err, rename(old, f.dir))
	}
	return RemoveAll(old)
}

// Discard removes everything written so far.
func (f *Folder) Discard() error { return RemoveAll(f.temp) }
