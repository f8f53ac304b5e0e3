// Package disk provides the program's file operations. The program opens, reads, writes, renames,
// removes and maps all files through it, so that tests can make these operations fail: see Inject.
// Otherwise its functions behave like package os, and return the same error types, *fs.PathError
// and *os.LinkError. Whole files and folders are written under hidden names and then renamed: see
// pending and Folder.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/english"
)

// Op is a file operation, named as in the errors of package os.
type Op string

// The operations that can be made to fail.
const (
	OpOpen    Op = "open"
	OpRead    Op = "read"
	OpWrite   Op = "write"
	OpStat    Op = "stat"
	OpReadDir Op = "readdir"
	OpRename  Op = "rename"
	OpRemove  Op = "remove"
	OpMkdir   Op = "mkdir"
	OpMap     Op = "mmap"
)

// injected is called before every operation; nil outside tests.
var injected atomic.Pointer[func(op Op, name string) error]

// Inject is for tests. Until restore is called, fail is called before every operation, by any
// goroutine. If it returns an error, the operation isn't carried out, and fails with an
// *fs.PathError that wraps it.
func Inject(fail func(op Op, name string) error) (restore func()) {
	injected.Store(&fail)
	return func() { injected.Store(nil) }
}

// watched is called before every ReadAt; nil outside tests.
var watched atomic.Pointer[func(p []byte, off int64)]

// WatchReads is for tests. Until restore is called, read is called before every File.ReadAt, by any
// goroutine.
func WatchReads(read func(p []byte, off int64)) (restore func()) {
	watched.Store(&read)
	return func() { watched.Store(nil) }
}

// check returns the injected error of an operation.
func check(op Op, name string) error {
	fail := injected.Load()
	if fail == nil {
		return nil
	}
	if err := (*fail)(op, name); err != nil {
		return &fs.PathError{Op: string(op), Path: name, Err: err}
	}
	return nil
}

// try calls do, unless an error of the operation is injected.
func try(op Op, name string, do func() error) error {
	if err := check(op, name); err != nil {
		return err
	}
	return do()
}

// get is try for an operation that takes a name and returns a value.
func get[T any](op Op, name string, do func(name string) (value T, err error)) (value T, err error) {
	if err := check(op, name); err != nil {
		return value, err
	}
	value, err = do(name)
	return value, withFetch(name, err)
}

// IsURL reports whether a name is a web URL where a file name is expected.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// withFetch adds to an error how to fetch the file if its name is a URL, because users expect a
// program about the web to fetch it.
func withFetch(name string, err error) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok || !IsURL(name) {
		return err
	}
	_, rest, _ := strings.Cut(name, "://")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	file := "FILE"
	if at := strings.LastIndexByte(rest, '/'); at >= 0 && at+1 < len(rest) {
		file = rest[at+1:]
	}
	failed.Err = fmt.Errorf("%w; URLs are not fetched, so fetch it first: %s", failed.Err,
		english.ShellLine("curl", "-fsSLo", file, name))
	return err
}

// File is an open file. It has the methods of *os.File and is as safe for concurrent use. Its reads and writes can be
// made to fail.
type File struct{ *os.File }

// Of returns a stream as a File if it is an *os.File, such as standard input. Otherwise ok is
// false.
func Of(stream any) (_ *File, ok bool) {
	f, ok := stream.(*os.File)
	return &File{f}, ok
}

func (f *File) Read(p []byte) (int, error) {
	if err := check(OpRead, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := check(OpRead, f.Name()); err != nil {
		return 0, err
	}
	if read := watched.Load(); read != nil {
		(*read)(p, off)
	}
	return f.File.ReadAt(p, off)
}

func (f *File) Write(p []byte) (int, error) {
	if err := check(OpWrite, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if err := check(OpWrite, f.Name()); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

// opened returns the result of opening a file.
func opened(f *os.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Open is os.Open.
func Open(name string) (*File, error) {
	f, err := OpenFile(name, os.O_RDONLY, 0)
	return f, withFetch(name, err)
}

// OpenFile is os.OpenFile.
func OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	if err := check(OpOpen, name); err != nil {
		return nil, err
	}
	return opened(os.OpenFile(name, flag, perm))
}

// CreateTemp is os.CreateTemp.
func CreateTemp(dir, pattern string) (*File, error) {
	if err := check(OpOpen, filepath.Join(dir, pattern)); err != nil {
		return nil, err
	}
	return opened(os.CreateTemp(dir, pattern))
}

// MkdirTemp is os.MkdirTemp.
func MkdirTemp(pattern string) (string, error) {
	return get(OpMkdir, pattern, func(string) (string, error) { return os.MkdirTemp("", pattern) })
}

// ReadDir is os.ReadDir.
func ReadDir(name string) ([]fs.DirEntry, error) { return get(OpReadDir, name, os.ReadDir) }

// glob is filepath.Glob, whose only errors are bad patterns.
func glob(pattern string) ([]string, error) { return get(OpReadDir, pattern, filepath.Glob) }

// WalkDir is filepath.WalkDir.
func WalkDir(root string, give fs.WalkDirFunc) error {
	return try(OpReadDir, root, func() error { return filepath.WalkDir(root, give) })
}

// Stat is os.Stat.
func Stat(name string) (fs.FileInfo, error) { return get(OpStat, name, os.Stat) }

// Lstat is os.Lstat.
func Lstat(name string) (fs.FileInfo, error) { return get(OpStat, name, os.Lstat) }

// evalSymlinks is filepath.EvalSymlinks.
func evalSymlinks(name string) (string, error) { return get(OpStat, name, filepath.EvalSymlinks) }

// rename is os.Rename.
func rename(from, to string) error {
	return try(OpRename, from, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove.
func Remove(name string) error {
	return try(OpRemove, name, func() error { return os.Remove(name) })
}

// RemoveAll is os.RemoveAll.
func RemoveAll(name string) error {
	return try(OpRemove, name, func() error { return os.RemoveAll(name) })
}

// MkdirAll is os.MkdirAll.
func MkdirAll(name string, perm fs.FileMode) error {
	return try(OpMkdir, name, func() error { return os.MkdirAll(name, perm) })
}
