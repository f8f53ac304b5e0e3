package policy

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// ReadManifest reads a source in the form of a CSV file with the columns
//
//	from,origin,status,file
//
// and perhaps max_age and location, in any order. from is a time by RFC 3339,
// or a date, which is its midnight in UTC; origin is
// an origin, or a bare host, which stands for http and https; status is the answer's
// HTTP status, or "unreachable"; file has the body, and is relative to the manifest's
// folder; max_age is in seconds. A status of 200 needs a file, another 2xx may have
// one. Of each file as much is kept as ReadBody returns. Errors name the file and the line.
func ReadManifest(path string, maxBytes int) ([]Row, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	folder := filepath.Dir(path)
	files := map[string]file{}
	return parseManifest(f, path, func(name string) (file, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		if known, ok := files[name]; ok {
			return known, nil
		}
		read, err := readFile(name, maxBytes)
		if err == nil {
			files[name] = read
		}
		return read, err
	})
}

// file is what ReadBody returns of a file, and its size.
type file struct {
	body, past []byte
	size       int64
}

// readFile reads a file. Only regular files are opened, because a pipe might block for
// ever.
func readFile(path string, max int) (file, error) {
	info, err := disk.Stat(path)
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := disk.Open(path)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	body, past, _, err := ReadBody(f, max)
	return file{body, past, info.Size()}, err
}

// The columns of a manifest: all of the first, and any of the others.
var (
	neededColumns  = []string{"from", "origin", "status", "file"}
	allowedColumns = append(neededColumns, "max_age", "location")
)

// parseManifest reads a manifest of the given name, and the files that it names
// by open.
func parseManifest(r io.Reader, name string, open func(string) (file, error)) ([]Row, error) {
	const mark = "\ufeff" // some editors put it before a text
	text := bufio.NewReader(r)
	if start, _ := text.Peek(len(mark)); string(start) == mark {
		_, _ = text.Discard(len(mark)) // it is in the buffer
	}
	in := csv.NewReader(text)
	in.ReuseRecord = true
	var columns []string
	var rows []Row
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%s:%d: %w", name, syntax.Line, syntax.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		where := fmt.Sprintf("%s:%d", name, line)
		if columns == nil {
			columns = slices.Clone(fields)
			err = checkColumns(columns)
		} else {
			row := Row{Where: where}
			err = row.parse(columns, fields, open)
			rows = append(rows, row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	return rows, nil
}

func checkColumns(columns []string) error {
	for i, c := range columns {
		if !slices.Contains(allowedColumns, c) {
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

// parse reads the fields of a row, as many as there are columns, and its file.
func (r *Row) parse(columns, fields []string, open func(string) (file, error)) (err error) {
	for i, value := range fields {
		switch columns[i] {
		case "from":
			r.From, err = parseTime(value, time.RFC3339, time.DateOnly)
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
		}
		if err != nil {
			return err
		}
	}
	switch {
	case r.File == "" && r.Status == 200:
		return errors.New("status 200 without a file")
	case r.File == "":
		return nil
	case r.Status == Unreachable:
		return fmt.Errorf("a file for status %s", unreachable)
	case r.Status/100 != 2:
		return fmt.Errorf("a file for status %d", r.Status)
	}
	f, err := open(r.File)
	r.Body, r.Past, r.Size = f.body, f.past, f.size
	return err
}

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

// parseMaxAge reads a number of seconds, none if s is empty. More than a Duration
// can hold is as much as it can.
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
