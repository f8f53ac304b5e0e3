package columnar

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// A row group is held in memory until it is written. This is its size in bytes, as passed to
	// Write, which the last row may exceed. A page has 64 KiB of a column.
	rowGroupBytes = 32 << 20
	pageBytes     = 64 << 10
	// dictionaryBytes limits the distinct values of a column in a row group. After the row that
	// exceeds it, values are stored directly in the pages.
	dictionaryBytes = 1 << 20
	// boundBytes is the maximum length of a text that is recorded as the least or greatest of a
	// column.
	boundBytes = 64
)

// Kind is the type of a written column's values.
type Kind uint8

// The kinds of columns.
const (
	Text     Kind = iota // UTF-8
	Int64                // a number
	Int32                // a number
	Time                 // microseconds since 1970, UTC
	Bool                 // a number, 0 or 1
	textList             // a list of UTF-8 texts, never null
)

// Field is a column to write.
type Field struct {
	Name string
	Kind Kind
	// Dictionary is set if there are few distinct values. Columns of the kind Bool have none.
	Dictionary bool
	// Required is set if no value is null.
	Required bool
}

// AppendNull appends a null to a row for Write.
func AppendNull(b []byte) []byte { return append(b, 0) }

// AppendText appends a text to a row for Write. It must be UTF-8.
func AppendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))+1), text...)
}

// AppendNumber appends a number to a row for Write.
func AppendNumber(b []byte, n int64) []byte { return binary.AppendVarint(append(b, 1), n) }

// Writer writes rows as Parquet, compressed with Snappy. The same rows give the same bytes, however
// they are divided into calls of Write. It isn't safe for concurrent use.
//
// The library's own writer isn't used, because it would add Protocol Buffers, geometry and all
// codecs, a quarter of the command's size. Structs and encodings are the library's.
type Writer struct {
	to     io.Writer
	fields []Field
	chunks []columnChunk // one per field
	footer format.FileMetaData
	rows   int64 // in the row group
	held   int   // bytes of the row group's rows
	at     int64 // bytes written
}

// NewWriter returns a writer of rows with the fields. name is the name of the schema.
func NewWriter(w io.Writer, name string, fields []Field) *Writer {
	to := &Writer{to: w, fields: fields, chunks: make([]columnChunk, len(fields))}
	schema := []format.SchemaElement{{Name: name, NumChildren: thrift.New(int32(len(fields)))}}
	for i := range fields {
		to.chunks[i].begin(&fields[i])
		schema = append(schema, fields[i].schema()...)
		to.footer.ColumnOrders = append(to.footer.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	to.footer.Version, to.footer.Schema, to.footer.CreatedBy = 1, schema, "robotsieve"
	return to
}

// stored is the storage of each kind's values: their type, and their size in bytes, 0 for texts.
var stored = [...]struct {
	as    format.Type
	width int
}{
	Text: {format.ByteArray, 0}, Int64: {format.Int64, 8}, Int32: {format.Int32, 4}, Time: {format.Int64, 8},
	Bool: {format.Boolean, 1}, textList: {format.ByteArray, 0},
}

// schema returns the elements of a field. Lists have three
// (https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#lists).
func (f *Field) schema() []format.SchemaElement {
	e := format.SchemaElement{Name: f.Name, Type: thrift.New(stored[f.Kind].as),
		RepetitionType: thrift.New(format.Optional)}
	if f.Required || f.Kind == textList {
		e.RepetitionType = thrift.New(format.Required)
	}
	switch f.Kind {
	case Text, textList:
		e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.UTF8), new(format.StringType)
	case Time:
		unit := format.TimeUnit{Value: new(format.MicroSeconds)}
		e.ConvertedType = thrift.New(deprecated.TimestampMicros)
		e.LogicalType.Value = &format.TimestampType{IsAdjustedToUTC: true, Unit: unit}
	}
	if f.Kind != textList {
		return []format.SchemaElement{e}
	}
	list := format.SchemaElement{Name: f.Name, RepetitionType: e.RepetitionType, NumChildren: thrift.New(int32(1)),
		ConvertedType: thrift.New(deprecated.List), LogicalType: format.LogicalType{Value: new(format.ListType)}}
	e.Name = "element"
	return []format.SchemaElement{list,
		{Name: "list", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(1))}, e}
}

// Write writes whole rows. A row is made with AppendText and the like, one value per field. The
// writer retains nothing of the rows.
func (w *Writer) Write(rows []byte) (int, error) {
	for rest := rows; len(rest) > 0; {
		rest = w.row(rest, 0)
		if err := w.end(); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// row adds the values of a row, starting at a column.
func (w *Writer) row(rows []byte, column int) []byte {
	rest := rows
	for ; column < len(w.fields); column++ {
		rest = w.value(rest, column)
	}
	w.held += len(rows) - len(rest)
	return rest
}

// end ends a row, and its pages and the row group if they are large enough.
func (w *Writer) end() error {
	w.rows++
	for i := range w.chunks {
		if err := w.chunks[i].endRow(); err != nil {
			return err
		}
	}
	if w.held < rowGroupBytes {
		return nil
	}
	return w.flush()
}

// value reads the value of a field.
func (w *Writer) value(rest []byte, column int) []byte {
	length, n := binary.Uvarint(rest)
	rest = rest[n:]
	c := &w.chunks[column]
	switch {
	case c.field.Kind == textList:
		return c.list(rest, length)
	case length == 0:
		c.null()
		return rest
	case c.field.Kind == Text:
		c.add(rest[:length-1], 0)
		return rest[length-1:]
	}
	number, n := binary.Varint(rest)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(number))
	c.add(b[:stored[c.field.Kind].width], 0)
	return rest[n:]
}

// flush writes the row group.
func (w *Writer) flush() error {
	if w.rows == 0 {
		return nil
	}
	group := format.RowGroup{NumRows: w.rows, Ordinal: int16(len(w.footer.RowGroups))}
	for i := range w.chunks {
		if err := w.begin(); err != nil {
			return err
		}
		c := &w.chunks[i]
		data, about, err := c.end(w.at)
		if err != nil {
			return err
		}
		if err := w.put(data); err != nil {
			return err
		}
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: about})
		group.TotalByteSize += about.TotalUncompressedSize
		group.TotalCompressedSize += about.TotalCompressedSize
		c.begin(c.field)
	}
	w.footer.RowGroups = append(w.footer.RowGroups, group)
	w.footer.NumRows += w.rows
	w.rows, w.held = 0, 0
	return nil
}

// begin writes the beginning of the file, if it is empty.
func (w *Writer) begin() error {
	if w.at > 0 {
		return nil
	}
	return w.put([]byte(magic))
}

func (w *Writer) put(b []byte) error {
	n, err := w.to.Write(b)
	w.at += int64(n)
	return err
}

// Close writes the last row group and the footer, without which no reader accepts the file.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	footer, err := thrift.Marshal(&protocol, &w.footer)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.put(append(footer, magic...))
}
