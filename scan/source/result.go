package source

import (
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// Result is how the reading of one input ended.
type Result struct {
	Name     string
	Codec    string   // as Input.Codec
	Disk     int64    // bytes read from disk or pipe, compressed if the input is
	Bytes    int64    // decompressed bytes returned in chunks, including those counted in Chunk.Cut
	Err      error    // nil, or an *Error; all bytes before the error were in chunks
	Warnings []string // oddities that lost nothing, such as zero padding after compressed data
	Sum      []byte   // SHA-256 of the bytes on disk; nil unless Input.Hash is set, nothing failed and all was read
	Complete bool     // every byte of the input was in a chunk or counted in Cut, and nothing failed
}

// Error is why and where an input could not be read to its end.
type Error struct {
	Name   string
	Offset int64 // in bytes on disk; -1 when the input could not be opened
	Err    error
}

// Error returns name, offset and cause in one line. An error of the system for a name that could
// not be opened reads as in package os, "open NAME: ...", also if it came from os.Stat.
func (e *Error) Error() string {
	var system syscall.Errno
	if errors.As(e.Err, &system) && e.Offset < 0 {
		return fmt.Sprintf("open %s: %v", e.Name, e.Err)
	}
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: at byte %d: %v", e.Name, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// newError drops the path that the os package puts in front of a cause, and the place that package
// inflate puts after it, since name and offset are there already.
func newError(name string, offset int64, err error) *Error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if e, direct := err.(*inflate.Error); direct { //nolint:errorlint // what wraps it says more
		err = e.Err
	}
	return &Error{Name: name, Offset: offset, Err: err}
}

// state is the result of one input while it is being read.
type state struct {
	disk, bytes atomic.Int64
	complete    atomic.Bool

	mu       sync.Mutex
	err      *Error
	warnings []string
	sum      []byte
}

// hashed records the hash of all bytes.
func (s *state) hashed(sum hash.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum = sum.Sum(nil)
}

// fail records an error. Ranges of a file fail in any order; the error nearest to the beginning is
// kept.
func (s *state) fail(e *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || e.Offset < s.err.Offset {
		s.err = e
	}
}

func (s *state) warn(w []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = append(s.warnings, w...)
}

func (s *state) result(in *Input) Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	res := Result{Name: in.Name, Codec: in.Codec(), Disk: s.disk.Load(), Bytes: s.bytes.Load(), Warnings: s.warnings}
	if s.err != nil {
		res.Err = s.err
	}
	if res.Complete = s.complete.Load() && s.err == nil; res.Complete {
		res.Sum = s.sum
	}
	return res
}
