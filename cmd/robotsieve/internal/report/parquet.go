package report

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"github.com/robotsieve/robotsieve/scan/audit"
)

const (
	// A row group of Parquet is held in memory until it is written: it has so many bytes of rows as
	// appendRowValues makes them, and one row or the rows of one call more. A page has 64 KiB of a column.
	rowGroupBytes = 32 << 20
	pageBytes     = 64 << 10
	// dictionaryBytes bounds the different texts of a column in a row group; with more of them they
	// stand in the rows.
	dictionaryBytes = 1 << 20
)

// appendRowValues appends a row as parquetRows reads it: for each column 0 if it has no value,
// else one more than the length of a text and the text, or 1 and a number.
func appendRowValues(b []byte, r *row) []byte {
	for i := range rowColumns {
		c := &rowColumns[i]
		switch v := c.value(r); {
		case v.none:
			b = append(b, 0)
		case c.kind == textRow && v.octets != nil:
			b = appendValue(b, v.octets)
		case c.kind == textRow:
			b = appendValue(b, v.word)
		default:
			b = binary.AppendVarint(append(b, 1), v.number)
		}
	}
	return b
}

func appendValue[T string | []byte](b []byte, text T) []byte {
	if !isPlain(&plain, text) {
		coded := audit.ToUTF8(string(text))
		return append(binary.AppendUvarint(b, uint64(len(coded))+1), coded...)
	}
	return append(binary.AppendUvarint(b, uint64(len(text))+1), text...)
}

// parquetRows writes rows as Parquet.
type parquetRows struct {
	to     *parquet.GenericWriter[any]
	values []parquet.Value // of a batch of rows
	rows   []parquet.Row
	held   int // bytes of the rows of the row group
}

// rowBatch is how many rows are handed on at once.
const rowBatch = 256

func beginParquet(w io.Writer) (io.WriteCloser, error) {
	return &parquetRows{
		to: parquet.NewGenericWriter[any](w, parquetSchema(), parquet.Compression(&snappy.Codec{}), parquet.PageBufferSize(pageBytes),
			parquet.DictionaryMaxBytes(dictionaryBytes), parquet.CreatedBy("robotsieve", "", "")),
		values: make([]parquet.Value, 0, rowBatch*len(rowColumns)),
		rows:   make([]parquet.Row, 0, rowBatch),
	}, nil
}

// parquetSchema is the schema of rows. It is made from a type of struct, which keeps the order of
// the columns.
func parquetSchema() *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range rowColumns {
		field, tag := reflect.TypeFor[string](), c.name+",optional"
		switch c.kind {
		case integerRow:
			field = reflect.TypeFor[int64]()
		case timeRow:
			field, tag = reflect.TypeFor[int64](), tag+",timestamp(microsecond)"
		case boolRow:
			field = reflect.TypeFor[bool]()
		}
		if !c.unlike && c.kind != boolRow {
			tag += ",dict"
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: field, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tag))})
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	return parquet.NewSchema("rows", schema)
}

// Write writes whole rows.
func (p *parquetRows) Write(rows []byte) (int, error) {
	p.held += len(rows)
	for rest := rows; len(rest) > 0; {
		from := len(p.values)
		for i := range rowColumns {
			rest = p.value(rest, i)
		}
		p.rows = append(p.rows, p.values[from:])
		if len(p.rows) == rowBatch || len(rest) == 0 {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	if p.held < rowGroupBytes {
		return len(rows), nil
	}
	p.held = 0
	return len(rows), p.to.Flush()
}

// value reads the value of a column.
func (p *parquetRows) value(rest []byte, column int) []byte {
	length, n := binary.Uvarint(rest)
	rest = rest[n:]
	v := parquet.NullValue()
	switch kind := rowColumns[column].kind; {
	case length == 0:
		p.values = append(p.values, v.Level(0, 0, column))
		return rest
	case kind == textRow:
		v = parquet.ByteArrayValue(rest[:length-1])
		rest = rest[length-1:]
	default:
		number, n := binary.Varint(rest)
		rest = rest[n:]
		if v = parquet.Int64Value(number); kind == boolRow {
			v = parquet.BooleanValue(number == 1)
		}
	}
	p.values = append(p.values, v.Level(0, 1, column))
	return rest
}

// flush hands the batch on.
func (p *parquetRows) flush() error {
	_, err := p.to.WriteRows(p.rows)
	p.values, p.rows = p.values[:0], p.rows[:0]
	return err
}

// Close writes the last row group and the footer.
func (p *parquetRows) Close() error { return p.to.Close() }
