package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/compile"
)

// maxCase bounds a line of cases: a robots.txt of the default limit, many times
// over.
const maxCase = 64 << 20

// runBatch answers the cases on stdin, a line for a line. It is the contract that
// other implementations can be compared by: the agent is the bare token, never
// that of a profile.
func runBatch(s streams, f robotsFlags) error {
	limit, err := f.limit()
	if err != nil {
		return err
	}
	b := batch{options: compile.Options{MaxBytes: limit}}
	override, err := f.override()
	if err != nil {
		return err
	}
	if override != nil {
		b.options.Dialect = *override
	}
	in, out := bufio.NewReaderSize(s.in, 1<<20), bufio.NewWriter(s.out)
	failed := false
	for {
		line, err := readLine(in, b.line[:0])
		b.line = line
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil && err != io.EOF && !errors.Is(err, errLongCase) {
			return errors.Join(out.Flush(), inputError(fmt.Errorf("reading cases: %w", err)))
		}
		if v, caseErr := b.answer(line, err); caseErr != nil {
			failed = true
			_ = report.Encoder(out).Encode(map[string]string{"error": caseErr.Error()}) // the error is Flush's
		} else {
			fmt.Fprintf(out, "{\"allowed\":%t,\"line\":%d}\n", v.Allowed(), v.Line)
		}
		// Who waits for an answer before asking on gets it.
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return inputError(fmt.Errorf("writing the answers: %w", err))
			}
		}
		if err == io.EOF {
			break
		}
	}
	if err := out.Flush(); err != nil {
		return inputError(fmt.Errorf("writing the answers: %w", err))
	}
	if failed {
		return exitWith(exitInput)
	}
	return nil
}

var errLongCase = fmt.Errorf("line longer than %d bytes", maxCase)

// readLine appends a line without its end to buf. Of a line longer than maxCase
// the rest is passed over, and errLongCase returned.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			buf = append(buf, part...)
		}
		if long = long || len(buf) > maxCase; long {
			buf = buf[:0]
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && !(long && err == io.EOF):
			return buf, err
		case long:
			return buf, errLongCase
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(buf, []byte("\n")), []byte("\r")), nil
	}
}

// batch answers cases one after the other, and keeps the last robots.txt that it
// compiled: cases about one file mostly come together.
type batch struct {
	options compile.Options
	line    []byte
	body    []byte
	ruleset *automaton.Ruleset
	scratch automaton.Scratch
}

func (b *batch) answer(line []byte, err error) (automaton.Verdict, error) {
	if errors.Is(err, errLongCase) {
		return automaton.Verdict{}, err
	}
	body, agent, url, err := parseCase(line)
	if err != nil {
		return automaton.Verdict{}, err
	}
	if b.ruleset == nil || !bytes.Equal(b.body, body) {
		b.body = slices.Clone(body)
		b.ruleset = compile.Compile(body, b.options).Ruleset
	}
	return b.ruleset.Match(&b.scratch, agent, url), nil
}

// parseCase reads a case. The names of its fields are exact, unlike those that
// package json would match.
func parseCase(line []byte) (body, agent, url []byte, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		if other := new(json.UnmarshalTypeError); errors.As(err, &other) {
			err = errors.New(other.Value) // and not which type of Go it is not
		}
		return nil, nil, nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if fields == nil {
		return nil, nil, nil, errors.New("not a JSON object: null")
	}
	body, errBody := caseField(fields, "robots")
	agent, errAgent := caseField(fields, "agent")
	url, errURL := caseField(fields, "url")
	return body, agent, url, cmp.Or(errBody, errAgent, errURL)
}

// caseField returns the bytes of a field: name is a string, or name_b64 the
// base64 of any bytes.
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
