package source

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// Result describes how the reading of an input ended.
type Result struct {
	Name     string
	Codec    string   // as Input.Codec
	Disk     int64    // bytes read from disk or pipe, before decompression
	Bytes    int64    // decompressed bytes returned in chunks, including those counted in Chunk.Cut
	Err      error    // nil, or an *Error; all bytes before the error were in chunks
	Warnings []string // harmless oddities, such as zero padding after compressed data
	Sum      []byte   // SHA-256 of the bytes on disk; nil unless Input.Hash is set and everything was read without error
	Check    []byte   // a checksum of the same bytes, nil likewise without Input.Check; it can be forged
	Complete bool     // every byte of the input was in a chunk or counted in Cut, without errors
}

// Error says why and where an input could not be read to its end.
type Error struct {
	Name   string
	Offset int64 // in bytes on disk; -1 if the input could not be opened
	Err    error
}

// Error returns name, offset and cause on one line. If the system couldn't open a name, the error
// reads like package os's, "open NAME: ...", even if it came from os.Stat.
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

// state is the result of an input while it is being read. Its lock guards changes.
type state struct {
	sync.Mutex
	Result
}

// fail records an error. Ranges of a file fail in any order, so the error closest to the beginning
// is kept.
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
		res.Sum, res.Check = nil, nil
	}
	return res
}
