package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"

	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// A name with a scheme, such as gs://bucket/access.log, is of one of Beam's filesystems. Any other
// is a path, which all workers must have: a file there is read in its place. Files of other
// filesystems are copied to the worker's disk, since the readers of source look at their files more
// than once, from several places at a time. A copy that breaks off is begun again, so that a bad
// connection is not taken for a damaged file.

// isPath reports whether a name is a path.
func isPath(name string) bool { return !strings.Contains(name, "://") }

// file is an input of the job. Its error is why there is none.
type file struct {
	Name  string
	Size  int64
	Error string
}

// checkName refuses a name on another filesystem than that of paths if Beam would read it in
// another way than it lists it: it takes names as URLs. forbidden are more characters that mean
// something where the name is used.
func checkName(name, forbidden string) error {
	if bad := "%#?[\\" + forbidden; !isPath(name) && strings.ContainsAny(name, bad) {
		return usageError("%s: the name has one of %s, with which Beam would not find it", name,
			strings.Join(strings.Split(bad, ""), " "))
	}
	return nil
}

// find returns the files that arguments name, each once: of paths those that source.Inputs finds,
// and then of patterns on other filesystems those that match.
func find(ctx context.Context, names []string) (files []file, warnings []string) {
	seen := map[string]bool{}
	add := func(f file) {
		if f.Name != "" && seen[f.Name] {
			warnings = append(warnings, f.Name+" is named twice: read once")
			return
		}
		seen[f.Name] = true
		files = append(files, f)
	}
	paths := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isPath(name) })
	inputs, more, errs := source.Inputs(ctx, paths, strings.NewReader(""), source.Limits{Closed: true})
	warnings = append(warnings, more...)
	for _, in := range inputs {
		f := file{Name: in.Name, Size: in.Size}
		if !in.Regular() {
			f.Error = fmt.Sprintf("%s: no regular file, which a worker could read again", in.Name)
		}
		add(f)
	}
	for _, err := range errs {
		files = append(files, file{Error: err.Error()})
	}
	for _, name := range names {
		if isPath(name) {
			continue
		}
		for _, f := range match(ctx, name) {
			add(f)
		}
	}
	return files, warnings
}

// match returns the files that a pattern on a filesystem matches.
func match(ctx context.Context, pattern string) (files []file) {
	fail := func(err error) []file { return []file{{Error: fmt.Sprintf("%s: %v", pattern, err)}} }
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return fail(err)
	}
	defer fs.Close()
	var names []string
	err = again(ctx, pattern, func() (err error) {
		names, err = fs.List(ctx, pattern)
		return err
	})
	switch {
	case err != nil:
		return []file{{Error: err.Error()}}
	case len(names) == 0:
		return fail(errors.New("no file matches"))
	}
	for _, name := range names {
		f := file{Name: name}
		err := checkName(name, "*")
		if err == nil {
			err = again(ctx, name, func() (err error) {
				f.Size, err = fs.Size(ctx, name)
				return err
			})
		}
		if err != nil {
			f.Error = err.Error()
		}
		files = append(files, f)
	}
	return files
}

// A copy is tried so often, with longer and longer pauses between.
const tries = 4

var pause = time.Second // tests do not wait

// fetch returns a path with the content of a file: its own, or that of a copy in dir.
func fetch(ctx context.Context, name, dir string) (copied string, err error) {
	if isPath(name) {
		return name, nil
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", err
	}
	defer fs.Close()
	copied = filepath.Join(dir, path.Base(name))
	return copied, again(ctx, name, func() error { return copyIn(ctx, fs, name, copied) })
}

// shared are files that all shards need: this process copies each once, since an archive may be as
// large as all lists.
var shared copies

type copies struct {
	mu    sync.Mutex
	paths map[string]string
}

// get returns a path of the file.
func (c *copies) get(ctx context.Context, name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.paths[name]; ok {
		return p, nil
	}
	if isPath(name) {
		_, err := os.Stat(name)
		return name, err
	}
	dir, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return "", err
	}
	p, err := fetch(ctx, name, dir)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	if c.paths == nil {
		c.paths = map[string]string{}
	}
	c.paths[name] = p
	return p, nil
}

// forget is called when the copies have been removed.
func (c *copies) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = nil
}

// again does what may fail for a moment until it is done, several times at most.
func again(ctx context.Context, name string, do func() error) (err error) {
	for try := range tries {
		if err = do(); err == nil {
			return nil
		}
		if try == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause << try):
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// copyIn copies a file to a path. A copy of another size than the file has is an error.
func copyIn(ctx context.Context, fs filesystem.Interface, name, to string) error {
	size, err := fs.Size(ctx, name)
	if err != nil {
		return err
	}
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes were read, and its size is %d: the connection broke off, or it is stored with a "+
			"Content-Encoding", n, size)
	}
	return errors.Join(err, w.Close())
}

// tempPattern is that of the names of folders for temporary files.
const tempPattern = "robotsieve-*"

// inTemp calls do with a folder for temporary files, which it removes then.
func inTemp(do func(dir string) error) error {
	dir, err := os.MkdirTemp("", tempPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return do(dir)
}

// publish makes a file of that name, whole or not at all, whose content is what write writes to a
// path. It may be done several times, also at the same time, as runners do when a worker is lost or
// slow: the last one stays.
func publish(ctx context.Context, name string, write func(path string) error) error {
	dir := os.TempDir()
	if isPath(name) {
		dir = filepath.Dir(name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	temp, err := os.MkdirTemp(dir, ".robotsieve-*") // hidden, so that nobody reads it as an input
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	made := filepath.Join(temp, path.Base(filepath.ToSlash(name)))
	if err := write(made); err != nil {
		return err
	}
	if isPath(name) {
		return os.Rename(made, name)
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	return again(ctx, name, func() error { return copyOut(ctx, fs, made, name) })
}

// publishBytes publishes a file of the scratch folder.
func publishBytes(ctx context.Context, name string, content []byte) error {
	return publish(ctx, name, func(path string) error { return os.WriteFile(path, content, 0o600) })
}

// publishValue publishes a value for readValue. Its texts that are not UTF-8 stay what they are.
func publishValue[T any](ctx context.Context, name string, v T) error {
	encoded, err := json.Marshal(report.Texts(v, report.ToUTF8))
	if err != nil {
		return err
	}
	return publishBytes(ctx, name, encoded)
}

// readValue returns what publishValue has published.
func readValue[T any](ctx context.Context, name string) (v T, err error) {
	encoded, err := readAll(ctx, name)
	if err == nil {
		err = json.Unmarshal(encoded, &v)
	}
	return report.Texts(v, report.FromUTF8), err
}

// readAll returns the content of a file.
func readAll(ctx context.Context, name string) (content []byte, err error) {
	err = inTemp(func(dir string) error {
		path, err := fetch(ctx, name, dir)
		if err == nil {
			content, err = os.ReadFile(path)
		}
		return err
	})
	return content, err
}

// copyOut writes a file on a filesystem whose files appear when they are closed.
func copyOut(ctx context.Context, fs filesystem.Interface, path, name string) error {
	r, err := os.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err = io.Copy(w, r); err != nil {
		drop() // so that Close does not make a file of what has been written
	}
	return errors.Join(err, w.Close())
}

// glob returns the files in a folder that publish has made, by their pattern.
func glob(ctx context.Context, dir, pattern string) (names []string, err error) {
	if isPath(dir) {
		entries, err := os.ReadDir(dir) // a pattern would also be one of folders
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		for _, e := range entries {
			if is, _ := path.Match(pattern, e.Name()); is && !e.IsDir() {
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
		return names, err
	}
	pattern = join(dir, pattern)
	on, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer on.Close()
	return on.List(ctx, pattern)
}

// remove removes files of one folder.
func remove(ctx context.Context, names ...string) (err error) {
	if len(names) == 0 {
		return nil
	}
	if isPath(names[0]) {
		for _, name := range names {
			err = errors.Join(err, os.Remove(name))
		}
		return err
	}
	fs, err := filesystem.New(ctx, names[0])
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s: files on this filesystem cannot be removed", names[0])
	}
	for _, name := range names {
		err = errors.Join(err, remover.Remove(ctx, name))
	}
	return err
}

// removeFolder removes a folder whose files publish has made.
func removeFolder(ctx context.Context, dir string) error {
	if isPath(dir) {
		return os.RemoveAll(dir)
	}
	names, err := glob(ctx, dir, "*")
	return errors.Join(err, remove(ctx, names...))
}

// join joins a folder and a name in it, with slashes after a scheme.
func join(dir, name string) string {
	if isPath(dir) {
		return filepath.Join(dir, name)
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}
