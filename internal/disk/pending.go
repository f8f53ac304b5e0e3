package disk

import (
	"errors"
	"io/fs"
	"os"
)

// pending is a file being written, hidden next to the file that it replaces, which has either its
// old content or all of the new one. Commit or Discard ends it. It isn't safe for concurrent use.
type pending struct {
	*File
	path   string
	atomic interface {
		CloseAtomicallyReplace() error
		Cleanup() error
	}
}

// newPending creates the file for a path that isn't a symbolic link. It gets the mode of an
// existing file with that path, or else perm.
func newPending(path string, perm fs.FileMode) (p *pending, err error) {
	if err := check(OpOpen, path); err != nil {
		return nil, err
	}
	p = &pending{path: path}
	var f *os.File
	if f, p.atomic, err = createPending(path, perm); err != nil {
		return nil, err
	}
	p.File = &File{f}
	return p, nil
}

// Commit flushes the file to disk and renames it to its final name. If that fails, nothing is left
// behind.
func (p *pending) Commit() error {
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
func (p *pending) Discard() error { return p.atomic.Cleanup() }
