package twin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// An Example is one line of an examples file: either a question with its
// verdict, or the input of one named function with its output.
type Example struct {
	Number int    // of the line in its file, from 1
	Source string // the line itself

	Robots, URL []byte
	Agents      [][]byte
	Allowed     bool
	Line        int

	Function      string // "" for a verdict
	Input, Output []byte
}

// ReadExamples reads an examples file. Its notation is
//
//	ROBOTS | AGENT | URL => allow LINE
//	FUNCTION: INPUT => OUTPUT
//
// with "disallow LINE" as the other verdict and several agents separated by
// commas. Lines that are empty or begin with # are skipped. In all fields
// \n \r \t \v \f \\ and \xHH are single bytes, {a*12} is twelve times a (or one
// of those bytes), and <empty> is a field of no bytes. Spaces count.
func ReadExamples(r io.Reader) ([]Example, error) {
	var examples []Example
	scanner := bufio.NewScanner(r)
	for number := 1; scanner.Scan(); number++ {
		text := scanner.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		e, err := parseExample(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		e.Number, e.Source = number, text
		examples = append(examples, e)
	}
	return examples, scanner.Err()
}

func parseExample(text string) (e Example, err error) {
	unquoted := func(field string) []byte {
		b, bad := unquote(field)
		err = errors.Join(err, bad)
		return b
	}
	arrow := strings.LastIndex(text, " => ")
	if arrow < 0 {
		return e, fmt.Errorf("no => in %q", text)
	}
	left, right := text[:arrow], text[arrow+len(" => "):]
	fields := strings.Split(left, " | ")
	function, input, isFunction := strings.Cut(left, ": ")
	switch {
	case len(fields) == 3:
		e.Robots, e.URL = unquoted(fields[0]), unquoted(fields[2])
		for _, agent := range strings.Split(fields[1], ",") {
			e.Agents = append(e.Agents, unquoted(agent))
		}
		word, number, _ := strings.Cut(right, " ")
		line, bad := strconv.Atoi(number)
		if bad != nil || word != "allow" && word != "disallow" {
			return e, fmt.Errorf("not a verdict: %q", right)
		}
		e.Allowed, e.Line = word == "allow", line
	case len(fields) == 1 && isFunction:
		e.Function, e.Input, e.Output = function, unquoted(input), unquoted(right)
	default:
		return e, fmt.Errorf("neither a question nor a function: %q", text)
	}
	return e, err
}

// repetition is the notation {a*12}.
var repetition = regexp.MustCompile(`\{(\\x[0-9a-fA-F]{2}|\\.|[^\\])\*([0-9]+)\}`)

// unquote returns the bytes that a field stands for.
func unquote(field string) ([]byte, error) {
	if field == "<empty>" {
		return []byte{}, nil
	}
	field = repetition.ReplaceAllStringFunc(field, func(found string) string {
		parts := repetition.FindStringSubmatch(found)
		times, _ := strconv.Atoi(parts[2]) // the expression allows digits only
		return strings.Repeat(parts[1], times)
	})
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(field, `"`, `\"`) + `"`)
	return []byte(text), err
}
