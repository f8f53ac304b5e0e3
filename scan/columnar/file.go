// Package columnar reads columns of Parquet files and writes Parquet.
//
// The reader treats every file as untrusted. It reads the footer and the requested columns, starts
// no goroutines, and rejects pages of more than 128 MiB. A column uses the memory of a page, stored
// and decompressed, and of a dictionary. A few bytes can declare any number of equal values, so the
// work for a column is limited by the size of the file (see File.mostWork), and row groups may not
// share bytes.
//
// The library parquet-go writes, and it decodes the structs of the footer and of pages, packed
// bits, differences and texts. It gets these only after a check, because it allocates by counts
// declared in the file: 17 GB for a footer of 97 bytes. Its column reader (v0.32) isn't used,
// because checking the footer and the headers of pages isn't enough to make it safe. It
// decompresses without a limit: 3.5 GB for a file of 57 KB whose header declares a page of 1,000
// bytes. It repeats levels and indices as often as the page itself declares: 1.5 GB for a file of
// 144 bytes whose header declares one value. Nor can it be given a page that has been checked,
// because only the library can make the headers that its page functions take. So pages are
// decompressed here, and runs are read as needed.
package columnar

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/robotsieve/robotsieve/scan/source"
)

const (
	magic = "PAR1"
	// maxFooter limits the footer, which is held in memory, in bytes.
	maxFooter = 256 << 20
	// maxSchema limits the names of all columns and their parents, in bytes, and maxColumns their
	// number.
	maxSchema, maxColumns = 16 << 20, 1 << 16
	// maxNesting limits the nesting of columns.
	maxNesting = 64
)

// File is a Parquet file whose footer has been read. Its methods are safe for concurrent use.
type File struct {
	from    io.ReaderAt
	size    int64
	rows    int64
	columns []Column
	groups  []rowGroup
}

// footer holds the used fields of FileMetaData
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
type footer struct {
	Schema     []element  `thrift:"2"`
	Rows       int64      `thrift:"3"`
	Groups     []rowGroup `thrift:"4"`
	Encryption *struct{}  `thrift:"8"`
}

// rowGroup is RowGroup.
type rowGroup struct {
	Columns []chunk `thrift:"1"`
	Rows    int64   `thrift:"3"`
}

// chunk is ColumnChunk: where a row group has a column.
type chunk struct {
	File string `thrift:"1"` // empty for this file
	Meta thrift.Null[struct {
		Type   format.Type             `thrift:"1"`
		Codec  format.CompressionCodec `thrift:"4"`
		Values int64                   `thrift:"5"`
		Size   int64                   `thrift:"7"`
		Data   int64                   `thrift:"9"`  // offset of the first data page
		Index  int64                   `thrift:"11"` // offset of the dictionary, unless 0
	}] `thrift:"3"`
}

// start is the offset of the first page.
func (c *chunk) start() int64 {
	if c.Meta.V.Index > 0 && c.Meta.V.Index < c.Meta.V.Data {
		return c.Meta.V.Index
	}
	return c.Meta.V.Data
}

// The work for a column is the bytes of its pages, decompressed, and of its values, plus rowWork
// for each row. The budget is baseWork, so that a column with one value may have 64 million rows,
// plus fileWork for each byte of the file, because gzip expands a byte to at most 1,032.
const (
	rowWork  = 16
	baseWork = 1 << 30
	fileWork = 1 << 10
)

// mostWork is the work budget of a column.
func (f *File) mostWork() int64 {
	if f.size > (math.MaxInt64-baseWork)/fileWork {
		return math.MaxInt64
	}
	return baseWork + fileWork*f.size
}

// Column is a column with values, not one with nested columns.
type Column struct {
	// Name is the path of the column, with dots between the names.
	Name string
	// Type is the type of its values in the format's notation: STRING, INT64, DECIMAL(9,2)…
	Type string
	// List means that a row may have several values. Such a column can't be read.
	List bool

	physical format.Type
	meaning  meaning
	levels   int // definition level of a non-null value
}

// Open reads the footer of a Parquet file of size bytes. The file must stay open until everything
// has been read. No error of this package names the file.
func Open(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, size: size}
	if err := f.open(); err != nil {
		return nil, fail(err)
	}
	return f, nil
}

// fail returns an error that names the format.
func fail(err error) error { return fmt.Errorf("Parquet: %w", err) }

func (f *File) open() error {
	var head, tail [8]byte
	if f.size < int64(len(magic)+len(tail)) {
		return fmt.Errorf("%d bytes are no whole file", f.size)
	}
	if err := f.readAt(head[:4], 0); err != nil {
		return err
	}
	if err := f.readAt(tail[:], f.size-8); err != nil {
		return err
	}
	switch {
	case string(tail[4:]) == "PARE":
		return errors.New("the file is encrypted")
	case string(head[:4]) != magic:
		return errors.New("the file does not begin with PAR1")
	case string(tail[4:]) != magic:
		return errors.New("the file does not end with PAR1: it is cut off")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case length > f.size-12:
		return fmt.Errorf("a footer of %d bytes is longer than the file", length)
	case length > maxFooter:
		return fmt.Errorf("a footer of %d bytes is longer than %d", length, maxFooter)
	}
	b := make([]byte, length)
	if err := f.readAt(b, f.size-8-length); err != nil {
		return err
	}
	var meta footer
	if _, err := decode(b, &meta); err != nil {
		return fmt.Errorf("the footer is damaged: %w", err)
	}
	return f.use(&meta)
}

// use validates and stores the footer.
func (f *File) use(meta *footer) (err error) {
	f.rows, f.groups = meta.Rows, meta.Groups
	switch most := f.mostWork() / rowWork; {
	case meta.Encryption != nil:
		return errors.New("columns of the file are encrypted")
	case f.rows < 0:
		return fmt.Errorf("%d rows", f.rows)
	case f.rows > most:
		return fmt.Errorf("%d rows are more than the %d that a file of %d bytes may have", f.rows, most, f.size)
	}
	left := f.rows
	for i := range f.groups {
		if rows := f.groups[i].Rows; rows < 0 || rows > left {
			return errors.New("the footer is damaged: the row groups have more rows than the file")
		}
		left -= f.groups[i].Rows
	}
	if left > 0 {
		return fmt.Errorf("the file has %d rows, and its row groups %d", f.rows, f.rows-left)
	}
	f.columns, err = columnsOf(meta.Schema)
	return err
}

// readAt fills b.
func (f *File) readAt(b []byte, at int64) error {
	n, err := f.from.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// check returns an error if a row group lacks a column within the file, or if row groups share the
// bytes of a column.
func (f *File) check(leaf int) error {
	var chunks []*chunk
	for i := range f.groups {
		if f.groups[i].Rows == 0 {
			continue
		}
		if err := f.checkGroup(&f.groups[i], leaf); err != nil {
			return fmt.Errorf("row group %d: %w", i+1, err)
		}
		chunks = append(chunks, &f.groups[i].Columns[leaf])
	}
	slices.SortFunc(chunks, func(a, b *chunk) int { return cmp.Compare(a.start(), b.start()) })
	for i := 1; i < len(chunks); i++ {
		if before := chunks[i-1]; chunks[i].start() < before.start()+before.Meta.V.Size {
			return fmt.Errorf("two row groups have the same bytes, from %d on", chunks[i].start())
		}
	}
	return nil
}

func (f *File) checkGroup(g *rowGroup, leaf int) error {
	if leaf >= len(g.Columns) || !g.Columns[leaf].Meta.Valid {
		return errors.New("the column is missing or encrypted")
	}
	c := &g.Columns[leaf]
	switch size := c.Meta.V.Size; {
	case c.File != "":
		return errors.New("the column is in another file")
	case c.Meta.V.Type != f.columns[leaf].physical:
		return errors.New("the row group has another type than the schema")
	case c.Meta.V.Values > g.Rows:
		return fmt.Errorf("%d rows have %d values", g.Rows, c.Meta.V.Values)
	case c.start() < 0 || size < 0 || size > f.size-c.start():
		return errors.New("the column is not within the file")
	}
	return nil
}

// Columns returns the columns in the order of the file. The caller must not modify them.
func (f *File) Columns() []Column { return f.columns }

// find returns the index of a column. Without an exact match, it accepts a single match that
// ignores case.
func (f *File) find(name string) (int, error) {
	found := -1
	for i := range f.columns {
		switch have := f.columns[i].Name; {
		case have == name:
			return i, nil
		case !strings.EqualFold(have, name):
		case found >= 0:
			either := shorten(f.columns[found].Name)
			return -1, fail(fmt.Errorf("column %s: it may be %s or %s", shorten(name), either, shorten(have)))
		default:
			found = i
		}
	}
	if found < 0 {
		return -1, fail(fmt.Errorf("no column %s: the file has %s", shorten(name), f.names()))
	}
	return found, nil
}

// names lists the columns for an error message.
func (f *File) names() string {
	const most = 40
	if len(f.columns) == 0 {
		return "no columns"
	}
	var names []string
	for i := range f.columns[:min(len(f.columns), most)] {
		names = append(names, shorten(f.columns[i].Name))
	}
	if more := len(f.columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// shorten quotes a name for an error message.
func shorten(name string) string {
	const most = 60
	if len(name) > most {
		return strconv.Quote(name[:most]) + "…"
	}
	return strconv.Quote(name)
}

// OpenInput opens a Parquet file that is an input.
func OpenInput(in *source.Input) (*File, io.Closer, error) {
	at, size, closer, err := in.OpenAt()
	if err != nil {
		return nil, nil, err
	}
	file, err := Open(at, size)
	if err != nil {
		return nil, nil, errors.Join(err, closer.Close())
	}
	return file, closer, nil
}
