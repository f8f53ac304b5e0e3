package render

import (
	"cmp"
	"math"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// column is a column of rows of a type. It is described once for all outputs: CSV, ndjson and Parquet
// use its name, Prometheus its name and meaning, docs its name, kind and meaning, and tables for
// people its heading.
type column[T any] struct {
	name string
	// heading may contain soft hyphens and zero-width spaces, where a narrow table may break it. The
	// default is the name.
	heading string
	kind    rowKind
	means   string
	// explained means that the heading is not clear enough, so the meaning is printed below tables.
	explained bool
	// judged means that the value rests on a robots.txt. It is empty without one: an unjudged crawler must
	// not look like one that broke nothing.
	judged bool
	alarm  bool // a value that is not 0 needs attention
	unlike bool // most of the values are distinct
	value  func(*T) value
}

// columns are all columns of rows of a type, in their order.
type columns[T any] []column[T]

// rowKind is the type of the values of a column.
type rowKind uint8

const (
	textRow    rowKind = iota
	integerRow         // of 64 bits
	timeRow            // in microseconds since 1970, in UTC
	boolRow
	decimalRow // the bits of a float64
)

// rowKinds name the kinds in the documentation.
var rowKinds = [...]string{textRow: "string", integerRow: "number", timeRow: "time", boolRow: "bool",
	decimalRow: "number"}

// value is a value in a row. Its column selects the field: text is in word or octets, and
// an empty text is no value.
type value struct {
	none   bool
	number int64 // also for times, and 1 for true
	word   string
	octets []byte // a view
}

// blank is an empty cell of a table for people.
var blank = value{octets: []byte{}}

func words(s string) value  { return value{none: s == "", word: s} }
func octets(b []byte) value { return value{none: len(b) == 0, octets: b} }
func integer(n int64) value { return value{number: n} }

// some is a number, or none if it is 0 or negative, which means unknown.
func some(n int64) value { return integer(n).when(n > 0) }

func (v value) when(ok bool) value {
	v.none = v.none || !ok
	return v
}

func boolean(is bool) value {
	if is {
		return value{number: 1}
	}
	return value{}
}

// timeOf is a time of a report, if it is one.
func timeOf(t report.Time) value { return integer(t.UnixMicro()).when(!t.IsZero()) }

// decimal is a number to six digits after the point, or none if it is NaN.
func decimal(x float64) value {
	return integer(int64(math.Float64bits(math.Round(x*1e6) / 1e6))).when(!math.IsNaN(x))
}

// ratio is the share of n in a number, or none if that is 0.
func ratio(n, of int64) value { return decimal(float64(n) / float64(of)).when(of > 0) }

// float returns a value of the column for outputs that support only numbers: seconds for times.
func (c *column[T]) float(v value) float64 {
	switch c.kind {
	case decimalRow:
		return math.Float64frombits(uint64(v.number))
	case timeRow:
		return float64(v.number) / 1e6
	}
	return float64(v.number)
}

// shown writes a value in a table for people: a text, or a number of an integer column.
func (v value) shown() string {
	switch {
	case v.none:
		return "-"
	case v.octets != nil:
		return string(v.octets)
	case v.word != "":
		return v.word
	}
	return english.Grouped(v.number)
}

// textFrom, wordsFrom, countFrom and valueFrom return columns of tables for people, by their heading and
// where their values are from: texts; texts of which an empty one is none; numbers, of which 0 is none;
// and numbers or texts, flush right.
func textFrom[T any](heading string, from func(*T) string) column[T] {
	return column[T]{heading: heading, value: func(row *T) value {
		if text := from(row); text != "" {
			return words(text)
		}
		return blank
	}}
}

func wordsFrom[T any](heading string, from func(*T) string) column[T] {
	return column[T]{heading: heading, value: func(row *T) value { return words(from(row)) }}
}

func countFrom[T any](heading string, from func(*T) int64) column[T] {
	return valueFrom(heading, func(row *T) value { return some(from(row)) })
}

func valueFrom[T any](heading string, from func(*T) value) column[T] {
	return column[T]{heading: heading, kind: integerRow, value: from}
}

// headed returns the column with another heading.
func (c column[T]) headed(heading string) column[T] {
	c.heading = heading
	return c
}

// inRows adapts columns to rows that contain the columns' own rows.
func inRows[R, T any](list columns[T], of func(*R) *T) (in columns[R]) {
	for _, c := range list {
		in = append(in, column[R]{name: c.name, heading: c.heading, kind: c.kind, means: c.means, explained: c.explained,
			judged: c.judged, alarm: c.alarm, unlike: c.unlike, value: func(row *R) value { return c.value(of(row)) }})
	}
	return in
}

// head returns the columns for a document.
func (l columns[T]) head() (head []Column) {
	for _, c := range l {
		head = append(head, Column{Heading: cmp.Or(c.heading, c.name), Right: c.kind != textRow})
	}
	return head
}

// sum adds up the integers of rows in a column.
func (c *column[T]) sum(rows []*T) (n int64) {
	for _, row := range rows {
		n += c.value(row).number
	}
	return n
}
