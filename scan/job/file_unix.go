//go:build unix

package job

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory, which must not be written to, until unmap is
// called.
func mapFile(path string) (data []byte, unmap func() error, err error) {
	// O_NONBLOCK: opening a pipe does not wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
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
		return nil, nil, fmt.Errorf("%s: not a regular file", path)
	case size > math.MaxInt:
		return nil, nil, fmt.Errorf("%s: too large to be mapped into memory", path)
	case size == 0: // nothing to map
		return nil, func() error { return nil }, nil
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: mapping into memory: %w", path, err)
	}
	return data, func() error { return unix.Munmap(data) }, nil
}

// syncDir writes the names in a directory to the disk.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
