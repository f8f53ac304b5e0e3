package source

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
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

// Named adds the name of an input to an error that lacks it.
func Named(name string, err error) error {
	if _, names := errors.AsType[*Error](err); err == nil || names {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// newError drops the path that the os package puts in front of a cause, and the place that package
// inflate puts after it, since name and offset are there already.
func newError(name string, offset int64, err error) *Error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if e, direct := err.(*inflate.Error); direct { //nolint:errorlint // a wrapper has more information
		err = e.Err
	}
	return &Error{Name: name, Offset: offset, Err: err}
}

// state is the result of one input while it is being read. It is changed while it is locked.
type state struct {
	sync.Mutex
	Result
}

// fail records an error. Ranges of a file fail in any order; the error nearest to the beginning is
// kept.
func (s *state) fail(e *Error) {
	s.Lock()
	defer s.Unlock()
	if s.Err == nil || e.Offset < s.Err.(*Error).Offset { //nolint:errorlint // it is one of ours
		s.Err = e
	}
}

// add counts the bytes returned to a caller of Next, and the bytes read for them.
func (s *state) add(bytes, disk int64, complete bool) {
	s.Lock()
	defer s.Unlock()
	s.Bytes, s.Disk, s.Complete = s.Bytes+bytes, s.Disk+disk, s.Complete || complete
}

func (s *state) result(in *Input) Result {
	s.Lock()
	defer s.Unlock()
	res := s.Result
	res.Name, res.Codec = in.Name, in.Codec()
	res.Complete = res.Complete && res.Err == nil
	if !res.Complete {
		res.Sum = nil
	}
	return res
}
