package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Folder is a folder of evidence that has been opened.
type Folder struct {
	Manifest *Manifest
	// Sum is the SHA-256 of the manifest, in hexadecimal.
	Sum      string
	dir      string
	found    map[string]bool // the regular files, by their paths with slashes
	manifest []byte
}

// Open opens a folder and compares all of its files with the manifest. What differs is told in
// failed, in sentences. If the manifest is not the one that was written, or cannot be read, the
// Folder is nil. The error is that of the file system, or of ctx if that ends before. Only regular
// files in the folder itself are opened.
func Open(ctx context.Context, dir string) (f *Folder, failed []string, err error) {
	f = &Folder{dir: dir, found: map[string]bool{}}
	if failed, err = f.find(""); err != nil {
		return nil, nil, err
	}
	if !f.found[manifestName] || !f.found[sumName] {
		return nil, []string{fmt.Sprintf("%s has no %s and %s: it is no folder of evidence", dir, manifestName, sumName)}, nil
	}
	manifest, err := disk.ReadLimited(f.path(manifestName), maxManifest)
	if err != nil {
		return nil, failed, err
	}
	sum, err := disk.ReadLimited(f.path(sumName), maxManifest)
	if err != nil {
		return nil, failed, err
	}
	if !isSumFile(sum, manifest) {
		return nil, append(failed, fmt.Sprintf("%s does not have the SHA-256 that %s states", manifestName, sumName)), nil
	}
	if f.Manifest, err = readManifest(manifest); errors.Is(err, ErrForm) {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	} else if err != nil {
		return nil, append(failed, fmt.Sprintf("%s: %v", manifestName, err)), nil
	}
	f.Sum, f.manifest = hexSum(manifest), manifest
	more, err := f.compare(ctx)
	return f, append(failed, more...), err
}

// maxDepth bounds how deep folders are in one another.
const maxDepth = 3

// find finds the files of a folder in the folder.
func (f *Folder) find(under string) (failed []string, err error) {
	entries, err := disk.ReadDir(f.path(under))
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 && under != "" {
		return []string{under + " is an empty folder"}, nil
	}
	for _, e := range entries {
		name := path.Join(under, e.Name())
		switch {
		case e.Type().IsRegular():
			f.found[name] = true
		case e.IsDir() && strings.Count(name, "/") < maxDepth:
			more, err := f.find(name)
			if err != nil {
				return nil, err
			}
			failed = append(failed, more...)
		default:
			failed = append(failed, name+" is neither a file nor a folder")
		}
	}
	return failed, nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// compare compares the files with the manifest.
func (f *Folder) compare(ctx context.Context) (failed []string, err error) {
	listed := map[string]bool{manifestName: true, sumName: true}
	for _, file := range f.Manifest.Files {
		listed[file.Name] = true
		if !f.found[file.Name] {
			failed = append(failed, file.Name+" is missing")
			continue
		}
		if err := ctx.Err(); err != nil {
			return failed, err
		}
		sum, n, err := f.sum(file.Name)
		if err != nil {
			return failed, err
		}
		if sum != file.SHA256 || n != file.Bytes {
			failed = append(failed, file.Name+" does not have the size and the SHA-256 that the manifest states")
		}
	}
	for name := range f.found {
		if !listed[name] {
			failed = append(failed, name+" is not in the manifest")
		}
	}
	slices.Sort(failed)
	return failed, nil
}

func (f *Folder) sum(name string) (text string, n int64, err error) {
	file, err := disk.Open(f.path(name))
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	sum := sha256.New()
	n, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), n, err
}

// Path returns where a file that the manifest names is, empty if it is not in the folder.
func (f *Folder) Path(name string) string {
	if !f.found[name] {
		return ""
	}
	return f.path(name)
}

// Open opens a file that the manifest names.
func (f *Folder) Open(name string) (*disk.File, error) {
	if !f.found[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return disk.Open(f.path(name))
}
