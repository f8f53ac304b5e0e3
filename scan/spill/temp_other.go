//go:build !linux

package spill

import (
	"errors"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// openUnnamed fails: these systems cannot make a file without a name.
func openUnnamed(string) (*disk.File, error) { return nil, errors.ErrUnsupported }
