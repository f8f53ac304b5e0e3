package format

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Explanation describes how the first lines of a log are read.
type Explanation struct {
	// Format is the format of the log, or nil if none was found; then Err has the reason.
	Format *Format
	Err    error
	// Lines is the number of examined lines, not counting empty ones. It is the sum of Requests,
	// Others and Unparsed.
	Lines, Requests, Others, Unparsed int
	// Readings lists the formats that explain some lines, best first. It is empty if the format was
	// given.
	Readings []Count
	// Examples are the first lines of each kind, in the order of the log. If no format was found, they
	// are read in the best of Readings.
	Examples []Example
}

// Count is the number of lines that a format explains.
type Count struct {
	Format string
	Lines  int
}

// Example is a line, with how it is read.
type Example struct {
	Number int // line number in the log, from 1
	Line   []byte
	Kind   Kind
	// Fields are the fields of a request.
	Fields []Field
	// Fault says where a line couldn't be read, if known.
	Fault string
}

// Field is a field of a request as the format reads it.
type Field struct{ Name, Value string }

// Explain explains how the beginning of a log, head, is read in the format f, which is detected if
// nil. whole is as for Detect. It returns at most n examples of each kind.
func Explain(head []byte, whole bool, f *Format, n int) *Explanation {
	e := &Explanation{Format: f}
	d, err := examine(head, whole)
	if err != nil {
		e.Err = err
		return e
	}
	if f == nil {
		e.Format = d.format()
		best := d.candidates()
		for _, c := range best {
			e.Readings = append(e.Readings, Count{c.name(), c.lines})
		}
		f = e.Format
		if f == nil {
			e.Err = d.err()
			if len(best) == 0 {
				return e
			}
			f = enclose(best[0].around, best[0].Format, d.head)
		}
	}
	e.read(f, d, n)
	return e
}

// read counts the lines, and keeps the examples.
func (e *Explanation) read(f *Format, d *detection, n int) {
	var kept [NoRequest + 1]int
	number := 0
	for kind, r := range f.records(d.head) {
		number++
		if kind == Blank {
			continue
		}
		e.Lines++
		if e.Lines > len(d.lines) {
			break
		}
		kept[kind]++
		if kept[kind] > n {
			continue
		}
		example := Example{Number: number, Line: bytes.Clone(r.Line), Kind: kind}
		switch kind {
		case Request:
			example.Fields = describe(f, r)
		case Unparsed:
			example.Fault = fault(f.NewReader(), example.Line)
		}
		e.Examples = append(e.Examples, example)
	}
	e.Requests, e.Others, e.Unparsed = kept[Request], kept[Other]+kept[NoRequest], kept[Unparsed]
	e.Lines = e.Requests + e.Others + e.Unparsed
}

func describe(f *Format, r *Record) []Field {
	text := func(has bool, b []byte) string {
		switch {
		case !has:
			return "not logged"
		case len(b) == 0:
			return "empty"
		}
		return string(b)
	}
	at := "not understood"
	if !f.HasTime() {
		at = "not logged"
	} else if r.HasTime {
		at = time.Unix(0, r.Time).UTC().Format("2006-01-02 15:04:05.999999999 UTC")
	}
	status, size := "not logged", "not logged"
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	if r.Size >= 0 {
		size = strconv.FormatInt(r.Size, 10)
	}
	list := []Field{
		{"time", at}, {"client", text(f.has[clientAddr], r.Addr)}, {"host", text(r.Host != nil, r.Host)},
		{"method", string(r.Method)}, {"target", string(r.Target)}, {"status", status}, {"size", size},
		{"User-Agent", text(r.Agent != nil, r.Agent)},
	}
	if r.Forwarded != nil {
		list = append(list, Field{"forwarded", text(true, r.Forwarded)})
	}
	if r.Claim != nil {
		list = append(list, Field{"claim", text(true, r.Claim)})
	}
	switch {
	case r.Lossy == Decoded:
		list = append(list, Field{"path", "decoded by the server: %2F is not told from /"})
	case r.Lossy == Rewritten:
		list = append(list, Field{"path", "perhaps rewritten by the server"})
	case r.Truncated:
		list = append(list, Field{"path", "cut by the server"})
	}
	return list
}

// Lacks names the fields that an audit would use and the format lacks: User-Agent, time, client,
// host, status, size.
func (f *Format) Lacks() (list []string) {
	for _, l := range []struct {
		has  bool
		what string
	}{
		{f.HasAgent(), "User-Agent"}, {f.HasTime(), "time"}, {f.has[clientAddr] || f.has[forwardedFor], "client"},
		{f.HasHost(), "host"}, {f.has[statusCode], "status"}, {f.has[bodySize] || f.has[sentSize], "size"},
	} {
		if !l.has {
			list = append(list, l.what)
		}
	}
	return list
}

// Typical returns all formats, the most common first. Formats with a header have their usual
// columns.
func Typical() (list []Family) {
	for _, family := range families() {
		typical := Family{Title: family.Title}
		for _, f := range family.Formats {
			g := *f.boundTo([]byte(f.head + f.sample + "\n"))
			g.name = f.name
			typical.Formats = append(typical.Formats, &g)
		}
		list = append(list, typical)
	}
	return list
}

// Similar returns the names of a few formats that a misspelled name may mean: formats with a
// similar name, or written by a program that the text names.
func Similar(text string) (names []string) {
	const most = 5
	text = strings.ToLower(text)
	for _, name := range Names() {
		f, _ := rowByName(name)
		isPart := len(text) > 2 && (strings.Contains(name, text) || strings.Contains(strings.ToLower(f.by), text))
		if len(names) < most && (isPart || isMistyped(text, name)) {
			names = append(names, name)
		}
	}
	return names
}

// isMistyped reports whether a text equals a name except for one missing, added or changed letter.
func isMistyped(text, name string) bool {
	begin := 0
	for begin < min(len(text), len(name)) && text[begin] == name[begin] {
		begin++
	}
	text, name = text[begin:], name[begin:]
	end := 0
	for end < min(len(text), len(name)) && text[len(text)-1-end] == name[len(name)-1-end] {
		end++
	}
	return max(len(text), len(name))-end <= 1
}

// fault says where a line couldn't be read, or returns "" if unknown.
func fault(reader Reader, line []byte) string {
	reader.Reset(line)
	var r Record
	reader.Next(&r)
	switch reader := reader.(type) {
	case *enveloped:
		_, inner, has := unwrap(reader.around, line, &reader.bufs)
		if has != whole {
			return "it is not in the envelope " + reader.around[0].Name + ", or it is a piece of a longer line"
		}
		return fault(reader.inner, bytes.Clone(inner))
	case *mixed:
		return "none of the formats of the mix fits it"
	case *programReader:
		return reader.fault()
	case *columns:
		if fields := reader.Split(reader.fields, line); fields != reader.now.count {
			return fmt.Sprintf("it has %d fields, but %d columns", max(fields, 0), reader.now.count)
		}
		return noTarget
	case *jsonReader:
		if says := reader.object.Fault(line, &reader.row); says != "" {
			return says
		}
		return "it lacks a field of the format, or " + noTarget
	}
	return ""
}

const noTarget = "its request has no method and target"

// partWords names the parts of a line in Explanation.
var partWords = [allParts]string{
	clientAddr: "client", forwardedFor: "addresses of X-Forwarded-For", hostName: "host", serverPort: "port",
	schemeName: "scheme",
	tlsInUse:   "TLS version",
	userAgent:  "User-Agent", requestLine: "request", methodName: "method", target: "target",
	path: "path", decodedPath: "path",
	rewrittenPath: "path", query: "query", statusCode: "status", bodySize: "size",
	sentSize: "size with headers", moment: "time",
	day: "date", timeOfDay: "time of day", botClaim: "claim", referrer: "Referer",
}

// records reads the beginning of a log, and completes its requests.
func (f *Format) records(head []byte) iter.Seq2[Kind, *Record] { return recordsOf(f.NewReader(), head) }

func recordsOf(reader Reader, head []byte) iter.Seq2[Kind, *Record] {
	return func(yield func(Kind, *Record) bool) {
		var r Record
		reader.Reset(head)
		for kind := reader.Next(&r); kind != End; kind = reader.Next(&r) {
			if kind == Request {
				reader.Complete(&r)
			}
			if !yield(kind, &r) {
				return
			}
		}
	}
}

// Loss returns the worst loss of targets in the beginning of a log, head.
func Loss(f *Format, head []byte) (worst Lossy) {
	if f.isCommon {
		return Exact
	}
	for kind, r := range f.records(head) {
		if kind == Request {
			worst = max(worst, r.Lossy)
		}
	}
	return worst
}

// NamesZones reports whether all times at the beginning of a log, head, name their zone. Times
// without one are in the zone of Format.In. It returns true for a log without times.
func NamesZones(f *Format, head []byte) bool {
	if f.isCommon {
		return true
	}
	times := func(zone *time.Location) (list []int64) {
		for kind, r := range f.In(zone).records(head) {
			if kind == Request {
				list = append(list, r.Time)
			}
		}
		return list
	}
	return slices.Equal(times(time.UTC), times(time.FixedZone("", 3600)))
}

// Times returns the times of the first and the last request of a chunk, extended by a minute on
// both sides because lines are logged when their requests end.
func Times(f *Format, header, data []byte) (first, last int64, ok bool) {
	reader := f.NewReader()
	at := func(lines []byte) (t int64, ok bool) {
		if headed, ok := reader.(Headed); ok {
			headed.SetHeader(header)
		}
		var r Record
		kind := Blank
		reader.Reset(lines)
		for kind != Request && kind != End {
			kind = reader.Next(&r)
		}
		if kind == End {
			return 0, false
		}
		reader.Complete(&r)
		return r.Time, r.HasTime
	}
	first, ok = at(data)
	last, known := at(data[1+bytes.LastIndexByte(bytes.TrimRight(data, "\r\n"), '\n'):])
	if !known {
		last = math.MaxInt64 - int64(time.Minute)
	}
	return min(first, last) - int64(time.Minute), max(first, last) + int64(time.Minute), ok
}
