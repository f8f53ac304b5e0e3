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
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

func (w *wording) isJSON() bool {
	if len(w.words) == 0 {
		return false
	}
	first, isOpen := strings.CutPrefix(strings.TrimSpace(w.words[0].before), "{")
	return isOpen && strings.HasPrefix(strings.TrimSpace(first), `"`) && strings.HasSuffix(strings.TrimSpace(w.after), "}")
}

// These mark the index of a word that stands in for a value in JSON. They are useless in logs.
const (
	markStart = "\ue000"
	markEnd   = "\ue001"
)

var (
	marked         = lazy.Regexp(markStart + `(\d{1,4})` + markEnd)
	withoutEscapes = strings.NewReplacer(`\\`, "", `\"`, "")
)

// json compiles a wording that describes a JSON object, so that each value is found by its names. A
// value with text around it counts only if the whole string is one part, such as a URL of scheme,
// host and target.
func (w *wording) json() (*Format, error) {
	var b strings.Builder
	quotes := 0
	for i, word := range w.words {
		b.WriteString(word.before)
		quotes += strings.Count(withoutEscapes.Replace(word.before), `"`)
		mark := markStart + strconv.Itoa(i) + markEnd
		if quotes%2 == 0 { // outside strings
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

// walk sets the paths of the values in a JSON value. It changes the meaning of words that are only
// part of a string.
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

// compound makes a string one value. It returns the index of its word, or -1 if it has none. All
// other words in the string are ignored.
func (w *wording) compound(text string) int {
	var indexes []int
	var parts []part
	for _, mark := range marked().FindAllStringSubmatch(text, -1) {
		i, _ := strconv.Atoi(mark[1])
		if i >= len(w.words) {
			return -1 // the user's own text contains marks
		}
		indexes, parts = append(indexes, i), append(parts, w.words[i].part)
	}
	shape := marked().ReplaceAllLiteralString(text, "$") // the text with a $ for each value
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

// parseJSONMap parses a format given as name=path for each field, separated by blanks. Paths have
// the form of field.Member. Several paths for one field are alternatives. name@percent=path is a
// percent-encoded field, path@rootless one that may lack its first slash, time=path+path a time
// split into two members, and needs=path a sign of the format.
func parseJSONMap(text string) (*Format, error) {
	var fields []jsonField
	var needs []string
	for _, word := range strings.Fields(text) {
		name, path, ok := strings.Cut(word, "=")
		name, how, _ := strings.Cut(name, "@")
		spell, isSpelled := jsonSpellings[how]
		p, known := fieldNames[name]
		switch {
		case !isSpelled:
			return nil, fmt.Errorf("%s@%s is spelled in no way that is known: only @percent, @percents and @rootless are",
				name, how)
		case !ok || path == "" || slices.Contains(field.Steps(path), ""):
			return nil, fmt.Errorf("%q is not NAME=PATH, as in ua=request.headers.User-Agent.0", word)
		case name == "needs":
			needs = append(needs, path)
			continue
		case !known:
			return nil, unknownField(name)
		case p == moment && strings.Count(path, "+") == 1:
			date, clock, _ := strings.Cut(path, "+")
			fields = append(fields, jsonField{day, date, spell}, jsonField{timeOfDay, clock, spell})
			continue
		}
		fields = append(fields, jsonField{p, path, spell})
	}
	f := jsonFormat(needs, fields)
	switch {
	case len(needs) > 32:
		return nil, errors.New("more than 32 words needs")
	case !f.HasTime():
		return nil, errors.New("a time is missing: time=PATH")
	case !slices.ContainsFunc(targetParts[:], func(p part) bool { return f.has[p] }):
		return nil, errors.New("a target is missing: target=PATH, request=PATH or path=PATH")
	}
	return f, nil
}

// jsonSpellings are the words after the name of a field and @.
var jsonSpellings = map[string]spelling{
	"": {}, "percent": percents, "percents": allPercents, "rootless": {rootless: true},
}

// fieldNames maps the names that users know to parts.
var fieldNames = map[string]part{
	"time": moment, "ip": clientAddr, "xff": forwardedFor, "host": hostName, "port": serverPort, "scheme": schemeName,
	"ua": userAgent, "request": requestLine, "method": methodName, "target": target, "url": target, "path": path,
	"referer": referrer, "query": query, "status": statusCode, "bytes": bodySize,
	"sent": sentSize, "tls": tlsInUse, "decoded": decodedPath, "rewritten": rewrittenPath, "claim": botClaim,
}

// unknownField is the error for a name that is not in fieldNames.
func unknownField(name string) error {
	names := slices.Sorted(maps.Keys(fieldNames))
	return fmt.Errorf("no field is called %q; there are %s", name, strings.Join(names, ", "))
}
