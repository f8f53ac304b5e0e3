// Package list reads lists of URLs. It finds the URL in each line, and when it was captured.
//
// Detect determines the kind of a list from its beginning. New finds out where the URL is in a row, which is the Layout
// of the list, and its Reader iterates over the rows of chunks. A row is a line or, in a table, a record, which may
// have line breaks inside quotes. State explains why a row is unusable; no row is omitted, so the lines of all rows
// concatenated are the chunk.
//
// Lists that do not consist of lines are converted first: a sitemap by NewSitemap. The user documentation of the kinds
// is in docs/reference/lists.md.
package list

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// Kind is the format of a list.
type Kind uint8

const (
	// Unknown is no kind.
	Unknown Kind = iota
	// URLs has a URL on each line.
	URLs
	// CSV has rows of fields separated by commas, semicolons or vertical bars. Fields may be quoted
	// (RFC 4180).
	CSV
	// TSV has rows of fields separated by tabs. Fields may be quoted as in CSV, or escaped with
	// backslashes.
	TSV
	// JSON has a JSON object on each line.
	JSON
	// CDX is an index of captures with columns.
	CDX
	// CDXJ is an index of captures: key, timestamp and a JSON object.
	CDXJ
	// Sitemap is a sitemap, an index of sitemaps or a feed. It doesn't consist of lines.
	Sitemap
	// WARC is the output of a crawl. It doesn't consist of lines.
	WARC
	// Parquet is a table. It doesn't consist of lines.
	Parquet
)

type kindRow struct {
	name       string
	layout     func(k *kindRow, head []byte, o Options) (*Layout, error)
	find       func(r *Reader, row *Row) (url, date []byte) // where a row has them; nil if nowhere
	delimiters string                                       // of tables, the likeliest first
}

// kinds are all kinds. Those that are no lines have no layouts.
var kinds = [...]kindRow{
	Unknown: {name: "unknown"},
	URLs:    {"urls", newURLs, func(_ *Reader, row *Row) (url, date []byte) { return row.Text, nil }, ""},
	CSV:     {"csv", newTable, (*Reader).columns, ",;|"},
	TSV:     {"tsv", newTable, (*Reader).columns, "\t"},
	JSON:    {name: "json", layout: newObjects, find: (*Reader).object},
	CDX:     {name: "cdx", layout: newCDX, find: (*Reader).columns},
	CDXJ:    {name: "cdxj", layout: newCDXJ, find: (*Reader).capture},
	Sitemap: {name: "sitemap"},
	WARC:    {name: "warc"},
	Parquet: {name: "parquet"},
}

// String returns the name of the kind in options, such as csv.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kinds[k].name
}

// ParseKind returns the kind with a name, or Unknown if there is none. WAT and WET are WARC.
func ParseKind(name string) Kind {
	if name == "wat" || name == "wet" {
		return WARC
	}
	return Kind(max(slices.IndexFunc(kinds[:], func(k kindRow) bool { return k.name == name }), 0))
}

// HasLines reports whether a list of the kind has a URL on each line, so that it has a Layout.
func (k Kind) HasLines() bool { return kinds[k].layout != nil }

// Options say where each row has its URL and its time.
type Options struct {
	// Column is the name of the URL's column, or its number from 1. In JSON and CDXJ it is the path of
	// the member, with dots between the names. The default is the column with URLs; if there are
	// several, one with a usual name.
	Column string
	// Date is the same for the time. The default is none, except in CDX and CDXJ, which have a fixed
	// column for it.
	Date string
}

// State is the state of a row.
type State uint8

const (
	// Good is a row with a URL.
	Good State = iota
	// Header is a line with metadata.
	Header
	// Blank is a line of white space.
	Blank
	// NoURL is a row whose URL column or member is missing, empty or null.
	NoURL
	// BadRow is a line that isn't valid in the format.
	BadRow
	// BadTime is a row with a URL, but without a readable time where Options.Date says.
	BadTime
)

// Row is a line or record of a list. Its slices are valid until the next call of Reader.Next.
type Row struct {
	Line []byte // with line end and byte order mark
	Text []byte // without both
	URL  []byte // unquoted and unescaped; set if State is Good or BadTime; see Bare
	// Time is when the URL was captured, in Unix seconds, if HasTime is set.
	Time    int64
	HasTime bool
	State   State
	// End is the offset in Text of the closing brace of the row's JSON object, or -1 if there is none.
	End int
}

// Layout describes where the URL is in each row of a list. It is immutable and safe for concurrent
// use.
type Layout struct {
	kind      Kind
	url, date int           // indexes of columns or members; date is -1 if there is none
	shape     field.Columns // of rows with columns
	headers   int           // nonblank rows before the first one with a URL
	width     int           // the number of columns, by the header; 0 without one
	named     bool          // the header, or the caller, names a used column
	guess     string        // the URL column, if detected by its contents
	records   bool          // rows are records, not lines
	surt      bool          // the URL column has keys
	object    *field.Object // for JSON and CDXJ
}

// New returns the layout of a list, given its beginning, head, which is up to format.SampleBytes long. The kind must
// consist of lines. The error explains why no column, or not the one named in o, can be the URL's, and lists the
// available columns.
func New(k Kind, head []byte, o Options) (*Layout, error) {
	if !k.HasLines() {
		return nil, fmt.Errorf("a list of the kind %s has no lines", k)
	}
	l, err := kinds[k].layout(&kinds[k], bytes.TrimPrefix(head, format.BOM), o)
	if err != nil {
		return nil, err
	}
	l.kind = k
	return l, nil
}

func newURLs(_ *kindRow, _ []byte, o Options) (*Layout, error) {
	if o != (Options{}) {
		return nil, errors.New("a list with a URL on each line has no columns; name its format if it has")
	}
	return &Layout{date: -1}, nil
}

// NewTimed returns the layout of lines from package columnar: a URL, a tab, and its time in Unix
// seconds.
func NewTimed() *Layout {
	return &Layout{kind: CSV, url: 0, date: 1, shape: field.Columns{Delimiter: '\t', Quotes: true}}
}

// Guess describes the column or member of the URL, such as `column 2 ("Top pages")`, if it was
// detected by its values only; otherwise it is empty.
func (l *Layout) Guess() string { return l.guess }

// Records returns a function that splits a table into records, for source.Input. It is nil if the
// rows of the list are lines.
func (l *Layout) Records() func(data []byte, final bool) (end int, lines bool) {
	if l == nil || !l.records {
		return nil
	}
	return l.shape.Records
}

// Kind returns the kind of the list.
func (l *Layout) Kind() Kind { return l.kind }

// Delimiter returns the delimiter for appending another field: the one between columns, a comma if
// a table has only one column, and a tab in lists without columns.
func (l *Layout) Delimiter() byte {
	switch l.shape.Delimiter {
	case 0:
		return '\t'
	case noDelimiter:
		return ','
	}
	return l.shape.Delimiter
}

// Timed reports whether the rows should have times.
func (l *Layout) Timed() bool { return l.date >= 0 || l.kind == CDXJ }

// Reader iterates over the rows of chunks. It isn't safe for concurrent use, and doesn't allocate
// once its buffers have grown.
type Reader struct {
	// Cutter cuts chunks into lines. Readers of the same goroutine may share one, for a chunk at a time.
	Cutter  *format.Lines
	layout  *Layout
	chunk   []byte
	at      int    // where the next line begins
	first   bool   // first chunk of the input
	lines   bool   // each line is a row with closed quotes
	headers int    // how many of the next nonblank rows are headers
	buf     []byte // unescaped values
	fields  []field.Span
	members field.Row // for JSON and CDXJ
}

// NewReader returns a reader of lists with the layout.
func (l *Layout) NewReader() *Reader {
	r := &Reader{Cutter: new(format.Lines), layout: l, fields: make([]field.Span, max(l.url, l.date)+1)}
	r.members.Text = make([][]byte, max(l.date, urlMember)+1)
	return r
}

// Reset begins a chunk of whole rows, which must not change during iteration. first marks the first
// chunk of the input.
func (r *Reader) Reset(chunk []byte, first bool) {
	r.chunk, r.at, r.first, r.headers, r.lines = chunk, 0, first, 0, !r.layout.records
	if first {
		r.headers = r.layout.headers
	}
	if r.lines {
		r.Lines()
	}
}

// Lines declares that each line of the chunk is a row with closed quotes.
func (r *Reader) Lines() {
	r.lines = true
	r.Cutter.Reset(r.chunk[r.markLen():])
}

// markLen returns the length of the byte order mark at the beginning of the chunk.
func (r *Reader) markLen() int {
	if r.first && bytes.HasPrefix(r.chunk, format.BOM) {
		return len(format.BOM)
	}
	return 0
}

// InHeader reports whether the next nonblank row is a header.
func (r *Reader) InHeader() bool { return r.headers > 0 }

// Next reads the next row of the chunk, and reports whether there is one.
func (r *Reader) Next(row *Row) bool {
	if r.at >= len(r.chunk) {
		return false
	}
	begin := r.at + r.markLen()
	r.first = false
	var line, text []byte
	if r.lines {
		line, text = r.Cutter.Next()
	} else {
		n, _ := r.layout.shape.Record(r.chunk[begin:], true)
		line = r.chunk[begin : begin+n]
		text = bytes.TrimSuffix(line, []byte("\n"))
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = bytes.TrimRight(text, "\r")
	}
	row.Line, row.Text, row.URL, row.Time, row.HasTime, row.State, row.End = r.chunk[r.at:begin+len(line)], text, nil, 0,
		false, Good, -1
	r.at, r.buf = begin+len(line), r.buf[:0]
	switch l := r.layout; {
	case isBlank(text) && (r.headers == 0 || r.headers == l.headers):
		row.State = Blank
	case isBlank(text): // between a title and the header
		row.State = Header
	case r.headers > 0:
		r.headers--
		row.State = Header
	case l.isIndex() && isIndexHeader(text):
		row.State = Header
	default:
		url, date := kinds[l.kind].find(r, row)
		r.found(row, url, date)
	}
	return true
}

// found sets the URL of a row, nil if there is none, and its time.
func (r *Reader) found(row *Row, url, date []byte) {
	isIndex, isDated := r.layout.isIndex(), r.layout.date >= 0
	switch {
	case row.State == BadRow:
		return
	case isIndex:
		row.Time, row.HasTime = format.Stamp(date)
	case isDated:
		row.Time, row.HasTime = format.Instant(bytes.TrimSpace(date))
	}
	switch {
	case len(url) == 0:
		row.State = NoURL
		return
	case isDated && !isIndex && !row.HasTime:
		row.State = BadTime
	}
	row.URL = url
}

// isIndex reports whether the list is an index of captures.
func (l *Layout) isIndex() bool { return l.kind == CDX || l.kind == CDXJ }

// isBlank reports whether a line has white space only.
func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// hasScheme reports whether a text begins like an absolute URL, with a scheme and "://".
func hasScheme(text []byte) bool {
	for i, c := range text {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && bytes.HasPrefix(text[i:], []byte("://"))
		}
	}
	return false
}

// sampleRows limits how many rows of a head are examined.
const sampleRows = 64

// sample returns up to n nonblank first lines of a head, without line ends. It omits a last line
// that may be incomplete, unless it is the only one.
func sample(head []byte, n int) (lines [][]byte) { return sampleRecords(head, n, nil) }

// sampleRecords is sample for rows: records of a shape, or lines if shape is nil.
func sampleRecords(head []byte, n int, shape *field.Columns) (lines [][]byte) {
	whole := len(head) < format.SampleBytes-len(format.BOM)
	for len(head) > 0 && len(lines) < n {
		line, text := format.NextLine(head)
		if shape != nil {
			n, _ := shape.Record(head, true)
			line, text = head[:n], bytes.TrimRight(head[:n], "\r\n")
		}
		if !whole && line[len(line)-1] != '\n' && len(lines) > 0 {
			break
		}
		head = head[len(line):]
		if !isBlank(text) {
			lines = append(lines, text)
		}
	}
	return lines
}
