// Package lists opens lists of URLs: it detects the format of each, and makes lines of sitemaps and of tables of
// Parquet.
package lists

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// How much of a list is read to detect its format and its columns. In a pipe only the lines up to the
// first URL are, and at most pipeHead bytes: the rest may not have arrived yet.
const (
	HeadBytes = 256 << 10
	pipeHead  = 4 << 10
)

// The maximum length of a line, in bytes: in lists of URLs, and in lists with other columns.
const (
	longestURL = 1 << 20
	longestRow = 16 << 20
)

// Options say how lists are read. Column, Date and Key are the columns of the URL, of the time and of what identifies
// the rows of a Parquet file; "" as in job.ListColumns.
type Options struct {
	Format            string // of package list; "" or "auto" detects it
	Column, Date, Key string
	Prompt            bool                 // the caller waits for the first line of a pipe
	Warn              func(message string) // not nil
}

func (o *Options) warn(format string, args ...any) { o.Warn(fmt.Sprintf(format, args...)) }

// Lists are opened lists.
type Lists struct {
	Inputs  []*source.Input
	Layouts []*list.Layout // of each; nil for one URL per line
	Swapped []bool         // whether the line ends of each are swapped; see filter.Config.Swapped
	Values  []bool         // whether the lines of each are made of another format; see filter.Config.Values
	Records bool           // they are WARC files, without layouts
	Refused []error        // of inputs that cannot be read
	Keys    *columnar.Keys // of the rows of a Parquet file; nil if there are none
	close   []io.Closer
}

// MaxRow is the maximum length of a line.
func (l *Lists) MaxRow() int {
	switch {
	case l.Records:
		return 0
	case slices.ContainsFunc(l.Layouts, func(l *list.Layout) bool { return l != nil }):
		return longestRow
	}
	return longestURL
}

// Close closes the inputs that were made of others.
func (l *Lists) Close() {
	for _, c := range l.close {
		_ = c.Close() // it was only read
	}
}

// made returns an input with the lines of a reader, which is opened by the first Read.
func (l *Lists) made(name string, open func() (io.ReadCloser, error)) *source.Input {
	r := &madeLines{open: open}
	l.close = append(l.close, r)
	return source.NewLines(name, r)
}

// madeLines are lines derived from another input. The reader is open from the first Read to
// the end of the lines. Close may be called while another goroutine reads, such as one that
// an interrupt has left behind.
type madeLines struct {
	open func() (io.ReadCloser, error)

	mu  sync.Mutex
	r   io.ReadCloser // nil before the first Read
	err error         // returned by all further calls of Read
}

func (m *madeLines) Read(p []byte) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.r == nil && m.err == nil {
		m.r, m.err = m.open()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err = m.r.Read(p)
	if err != nil {
		m.end(err)
	}
	return n, err
}

// Close ends the lines.
func (m *madeLines) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end(io.ErrClosedPipe)
	return nil
}

func (m *madeLines) end(err error) {
	if m.r != nil && m.err == nil {
		_ = m.r.Close() // it was only read
	}
	m.err = cmp.Or(m.err, err)
}

// closing is a reader that closes its source.
type closing struct {
	io.Reader
	close func() error
}

func (c closing) Close() error { return c.close() }

// found is the detected format of an input.
type found struct {
	kind    list.Kind
	layout  *list.Layout
	swapped bool // its lines end in carriage returns
	empty   bool // it is a sitemap without a URL
	err     error
}

// Open detects the format of each input, on some workers. Sitemaps and tables of Parquet are replaced by inputs with
// their URLs, one per line. The error is that ctx has ended.
func Open(ctx context.Context, inputs []*source.Input, o *Options, workers int) (*Lists, error) {
	l := &Lists{}
	all := make([]found, len(inputs))
	look := func(i int) { all[i] = o.look(inputs[i]) }
	interrupt.Parallel(ctx, len(inputs), workers, func(i int) {
		if inputs[i].Regular() { // a pipe may stay silent until another has been read
			look(i)
		}
	})
	for i, in := range inputs {
		if !in.Regular() {
			if _, err := interrupt.Wait(ctx, func() (struct{}, error) { look(i); return struct{}{}, nil }); err != nil {
				return nil, err
			}
		}
	}
	l.Records = slices.ContainsFunc(all, func(f found) bool { return f.kind == list.WARC })
	for i, f := range all {
		if !l.Records || !besideWARC(inputs[i].Name) {
			l.add(ctx, o, inputs[i], f)
		}
	}
	return l, nil
}

// besideWARC reports whether an input is a member of a web archive collection (WACZ) that is not one of
// its WARC files, but lists or describes them.
func besideWARC(name string) bool {
	archive, member, ok := strings.Cut(strings.ToLower(name), ".wacz"+source.MemberSeparator)
	return ok && archive != "" && capture.KindOf(member) != capture.Archive
}

// add adds an input, or the reason why it cannot be read.
func (l *Lists) add(ctx context.Context, o *Options, in *source.Input, f found) {
	switch {
	case f.err != nil:
	case l.Records && f.kind != list.WARC:
		f.err = errors.New("it is not WARC, as other inputs are: filter it apart")
	case o.Key != "" && f.kind != list.Parquet:
		f.err = errors.New("option List.Key is a column of a Parquet file, which this is not")
	case f.kind == list.Sitemap:
		in = l.of(ctx, in, list.NewSitemap)
	case f.kind == list.Parquet:
		in, f.layout, f.err = l.table(ctx, o, in)
	case f.swapped:
		in = l.of(ctx, in, func(r io.Reader) io.Reader { return swapped{r} })
	}
	if f.err != nil {
		l.Refused = append(l.Refused, source.Named(in.Name, f.err))
		return
	}
	if f.empty {
		o.warn("%s: a sitemap without a URL", in.Name)
	}
	if f.swapped {
		o.warn("%s: its lines end in carriage returns (CR) without line feeds, and are read so", in.Name)
	}
	if f.layout != nil && f.layout.Guess() != "" {
		o.warn("%s: the URLs are those of %s, which no usual name says; option List.Column takes another", in.Name,
			f.layout.Guess())
	}
	in.Records = f.layout.Records()
	l.Inputs, l.Layouts, l.Swapped = append(l.Inputs, in), append(l.Layouts, f.layout), append(l.Swapped, f.swapped)
	l.Values = append(l.Values, !f.kind.HasLines())
}

// of returns an input with the lines derived from another one.
func (l *Lists) of(ctx context.Context, in *source.Input, lines func(io.Reader) io.Reader) *source.Input {
	return l.made(in.Name, func() (io.ReadCloser, error) {
		r, err := interrupt.Open(ctx, in)
		if err != nil {
			return nil, err
		}
		return closing{lines(r), r.Close}, nil
	})
}

// swapped exchanges line feeds and carriage returns.
type swapped struct{ io.Reader }

func (s swapped) Read(p []byte) (n int, err error) {
	n, err = s.Reader.Read(p)
	filter.SwapEnds(p[:n])
	return n, err
}

// endsInReturns reports whether most lines of a text end in a carriage return alone.
func endsInReturns(head []byte) bool {
	returns := 0
	for i, c := range head {
		if c == '\r' && i+1 < len(head) && head[i+1] != '\n' && head[i+1] != '\r' {
			returns++
		}
	}
	return returns > bytes.Count(head, []byte("\n"))
}

// look detects the format of a list and the column of its URLs. Errors of
// inputs that cannot be read are left to the Reader.
func (o *Options) look(in *source.Input) (f found) {
	f.kind = list.ParseKind(o.Format)
	head, err := headOf(in, o.Prompt)
	if endsInReturns(head) {
		f.swapped = true
		filter.SwapEnds(head)
	}
	switch {
	case err != nil && !in.Regular():
		return found{err: err} // a pipe is not opened again
	case err != nil || len(head) == 0:
		return found{kind: list.URLs} // the Reader returns the error
	case f.kind == list.Unknown:
		f.kind, f.err = list.Detect(head, in.Name, list.Options{Column: o.Column, Date: o.Date})
	}
	if f.err == nil && f.kind != list.URLs && f.kind.HasLines() {
		f.layout, f.err = list.New(f.kind, head, list.Options{Column: o.Column, Date: o.Date})
	}
	f.swapped = f.swapped && f.kind.HasLines()
	if f.kind == list.Sitemap && in.Regular() && len(head) < HeadBytes {
		urls, err := io.ReadAll(list.NewSitemap(bytes.NewReader(head)))
		f.empty = err == nil && len(bytes.TrimSpace(urls)) == 0
	}
	return f
}

// headOf returns the beginning of an input. The Reader still reads it. Callers that need prompt answers
// may wait for the first line of a pipe.
func headOf(in *source.Input, prompt bool) (head []byte, err error) {
	if in.Regular() {
		return in.Head(HeadBytes)
	}
	for n := 1; n <= pipeHead; n++ { // a byte at a time, since more may not have arrived
		if head, err = in.Head(n); err != nil || len(head) < n || head[n-1] == '\n' && (prompt || hasAddress(head)) {
			break
		}
	}
	return head, err
}

// hasAddress reports whether the last line of a text has a URL, or begins as a path does: those before it may
// be a title or a header.
func hasAddress(text []byte) bool {
	line := text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:]
	return bytes.Contains(line, []byte("://")) || line[0] == '/'
}

// table returns an input with the URLs of a Parquet file, and with their times if the options name
// a column for them.
func (l *Lists) table(ctx context.Context, o *Options, in *source.Input) (*source.Input, *list.Layout, error) {
	open := func() (io.ReadCloser, error) { return openLines(ctx, o, in) }
	r, err := open() // reopened later, so that thousands are not open at the same time
	if err != nil {
		return in, nil, err
	}
	if err := r.Close(); err != nil {
		return in, nil, err
	}
	if o.Key != "" {
		file, closer, err := columnar.OpenInput(in)
		if err != nil {
			return in, nil, err
		}
		l.close = append(l.close, closer)
		if l.Keys, err = file.Keys(o.Key); err != nil {
			return in, nil, err
		}
	}
	var layout *list.Layout
	if o.Date != "" {
		layout = list.NewTimed()
	}
	return l.made(in.Name, open), layout, nil
}

func openLines(ctx context.Context, o *Options, in *source.Input) (io.ReadCloser, error) {
	file, closer, err := columnar.OpenInput(in)
	if err != nil {
		return nil, err
	}
	columns := columnar.Options{URL: o.Column, Date: o.Date}
	if columns.URL == "" {
		columns.URL, err = urlColumn(file)
	}
	if err == nil {
		var lines io.ReadCloser
		if lines, err = file.Lines(ctx, columns); err == nil {
			return closing{lines, func() error { return errors.Join(lines.Close(), closer.Close()) }}, nil
		}
	}
	return nil, errors.Join(err, closer.Close())
}

// urlColumn returns the column of a file that has URLs, judging by its name.
func urlColumn(file *columnar.File) (string, error) {
	var names []string
	for _, c := range file.Columns() {
		if !c.List {
			names = append(names, c.Name)
		}
	}
	if usual := list.UsualColumn(names); usual != "" {
		return usual, nil
	}
	const most = 20
	more := ""
	if len(names) > most {
		names, more = names[:most], " and others"
	}
	return "", fmt.Errorf("no column has a usual name for URLs: name it with option List.Column, one of %q%s", names, more)
}

// EachURL calls visit, which always returns true, for each URL of a list.
func EachURL(ctx context.Context, name string, visit func(url []byte) bool) error {
	in, err := source.NewFile(name)
	if err != nil {
		return err
	}
	l, err := Open(ctx, []*source.Input{in}, &Options{Warn: func(string) {}}, 1)
	if err != nil {
		return err
	}
	defer l.Close()
	switch {
	case len(l.Refused) > 0:
		return l.Refused[0]
	case l.Records:
		return fmt.Errorf("%s: WARC, not a list of URLs", name)
	}
	reader := source.NewReader(l.Inputs, source.Options{Workers: 1, MaxLine: longestRow, InOrder: true})
	defer reader.Stop()
	defer context.AfterFunc(ctx, reader.Stop)()
	layout, urls := l.Layouts[0], 0
	if layout == nil {
		if layout, err = list.New(list.URLs, nil, list.Options{}); err != nil {
			return err
		}
	}
	rows, row := layout.NewReader(), list.Row{}
	for chunk, ok := reader.Next(); ok; chunk, ok = reader.Next() {
		rows.Reset(chunk.Data, chunk.Seq == 0)
		for chunk.Cut == 0 && rows.Next(&row) {
			if url, ok := list.Bare(row.URL, l.Layouts[0] == nil && !l.Values[0]); ok && len(url) > 0 {
				urls++
				visit(url)
			}
		}
		reader.Release(chunk)
	}
	switch err := reader.Result(0).Err; {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return source.Named(name, err)
	case urls == 0:
		return fmt.Errorf("%s: no URL", name)
	}
	return nil
}
