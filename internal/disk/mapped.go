package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
)

// Mapped is a regular file mapped into memory or, where the system can't map it, read into memory.
// While in use it may be replaced, but not modified in place: see Use. It is safe for concurrent
// use.
type Mapped struct {
	Data []byte // must not be modified, nor read after Close
	file *File  // nil if Data is a copy
	info fs.FileInfo
}

// ErrChanged is the error for a mapped file that was modified in place.
var ErrChanged = errors.New("changed while in use")

// Use calls f, which reads Data in this goroutine, and returns its error. If the file's size or
// modification time differs from when it was mapped, the results of f may be wrong, and the error
// wraps ErrChanged. It also does if f reads beyond the current end of the file, or from a failing
// disk. Such a change may also make f panic. Other panics continue.
func (m *Mapped) Use(f func() error) (err error) {
	if m.file == nil {
		return f()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		failure := recover()
		// Among runtime errors, only memory faults have an address.
		_, fault := failure.(interface{ Addr() uintptr })
		info, statErr := m.file.Stat()
		switch {
		case statErr != nil:
			err = statErr
		case fault, info.Size() != m.info.Size(), !info.ModTime().Equal(m.info.ModTime()):
			err = fmt.Errorf("%s: %w", m.file.Name(), ErrChanged)
		case failure != nil:
			panic(failure)
		}
	}()
	return f()
}
