package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"
)

// external is a command that answers cases as check --jsonl does. A shell runs it.
type external struct{ command string }

// measure starts the command once for each round; what it takes when it is asked
// nothing is taken off.
func (x external) measure(ctx context.Context, w *work, limit time.Duration, r *engineReport) error {
	var empty, rounds []float64
	for range benchRounds {
		took, err := x.ask(ctx, &work{}, limit, nil)
		if err != nil {
			return fmt.Errorf("asked nothing: %w", err)
		}
		empty = append(empty, float64(took))
	}
	r.StartUpNS, _ = middle(empty)
	for i := range benchRounds {
		answered := func(bool) {}
		if i == 0 {
			answered = func(allowed bool) { r.compare(w, allowed) }
		}
		took, err := x.ask(ctx, w, limit, answered)
		if err != nil {
			return err
		}
		rounds = append(rounds, max(0, float64(took)-r.StartUpNS)/float64(len(w.urls)))
	}
	r.setURLTimes(rounds)
	return nil
}

// ask starts the command, asks it about all URLs, calls answered with each verdict
// in order and returns how long it ran.
func (x external) ask(ctx context.Context, w *work, limit time.Duration, answered func(allowed bool)) (time.Duration, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	in, out, stderr := newCases(w), &answers{want: len(w.urls), answered: answered, garbled: cancel}, &tail{}
	c := exec.CommandContext(limited, "sh", "-c", x.command)
	defer ownGroup(c)()
	c.Stdin, c.Stdout, c.Stderr = in, out, stderr
	c.WaitDelay = time.Second
	begin := time.Now()
	err := c.Run()
	took := time.Since(begin)
	switch {
	case out.err != nil:
		return took, out.err
	case ctx.Err() != nil:
		return took, ctx.Err()
	case limited.Err() != nil:
		return took, fmt.Errorf("it had not ended after %v, with %d of %d cases answered", limit, out.n, out.want)
	case errors.Is(err, exec.ErrWaitDelay):
		return took, fmt.Errorf("it ended, with %d of %d cases answered, and left behind a process that holds its output", out.n, out.want)
	case err != nil:
		return took, stderr.explain(fmt.Errorf("%w, with %d of %d cases answered", err, out.n, out.want))
	case out.n < out.want:
		return took, fmt.Errorf("it ended with %d of %d cases answered", out.n, out.want)
	}
	return took, nil
}

// cases reads as the lines of cases: only one at a time is made, since each holds
// the robots.txt.
type cases struct {
	head []byte
	urls [][]byte // not yet made into a case
	buf  []byte
	rest []byte // of buf, not yet read
}

func newCases(w *work) *cases {
	head := appendField([]byte{'{'}, "robots", w.body)
	head = appendField(append(head, ','), "agent", []byte(w.agent))
	return &cases{head: append(head, ','), urls: w.urls}
}

// Read implements io.Reader.
func (c *cases) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(c.rest) == 0 {
			if len(c.urls) == 0 {
				return n, io.EOF
			}
			c.buf = appendField(append(c.buf[:0], c.head...), "url", c.urls[0])
			c.buf = append(c.buf, '}', '\n')
			c.rest, c.urls = c.buf, c.urls[1:]
		}
		m := copy(b[n:], c.rest)
		c.rest = c.rest[m:]
		n += m
	}
	return n, nil
}

// appendField writes a field as text where it is text, and in base64 elsewhere.
func appendField(b []byte, name string, value []byte) []byte {
	var coded []byte
	if utf8.Valid(value) {
		coded, _ = json.Marshal(string(value)) // no string is refused
	} else {
		name += "_b64"
		coded, _ = json.Marshal(value)
	}
	return fmt.Appendf(b, "%q:%s", name, coded)
}

// answers is written what the command prints.
type answers struct {
	want     int
	answered func(allowed bool)
	garbled  func() // called at the first line that is no answer

	n    int // answers so far
	line []byte
	err  error
}

// maxAnswer bounds a line of answers.
const maxAnswer = 1 << 20

// Write fails at a line that is not an answer, or is one too many.
func (a *answers) Write(b []byte) (int, error) {
	n := len(b)
	for a.err == nil {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		a.line = append(a.line, line...)
		if whole || len(a.line) > maxAnswer {
			a.err = a.answer(a.line)
			a.line = a.line[:0]
		}
		if !whole {
			break
		}
		b = rest
	}
	if a.err != nil {
		a.garbled()
		return 0, a.err
	}
	return n, nil
}

func (a *answers) answer(line []byte) error {
	if a.n == a.want {
		return fmt.Errorf("more answers than the %d cases: %.80q", a.want, line)
	}
	var v struct {
		Allowed *bool
		Error   string
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return fmt.Errorf("answer %d is not JSON: %.80q: %w", a.n+1, line, err)
	}
	if v.Allowed == nil {
		return fmt.Errorf("answer %d has no verdict: %.80q", a.n+1, cmp.Or(v.Error, string(line)))
	}
	a.n++
	a.answered(*v.Allowed)
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	const most = 4096
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// explain adds the last line to an error: there most programs say what it was.
func (t *tail) explain(err error) error {
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return err
	}
	return fmt.Errorf("%w: %w", err, errors.New(text[strings.LastIndexByte(text, '\n')+1:]))
}
