package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrIrregular is the error of OpenRegular for anything but a regular file.
var ErrIrregular = errors.New("not a regular file")

// OpenRegular is Open for a regular file on a disk. It refuses devices, pipes, sockets, and files that
// the system makes up, as in /proc, and blocks on none of them.
func OpenRegular(name string) (*File, error) {
	f, err := openRegular(name, func() (fs.FileInfo, error) { return Stat(name) },
		func() (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|nonblock, 0) })
	return f, withFetch(name, err)
}

// openRegular looks at a file before it is opened, since opening a device may do something, and once
// more when it is open.
func openRegular(name string, stat func() (fs.FileInfo, error), open func() (*os.File, error)) (*File, error) {
	info, err := stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(name)
	}
	if err == nil {
		err = check(OpOpen, name)
	}
	if err != nil {
		return nil, err
	}
	f, err := opened(open())
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && (!info.Mode().IsRegular() || madeUp(f.File)) {
		err = irregular(name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// CheckRegular returns the error that OpenRegular would.
func CheckRegular(name string) error {
	f, err := OpenRegular(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// LeadsOut reports whether a name, of something in a folder, is a link to something that is not in it.
// A link that leads nowhere is none.
func LeadsOut(dir, name string) bool {
	info, err := Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	to, none := EvalSymlinks(name)
	if dir, err = EvalSymlinks(dir); err == nil {
		dir, err = filepath.Abs(dir)
	}
	to, odd := filepath.Abs(to)
	rel, far := filepath.Rel(dir, to)
	return none == nil && (err != nil || odd != nil || far != nil || !filepath.IsLocal(rel))
}

// ErrLeadsOut is returned for a link that leads out of the folder.
var ErrLeadsOut = errors.New("a link out of the folder")

func irregular(name string) error { return fmt.Errorf("%s: %w", name, ErrIrregular) }

// Root is a folder of whose files only those are opened that are in it: a link or a name that leads
// out of it is an error.
type Root struct{ root *os.Root }

// OpenRoot opens a folder.
func OpenRoot(dir string) (*Root, error) {
	root, err := get(OpOpen, dir, os.OpenRoot)
	return &Root{root}, err
}

// OpenRegular is the function OpenRegular for a file in the folder.
func (r *Root) OpenRegular(name string) (*File, error) {
	return openRegular(r.path(name), func() (fs.FileInfo, error) { return r.Stat(name) }, func() (*os.File, error) {
		return inRoot(r, name, func(name string) (*os.File, error) {
			return r.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
		})
	})
}

// Stat is os.Root.Stat.
func (r *Root) Stat(name string) (fs.FileInfo, error) {
	return get(OpStat, r.path(name), func(string) (fs.FileInfo, error) { return inRoot(r, name, r.root.Stat) })
}

// ReadDir is os.ReadDir for a folder in the folder.
func (r *Root) ReadDir(name string) ([]fs.DirEntry, error) {
	return get(OpReadDir, r.path(name), func(string) ([]fs.DirEntry, error) {
		return inRoot(r, name, func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.root.FS(), name) })
	})
}

func (r *Root) path(name string) string { return filepath.Join(r.root.Name(), name) }

// inRoot calls do, whose error then has the path of a file as the user knows it.
func inRoot[T any](r *Root, name string, do func(name string) (T, error)) (T, error) {
	value, err := do(name)
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: strings.TrimSuffix(of.Op, "at"), Path: r.path(name), Err: of.Err}
	}
	return value, err
}

// Close closes the folder.
func (r *Root) Close() error { return r.root.Close() }
