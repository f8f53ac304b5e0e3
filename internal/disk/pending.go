package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Pending is a file that is being written, hidden beside the one that it replaces: its name has the
// old content or all of the new one. Commit or Discard ends it. It belongs to one goroutine.
type Pending struct {
	*File
	path   string
	atomic interface {
		CloseAtomicallyReplace() error
		Cleanup() error
	}
}

// NewPending begins the file of a path that is no symbolic link. It gets the mode of a file that has
// the path, or else perm.
func NewPending(path string, perm fs.FileMode) (p *Pending, err error) {
	if err := check(OpOpen, path); err != nil {
		return nil, err
	}
	p = &Pending{path: path}
	var f *os.File
	if f, p.atomic, err = newPending(path, perm); err != nil {
		return nil, err
	}
	p.File = &File{f}
	return p, nil
}

// Commit writes the file to the disk and gives it its name. If that fails nothing is left behind.
func (p *Pending) Commit() error {
	err := check(OpRename, p.path)
	if err == nil {
		err = p.atomic.CloseAtomicallyReplace()
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}

// Discard removes the file.
func (p *Pending) Discard() error { return p.atomic.Cleanup() }
