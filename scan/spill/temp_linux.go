package spill

import (
	"os"
	"syscall"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// tmpfile is the flag O_TMPFILE of open(2), which package syscall lacks on some
// machines: a bit of its own, and O_DIRECTORY, so that a kernel or a file system that
// does not know it refuses to open a folder for writing.
const tmpfile = 0x400000 | syscall.O_DIRECTORY

// openUnnamed makes a file without a name in a folder: it vanishes when the process ends,
// also after a crash. With O_EXCL it cannot be given a name later.
func openUnnamed(dir string) (*disk.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	return disk.OpenFile(dir, tmpfile|os.O_RDWR|os.O_EXCL, 0o600)
}
