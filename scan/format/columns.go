package format

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// columnFormats are the formats whose lines are columns.
var columnFormats = []*Format{incapsulaFormat, w3cFormat, cloudfrontFormat, cloudfrontRealtimeFormat, zeekFormat, gcsFormat}

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
	initial *heading            // in force at the beginning of the log
	now     *heading            // in force
	known   map[string]*heading // by the header lines seen, up to maxKnown

	// Of the line that Next returned last: the marks at the ends of all fields but the last one,
	// which are in the line at mark-back, or if that is nil all fields.
	ends   []uint16
	back   int
	fields []field

	quoted *quotedMarks // nil if no field is in quotes
}

// maxKnown bounds the headers that a reader remembers. Most logs have one, again and again.
const maxKnown = 8

// dialect is how a family of logs writes its columns. It is immutable.
type dialect struct {
	delimiter byte
	runs      bool   // several delimiters may be one, and stand before and behind all fields
	quotes    bool   // around fields that hold delimiters; a quote in a field is written twice
	directive byte   // begins lines that are no requests by design; 0: none does
	header    string // begins the line that names the columns; "": they are fixed
	names     []column
	empty     string // stands for an empty field
	day       layout // of day and timeOfDay
	instant   layout // of moment
}

// column says what a column with a name is about. The first in dialect.names counts if a
// log has several of one part.
type column struct {
	name  string // in lower case
	part  part
	spell spelling
}

// heading is what a header says.
type heading struct {
	line         []byte // the header itself, nil if the columns are fixed
	says         meaning
	count        int       // of columns
	needed, rest []located // by Next, and all other parts
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
	maxHeader  = 8 << 10
)

// columnsOf returns what columns with these names say: none if no target is among them, or
// there are too many.
func (d *dialect) columnsOf(line []byte, names []string) *heading {
	h := &heading{line: line, count: len(names)}
	if len(names) > maxColumns {
		return none
	}
	for i, name := range names {
		names[i] = strings.ToLower(name)
	}
	var all []located
	for _, c := range d.names {
		if at := slices.Index(names, c.name); at >= 0 && !h.says.parts[c.part] {
			h.says.parts[c.part] = true
			h.says.spell[c.part] = d.spelled(c.spell)
			all = append(all, located{c.part, at})
		}
	}
	if h.says.targetPart() == ignored {
		return none
	}
	for _, l := range all {
		if l.part == userAgent || l.part == referrer || l.part == methodName || slices.Contains(targetParts[:], l.part) {
			h.needed = append(h.needed, l)
		} else {
			h.rest = append(h.rest, l)
		}
	}
	has := &h.says.parts
	has[hostName] = has[hostName] || has[hostPath]
	has[timeOfDay] = has[timeOfDay] && has[day] // a time of day alone tells nothing
	has[moment] = has[moment] && !has[timeOfDay]
	switch {
	case has[timeOfDay]:
		h.says.layout = d.day
		if !slices.Contains(names, "date") {
			h.says.layout = isoTime // date-local
		}
	case has[moment]:
		h.says.layout = d.instant
	}
	return h
}

// spelled returns how a column is spelled: what is in quotes is written as quotes want it.
func (d *dialect) spelled(s spelling) spelling {
	if d.quotes {
		return undoubled
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
func newColumns(f *Format, d *dialect, initial *heading) Reader {
	c := &columns{dialect: d, initial: initial, known: map[string]*heading{}}
	c.marked = octets{d.delimiter, '\n', '\n'}
	if d.quotes {
		c.quoted = &quotedMarks{ends: []uint16{}}
	}
	c.zone = f.zone
	c.use(initial)
	return c
}

// columnFormat returns a row of the table of formats. One without a header has the columns of its
// words, the others are bound to the header of each log: see bindColumns.
func columnFormat(f Format, d *dialect) *Format {
	first := none
	if d.header == "" {
		f.words = strings.Join(strings.Fields(f.words), " ")
		first = d.columnsOf(nil, strings.Fields(f.words)[1:])
	}
	for line := range strings.Lines(f.head) {
		if strings.HasPrefix(line, d.header) {
			f.words = strings.TrimSpace(line)
		}
	}
	f.dialect, f.meaning = d, first.says
	f.newReader = func(f *Format) Reader { return newColumns(f, d, first) }
	return &f
}

// none are the columns of a log before its first header, and behind one without a target.
var none = &heading{}

// use makes columns those of the lines that follow.
func (c *columns) use(h *heading) {
	zone := c.zone
	c.now, c.meaning = h, h.says
	c.zone = zone
	c.begin()
	c.fields = slices.Grow(c.fields[:0], h.count)[:h.count]
	if c.quoted != nil {
		c.quoted.ends = slices.Grow(c.quoted.ends[:0], h.count)[:max(h.count-1, 0)]
	}
}

// SetHeader implements Headed.
func (c *columns) SetHeader(line []byte) {
	switch {
	case len(line) == 0:
		c.use(c.initial)
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

// Reset implements Reader.
func (c *columns) Reset(chunk []byte) {
	c.lines.Reset(chunk)
	if c.quoted != nil {
		c.quoted.size = 0
	}
}

func (c *columns) Next(r *Record) Kind {
	if c.at >= len(c.chunk) {
		return End
	}
	n := c.cut(r)
	switch {
	case len(r.Line) == 0:
		return Blank
	case c.isHeader(r.Line):
		c.SetHeader(r.Line)
		return Other
	case c.directive != 0 && r.Line[0] == c.directive:
		return Other
	case n != c.now.count || n == 0:
		return Unparsed
	}
	c.buf = c.buf[:0]
	c.set(c.now.needed, r.Line)
	if !c.next(r) {
		return Unparsed
	}
	return Request
}

func (c *columns) Complete(r *Record) {
	c.set(c.now.rest, r.Line)
	c.complete(r)
}

func (c *columns) Plausible(r *Record) bool { return c.plausible(r) }

// set sets parts of the line.
func (c *columns) set(parts []located, line []byte) {
	ends, back := c.ends, c.back
	for _, l := range parts {
		f := field{0, len(line)}
		if ends == nil {
			f = c.fields[l.at]
		} else {
			if l.at > 0 {
				f.start = int(ends[l.at-1]) - back + 1
			}
			if l.at < len(ends) {
				f.end = int(ends[l.at]) - back
			}
			if c.quoted != nil && f.start < f.end && line[f.start] == '"' {
				f.start, f.end = f.start+1, f.end-1
			}
		}
		c.text[l.part] = line[f.start:f.end]
	}
	if c.empty != "" {
		c.setEmpty(parts)
	}
}

// setEmpty makes those parts empty that are written as dialect.empty.
func (c *columns) setEmpty(parts []located) {
	for _, l := range parts {
		if text := c.text[l.part]; string(text) == c.empty {
			c.text[l.part] = text[:0]
		}
	}
}

// malformed is the number of fields of a line of which one in quotes does not end, or goes on
// behind its end.
const malformed = -1

// cut takes the next line off the chunk and returns how many fields it has. If they are as
// many as the columns, the line is ready for field.
func (c *columns) cut(r *Record) (n int) {
	if c.quotes {
		return c.cutQuoted(r)
	}
	if c.cutMarked(r) {
		return c.now.count
	}
	r.Line, c.ends = c.search(), nil
	return c.split(c.fields, r.Line)
}

// cutMarked is cut for a line without quotes that has as many fields as there are columns, all
// marked; it returns false for others. If the mark that would end the last field is the first
// newline, those before it are delimiters.
func (c *columns) cutMarked(r *Record) bool {
	at, last := c.lines.at, c.i+c.now.count-1
	if last >= c.n {
		c.index()
		last = c.i + c.now.count - 1
	}
	end := bytes.IndexByte(c.chunk[at:], '\n')
	if end < 0 || last < c.i || last >= c.n || c.from+int(c.marks[last]) != at+end {
		return false
	}
	r.Line = withoutReturn(c.chunk[at : at+end])
	c.ends, c.back = c.marks[c.i:last], at-c.from
	c.lines.at, c.i = at+end+1, last+1
	return true
}

// cutQuoted is cut for a dialect with quotes.
func (c *columns) cutQuoted(r *Record) (n int) {
	at := c.lines.at
	whole, line := NextLine(c.chunk[at:])
	r.Line = line
	c.lines.at += len(whole)
	if c.splitMarked(line, at) {
		return c.now.count
	}
	c.ends = nil
	return c.split(c.fields, line)
}

// split sets fields to the places of the fields of a line, as many as there is room for, and
// returns how many the line has, or malformed. Several delimiters are one if the dialect has
// it so and the fields are as many as fields only then.
func (d *dialect) split(fields []field, line []byte) (n int) {
	n = d.splitAt(fields, line, false)
	if d.runs && n != len(fields) {
		return d.splitAt(fields, line, true)
	}
	return n
}

func (d *dialect) splitAt(fields []field, line []byte, runs bool) (n int) {
	for at := 0; ; at++ {
		for runs && at < len(line) && line[at] == d.delimiter {
			at++
		}
		if runs && at == len(line) {
			return n
		}
		f := field{at, len(line)}
		if d.quotes && at < len(line) && line[at] == '"' {
			f = field{at + 1, closing(line, at+1)}
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
func closing(line []byte, from int) int {
	for at := from; ; at += 2 {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return -1
		}
		if at += i; at+1 == len(line) || line[at+1] != '"' {
			return at
		}
	}
}

// isoUTC is isoTime of formats whose times are in UTC.
func isoUTC(b []byte, _ *time.Location) (int64, bool) { return isoTime(b, nil) }
