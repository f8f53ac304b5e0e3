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
)

// writeFile writes a file under a temporary name beside the final one and renames
// it when all of it is on the disk. If that fails, nothing is left behind, and a file
// that had the name is unchanged. If the name is a symbolic link, its target is
// replaced, not the link.
func writeFile(name string, write func(io.Writer) error) error {
	path, err := outputPath(name)
	if err != nil {
		return err
	}
	f, err := createBeside(path)
	if err != nil {
		return writing(name, err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(writing(name, err), os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(path))
}

// checkOutput returns the error that writeFile would return because of the name.
// A job calls it before it spends hours on reading.
func checkOutput(name string) error {
	path, err := outputPath(name)
	if err != nil {
		return err
	}
	f, err := createBeside(path)
	if err != nil {
		return writing(name, err)
	}
	if err := cmp.Or(f.Close(), os.Remove(f.Name())); err != nil {
		return writing(name, err)
	}
	return nil
}

// outputPath returns the name of the file to replace or make: it follows the
// symbolic links in the last element of name, also to a file that does not exist.
func outputPath(name string) (string, error) {
	path := name
	for range 40 { // as many links as Linux follows
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", writing(name, err)
		case info.Mode().IsRegular():
			return path, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", fmt.Errorf("%s: not a regular file", name)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", writing(name, err)
		}
		if !filepath.IsAbs(to) { // not Join, which would resolve "link/.." by its text
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	return "", fmt.Errorf("writing %s: too many symbolic links", name)
}

// createBeside creates a file in the directory of path. Its name is hidden, so that a
// file left by a killed process is not read as a source.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	return os.OpenFile(fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writing returns an error of writing a file, with the name that the user gave
// instead of the temporary one.
func writing(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("writing %s: %w", name, err)
}
