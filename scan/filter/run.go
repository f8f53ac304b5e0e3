package filter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Run reads lines from r, which must have been made with Options.InOrder, with n
// workers, at least 1, and writes the lines that c keeps to out: byte for byte, in
// the order of the inputs, with a newline added if an input's last line has none.
// The output and the Summary do not depend on n.
//
// It returns early, with the cause, when ctx ends, or out or the policy fails, or
// the rules can no longer be read (ErrFault). Then the Summary is of the lines before
// that, which have been written. Errors of the inputs are in the results of r.
func Run(ctx context.Context, r *source.Reader, n int, c Config, out io.Writer) (Summary, error) {
	p := printer{config: &c, out: out}
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(&c, &p.quoted)
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
	count      [Classes]int64
	misencoded int64
	quotes     []Quote
	quoted     atomic.Bool // no more quotes are needed; workers read it

	input   int   // of the last chunk
	lines   int64 // of this input so far
	useful  bool  // there is a URL among them
	unlike  Quote // the first of them that is neither blank nor, while useful is not set, a URL; no Text if there is none
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
	p.useful = p.useful || o.hasURL()
	if !p.useful && p.unlike.Text == nil {
		p.unlike = firstUnlike(c.Data) // nothing was moved in it
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
	if err := p.write(o); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	for class, n := range o.count {
		p.count[class] += n
		p.lines += n
	}
	p.misencoded += o.misencoded
	return nil
}

// endInput ends an input, if there has been one.
func (p *printer) endInput() {
	if !p.useful && p.unlike.Text != nil {
		p.useless = append(p.useless, p.unlike)
	}
}

func (o *outcome) hasURL() bool {
	for class, n := range o.count {
		if n > 0 && Class(class).Valid() {
			return true
		}
	}
	return false
}

// firstUnlike returns the first line that is not blank, of lines without a URL.
func firstUnlike(lines []byte) (q Quote) {
	for line := range bytes.Lines(lines) {
		q.Line++
		if text := bytes.TrimSpace(line); len(text) > 0 {
			q.Class, q.Text = NotAbsolute, bytes.Clone(text[:min(len(text), maxQuoted)])
			return q
		}
	}
	return Quote{}
}

func (p *printer) write(o outcome) error {
	if len(o.kept) == 0 {
		return nil
	}
	_, err := p.out.Write(o.kept)
	if err == nil && o.open {
		_, err = p.out.Write(newline)
	}
	return err
}

func (p *printer) summary() Summary {
	p.endInput()
	s := Summary{Count: p.count, Misencoded: p.misencoded, Quotes: p.quotes, Useless: p.useless}
	prints := p.config.prints()
	for class, n := range p.count {
		s.Read += n
		if prints[class] {
			s.Printed += n
		}
		switch {
		case !Class(class).Valid():
			s.Invalid += n
		case prints[class]:
			s.Kept += n
		default:
			s.Dropped += n
		}
	}
	return s
}
