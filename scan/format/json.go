package format

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// jsonField is a part of a request in a JSON object, found by a path as in field.Member.
type jsonField struct {
	part  part
	path  string
	spell spelling // the spelling of a part's first field counts
}

// jsonFormat returns the format of logs with one JSON object, or an array of objects, per line. An
// object is a line of the format only if it has all needs, see field.NewObject.
func jsonFormat(needs []string, fields []jsonField) *Format {
	f := &Format{bind: bindJSON}
	var members []field.Member
	for _, wanted := range fields {
		if !f.has[wanted.part] {
			f.has[wanted.part], f.spell[wanted.part] = true, wanted.spell
		}
		if wanted.part == moment || wanted.part == timeOfDay {
			f.layout = anyTime
		}
		members = append(members, field.Member{Field: int(wanted.part), Path: wanted.path})
	}
	object := field.NewObject(members, needs)
	f.newReader = func(f *Format) Reader {
		j := &jsonReader{values: values{meaning: f.meaning}, lines: lines{marked: quoted}, object: object}
		j.row.Text = j.text[:]
		return j
	}
	return f
}

// jsonReader reads lines of JSON. Each line is an object, which is a record, or an array of
// records, which may be the member records or logs of an object.
type jsonReader struct {
	values
	lines
	object *field.Object
	row    field.Row // shares its texts with values
	begins int       // where the last line begins in the chunk
	rest   []byte    // unread part of an array before rest; nil outside arrays
	others []Reader  // all formats of the table, once a line doesn't match: see elsewhere
	as     Record    // read by one of these
	lax    bool      // don't try others
	line   []byte    // the whole line of the array; nil after its first record
}

func (j *jsonReader) Reset(chunk []byte) {
	j.lines.Reset(chunk)
	j.rest = nil
}

func (j *jsonReader) Next(r *Record) Kind {
	for {
		if j.rest != nil {
			if kind := j.nextOfArray(r); kind != End {
				r.Offset = j.begins
				return kind
			}
		}
		if j.at >= len(j.chunk) {
			return End
		}
		j.begins = j.at
		line, quotes, back := j.cut()
		j.line, j.rest = line, arrayOf(line)
		if j.rest == nil {
			r.Line, r.Offset = line, j.begins
			j.row.Quotes = field.Quotes{Marks: quotes, Back: back}
			return j.readObject(r)
		}
	}
}

// arrayNames are the members that hold an array of records.
var arrayNames = [][]byte{[]byte(`"records"`), []byte(`"logs"`)}

// arrayOf returns what follows the opening bracket of a line that is an array of records, or nil
// for other lines.
func arrayOf(line []byte) (rest []byte) {
	rest = trimBlanks(line)
	if len(rest) > 0 && rest[0] == '{' {
		rest = trimBlanks(rest[1:])
		i := slices.IndexFunc(arrayNames, func(name []byte) bool { return bytes.HasPrefix(rest, name) })
		if i < 0 {
			return nil
		}
		rest = trimBlanks(rest[len(arrayNames[i]):])
		if len(rest) == 0 || rest[0] != ':' {
			return nil
		}
		rest = trimBlanks(rest[1:])
	}
	if len(rest) == 0 || rest[0] != '[' {
		return nil
	}
	rest = trimBlanks(rest[1:])
	if len(rest) > 0 && (rest[0] == '{' || rest[0] == ']') {
		return rest
	}
	return nil
}

// nextOfArray reads the next record of an array and returns its kind, or End after the last.
func (j *jsonReader) nextOfArray(r *Record) Kind {
	rest, line := trimBlanks(j.rest), j.line
	if line == nil && len(rest) > 0 && rest[0] == ',' {
		rest = trimBlanks(rest[1:])
	}
	j.rest, j.line = nil, nil
	r.Agent, r.Robots = nil, false
	switch {
	case len(rest) > 0 && rest[0] == '{':
		if n := field.ObjectLength(rest); n > 0 {
			r.Line, j.rest, j.row.Quotes = rest[:n], rest[n:], field.Quotes{}
			return j.readObject(r)
		}
	case line == nil && (len(rest) == 0 || closesArray(rest)): // the array may continue in the next line
		return End
	case closesArray(rest):
		r.Line = line
		return Other
	}
	r.Line = line
	if line == nil {
		r.Line = rest
	}
	return Unparsed
}

// closesArray reports whether b is the end of an array, and of the object around it.
func closesArray(b []byte) bool {
	b, ok := bytes.CutPrefix(b, []byte("]"))
	return ok && len(trimBlanks(bytes.TrimPrefix(trimBlanks(b), []byte("}")))) == 0
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

func (j *jsonReader) readObject(r *Record) Kind {
	r.Agent, r.Robots = nil, false
	if len(r.Line) == 0 {
		return Blank
	}
	j.values.begin()
	switch {
	case !j.object.Find(bytes.TrimPrefix(r.Line, BOM), &j.row):
		if b := bytes.TrimSpace(r.Line); string(b) == "[" || string(b) == "]" {
			return Other // around an array with one record per line
		}
		return Unparsed
	case j.row.Twice:
		return Unparsed
	case !j.row.Fits || !j.asks():
		if j.elsewhere(r) {
			return Unparsed
		}
		return Other
	}
	for _, p := range numericParts {
		if n := j.text[p]; digitsAt(n) < len(n) {
			j.text[p] = j.integer(n)
		}
	}
	if p := j.text[path]; p != nil && j.spell[path].rootless {
		j.text[path] = j.rooted(p)
	}
	if !j.values.next(r) {
		return j.without(r)
	}
	if r.Size < 0 && string(j.text[bodySize]) != "-" && string(j.text[sentSize]) != "-" {
		r.Size = NoSizes // there is no evidence that nothing was sent
	}
	return Request
}

// numericParts are the parts that JSON encoders may write as 200.0 or 2e2.
var numericParts = [...]part{statusCode, bodySize, sentSize, serverPort}

// integer normalizes an integral number to its digits, and returns anything else unchanged.
func (j *jsonReader) integer(text []byte) []byte {
	const longest = 24
	if len(text) > longest || !isDigit(text[0]) {
		return text
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || n != math.Trunc(n) || n >= 1<<53 {
		return text
	}
	from := len(j.buf)
	j.buf = strconv.AppendInt(j.buf, int64(n), 10)
	return j.buf[from:len(j.buf):len(j.buf)]
}

// elsewhere reports whether an object that doesn't match the format may still be a request: it has
// a User-Agent, or another row of the table finds a status or a User-Agent in it. Servers change
// their keys when they are upgraded. An object isn't a request by design if a discriminating member
// has another value than in requests.
func (j *jsonReader) elsewhere(r *Record) bool {
	if j.lax || j.row.Excluded {
		return false
	}
	if containsAny(r.Line, agentWords) && namesAgent(r.Line, 0) {
		return true
	}
	if !containsAny(r.Line, targetWords) || !containsAny(r.Line, agentWords) && !containsAny(r.Line, statusWords) {
		return false
	}
	if j.others == nil {
		for _, f := range jsonFormats() {
			other := f.NewReader().(*jsonReader)
			other.lax = true
			j.others = append(j.others, other)
		}
	}
	for _, other := range j.others {
		if explain(other, r.Line, &j.as) == Request && (j.as.Status > 0 || len(j.as.Agent) > 0) {
			return true
		}
	}
	return false
}

// Every object with a User-Agent, a target or a status contains one of these. Most messages don't,
// and can be skipped.
var (
	agentWords  = []string{`gent"`, `GENT"`, `ua"`, `UA"`}
	targetWords = []string{`"/`, ` /`, `://`, `\/`}
	statusWords = []string{"tatus", "TATUS", `ode"`, `ODE"`, "esponse"}
)

func containsAny(line []byte, texts []string) bool {
	for _, text := range texts {
		if bytes.Contains(line, []byte(text)) {
			return true
		}
	}
	return false
}

// namesAgent reports whether an object or a nested object has a member named like a User-Agent.
func namesAgent(object []byte, depth int) bool {
	const deepest = 4
	for name, value := range field.Members(object) {
		switch {
		case value[0] == '{' && depth < deepest:
			if namesAgent(value, depth+1) {
				return true
			}
		case len(value) > len(`"-"`) && (value[0] == '"' || value[0] == '[') && isAgentKey(name):
			return true
		}
	}
	return false
}

// isAgentKey reports whether a name ends with user agent, ignoring case, with anything between the
// words.
func isAgentKey(name []byte) bool {
	const letters = "useragent"
	rest := len(letters)
	for i := len(name) - 1; i >= 0 && rest > 0; i-- {
		switch c := name[i]; {
		case !isLetter(c):
		case c|0x20 == letters[rest-1]:
			rest--
		default:
			return false
		}
	}
	return rest == 0
}

// asks reports whether the object has a field that could be a target.
func (j *jsonReader) asks() bool {
	for _, p := range targetParts {
		if j.text[p] != nil {
			return true
		}
	}
	return false
}

// Complete sets the other fields. JSON can't hold bytes of a target that aren't UTF-8, so anything
// may have replaced them.
func (j *jsonReader) Complete(r *Record) {
	j.values.complete(r)
	if bytes.Contains(r.Target, replaced) {
		r.Lossy = Rewritten
	}
}

// replaced is U+FFFD, which JSON encoders write for bytes that aren't UTF-8.
var replaced = []byte("\xef\xbf\xbd")

// Plausible ignores missing fields, because a server's configuration decides which fields it logs.
func (j *jsonReader) Plausible(r *Record) bool {
	return r.HasTime && (len(r.Addr) == 0 || plausibleAddress(r.Addr)) &&
		(len(r.Host) == 0 || string(r.Host) == "-" || plausibleHost(r.Host))
}

// bindJSON drops the fields that no request in the head of the log has, so that errors can name
// what is missing. A host that is always a dash is missing too: parsers of Fluent Bit and Fluentd
// call the identity of the common log format so.
func bindJSON(f *Format, head []byte) *Format {
	j := f.NewReader().(*jsonReader)
	var has [allParts]bool
	requests := 0
	for kind := range recordsOf(j, head) {
		if kind != Request {
			continue
		}
		requests++
		for p := range has {
			has[p] = has[p] || j.text[p] != nil && (part(p) != hostName || string(j.text[p]) != "-")
		}
	}
	if requests == 0 {
		return nil
	}
	g := *f
	for _, p := range []part{userAgent, hostName, moment, day, timeOfDay, bodySize, sentSize, statusCode} {
		g.has[p] = f.has[p] && has[p]
	}
	return &g
}
