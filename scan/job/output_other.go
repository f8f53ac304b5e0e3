//go:build !unix

package job

import (
	"io/fs"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// keepOwner does nothing: these systems have no such call.
func keepOwner(*disk.File, fs.FileInfo) {}

// refusePlanted permits every link: here only some users can make one.
func refusePlanted(string, fs.FileInfo) error { return nil }
