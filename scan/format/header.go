package format

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// Headed is a Reader of a format whose logs say themselves what their columns are, or whose lines
// may be cut into several: then what LastHeader returns is not one.
type Headed interface {
	Reader
	// SetHeader makes the columns of a header line those of the lines that follow, up to the
	// next header among them. nil stands for the beginning of the log. The columns stay in
	// force over Reset. It keeps no view of line.
	SetHeader(line []byte)
}

// LastHeader returns a function that returns what a chunk of whole lines says of the lines after it: the header
// in force or, of lines in envelopes, which sources have begun a line that goes on in the next chunk; nil if
// nothing. The function is nil for formats whose lines need none of it: see Headed.
func (f *Format) LastHeader() func(chunk []byte) []byte {
	if f.state == nil && f.hasHeader() {
		return f.dialect.lastHeader
	}
	return f.state
}

// lastHeader returns a copy of the last header line of a chunk of whole lines, nil if there
// is none.
func (d *dialect) lastHeader(chunk []byte) (last []byte) {
	for _, line := range d.headerLines(chunk) {
		last = line
	}
	return bytes.Clone(last)
}

// HeaderLines returns the headers in a chunk of whole lines, each with how many lines of the
// chunk come before it. Formats whose logs do not name their columns have none.
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

// Header returns the last header in the beginning of the log by which the format was found,
// nil if it has none. Put before a log without a header, it is that log's.
func (f *Format) Header() []byte { return f.header }

// section is a header and the lines after it.
type section struct {
	header []byte
	lines  [][]byte // neither blank nor directives; nil without a header
}

// sections takes the beginning of a log apart. The lines before its first header are of a
// section without one, which does not keep them.
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

// bindColumns is Format.bind for formats with a header. The format has what the columns of any
// header in the beginning of the log are about.
func bindColumns(f *Format, head []byte) *Format {
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
		for part, has := range d.named(s.header).says.parts {
			g.parts[part] = g.parts[part] || has
		}
	}
	first := none
	if sections[0].header != nil {
		first = d.named(sections[0].header)
	}
	g.newReader = func(f *Format) Reader { return newColumns(f, d, first) }
	return &g
}

// parseFields returns the format of logs that lack the line that names their columns, by that line.
// How it is written is found by the beginning of each log (bind).
func parseFields(text string) (*Format, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("it is more than one line")
	}
	if names, ok := strings.CutPrefix(text, "#fields "); ok { // whose tabs a terminal has shown as blanks
		text = "#fields\t" + names
	}
	bind := func(_ *Format, head []byte) *Format {
		for _, f := range columnFormats {
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

// quotesOf reports whether the lines after a header have fields in quotes: if they have as many
// fields as there are columns only so.
func (d *dialect) quotesOf(header []byte, lines [][]byte) bool {
	fields, with := make([]shape.Span, d.named(header).count), d.Columns
	with.Quotes = true
	for _, line := range lines {
		plain, quoted := d.Split(fields, line) == len(fields), with.Split(fields, line) == len(fields)
		if plain != quoted {
			return quoted
		}
	}
	return false
}

// For returns the format as the beginning of a log, head, shows it: with the envelopes that are
// around its lines, and with the columns that it names; f itself if there are none. whole is as
// for Detect.
func (f *Format) For(head []byte, whole bool) (*Format, error) {
	d := detection{head: bytes.TrimPrefix(head, BOM)}
	if d.sample(whole); len(d.lines) > 0 && !f.hasHeader() {
		if d.read([]*Format{f}); len(d.readings) > 0 {
			f = wrap(d.readings[0].around, f, nil)
		}
	}
	g := f.boundTo(d.head)
	if g == f && f.hasHeader() && len(d.head) > 0 {
		return nil, fmt.Errorf("%s: no line %q with a column for the path names its columns", f.name, f.dialect.header+"…")
	}
	return g, nil
}
