package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// Log collectors ship each line as a member of a JSON object, under different names: log, message,
// textPayload, line, event.original. So the member is found by its values, which in the first lines
// look like lines of an access log or are objects themselves.

// memberPrefix begins the name of a member's envelope, before its path, as in json.textPayload.
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

// member is what an object says about its line.
type member struct {
	raw    []byte // the line, still in JSON
	source []byte // the container that wrote it, or the stream; nil if neither is named
	piece  bool   // continues in the next object, or began in an earlier one
}

// find looks for the member at a path. On the way it collects information about the line from the
// objects.
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
		// The runtime has cut the line: Docker's drivers, and the CRI plugins of Fluentd and Fluent Bit.
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

// maxMembers limits how many members are tried as the one with lines.
const maxMembers = 3

// membersWithLines returns the envelopes of the members whose values look like log lines in at
// least half of the lines, which are objects.
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

// clocks matches what every log line has: a time of day, or a time in seconds since 1970.
var clocks = lazy.Regexp(`\d:\d\d:\d\d|(^|\D)1\d{9}(\D|$)`)

// looksLikeLine reports whether a text may be an access log line in some format: an object, or
// several words with a time and a slash.
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

// jsonValue is a value in an object, with its path as in field.Member.
type jsonValue struct {
	path   string
	text   []byte // of a string its characters, of others as written
	isText bool   // it is a string
	array  string // path of the array whose object contains it; "" if none
}

// valuesIn appends the values in an object, including those in nested objects, in objects inside
// strings, and in the first item of arrays. array is as in jsonValue.
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

// arrayWithLines returns a jq expression that prints the elements of an array that look like lines,
// contain them, or have User-Agents, or "" if there is none. An object can hold only one record, so
// all other elements would be lost.
func arrayWithLines(objects [][]byte) string {
	for _, object := range objects {
		for _, v := range valuesIn(nil, "", "", object, 0) {
			array, isItem := strings.CutSuffix(v.path, ".0")
			array = strings.ReplaceAll(array, ".0", "[]")
			switch {
			case isItem && v.isText && looksLikeLine(v.text):
				return "-r '." + array + "[]'"
			case isItem && v.text[0] == '[':
				// This is as in Loki's answers, which have a time before each line.
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
