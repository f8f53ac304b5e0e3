package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// Log collectors ship each line as a member of a JSON object, and each collector names that member
// differently: log, message, textPayload, line, event.original. So it is found by its values: in
// the first lines these look like lines of an access log, or are objects themselves.

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

// member is the information in an object about its line.
type member struct {
	raw    []byte // the line, as JSON has it
	source []byte // the container that wrote it, or else the stream; nil if neither is named
	piece  bool   // it goes on in the next object, or did not begin in this one
}

// find looks for the member at a path, and for information about the line, in an object and the objects on
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
		for _, v := range valuesIn(nil, "", "", line, 0) {
			if v.isText && v.array == "" && !strings.HasSuffix(v.path, ".0") && looksLikeLine(v.text) {
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
	array  string // the path of the array that it is in an object of; "" if it is in none
}

// valuesIn appends the values of an object, the values of objects in it and in its strings, and the first
// item of arrays. array is as in jsonValue.
func valuesIn(list []jsonValue, prefix, array string, object []byte, depth int) []jsonValue {
	const deepest, longest = 4, 60
	for name, value := range field.Members(object) {
		path, array := prefix+strings.ReplaceAll(string(name), ".", `\.`), array
		if len(path) > longest || !utf8.ValidString(path) {
			continue
		}
		if value[0] == '[' {
			first := bytes.TrimLeft(value[1:], " \t")
			value = first[:max(field.ValueLength(first), 0)]
			if len(value) == 0 {
				value = []byte("null")
			}
			if value[0] == '{' && array == "" {
				array = path
			}
			path += ".0"
		}
		v := jsonValue{path: path, text: value, isText: isString(value), array: array}
		if v.isText {
			v.text = field.Unescape(nil, value[1:len(value)-1])
		}
		isObject := len(v.text) > 2 && v.text[0] == '{' && depth < deepest
		if v.isText || !isObject {
			list = append(list, v)
		}
		if isObject {
			list = valuesIn(list, path+".", array, v.text, depth+1)
		}
	}
	return list
}

// arrayWithLines returns the words of jq that print the elements of an array in objects which are lines,
// have them, or have User-Agents; "" if there is none. An object has one record, so that all others
// would be lost.
func arrayWithLines(objects [][]byte) string {
	for _, object := range objects {
		for _, v := range valuesIn(nil, "", "", object, 0) {
			array, isItem := strings.CutSuffix(v.path, ".0")
			array = strings.ReplaceAll(array, ".0", "[]")
			switch {
			case isItem && v.isText && looksLikeLine(v.text):
				return "-r '." + array + "[]'"
			case isItem && v.text[0] == '[':
				// As in the answers of Loki, which have a time in front of each line.
				first := field.ValueLength(v.text[1:])
				second := bytes.TrimLeft(v.text[min(1+max(first, 0), len(v.text)):], ", ")
				if isString(second) && looksLikeLine(field.Unescape(nil, second[1:max(field.ValueLength(second), 2)-1])) {
					return "-r '." + array + "[][1]'"
				}
			case v.array != "" && v.isText && (looksLikeLine(v.text) || looksLikeAgent(v.text)):
				return "-c '." + strings.ReplaceAll(v.array, ".0", "[]") + "[]'"
			}
		}
	}
	return ""
}
