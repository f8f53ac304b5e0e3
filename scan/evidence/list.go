package evidence

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// The lists of lines of a crawler, in its folder.
const (
	Violations = "violations"
	Fetches    = "fetches"
)

// The ends of the names of the two files of a list.
const (
	linesEnd = ".log.gz"
	rowsEnd  = ".ndjson.gz"
)

// MaxLine is how much of a line a list has, in bytes: as much as audit.Judged. Of a line that is as
// long, the rest may be missing.
const MaxLine = 32 << 10

// maxRow bounds a row, in bytes: of a line it has the target, which may be written in escapes.
const maxRow = 1 << 20

// ListWriter writes a list of lines: two files, one of raw lines, one of rows.
type ListWriter struct{ lines, rows *compressed }

// compressed is a compressed file.
type compressed struct {
	*gzip.Writer
	file *FileWriter
}

// List begins a list in a folder of a crawler. Its lines are those of one input after the other, in
// the order of their numbers.
func (w *Writer) List(folder, list string) (*ListWriter, error) {
	lines, err := w.compressed(folder + "/" + list + linesEnd)
	if err != nil {
		return nil, err
	}
	rows, err := w.compressed(folder + "/" + list + rowsEnd)
	return &ListWriter{lines: lines, rows: rows}, errors.Join(err, closeIf(err, lines))
}

func closeIf(err error, c io.Closer) error {
	if err == nil {
		return nil
	}
	return c.Close()
}

func (w *Writer) compressed(name string) (*compressed, error) {
	f, err := w.Create(name)
	if err != nil {
		return nil, err
	}
	return &compressed{gzip.NewWriter(f), f}, nil
}

func (c *compressed) Close() error { return errors.Join(c.Writer.Close(), c.file.Close()) }

func (c *compressed) writeLine(line []byte) error {
	if _, err := c.Write(line); err != nil {
		return err
	}
	_, err := c.Write([]byte("\n"))
	return err
}

// Add adds a line and its row, both without a newline.
func (l *ListWriter) Add(line, row []byte) error {
	return errors.Join(l.lines.writeLine(line), l.rows.writeLine(row))
}

// Close ends the list.
func (l *ListWriter) Close() error { return errors.Join(l.lines.Close(), l.rows.Close()) }

// CopyList copies a list that has been closed to another folder.
func (w *Writer) CopyList(from, to, list string) error {
	for _, end := range []string{linesEnd, rowsEnd} {
		if err := w.copyFile(from+"/"+list+end, to+"/"+list+end); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) copyFile(from, to string) error {
	source, err := disk.Open(w.path(from))
	if err != nil {
		return err
	}
	defer source.Close()
	f, err := w.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Close())
}

// Row is what a list says of a line. Its fields are the columns of the rows of audit --list, but
// for InputIndex and RuleOrigin, and without those that have no meaning for violations and
// fetches. Its texts have the bytes of the log.
type Row struct {
	// Time is in UTC, empty if the line has none.
	Time     string `json:"time"`
	Origin   string `json:"origin"`
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"`
	Role     string `json:"role"`
	Identity string `json:"identity"`
	Address  string `json:"address"`
	Method   string `json:"method"`
	Target   string `json:"target"`
	Status   int    `json:"status"`
	Bytes    int64  `json:"bytes"` // of the answer; below 0 if they are not known
	Outcome  string `json:"outcome"`
	Verdict  string `json:"verdict"`
	// Rule is the text of the rule that was broken, on RuleLine of RuleFile, which was in force since
	// RuleVersion (empty: before all time) for RuleOrigin. In lists of fetches these are empty.
	RuleOrigin  string `json:"rule_origin"`
	RuleLine    int    `json:"rule_line"`
	Rule        string `json:"rule"`
	RuleVersion string `json:"rule_version"`
	RuleFile    string `json:"rule_file"`
	// Informed: the crawler had fetched rules that forbid the request.
	Informed bool `json:"informed"`
	// Input is the name of the log, InputIndex its place in Manifest.Inputs, from 0 on, and Line the
	// number of the line in it, from 1 on.
	Input      string `json:"input"`
	InputIndex int    `json:"input_index"`
	Line       int64  `json:"line"`
}

// Marshal returns the row as a line of a list, without a newline.
func (r *Row) Marshal() ([]byte, error) { return json.Marshal(audit.Texts(*r, audit.ToUTF8)) }

// ReadRow returns the row of a line of a list.
func ReadRow(data []byte) (r Row, err error) {
	if err = json.Unmarshal(data, &r); err == nil && (r.InputIndex < 0 || r.Line < 1) {
		err = errors.New("no place in an input")
	}
	return audit.Texts(r, audit.FromUTF8), err
}

// ListReader reads a list. It belongs to one goroutine.
type ListReader struct {
	name        string
	lines, rows *bufio.Reader
	close       []io.Closer
	n           int64
	// Text is the row that Next returned last, as it is in the file, until the call after it.
	Text []byte
}

// List opens a list of a crawler's folder.
func (f *Folder) List(folder, list string) (*ListReader, error) {
	l := &ListReader{name: folder + "/" + list}
	for _, end := range []string{linesEnd, rowsEnd} {
		file, err := f.Open(l.name + end)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.close = append(l.close, file)
		text, err := gzip.NewReader(file)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s%s: %w", l.name, end, err), l.Close())
		}
		l.lines, l.rows = l.rows, bufio.NewReaderSize(text, MaxLine+1)
	}
	return l, nil
}

// Next returns the next line, which is valid until the call after it, and its row. The error is io.EOF behind the last.
func (l *ListReader) Next() (line []byte, row Row, err error) {
	line, lineErr := textLine(l.lines, MaxLine)
	text, rowErr := textLine(l.rows, maxRow)
	if errors.Is(lineErr, io.EOF) && errors.Is(rowErr, io.EOF) {
		return nil, row, io.EOF
	}
	l.n++
	l.Text = text
	if err = errors.Join(lineErr, rowErr); err == nil {
		row, err = ReadRow(text)
	}
	if err != nil {
		err = fmt.Errorf("%s: entry %d: %w", l.name, l.n, err)
	}
	return line, row, err
}

// errLong is the error of a line that no list has.
var errLong = errors.New("a line is too long")

// textLine reads a line of at most so many bytes, and returns it without its newline.
func textLine(r *bufio.Reader, most int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if err == io.EOF && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return line[:max(len(line)-1, 0)], err
	}
	long := append([]byte(nil), line...)
	for errors.Is(err, bufio.ErrBufferFull) && len(long) <= most {
		line, err = r.ReadSlice('\n')
		long = append(long, line...)
	}
	if err == nil && len(long) <= most+1 {
		return long[:len(long)-1], nil
	}
	if err == nil || errors.Is(err, bufio.ErrBufferFull) {
		err = errLong
	}
	return nil, err
}

// Close closes the files of the list.
func (l *ListReader) Close() (err error) {
	for _, c := range l.close {
		err = errors.Join(err, c.Close())
	}
	return err
}
