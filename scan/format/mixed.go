package format

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// maxMixed limits the formats of a mix, besides errorLog.
const maxMixed = 3

// mix returns a format for logs with lines in several formats. Each line is read in the first
// format that explains it, which means that it parses the line into plausible fields. A mix is
// slower than each of its formats.
//
// If any format has a host, so does the mix, and it is empty in lines of the others, so that a line
// without a host isn't attributed to a site that other lines name. The same holds for the
// User-Agent. If any format has X-Forwarded-For instead of the client's address, all are treated
// this way, because a list with one element looks like an address but may have been sent by a
// client.
func mix(of []*Format) *Format {
	if len(of) == 1 {
		return of[0]
	}
	f := &Format{name: of[0].name, by: "a mix: each line has the first format that fits it"}
	for _, one := range of[1:] {
		f.name += "+" + one.name
	}
	for _, one := range of {
		for p, has := range one.has {
			f.has[p] = f.has[p] || has
		}
		f.sampled = f.sampled || one.sampled
	}
	for _, one := range of {
		f.doubts = append(f.doubts, one.doubts...)
		if f.HasAgent() && !one.HasAgent() && one != errorLog {
			f.doubts = append(f.doubts, "its lines in the format "+one.name+" have no User-Agent, so none of them can name a "+
				"crawler: have the server log it")
		}
	}
	f.bind = func(f *Format, head []byte) *Format {
		bound := make([]*Format, len(of))
		for i, one := range of {
			bound[i] = one
			if one != errorLog {
				bound[i] = one.In(f.zone).boundTo(head)
			}
		}
		return mix(bound)
	}
	f.newReader = func(f *Format) Reader {
		m := &mixed{host: f.HasHost(), agent: f.HasAgent(), lists: slices.ContainsFunc(of, (*Format).isOfLists)}
		for _, one := range of {
			if one == errorLog {
				m.errors = true
			} else {
				m.readers = append(m.readers, one.In(f.zone).NewReader())
			}
		}
		return m
	}
	return f
}

// isOfLists reports whether the format has X-Forwarded-For instead of the client's address.
func (f *Format) isOfLists() bool {
	return strings.HasSuffix(f.name, "forwarded_combined") && !f.has[clientAddr]
}

// hasHeader reports whether logs of the format have lines that name their columns. These lines
// would be lost in a mix or in envelopes.
func (f *Format) hasHeader() bool { return f.dialect != nil && f.dialect.header != "" }

// boundTo returns the format adapted to the beginning of a log, or f itself if that shows nothing.
func (f *Format) boundTo(head []byte) *Format {
	if f.bind != nil {
		if g := f.bind(f, head); g != nil {
			return g
		}
	}
	return f
}

// mixed reads lines in several formats.
type mixed struct {
	readers     []Reader
	host, agent bool // some formats have it
	lists       bool // some formats are isOfLists
	errors      bool // lines of error logs are Other
	chunk       []byte
	size        int // of the whole chunk
}

// Reset begins a chunk.
func (m *mixed) Reset(chunk []byte) { m.chunk, m.size = chunk, len(chunk) }

// Next reads a line and completes its record, which determines the line's format.
func (m *mixed) Next(r *Record) Kind {
	if len(m.chunk) == 0 {
		return End
	}
	line, text := NextLine(m.chunk)
	at := m.size - len(m.chunk)
	m.chunk = m.chunk[len(line):]
	kind := m.read(r, text)
	r.Line, r.Offset = text, at
	return kind
}

// read reads a line in one of the formats.
func (m *mixed) read(r *Record, text []byte) Kind {
	if len(text) == 0 {
		return Blank
	}
	kind, without := Unparsed, Record{}
	for _, reader := range m.readers {
		switch explain(reader, text, r) {
		case Request:
			m.fill(r)
			return Request
		case NoRequest:
			kind, without = NoRequest, *r
		case Other:
			if kind == Unparsed {
				kind = Other
			}
		}
	}
	r.Time, r.HasTime = without.Time, without.HasTime
	if kind == Unparsed && m.errors && isErrorLine(text) {
		kind = Other
	}
	return kind
}

// explain reads a nonempty line, completes its record and returns its kind. Requests with
// implausible fields are Unparsed.
func explain(reader Reader, line []byte, r *Record) Kind {
	reader.Reset(line)
	kind := reader.Next(r)
	if kind != Request {
		return kind
	}
	reader.Complete(r)
	if !reader.Plausible(r) {
		return Unparsed
	}
	return Request
}

// fill empties the fields that the mix has, but not the format of the line.
func (m *mixed) fill(r *Record) {
	if m.host && r.Host == nil {
		r.Host = []byte{}
	}
	if m.agent && r.Agent == nil {
		r.Agent = []byte{}
	}
	if m.lists && len(r.Addr) > 0 {
		if r.Forwarded == nil {
			r.Forwarded = r.Addr
		}
		r.Addr = nil
	}
}

// Complete does nothing, because Next already has.
func (m *mixed) Complete(*Record) {}

// Plausible is true, because Next has checked it.
func (m *mixed) Plausible(*Record) bool { return true }

// errorLog is the format of lines from error logs of nginx and Apache within a mix. It has no
// requests and no reader, so it isn't in the table of formats.
var errorLog = &Format{name: "error_log", by: "nginx and Apache, for their own messages"}

// errorLines matches lines of the error logs of nginx, 2026/03/04 05:06:07 [error] 71#71: *5 open() …,
// and of Apache, [Wed Mar 04 05:06:07.089 2026] [core:error] [pid 71] …
var errorLines = lazy.Regexp(`^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[^\]]*\] \d|` +
	`\[... (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d[^\]]{0,12}\] \[)`)

// isErrorLine reports whether a line comes from an error log of nginx or Apache.
func isErrorLine(line []byte) bool { return errorLines().Match(line) }

// mixByName returns the mix of formats whose names are joined by plus signs.
func mixByName(name string) (*Format, bool) {
	var of []*Format
	others := 0
	for part := range strings.SplitSeq(name, "+") {
		f, ok := rowByName(part)
		if !ok && strings.EqualFold(part, errorLog.name) {
			f, ok = errorLog, true
			others++
		}
		if !ok || slices.Contains(of, f) || f.hasHeader() {
			return nil, false
		}
		of = append(of, f)
	}
	if n := len(of) - others; n == 0 || n > maxMixed {
		return nil, false
	}
	return mix(of), true
}
