//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps a regular file into memory, which must not be written to, until unmap is called. The file must not become
// shorter meanwhile: see Faults. Where the system cannot do this, Map reads the file.
func Map(name string) (data []byte, unmap func() error, err error) {
	// O_NONBLOCK: opening a pipe does not wait for a writer.
	f, err := OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // a mapping outlives its file
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	switch {
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s: not a regular file", name)
	case size > math.MaxInt:
		return nil, nil, fmt.Errorf("%s: too large to be mapped into memory", name)
	case size == 0: // nothing to map
		return nil, func() error { return nil }, nil
	}
	if err := check(OpMap, name); err != nil {
		return nil, nil, err
	}
	data, err = unix.Mmap(int(f.f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, &fs.PathError{Op: string(OpMap), Path: name, Err: err}
	}
	return data, func() error { return unix.Munmap(data) }, nil
}

// SyncDir writes the names in a directory to the disk, where the system has such a call and the caller may read the directory.
func SyncDir(name string) error {
	dir, err := Open(name)
	if errors.Is(err, fs.ErrPermission) { // files can be made there all the same
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
