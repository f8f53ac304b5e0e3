package columnar

import (
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// widths is the number of bytes of a type's values, 0 if it varies.
var widths = map[format.Type]int{format.Int32: 4, format.Int64: 8, format.Int96: 12, format.Float: 4, format.Double: 8}

// meaning is what the values of a column mean.
type meaning int8

const (
	otherValues meaning = iota // they can't be read
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

// isTime reports whether the values are times whose unit the schema states.
func (m meaning) isTime() bool { return m >= days }

// element holds the used fields of SchemaElement.
type element struct {
	Type       thrift.Null[format.Type]              `thrift:"1"`
	Repetition format.FieldRepetitionType            `thrift:"3"`
	Name       string                                `thrift:"4"`
	Children   int32                                 `thrift:"5"`
	Converted  thrift.Null[deprecated.ConvertedType] `thrift:"6"`
	Logical    thrift.Null[format.LogicalType]       `thrift:"10"`
}

// group is an element of the schema with children.
type group struct {
	path   string
	left   int32 // remaining children
	levels int
	list   bool
}

// columnsOf returns the columns of a schema, which is a tree in depth-first order: each element
// declares its number of children, which follow it.
func columnsOf(schema []element) (columns []Column, err error) {
	if len(schema) == 0 {
		return nil, errors.New("the schema is incomplete")
	}
	open := []group{{left: schema[0].Children}} // from the root down to the group of the next element
	bytes := 0                                  // of names
	for i := range schema[1:] {
		for len(open) > 0 && open[len(open)-1].left == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil, errors.New("the schema has more than one root")
		}
		parent, e := &open[len(open)-1], &schema[1+i]
		parent.left--
		g := group{path: e.Name, left: e.Children, levels: parent.levels}
		g.list = parent.list || e.Repetition == format.Repeated
		if parent.path != "" {
			g.path = parent.path + "." + e.Name
		}
		if e.Repetition != format.Required {
			g.levels++
		}
		bytes += len(g.path)
		switch {
		case e.Repetition < format.Required || e.Repetition > format.Repeated || e.Children < 0:
			return nil, errors.New("the schema is damaged")
		case bytes > maxSchema || len(columns) == maxColumns:
			return nil, fmt.Errorf("the schema has more than %d columns, or %d bytes of names", maxColumns, maxSchema)
		case len(open) == maxNesting:
			return nil, fmt.Errorf("the schema is more than %d levels deep", maxNesting)
		case e.Children > 0:
			open = append(open, g)
		case e.Type.Valid:
			columns = append(columns, Column{strings.Clone(g.path), e.String(), g.list, e.Type.V, e.meaning(), g.levels})
		}
	}
	for _, g := range open {
		if g.left != 0 {
			return nil, errors.New("the schema is incomplete")
		}
	}
	return columns, nil
}

// String returns the type of the values in the format's notation.
func (e *element) String() string {
	if e.Logical.V.Value != nil {
		return e.Logical.V.String()
	}
	return e.Type.V.String()
}

// bare is the meaning of values without an annotation.
var bare = map[format.Type]meaning{
	format.ByteArray: text, format.Int32: integer, format.Int64: integer, format.Float: float, format.Double: float,
}

// meaning returns the meaning of the values. An annotation that doesn't fit the stored type makes
// them unreadable.
func (e *element) meaning() meaning {
	switch {
	case e.Type.V == format.Int96:
		return ancient
	case e.Logical.Valid:
		return logical(e.Logical.V).storedAs(e.Type.V)
	case e.Converted.Valid:
		return converted[e.Converted.V].storedAs(e.Type.V)
	}
	return bare[e.Type.V]
}

// logical returns the meaning according to LogicalType.
func logical(l format.LogicalType) meaning {
	switch l := l.Value.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return text
	case *format.DateType:
		return days
	case *format.TimestampType:
		switch l.Unit.Value.(type) {
		case *format.MilliSeconds:
			return milliseconds
		case *format.MicroSeconds:
			return microseconds
		case *format.NanoSeconds:
			return nanoseconds
		}
	case *format.IntType:
		if l.IsSigned {
			return integer
		}
		return unsigned
	}
	return otherValues
}

// converted returns the meaning according to ConvertedType, the predecessor of LogicalType.
var converted = map[deprecated.ConvertedType]meaning{
	deprecated.UTF8: text, deprecated.Enum: text, deprecated.Json: text, deprecated.Date: days,
	deprecated.TimestampMillis: milliseconds, deprecated.TimestampMicros: microseconds,
	deprecated.Uint8: unsigned, deprecated.Uint16: unsigned, deprecated.Uint32: unsigned, deprecated.Uint64: unsigned,
	deprecated.Int8: integer, deprecated.Int16: integer, deprecated.Int32: integer, deprecated.Int64: integer,
}

// storedAs returns the meaning if values with it may be stored as a type.
func (m meaning) storedAs(of format.Type) meaning {
	fits := false
	switch of {
	case format.ByteArray:
		fits = m == text
	case format.Int32:
		fits = m == integer || m == unsigned || m == days
	case format.Int64:
		fits = m == integer || m == unsigned || m.isTime() && m != days
	}
	if !fits {
		return otherValues
	}
	return m
}
