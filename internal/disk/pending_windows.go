package disk

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// replacer replaces renameio, which doesn't support Windows.
type replacer struct {
	file *os.File
	path string
}

func createPending(path string, _ fs.FileMode) (*os.File, replacer, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	return f, replacer{f, path}, err
}

func (r replacer) CloseAtomicallyReplace() error {
	return cmp.Or(r.file.Sync(), r.file.Close(), os.Rename(r.file.Name(), r.path))
}

func (r replacer) Cleanup() error {
	_ = r.file.Close() // it may be closed already
	return os.Remove(r.file.Name())
}
