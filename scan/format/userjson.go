package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// isJSON reports whether a wording describes an object of JSON.
func (w *wording) isJSON() bool {
	if len(w.words) == 0 {
		return false
	}
	first, isOpen := strings.CutPrefix(strings.TrimSpace(w.words[0].before), "{")
	return isOpen && strings.HasPrefix(strings.TrimSpace(first), `"`) && strings.HasSuffix(strings.TrimSpace(w.after), "}")
}

// The marks around the index of a word that stands in for a value in JSON. They are of no
// use in a log.
const (
	markStart = "\ue000"
	markEnd   = "\ue001"
)

var (
	marked         = lazy.Regexp(markStart + `(\d{1,4})` + markEnd)
	withoutEscapes = strings.NewReplacer(`\\`, "", `\"`, "")
)

// json compiles a wording that describes an object of JSON: each value is found by its names.
// Values with texts around them count only if they are together one part, such as a URL of
// scheme, host and target.
func (w *wording) json() (*Format, error) {
	var b strings.Builder
	quotes := 0
	for i, word := range w.words {
		b.WriteString(word.before)
		quotes += strings.Count(withoutEscapes.Replace(word.before), `"`)
		mark := markStart + strconv.Itoa(i) + markEnd
		if quotes%2 == 0 { // it is in none
			mark = `"` + mark + `"`
		}
		b.WriteString(mark)
	}
	b.WriteString(w.after)
	var object map[string]any
	if err := json.Unmarshal([]byte(b.String()), &object); err != nil {
		return nil, fmt.Errorf("it begins as JSON, but is none: %w", err)
	}
	paths := map[int]string{}
	w.walk("", object, paths)
	best := w.best()
	var fields []jsonField
	for p := range best {
		i := best[p]
		if i < 0 || paths[i] == "" {
			continue
		}
		fields = append(fields, jsonField{part: part(p), path: paths[i]})
	}
	layout, err := w.layout(best)
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		return nil, errors.New("no member of the object has a value that an audit needs")
	}
	f := jsonFormat(nil, fields)
	f.layout = layout
	return f, nil
}

// walk sets the paths of the values in a value of JSON. It changes what words are about that
// are only a part of a string.
func (w *wording) walk(at string, v any, paths map[int]string) {
	inside := func(name string) string {
		return strings.TrimPrefix(at+"."+strings.ReplaceAll(name, ".", `\.`), ".")
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			w.walk(inside(name), v[name], paths)
		}
	case []any:
		for i, item := range v {
			w.walk(inside(strconv.Itoa(i)), item, paths)
		}
	case string:
		if i := w.compound(v); i >= 0 {
			paths[i] = at
		}
	}
}

// compound makes one value of a string, and returns the index of its word, -1 if it has
// none. All others in the string are ignored.
func (w *wording) compound(text string) int {
	var indexes []int
	var parts []part
	for _, mark := range marked().FindAllStringSubmatch(text, -1) {
		i, _ := strconv.Atoi(mark[1])
		if i >= len(w.words) {
			return -1 // the user's own text has marks
		}
		indexes, parts = append(indexes, i), append(parts, w.words[i].part)
	}
	shape := marked().ReplaceAllLiteralString(text, "$") // the text, with a letter for each value
	switch {
	case len(indexes) == 0:
		return -1
	case shape == "$":
		return indexes[0]
	}
	first := &w.words[indexes[0]]
	whole := ignored
	is := func(of string, are ...part) bool { return shape == of && slices.Equal(parts, are) }
	switch {
	case is("$://$$", schemeName, hostName, target), is("http://$$", hostName, target), is("https://$$", hostName, target):
		whole = target
	case is("$:$", hostName, serverPort):
		whole = hostName
	case is("$:$", clientAddr, ignored):
		whole = clientAddr
	case len(parts) == 1 && first.part == moment:
		whole = moment
		before, behind, _ := strings.Cut(strings.ReplaceAll(shape, "%", "%%"), "$")
		first.pattern = before + first.pattern + behind
	}
	for _, i := range indexes {
		w.words[i].value = value{part: ignored, rank: w.words[i].rank, pattern: w.words[i].pattern}
	}
	first.part = whole
	return indexes[0]
}
