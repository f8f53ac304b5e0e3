package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// maxCase limits the length of a line of cases. It is many times the default limit of a robots.txt.
const maxCase = 64 << 20

var errLongCase = fmt.Errorf("line longer than %d bytes", maxCase)

// runBatch answers cases of other implementations, whose agent is a product token, not a crawler's name.
func runBatch(s streams, a *args) error {
	b := batch{options: compile.Options{MaxBytes: maxBytes(a)}}
	if d := dialect(a); d != nil {
		b.options.Dialect = *d
	}
	if err := job.RefuseStreams(s.out, s.err, s.in, "-"); err != nil {
		return err
	}
	in, out := bufio.NewReaderSize(s.in, 1<<20), bufio.NewWriter(s.out)
	code := exitDone
	for {
		line, err := readCase(in, b.line[:0])
		b.line = line
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLongCase) {
			return errors.Join(out.Flush(), inputError(fmt.Errorf("reading cases: %w", err)))
		}
		var v automaton.Verdict
		if err == nil {
			v, err = b.answer(line)
		}
		if err != nil {
			code = exitInput
			_ = render.WriteJSON(out, map[string]string{"error": report.ToUTF8(err.Error())}, "") // Flush returns its error
		} else {
			fmt.Fprintf(out, "{\"allowed\":%t,\"line\":%d}\n", v.Allowed(), v.Line)
		}
		if in.Buffered() == 0 { // the client may be waiting for this answer
			if err := out.Flush(); err != nil {
				return writing("the answers", err)
			}
		}
	}
	return cmp.Or(writing("the answers", out.Flush()), exitWith(code))
}

// readCase appends a line without its end to buf, or skips one longer than maxCase with errLongCase.
func readCase(r *bufio.Reader, buf []byte) ([]byte, error) {
	for long := false; ; {
		part, err := r.ReadSlice('\n')
		long = long || len(buf)+len(part) > maxCase+len("\r\n")
		if long {
			buf = buf[:0]
		} else {
			buf = append(buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return buf, errLongCase
		case errors.Is(err, io.EOF) && len(buf) > 0: // no newline after the last line
			err = nil
		}
		line := bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r"))
		if err == nil && len(line) > maxCase {
			err = errLongCase
		}
		return line, err
	}
}

// batch answers cases. It keeps the last robots.txt, and compiles it if the next case has it, too.
type batch struct {
	options compile.Options
	line    []byte
	body    []byte
	asked   bool               // body has had a question
	ruleset *automaton.Ruleset // compiled from body at the second question
	scratch automaton.Scratch
}

func (b *batch) answer(line []byte) (automaton.Verdict, error) {
	if !utf8.Valid(line) { // package json would replace invalid bytes
		return automaton.Verdict{}, errors.New("not UTF-8: give other bytes as base64, in robots_b64, agent_b64 or url_b64")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		if other := new(json.UnmarshalTypeError); errors.As(err, &other) {
			err = errors.New(other.Value) // without Go's type names
		}
		return automaton.Verdict{}, fmt.Errorf("not a JSON object: %w", err)
	}
	if fields == nil {
		return automaton.Verdict{}, errors.New("not a JSON object: null")
	}
	// A map preserves the exact field names; package json would ignore their case.
	body, errBody := caseField(fields, "robots")
	agent, errAgent := caseField(fields, "agent")
	url, errURL := caseField(fields, "url")
	if err := cmp.Or(errBody, errAgent, errURL); err != nil {
		return automaton.Verdict{}, err
	}
	if !b.asked || !bytes.Equal(b.body, body) {
		b.body, b.asked, b.ruleset = append(b.body[:0], body...), true, nil
		return compile.Ask(body, agent, url, b.options), nil
	}
	if b.ruleset == nil {
		b.ruleset = compile.Compile(body, b.options).Ruleset
	}
	return b.ruleset.Match(&b.scratch, agent, url), nil
}

// caseField returns the bytes of a field, which is a string called name or base64 called name_b64.
func caseField(fields map[string]json.RawMessage, name string) ([]byte, error) {
	text, isText := fields[name]
	coded, isCoded := fields[name+"_b64"]
	switch {
	case isText && isCoded:
		return nil, fmt.Errorf("both %s and %s_b64", name, name)
	case isText:
		var s *string
		if err := json.Unmarshal(text, &s); err != nil || s == nil {
			return nil, fmt.Errorf("%s is not a string", name)
		}
		const replaced = "\ufffd" // package json's replacement for half a surrogate pair, such as \ud800
		if n := strings.Count(*s, replaced); n > 0 &&
			n > bytes.Count(text, []byte(replaced))+bytes.Count(bytes.ToLower(text), []byte(`\ufffd`)) {
			return nil, fmt.Errorf("%s has half a surrogate pair, which is no character", name)
		}
		return []byte(*s), nil
	case isCoded:
		var s *[]byte
		if err := json.Unmarshal(coded, &s); err != nil || s == nil || coded[0] != '"' {
			return nil, fmt.Errorf("%s_b64 is not base64", name)
		}
		return *s, nil
	}
	return nil, fmt.Errorf("neither %s nor %s_b64", name, name)
}

// maxLine limits the lines of stdin that eachLine reads, in bytes.
const maxLine = 16 << 20

// eachLine calls a function for each line of stdin. Error messages call the lines by name.
func eachLine(stdin io.Reader, name string, do func(line string) error) error {
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, maxLine+len("\r\n"))
	n := int64(0)
	for lines.Scan() && len(lines.Bytes()) <= maxLine {
		n++
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
