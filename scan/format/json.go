package format

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// jsonField is a part of a request in a JSON object, to which a path leads as field.Member says.
type jsonField struct {
	part  part
	path  string
	spell spelling // the first of a part counts
}

// jsonFormat returns the format of logs of which each line is a JSON object, or an array of
// such. An object is a line of the format only if it has all needs, as field.NewObject says.
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
// objects, each of which is a record, perhaps as the member records or logs of an object.
type jsonReader struct {
	values
	lines
	object *field.Object
	row    field.Row // its texts are shared with values
	begins int       // where in the chunk the last line begins
	rest   []byte    // the unread part of an array before that; nil outside of arrays
	others []Reader  // of the table, once a line does not match the format; see elsewhere
	as     Record    // what one of these read
	lax    bool      // such lines do not matter
	line   []byte    // the whole line of the array, nil once a record of it has been read
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

// arrayNames are the members that have an array of records.
var arrayNames = [][]byte{[]byte(`"records"`), []byte(`"logs"`)}

// arrayOf returns what follows the bracket of a line that is an array of records, nil for others.
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

// nextOfArray reads the next record of an array, and returns its kind; End after the last.
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
	case line == nil && (len(rest) == 0 || closesArray(rest)): // the array may go on in the next line
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

// trimBlanks returns b without the blanks at its beginning.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// readObject reads the object that r.Line is, and returns its kind.
func (j *jsonReader) readObject(r *Record) Kind {
	r.Agent, r.Robots = nil, false
	if len(r.Line) == 0 {
		return Blank
	}
	j.values.begin()
	switch {
	case !j.object.Find(bytes.TrimPrefix(r.Line, BOM), &j.row):
		if b := bytes.TrimSpace(r.Line); string(b) == "[" || string(b) == "]" {
			return Other // around an array with a record a line
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

// numericParts are the parts that encoders of JSON may write as 200.0 or 2e2.
var numericParts = [...]part{statusCode, bodySize, sentSize, serverPort}

// integer returns a number that is whole as its digits, and anything else as it is.
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

// elsewhere reports whether an object that does not match the format may be a request anyway: it
// has a User-Agent, or another row of the table reads a status or a User-Agent in it. Servers change
// their keys when they are upgraded. An object is not a request by design if a discriminating member has another
// value than in requests.
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

// What stands in every object with a User-Agent, a target or a status. Most messages lack it, and need not
// be looked at.
var (
	agentWords  = []string{`gent"`, `GENT"`, `ua"`, `UA"`}
	targetWords = []string{`"/`, ` /`, `://`, `\/`}
	statusWords = []string{"tatus", "TATUS", `ode"`, `ODE"`, "esponse"}
)

// containsAny reports whether a line has one of some texts in it.
func containsAny(line []byte, texts []string) bool {
	for _, text := range texts {
		if bytes.Contains(line, []byte(text)) {
			return true
		}
	}
	return false
}

// namesAgent reports whether an object has a User-Agent, by the name of a member in it or in objects
// within it.
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

// isAgentKey reports whether a name ends with user agent, in any case and with anything between the
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

// Complete sets the other fields. A byte of the target that is no UTF-8 cannot be in JSON: what
// stands in its place may be any.
func (j *jsonReader) Complete(r *Record) {
	j.values.complete(r)
	if bytes.Contains(r.Target, replaced) {
		r.Lossy = Rewritten
	}
}

// replaced is what encoders of JSON write for bytes that are no UTF-8: U+FFFD.
var replaced = []byte("\xef\xbf\xbd")

// Plausible leaves open what the line does not have: which fields a format has depends on
// its server's configuration.
func (j *jsonReader) Plausible(r *Record) bool {
	return r.HasTime && (len(r.Addr) == 0 || plausibleAddress(r.Addr)) &&
		(len(r.Host) == 0 || string(r.Host) == "-" || plausibleHost(r.Host))
}

// bindJSON returns the format without those fields that no request in the head of the log
// has, so that errors can name what is missing.
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
			has[p] = has[p] || j.text[p] != nil
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
