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

// ErrOccupied is the error of a folder that is not to be replaced, because it is not empty.
var ErrOccupied = errors.New("exists and is not empty")

// CheckFolder reports whether a folder may be made under a name: there is nothing, or an empty
// folder, or, with force, one whose entries are ours. Else the error wraps ErrOccupied, and says of
// one of ours that it has what it has, or is that of the file system.
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

// Folder is a folder that is being made, in a hidden one beside it, so that it is whole or not
// there. Commit or Discard ends it. It belongs to one goroutine.
type Folder struct {
	dir, temp string
	perm      fs.FileMode // of folders
	lock      *File       // of temp, which shows other processes that it is in use
}

// NewFolder begins a folder. It removes those that processes have left there which ended without
// Discard, as by SIGKILL.
func NewFolder(dir string, perm fs.FileMode) (*Folder, error) {
	dir = filepath.Clean(dir)
	parent, base := filepath.Split(dir)
	if _, err := Stat(cmp.Or(parent, ".")); err != nil {
		return nil, err
	}
	removeLeft(parent, base)
	f := &Folder{dir: dir, temp: hidden(parent, base, number()), perm: perm}
	if err := MkdirAll(f.temp, perm); err != nil {
		return nil, err
	}
	f.lock, _ = LockDir(f.temp) // where there are no locks nobody gets one, and removes it
	return f, nil
}

// removeLeft removes hidden folders that nobody holds a lock of. What cannot be removed is left.
func removeLeft(parent, base string) {
	like := hidden("", base, "00000000")
	begin := len(like) - len("00000000.tmp")
	entries, _ := ReadDir(cmp.Or(parent, "."))
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || len(name) != len(like) || name[:begin] != like[:begin] || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		if lock, err := LockDir(parent + name); err == nil && lock != nil {
			_ = errors.Join(RemoveAll(parent+name), lock.Close())
		}
	}
}

// hidden is a name beside that of a folder. Names of files have at most 255 bytes.
func hidden(parent, base, number string) string {
	return fmt.Sprintf("%s.%.200s.%s.tmp", parent, strings.ToValidUTF8(base, ""), number)
}

func number() string { return fmt.Sprintf("%08x", rand.Uint32()) }

// Path returns where a file is until Commit or Discard. Its name is a path with slashes.
func (f *Folder) Path(name string) string { return filepath.Join(f.temp, filepath.FromSlash(name)) }

// Create makes a file that is not there yet, and the folders that it is in.
func (f *Folder) Create(name string, perm fs.FileMode) (*File, error) {
	path := f.Path(name)
	if err := MkdirAll(filepath.Dir(path), f.perm); err != nil {
		return nil, err
	}
	return OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// Commit gives the folder its name. A folder that has it is replaced: CheckFolder has permitted it.
// If it fails nothing is left.
func (f *Folder) Commit() error {
	if err := f.rename(); err != nil {
		return errors.Join(err, f.Discard())
	}
	f.unlock()
	return nil
}

// rename gives the folder its name. A folder that has it goes away, and comes back if that fails.
func (f *Folder) rename() error {
	if _, err := Lstat(f.dir); errors.Is(err, fs.ErrNotExist) {
		return Rename(f.temp, f.dir)
	} else if err != nil {
		return err
	}
	parent, base := filepath.Split(f.dir)
	old := hidden(parent, base, number())
	if err := Rename(f.dir, old); err != nil {
		return err
	}
	if err := Rename(f.temp, f.dir); err != nil {
		return errors.Join(err, Rename(old, f.dir))
	}
	return RemoveAll(old)
}

// Discard removes what has been written.
func (f *Folder) Discard() error {
	defer f.unlock()
	return RemoveAll(f.temp)
}

func (f *Folder) unlock() {
	if f.lock != nil {
		_ = f.lock.Close()
	}
	f.lock = nil
}
