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
// \n \r \t \v \f \0 \\ and \xHH are single bytes, {a*12} is twelve times a
// (or one of those bytes), and <empty> is a field of no bytes. Spaces count.
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

func parseExample(text string) (Example, error) {
	arrow := strings.LastIndex(text, " => ")
	if arrow < 0 {
		return Example{}, fmt.Errorf("no => in %q", text)
	}
	left, right := text[:arrow], text[arrow+len(" => "):]
	switch fields := strings.Split(left, " | "); len(fields) {
	case 1:
		function, input, ok := strings.Cut(left, ": ")
		if !ok {
			return Example{}, fmt.Errorf("no function in %q", text)
		}
		return Example{Function: function, Input: unquote(input), Output: unquote(right)}, nil
	case 3:
		return verdictExample(fields, right)
	}
	return Example{}, fmt.Errorf("neither one nor three fields in %q", text)
}

func verdictExample(fields []string, verdict string) (Example, error) {
	e := Example{Robots: unquote(fields[0]), URL: unquote(fields[2])}
	for _, agent := range strings.Split(fields[1], ",") {
		e.Agents = append(e.Agents, unquote(agent))
	}
	word, number, _ := strings.Cut(verdict, " ")
	line, err := strconv.Atoi(number)
	if err != nil || word != "allow" && word != "disallow" {
		return Example{}, fmt.Errorf("not a verdict: %q", verdict)
	}
	e.Allowed, e.Line = word == "allow", line
	return e, nil
}

// notation finds what in a field does not stand for itself: {a*12} and \n.
var notation = regexp.MustCompile(`\{(\\x[0-9a-fA-F]{2}|\\.|[^\\])\*([0-9]+)\}|\\x[0-9a-fA-F]{2}|\\.`)

// unquote returns the bytes that a field stands for.
func unquote(field string) []byte {
	if field == "<empty>" {
		return []byte{}
	}
	return notation.ReplaceAllFunc([]byte(field), func(found []byte) []byte {
		if found[0] != '{' {
			return unquoteByte(string(found))
		}
		parts := notation.FindStringSubmatch(string(found))
		times, _ := strconv.Atoi(parts[2]) // the expression allows digits only
		return []byte(strings.Repeat(string(unquoteByte(parts[1])), times))
	})
}

// unquoteByte returns the byte that an escape, or a character, stands for.
func unquoteByte(s string) []byte {
	switch {
	case s[0] != '\\':
		return []byte(s)
	case s[1] == 'x':
		octet, _ := percentEscape([]byte("%" + s[2:]))
		return []byte{octet}
	case s[1] == '0':
		return []byte{0}
	}
	if i := strings.IndexByte("nrtvf", s[1]); i >= 0 {
		return []byte{"\n\r\t\v\f"[i]}
	}
	return []byte(s[1:])
}
