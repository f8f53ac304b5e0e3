package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// JSON whose keys match no row of the table is read by guessing from the keys and values of its
// first objects together. If that fails, the error says what is missing or unreadable.

// guess collects the guessed meaning of an object's members.
type guess struct {
	words   []string // words of parseJSONMap; a path in capitals is unknown
	unknown bool     // some are unknown, or a member named like a field doesn't hold one
	missing []string // required fields that no member resembles
	paths   []string // of all values
	time    []byte   // an unreadable value of the member named like the time
}

// jsonKeys identifies members of objects by keys and values, with names for a user's format
// (fieldNames). is matches keys that are most likely the field, and fits reports whether a value
// can be one. Fields with what are required: like matches keys that may be the field, and sure
// reports whether a value is one regardless of its key.
var jsonKeys = []struct {
	name, what string
	is         func() *regexp.Regexp
	fits       func(value []byte) bool
	like       func() *regexp.Regexp
	sure       func(value []byte) bool
}{
	{"time", "the time", key(`time|@?timestamp|date|(event|access|log|start|created|received)?_?(date_?time|time_?stamp)|ts|` +
		`(event|start|begin|end|access|log)_?time|time_?(start|end|local|iso8601|utc|received|generated)|start_?utc|` +
		`(created|started|received|logged)_?at|msec|epoch`), isTime, lazy.Regexp(`(?i)time|date|(^|[._])ts$|msec|epoch`),
		func(v []byte) bool { return bytes.IndexByte(v, ':') > 0 && isTime(v) }}, // any number could be a time
	{"ip", "", key(`((remote|client|source|src|peer|real)_?(ip|addr|address|host)|ip|address|c_?ip|client)(_?address)?`),
		func(v []byte) bool { return isAddress(bareAddress(v)) }, nil, nil},
	{"xff", "", key(`((http|req|request)_)?x[-_]?forwarded[-_]?for(\.0)?|xff|forwarded_?for`), isText, nil, nil},
	{"host", "", key(`(http_?)?host(\.0)?|(v|virtual_?)host|host_?name|domain(_?name)?|server_?name|authority|(cs|req|request)_?host`),
		isDomain, nil, nil}, // a name without a dot is a machine
	{"method", "", key(`method|(http|request|req|cs)_?method|verb`), isText, nil, nil},
	{"url", "the URL", key(`(request_?|req_?|original_?|http_?)?(ur[il]|target|path)|(cs_?)?uri_?stem|request`), isTarget,
		lazy.Regexp(`(?i)ur[il]|path|request|target`), isTarget},
	{"query", "", key(`query(_?string)?|args|(cs_?)?uri_?query|query_?str`), isText, nil, nil},
	{"status", "", key(`(http_?|response_?|resp_?|sc_?)?status(_?code)?|(http|response)_?code`),
		func(v []byte) bool { return statusOf(bytes.TrimSuffix(v, []byte(".0"))) > 0 }, nil, nil},
	{"bytes", "", key(`(body_?)?bytes(_?sent)?|(response|resp)_?(body_?)?(size|bytes|length)|size|(content_?)?length`),
		func(v []byte) bool { return parseSize(bytes.TrimSuffix(v, []byte(".0"))) >= 0 }, nil, nil},
	{"ua", "the User-Agent", key(`[\w-]*user[-_]?agent(\.0|\.original)?|agent|ua`), isText, lazy.Regexp(`(?i)agent|(^|[._-])ua$`),
		looksLikeAgent},
}

// key returns an expression for paths that end with a key and can be written in a user's format.
func key(names string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^([^\s='"\x60]*\.)?(` + names + `)$`)
	})
}

func isTime(v []byte) bool {
	_, ok := anyTime(v, nil)
	return ok
}

// looksLikeAgent reports whether a value is most likely a User-Agent.
func looksLikeAgent(v []byte) bool {
	return beginsWithProduct(v) && (bytes.HasPrefix(v, []byte("Mozilla/")) || bytes.Contains(v, []byte("compatible;")) ||
		bytes.Contains(v, []byte("+http")))
}

func isText(v []byte) bool { return len(v) > 0 && string(v) != "null" && string(v) != "{}" }

// isTarget reports whether a value is a target or a request line.
func isTarget(v []byte) bool {
	return len(v) > 0 && v[0] == '/' || schemeEnd(v) > 0 || hasTarget(v, methodEnd(v))
}

// notAsked matches the keys of URLs and paths other than the requested one.
var notAsked = lazy.Regexp(`(?i)refer|file|log|origin|upstream|backend|location|dir`)

// guessOf guesses the fields of an object.
func guessOf(object []byte) (g guess) {
	values := valuesIn(nil, "", "", object, 0)
	for _, v := range values {
		g.paths = append(g.paths, strings.ReplaceAll(v.path, `\.`, "."))
	}
	values = slices.DeleteFunc(values, func(v jsonValue) bool { return v.array != "" }) // there may be many of these
	slices.SortStableFunc(values, func(x, y jsonValue) int {                            // shorter paths are better
		return cmp.Compare(strings.Count(x.path, "."), strings.Count(y.path, "."))
	})
	writable := func(v jsonValue) bool { return !strings.ContainsAny(v.path, " \t='\"`+") }
	query, url := "", -1
	for _, k := range jsonKeys {
		named := slices.IndexFunc(values, func(v jsonValue) bool { return k.is().MatchString(v.path) && isText(v.text) })
		likely := slices.IndexFunc(values, func(v jsonValue) bool { return k.is().MatchString(v.path) && k.fits(v.text) })
		if likely < 0 && k.sure != nil {
			likely = slices.IndexFunc(values, func(v jsonValue) bool {
				return writable(v) && k.sure(v.text) && (k.name != "url" || !notAsked().MatchString(v.path))
			})
		}
		switch {
		case likely >= 0 && k.name == "query":
			query = values[likely].path
		case likely >= 0 && k.name == "url" && hasTarget(values[likely].text, methodEnd(values[likely].text)):
			g.words = append(g.words, "request="+values[likely].path)
		case likely >= 0:
			if k.name == "url" && values[likely].text[0] == '/' && bytes.IndexByte(values[likely].text, '?') < 0 {
				url = len(g.words) // it may lack the query
			}
			g.words = append(g.words, k.name+"="+values[likely].path)
		case k.what == "":
		case named >= 0:
			if g.words, g.unknown = append(g.words, k.name+"="+values[named].path), true; k.name == "time" {
				g.time = values[named].text
			}
		case slices.ContainsFunc(values, func(v jsonValue) bool { return k.like().MatchString(v.path) }):
			g.words, g.unknown = append(g.words, k.name+"="+strings.ToUpper(k.name)), true
		default:
			g.missing = append(g.missing, k.what)
		}
	}
	if query != "" && url >= 0 {
		g.words[url] = "path" + strings.TrimPrefix(g.words[url], "url")
		g.words = append(g.words, "query="+query)
	}
	return g
}

// format returns the format of the guess, or nil if a required field is unknown.
func (g *guess) format() *Format {
	if len(g.missing) > 0 || g.unknown {
		return nil
	}
	f, _ := guessByName("json(" + strings.Join(g.words, " ") + ")") // with the words, so that ByName knows it
	return f
}

func guessByName(name string) (*Format, bool) {
	words, ok := strings.CutPrefix(name, "json(")
	if words, ok = strings.CutSuffix(words, ")"); !ok || !strings.HasPrefix(name, "json(") {
		return nil, false
	}
	f, err := parseJSONMap(words)
	if err != nil {
		return nil, false
	}
	f.name, f.by = name, "a guess by its keys and values"
	f.doubts = []string{fmt.Sprintf("its keys match no known format: they are read as '%s'. "+
		"job.Explain shows how; if that is wrong, say what they mean with option Format", words)}
	return f, true
}

// objectsIn returns the first objects of lines, including the elements of arrays.
func objectsIn(lines [][]byte) (objects [][]byte) {
	reader := jsonFormats()[0].NewReader().(*jsonReader)
	reader.lax = true
	for _, line := range lines {
		for _, r := range recordsOf(reader, line) {
			text := bytes.TrimRight(bytes.TrimSpace(r.Line), ",")
			if len(text) > 1 && text[0] == '{' && len(objects) < fewLines {
				objects = append(objects, text)
			}
		}
	}
	return objects
}

// guessed adds readings based on what the lines' objects show.
func (d *detection) guessed() {
	few := pick(d.lines, spread(len(d.lines), fewLines))
	var formats []*Format
	for _, around := range envelopesAround(few) {
		for _, object := range objectsIn(unwrapAll(around, few)) {
			g := guessOf(object)
			if f := g.format(); f != nil && !slices.ContainsFunc(formats, func(x *Format) bool { return x.name == f.name }) {
				formats = append(formats, f)
			}
		}
	}
	const most = 5
	d.read(formats[:min(len(formats), most)])
}

// jsonSign says which fields lines of JSON have and lack, or why they can't be read. It returns nil
// if most lines aren't JSON.
func jsonSign(lines [][]byte) error {
	isObject := func(line []byte) bool {
		return bytes.HasPrefix(line, []byte("{")) && bytes.HasSuffix(line, []byte("}")) || arrayOf(line) != nil
	}
	objects := objectsIn(lines)
	if !sniff.Most(lines, isObject) || len(objects) == 0 {
		return nil
	}
	object := objects[0]
	g := guessOf(object)
	for _, other := range objects[1:] { // the first may be a message
		if o := guessOf(other); len(o.missing) < len(g.missing) {
			g, object = o, other
		}
	}
	const most = 20
	more := ""
	if len(g.paths) > most {
		g.paths, more = g.paths[:most], " …"
	}
	keys := strings.Join(g.paths, " ") + more
	if elements := arrayWithLines(objects); elements != "" && len(g.missing) > 0 {
		return fmt.Errorf("this is JSON whose lines are the elements of an array: make a line of each, as in: "+
			"jq %s FILE", elements)
	}
	switch {
	case len(g.paths) == 0:
		return nil
	case len(g.missing) > 0 && syntaxError(object) != nil: // what is missing may stand behind the error
		return fmt.Errorf("this is like JSON, but %w in the line %s", syntaxError(object), quote(object))
	case len(g.missing) > 0:
		return fmt.Errorf("this is JSON without %s, which an audit needs: have the server log it. "+
			"The keys of its first line are %s", strings.Join(g.missing, " and "), keys)
	case g.time != nil:
		return fmt.Errorf("this is JSON whose times are written in no known way, such as %s. "+
			"The keys of its first line are %s", quote(g.time), keys)
	}
	return fmt.Errorf("this is JSON whose keys are not known: say what they mean, perhaps by option Format '%s'. "+
		"The keys of its first line are %s", strings.Join(g.words, " "), keys)
}

// syntaxError returns what is wrong with an object, nil if nothing is or if it has the escapes of nginx
// (\x22), which are read.
func syntaxError(object []byte) error {
	var wrong *json.SyntaxError
	var any any
	if err := json.Unmarshal(object, &any); !errors.As(err, &wrong) || object[max(wrong.Offset-1, 0)] == 'x' {
		return nil
	}
	return fmt.Errorf("at byte %d there is an %w", wrong.Offset, wrong)
}
