//go:build !linux

package spill

import (
	"errors"
	"os"
)

// openUnnamed fails: these systems cannot make a file without a name.
func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }
