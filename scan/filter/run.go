package filter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Run reads rows from r, which must have been made with Options.InOrder, using n workers (at least 1). It writes
// the rows that c keeps to out, unchanged and in input order, adding a newline if an input's last line has none.
// With Config.Annotate, it writes the annotated rows instead. The output and the Summary do not depend on n.
//
// It returns early, with the cause, when ctx is done, or when out, the policy or Config.Guard fails. The Summary
// then covers the rows written so far. Errors of the inputs are in the results of r.
func Run(ctx context.Context, r *source.Reader, n int, c Config, out io.Writer) (Summary, error) {
	p := printer{config: &c, out: out, barred: make([]int64, len(c.Dialects))}
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(&c, &p.quoted, &p.free)
	}
	err := scan.RunInOrder(ctx, r, n, func(i int, chunk *source.Chunk) outcome {
		return workers[i].guarded(chunk, func() bool { return r.Result(chunk.Input).Err != nil })
	}, p.print)
	return p.summary(), err
}

// printer writes the outcomes of chunks, in order.
type printer struct {
	config     *Config
	out        io.Writer
	free       sync.Pool // of pointers to buffers for annotations
	count      [Classes]int64
	barred     []int64
	misencoded int64
	spaced     int64
	slashed    int64
	quotes     []Quote
	quoted     atomic.Bool // no more quotes are needed; workers read it
	header     []byte      // the header printed last, without its line end
	repeated   int64       // headers omitted because they repeat

	input   int   // the input of the last chunk
	lines   int64 // lines of this input so far
	useful  bool  // some of them have a URL
	unlike  Quote // the first line that is neither blank nor, unless useful, a URL; without Text if there is none
	useless []Quote
}

var newline = []byte("\n")

func (p *printer) print(c *source.Chunk, o outcome) error {
	if o.err != nil {
		return o.err
	}
	if p.input != c.Input {
		p.endInput()
		p.input, p.lines, p.useful, p.unlike = c.Input, 0, false, Quote{}
	}
	p.useful = p.useful || slices.Max(o.count[:NoPolicy+1]) > 0 // of the valid classes
	if !p.useful && p.unlike.Text == nil {
		p.unlike = firstUnlike(c.Data, o.count[Header]) // nothing in it was moved
		p.unlike.Input, p.unlike.Line = c.Input, p.unlike.Line+p.lines
	}
	for _, q := range o.quotes {
		if len(p.quotes) < p.config.Quotes {
			q.Input, q.Line = c.Input, p.lines+q.Line
			p.quotes = append(p.quotes, q)
		}
	}
	if len(p.quotes) == p.config.Quotes {
		p.quoted.Store(true)
	}
	if in := c.Input; in < len(p.config.Swapped) && p.config.Swapped[in] && p.config.Annotate == nil {
		SwapEnds(o.kept)
	}
	if err := p.write(o); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	for class, n := range o.count {
		p.count[class] += n
		p.lines += n
	}
	p.lines += o.more
	if o.barred == nil { // for a single agent
		p.barred[0] += o.count[Disallowed] + o.count[Unreachable]
	}
	for i, n := range o.barred {
		p.barred[i] += n
	}
	p.misencoded += o.misencoded
	p.spaced += o.spaced
	p.slashed += o.slashed
	return nil
}

// SwapEnds exchanges line feeds and carriage returns.
func SwapEnds(text []byte) {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = c ^ '\n' ^ '\r'
		}
	}
}

// endInput ends the current input, if any.
func (p *printer) endInput() {
	if !p.useful && p.unlike.Text != nil {
		p.useless = append(p.useless, p.unlike)
	}
}

// firstUnlike returns the first non-blank line after the given number of headers, from lines without a URL.
func firstUnlike(lines []byte, headers int64) (q Quote) {
	for line := range bytes.Lines(lines) {
		q.Line++
		if text := bytes.TrimSpace(line); len(text) > 0 && q.Line > headers {
			q.Class, q.Text = NotAbsolute, bytes.Clone(text[:min(len(text), maxQuoted)])
			return q
		}
	}
	return Quote{}
}

// write writes the outcome of a chunk. If several lists have the same header, it is written once.
func (p *printer) write(o outcome) (err error) {
	if header := bytes.TrimRight(o.kept[:o.header], "\r\n"); len(header) > 0 {
		if bytes.Equal(header, p.header) {
			p.repeated += int64(1 + bytes.Count(header, newline))
			o.kept = o.kept[o.header:]
		} else {
			p.header = bytes.Clone(header)
		}
	}
	if len(o.kept) > 0 {
		_, err = p.out.Write(o.kept)
		if err == nil && o.open {
			_, err = p.out.Write(newline)
		}
	}
	if o.buffer != nil {
		p.free.Put(o.buffer)
	}
	return err
}

func (p *printer) summary() Summary {
	p.endInput()
	s := Summary{Count: p.count, Barred: p.barred, Misencoded: p.misencoded, Spaced: p.spaced,
		Slashed: p.slashed, Quotes: p.quotes, Useless: p.useless}
	s.Printed = -p.repeated
	prints := p.config.prints()
	for i, n := range p.count {
		class := Class(i)
		if prints[class] {
			s.Printed += n
		}
		switch {
		case class == Header:
			continue
		case class.Invalid():
			s.Invalid += n
		case p.config.keeps(class):
			s.Kept += n
		default:
			s.Dropped += n
		}
		s.Read += n
	}
	return s
}
