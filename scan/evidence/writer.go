package evidence

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// The modes of folders and files. They have addresses and lines of a log.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// CheckFolder reports whether a folder of evidence may be made under a name, as disk.CheckFolder
// does.
func CheckFolder(dir string, force bool) error {
	return disk.CheckFolder(dir, "evidence", force, func(entries []fs.DirEntry) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == sumName })
	})
}

// Writer makes a folder. Its files are written one after the other or at once, but by one
// goroutine. Commit or Discard ends it.
type Writer struct {
	*disk.Folder
	files []File
}

// Begin begins a folder, as disk.NewFolder does.
func Begin(dir string) (*Writer, error) {
	f, err := disk.NewFolder(dir, dirMode)
	return &Writer{Folder: f}, err
}

// Create makes a file. What is written to one whose name ends in .gz is compressed.
func (w *Writer) Create(name string) (*FileWriter, error) {
	file, err := w.Folder.Create(name, fileMode)
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
	if err != nil {
		return "", errors.Join(err, w.Discard())
	}
	return sum, w.Folder.Commit()
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sumFile is the file with the sum of the manifest.
func sumFile(sum string) []byte { return []byte(sum + "  " + manifestName + "\n") }

// isSumFile reports whether a file has the sum of a manifest, byte for byte.
func isSumFile(file, manifest []byte) bool { return bytes.Equal(file, sumFile(hexSum(manifest))) }
