// Package evidence has the form of a folder of evidence, which docs/evidence.md describes: the log
// lines of crawlers that broke robots.txt, what they are judged by, and the report and letters that
// follow. It knows neither logs nor how requests are judged: package job does.
package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The names of files of a folder. Basis names its other files: see package basis.
const (
	Sums        = "SHA256SUMS" // the manifest, as sha256sum writes it
	DetailsFile = "evidence.json"
	Basis       = "basis.json"
	ReportFile  = "report.json"
)

// Schema is the form of a folder.
const Schema = "robotsieve.evidence/4"

// maxDocument bounds the manifest and the details, in bytes.
const maxDocument = 64 << 20

// Details is what is needed to audit the lines of a folder again, beside its basis, and what the
// folder can only state of the audit of the logs, the SHA-256 of these among it. NotShown counts the
// violations that the lines do not show without the rest of the logs. LookedUp are the clients whose
// names were looked up and found to be their crawlers' own.
type Details struct {
	Schema   string             `json:"schema"`
	Program  string             `json:"program"`
	Command  string             `json:"command"`
	MadeBy   string             `json:"made_by"`
	Partial  bool               `json:"partial"`
	Proxied  bool               `json:"proxied"`
	NotShown int64              `json:"not_shown"`
	TimeZone string             `json:"time_zone"`
	Lines    []Lines            `json:"lines"`
	LookedUp []Client           `json:"looked_up"`
	Logs     []report.InputInfo `json:"logs"`
}

// Lines is a file of log lines. Origins are where its requests went if the lines do not say it; Only:
// lines that name other hosts are not judged.
type Lines struct {
	File    string   `json:"file"`
	Format  string   `json:"format"`
	Origins []string `json:"origins"`
	Only    bool     `json:"only"`
}

// Client is a client of a crawler.
type Client struct {
	Crawler string `json:"crawler"`
	Address string `json:"address"`
}

// Stems are the parts of file names that stand for crawlers, and have been given out.
type Stems map[string]bool

// Of returns the stem of one more crawler, which no other has. It has only lower-case letters, digits
// and hyphens, because anybody can choose the name of a crawler.
func (s Stems) Of(crawler string) string {
	const most = 40
	words := strings.FieldsFunc(strings.ToLower(crawler[:min(len(crawler), most)]), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	word := strings.Join(words, "-")
	stem := word
	for n := 2; s[stem] || stem == ""; n++ {
		stem = fmt.Sprintf("%s-%d", word, n)
	}
	s[stem] = true
	return stem
}

// CheckFolder reports whether a folder of evidence may be made under a name, as disk.CheckFolder
// does.
func CheckFolder(dir string, force bool) error {
	return disk.CheckFolder(dir, "evidence", force, func(entries []fs.DirEntry) bool {
		has := func(name string) bool {
			return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
		}
		return has(Sums) && has(DetailsFile)
	})
}

// Writer makes a folder, which only its owner may read.
type Writer struct{ *disk.Folder }

// Begin begins a folder, as disk.NewFolder does.
func Begin(dir string) (*Writer, error) {
	f, err := disk.NewFolder(dir, 0o700)
	return &Writer{f}, err
}

// Create makes a file.
func (w *Writer) Create(name string) (*disk.File, error) { return w.Folder.Create(name, 0o600) }

// Put makes a file with this content.
func (w *Writer) Put(name string, content []byte) error {
	file, err := w.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Commit adds the manifest and gives the folder its name. It returns the SHA-256 of the manifest.
func (w *Writer) Commit(ctx context.Context) (sum string, err error) {
	f := &Folder{dir: w.Path(""), sums: map[string]string{}}
	if _, err := f.hash(ctx, ""); err != nil {
		return "", err
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(f.sums)) {
		text += f.sums[name] + "  " + name + "\n"
	}
	if err := w.Put(Sums, []byte(text)); err != nil {
		return "", err
	}
	return hexSum(text), w.Folder.Commit()
}

func hexSum[T string | []byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// Folder is a folder whose files are those of its manifest.
type Folder struct {
	Details Details
	Sum     string // SHA-256 of the manifest
	dir     string
	sums    map[string]string // SHA-256 of the files, in hexadecimal
	used    map[string]bool
}

// Open opens a folder and compares its files with the manifest. What differs is told in failed: then
// the Folder is not to be used. Only regular files in the folder are opened.
func Open(ctx context.Context, dir string) (f *Folder, failed []string, err error) {
	f = &Folder{dir: dir, sums: map[string]string{}, used: map[string]bool{DetailsFile: true}}
	if failed, err = f.hash(ctx, ""); err != nil {
		return nil, nil, err
	}
	if f.sums[Sums] == "" || f.sums[DetailsFile] == "" {
		return nil, []string{fmt.Sprintf("%s has no %s and %s: it is no folder of evidence", dir, Sums, DetailsFile)}, nil
	}
	text, err := disk.ReadLimited(filepath.Join(dir, Sums), maxDocument)
	if err != nil {
		return nil, nil, err
	}
	delete(f.sums, Sums)
	if failed = append(failed, f.compare(string(text))...); len(failed) > 0 {
		return nil, failed, nil
	}
	f.Sum = hexSum(text)
	if text, err = disk.ReadLimited(filepath.Join(dir, DetailsFile), maxDocument); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(text, &f.Details); err != nil {
		return nil, []string{fmt.Sprintf("%s: %v", DetailsFile, err)}, nil
	}
	if f.Details = report.Texts(f.Details, report.FromUTF8); f.Details.Schema != Schema {
		return nil, nil, fmt.Errorf("%s: the folder is of another version of this program: its form is %q, and this program "+
			"reads %s only", dir, f.Details.Schema, Schema)
	}
	return f, nil, nil
}

// hash hashes the files of a folder in the folder.
func (f *Folder) hash(ctx context.Context, under string) (failed []string, err error) {
	entries, err := disk.ReadDir(filepath.Join(f.dir, under))
	if err == nil && len(entries) == 0 && under != "" {
		return []string{under + " is an empty folder"}, nil
	}
	for _, e := range entries {
		name := path.Join(under, e.Name())
		var more []string
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case e.Type().IsRegular():
			f.sums[name], err = sumOf(filepath.Join(f.dir, name))
		case e.IsDir() && under == "":
			more, err = f.hash(ctx, name)
		default:
			more = []string{name + " is neither a file nor a folder of evidence"}
		}
		if failed = append(failed, more...); err != nil {
			return nil, err
		}
	}
	return failed, err
}

func sumOf(path string) (string, error) {
	file, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// compare compares the files with the text of a manifest.
func (f *Folder) compare(text string) (failed []string) {
	stated := map[string]bool{}
	for line := range strings.Lines(text) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		stated[name] = true
		if is := f.sums[name]; is == "" {
			failed = append(failed, name+" is missing")
		} else if is != sum {
			failed = append(failed, name+" does not have the SHA-256 that "+Sums+" states")
		}
	}
	return append(failed, f.others(stated, "is not in "+Sums)...)
}

// others says something of each file that is not among these.
func (f *Folder) others(names map[string]bool, what string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(f.sums)) {
		if !names[name] {
			list = append(list, name+" "+what)
		}
	}
	return list
}

// Compare compares files that were made again with those of the folder, and finds files that have no
// use in it.
func (f *Folder) Compare(made map[string][]byte) (failed []string) {
	for _, name := range slices.Sorted(maps.Keys(made)) {
		f.used[name] = true
		if f.sums[name] != hexSum(made[name]) {
			failed = append(failed, name+" is not what an audit of the folder's lines gives")
		}
	}
	return append(failed, f.others(f.used, "is one file more than evidence has")...)
}

// Files counts the files of the manifest.
func (f *Folder) Files() int64 { return int64(len(f.sums)) }

// Path returns where a file is that another file of the folder names.
func (f *Folder) Path(name string) (string, error) {
	if f.sums[name] == "" {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f.used[name] = true
	return filepath.Join(f.dir, filepath.FromSlash(name)), nil
}

// Open opens a file that another file of the folder names.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	at, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	return disk.Open(at)
}
