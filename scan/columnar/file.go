// Package columnar reads columns of Parquet files and writes Parquet.
//
// Reading is for files from strangers. The reader decodes the columns that are asked for, value by
// value, and reads nothing else. It allocates by what a file holds and not by what its counts say,
// starts no goroutine, and refuses pages of more than 128 MiB; a column takes the memory of a page,
// stored and decompressed, and of a dictionary. A few bytes can state any number of equal values, so
// the work for a column is bounded by the size of the file (see File.mostWork), and no two row groups
// may have the same bytes.
//
// The library parquet-go writes here, and decodes the structs of the footer and of pages after their
// bytes have been checked. It does not read pages: it allocates by counts that stand within the values
// (17 GB for 97 bytes), doubles its memory without end over a damaged page of LZ4_RAW, and takes a
// page that has fewer texts than its header says for whole.
package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"
)

const (
	magic = "PAR1"
	// maxFooter bounds the description of the file at its end, which is held in memory.
	maxFooter = 256 << 20
	// maxSchema bounds the names of all columns, with those that they are nested in, and maxColumns how many there are.
	maxSchema, maxColumns = 16 << 20, 1 << 16
	// maxNesting bounds how deep columns are nested.
	maxNesting = 64
)

// File is a Parquet file of which the footer has been read. Its methods may be called from any
// number of goroutines.
type File struct {
	from    io.ReaderAt
	size    int64
	rows    int64
	columns []Column
	// groups is the list of row groups as it is in the footer, each of them a struct.
	groups     []byte
	groupCount uint64
}

// The work for a column counts the bytes of its pages, decompressed, and of its values, and
// rowWork for each row. It may be baseWork, so that a column of one value may have 64 million
// rows, and fileWork for each byte of the file, as gzip makes 1,032 bytes of one at most.
const (
	rowWork  = 16
	baseWork = 1 << 30
	fileWork = 1 << 10
)

// mostWork is how much work a column may take.
func (f *File) mostWork() int64 {
	if f.size > (math.MaxInt64-baseWork)/fileWork {
		return math.MaxInt64
	}
	return baseWork + fileWork*f.size
}

// Column is a column with values, not one in which others are nested.
type Column struct {
	// Name is the path of the column, with a dot between the names.
	Name string
	// Type says what its values are, in words: text, integer, timestamp, list of text…
	Type string
	// List is set if a row may have several values. Such a column cannot be read.
	List bool

	physical format.Type
	meaning  meaning
	levels   int // the definition level of a value that is not null
}

// Open reads the footer of a Parquet file that has size bytes. The file must stay open until
// everything has been read. Errors do not name the file, here and in all methods.
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
	footer := make([]byte, length)
	if err := f.readAt(footer, f.size-8-length); err != nil {
		return err
	}
	return f.readFooter(&compact{rest: footer})
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

// readFooter reads FileMetaData
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
func (f *File) readFooter(t *compact) error {
	schema := schemaReader{}
	for id, kind := range t.fields() {
		switch id {
		case 2:
			t.structs(kind, func() { schema.element(t) })
		case 3:
			f.rows = t.number()
		case 4:
			f.rowGroups(t, kind)
		case 8:
			return errors.New("columns of the file are encrypted")
		default:
			t.skip(kind)
		}
	}
	switch {
	case schema.err != nil:
		return schema.err
	case t.bad:
		return errors.New("the footer is damaged")
	case !schema.done():
		return errors.New("the schema is incomplete")
	case f.rows < 0:
		return fmt.Errorf("%d rows", f.rows)
	case f.rows > f.mostWork()/rowWork:
		return fmt.Errorf("%d rows are more than the %d that a file of %d bytes may have", f.rows, f.mostWork()/rowWork, f.size)
	}
	f.columns = schema.columns
	return nil
}

// rowGroups keeps the list of row groups as it is.
func (f *File) rowGroups(t *compact, kind byte) {
	list := *t
	t.skip(kind)
	n, element := list.list()
	if n > 0 && element != thriftStruct {
		t.fail(false)
	}
	f.groups, f.groupCount = list.rest, n
}

// NumRows is how many rows the file has, by its footer.
func (f *File) NumRows() int64 { return f.rows }

// Columns returns the columns in the order of the file. The caller must not change them.
func (f *File) Columns() []Column { return f.columns }

// find returns the place of a column. Where no path is the name, the only one that is the same
// but for the case of letters is.
func (f *File) find(name string) (int, error) {
	found := -1
	for i := range f.columns {
		switch have := f.columns[i].Name; {
		case have == name:
			return i, nil
		case !strings.EqualFold(have, name):
		case found >= 0:
			return -1, fail(fmt.Errorf("column %s: it may be %s or %s", shorten(name), shorten(f.columns[found].Name), shorten(have)))
		default:
			found = i
		}
	}
	if found < 0 {
		return -1, fail(fmt.Errorf("no column %s: the file has %s", shorten(name), f.names()))
	}
	return found, nil
}

// names lists the columns for an error.
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

// shorten quotes a name for an error.
func shorten(name string) string {
	const most = 60
	if len(name) > most {
		return strconv.Quote(name[:most]) + "…"
	}
	return strconv.Quote(name)
}
