package format

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// columnFormats are the formats whose lines are columns.
var columnFormats = []*Format{w3cFormat, cloudfrontFormat, cloudfrontRealtimeFormat, zeekFormat, gcsFormat, apacheCSVFormat}

// columns reads formats whose lines are fields with delimiters between them. A header in
// the log names the columns, and may come again with other ones; or they are fixed. A line
// with another number of fields than there are columns is not parsed: its fields cannot be
// told apart.
//
// Next is called for every line, so the delimiters are found by the index of type lines,
// and only the columns that a record needs are looked at.
type columns struct {
	lines
	values
	*dialect
	first  *heading            // in force at the beginning of the log
	now    *heading            // in force
	known  map[string]*heading // by the header lines seen, up to maxKnown
	fields []field             // of the line that Next returned last
}

// maxKnown bounds the headers that a reader remembers. Most logs have one, again and again.
const maxKnown = 16

// dialect is how a family of logs writes its columns. It is immutable.
type dialect struct {
	delimiter byte
	runs      bool    // several delimiters in a row are one, and none begins or ends a line
	quotes    quoting // of fields that hold delimiters
	directive byte    // begins lines that are no requests by design; 0: none does
	header    string  // begins the line that names the columns; "": they are fixed
	names     []column
	empty     string // stands for an empty field
	day       layout // of day and timeOfDay
	instant   layout // of moment
}

// quoting is how fields in quotes are written.
type quoting uint8

const (
	unquoted quoting = iota // a quote is like any other octet
	doubled                 // a quote in a field is written twice
	slashed                 // a quote in a field has a backslash before it
)

// column says what a column with a name is about. The first in dialect.names counts if a
// log has several of one part.
type column struct {
	name  string // in lower case
	part  part
	spell spelling
}

// heading is what a header says.
type heading struct {
	line                  []byte // the header itself, nil if the columns are fixed
	says                  meaning
	count                 int // of columns
	target, agent, method int // their columns, -1 if there is none
	all                   []located
}

// located is a part and its column.
type located struct {
	part part
	at   int
}

// maxColumns and maxHeader bound a header, in columns and bytes. W3C has 60 columns at
// most, and CloudFront 46.
const (
	maxColumns = 400
	maxHeader  = 16 << 10
)

// columnsOf returns what columns with these names say; nil if no target is among them, or
// there are too many.
func (d *dialect) columnsOf(line []byte, names []string) *heading {
	o := &heading{line: line, count: len(names), target: -1, agent: -1, method: -1}
	if len(names) > maxColumns {
		return none
	}
	for i, name := range names {
		names[i] = strings.ToLower(name)
	}
	for _, c := range d.names {
		at := slices.Index(names, c.name)
		if at < 0 || o.says.parts[c.part] {
			continue
		}
		o.says.parts[c.part] = true
		o.says.spell[c.part] = d.spelled(c.spell)
		o.all = append(o.all, located{c.part, at})
		switch c.part {
		case userAgent:
			o.agent = at
		case methodName:
			o.method = at
		}
	}
	if !o.says.parts[day] { // a time of day alone tells nothing
		o.says.parts[timeOfDay] = false
	}
	if o.says.parts[timeOfDay] {
		o.says.layout, o.says.parts[moment] = d.day, false
	} else if o.says.parts[moment] {
		o.says.layout = d.instant
	}
	for _, l := range o.all {
		if l.part == o.says.targetPart() {
			o.target = l.at
		}
	}
	if o.target < 0 {
		return none
	}
	return o
}

// spelled returns how a column is spelled: what is in quotes is written as quotes want it.
func (d *dialect) spelled(s spelling) spelling {
	switch d.quotes {
	case doubled:
		return undoubled
	case slashed:
		return backslashed
	}
	return s
}

// named returns what a header line says.
func (d *dialect) named(line []byte) *heading {
	text := string(line)
	if d.directive != 0 {
		text = text[len(d.header):]
	}
	names := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' })
	for i, name := range names {
		names[i] = strings.Trim(name, `"`)
	}
	return d.columnsOf(bytes.Clone(line), names)
}

// isHeader tells whether a line names columns.
func (d *dialect) isHeader(line []byte) bool {
	return d.header != "" && len(line) <= maxHeader && len(line) >= len(d.header) && string(line[:len(d.header)]) == d.header
}

// newColumns returns a reader of a dialect that begins with columns.
func newColumns(f *Format, d *dialect, first *heading) Reader {
	c := &columns{dialect: d, first: first, known: map[string]*heading{}}
	c.marked = octets{d.delimiter, '\n', '\n'}
	if d.quotes != unquoted {
		c.marked[2] = '"'
	}
	c.zone = f.zone
	c.use(first)
	return c
}

// columnFormat returns a row of the table of formats. One without a header has columns by
// these names, the others are bound to the header of each log: see bindColumns.
func columnFormat(f Format, d *dialect, names ...string) *Format {
	first := none
	if d.header == "" {
		first = d.columnsOf(nil, names)
	}
	f.dialect, f.meaning = d, first.says
	f.newReader = func(f *Format) Reader { return newColumns(f, d, first) }
	return &f
}

// none are the columns of a log before its first header, and behind one without a target.
var none = &heading{target: -1, agent: -1, method: -1}

// use makes columns those of the lines that follow.
func (c *columns) use(h *heading) {
	zone := c.zone
	c.now, c.meaning = h, h.says
	c.zone = zone
	c.begin()
	c.fields = slices.Grow(c.fields[:0], h.count)[:h.count]
}

// SetHeader implements Headed.
func (c *columns) SetHeader(line []byte) {
	switch {
	case len(line) == 0:
		c.use(c.first)
		return
	case bytes.Equal(line, c.now.line):
		return
	}
	h := c.known[string(line)]
	if h == nil {
		if len(c.known) == maxKnown {
			clear(c.known)
		}
		h = c.named(line)
		c.known[string(line)] = h
	}
	c.use(h)
}

func (c *columns) Next(r *Record) Kind {
	if c.at >= len(c.chunk) {
		return End
	}
	line, n := c.cut()
	r.Line = line
	switch {
	case len(line) == 0:
		return Blank
	case c.isHeader(line):
		c.SetHeader(line)
		return Other
	case c.directive != 0 && line[0] == c.directive:
		return Other
	case n != c.now.count || n <= 0:
		return Unparsed
	}
	c.buf = c.buf[:0]
	c.text[c.targetPart()] = c.field(line, c.now.target)
	if c.now.agent >= 0 {
		c.text[userAgent] = c.field(line, c.now.agent)
	}
	if c.now.method >= 0 {
		c.text[methodName] = c.field(line, c.now.method)
	}
	if !c.next(r) {
		return Unparsed
	}
	return Request
}

// field returns a field of the line.
func (c *columns) field(line []byte, at int) []byte {
	f := c.fields[at]
	b := line[f.start:f.end]
	if c.empty != "" && string(b) == c.empty {
		return b[:0]
	}
	return b
}

func (c *columns) Complete(r *Record) {
	for _, l := range c.now.all {
		c.text[l.part] = c.field(r.Line, l.at)
	}
	c.complete(r)
}

func (c *columns) Plausible(r *Record) bool { return c.plausible(r) }

// cut takes the next line off the chunk and returns how many fields it has, malformed if
// they cannot be told apart. If they are as many as the columns, c.fields are their places
// in the line.
func (c *columns) cut() (line []byte, n int) {
	line, n = c.cutMarked()
	if line == nil {
		c.lines.index()
		if line, n = c.cutMarked(); line == nil {
			line, n = c.search(), resplit
		}
	}
	if n == resplit {
		n = c.split(c.fields, line)
	}
	return line, n
}

const (
	malformed = -1 // a field in quotes does not end, or goes on behind its end
	resplit   = -2 // the line has to be split without marks
)

func (c *columns) cutMarked() (line []byte, n int) {
	if c.quotes == unquoted {
		return c.cutPlain()
	}
	return c.cutQuoted()
}

// cutPlain is cut by the marks, for a dialect without quotes. line is nil if its end is not
// marked.
func (c *columns) cutPlain() (line []byte, n int) {
	part, fields, back := c.chunk[c.from:], c.fields, c.lines.at-c.from
	from, gaps := back, false // gaps: there are fields without an octet
	for i, mark := range c.marks[c.i:c.n] {
		at := int(mark)
		if n < len(fields) {
			fields[n] = field{from - back, at - back}
		}
		n++
		gaps = gaps || at == from
		if part[at] == '\n' {
			line = c.take(c.i + i)
			if n <= len(fields) {
				fields[n-1].end = len(line) // without the carriage return
			}
			return line, c.counted(n, gaps)
		}
		from = at + 1
	}
	return nil, 0
}

// take takes the line off the chunk that ends at marks[i].
func (c *columns) take(i int) []byte {
	begin, end := c.lines.at, c.from+int(c.marks[i])
	c.lines.at, c.i = end+1, i+1
	return withoutReturn(c.chunk[begin:end])
}

// counted returns n, the number of fields between marks, or resplit if several delimiters
// are one and these may be so.
func (c *columns) counted(n int, gaps bool) int {
	if c.runs && (gaps || n != c.now.count) {
		return resplit
	}
	return n
}

// cutQuoted is cutPlain for a dialect with quotes.
func (c *columns) cutQuoted() (line []byte, n int) {
	part, fields, back := c.chunk[c.from:], c.fields, c.lines.at-c.from
	from, gaps := back, false
	inside, closed, bad := false, 0, false // closed is where the field's quotes end; 0: it has none
	for i := c.i; i < c.n; i++ {
		at := int(c.marks[i])
		switch octet := part[at]; {
		case octet == '"' && inside:
			switch {
			case c.quotes == slashed && escaped(part[from:at]):
			case c.quotes == doubled && at+1 < len(part) && part[at+1] == '"':
				i++
			default:
				inside, closed = false, at
			}
			continue
		case octet == '"':
			if at == from && closed == 0 {
				inside, from = true, at+1
			}
			continue
		case octet == '\n':
			line = c.take(i)
			at = back + len(line)
		case inside:
			continue
		}
		bad = bad || inside || closed > 0 && closed+1 != at
		if closed == 0 {
			gaps = gaps || at == from
			closed = at
		}
		if n < len(fields) {
			fields[n] = field{from - back, closed - back}
		}
		n++
		switch {
		case line != nil && bad:
			return line, malformed
		case line != nil:
			return line, c.counted(n, gaps)
		}
		from, closed = at+1, 0
	}
	return nil, 0
}

// split sets fields to the places of the fields of a line, as many as there is room for, and
// returns how many the line has, or malformed.
func (d *dialect) split(fields []field, line []byte) (n int) {
	for at := 0; ; at++ {
		for d.runs && at < len(line) && line[at] == d.delimiter {
			at++
		}
		if d.runs && at == len(line) {
			return n
		}
		f := field{at, len(line)}
		if d.quotes != unquoted && at < len(line) && line[at] == '"' {
			f = field{at + 1, d.closing(line, at+1)}
			if at = f.end + 1; f.end < 0 || at < len(line) && line[at] != d.delimiter {
				return malformed
			}
		} else {
			if i := bytes.IndexByte(line[at:], d.delimiter); i >= 0 {
				f.end = at + i
			}
			at = f.end
		}
		if n < len(fields) {
			fields[n] = f
		}
		if n++; at == len(line) {
			return n
		}
	}
}

// closing returns where the quotes end that a field is in from there on, -1 if they do not.
func (d *dialect) closing(line []byte, from int) int {
	for at := from; ; at++ {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return -1
		}
		at += i
		switch {
		case d.quotes == slashed && escaped(line[from:at]):
		case d.quotes == doubled && at+1 < len(line) && line[at+1] == '"':
			at++
		default:
			return at
		}
	}
}

// bracketedTime is clfTime in brackets.
func bracketedTime(b []byte, zone *time.Location) (int64, bool) {
	if len(b) < 2 || b[0] != '[' || b[len(b)-1] != ']' {
		return 0, false
	}
	return clfTime(b[1:len(b)-1], zone)
}
