//go:build unix

package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock is the flag for opening a pipe without waiting for a writer.
const nonblock = unix.O_NONBLOCK

// Map maps a file into memory, or reads it where the system can't map it.
func Map(name string) (*Mapped, error) {
	f, err := OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, withFetch(name, err)
	}
	m := &Mapped{file: f}
	if err := m.load(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// load maps the file.
func (m *Mapped) load() (err error) {
	name := m.file.Name()
	if m.info, err = m.file.Stat(); err != nil {
		return err
	}
	size := m.info.Size()
	switch {
	case !m.info.Mode().IsRegular():
		return fmt.Errorf("%s: not a regular file", name)
	case size > math.MaxInt:
		return fmt.Errorf("%s: too large to be mapped into memory", name)
	case size == 0: // nothing to map
		return nil
	}
	if err := check(OpMap, name); err != nil {
		return err
	}
	m.Data, err = unix.Mmap(int(m.file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return &fs.PathError{Op: string(OpMap), Path: name, Err: err}
	}
	return nil
}

// Close releases the file.
func (m *Mapped) Close() error {
	var err error
	if m.Data != nil {
		err = unix.Munmap(m.Data)
	}
	return cmp.Or(err, m.file.Close())
}

// CheckWritable returns the error with which creating files in a folder would fail, as far as that
// can be checked.
func CheckWritable(dir string) error {
	return try(OpOpen, dir, func() error {
		if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
			return &fs.PathError{Op: string(OpOpen), Path: dir, Err: err}
		}
		return nil
	})
}
