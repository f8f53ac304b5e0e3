package policy

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// ReadManifest reads a source from a CSV file with the columns
//
//	from,origin,status,file
//
// and optionally max_age, location, digest, history and source, in any order. from is an RFC 3339 time, a
// date (meaning midnight UTC) or a month (Row.Month). origin is an origin, or a bare host, which means
// both http and https. status is the HTTP status, or "unreachable". file is the path of the body, relative
// to the manifest's folder. max_age is in seconds. digest identifies a body that is not available, such as
// sha1: and the SHA-1 in base32, and replaces file. history is Deployed or Observed. source is free text.
// Status 200 needs a file or a digest; other 2xx statuses may have one. Files are truncated as by
// ReadBody. Errors include the file and the line. The limits are 1 MiB per row, 1 GiB for the manifest,
// and 1 GiB for all distinct files together. If rows or files need more than memory bytes, the error is
// disk.ErrMemory.
//
// The returned history is the one that all rows have, Mixed if they differ, or "" if no row has one.
func ReadManifest(path string, maxBytes int, memory int64) (rows []Row, history string, err error) {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return nil, "", err
	}
	return readManifest(f, path, newBodyFiles(disk.OpenRegular, maxBytes, memory), func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(filepath.Dir(path), name)
	})
}

// ReadFolder reads a source from a folder, either from its manifest, whose path it returns, or, if there is none,
// like readDirectory, with the history Observed. It never reads outside the folder, even if a name or a link leads
// there.
func ReadFolder(dir string, maxBytes int, memory int64) (rows []Row, manifest, history string, err error) {
	manifest = filepath.Join(dir, ManifestName)
	if _, none := disk.Lstat(manifest); none != nil {
		rows, err = readDirectory(dir, maxBytes, memory)
		return rows, "", Observed, err
	}
	root, err := disk.OpenRoot(dir)
	if err != nil {
		return nil, "", "", err
	}
	defer root.Close()
	files := newBodyFiles(root.OpenRegular, maxBytes, memory)
	f, err := root.OpenRegular(ManifestName)
	if err != nil {
		return nil, "", "", err
	}
	rows, history, err = readManifest(f, manifest, files, func(name string) string { return name })
	return rows, manifest, history, err
}

// readManifest reads a manifest and closes it. pathOf maps the name of a file to its path.
func readManifest(f *disk.File, path string, files *bodyFiles, pathOf func(string) string) (rows []Row,
	history string, err error) {
	defer f.Close()
	return parseManifest(disk.Limited(disk.Text(f), maxManifest), path, files.memory, func(name string) (file, error) {
		return files.read(pathOf(name))
	})
}

// The limits of a source, in bytes. A million versions of robots.txt need a tenth of a manifest,
// and most of them share a body with others.
const (
	// VersionBytes is the approximate memory use of a version, excluding its body.
	VersionBytes = 4 << 10

	maxManifest = 1 << 30
	maxRow      = 1 << 20 // per row of a manifest
	maxBodies   = 1 << 30 // of all distinct files together
)

// bodyFiles are the files that a source names. Files with the same content share it.
type bodyFiles struct {
	open     func(name string) (*disk.File, error)
	maxBytes int
	memory   int64
	byName   map[string]file
	bySum    map[string]file
	size     int64 // their total size
}

func newBodyFiles(open func(string) (*disk.File, error), maxBytes int, memory int64) *bodyFiles {
	return &bodyFiles{open, maxBytes, memory, map[string]file{}, map[string]file{}, 0}
}

func (f *bodyFiles) read(name string) (file, error) {
	if known, ok := f.byName[name]; ok {
		return known, nil
	}
	read, err := f.readFile(name)
	if err != nil {
		return read, err
	}
	if same, ok := f.bySum[read.sum]; ok && read.sum != "" {
		read = same
	} else if f.size += int64(len(read.body) + len(read.past)); f.size > maxBodies {
		return read, fmt.Errorf("%s: with the files before it %w", name, disk.LimitError(maxBodies))
	}
	if f.size > f.memory {
		return read, fmt.Errorf("%s: with the files before it %w", name, disk.ErrMemory)
	}
	f.byName[name], f.bySum[read.sum] = read, read
	return read, nil
}

// file holds the result of ReadBody for a file, its size and, if it was read to its end, its SHA-256.
type file struct {
	body, past []byte
	size       int64
	sum        string
}

// readFile reads a file. It rejects compressed files, because read as they are they would permit everything.
func (f *bodyFiles) readFile(path string) (file, error) {
	in, err := f.open(path)
	if err != nil {
		return file{}, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return file{}, err
	}
	hash := sha256.New()
	body, past, read, err := ReadBody(io.TeeReader(disk.Text(in), hash), f.maxBytes, f.memory-f.size)
	if of := (*fs.PathError)(nil); err != nil && !errors.As(err, &of) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	content := file{body: body, past: past, size: info.Size()}
	if read >= 0 {
		content.sum = hex.EncodeToString(hash.Sum(nil))
	}
	return content, err
}

// OnlyMonth is the layout of a time of which only the month is known.
const OnlyMonth = "2006-01"

// The meanings of rows' times.
const (
	Deployed = "deployed" // the answer was given from then on
	Observed = "observed" // the answer was seen then
	Mixed    = "mixed"    // some are deployed, some observed
)

// ManifestName is the name of a folder's manifest.
const ManifestName = "manifest.csv"

// The columns of a manifest: the required ones, then the optional ones.
var (
	neededColumns  = []string{"from", "origin", "status", "file"}
	allowedColumns = append(neededColumns, "max_age", "location", "digest", "history", "source")
)

// parseManifest reads a manifest with the given name, and the files that it names with open.
func parseManifest(r io.Reader, name string, memory int64, open func(string) (file, error)) (rows []Row,
	history string, err error) {
	const mark = "\ufeff" // some editors put it before a text
	limited := &io.LimitedReader{R: r, N: maxRow}
	text := bufio.NewReader(limited)
	start, err := text.Peek(len(mark))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if string(start) == mark {
		_, _ = text.Discard(len(mark)) // it is in the buffer
	}
	in := csv.NewReader(text)
	in.ReuseRecord = true
	var columns []string
	for {
		limited.N = maxRow + int64(text.Size()) // including read-ahead
		fields, err := in.Read()
		if limited.N == 0 {
			return nil, "", fmt.Errorf("%s: a row is %w", name, disk.LimitError(maxRow))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, "", fmt.Errorf("%s:%d: %w", name, syntax.Line, syntax.Err)
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		where := fmt.Sprintf("%s:%d", name, line)
		if columns == nil {
			columns = slices.Clone(fields)
			err = checkColumns(columns)
		} else {
			row := Row{Where: where}
			var of string
			of, err = row.parse(columns, fields, open)
			history = cmp.Or(history, of)
			if history != of && of != "" {
				history = Mixed
			}
			rows = append(rows, row)
			if int64(len(rows))*VersionBytes > memory {
				err = fmt.Errorf("the manifest %w", disk.ErrMemory)
			}
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", where, err)
		}
	}
	if len(rows) == 0 {
		return nil, "", fmt.Errorf("%s: no rows", name)
	}
	return rows, history, nil
}

func checkColumns(columns []string) error {
	isNeeded := func(c string) bool { return slices.Contains(neededColumns, c) }
	for i, c := range columns {
		switch {
		case slices.Contains(allowedColumns, c):
		case !slices.ContainsFunc(columns, isNeeded): // a file of another kind, or with semicolons
			return fmt.Errorf("unknown column %q: the first line of a manifest names its columns, with commas between: %s",
				c, strings.Join(neededColumns, ","))
		default:
			return fmt.Errorf("unknown column %q", c)
		}
		if slices.Contains(columns[:i], c) {
			return fmt.Errorf("column %q is there twice", c)
		}
	}
	for _, c := range neededColumns {
		if !slices.Contains(columns, c) {
			return fmt.Errorf("no column %q", c)
		}
	}
	return nil
}

// commit matches the source that history git writes to a row.
var commit = lazy.Regexp(`^[0-9a-f]{12}:`)

// parse parses the fields of a row, one per column, and reads its file. It returns the history.
func (r *Row) parse(columns, fields []string, open func(string) (file, error)) (history string, err error) {
	for i, value := range fields {
		if columns[i] != "file" {
			value = uncell(value)
		}
		switch columns[i] {
		case "from":
			r.Month = len(value) == len(OnlyMonth)
			r.From, err = parseTime(value, time.RFC3339, time.DateOnly, OnlyMonth)
			if value == "" {
				err = errNoFrom
			}
		case "origin":
			if r.Origins, err = origin.Parse(value); err != nil {
				err = fmt.Errorf("bad origin %w", err)
			}
		case "status":
			r.Status, err = parseStatus(value)
		case "file":
			r.File = value
		case "max_age":
			r.MaxAge, err = parseMaxAge(value)
		case "location":
			r.Location = value
		case "digest":
			r.Digest = value
		case "source":
			r.Committed = commit().MatchString(value)
		case "history":
			history = value
			if value != "" && value != Deployed && value != Observed {
				err = fmt.Errorf("the history %q is neither %s nor %s", value, Deployed, Observed)
			}
		}
		if err != nil {
			return history, err
		}
	}
	text := "file"
	if r.File == "" && r.Digest != "" {
		text = "digest"
	}
	switch {
	case r.File == "" && r.Digest == "" && r.Status == 200:
		return history, errors.New("status 200 without a file")
	case r.File == "" && r.Digest == "":
		return history, nil
	case r.Status == Unreachable:
		return history, fmt.Errorf("a %s for status %s", text, unreachable)
	case r.Status/100 != 2:
		return history, fmt.Errorf("a %s for status %d", text, r.Status)
	case r.File == "":
		r.Size = -1
		return history, nil
	}
	r.Digest = "" // the body is known
	f, err := open(r.File)
	r.Body, r.Past, r.Size, r.Sum = f.body, f.past, f.size, f.sum
	return history, err
}

// Cell returns a text as a cell of a manifest that no spreadsheet takes for a formula and no terminal interprets. A
// text that could be is quoted as in Go, and reading the manifest returns the original.
func Cell(text string) string {
	hidden := func(c rune) bool { return c == utf8.RuneError || !strconv.IsPrint(c) }
	const formulas = `=+-@"＝＋－＠`
	if c, _ := utf8.DecodeRuneInString(text); text != "" && (strings.ContainsRune(formulas, c) ||
		strings.ContainsFunc(text, hidden)) {
		return strconv.Quote(text)
	}
	return text
}

func uncell(cell string) string {
	if text, err := strconv.Unquote(cell); err == nil && cell[0] == '"' {
		return text
	}
	return cell
}

// errNoFrom is the error for a row without a time.
var errNoFrom = errors.New(`no time in the column "from": give the time since when the answer was in force; of an ` +
	"origin's first answer, if that is not known, any time before the next one, with option AssumeConstant, by which it " +
	"is in force before all time")

const unreachable = "unreachable"

func parseStatus(s string) (int, error) {
	if s == unreachable {
		return Unreachable, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 100 || n > 999 || len(s) != len("200") {
		return 0, fmt.Errorf("unknown status %q", s)
	}
	return n, nil
}

// parseMaxAge parses a number of seconds, 0 if s is empty. It caps values at the maximum Duration.
func parseMaxAge(s string) (time.Duration, error) {
	const most = math.MaxInt64 / uint64(time.Second)
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("bad max_age %q", s)
	}
	if n > most {
		return math.MaxInt64, nil
	}
	return time.Duration(n) * time.Second, nil
}
