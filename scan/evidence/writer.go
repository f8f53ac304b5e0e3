package evidence

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
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

// CheckFolder reports whether a folder of evidence may be made under a name: there is nothing, or an
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
	lock      *disk.File // of temp, which shows other processes that it is in use
	files     []File
}

// Begin begins a folder, in a hidden one beside it. It removes those that processes have left there
// which ended without Discard, as by SIGKILL.
func Begin(dir string) (*Writer, error) {
	dir = filepath.Clean(dir)
	parent, base := filepath.Split(dir)
	if _, err := disk.Stat(cmp.Or(parent, ".")); err != nil {
		return nil, err
	}
	removeLeft(parent, base)
	w := &Writer{dir: dir, temp: hidden(parent, base, number())}
	if err := disk.MkdirAll(w.temp, dirMode); err != nil {
		return nil, err
	}
	w.lock, _ = disk.LockDir(w.temp) // where there are no locks nobody gets one, and removes it
	return w, nil
}

// removeLeft removes hidden folders that nobody holds a lock of. What cannot be removed is left.
func removeLeft(parent, base string) {
	like := hidden("", base, "00000000")
	begin := len(like) - len("00000000.tmp")
	entries, _ := disk.ReadDir(cmp.Or(parent, "."))
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || len(name) != len(like) || name[:begin] != like[:begin] || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		if lock, err := disk.LockDir(parent + name); err == nil && lock != nil {
			_ = errors.Join(disk.RemoveAll(parent+name), lock.Close())
		}
	}
}

// hidden is a name beside that of a folder. Names of files have at most 255 bytes.
func hidden(parent, base, number string) string {
	return fmt.Sprintf("%s.%.200s.%s.tmp", parent, strings.ToValidUTF8(base, ""), number)
}

func number() string { return fmt.Sprintf("%08x", rand.Uint32()) }

// Path returns where a file is until Commit or Discard. Its name is a path with slashes.
func (w *Writer) Path(name string) string {
	return filepath.Join(w.temp, filepath.FromSlash(name))
}

// Create makes a file. What is written to one whose name ends in .gz is compressed.
func (w *Writer) Create(name string) (*FileWriter, error) {
	path := w.Path(name)
	if err := disk.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	file, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, err
	}
	f := &FileWriter{of: w, name: name, file: file, sum: sha256.New()}
	if f.Writer = io.MultiWriter(file, f.sum); compressed(name) {
		f.gzip = gzip.NewWriter(f.Writer)
		f.Writer = f.gzip
	}
	return f, nil
}

// Put makes a file with this content.
func (w *Writer) Put(name string, content []byte) error {
	f, err := w.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// Remove removes a file, if it was made.
func (w *Writer) Remove(name string) error {
	n := len(w.files)
	if w.files = slices.DeleteFunc(w.files, func(f File) bool { return f.Name == name }); len(w.files) == n {
		return nil
	}
	return disk.Remove(w.Path(name))
}

// compressedEnd is the end of the names of compressed files.
const compressedEnd = ".gz"

func compressed(name string) bool { return strings.HasSuffix(name, compressedEnd) }

// FileWriter writes a file of a folder.
type FileWriter struct {
	io.Writer
	gzip *gzip.Writer // nil unless it is compressed
	of   *Writer
	name string
	file *disk.File
	sum  hash.Hash
}

// Close ends the file, and has it in the manifest.
func (f *FileWriter) Close() (err error) {
	if f.gzip != nil {
		err = f.gzip.Close()
	}
	info, unknown := f.file.Stat()
	if err = errors.Join(err, unknown, f.file.Sync(), f.file.Close()); err == nil {
		f.of.files = append(f.of.files, File{f.name, info.Size(), hex.EncodeToString(f.sum.Sum(nil))})
	}
	return err
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
	w.unlock()
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
	parent, base := filepath.Split(w.dir)
	old := hidden(parent, base, number())
	if err := disk.Rename(w.dir, old); err != nil {
		return err
	}
	if err := disk.Rename(w.temp, w.dir); err != nil {
		return errors.Join(err, disk.Rename(old, w.dir))
	}
	return disk.RemoveAll(old)
}

// Discard removes what has been written.
func (w *Writer) Discard() error {
	defer w.unlock()
	return disk.RemoveAll(w.temp)
}

func (w *Writer) unlock() {
	if w.lock != nil {
		_ = w.lock.Close()
	}
	w.lock = nil
}

// isSumFile reports whether a file has the sum of a manifest, byte for byte.
func isSumFile(file, manifest []byte) bool { return bytes.Equal(file, sumFile(hexSum(manifest))) }
