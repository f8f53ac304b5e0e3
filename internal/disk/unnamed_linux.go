package disk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenUnnamed makes a file without a name in a folder, to be read and written: it vanishes when the
// process ends, also by a signal or a crash, unless Link gives it a name. Not every system and file
// system can do that.
func OpenUnnamed(dir string, perm fs.FileMode) (*File, error) {
	return OpenFile(dir, unix.O_TMPFILE|os.O_RDWR, perm)
}

// Link gives a name to a file without one, in the same file system. There must be no file of that
// name.
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

// WasClosed reports whether a standard stream was closed when the process began. Then the runtime of
// Go has opened the null device in its place, to read and write. So do few callers that want no
// output: daemons, which open it once for several streams, and the interpreters that opensNull
// tells. All others open it to write only.
func WasClosed(stream *os.File) bool {
	flags, err := unix.FcntlInt(stream.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && isNull(stream) &&
		!sameOpening(stream, os.Stdin) && !sameOpening(stream, os.Stderr) && !opensNull(os.Getppid())
}

// sameOpening reports whether two streams are one that was opened once: then they have their flags in
// common.
func sameOpening(a, b *os.File) bool {
	was, err := unix.FcntlInt(a.Fd(), unix.F_GETFL, 0)
	if err != nil || a == b || !isNull(b) {
		return false
	}
	other, err := unix.FcntlInt(b.Fd(), unix.F_GETFL, 0)
	if err != nil || other&unix.O_APPEND != was&unix.O_APPEND {
		return false
	}
	if _, err := unix.FcntlInt(a.Fd(), unix.F_SETFL, was^unix.O_APPEND); err != nil { // nothing changes for a null device
		return false
	}
	now, err := unix.FcntlInt(b.Fd(), unix.F_GETFL, 0)
	_, _ = unix.FcntlInt(a.Fd(), unix.F_SETFL, was)
	return err == nil && now&unix.O_APPEND != was&unix.O_APPEND
}

// opensNull reports whether a process is an interpreter that opens the null device to read and write
// if a program that it starts shall have no output: Python for subprocess.DEVNULL, Node.js for
// "ignore".
func opensNull(process int) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", process))
	name := filepath.Base(exe)
	return err == nil && (strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") ||
		strings.HasPrefix(name, "node"))
}

func isNull(stream *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := stream.Stat()
	return err == nil && os.SameFile(null, info)
}
