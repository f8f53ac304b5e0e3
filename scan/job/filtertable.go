package job

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/source"
)

// table returns an input with the URLs of a Parquet file, and with their times if the options name
// a column of them.
func (l *lists) table(ctx context.Context, o *FilterOptions, in *source.Input) (*source.Input, *list.Layout, error) {
	open := func() (io.ReadCloser, error) { return openTable(ctx, o, in) }
	r, err := open() // it will be opened again: thousands of them are not open at a time
	if err != nil {
		return in, nil, err
	}
	if err := r.Close(); err != nil {
		return in, nil, err
	}
	if o.Key != "" {
		at, size, closer, err := in.OpenAt()
		if err != nil {
			return in, nil, err
		}
		l.close = append(l.close, closer)
		file, err := columnar.Open(at, size)
		if err == nil {
			l.keys, err = file.Keys(o.Key)
		}
		if err != nil {
			return in, nil, err
		}
	}
	var layout *list.Layout
	if o.List.Date != "" {
		layout = list.NewTimed()
	}
	return l.made(in.Name, open), layout, nil
}

// openTable returns the lines of a Parquet file.
func openTable(ctx context.Context, o *FilterOptions, in *source.Input) (io.ReadCloser, error) {
	at, size, closer, err := in.OpenAt()
	if err != nil {
		return nil, err
	}
	lines, err := tableLines(ctx, o, at, size)
	if err != nil {
		return nil, errors.Join(err, closer.Close())
	}
	return closing{lines, []io.Closer{lines, closer}}, nil
}

func tableLines(ctx context.Context, o *FilterOptions, at io.ReaderAt, size int64) (io.ReadCloser, error) {
	file, err := columnar.Open(at, size)
	if err != nil {
		return nil, err
	}
	columns := columnar.Options{URL: o.List.Column, Date: o.List.Date}
	if columns.URL == "" {
		if columns.URL, err = urlColumn(file); err != nil {
			return nil, err
		}
	}
	return file.Lines(ctx, columns)
}

// urlColumn returns the column of a file that has URLs by its name.
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
	return "", fmt.Errorf("no column has a usual name for URLs: name it with --column, one of %q%s", names, more)
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

// sidecar returns a writer of the rows of annotateAsTable. Its Close must be called if nothing
// failed: without it what is written is no Parquet.
func (l *lists) sidecar(out io.Writer) (*columnar.Sidecar, error) {
	if len(l.inputs) != 1 {
		return nil, errors.New("--annotate parquet needs one list")
	}
	return columnar.NewSidecar(out, l.keys), nil
}
