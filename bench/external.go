package bench

import (
	"bufio"
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

// External returns the entrant of a command that answers cases like robotsieve check --jsonl. A shell starts it
// for each round. The time to answer no cases is subtracted; the rest includes reading and writing JSON.
func External(name, command string) Entrant {
	return Entrant{name, func(ctx context.Context) (Engine, error) {
		x := &external{command: command}
		var empty [3]time.Duration
		for i := range empty {
			took, err := x.run(ctx, nil, func([]Verdict) {})
			if err != nil {
				return nil, fmt.Errorf("answering no cases: %w", err)
			}
			empty[i] = took
		}
		x.startUp = Median(empty[:])
		return x, nil
	}}
}

type external struct {
	command string
	startUp time.Duration // the time to answer no cases
}

func (x *external) Version() string {
	return fmt.Sprintf("by JSON lines, %.1f ms of start-up subtracted", float64(x.startUp)/1e6)
}

func (x *external) Close() {}

func (x *external) Round(ctx context.Context, sites []Site, record func([]Verdict)) (Times, error) {
	took, err := x.run(ctx, sites, record)
	return Times{Match: max(0, took-x.startUp)}, err
}

// run starts the command once, asks it about the sites and returns how long it ran.
func (x *external) run(ctx context.Context, sites []Site, record func([]Verdict)) (time.Duration, error) {
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, cases := io.Pipe()
	defer in.Close()
	go func() { cases.CloseWithError(writeCases(cases, sites)) }()
	out, stderr := &answers{sites: sites, record: record, garbled: cancel}, &Tail{}
	for i := range sites {
		out.want += len(sites[i].URLs)
	}
	c := exec.CommandContext(runCtx, "sh", "-c", x.command)
	defer OwnGroup(c)()
	c.Stdin, c.Stdout, c.Stderr = in, out, stderr
	c.WaitDelay = time.Second
	begin := time.Now()
	err := c.Run()
	took := time.Since(begin)
	if out.finish(); len(out.verdicts) > 0 { // on a site with missing answers
		record(out.verdicts)
	}
	switch {
	case out.err != nil:
		return took, out.err
	case ctx.Err() != nil:
		return took, ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay):
		return took, fmt.Errorf("it ended, with %d of %d cases answered, and left behind a process that holds its output",
			out.n, out.want)
	case err != nil:
		return took, stderr.Explain(fmt.Errorf("%w, with %d of %d cases answered", err, out.n, out.want))
	case out.n < out.want:
		return took, fmt.Errorf("it ended with %d of %d cases answered", out.n, out.want)
	}
	return took, nil
}

// writeCases writes a case for each URL, one at a time, since each contains a whole robots.txt.
func writeCases(w io.Writer, sites []Site) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for i := range sites {
		s := &sites[i]
		head := appendField(appendField([]byte{'{'}, "robots", s.Body), "agent", []byte(s.Agent))
		for _, url := range s.URLs {
			line := appendField(head[:len(head):len(head)], "url", []byte(url))
			line[len(line)-1] = '}' // instead of the last comma
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// appendField appends a field and a comma. The value is text if it is UTF-8, otherwise base64.
func appendField(b []byte, name string, value []byte) []byte {
	var coded []byte
	if utf8.Valid(value) {
		coded, _ = json.Marshal(string(value)) // cannot fail on a string
	} else {
		name += "_b64"
		coded, _ = json.Marshal(value)
	}
	return fmt.Appendf(b, "%q:%s,", name, coded)
}

// answers records the output of the command, site by site.
type answers struct {
	sites   []Site // not yet answered
	record  func([]Verdict)
	garbled func() // called at the first invalid line
	want    int    // number of expected answers

	n        int // answers so far
	line     []byte
	verdicts []Verdict // for the first of the sites
	err      error
}

// maxAnswer limits the length of an answer.
const maxAnswer = 1 << 20

// Write implements io.Writer. It fails at an invalid line, or if there are too many.
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
	a.finish()
	a.verdicts = append(a.verdicts, VerdictOf(*v.Allowed))
	return nil
}

// finish records the sites with complete answers.
func (a *answers) finish() {
	for len(a.sites) > 0 && len(a.verdicts) == len(a.sites[0].URLs) {
		a.record(a.verdicts)
		a.sites, a.verdicts = a.sites[1:], a.verdicts[:0]
	}
}

// Tail is an io.Writer that keeps the end of its input, such as a command's stderr. The zero value is empty.
type Tail struct{ text []byte }

// Write implements io.Writer and never fails.
func (t *Tail) Write(b []byte) (int, error) {
	const most = 4096
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// Explain adds the last line to an error, because that is where most programs name the cause.
func (t *Tail) Explain(err error) error {
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, text[strings.LastIndexByte(text, '\n')+1:])
}
