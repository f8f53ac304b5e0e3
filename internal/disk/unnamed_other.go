//go:build !linux

package disk

import (
	"errors"
	"io/fs"
	"os"
)

// OpenUnnamed fails: these systems cannot make a file without a name.
func OpenUnnamed(string, fs.FileMode) (*File, error) { return nil, errors.ErrUnsupported }

// Link fails, as there is no file without a name.
func (f *File) Link(string) error { return errors.ErrUnsupported }

// WasClosed is false: it cannot be found out.
func WasClosed(*os.File) bool { return false }
