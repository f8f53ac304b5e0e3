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
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// external is a command that answers cases as robotsieve check --jsonl does. It
// is started anew for each round; what it takes to answer no case at all is
// measured first, and taken off. Its time includes reading and writing JSON.
type external struct {
	command string
	startUp time.Duration
}

// startExternal returns the start of a command, which a shell will run.
func startExternal(command string) func(context.Context) (peer, error) {
	return func(ctx context.Context) (peer, error) {
		x := &external{command: command}
		var empty [3]time.Duration
		for i := range empty {
			took, err := x.run(ctx, &cases{}, &answers{record: func([]verdict) {}})
			if err != nil {
				return nil, fmt.Errorf("asked nothing: %w", err)
			}
			empty[i] = took
		}
		x.startUp = median(empty[:])
		return x, nil
	}
}

func (x *external) version() string {
	return fmt.Sprintf("by JSON lines, %.1f ms of start-up taken off", float64(x.startUp)/1e6)
}

func (x *external) close() {}

func (x *external) round(ctx context.Context, sites []site, record func([]verdict)) (spent, error) {
	took, err := x.run(ctx, &cases{sites: sites}, &answers{sites: sites, record: record})
	return spent{match: max(0, took-x.startUp)}, err
}

// run starts the command once and returns how long it ran.
func (x *external) run(ctx context.Context, in *cases, out *answers) (time.Duration, error) {
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	stderr := &tail{}
	c := exec.CommandContext(runCtx, "sh", "-c", x.command)
	ownGroup(c)
	c.Stdin, c.Stdout, c.Stderr = in, out, stderr
	c.WaitDelay = time.Second
	out.garbled = cancel
	begin := time.Now()
	err := c.Run()
	took := time.Since(begin)
	switch {
	case ctx.Err() != nil:
		return took, ctx.Err()
	case out.err != nil:
		return took, out.err
	case err != nil:
		return took, stderr.explain(fmt.Errorf("%w after %d answers", err, out.n))
	}
	return took, out.end()
}

// cases reads as the lines that ask about sites.
type cases struct {
	sites []site
	url   int
	head  []byte // what the cases of the first of the sites begin with
	buf   []byte // made and not yet read
	rest  []byte
}

// Read makes as many cases as are asked for, so that no more than one is held.
func (c *cases) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if len(c.rest) == 0 && !c.next() {
			break
		}
		m := copy(b[n:], c.rest)
		c.rest = c.rest[m:]
		n += m
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *cases) next() bool {
	for len(c.sites) > 0 && c.url == len(c.sites[0].urls) {
		c.sites, c.url = c.sites[1:], 0
	}
	if len(c.sites) == 0 {
		return false
	}
	s := &c.sites[0]
	if c.url == 0 {
		c.head = appendField(append(c.head[:0], '{'), "robots", s.body)
		c.head = appendField(append(c.head, ','), "agent", []byte(s.agent))
	}
	c.buf = appendField(append(append(c.buf[:0], c.head...), ','), "url", []byte(s.urls[c.url]))
	c.buf = append(c.buf, '}', '\n')
	c.rest = c.buf
	c.url++
	return true
}

// appendField writes a field as text where it is text, and in base64 elsewhere.
func appendField(b []byte, name string, value []byte) []byte {
	var coded []byte
	if utf8.Valid(value) {
		coded, _ = json.Marshal(string(value)) // a string has no way to fail
	} else {
		name += "_b64"
		coded, _ = json.Marshal(value)
	}
	return append(append(append(append(b, '"'), name...), '"', ':'), coded...)
}

// answers takes what the command prints, and records it site by site.
type answers struct {
	sites   []site
	record  func([]verdict)
	garbled func() // called at the first line that is no answer

	n        int // answers so far
	line     []byte
	verdicts []verdict // on the first of the sites
	err      error
}

// Write fails at a line that is not an answer, or one too many.
func (a *answers) Write(b []byte) (int, error) {
	n := len(b)
	for a.err == nil {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		a.line = append(a.line, line...)
		if !whole {
			break
		}
		a.err = a.answer(a.line)
		a.line, b = a.line[:0], rest
	}
	if a.err != nil {
		a.garbled()
		return 0, a.err
	}
	return n, nil
}

func (a *answers) answer(line []byte) error {
	a.skipEmpty()
	if len(a.sites) == 0 {
		return fmt.Errorf("more than the %d answers asked for: %.80q", a.n, line)
	}
	v, err := parseAnswer(line)
	if err != nil {
		return fmt.Errorf("answer %d: %w", a.n+1, err)
	}
	a.n++
	if a.verdicts = append(a.verdicts, v); len(a.verdicts) == len(a.sites[0].urls) {
		a.record(a.verdicts)
		a.sites, a.verdicts = a.sites[1:], a.verdicts[:0]
	}
	return nil
}

func (a *answers) skipEmpty() {
	for len(a.sites) > 0 && len(a.sites[0].urls) == 0 {
		a.record(nil)
		a.sites = a.sites[1:]
	}
}

// end tells what is missing when the command has ended.
func (a *answers) end() error {
	if a.skipEmpty(); len(a.sites) > 0 {
		return fmt.Errorf("it ended after %d answers, with cases left", a.n)
	}
	return nil
}

func parseAnswer(line []byte) (verdict, error) {
	var v struct {
		Allowed *bool
		Error   string
	}
	switch err := json.Unmarshal(line, &v); {
	case err != nil:
		return noAnswer, fmt.Errorf("not JSON: %.80q: %w", line, err)
	case v.Allowed != nil:
		return verdictOf(*v.Allowed), nil
	}
	return noAnswer, fmt.Errorf("no verdict: %.80q", cmp.Or(v.Error, string(line)))
}

// tail keeps the end of what a peer says on stderr.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	const most = 4096
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// explain adds the last line to an error: that is where most programs say what
// it was.
func (t *tail) explain(err error) error {
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return err
	}
	return errors.Join(err, errors.New(text[strings.LastIndexByte(text, '\n')+1:]))
}

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
