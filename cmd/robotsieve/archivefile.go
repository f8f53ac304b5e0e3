package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/automaton/archive"
	"github.com/robotsieve/robotsieve/compile"
)

// openArchive maps an archive into memory and opens it. What comes from it is
// valid until close is called. The file must not be changed meanwhile; compile
// never does so, since it replaces files whole.
func openArchive(path string) (a *archive.Archive, close func() error, err error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, nil, err
	}
	if a, err = archive.Open(data, archive.Options{Build: buildMachine, Busy: busy}); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	return a, unmap, nil
}

// busy is the number of lookups, or of batches of URLs of one host, after which
// rules are worth an automaton. To make one takes some 15 µs for the rules of an
// average host, and saves some 100 ns a URL.
const busy = 4

// buildMachine makes the machine of a list from an archive, which holds no tables:
// to make them anew costs less than to read them, and most origins need none.
func buildMachine(d automaton.Dialect, rules []automaton.Rule) (*automaton.Machine, error) {
	return compile.Machine(d, compile.EngineAuto, rules)
}

// writeFile has a file written under a name of its own beside the one it is to
// have, and gives it that name when all of it is on the disk. If anything fails,
// nothing is left behind, and a file that had the name is as it was.
func writeFile(name string, write func(io.Writer) error) error {
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular(): // it would be replaced
		return fmt.Errorf("%s: not a regular file", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp := fmt.Sprintf("%s.%08x.tmp", name, rand.Uint32())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(name))
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
