// Package format turns the lines of access logs into records.
//
// A line is read in two steps, because most lines are of no interest:
// Reader.Next cuts it off its chunk, tells whether it is a request, and finds
// the User-Agent; only for a crawler does Reader.Complete read the other fields.
//
// A Record does not depend on the format of its line: its fields hold what the
// client sent, with the log's own escaping undone.
//
// To add a format, write a file with a Reader for it and add a row to the table of
// formats. NextLine cuts lines off a chunk, and plausibleClient checks the fields
// that most formats have. TestFormats checks each row by its line in samples.
package format

import "strings"

// Format is a kind of access log, a row of the table of formats. It is immutable
// and safe for any number of goroutines.
type Format struct {
	name        string
	host, agent bool
	newReader   func(*Format) Reader
}

// Name returns the name by which ByName knows the format.
func (f *Format) Name() string { return f.name }

// HasHost tells whether the format has a field for the host.
func (f *Format) HasHost() bool { return f.host }

// HasAgent tells whether the format has a field for the User-Agent. Without it
// no line can name a crawler.
func (f *Format) HasAgent() bool { return f.agent }

// NewReader returns a reader of the format.
func (f *Format) NewReader() Reader { return f.newReader(f) }

// formats is the table of formats, the more specific first: Detect counts a line
// for the first format that explains it.
var formats = []*Format{
	{"combined", false, true, newCLF},
	{"vhost_combined", true, true, newCLF},
	{"common", false, false, newCLF},
	{"vhost_common", true, false, newCLF},
}

// Default is the format of a log without lines.
var Default = formats[0]

// Names returns the names of all formats.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// ByName returns the format with a name, in any ASCII case.
func ByName(name string) (*Format, bool) {
	for _, f := range formats {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return nil, false
}

// Reader reads the lines of chunks as one format. It belongs to one goroutine. It
// must accept any bytes and, once its buffers have grown, allocate nothing.
type Reader interface {
	// Reset begins a chunk of whole lines; the last may lack its line end.
	Reset(chunk []byte)
	// Next reads the next line of the chunk and returns its kind. It sets r.Line, and for
	// a request also r.Agent and r.Robots. It is called for every line of a log, so it
	// does nothing else.
	Next(r *Record) Kind
	// Complete sets the other fields of the request that Next returned last.
	Complete(r *Record)
	// Plausible tells whether the fields of the completed record look as they do in
	// a log of the format. Only Detect calls it.
	Plausible(r *Record) bool
}

// Kind is the kind of line that Reader.Next read.
type Kind uint8

// The kinds of lines, and the end of the chunk.
const (
	End      Kind = iota // there is no further line
	Request              // a request with a target and, where the format has one, a User-Agent field
	Blank                // a line without a byte
	Unparsed             // a line that is no request of the format
)

// NoSizes is the Size of the records of a format without sizes.
const NoSizes = -2

// Record is one logged request. Its slices are views into the chunk, or into
// buffers of the reader, and valid until the next call of Reader.Next or the end
// of the chunk. The zero value is ready for use.
type Record struct {
	// Line is the whole line as it was logged, without its line end.
	Line []byte
	// Agent is the User-Agent, nil if the format has none.
	Agent []byte
	// Robots tells whether the target begins with /robots.txt or, if it is not a path, has it
	// anywhere, in these very octets. So it is set for http://host/robots.txt, and may be for
	// /robots.txtx.
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
	// absolute form, with scheme and host.
	Target []byte
	// Time is the time of the request in nanoseconds since 1970, valid if HasTime.
	Time    int64
	HasTime bool
	// Status is the HTTP status, 0 if the log has none.
	Status int
	// Size is the number of bytes sent, -1 if the line has none, NoSizes if the format
	// has no field for it.
	Size int64
	// Truncated tells whether the server cut the target before logging it.
	Truncated bool
}
