package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
)

// maxLine is the longest line of stdin that eachLine reads.
const maxLine = 16 << 20

// eachLine calls a function for each line of stdin. Errors call the lines by a name.
func eachLine(stdin io.Reader, name string, do func(line string) error) error {
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, maxLine+len("\r\n"))
	n := int64(0)
	for ; lines.Scan() && len(lines.Bytes()) <= maxLine; n++ {
		if err := do(lines.Text()); err != nil {
			return err
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) || len(lines.Bytes()) > maxLine {
		err = fmt.Errorf("line %s is longer than %s", english.Grouped(n+1), english.Plural(maxLine, "byte"))
	}
	if err != nil {
		return inputError(fmt.Errorf("reading %s from stdin: %w", name, err))
	}
	return nil
}

// writing returns the error of a command that could not write something.
func writing(what string, err error) error {
	if err == nil {
		return nil
	}
	return inputError(fmt.Errorf("writing %s: %w", what, err))
}

// jsonList writes a JSON array, one value a line. The writer keeps the first error.
type jsonList struct {
	w     *bufio.Writer
	begun bool
}

func (l *jsonList) add(v any) {
	var b bytes.Buffer
	_ = report.WriteJSON(&b, v, "") // a buffer has no error
	separator := "[\n"
	if l.begun {
		separator = ",\n"
	}
	l.begun = true
	fmt.Fprintf(l.w, "%s%s", separator, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (l *jsonList) end() {
	if l.begun {
		fmt.Fprint(l.w, "\n]\n")
	} else {
		fmt.Fprint(l.w, "[]\n")
	}
}

// writeJSONList writes all values.
func writeJSONList[T any](w *bufio.Writer, values []T) {
	list := jsonList{w: w}
	for _, v := range values {
		list.add(v)
	}
	list.end()
}
