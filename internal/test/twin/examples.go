package twin

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An Example is one line of an examples file: either a question with its
// verdict, or the input of one named function with its output.
type Example struct {
	Source string // the line, after its number

	Robots, Agent, URL []byte
	Allowed            bool
	Line               int

	Function      string // "" for a verdict
	Input, Output []byte
}

// ReadExamples reads an examples file. Its notation is
//
//	ROBOTS | AGENT | URL => allow LINE
//	FUNCTION: INPUT => OUTPUT
//
// with "disallow LINE" as the other verdict. Lines that are empty or begin with # are skipped. In
// all fields \n \r \t \v \f \\ and \xHH are single bytes, {a*12} is twelve times a (or one of those
// bytes), and <empty> is a field of no bytes. Spaces count.
func ReadExamples(r io.Reader) (examples []Example, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		question, answer, _ := strings.Cut(text, " => ")
		e := Example{Source: fmt.Sprintf("%d: %s", n, text)}
		function, input, isFunction := strings.Cut(question, ": ")
		if fields := strings.Split(question, " | "); len(fields) == 3 {
			e.Robots, e.Agent, e.URL = unquote(fields[0]), unquote(fields[1]), unquote(fields[2])
			verdict := ""
			_, err = fmt.Sscan(answer, &verdict, &e.Line)
			e.Allowed = verdict == "allow"
		} else if e.Function, e.Input, e.Output = function, unquote(input), unquote(answer); !isFunction {
			err = fmt.Errorf("neither a question nor a function")
		}
		if err != nil {
			return nil, fmt.Errorf("line %s: %w", e.Source, err)
		}
		examples = append(examples, e)
	}
	return examples, lines.Err()
}

// repetition is the notation {a*12}.
var repetition = regexp.MustCompile(`\{(\\x[0-9a-fA-F]{2}|\\.|[^\\])\*([0-9]+)\}`)

// unquote returns the bytes that a field stands for. A malformed field gives no bytes, which fails every example.
func unquote(field string) []byte {
	field = repetition.ReplaceAllStringFunc(strings.ReplaceAll(field, "<empty>", ""), func(found string) string {
		parts := repetition.FindStringSubmatch(found)
		times, _ := strconv.Atoi(parts[2]) // the expression allows only digits
		return strings.Repeat(parts[1], times)
	})
	text, _ := strconv.Unquote(`"` + strings.ReplaceAll(field, `"`, `\"`) + `"`)
	return []byte(text)
}
