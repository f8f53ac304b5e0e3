package columnar

import (
	"errors"
	"fmt"
)

// physical is how the values of a column are stored.
type physical int8

const (
	booleans physical = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArrays
	fixedArrays
)

// width is how many bytes a value has, 0 if they differ.
func (p physical) width() int {
	return [...]int{int32s: 4, int64s: 8, int96s: 12, floats: 4, doubles: 8, fixedArrays: 0}[p]
}

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

// isTime tells whether the values are times whose unit the schema states.
func (m meaning) isTime() bool { return m >= days }

// schemaReader makes the columns of the elements of the schema, which is a tree in depth-first
// order: an element tells how many children it has, and they follow.
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

// element is what an element of the schema says.
type element struct {
	name       string
	physical   int64
	repetition int64
	children   int64
	converted  int64
	logical    int64
	unit       int64
	unsigned   bool
}

// Repetition types.
const (
	required = iota
	optional
	repeated
)

// done tells whether the tree is complete.
func (s *schemaReader) done() bool { return s.seen && len(s.open) == 0 }

func (s *schemaReader) element(t *compact) {
	e := readElement(t)
	if s.err == nil && !t.bad {
		s.err = s.add(&e)
	}
}

func (s *schemaReader) add(e *element) error {
	if !s.seen {
		s.seen = true
		s.push(group{left: e.children})
		return nil
	}
	if len(s.open) == 0 {
		return errors.New("the schema has more than one root")
	}
	parent := &s.open[len(s.open)-1]
	parent.left--
	g := group{path: e.name, left: e.children, levels: parent.levels, list: parent.list || e.repetition == repeated}
	if parent.path != "" {
		g.path = parent.path + "." + e.name
	}
	if e.repetition != required {
		g.levels++
	}
	s.bytes += len(g.path)
	switch {
	case e.repetition < required || e.repetition > repeated || e.children < 0:
		return errors.New("the schema is damaged")
	case s.bytes > maxSchema || len(s.columns) == maxColumns:
		return fmt.Errorf("the schema has more than %d columns, or %d bytes of names", maxColumns, maxSchema)
	case len(s.open) == maxNesting:
		return fmt.Errorf("the schema is more than %d levels deep", maxNesting)
	case e.children == 0 && e.physical >= 0:
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

func readElement(t *compact) element {
	e := element{physical: -1, converted: convertedNone}
	for id, kind := range t.fields() {
		switch id {
		case 1:
			e.physical = min(t.number(), int64(fixedArrays)) // others cannot be read either
		case 3:
			e.repetition = t.number()
		case 4:
			e.name = string(t.binary())
		case 5:
			e.children = t.number()
		case 6:
			e.converted = t.number()
		case 10:
			e.readLogical(t, kind)
		default:
			t.skip(kind)
		}
	}
	return e
}

// readLogical reads the union LogicalType: the number of its field is the type.
func (e *element) readLogical(t *compact, kind byte) {
	if kind != thriftStruct {
		t.fail(false)
		return
	}
	for id, kind := range t.fields() {
		e.logical = id
		switch {
		case kind != thriftStruct:
			t.fail(false)
		case id == logicalTimestamp:
			e.readTimestamp(t)
		case id == logicalInteger:
			e.readInteger(t)
		default:
			t.skip(kind)
		}
	}
}

// readTimestamp reads TimestampType: its second field is a union of units.
func (e *element) readTimestamp(t *compact) {
	for id, kind := range t.fields() {
		if id == 2 && kind == thriftStruct {
			unit := *t
			unit.field(&e.unit)
		}
		t.skip(kind)
	}
}

// readInteger reads IntType: its second field tells whether it has a sign.
func (e *element) readInteger(t *compact) {
	for id, kind := range t.fields() {
		e.unsigned = e.unsigned || id == 2 && kind == thriftFalse
		t.skip(kind)
	}
}

// Fields of the union LogicalType.
const (
	logicalString    = 1
	logicalEnum      = 4
	logicalDate      = 6
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalJSON      = 12
)

// Fields of the union TimeUnit.
const (
	unitMillis = 1
	unitNanos  = 3
)

// Values of ConvertedType, which was there before LogicalType.
const (
	convertedNone   = -1
	convertedUTF8   = 0
	convertedEnum   = 4
	convertedDate   = 6
	convertedMillis = 9
	convertedMicros = 10
	convertedUint8  = 11
	convertedUint64 = 14
	convertedInt8   = 15
	convertedInt64  = 18
	convertedJSON   = 19
)

func (e *element) column(g *group) Column {
	c := Column{Name: g.path, List: g.list, levels: g.levels, physical: physical(e.physical)}
	c.meaning = e.meaning()
	if c.Type = c.meaning.String(); c.meaning == otherValues {
		c.Type = e.otherType()
	}
	if c.List {
		c.Type = "list of " + c.Type
	}
	return c
}

// meaning returns what the values are. An annotation that does not fit how they are stored makes
// them unreadable.
func (e *element) meaning() meaning {
	switch physical(e.physical) {
	case byteArrays:
		return e.textMeaning()
	case int64s, int32s:
		return e.integerMeaning()
	case int96s:
		return ancient
	case floats, doubles:
		if e.logical == 0 && e.converted == convertedNone {
			return float
		}
	}
	return otherValues
}

func (e *element) textMeaning() meaning {
	switch {
	case e.logical == logicalString, e.logical == logicalEnum, e.logical == logicalJSON:
		return text
	case e.logical != 0:
		return otherValues
	}
	switch e.converted {
	case convertedNone, convertedUTF8, convertedEnum, convertedJSON:
		return text
	}
	return otherValues
}

func (e *element) integerMeaning() meaning {
	switch {
	case e.logical == logicalTimestamp && physical(e.physical) == int64s && e.unit >= unitMillis && e.unit <= unitNanos:
		return milliseconds + meaning(e.unit-unitMillis)
	case e.logical == logicalDate && physical(e.physical) == int32s:
		return days
	case e.logical == logicalInteger && e.unsigned:
		return unsigned
	case e.logical == logicalInteger:
		return integer
	case e.logical != 0:
		return otherValues
	}
	switch c := e.converted; {
	case c == convertedNone:
		return integer
	case c == convertedDate && physical(e.physical) == int32s:
		return days
	case c == convertedMillis && physical(e.physical) == int64s:
		return milliseconds
	case c == convertedMicros && physical(e.physical) == int64s:
		return microseconds
	case c >= convertedUint8 && c <= convertedUint64:
		return unsigned
	case c >= convertedInt8 && c <= convertedInt64:
		return integer
	}
	return otherValues
}

// otherType names the type of values that cannot be read.
func (e *element) otherType() string {
	switch physical(e.physical) {
	case booleans:
		return "boolean"
	case fixedArrays:
		return "octets"
	}
	return "another type"
}
