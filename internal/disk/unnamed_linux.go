package disk

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OpenUnnamed makes a file without a name in a folder, to be read and written: it vanishes when the process ends, also by a
// signal or a crash, unless Link gives it a name. Not every system and file system can do that.
func OpenUnnamed(dir string, perm fs.FileMode) (*File, error) {
	return OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, perm)
}

// Link gives a name to a file without one, in the same file system. There must be no file of that name.
func (f *File) Link(name string) error {
	if err := check(OpLink, name); err != nil {
		return err
	}
	fd := fmt.Sprintf("/proc/self/fd/%d", f.f.Fd())
	if err := unix.Linkat(unix.AT_FDCWD, fd, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &fs.PathError{Op: string(OpLink), Path: name, Err: err}
	}
	return nil
}

// WasClosed tells whether a standard stream was closed when the process began. Then the runtime of Go has opened the null
// device in its place, to read and write. So do few callers: those that want no output open it to write only, or with
// O_CLOEXEC, as Python does, or for standard error too, as a daemon does.
func WasClosed(stream *os.File) bool {
	flags, err := unix.FcntlInt(stream.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && flags&unix.O_CLOEXEC == 0 && isNull(stream) && !isNull(os.Stderr)
}

func isNull(stream *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := stream.Stat()
	return err == nil && os.SameFile(null, info)
}
