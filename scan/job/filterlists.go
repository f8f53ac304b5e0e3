package job

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
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// How much of a list is read to detect its format and its columns. In a pipe only the lines up to the
// first URL are, and at most pipeHead bytes: the rest may not have arrived yet.
const (
	listHead = 256 << 10
	pipeHead = 4 << 10
)

// The maximum length of a line, in bytes: in lists of URLs, and in lists with other columns.
const (
	longestURL = 1 << 20
	longestRow = 16 << 20
)

// lists are inputs of a filter.
type lists struct {
	inputs  []*source.Input
	layouts []*list.Layout // of each; nil for one URL per line
	swapped []bool         // whether the line ends of each are swapped; see filter.Config.Swapped
	records bool           // they are WARC files, without layouts
	refused []error        // of inputs that cannot be read
	keys    *columnar.Keys // of the rows of a Parquet file; nil if there are none
	close   []io.Closer
}

// maxRow is the maximum length of a line.
func (l *lists) maxRow() int {
	switch {
	case l.records:
		return 0
	case slices.ContainsFunc(l.layouts, func(l *list.Layout) bool { return l != nil }):
		return longestRow
	}
	return longestURL
}

func (l *lists) Close() {
	for _, c := range l.close {
		_ = c.Close() // it was only read
	}
}

// made returns an input with the lines of a reader, which is opened by the first Read.
func (l *lists) made(name string, open func() (io.ReadCloser, error)) *source.Input {
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

// lists detects the format of each input. Sitemaps and tables of Parquet are replaced by inputs with
// their URLs, one per line. The error is that ctx has ended.
func (o *FilterOptions) lists(ctx context.Context, inputs []*source.Input, workers int) (l lists, err error) {
	all := make([]found, len(inputs))
	look := func(i int) { all[i] = o.look(inputs[i]) }
	inParallel(ctx, len(inputs), workers, func(i int) {
		if inputs[i].Regular() { // a pipe may stay silent until another has been read
			look(i)
		}
	})
	for i, in := range inputs {
		if !in.Regular() {
			if _, err := wait(ctx, func() (struct{}, error) { look(i); return struct{}{}, nil }); err != nil {
				return l, errNothingDone
			}
		}
	}
	l.records = slices.ContainsFunc(all, func(f found) bool { return f.kind == list.WARC })
	for i, f := range all {
		if !l.records || !besideWARC(inputs[i].Name) {
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
func (l *lists) add(ctx context.Context, o *FilterOptions, in *source.Input, f found) {
	switch {
	case f.err != nil:
	case l.records && f.kind != list.WARC:
		f.err = errors.New("it is not WARC, as other inputs are: filter it apart")
	case o.List.Key != "" && f.kind != list.Parquet:
		f.err = errors.New("option List.Key is a column of a Parquet file, which this is not")
	case f.kind == list.Sitemap:
		in = l.sitemap(ctx, in)
	case f.kind == list.Parquet:
		in, f.layout, f.err = l.table(ctx, o, in)
	case f.swapped:
		in = l.of(ctx, in, swapping)
	}
	if f.err != nil {
		l.refused = append(l.refused, named(in.Name, f.err))
		return
	}
	if f.empty {
		o.Messages.warn("%s: a sitemap without a URL", in.Name)
	}
	if f.swapped {
		o.Messages.warn("%s: its lines end in carriage returns (CR) without line feeds, and are read so", in.Name)
	}
	if f.layout != nil && f.layout.Guess() != "" {
		o.Messages.warn("%s: the URLs are those of %s, which no usual name says; option List.Column takes another", in.Name,
			f.layout.Guess())
	}
	in.Records = f.layout.Records()
	l.inputs, l.layouts, l.swapped = append(l.inputs, in), append(l.layouts, f.layout), append(l.swapped, f.swapped)
}

// sitemap returns an input with the URLs of a sitemap.
func (l *lists) sitemap(ctx context.Context, in *source.Input) *source.Input {
	return l.of(ctx, in, list.NewSitemap)
}

// of returns an input with the lines derived from another one.
func (l *lists) of(ctx context.Context, in *source.Input, lines func(io.Reader) io.Reader) *source.Input {
	return l.made(in.Name, func() (io.ReadCloser, error) {
		r, err := openInput(ctx, in)
		if err != nil {
			return nil, err
		}
		return closing{lines(r), r.Close}, nil
	})
}

// swapped exchanges line feeds and carriage returns.
type swapped struct{ io.Reader }

func swapping(r io.Reader) io.Reader { return swapped{r} }

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
func (o *FilterOptions) look(in *source.Input) (f found) {
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
		f.kind, f.err = list.Detect(head, in.Name, list.Options{Column: o.List.Column, Date: o.List.Date})
	}
	if f.err == nil && f.kind != list.URLs && f.kind.HasLines() {
		f.layout, f.err = list.New(f.kind, head, list.Options{Column: o.List.Column, Date: o.List.Date})
	}
	f.swapped = f.swapped && f.kind.HasLines()
	if f.kind == list.Sitemap && in.Regular() && len(head) < listHead {
		urls, err := io.ReadAll(list.NewSitemap(bytes.NewReader(head)))
		f.empty = err == nil && len(bytes.TrimSpace(urls)) == 0
	}
	return f
}

// headOf returns the beginning of an input. The Reader still reads it. Callers that need prompt answers
// may wait for the first line of a pipe.
func headOf(in *source.Input, prompt bool) (head []byte, err error) {
	if in.Regular() {
		return in.Head(listHead)
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
func (l *lists) table(ctx context.Context, o *FilterOptions, in *source.Input) (*source.Input, *list.Layout, error) {
	open := func() (io.ReadCloser, error) { return openLines(ctx, o, in) }
	r, err := open() // reopened later, so that thousands are not open at the same time
	if err != nil {
		return in, nil, err
	}
	if err := r.Close(); err != nil {
		return in, nil, err
	}
	if o.List.Key != "" {
		file, closer, err := openTable(in)
		if err != nil {
			return in, nil, err
		}
		l.close = append(l.close, closer)
		if l.keys, err = file.Keys(o.List.Key); err != nil {
			return in, nil, err
		}
	}
	var layout *list.Layout
	if o.List.Date != "" {
		layout = list.NewTimed()
	}
	return l.made(in.Name, open), layout, nil
}

// openLines returns the lines of a Parquet file.
func openLines(ctx context.Context, o *FilterOptions, in *source.Input) (io.ReadCloser, error) {
	file, closer, err := openTable(in)
	if err != nil {
		return nil, err
	}
	columns := columnar.Options{URL: o.List.Column, Date: o.List.Date}
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

// annotateAsTable is the annotator of rows for columnar.Sidecar, about agents with some names.
func annotateAsTable(names []string) filter.Annotator {
	return func(dst []byte, _ *list.Layout, _ *list.Row, v filter.Verdict) []byte {
		r := columnar.Row{Class: v.Class.String(), Line: int32(v.Line), Allowed: v.Class == filter.Allowed}
		r.Known = r.Allowed || v.Class == filter.Disallowed || v.Class == filter.Unreachable
		for i, name := range names {
			if v.Barred>>i&1 != 0 {
				r.Barred = append(r.Barred, name)
			}
		}
		return columnar.AppendRow(dst, &r)
	}
}

// eachURL calls visit, which always returns true, for each URL of a list.
func eachURL(ctx context.Context, name string, visit func(url []byte) bool) error {
	in, err := source.NewFile(name)
	if err != nil {
		return inputError(err)
	}
	l, err := (&FilterOptions{}).lists(ctx, []*source.Input{in}, 1)
	if err != nil {
		return err
	}
	defer l.Close()
	switch {
	case len(l.refused) > 0:
		return inputError(l.refused[0])
	case l.records:
		return inputError(fmt.Errorf("%s: WARC, not a list of URLs", name))
	}
	reader := source.NewReader(l.inputs, source.Options{Workers: 1, MaxLine: longestRow, InOrder: true})
	defer reader.Stop()
	defer context.AfterFunc(ctx, reader.Stop)()
	layout, urls := l.layouts[0], 0
	if layout == nil {
		if layout, err = list.New(list.URLs, nil, list.Options{}); err != nil {
			return err
		}
	}
	rows, row := layout.NewReader(), list.Row{}
	for chunk, ok := reader.Next(); ok; chunk, ok = reader.Next() {
		for rows.Reset(chunk.Data, chunk.Seq == 0); chunk.Cut == 0 && rows.Next(&row); {
			if url, ok := list.Bare(row.URL); ok && len(url) > 0 {
				urls++
				visit(url)
			}
		}
		reader.Release(chunk)
	}
	switch err := reader.Result(0).Err; {
	case ctx.Err() != nil:
		return errNothingDone
	case err != nil:
		return inputError(named(name, err))
	case urls == 0:
		return inputError(fmt.Errorf("%s: no URL", name))
	}
	return nil
}
