package render

import (
	"cmp"
	"math"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// column describes a column of rows of type T once for all outputs: CSV, ndjson and Parquet (name),
// Prometheus (name and meaning), the docs (these and its kind) and text tables (heading).
type column[T any] struct {
	name string
	// heading is for text tables; the default is the name. Soft hyphens and zero-width spaces may break it.
	heading string
	kind    rowKind
	means   string
	// explained means that the meaning is printed below tables, because the heading alone is unclear.
	explained bool
	// judged means that without a robots.txt the value is empty, unlike that of one without violations.
	judged bool
	alarm  bool // nonzero values need attention
	unlike bool // most values are distinct
	value  func(*T) value
}

type columns[T any] []column[T]

type rowKind uint8

const (
	textRow    rowKind = iota
	integerRow         // 64 bits
	timeRow            // microseconds since 1970, UTC
	boolRow
	decimalRow // the bits of a float64
)

// rowKinds name the kinds in the documentation.
var rowKinds = [...]string{textRow: "string", integerRow: "number", timeRow: "time", boolRow: "bool",
	decimalRow: "number"}

// value is a value in a row. Its text is in word or octets; an empty text counts as no value.
type value struct {
	none   bool
	number int64 // also for times; 1 means true
	word   string
	octets []byte // a view
}

// blank is an empty cell of a text table.
var blank = value{octets: []byte{}}

func words(s string) value  { return value{none: s == "", word: s} }
func octets(b []byte) value { return value{none: len(b) == 0, octets: b} }
func integer(n int64) value { return value{number: n} }

// some returns a number. Numbers up to 0 mean unknown, and it returns none for them.
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

// timeOf returns a report's time, or none for the zero time.
func timeOf(t report.Time) value { return integer(t.UnixMicro()).when(!t.IsZero()) }

// ratio returns n as a share of a number, rounded to six decimal places, or none if that is 0.
func ratio(n, of int64) value {
	share := math.Round(float64(n)/float64(of)*1e6) / 1e6
	return integer(int64(math.Float64bits(share))).when(of > 0)
}

// float returns a value as a number, for outputs without other types. Times are in seconds.
func (c *column[T]) float(v value) float64 {
	switch c.kind {
	case decimalRow:
		return math.Float64frombits(uint64(v.number))
	case timeRow:
		return float64(v.number) / 1e6
	}
	return float64(v.number)
}

// shown formats a text, or a number of an integer column, for a text table.
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

// textFrom, wordsFrom, countFrom and valueFrom return columns of texts, of texts that may be empty, of
// numbers where 0 means none, and of right-aligned numbers or texts.
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

// inRows adapts columns to rows of type R, which contain the columns' own rows.
func inRows[R, T any](list columns[T], of func(*R) *T) (in columns[R]) {
	for _, c := range list {
		in = append(in, column[R]{name: c.name, heading: c.heading, kind: c.kind, means: c.means, explained: c.explained,
			judged: c.judged, alarm: c.alarm, unlike: c.unlike, value: func(row *R) value { return c.value(of(row)) }})
	}
	return in
}

func (l columns[T]) head() (head []Column) {
	for _, c := range l {
		head = append(head, Column{Heading: cmp.Or(c.heading, c.name), Right: c.kind != textRow})
	}
	return head
}

func (c *column[T]) sum(rows []*T) (n int64) {
	for _, row := range rows {
		n += c.value(row).number
	}
	return n
}
