package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"
)

const (
	// A row group is held in memory until it is written: it has so many bytes of rows as they are
	// handed to Write, and one row more. A page has 64 KiB of a column.
	rowGroupBytes = 32 << 20
	pageBytes     = 64 << 10
	// dictionaryBytes bounds the different texts of a column in a row group; with more of them they
	// stand in the rows.
	dictionaryBytes = 1 << 20
	// rowBatch is how many rows are handed to the library at once. It looks at the size of a page
	// behind each batch.
	rowBatch = 64
)

// Kind is the type of the values of a column that is written.
type Kind uint8

// The kinds of columns.
const (
	Text  Kind = iota // UTF-8
	Int64             // a number
	Int32             // a number
	Time              // microseconds since 1970, UTC
	Bool              // a number, 0 or 1
	Texts             // a list of UTF-8 texts, which is not null
)

// Field is a column that is written.
type Field struct {
	Name string
	Kind Kind
	// Dictionary is set if few values are different. Columns of the kind Bool have none.
	Dictionary bool
	// Required is set if no value is null.
	Required bool
}

// AppendNull appends a value that is null to a row for Write.
func AppendNull(b []byte) []byte { return append(b, 0) }

// AppendText appends a text to a row for Write. It must be UTF-8.
func AppendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))+1), text...)
}

// AppendNumber appends a number to a row for Write.
func AppendNumber(b []byte, n int64) []byte { return binary.AppendVarint(append(b, 1), n) }

// AppendTexts appends a list to a row for Write.
func AppendTexts[T string | []byte](b []byte, list []T) []byte {
	b = binary.AppendUvarint(b, uint64(len(list))+1)
	for _, text := range list {
		b = AppendText(b, text)
	}
	return b
}

// Writer writes rows as Parquet, compressed with Snappy. The same rows make the same bytes, however
// they are divided into calls of Write. It is for one goroutine.
type Writer struct {
	to      *parquet.GenericWriter[any]
	fields  []Field
	columns []*parquet.ColumnWriter
	values  [][]parquet.Value // of each column, in a batch of rows
	texts   []byte            // what they point to
	rows    int               // of the batch
	held    int               // bytes of the rows of the row group
}

// NewWriter returns a writer of rows with the fields. The name is that of the schema.
func NewWriter(w io.Writer, name string, fields []Field) *Writer {
	to := parquet.NewGenericWriter[any](w, schemaOf(name, fields), parquet.Compression(&snappy.Codec{}),
		parquet.PageBufferSize(pageBytes), parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.CreatedBy("robotsieve", "", ""))
	return &Writer{to: to, fields: fields, columns: to.ColumnWriters(), values: make([][]parquet.Value, len(fields))}
}

// stored is how the values of each kind are stored: their type, and what the tag of a field has for it.
var stored = [...]struct {
	as  reflect.Type
	tag string
}{
	Text: {reflect.TypeFor[string](), ""}, Int64: {reflect.TypeFor[int64](), ""}, Int32: {reflect.TypeFor[int32](), ""},
	Time: {reflect.TypeFor[int64](), ",timestamp(microsecond)"}, Bool: {reflect.TypeFor[bool](), ""},
	Texts: {reflect.TypeFor[[]string](), ",list"},
}

// schemaOf returns the schema of rows. It is made from a type of struct, which keeps the order of
// the columns.
func schemaOf(name string, fields []Field) *parquet.Schema {
	types := make([]reflect.StructField, len(fields))
	for i, f := range fields {
		tag := f.Name + stored[f.Kind].tag
		if f.Kind != Texts && !f.Required {
			tag += ",optional"
		}
		if f.Dictionary {
			tag += ",dict"
		}
		tag = fmt.Sprintf("parquet:%q", tag)
		types[i] = reflect.StructField{Name: fmt.Sprintf("C%d", i), Type: stored[f.Kind].as, Tag: reflect.StructTag(tag)}
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(types)).Interface())
	return parquet.NewSchema(name, schema)
}

// Write writes whole rows. A row is made with AppendText and the like, a value for each field. The
// writer keeps no part of the rows.
func (w *Writer) Write(rows []byte) (int, error) {
	for rest := rows; len(rest) > 0; {
		rest = w.row(rest, 0)
		if err := w.end(); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// row adds the values of a row from a column on to the batch.
func (w *Writer) row(rows []byte, column int) []byte {
	rest := rows
	for ; column < len(w.fields); column++ {
		rest = w.value(rest, column)
	}
	w.held += len(rows) - len(rest)
	return rest
}

// end ends a row, and the batch and the row group if they are large enough.
func (w *Writer) end() error {
	w.rows++
	full := w.held >= rowGroupBytes
	if w.rows < rowBatch && !full {
		return nil
	}
	if err := w.flush(); err != nil || !full {
		return err
	}
	w.held = 0
	return w.to.Flush()
}

// value reads the value of a field.
func (w *Writer) value(rest []byte, column int) []byte {
	length, n := binary.Uvarint(rest)
	rest = rest[n:]
	f := &w.fields[column]
	switch {
	case f.Kind == Texts:
		return w.list(rest, length, column)
	case length == 0:
		w.add(column, parquet.NullValue(), 0, 0)
		return rest
	}
	defined := 1
	if f.Required {
		defined = 0
	}
	if f.Kind == Text {
		w.add(column, w.text(rest[:length-1]), 0, defined)
		return rest[length-1:]
	}
	number, n := binary.Varint(rest)
	v := parquet.Int64Value(number)
	switch f.Kind {
	case Int32:
		v = parquet.Int32Value(int32(number))
	case Bool:
		v = parquet.BooleanValue(number == 1)
	}
	w.add(column, v, 0, defined)
	return rest[n:]
}

// list reads the texts of a list, whose length is one more than their number.
func (w *Writer) list(rest []byte, length uint64, column int) []byte {
	if length <= 1 {
		w.add(column, parquet.NullValue(), 0, 0)
		return rest
	}
	for i := range length - 1 {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		w.add(column, w.text(rest[:n-1]), min(int(i), 1), 1)
		rest = rest[n-1:]
	}
	return rest
}

// add adds a value to a column of the batch.
func (w *Writer) add(column int, v parquet.Value, repetition, definition int) {
	w.values[column] = append(w.values[column], v.Level(repetition, definition, column))
}

// text returns a value of a text, which is copied.
func (w *Writer) text(b []byte) parquet.Value {
	at := len(w.texts)
	w.texts = append(w.texts, b...)
	return parquet.ByteArrayValue(w.texts[at:])
}

// flush hands the batch on. The library takes the address of the first value, so there must be one.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	for i, column := range w.columns {
		if _, err := column.WriteRowValues(w.values[i]); err != nil {
			return err
		}
		w.values[i] = w.values[i][:0]
	}
	w.texts, w.rows = w.texts[:0], 0
	return nil
}

// Close writes the last row group and the footer. Without it the file has no footer, and no reader
// accepts it.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.to.Close()
}
