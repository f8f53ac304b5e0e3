package evidence

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// The modes of folders and files. They have addresses and lines of a log.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// ErrOccupied is the error of a folder that is not to be replaced, because it is not empty.
var ErrOccupied = errors.New("exists and is not empty")

// CheckFolder tells whether a folder of evidence may be made under a name: there is nothing, or an
// empty folder, or, with force, a folder of evidence. Else the error wraps ErrOccupied, or is
// that of the file system.
func CheckFolder(dir string, force bool) error {
	info, err := disk.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s %w: it is not a folder", dir, ErrOccupied)
	}
	entries, err := disk.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	isOurs := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == sumName })
	switch {
	case isOurs && force:
		return nil
	case isOurs:
		return fmt.Errorf("%s %w: it has evidence already, which --force replaces", dir, ErrOccupied)
	}
	return fmt.Errorf("%s %w", dir, ErrOccupied)
}

// Writer makes a folder. Its files are written one after the other or at once, but by one
// goroutine. Commit or Discard ends it.
type Writer struct {
	dir, temp string
	files     []File
}

// Begin begins a folder, in a hidden one beside it.
func Begin(dir string) (*Writer, error) {
	dir = filepath.Clean(dir)
	parent, base := filepath.Split(dir)
	if _, err := disk.Stat(cmp.Or(parent, ".")); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, temp: hidden(parent, base)}
	return w, disk.MkdirAll(w.temp, dirMode)
}

// hidden is a name beside that of a folder. Names of files have at most 255 bytes.
func hidden(parent, base string) string {
	return fmt.Sprintf("%s.%.200s.%08x.tmp", parent, strings.ToValidUTF8(base, ""), rand.Uint32())
}

// Create makes a file. Its name is a path with slashes.
func (w *Writer) Create(name string) (*FileWriter, error) {
	path := w.path(name)
	if err := disk.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	return &FileWriter{of: w, name: name, file: f, sum: sha256.New()}, err
}

func (w *Writer) path(name string) string { return filepath.Join(w.temp, filepath.FromSlash(name)) }

// Put makes a file with this content.
func (w *Writer) Put(name string, content []byte) error {
	f, err := w.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// FileWriter writes a file of a folder.
type FileWriter struct {
	of   *Writer
	name string
	file *disk.File
	sum  hash.Hash
	n    int64
	err  error // the first
}

func (f *FileWriter) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.err = cmp.Or(f.err, err)
	f.sum.Write(p[:n])
	f.n += int64(n)
	return n, err
}

// Close ends the file, and has it in the manifest. It returns the first error of writing it.
func (f *FileWriter) Close() error {
	if f.err == nil {
		f.err = f.file.Sync()
	}
	f.err = cmp.Or(f.err, f.file.Close())
	f.of.files = append(f.of.files, File{f.name, f.n, hex.EncodeToString(f.sum.Sum(nil))})
	return f.err
}

// Commit adds the manifest, whose Schema and Files it sets, and gives the folder its name. A
// folder that has the name is replaced: CheckFolder has permitted it. It returns the SHA-256 of
// the manifest, in hexadecimal. If it fails nothing is left.
func (w *Writer) Commit(m *Manifest) (sum string, err error) {
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	m.Schema, m.Files = Schema, slices.Clip(w.files)
	data, err := m.marshal()
	if err == nil {
		err = w.Put(manifestName, data)
	}
	if err == nil {
		sum = hexSum(data)
		err = w.Put(sumName, sumFile(sum))
	}
	if err == nil {
		err = w.rename()
	}
	if err != nil {
		return "", errors.Join(err, w.Discard())
	}
	return sum, disk.SyncDir(filepath.Dir(w.dir))
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sumFile is the file with the sum of the manifest.
func sumFile(sum string) []byte { return []byte(sum + "  " + manifestName + "\n") }

// rename gives the folder its name. A folder that has it goes away, and comes back if that fails.
func (w *Writer) rename() error {
	if _, err := disk.Lstat(w.dir); errors.Is(err, fs.ErrNotExist) {
		return disk.Rename(w.temp, w.dir)
	} else if err != nil {
		return err
	}
	old := hidden(filepath.Split(w.dir))
	if err := disk.Rename(w.dir, old); err != nil {
		return err
	}
	if err := disk.Rename(w.temp, w.dir); err != nil {
		return errors.Join(err, disk.Rename(old, w.dir))
	}
	return disk.RemoveAll(old)
}

// Discard removes what has been written.
func (w *Writer) Discard() error { return disk.RemoveAll(w.temp) }

// isSumFile tells whether a file has the sum of a manifest, byte for byte.
func isSumFile(file, manifest []byte) bool { return bytes.Equal(file, sumFile(hexSum(manifest))) }
