package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// The lists of lines of a crawler, in its folder.
const (
	Violations = "violations"
	Fetches    = "fetches"
)

// The ends of the names of the two files of a list.
const (
	linesEnd = ".log" + compressedEnd
	rowsEnd  = ".ndjson" + compressedEnd
)

// WriteLine writes a line with a newline.
func (f *FileWriter) WriteLine(line []byte) error {
	if _, err := f.Write(line); err != nil {
		return err
	}
	_, err := f.Write([]byte("\n"))
	return err
}

// List is a list of lines of a crawler: two files, one of raw lines and one of rows, which are made
// with its first line. Its lines are those of one input after the other, in the order of their
// numbers.
type List struct {
	Name        string // Violations or Fetches, in the folder of a crawler
	N           int64  // lines
	lines, rows *FileWriter
}

// Add adds a line and its row, both without a newline.
func (l *List) Add(w *Writer, line, row []byte) (err error) {
	if l.lines == nil {
		if l.lines, err = w.Create(l.Name + linesEnd); err != nil {
			return err
		}
		if l.rows, err = w.Create(l.Name + rowsEnd); err != nil {
			return errors.Join(err, l.lines.Close())
		}
	}
	l.N++
	return errors.Join(l.lines.WriteLine(line), l.rows.WriteLine(row))
}

// Close ends the list, if it has begun.
func (l *List) Close() error {
	lines, rows := l.lines, l.rows
	if l.lines, l.rows = nil, nil; lines == nil {
		return nil
	}
	return errors.Join(lines.Close(), rows.Close())
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
	// Informed: the crawler had fetched rules that forbid the request; nil if the log does not say so,
	// nor that it had not.
	Informed *bool `json:"informed"`
	// Input is the name of the log, InputIndex its place in Manifest.Inputs, from 0 on, and Line the
	// number of the line in it, from 1 on.
	Input      string `json:"input"`
	InputIndex int    `json:"input_index"`
	Line       int64  `json:"line"`
}

// Marshal returns the row as a line of a list, without a newline.
func (r *Row) Marshal() ([]byte, error) { return json.Marshal(report.Texts(*r, report.ToUTF8)) }

// maxWord bounds the readable part of the name of a crawler's folder, in bytes.
const maxWord = 40

// FolderName returns the name of the folder of the nth crawler, such as 0001-gptbot. The number
// makes it unique, also where upper and lower case are the same, and keeps it from being a name
// with a meaning of its own, such as CON or one that begins with a dot; only letters, digits
// and single hyphens of the crawler's name are in it.
func FolderName(n int, crawler string) string {
	word := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, crawler[:min(len(crawler), maxWord)])
	word = strings.Join(strings.FieldsFunc(word, func(c rune) bool { return c == '-' }), "-")
	if word == "" {
		word = "crawler"
	}
	return fmt.Sprintf("%04d-%s", n, word)
}
