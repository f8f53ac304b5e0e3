package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/format"
)

// Options names the columns with the URLs and their times. A column is named by its path, with dots
// between the names. Case is ignored if that leaves only one match.
type Options struct {
	// URL is the column of the URLs.
	URL string
	// Date is the column of times: a timestamp of any unit, a date, or text or numbers that
	// format.Instant parses. The default is none.
	Date string
}

// Lines returns the URLs as lines, one per row in row order. It only reads the columns in the
// options. A null gives an empty line. With a column of times, a tab and Unix seconds follow, or
// only the tab if there is no time. Bytes of a URL that would end the line, and tabs if a time
// follows, are percent-encoded.
//
// The reader isn't safe for concurrent use, and decodes in its Read. Damage is an error after the
// lines before it. When the context is done, the reader returns its error.
func (f *File) Lines(ctx context.Context, o Options) (io.ReadCloser, error) {
	url, err := f.cursor(o.URL)
	if err != nil {
		return nil, err
	}
	l := &lines{ctx: ctx, url: url, breaks: "\n\r"}
	if o.Date != "" {
		if l.date, err = f.cursor(o.Date); err != nil {
			return nil, err
		}
		l.breaks = "\n\r\t"
	}
	return l, nil
}

type lines struct {
	ctx    context.Context
	url    *cursor
	date   *cursor // nil if there is none
	breaks string

	ready  []byte // lines not yet read
	buffer []byte
	err    error
}

// batch is the size of the lines made at once, in bytes, exceeded by at most a line.
const batch = 64 << 10

func (l *lines) Read(p []byte) (int, error) {
	if len(l.ready) == 0 && l.err == nil {
		l.buffer = l.buffer[:0]
		for l.err = l.ctx.Err(); l.err == nil && len(l.buffer) < batch; {
			l.err = l.line()
		}
		l.ready = l.buffer
	}
	n := copy(p, l.ready)
	l.ready = l.ready[n:]
	if n == 0 && len(p) > 0 {
		return 0, l.err
	}
	return n, nil
}

// line appends the line of the next row.
func (l *lines) line() error {
	url, err := l.url.text()
	if err != nil {
		return err
	}
	b := l.appendURL(l.buffer, url)
	if l.date != nil {
		unix, ok, err := l.unix()
		if err != nil {
			return err
		}
		b = append(b, '\t')
		if ok {
			b = strconv.AppendInt(b, unix, 10)
		}
	}
	l.buffer = append(b, '\n')
	return nil
}

// unix returns the next time in seconds since 1970, and whether there is one.
func (l *lines) unix() (int64, bool, error) {
	if m := l.date.column.meaning; m.isTime() {
		raw, err := l.date.next()
		if raw == nil || err != nil {
			return 0, false, err
		}
		return m.moment(raw).Unix(), true, nil
	}
	text, err := l.date.text()
	if text == nil || err != nil {
		return 0, false, err
	}
	unix, ok := format.Instant(text)
	return unix, ok, nil
}

// appendURL appends a URL, percent-encoding bytes that would break the line.
func (l *lines) appendURL(b, raw []byte) []byte {
	for _, c := range []byte(l.breaks) {
		if bytes.IndexByte(raw, c) >= 0 {
			raw = bytes.ReplaceAll(raw, []byte{c}, fmt.Appendf(nil, "%%%02X", c))
		}
	}
	return append(b, raw...)
}

// Close releases what the reader holds. It does not close the file.
func (l *lines) Close() error {
	l.err, l.ready = errClosed, nil
	l.url.close()
	if l.date != nil {
		l.date.close()
	}
	return nil
}

var errClosed = errors.New("the lines of a Parquet file were read after Close")

// Select returns the values of some columns, as a slice per row in the order of the names, and
// reads no other column. Null values are nil. Numbers are in decimal, and times are RFC 3339 in
// UTC. Row and values are valid until the next row. An error ends the rows.
func (f *File) Select(ctx context.Context, names ...string) (iter.Seq2[[][]byte, error], error) {
	if len(names) == 0 {
		return nil, fail(errors.New("no column is selected"))
	}
	first := make([]cursor, len(names))
	for i, name := range names {
		c, err := f.cursor(name)
		if err != nil {
			return nil, err
		}
		first[i] = *c
	}
	return func(yield func([][]byte, error) bool) {
		columns, row := slices.Clone(first), make([][]byte, len(names))
		for i := range columns {
			defer columns[i].close()
		}
		for {
			err := ctx.Err()
			for i := 0; i < len(columns) && err == nil; i++ {
				row[i], err = columns[i].text()
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(row, nil):
				return
			}
		}
	}, nil
}
