package job

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// writeFile writes a file under a temporary name beside the final one and renames
// it when all of it is on the disk. If that fails, nothing is left behind, and a file
// that had the name is unchanged. If the name is a symbolic link, its target is
// replaced, not the link.
func writeFile(name string, write func(io.Writer) error) error {
	f, path, err := createBeside(name)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = disk.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(writing(name, err), disk.Remove(f.Name()))
	}
	return disk.SyncDir(filepath.Dir(path))
}

// checkOutput returns the error that writeFile would return because of the name.
// A job calls it before it spends hours on reading.
func checkOutput(name string) error {
	f, _, err := createBeside(name)
	if err != nil {
		return err
	}
	return writing(name, cmp.Or(f.Close(), disk.Remove(f.Name())))
}

// wouldReplace returns an error if a state, "" for none, would replace a file that is to
// be read.
func wouldReplace(state string, read ...string) error {
	out, err := disk.Stat(state)
	if err != nil {
		return nil //nolint:nilerr // there is none to replace
	}
	for _, name := range read {
		if info, err := disk.Stat(name); err == nil && os.SameFile(out, info) {
			return usageError("--state %s would replace %s, which is to be read", state, name)
		}
	}
	return nil
}

// createBeside returns the path of the file to replace or make, which is the target if
// name is a symbolic link, and creates a temporary file beside it. Its name is
// hidden, so that a file left by a killed process is not read as a source.
func createBeside(name string) (f *disk.File, path string, err error) {
	path = name
	for range 40 { // as many links as Linux follows
		to, err := disk.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) { // not Join, which would resolve "link/.." by its text
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	info, err := disk.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, "", writing(name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, "", fmt.Errorf("writing %s: too many symbolic links", name)
	case !info.Mode().IsRegular():
		return nil, "", fmt.Errorf("%s: not a regular file", name)
	}
	dir, base := filepath.Split(path)
	f, err = disk.OpenFile(fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return f, path, writing(name, err)
}

// writing returns an error of writing a file, with the name that the user gave
// instead of the temporary one; nil if err is nil.
func writing(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("writing %s: %w", name, err)
}
