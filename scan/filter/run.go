package filter

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Run reads lines from r, which must have been made with Options.InOrder, by n
// workers, at least 1, and writes to out those that c keeps: byte for byte, in
// the order of the inputs, with a newline added where an input's last line has
// none. The output and the Summary do not depend on n.
//
// It returns early, with the cause, when ctx ends, out fails or the policy does,
// also by a fault of the memory that its rules are in (ErrFault); the Summary then
// is of the lines before that, which have been written. What became of the inputs r
// tells.
func Run(ctx context.Context, r *source.Reader, n int, c Config, out io.Writer) (Summary, error) {
	p := printer{config: &c, out: out}
	workers := make([]*worker, n)
	for i := range workers {
		workers[i] = newWorker(&c, &p.quoted)
	}
	err := scan.RunInOrder(ctx, r, n, func(i int, chunk *source.Chunk) outcome {
		return workers[i].guarded(chunk, func() bool { return r.Result(chunk.Input).Err != nil })
	}, p.print)
	return summarize(&c, p.count, p.quotes), err
}

// printer writes what workers have made of chunks, in order.
type printer struct {
	config *Config
	out    io.Writer
	count  [Classes]int64
	quotes []Quote
	quoted atomic.Bool // quotes are as many as are asked for; workers read it

	input int   // of the last chunk
	lines int64 // of this input so far
}

var newline = []byte("\n")

func (p *printer) print(c *source.Chunk, made outcome) error {
	if made.err != nil {
		return made.err
	}
	if p.input != c.Input {
		p.input, p.lines = c.Input, 0
	}
	for _, q := range made.quotes {
		if len(p.quotes) < p.config.Quotes {
			q.Input, q.Line = c.Input, p.lines+q.Line
			p.quotes = append(p.quotes, q)
		}
	}
	if len(p.quotes) == p.config.Quotes {
		p.quoted.Store(true)
	}
	if err := p.write(made); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	for class, n := range made.count {
		p.count[class] += n
		p.lines += n
	}
	return nil
}

func (p *printer) write(made outcome) error {
	if len(made.kept) == 0 {
		return nil
	}
	_, err := p.out.Write(made.kept)
	if err == nil && made.open {
		_, err = p.out.Write(newline)
	}
	return err
}
