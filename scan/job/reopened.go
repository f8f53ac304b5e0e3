package job

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// maxOpen is how many files of a reopening are open at once. A process may have few,
// such as 256 on macOS.
const maxOpen = 64

// reopening is a set of files. If more than maxOpen are open, the least recently read
// one is closed, and opened when it is read again. It is safe for concurrent use.
type reopening struct {
	mu   sync.Mutex
	open []*reopened // the most recently read last
}

// reopened is one of the files.
type reopened struct {
	all  *reopening
	name string
	info os.FileInfo // from the first opening
	file *os.File    // nil: not open
}

// add opens a file.
func (r *reopening) add(name string) (*reopened, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := &reopened{all: r, name: name}
	return f, f.need()
}

// close closes the open files.
func (r *reopening) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.open {
		f.file.Close()
		f.file = nil
	}
	r.open = nil
}

// Name returns the name of the file, for errors of package spill.
func (f *reopened) Name() string { return f.name }

// ReadAt implements io.ReaderAt.
func (f *reopened) ReadAt(p []byte, off int64) (int, error) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if err := f.need(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}

// need opens the file if it is not open.
func (f *reopened) need() error {
	open := f.all.open
	if i := slices.Index(open, f); i >= 0 {
		copy(open[i:], open[i+1:])
		open[len(open)-1] = f
		return nil
	}
	if len(open) == maxOpen {
		open[0].file.Close()
		open[0].file = nil
		open = slices.Delete(open, 0, 1)
		f.all.open = open
	}
	file, err := os.Open(f.name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && f.info != nil && !(os.SameFile(info, f.info) && info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime())) {
		err = fmt.Errorf("%s: has changed while it was read", f.name)
	}
	if err != nil {
		file.Close()
		return err
	}
	f.info, f.file = info, file
	f.all.open = append(open, f)
	return nil
}
