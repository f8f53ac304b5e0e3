// Package format turns the lines of access logs into records.
//
// A line is read in two steps, because most lines don't matter. Reader.Next cuts the line off its
// chunk, reports whether it is a request, and finds the User-Agent. Only for a crawler does
// Reader.Complete read the other fields.
//
// A Record doesn't depend on the format of its line. Its fields hold what the client sent, with the
// log's own escaping undone.
//
// The formats are rows in the notations that --format accepts. table.go has the text formats and
// jsonformats.go the JSON formats. user.go and one file per notation (nginx.go, apache.go,
// userjson.go, and words.go for the others) compile a row into a shape of scan/internal/field,
// which finds the fields of a line, and a program that interprets them: program.go (text with
// literals between the fields), json.go, and columns.go (text with a header that names its
// columns). clf.go reads most lines of the common log format and its relatives faster than the
// compiled rows do. values.go turns fields into records. escape.go and time.go decode escapes and
// times. envelope.go removes what other programs wrote around a line (containers.go, member.go),
// and mixed.go reads lines in several formats. detect.go detects the format of a log, guess.go does
// so for JSON with unknown keys, signs.go identifies files that aren't logs, and explain.go shows
// how lines are read.
//
// To add a format, add a row to a table. TestFormats checks each row against its sample.
package format

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Format is a format of access logs, a row of the table of formats. It is immutable and safe for
// concurrent use.
type Format struct {
	name   string
	by     string // the program that writes it
	head   string // precedes the sample in a log, with line ends
	sample string // a sample line, the same request in all rows: see TestFormats
	words  string // its definition for Parse
	meaning
	fits func(*Record) bool // row.fits
	// isCommon means the common log format or a relative, see clf.go. Its times name their zone, and its
	// targets are exact.
	isCommon bool
	dialect  *dialect // for formats with columns, otherwise nil
	header   []byte   // Header
	// state extracts what a chunk reveals about the lines of the next one, or nil: see LastHeader. It
	// is nil for formats where only headers matter.
	state     func(chunk []byte) []byte
	newReader func(*Format) Reader
	// bind adapts the format to the beginning of a log, such as one that names its own fields. It
	// returns nil if the beginning doesn't match. bind is nil for formats that it doesn't change.
	bind func(f *Format, head []byte) *Format
	// doubts are the possible errors in reading its lines: see Doubts.
	doubts []string
	// sampled reports whether logs of the format may lack requests by design.
	sampled bool
}

// Name returns the name that ByName knows.
func (f *Format) Name() string { return f.name }

// By returns the programs that write the format.
func (f *Format) By() string { return f.by }

// Head returns what precedes the sample in a log of the format, with line ends: the line that names
// the columns. It is empty for formats without a header.
func (f *Format) Head() string { return f.head }

// Sample returns a line of the format, without its line end.
func (f *Format) Sample() string { return f.sample }

// Words returns the definition of the format for Parse. It is empty for mixes and for formats in
// envelopes.
func (f *Format) Words() string { return f.words }

// HasHost reports whether the format has a field for the host of a request.
func (f *Format) HasHost() bool { return f.has[hostName] }

// HasAgent reports whether the format has a field for the User-Agent. Without it no line can name a
// crawler.
func (f *Format) HasAgent() bool { return f.has[userAgent] }

// HasTime reports whether the format has a time. Without it no request can be judged.
func (f *Format) HasTime() bool { return f.has[moment] || f.has[timeOfDay] }

// Sampled reports whether logs of the format may lack requests by design.
func (f *Format) Sampled() bool { return f.sampled }

// Doubts explains, in sentences for the user, why lines of the format may be ambiguous.
func (f *Format) Doubts() []string { return f.doubts }

// In returns the format with a time zone for times without one. nil is UTC.
func (f *Format) In(zone *time.Location) *Format {
	g := *f
	g.zone = zone
	return &g
}

// NewReader returns a reader of the format.
func (f *Format) NewReader() Reader { return f.newReader(f) }

// formats is the table of formats, the more specific first: Detect assigns a line to the first
// format that explains it.
var formats = sync.OnceValue(func() []*Format { return slices.Concat(lineFormats(), jsonFormats()) })

// lineFormats are the formats for text and columns.
var lineFormats = sync.OnceValue(func() []*Format {
	return slices.Concat(programFormats(), clfFormats(), columnFormats())
})

// Prepare makes the formats that Detect tries, so that Detect needn't do it later.
func Prepare() { lineFormats() }

// Default returns the format of a log without lines.
func Default() *Format { return clfFormats()[0] }

// families groups the formats for display, the most common first.
var families = sync.OnceValue(func() []Family {
	return []Family{
		{"Text, with the fields in a fixed order", slices.Concat(clfFormats(), programFormats())},
		{"Columns, which a header in the log names", columnFormats()},
		{"JSON, one object a line", jsonFormats()},
	}
})

// Family is a group of similar formats.
type Family struct {
	Title   string
	Formats []*Format
}

// Names returns the names of all formats, the most common first.
func Names() (names []string) {
	for _, family := range families() {
		for _, f := range family.Formats {
			names = append(names, f.name)
		}
	}
	return names
}

// ByName returns the format with a name, ignoring ASCII case. The name may be a row of the table,
// several rows joined by + for logs with mixed lines, a format inside envelopes as in
// syslog:combined, or json(WORDS), as Detect names its guesses. The formats haproxy and haproxy_clf
// may be followed by the names of captured headers, as in haproxy:host,user-agent.
func ByName(name string) (*Format, bool) {
	var around []*Envelope
	for len(around) < maxEnvelopes {
		first, rest, found := strings.Cut(name, ":")
		e := envelopeByName(first)
		if !found || e == nil {
			break
		}
		around, name = append(around, e), rest
	}
	f, ok := rowByName(name)
	if !ok {
		f, ok = guessByName(name)
	}
	if !ok {
		f, ok = mixByName(name)
	}
	if !ok || len(around) > 0 && f.hasHeader() {
		return nil, false
	}
	return wrap(around, f, nil), true
}

// rowByName returns the named row of the table of formats, or a row with HAProxy's captured
// headers.
func rowByName(name string) (*Format, bool) {
	for _, f := range formats() {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return capturedByName(name)
}

// Reader reads the lines of chunks in one format. It is not safe for concurrent use. It must accept
// any bytes and, once its buffers have grown, allocate nothing.
type Reader interface {
	// Reset begins a chunk of whole lines; the last may lack its line end.
	Reset(chunk []byte)
	// Next reads the next line of the chunk and returns its kind. It sets r.Line, and for a Request
	// also r.Agent, r.Referer, r.Robots and r.Size. It does nothing else, because it is called for
	// every line of a log. For a NoRequest it sets r.Time and r.HasTime.
	Next(r *Record) Kind
	// Complete sets the other fields of the request that Next returned last.
	Complete(r *Record)
	// Plausible reports whether the completed record looks like one from a log of the format. Only
	// Detect calls it.
	Plausible(r *Record) bool
}

// Kind is the kind of a line that Reader.Next has read.
type Kind uint8

// The kinds of lines, and the end of the chunk.
const (
	End       Kind = iota // there are no more lines
	Request               // a request with a target and, where the format has one, a User-Agent field
	Blank                 // an empty line
	Unparsed              // a line that isn't a request in the format
	Other                 // not a request by design: a directive, or a message of the server
	NoRequest             // a connection that carried no HTTP request: see values.without
)

// NoSizes is the Size of records in a format without sizes.
const NoSizes = -2

// Record is one logged request. Its slices are views of the chunk or of the reader's buffers, valid
// until the next call of Reader.Next or the end of the chunk. The zero value is ready for use.
type Record struct {
	// Line is the whole line as it was logged, without its line end: a view of the chunk.
	Line []byte
	// Offset is where the line begins in the chunk. All records of a line that is a JSON array have
	// the offset of the line.
	Offset int
	// Agent is the User-Agent, nil if the format has none.
	Agent []byte
	// Referer is the Referer header, or nil, empty or "-" if there is none. Readers may leave the
	// log's own escaping in it.
	Referer []byte
	// Robots reports whether the target begins with /robots.txt or, if it isn't a path, contains these
	// bytes after the authority. It is set for http://host/robots.txt, and may be for /robots.txtx.
	Robots bool

	// Addr is the client's address or its name.
	Addr []byte
	// Host is the host, followed by a colon and the port if logged. It is nil if the format has no
	// host, and empty or "-" if only this line has none.
	Host []byte
	// Forwarded is the header X-Forwarded-For, nil if the log has none.
	Forwarded []byte
	// Method is the request's method, never empty.
	Method []byte
	// Target is the request's target, never empty. Its percent-encoding belongs to the URL and is
	// kept. A format with a field for the scheme returns the target in absolute form, with the host
	// and that scheme, and sets SchemeLogged. It doesn't if a target itself has https and the field
	// says http.
	Target []byte
	// SchemeLogged reports whether the scheme of an absolute Target comes from a field of the log.
	// Otherwise it comes from the client, which may be a proxy in front of the server.
	SchemeLogged bool
	// OwnURL reports whether Target comes from a field for whole URLs. Then the scheme comes from the
	// log, but perhaps describes only the connection between a proxy and the server.
	OwnURL bool
	// Time is the time of the request in nanoseconds since 1970, valid if HasTime.
	Time    int64
	HasTime bool
	// Status is the HTTP status, 0 if not logged.
	Status int
	// Size is the number of bytes sent of the body. It is -1 if the line has none, and NoSizes if the
	// format has no field for it or only one that includes header fields.
	Size int64
	// Claim is what the writer of the log claims about the client, such as a CDN's category of
	// verified bots; nil if the format has no such field.
	Claim []byte
	// Lossy is how the log may have changed the target.
	Lossy Lossy
	// Truncated reports whether the server cut the target before logging it.
	Truncated bool
}

// Lossy is how a target may differ from what the client sent.
type Lossy uint8

// The ways in which a log can change a target.
const (
	Exact     Lossy = iota // it is what the client sent
	Decoded                // percent-decoded, so that a %2F looks like a slash
	Rewritten              // the server may have replaced it altogether
)
