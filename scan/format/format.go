// Package format turns the lines of access logs into records.
//
// A line is read in two steps, because most lines do not matter:
// Reader.Next cuts it off its chunk, reports whether it is a request, and finds
// the User-Agent; only for a crawler does Reader.Complete read the other fields.
//
// A Record does not depend on the format of its line: its fields hold what the
// client sent, with the log's own escaping undone.
//
// The formats are rows written in the words that users give to --format: table.go has the text formats and
// jsonformats.go the JSON formats. user.go and a file for each language compile words (nginx.go,
// apache.go, userjson.go; words.go has the others) into a shape of scan/internal/field, which
// finds the fields of a line, and a program that interprets them: compiled.go (text with literals between the
// fields), json.go, and columns.go (text with a header that names its columns). clf.go reads most
// lines of the common log format and its relatives faster than the compiled words do. values.go turns
// fields into records. escape.go and time.go decode escapes and times. envelope.go removes
// what other programs wrote around a line (containers.go, member.go), and mixed.go reads lines of
// several formats. detect.go detects the format of a log, guess.go does so for JSON with unknown keys,
// signs.go identifies files that are not logs, and explain.go shows how lines are read.
//
// To add a format, add a row to a table. TestFormats checks each row by its sample.
package format

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Format is a kind of access log, a row of the table of formats. It is immutable
// and safe for any number of goroutines.
type Format struct {
	name   string
	by     string // what writes it
	head   string // what stands before the sample in a log, with its line ends
	sample string // a line of it, the same request in all rows: see TestFormats
	words  string // as users give them to --format; Parse reads them
	meaning
	fits func(*Record) bool // row.fits
	// isCommon: it is the common log format or a relative, see clf.go.
	isCommon bool
	dialect  *dialect // of formats whose lines are columns, nil for others
	header   []byte   // Header
	// state returns what a chunk reveals about the lines in the next one, or nil: see LastHeader.
	// It is nil if nothing ever does but headers.
	state     func(chunk []byte) []byte
	newReader func(*Format) Reader
	// bind returns the format of a log by its beginning, for formats that say in the log
	// itself what their fields are; nil if this is no such beginning. bind is nil for all
	// other formats.
	bind func(f *Format, head []byte) *Format
	// doubts are what may be wrong with its lines: Doubts.
	doubts []string
	// sampled reports whether logs of the format may lack requests by design.
	sampled bool
}

// Name returns the name by which ByName knows the format.
func (f *Format) Name() string { return f.name }

// By returns the programs that write the format.
func (f *Format) By() string { return f.by }

// Head returns what stands before the sample in a log of the format, with line ends: the line
// that names its columns. It is empty for formats that need none.
func (f *Format) Head() string { return f.head }

// Sample returns a line of the format, without its line end.
func (f *Format) Sample() string { return f.sample }

// Words returns the words in which users describe the format, for Parse. It is empty for a mix, and
// for formats in envelopes.
func (f *Format) Words() string { return f.words }

// HasHost reports whether the format names the host of a request.
func (f *Format) HasHost() bool { return f.has[hostName] }

// HasAgent reports whether the format has a field for the User-Agent. Without it
// no line can name a crawler.
func (f *Format) HasAgent() bool { return f.has[userAgent] }

// HasTime reports whether the format has a time. Without it no request can be judged.
func (f *Format) HasTime() bool { return f.has[moment] || f.has[timeOfDay] }

// Sampled reports whether logs of the format may lack requests by design.
func (f *Format) Sampled() bool { return f.sampled }

// Doubts returns why the format leaves lines ambiguous, if it does, as sentences for
// the user.
func (f *Format) Doubts() []string { return f.doubts }

// In returns the format with a time zone for times that name none. nil is UTC.
func (f *Format) In(zone *time.Location) *Format {
	g := *f
	g.zone = zone
	return &g
}

// NewReader returns a reader of the format.
func (f *Format) NewReader() Reader { return f.newReader(f) }

// formats is the table of formats, the more specific first: Detect counts a line
// for the first format that explains it.
var formats = sync.OnceValue(func() []*Format { return slices.Concat(lineFormats(), jsonFormats()) })

// lineFormats are the formats for text and columns.
var lineFormats = sync.OnceValue(func() []*Format {
	return slices.Concat(programFormats(), clfFormats(), columnFormats())
})

// Prepare makes the formats that Detect tries, for which it need not wait then.
func Prepare() { lineFormats() }

// Default returns the format of a log without lines.
func Default() *Format { return clfFormats()[0] }

// families are the formats for people, those that most logs have first.
var families = sync.OnceValue(func() []Family {
	return []Family{
		{"Text, with the fields in a fixed order", slices.Concat(clfFormats(), programFormats())},
		{"Columns, which a header in the log names", columnFormats()},
		{"JSON, one object a line", jsonFormats()},
	}
})

// Family is a group of formats that are alike.
type Family struct {
	Title   string
	Formats []*Format
}

// Names returns the names of all formats, those that most logs have first.
func Names() (names []string) {
	for _, family := range families() {
		for _, f := range family.Formats {
			names = append(names, f.name)
		}
	}
	return names
}

// ByName returns the format with a name, in any ASCII case: a row of the table; of
// several of these, joined by +, for logs with lines of each; and with envelopes around the
// lines, as in syslog:combined; and json(WORDS), as Detect names what it has guessed. The formats
// haproxy and haproxy_clf may have the names of captured headers behind them, as in haproxy:host,user-agent.
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

// rowByName returns the row of the table of formats with a name, or one with the headers
// that HAProxy captures.
func rowByName(name string) (*Format, bool) {
	for _, f := range formats() {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return capturedByName(name)
}

// Reader reads the lines of chunks as one format. It belongs to one goroutine. It
// must accept any bytes and, once its buffers have grown, allocate nothing.
type Reader interface {
	// Reset begins a chunk of whole lines; the last may lack its line end.
	Reset(chunk []byte)
	// Next reads the next line of the chunk and returns its kind. It sets r.Line, and for
	// a request also r.Agent, r.Referer, r.Robots and r.Size. It is called for every line of a log, so it
	// does nothing else. Of a NoRequest it sets r.Time and r.HasTime.
	Next(r *Record) Kind
	// Complete sets the other fields of the request that Next returned last.
	Complete(r *Record)
	// Plausible reports whether the fields of the completed record look as they do in
	// a log of the format. Only Detect calls it.
	Plausible(r *Record) bool
}

// Kind is the kind of line that Reader.Next read.
type Kind uint8

// The kinds of lines, and the end of the chunk.
const (
	End       Kind = iota // there is no further line
	Request               // a request with a target and, where the format has one, a User-Agent field
	Blank                 // a line without a byte
	Unparsed              // a line that is no request of the format
	Other                 // a line of the format that is no request by design: a directive, or a message of the server
	NoRequest             // a line of a connection that carried no HTTP request: see values.without
)

// NoSizes is the Size of the records of a format without sizes.
const NoSizes = -2

// Record is one logged request. Its slices are views into the chunk, or into
// buffers of the reader, and valid until the next call of Reader.Next or the end
// of the chunk. The zero value is ready for use.
type Record struct {
	// Line is the whole line as it was logged, without its line end: a view of the chunk.
	Line []byte
	// Offset is where in the chunk the line begins. Several records of a line, which is an array of JSON,
	// have the offset of the line.
	Offset int
	// Agent is the User-Agent, nil if the format has none.
	Agent []byte
	// Referer is the header Referer, nil or empty or "-" if there is none. A reader need not undo
	// the log's own escaping in it.
	Referer []byte
	// Robots reports whether the target begins with /robots.txt or, if it is not a path, has it
	// anywhere after the authority, in these very bytes. So it is set for
	// http://host/robots.txt, and may be for /robots.txtx.
	Robots bool

	// Addr is the client's address or its name.
	Addr []byte
	// Host is the host, followed by a colon and the port if the log has one. It is nil
	// if the format has none, and empty or "-" if only this line has none.
	Host []byte
	// Forwarded is the header X-Forwarded-For, nil if the log has none.
	Forwarded []byte
	// Method is the request's method, not empty.
	Method []byte
	// Target is the request's target, not empty. Its percent-encoding is the URL's
	// own, and is kept. A format with a field for the scheme returns the target in
	// absolute form, with the host and that scheme, and sets SchemeLogged; but not where a
	// target has https itself and the field says http.
	Target []byte
	// SchemeLogged reports whether the scheme of an absolute Target is from a field of the log.
	// Otherwise it is the client's word: of a proxy in front of the server, for example.
	SchemeLogged bool
	// OwnURL reports whether Target is the text of a field for whole URLs: the scheme is the log's word, but
	// perhaps only that between a proxy and the server.
	OwnURL bool
	// Time is the time of the request in nanoseconds since 1970, valid if HasTime.
	Time    int64
	HasTime bool
	// Status is the HTTP status, 0 if the log has none.
	Status int
	// Size is the number of bytes of the body that were sent, -1 if the line has none, NoSizes if
	// the format has no field for it, or only one that counts the header fields too.
	Size int64
	// Claim is a statement by the writer of the log about the client, such as the category of
	// verified bots of a CDN; nil if the format has no such field.
	Claim []byte
	// Lossy is what the log did to the target.
	Lossy Lossy
	// Truncated reports whether the server cut the target before logging it.
	Truncated bool
}

// Lossy is whether a target can differ from what the client sent.
type Lossy uint8

// What a log can do to a target.
const (
	Exact     Lossy = iota // nothing: it is what the client sent
	Decoded                // the percent-encoding of its path is undone: a %2F is not told from a slash
	Rewritten              // the server may have replaced it altogether
)
