package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// contestant is what is timed: a command, or a function of this process.
type contestant struct {
	name    string
	missing bool // it is not installed
	// run does the work once. Its output is discarded, unless out is not nil.
	run func(ctx context.Context, out io.Writer) (spent, error)
	// check tells whether the output is that of the whole work.
	check func(*output) error
}

// spent is the time of one run: that which passed, and that of all processors together.
type spent struct{ wall, cpu time.Duration }

// output is what the check of a command sees of what it printed.
type output struct {
	size  int
	begin []byte // up to 1 MiB
}

// Write implements io.Writer and never fails.
func (o *output) Write(p []byte) (int, error) {
	o.size += len(p)
	o.begin = append(o.begin, p[:min(len(p), 1<<20-len(o.begin))]...)
	return len(p), nil
}

// command returns the contestant of a program and its arguments.
func command(name string, check func(*output) error, program string, args ...string) contestant {
	path, err := exec.LookPath(program)
	if err != nil {
		return contestant{name: name, missing: true}
	}
	run := func(ctx context.Context, out io.Writer) (spent, error) {
		c := exec.CommandContext(ctx, path, args...)
		stderr := &bench.Tail{}
		c.Stdout, c.Stderr = out, stderr
		defer bench.OwnGroup(c)()
		begin := time.Now()
		err := c.Run()
		wall := time.Since(begin)
		if err != nil {
			return spent{}, stderr.Explain(fmt.Errorf("%s: %w", name, err))
		}
		return spent{wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime()}, nil
	}
	return contestant{name, false, run, check}
}

// prints expects that a number is the first that is printed.
func prints(want int) func(*output) error {
	return func(o *output) error {
		var got int
		if _, err := fmt.Fscan(bytes.NewReader(o.begin), &got); err != nil || got != want {
			return fmt.Errorf("it printed %.80q, not %d", o.begin, want)
		}
		return nil
	}
}

// decompresses expects so many octets.
func decompresses(want int) func(*output) error {
	return func(o *output) error {
		if o.size != want {
			return fmt.Errorf("%d octets of output, not %d", o.size, want)
		}
		return nil
	}
}

// reports expects the report of an audit of so many lines, as JSON.
func reports(want int) func(*output) error {
	return func(o *output) error {
		var report struct{ Lines, Blank int }
		if err := json.Unmarshal(o.begin, &report); err != nil {
			return fmt.Errorf("no report: %.80q: %w", o.begin, err)
		}
		if report.Lines+report.Blank != want {
			return fmt.Errorf("a report of %d lines and %d blank ones, not of %d", report.Lines, report.Blank, want)
		}
		return nil
	}
}

// printsSomething is for output that has no number to compare.
func printsSomething(o *output) error {
	if o.size == 0 {
		return errors.New("no output")
	}
	return nil
}

// function returns the contestant of a function of this process that reads all of a decompressor by one goroutine into one buffer, and
// expects so many octets of it.
func function(name string, want int, open func(*bufio.Reader) (io.Reader, error), from func() (io.ReadCloser, error)) contestant {
	p := make([]byte, 512<<10)
	br := bufio.NewReaderSize(nil, 256<<10)
	run := func(ctx context.Context, out io.Writer) (spent, error) {
		begin := time.Now()
		source, err := from()
		if err != nil {
			return spent{}, err
		}
		defer source.Close()
		br.Reset(source)
		r, err := open(br)
		if err != nil {
			return spent{}, err
		}
		n := 0
		for err == nil && ctx.Err() == nil {
			var m int
			m, err = r.Read(p)
			n += m
		}
		wall := time.Since(begin)
		if !errors.Is(err, io.EOF) || n != want {
			return spent{}, errors.Join(fmt.Errorf("%s: %d octets, not %d", name, n, want), err, ctx.Err())
		}
		return spent{wall: wall}, nil
	}
	return contestant{name, false, run, func(*output) error { return nil }}
}

func openOurs() func(*bufio.Reader) (io.Reader, error) {
	var z inflate.Gzip
	return func(br *bufio.Reader) (io.Reader, error) {
		z.Reset(br)
		return &z, z.Next()
	}
}

func openKlauspost() func(*bufio.Reader) (io.Reader, error) {
	var z gzip.Reader
	return func(br *bufio.Reader) (io.Reader, error) {
		return &z, z.Reset(br)
	}
}

func fromFile(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return os.Open(name) }
}

func fromMemory(data []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// inTurn runs each contestant once to warm up, checks its output, and then runs them in turn. It returns the times of each; of those that are
// missing, none.
func inTurn(ctx context.Context, rounds int, list []contestant) ([][]spent, error) {
	times := make([][]spent, len(list))
	for round := range rounds + 1 {
		for i, c := range list {
			if c.missing {
				continue
			}
			if round == 0 {
				if err := c.warmUp(ctx); err != nil {
					return nil, err
				}
				continue
			}
			t, err := c.run(ctx, nil)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
		}
	}
	return times, nil
}

func (c *contestant) warmUp(ctx context.Context) error {
	var out output
	if _, err := c.run(ctx, &out); err != nil {
		return err
	}
	if err := c.check(&out); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}
