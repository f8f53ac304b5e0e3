package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/field"
)

// Collectors of logs ship each line as a member of a JSON object, and each calls that member
// otherwise: log, message, textPayload, line, event.original. So it is found by its values: those of
// the first lines look like lines of an access log, or are objects themselves.

// memberPrefix begins the name of the envelope of a member, before its path: json.textPayload.
const memberPrefix = "json."

// inMember returns the envelope of lines that are a member of objects.
func inMember(path string) *Envelope {
	steps := field.Steps(path)
	return &Envelope{
		Name: memberPrefix + path, cuts: true, isMember: true,
		By: "Loki, Vector, Fluent Bit, Filebeat, Datadog, CloudWatch, Google Cloud and others: the path of the member " +
			"that has the line",
		open: func(line []byte, buf *[]byte) (source, inner []byte, has content) {
			if len(line) == 0 || line[0] != '{' {
				return nil, nil, nothing
			}
			var m member
			m.find(line, steps)
			switch {
			case m.piece:
				return m.source, nil, piece
			case !isString(m.raw):
				return m.source, nil, nothing
			}
			*buf = field.Unescape((*buf)[:0], m.raw[1:len(m.raw)-1])
			return m.source, withoutReturn(bytes.TrimSuffix(*buf, []byte("\n"))), whole
		},
	}
}

// member is what an object says of the line in it.
type member struct {
	raw    []byte // the line, as JSON has it
	source []byte // the container that wrote it, or else the stream; nil if neither is named
	piece  bool   // it goes on in the next object, or did not begin in this one
}

// find looks for the member at a path, and for what is known of the line, in an object and those on
// the way.
func (m *member) find(object []byte, steps []string) {
	for name, value := range field.Members(object) {
		switch string(name) {
		case "container_name", "container":
			m.source = textOf(value)
		case "stream", "logName":
			if m.source == nil {
				m.source = textOf(value)
			}
		case "kubernetes":
			if value[0] == '{' {
				m.find(value, []string{""})
			}
		// The runtime has cut the line: Docker's drivers, and the plugins for CRI of Fluentd and Fluent Bit.
		case "partial_message", "logtag", "_p":
			is := string(textOf(value))
			m.piece = m.piece || string(value) == "true" || is == "true" || is == "P"
		}
		switch {
		case string(name) != steps[0]:
		case len(steps) == 1:
			m.raw = value
		case value[0] == '{':
			m.find(value, steps[1:])
		}
	}
}

// maxMembers is how many members are tried in which lines may be.
const maxMembers = 3

// membersWithLines returns the envelopes of the members of lines, which are objects, whose values
// look like lines of a log in at least half of them.
func membersWithLines(lines [][]byte) (list []*Envelope) {
	n := map[string]int{}
	for _, line := range lines {
		for _, v := range valuesIn(nil, "", line, 0) {
			if v.isText && looksLikeLine(v.text) {
				n[v.path]++
			}
		}
	}
	var paths []string
	for path := range n {
		if 2*n[path] >= len(lines) && !strings.ContainsAny(path, ":") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths[:min(len(paths), maxMembers)] {
		list = append(list, inMember(path))
	}
	return list
}

// clocks finds what a line of a log has: a time of day, or a time in seconds since 1970.
var clocks = lazy.Regexp(`\d:\d\d:\d\d|(^|\D)1\d{9}(\D|$)`)

// looksLikeLine reports whether a text may be a line of an access log, in whatever format: an object,
// or several words with a time and a slash.
func looksLikeLine(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) > 2 && text[0] == '{' {
		return text[len(text)-1] == '}'
	}
	const words = 5
	blanks := bytes.Count(text, []byte(" ")) + bytes.Count(text, []byte("\t")) + bytes.Count(text, []byte("|")) +
		bytes.Count(text, []byte(","))
	return blanks >= words && bytes.IndexByte(text, '/') >= 0 && clocks().Match(text)
}

// jsonValue is a value in an object, by its path as field.Member has it.
type jsonValue struct {
	path   string
	text   []byte // of a string its characters, of others as they are written
	isText bool   // it is a string
}

// valuesIn appends the values of an object, those of objects in it and in its strings, and the first
// item of arrays.
func valuesIn(list []jsonValue, prefix string, object []byte, depth int) []jsonValue {
	const deepest, longest = 4, 60
	for name, value := range field.Members(object) {
		path := prefix + strings.ReplaceAll(string(name), ".", `\.`)
		if len(path) > longest || !utf8.ValidString(path) {
			continue
		}
		if value[0] == '[' {
			path += ".0"
			value = bytes.TrimLeft(value[1:], " \t")
			if n := field.ValueLength(value); n > 0 {
				value = value[:n]
			} else {
				value = []byte("null")
			}
		}
		if value[0] == '{' && depth < deepest {
			list = valuesIn(list, path+".", value, depth+1)
			continue
		}
		v := jsonValue{path: path, text: value, isText: isString(value)}
		if v.isText {
			v.text = field.Unescape(nil, value[1:len(value)-1])
		}
		list = append(list, v)
		if v.isText && len(v.text) > 2 && v.text[0] == '{' && depth < deepest {
			list = valuesIn(list, path+".", v.text, depth+1)
		}
	}
	return list
}
