package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
)

// Mapped is a regular file that is mapped into memory or, where the system cannot do that, was
// read into it. It may be replaced while it is in use, but not changed in place: see Use. Several
// goroutines may use it at once.
type Mapped struct {
	Data []byte // must not be written to, nor read after Close
	file *File  // nil if Data is a copy
	info fs.FileInfo
}

// ErrChanged is the error of a mapped file that was changed in place.
var ErrChanged = errors.New("changed while in use")

// Use calls f, which reads Data in this goroutine, and returns its error. If the size of the file
// or its time of change is no longer what it was when the file was mapped, what f found may be
// false, and the error wraps ErrChanged; so it does if f reads beyond the present end of the file,
// or from a disk that fails. Such a change may also make f panic. Another panic stays one.
func (m *Mapped) Use(f func() error) (err error) {
	if m.file == nil {
		return f()
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		failure := recover()
		// Of all runtime errors only a memory fault has an address.
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
