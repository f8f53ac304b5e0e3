package columnar

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// widths is how many bytes a value of a type has, 0 if they differ.
var widths = map[format.Type]int{format.Int32: 4, format.Int64: 8, format.Int96: 12, format.Float: 4, format.Double: 8}

// meaning is what the values of a column are.
type meaning int8

const (
	otherValues meaning = iota // they cannot be read
	text
	integer
	unsigned
	float
	days
	milliseconds
	microseconds
	nanoseconds
	ancient // INT96, a day and nanoseconds
)

func (m meaning) String() string {
	return [...]string{"", "text", "integer", "integer", "number", "date", "timestamp", "timestamp", "timestamp", "timestamp"}[m]
}

// isTime reports whether the values are times whose unit the schema states.
func (m meaning) isTime() bool { return m >= days }

// schemaReader makes the columns of the elements of the schema, which is a tree in depth-first
// order: an element says how many children it has, and they follow.
type schemaReader struct {
	columns []Column
	open    []group // from the root down to the group that the next element is in
	seen    bool    // the root
	bytes   int     // of names
	err     error
}

// group is an element with children.
type group struct {
	path   string
	left   int64 // children that follow
	levels int
	list   bool
}

// element is SchemaElement
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
type element struct {
	Type       thrift.Null[format.Type]              `thrift:"1"`
	Repetition format.FieldRepetitionType            `thrift:"3"`
	Name       string                                `thrift:"4"`
	Children   int32                                 `thrift:"5"`
	Converted  thrift.Null[deprecated.ConvertedType] `thrift:"6"`
	Logical    *logicalType                          `thrift:"10"`
}

// logicalType is the union LogicalType without the types that cannot be read.
type logicalType struct {
	String    *struct{} `thrift:"1"`
	Enum      *struct{} `thrift:"4"`
	Date      *struct{} `thrift:"6"`
	Timestamp *struct {
		Unit struct {
			Milliseconds *struct{} `thrift:"1"`
			Microseconds *struct{} `thrift:"2"`
			Nanoseconds  *struct{} `thrift:"3"`
		} `thrift:"2"`
	} `thrift:"8"`
	Integer *struct {
		Signed thrift.Null[bool] `thrift:"2"`
	} `thrift:"10"`
	JSON *struct{} `thrift:"12"`
}

// done reports whether the tree is complete.
func (s *schemaReader) done() bool { return s.seen && len(s.open) == 0 }

func (s *schemaReader) element(t *compact) {
	var e element
	t.read(&e)
	if s.err == nil && !t.bad {
		s.err = s.add(&e)
	}
}

func (s *schemaReader) add(e *element) error {
	if !s.seen {
		s.seen = true
		s.push(group{left: int64(e.Children)})
		return nil
	}
	if len(s.open) == 0 {
		return errors.New("the schema has more than one root")
	}
	parent := &s.open[len(s.open)-1]
	parent.left--
	g := group{path: e.Name, left: int64(e.Children), levels: parent.levels, list: parent.list || e.Repetition == format.Repeated}
	if parent.path != "" {
		g.path = parent.path + "." + e.Name
	}
	if e.Repetition != format.Required {
		g.levels++
	}
	s.bytes += len(g.path)
	switch {
	case e.Repetition < format.Required || e.Repetition > format.Repeated || e.Children < 0:
		return errors.New("the schema is damaged")
	case s.bytes > maxSchema || len(s.columns) == maxColumns:
		return fmt.Errorf("the schema has more than %d columns, or %d bytes of names", maxColumns, maxSchema)
	case len(s.open) == maxNesting:
		return fmt.Errorf("the schema is more than %d levels deep", maxNesting)
	case e.Children == 0 && e.Type.Valid:
		s.columns = append(s.columns, e.column(&g))
	}
	s.push(g)
	return nil
}

// push opens a group, and closes those that are complete.
func (s *schemaReader) push(g group) {
	s.open = append(s.open, g)
	for n := len(s.open); n > 0 && s.open[n-1].left <= 0; n-- {
		s.open = s.open[:n-1]
	}
}

func (e *element) column(g *group) Column {
	c := Column{Name: g.path, List: g.list, levels: g.levels, physical: e.Type.V}
	c.meaning = e.meaning()
	if c.Type = c.meaning.String(); c.meaning == otherValues {
		c.Type = e.otherType()
	}
	if c.List {
		c.Type = "list of " + c.Type
	}
	return c
}

// bare is what values are that have no annotation.
var bare = map[format.Type]meaning{format.ByteArray: text, format.Int32: integer, format.Int64: integer, format.Float: float, format.Double: float}

// meaning returns what the values are. An annotation that does not fit how they are stored makes
// them unreadable.
func (e *element) meaning() meaning {
	switch {
	case e.Type.V == format.Int96:
		return ancient
	case e.Logical != nil:
		return e.Logical.meaning(e.Type.V)
	case e.Converted.Valid:
		return converted(e.Converted.V, e.Type.V)
	}
	return bare[e.Type.V]
}

func (l *logicalType) meaning(of format.Type) meaning {
	isInteger := of == format.Int32 || of == format.Int64
	switch {
	case of == format.ByteArray && (l.String != nil || l.Enum != nil || l.JSON != nil):
		return text
	case of == format.Int32 && l.Date != nil:
		return days
	case of == format.Int64 && l.Timestamp != nil:
		switch unit := &l.Timestamp.Unit; {
		case unit.Milliseconds != nil:
			return milliseconds
		case unit.Microseconds != nil:
			return microseconds
		case unit.Nanoseconds != nil:
			return nanoseconds
		}
	case isInteger && l.Integer != nil && l.Integer.Signed.Valid && !l.Integer.Signed.V:
		return unsigned
	case isInteger && l.Integer != nil:
		return integer
	}
	return otherValues
}

// converted returns what the values are by ConvertedType, which was there before LogicalType.
func converted(c deprecated.ConvertedType, of format.Type) meaning {
	isInteger := of == format.Int32 || of == format.Int64
	switch {
	case of == format.ByteArray && (c == deprecated.UTF8 || c == deprecated.Enum || c == deprecated.Json):
		return text
	case of == format.Int32 && c == deprecated.Date:
		return days
	case of == format.Int64 && c == deprecated.TimestampMillis:
		return milliseconds
	case of == format.Int64 && c == deprecated.TimestampMicros:
		return microseconds
	case isInteger && c >= deprecated.Uint8 && c <= deprecated.Uint64:
		return unsigned
	case isInteger && c >= deprecated.Int8 && c <= deprecated.Int64:
		return integer
	}
	return otherValues
}

// otherType names the type of values that cannot be read.
func (e *element) otherType() string {
	switch e.Type.V {
	case format.Boolean:
		return "boolean"
	case format.FixedLenByteArray:
		return "octets"
	}
	return "another type"
}
