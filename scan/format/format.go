// Package format takes lines of logs apart into records.
//
// A line is split in two steps, since most lines are of no interest: Split
// checks that it is a record at all and finds its User-Agent; only for a crawler
// does Complete look at the rest. Fields are views into the line wherever the
// log spells them as the client did.
package format

import "strings"

// Format takes one kind of line apart. A Format is immutable and safe for any
// number of goroutines.
type Format interface {
	// Name is the name by which ByName knows the format.
	Name() string
	// HasHost and HasAgent tell whether the format has a field for the host and
	// for the User-Agent. Without the latter no line can name a crawler.
	HasHost() bool
	HasAgent() bool
	// Next cuts the next line off a chunk that has one more, and splits it like Split. It
	// sets r.Line also if that is no record.
	Next(l *Lines, r *Record) bool
	// Split reads line, without its line end, into r and tells whether it is a
	// record of the format: it has a request target and, where the format has
	// one, a User-Agent field. Only r.Line and r.Agent are set.
	Split(line []byte, r *Record) bool
	// Complete sets the remaining fields of a record that Split has accepted.
	Complete(r *Record)
}

// Record is one request as it was logged. All its slices are views into the
// line, or into buffers of the record itself, and valid until the record is
// used again or the line's buffer is. The zero value is ready for Split. A
// Record belongs to one goroutine.
type Record struct {
	// Line is the whole line, without its line end.
	Line []byte
	// Agent is the User-Agent field as the log spells it: see Unescape.
	Agent []byte

	// Addr is the client's address or its name, Host the host with its port if
	// the log has one, nil if the format has none.
	Addr, Host []byte
	// Forwarded is the first quoted field behind the User-Agent as the log spells
	// it, which is where proxied servers log X-Forwarded-For; nil if there is none.
	Forwarded []byte
	// Method and Target are the request's, as the client sent them: the log's
	// own escaping is undone, the URL's percent-encoding is not.
	Method, Target []byte
	// Time is the time of the request in nanoseconds since 1970, valid if HasTime.
	Time    int64
	HasTime bool
	// Status is the HTTP status, 0 if the log has none.
	Status int
	// Size is the logged size of the answer in bytes, -1 if the log has none.
	Size int64
	// Truncated says that the server cut the target before logging it.
	Truncated bool

	method, request, status span // where Split found them in Line
	size                    span // where Complete did, or Next
	behind                  int  // where in Line the fields behind the User-Agent begin, 0 if there are none
	unescaped               []byte
	ordinary                bool // Next found an ordinary line, without any backslash
	clock                   clock
}

// span is a range of a line.
type span struct{ start, end int }

func (r *Record) of(s span) []byte { return r.Line[s.start:s.end] }

// formats are all formats, the more specific first.
var formats = []Format{
	clf{name: "combined", agent: true},
	clf{name: "vhost_combined", vhost: true, agent: true},
	clf{name: "common"},
	clf{name: "vhost_common", vhost: true},
}

// Names returns the names of all formats.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name()
	}
	return names
}

// ByName returns the format of that name.
func ByName(name string) (Format, bool) {
	for _, f := range formats {
		if strings.EqualFold(f.Name(), name) {
			return f, true
		}
	}
	return nil, false
}

// AsksRobots tells of a record that Split has accepted whether its target begins
// with /robots.txt, for a glance at lines that are of no other interest.
func (r *Record) AsksRobots() bool {
	const robots = " /robots.txt"
	rest := r.Line[r.method.end:]
	return len(rest) >= len(robots) && string(rest[:len(robots)]) == robots
}
