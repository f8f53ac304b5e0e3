package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/capture"
)

// openArchive maps an archive into memory and opens it. What comes from it is
// valid until close is called. The file must not be changed meanwhile; compile
// never does so, since it replaces files whole. What reads of one that has become
// shorter is a fault of memory, which package filter makes an error.
func openArchive(path string) (a *archive.Archive, close func() error, err error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, nil, err
	}
	// An archive holds no tables: to make them anew costs less than to read them, and most
	// origins need none.
	if a, err = archive.Open(data, archive.Options{Table: compile.EngineAuto.Table}); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	return a, unmap, nil
}

// writeFile has a file written under a name of its own beside the one it is to
// have, and gives it that name when all of it is on the disk. If anything fails but the
// process, nothing is left behind, and a file that had the name is as it was. Where the name
// is a symbolic link, what it leads to is replaced, not the link.
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

// checkOutput tells whether writeFile could write a file, so that nobody waits for
// hours of reading to hear that it could not.
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

// outputPath returns the name of the file that is to be replaced or made: the
// symbolic links that name ends in are followed, to a file that need not be there.
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
		case info.Mode()&fs.ModeSymlink == 0: // it would be replaced
			return "", fmt.Errorf("%s: not a regular file", name)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", writing(name, err)
		}
		if !filepath.IsAbs(to) { // not Join: "link/.." is where the link leads
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		path = to
	}
	return "", fmt.Errorf("writing %s: too many symbolic links", name)
}

// createBeside creates a file in the directory of path. It is hidden: what a kill leaves
// behind is not to be read as a source.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	return os.OpenFile(fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writing is an error of writing a file, by the name that the user knows.
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

// refuseSource returns an error if a file that is to be written is one of the
// sources, or in a directory of them where it would be read as one.
func refuseSource(name string, sources []string, stdin io.Reader) error {
	out, err := os.Stat(name)
	if err != nil { // there is nothing to lose
		return nil
	}
	for _, source := range sources {
		reads := []string{source, filepath.Join(source, filepath.Base(name))}
		for _, robots := range capture.FileNames() {
			reads = append(reads, filepath.Join(source, filepath.Base(filepath.Dir(name)), robots))
		}
		for _, read := range reads {
			if info, err := os.Stat(read); err == nil && os.SameFile(out, info) {
				return usageError("-o %s would replace the source %s", name, read)
			}
		}
		if f, ok := stdin.(*os.File); ok && source == "-" {
			if info, err := f.Stat(); err == nil && os.SameFile(out, info) {
				return usageError("-o %s would replace the source on stdin", name)
			}
		}
	}
	return nil
}

// stopped is a writer that fails when its context has ended.
type stopped struct {
	ctx context.Context
	io.Writer
}

func (s stopped) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}
