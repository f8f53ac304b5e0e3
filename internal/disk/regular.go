package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	return openRegular(name, func() (fs.FileInfo, error) { return r.Stat(name) },
		func() (*os.File, error) { return r.root.OpenFile(name, os.O_RDONLY|nonblock, 0) })
}

// Stat is os.Root.Stat.
func (r *Root) Stat(name string) (fs.FileInfo, error) { return get(OpStat, name, r.root.Stat) }

// ReadDir is os.ReadDir for a folder in the folder.
func (r *Root) ReadDir(name string) ([]fs.DirEntry, error) {
	return get(OpReadDir, name, func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.root.FS(), name) })
}

// Close closes the folder.
func (r *Root) Close() error { return r.root.Close() }
