package format

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// columns reads formats whose lines consist of fields between delimiters. The columns are either
// fixed or named by a header in the log, which may be followed by other headers. A line whose
// number of fields differs from the number of columns is Unparsed, because its fields can't be
// assigned.
//
// Next is called for every line. In lines without quotes it finds the delimiters in the index of
// type lines, and it only reads the columns that a record needs.
type columns struct {
	lines
	values
	*dialect
	initial *heading            // in force at the beginning of the log
	now     *heading            // in force
	known   map[string]*heading // by the header lines seen, up to maxKnown

	// For the line that Next returned last: marks are the ends of all fields but the last, at
	// mark-back in the line. If marks is nil, fields has all fields.
	ends   []uint16
	back   int
	fields []field.Span
}

// maxKnown limits the headers that a reader remembers. Most logs repeat a single header.
const maxKnown = 8

// dialect describes how a family of logs writes its columns. It is immutable.
type dialect struct {
	field.Columns
	directive byte   // begins lines that aren't requests by design; 0 for none
	header    string // begins the line that names the columns; "" if they are fixed
	table     string // input of columnsNamed
	names     []column
	empty     string // stands for an empty field
	// ownSpelling means that quoted values are spelled as the names say, without doubled quotes.
	ownSpelling bool
	day         layout // of day and timeOfDay
	instant     layout // of moment
	// of returns the dialect of a log, given a header and the lines after it, or nil if they have
	// another format. of is nil if there is only one dialect.
	of func(d dialect, header []byte, lines [][]byte) *dialect
}

// column is the meaning of a named column. If several columns of a log have the same part, the
// first in dialect.names counts.
type column struct {
	name  string // in lower case
	part  part
	spell spelling
}

// spellings are how columns are spelled, by the names in tables.
var spellings = map[string]spelling{
	"plus": pluses, "percent": percents, "percents": allPercents, "backslash": backslashed,
	"blankless": {escape: '%', undo: func(dst, text []byte) []byte { // values with blanks aren't encoded
		if bytes.IndexByte(text, ' ') >= 0 {
			return append(dst, text...)
		}
		return unpercent(dst, text)
	}},
}

// columnsNamed parses a table of columns. Each line has the name of a field (fieldNames),
// optionally its spelling, and the names of columns.
func columnsNamed(table string) (list []column) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		names := strings.Fields(line)
		field, how, _ := strings.Cut(names[0], "@")
		p, ok := map[string]part{"day": day, "clock": timeOfDay, "host_path": hostPath, "host_target": hostTarget,
			"server_port": ownPort}[field]
		if !ok {
			p = fieldNames[field]
		}
		spell := spellings[how]
		for _, name := range names[1:] {
			list = append(list, column{name, p, spell})
		}
	}
	return list
}

type heading struct {
	line         []byte // the header itself; nil if the columns are fixed
	says         meaning
	count        int       // of columns
	needed, rest []located // parts needed by Next, and all others
}

// located is a part and its column.
type located struct {
	part part
	at   int
}

// maxColumns and maxHeader limit a header, in columns and bytes. W3C has at most 60 columns, and
// CloudFront 46.
const (
	maxColumns = 400
	maxHeader  = 8 << 10
)

// columnsOf returns the meaning of columns with the given names. It returns no columns if there is
// no target among them, or if there are too many.
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
		if at := slices.Index(names, c.name); at >= 0 && !h.says.has[c.part] {
			h.says.has[c.part], h.says.spell[c.part] = true, c.spell
			if d.Quotes && !d.ownSpelling {
				h.says.spell[c.part] = undoubled // as the rules for quotes say
			}
			all = append(all, located{c.part, at})
		}
	}
	if h.says.targetPart() == ignored {
		return none
	}
	for _, l := range all {
		if l.part.isEarly() {
			h.needed = append(h.needed, l)
		} else {
			h.rest = append(h.rest, l)
		}
	}
	has := &h.says.has
	has[hostName] = has[hostName] || has[hostPath] || has[hostTarget]
	has[timeOfDay] = has[timeOfDay] && has[day] // a time of day is useless without a date
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

// isHeader reports whether a line names columns.
func (d *dialect) isHeader(line []byte) bool {
	return d.header != "" && len(line) <= maxHeader && len(line) >= len(d.header) &&
		string(line[:len(d.header)]) == d.header
}

// newColumns returns a reader of a dialect that begins with columns.
func newColumns(f *Format, d *dialect, initial *heading) Reader {
	c := &columns{dialect: d, initial: initial, known: map[string]*heading{}}
	c.marked = octets{d.Delimiter, '\n', '\n'}
	c.zone = f.zone
	c.use(initial)
	return c
}

// columnFormat returns a row of the table of formats, to be finished by complete.
func columnFormat(f Format, d *dialect) *Format {
	f.dialect = d
	return &f
}

// complete parses the table of a format's columns. Without a header the format has the columns of
// its words; otherwise bindColumns binds it to the header of each log.
func (f *Format) complete() {
	d, first := f.dialect, none
	d.names = columnsNamed(d.table)
	if d.header == "" {
		f.words = strings.Join(strings.Fields(f.words), " ")
		first = d.columnsOf(nil, strings.Fields(f.words)[1:])
	}
	for line := range strings.Lines(f.head) {
		if strings.HasPrefix(line, d.header) {
			f.words = strings.TrimSpace(line)
		}
	}
	f.meaning = first.says
	f.newReader = func(f *Format) Reader { return newColumns(f, d, first) }
	if d.header != "" {
		f.bind = bindColumns
	}
}

// none is in effect before the first header of a log, and after a header without a target.
var none = &heading{}

// use sets the columns of the lines that follow.
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

func (c *columns) Next(r *Record) Kind {
	if c.at >= len(c.chunk) {
		return End
	}
	r.Offset = c.at
	line, fields := c.cut()
	r.Line = line
	switch {
	case len(line) == 0:
		return Blank
	case c.isHeader(line):
		c.SetHeader(line)
		return Other
	case c.directive != 0 && line[0] == c.directive:
		return Other
	case fields != c.now.count || fields == 0:
		return Unparsed
	}
	c.buf = c.buf[:0]
	c.set(c.now.needed, line)
	if !c.next(r) {
		c.set(c.now.rest, line)
		return c.without(r)
	}
	return Request
}

func (c *columns) Complete(r *Record) {
	c.set(c.now.rest, r.Line)
	c.complete(r)
}

func (c *columns) Plausible(r *Record) bool { return c.plausible(r) }

func (c *columns) set(parts []located, line []byte) {
	for _, l := range parts {
		f := c.field(l.at, line)
		text := line[f.From:f.To]
		if c.empty != "" && string(text) == c.empty {
			text = text[:0]
		}
		c.text[l.part] = text
	}
}

// field returns the bounds of a field in the line.
func (c *columns) field(i int, line []byte) field.Span {
	if c.ends == nil {
		return c.fields[i]
	}
	f := field.Span{From: 0, To: len(line)}
	if i > 0 {
		f.From = int(c.ends[i-1]) - c.back + 1
	}
	if i < len(c.ends) {
		f.To = int(c.ends[i]) - c.back
	}
	return f
}

// cut takes the next line off the chunk and returns its number of fields. If that equals the number
// of columns, field can be called.
func (c *columns) cut() (line []byte, fields int) {
	if !c.Quotes {
		if line = c.cutMarked(); line != nil {
			return line, c.now.count
		}
	}
	line, c.ends = c.search(), nil
	return line, c.Split(c.fields, line)
}

// cutMarked is cut for a line without quotes whose fields are as many as the columns, and all
// marked. It returns nil for other lines. If the mark that would end the last field is the first
// newline, then all marks before it are delimiters.
func (c *columns) cutMarked() (line []byte) {
	at, last := c.at, c.i+c.now.count-1
	if last >= c.n {
		c.index()
		last = c.i + c.now.count - 1
	}
	end := bytes.IndexByte(c.chunk[at:], '\n')
	if end < 0 || last < c.i || last >= c.n || c.from+int(c.marks[last]) != at+end {
		return nil
	}
	c.ends, c.back = c.marks[c.i:last], at-c.from
	c.at, c.i = at+end+1, last+1
	return withoutReturn(c.chunk[at : at+end])
}

// isoUTC is isoTime for formats whose times are in UTC.
func isoUTC(b []byte, _ *time.Location) (int64, bool) { return isoTime(b, nil) }

// Headed is implemented by readers of formats whose logs name their own columns, or whose lines may
// be cut into several. In the second case LastHeader doesn't return a header.
type Headed interface {
	Reader
	// SetHeader sets the columns of the following lines, up to the next header among them. nil stands
	// for the beginning of the log. Reset keeps the columns. SetHeader does not retain line.
	SetHeader(line []byte)
}

// LastHeader returns a function that extracts from a chunk of whole lines the context that the next
// chunk needs, or nil if it needs none. The context is the header in force or, for lines in
// envelopes, the sources with an unfinished line. The function is nil for formats that never need
// any; see Headed.
func (f *Format) LastHeader() func(chunk []byte) []byte {
	if f.state == nil && f.hasHeader() {
		return f.dialect.lastHeader
	}
	return f.state
}

// lastHeader returns a copy of the last header in a chunk of whole lines, or nil if there is none.
func (d *dialect) lastHeader(chunk []byte) (last []byte) {
	for _, line := range d.headerLines(chunk) {
		last = line
	}
	return bytes.Clone(last)
}

// HeaderLines returns the headers in a chunk of whole lines, each with the number of lines before
// it. It returns none for formats whose logs don't name their columns.
func (f *Format) HeaderLines(chunk []byte) iter.Seq2[int64, []byte] {
	if !f.hasHeader() {
		return func(func(int64, []byte) bool) {}
	}
	return f.dialect.headerLines(chunk)
}

func (d *dialect) headerLines(chunk []byte) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		before, lines := "\n"+d.header, int64(0)
		for at := 0; ; {
			if _, line := NextLine(chunk[at:]); d.isHeader(line) && !yield(lines, line) {
				return
			}
			i := bytes.Index(chunk[at:], []byte(before))
			if i < 0 {
				return
			}
			lines += int64(bytes.Count(chunk[at:at+i+1], []byte("\n")))
			at += i + 1
		}
	}
}

// Header returns the last header in the beginning of the log from which the format was detected, or
// nil if there is none. A log without a header can be read by putting this header before it.
func (f *Format) Header() []byte { return f.header }

// section is a header and the lines after it.
type section struct {
	header []byte
	lines  [][]byte // neither blank nor directives; nil if there is no header
}

// sections splits the beginning of a log at its headers. The lines before the first header form a
// section without one, which doesn't keep its lines.
func (d *dialect) sections(head []byte) (list []section) {
	for n := 0; len(head) > 0 && n < sampleLines; {
		line, text := NextLine(head)
		head = head[len(line):]
		switch {
		case d.isHeader(text):
			if len(list) == 0 || !bytes.Equal(list[len(list)-1].header, text) {
				list = append(list, section{header: text})
			}
		case len(text) > 0 && (d.directive == 0 || text[0] != d.directive):
			if len(list) == 0 {
				list = append(list, section{})
			}
			if last := &list[len(list)-1]; last.header != nil {
				last.lines = append(last.lines, text)
			}
			n++
		}
	}
	return list
}

// bindColumns is Format.bind for formats with a header. The resulting format has the parts of all
// headers in the beginning of the log.
func bindColumns(f *Format, head []byte) *Format {
	if !bytes.Contains(head, []byte(f.dialect.header)) { // as in nearly all logs
		return nil
	}
	sections := f.dialect.sections(head)
	at := slices.IndexFunc(sections, func(s section) bool { return s.header != nil && f.dialect.named(s.header) != none })
	if at < 0 {
		return nil
	}
	d := f.dialect
	if d.of != nil {
		d = d.of(*d, sections[at].header, sections[at].lines)
	}
	if d == nil {
		return nil
	}
	g := *f
	g.dialect, g.meaning, g.header = d, d.named(sections[at].header).says, bytes.Clone(sections[len(sections)-1].header)
	g.zone = f.zone
	for _, s := range sections[at:] {
		for part, has := range d.named(s.header).says.has {
			g.has[part] = g.has[part] || has
		}
	}
	first := none
	if sections[0].header != nil {
		first = d.named(sections[0].header)
	}
	g.newReader = func(f *Format) Reader { return newColumns(f, d, first) }
	return &g
}

// parseFields returns the format described by a header line, for logs that lack it. bind then
// detects how each log is written.
func parseFields(text string) (*Format, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("it is more than one line")
	}
	if names, ok := strings.CutPrefix(text, "#fields "); ok { // a terminal has shown its tabs as blanks
		text = "#fields\t" + names
	}
	bind := func(_ *Format, head []byte) *Format {
		for _, f := range columnFormats() {
			if f.bind == nil {
				continue
			}
			if g := f.bind(f, slices.Concat([]byte(text+"\n"), head)); g != nil {
				return g
			}
		}
		return nil
	}
	f := bind(nil, nil)
	switch {
	case f == nil:
		return nil, errors.New("none of the columns is a path, such as cs-uri-stem")
	case !f.HasTime():
		return nil, errors.New("the columns date and time are not both there, and without them nothing can be judged")
	}
	f.bind = bind
	return f, nil
}

// quotesOf reports whether the lines after a header have quoted fields, which is when only quoting
// makes the number of fields match the columns.
func (d *dialect) quotesOf(header []byte, lines [][]byte) bool {
	fields, with := make([]field.Span, d.named(header).count), d.Columns
	with.Quotes = true
	for _, line := range lines {
		plain, quoted := d.Split(fields, line) == len(fields), with.Split(fields, line) == len(fields)
		if plain != quoted {
			return quoted
		}
	}
	return false
}
