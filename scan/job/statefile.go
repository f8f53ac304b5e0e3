package job

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// stateFile is the file of a state. It is open only while it is read, since a process
// may have few files open, such as 256 on macOS. It is safe for concurrent use.
type stateFile struct {
	name string
	info fs.FileInfo // when it was first seen
	most int64       // bytes to be read at once; 0 is no limit
}

func newStateFile(name string) (*stateFile, error) {
	info, err := disk.Stat(name)
	return &stateFile{name: name, info: info}, err
}

// Name returns the name of the file, for errors of package spill.
func (f *stateFile) Name() string { return f.name }

// ReadAt implements io.ReaderAt. A file that has changed is an error, and so is a part that
// there is no memory for.
func (f *stateFile) ReadAt(p []byte, off int64) (int, error) {
	if f.most > 0 && int64(len(p)) > f.most {
		return 0, fmt.Errorf("%s: has a part of %d bytes: --memory %dMB would do", f.name, len(p),
			memoryForPart(int64(len(p)))/1_000_000+1)
	}
	file, err := disk.Open(f.name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !(os.SameFile(info, f.info) && info.Size() == f.info.Size() &&
		info.ModTime().Equal(f.info.ModTime())) {
		err = fmt.Errorf("%s: has changed while it was read", f.name)
	}
	if err != nil {
		return 0, err
	}
	return file.ReadAt(p, off)
}
