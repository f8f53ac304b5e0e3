// Package cases reads the cases of tests from files of testdata, where documents stand as they are and not as literals.
package cases

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Rows returns the lines of a file, cut at tabs. What could not stand between tabs has quotes and escapes, as in Go. A
// line without a tab is a comment.
func Rows(tb testing.TB, name string) (rows [][]string) {
	tb.Helper()
	for line := range strings.Lines(read(tb, name)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, column := range columns {
			if text, err := strconv.Unquote(column); err == nil {
				columns[i] = text
			}
		}
		if len(columns) > 1 {
			rows = append(rows, columns)
		}
	}
	return rows
}

// Text is a case of several texts, each of whole lines.
type Text struct {
	Name  string
	Parts []string
}

// Texts returns the cases of a file. Each begins with a line "-- name --" and has lines "=>" between its texts. A line that
// begins with "#:" is a comment.
func Texts(tb testing.TB, name string) (list []Text) {
	tb.Helper()
	for line := range strings.Lines(read(tb, name)) {
		title, isTitle := strings.CutPrefix(line, "-- ")
		switch last := len(list) - 1; {
		case strings.HasPrefix(line, "#:"):
		case isTitle:
			list = append(list, Text{strings.TrimSuffix(title, " --\n"), []string{""}})
		case line == "=>\n":
			list[last].Parts = append(list[last].Parts, "")
		default:
			list[last].Parts[len(list[last].Parts)-1] += line
		}
	}
	return list
}

func read(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
