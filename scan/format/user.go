package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// maxUserFormat bounds the text of a format, and maxWords its values and texts.
const (
	maxUserFormat = 64 << 10
	maxWords      = 1000
)

// Parse returns the format that a user describes in the words of a program that writes or
// reads logs:
//
//   - nginx: log_format NAME '…';, or what is between its quotes;
//   - Apache, and what follows it, such as varnishncsa and Fastly: LogFormat "…" NAME, or
//     what is between its quotes;
//   - GoAccess: its log-format, perhaps with lines date-format and time-format;
//   - Envoy: its format string;
//   - W3C: the line #Fields that a log lacks;
//   - JSON: the paths to the fields, as in "ua=request.headers.User-Agent.0 time=ts target=request.uri";
//   - a regular expression of package regexp with named groups, as in "(?P<ip>\S+)". It is
//     slow and allocates.
//
// A text that describes a JSON object is a format of JSON lines. The error says what keeps
// lines from being read or audited: no time, no target, or two fields with nothing between
// them. See also HasAgent and Doubts.
func Parse(text string) (*Format, error) {
	if len(text) > maxUserFormat {
		return nil, fmt.Errorf("the format is longer than %d bytes", maxUserFormat)
	}
	text = strings.TrimSpace(text)
	for _, l := range languages {
		if !l.is(text) {
			continue
		}
		f, err := l.parse(text)
		if err != nil {
			return nil, fmt.Errorf("read as %s: %w", l.name, err)
		}
		f.name, f.by = "custom", "the user, in words of "+l.name
		return f, nil
	}
	return nil, fmt.Errorf("%.100q is no format in words of nginx ($remote_addr), Apache (%%{User-Agent}i), GoAccess (%%h %%^), Envoy (%%REQ(USER-AGENT)%%), "+
		"W3C (#Fields: date time cs-uri-stem), a JSON map (ua=user_agent time=ts), or a regular expression with named groups ((?P<ua>.*)). In a shell, put it in single quotes", text)
}

// language is a way in which users describe formats.
type language struct {
	name  string
	is    func(text string) bool // whether a text is in it
	parse func(text string) (*Format, error)
}

// languages are tried in this order.
var languages = []language{
	{"W3C's #Fields", matcher(`^#Fields:|^#fields\s|^"time_micros"`), parseFields},
	{"nginx's log_format", matcher(`^log_format\s|^escape=\w+\s|\$\{time:`), parseNginx},
	{"Apache's LogFormat", matcher(`(?i)^LogFormat\s`), parseApache},
	{"a regular expression", matcher(`\(\?P?<`), parseRegexp},
	{"a JSON map", isJSONMap, parseJSONMap},
	{"HAProxy's log-format", matcher(`%(\{[^}]*\}|\[[^\]]*)?(ci|hr|hrl|ST|HM|HU|HP|tr|tsc)\b`), refuseHAProxy},
	{"GoAccess's log-format", matcher(`(?m)^(log|date|time|datetime)-format\s`), parseGoAccess},
	{"Apache's LogFormat", matcher(`%[0-9,!]*([<>]|\{[^}]*\}\^?[a-zA-Z])`), parseApache},
	{"Envoy's format string", matcher(`%[A-Z_]{3,}(\([^)]*\))?(:\d+)?%`), parseEnvoy},
	{"GoAccess's log-format", matcher(`%[\^~dx]|~h\{`), parseGoAccess},
	{"nginx's log_format", matcher(`\$\{?[a-z]`), parseNginx},
	{"Apache's LogFormat", matcher(`%[0-9,!<>]*(\{[^}]*\})?\^?[a-zA-Z]`), parseApache},
}

// matcher returns a function that tells whether a text has a match of an expression.
func matcher(expression string) func(text string) bool {
	compiled := lazy.Regexp(expression)
	return func(text string) bool { return compiled().MatchString(text) }
}

// isJSONMap tells whether a text has nothing but words name=path.
func isJSONMap(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		name, _, ok := strings.Cut(w, "=")
		return !ok || strings.ContainsAny(w, `%$"'`) || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_@") != ""
	})
}

// refuseHAProxy says how to read a log of HAProxy, whose words do not tell which headers are
// captured.
func refuseHAProxy(string) (*Format, error) {
	return nil, errors.New("it does not tell which headers are captured: name them in their order, as in haproxy:host,ua, or give a regular expression")
}

// word is a text or a value in a user's format.
type word struct {
	text string // if name is empty
	name string // of a value, as the user writes it
	value
	padded bool // blanks before the value are no part of it
}

// value is what a variable of a server writes.
type value struct {
	part part
	// rank orders the values for one part: the lowest counts.
	rank int
	// pattern is the layout of a time in the words of strftime. If it is empty, read is.
	pattern string
	read    layout
	// protocol is of HTTP/1.1 and the like.
	protocol bool
	content  content
	spell    spelling // if it is another than that of all values
}

// wording is a user's format, in whatever language.
type wording struct {
	words []word
	spell spelling // of all values
	more  bool     // whether anything may follow behind a blank
	// verbatim: a JSON object is written as the text has it, with nothing escaped in its values.
	verbatim bool
	doubts   []string // Doubts
}

// addText adds a text behind what is there.
func (w *wording) addText(text string) {
	if n := len(w.words); n > 0 && w.words[n-1].name == "" {
		w.words[n-1].text += text
	} else if text != "" {
		w.words = append(w.words, word{text: text})
	}
}

// addTime adds a value that is a time in a layout of strftime, and not only a fraction of
// one if that does not stand beside others.
func (w *wording) addTime(name, pattern string, rank int) error {
	p, err := newPattern(pattern)
	if err != nil {
		return err
	}
	w.words = append(w.words, word{name: name, value: value{part: p.part(), pattern: pattern, rank: rank}})
	return nil
}

// join makes one of words that are one field together.
func (w *wording) join() {
	w.joinTimes()
	w.joinPaths()
	w.joinRequests()
	w.namePorts()
}

// format compiles the wording.
func (w *wording) format() (*Format, error) {
	if len(w.words) > maxWords {
		return nil, fmt.Errorf("it has more than %d fields", maxWords)
	}
	compile := w.program
	if w.isJSON() && !w.verbatim {
		compile = w.json
	}
	f, err := compile()
	if err != nil {
		return nil, err
	}
	f.doubts = w.doubts
	return f, f.auditable()
}

// auditable tells why no line of the format can be audited.
func (f *Format) auditable() error {
	switch {
	case f.targetPart() == ignored:
		return errors.New("it has no field for what was requested, such as $request, %r or target")
	case !f.HasTime() || f.layout == nil:
		return errors.New("it has no field for the time with its date, such as $time_local, %t or time")
	}
	return nil
}

// joinTimes makes one value of times that stand beside each other, such as day and time of
// day, and of the text between them, which has no quotes or brackets.
func (w *wording) joinTimes() {
	for i := 0; i+1 < len(w.words); {
		gap, next := "", i+1
		if w.words[next].name == "" {
			gap, next = w.words[next].text, i+2
		}
		if next >= len(w.words) || w.words[i].pattern == "" || w.words[next].pattern == "" || strings.ContainsAny(gap, `"[]{}`) {
			i++
			continue
		}
		a, b := &w.words[i], &w.words[next]
		a.pattern += strings.ReplaceAll(gap, "%", "%%") + b.pattern
		a.name += gap + b.name
		a.rank = min(a.rank, b.rank)
		if p, err := newPattern(a.pattern); err == nil {
			a.part = p.part()
		}
		w.words = slices.Delete(w.words, i+1, next+1)
	}
}

// joinPaths makes one value of a path and the query behind it, and of values behind each
// other that are of no interest.
func (w *wording) joinPaths() {
	for i := 0; i+1 < len(w.words); {
		a, b := &w.words[i], &w.words[i+1]
		isPath := a.part == path || a.part == rewrittenPath || a.part == query
		if a.name == "" || b.name == "" || b.padded || !(isPath && b.part == query || a.isIgnored() && b.isIgnored()) {
			i++
			continue
		}
		if a.part == path {
			a.part = target
		}
		if a.content != b.content {
			a.content = ofPart
		}
		a.name += b.name
		w.words = slices.Delete(w.words, i+1, i+2)
	}
}

// joinRequests makes a request line of a method, a target and the protocol behind them, which
// is part of GoAccess's target.
func (w *wording) joinRequests() {
	is := func(i int, text string) bool {
		return i < len(w.words) && w.words[i].name == "" && w.words[i].text == text
	}
	for i := 0; i+2 < len(w.words); i++ {
		a := &w.words[i]
		if a.part != methodName || !is(i+1, " ") || w.words[i+2].part != target {
			continue
		}
		end := i + 3
		switch {
		case is(end, " ") && end+1 < len(w.words) && w.words[end+1].protocol:
			end += 2
		case w.words[i+2].name != "%U":
			continue
		}
		for _, next := range w.words[i+1 : end] {
			a.name += next.name + next.text
		}
		a.part = requestLine
		w.words = slices.Delete(w.words, i+1, end)
	}
}

// isIgnored tells whether a value is of no interest.
func (w *word) isIgnored() bool { return w.part == ignored && !w.protocol }

// namePorts makes the port of the server that of the host that it stands behind.
func (w *wording) namePorts() {
	for i := 2; i < len(w.words); i++ {
		if w.words[i].part == ownPort && (w.words[i-1].text == ":" || w.words[i-1].text == ",") && w.words[i-2].part == hostName {
			w.words[i].part = serverPort
		}
	}
}

// best returns which word counts for each part, -1 where there is none.
func (w *wording) best() (best [allParts]int) {
	for p := range best {
		best[p] = -1
	}
	for i, word := range w.words {
		if at := best[word.part]; word.part != ignored && (at < 0 || word.rank < w.words[at].rank) {
			best[word.part] = i
		}
	}
	return best
}

// layout returns how the times are written, by the words that count. It is nil if there is
// no time with a date.
func (w *wording) layout(best [allParts]int) (layout, error) {
	of := func(p part) *value { return &w.words[best[p]].value }
	var pattern string
	switch {
	case best[moment] >= 0:
		if of(moment).pattern == "" {
			return of(moment).read, nil
		}
		pattern = of(moment).pattern
	case best[day] >= 0 && best[timeOfDay] >= 0:
		if of(day).pattern == "" {
			return of(day).read, nil
		}
		pattern = of(day).pattern + " " + of(timeOfDay).pattern
	default:
		return nil, nil
	}
	if pattern == clfPattern {
		return clfTime, nil
	}
	p, err := newPattern(pattern)
	if err != nil {
		return nil, err
	}
	return p.read, nil
}

// behindWords is a layout for a time that stands behind the name of a user, with nothing but
// a blank between them: names may have blanks, so words in front of the time are left out.
func behindWords(read layout) layout {
	return func(b []byte, zone *time.Location) (nanos int64, ok bool) {
		for {
			if nanos, ok = read(b, zone); ok {
				return nanos, true
			}
			at := bytes.IndexByte(b, ' ')
			if at < 0 {
				return 0, false
			}
			b = b[at+1:]
		}
	}
}

// mayHaveBlanks tells in which parts a blank does not tell that a protocol begins.
var mayHaveBlanks = [allParts]bool{target: true, path: true, rewrittenPath: true, query: true}

// program returns the format of a wording that is text.
func (w *wording) program() (*Format, error) {
	best := w.best()
	layout, err := w.layout(best)
	if err != nil {
		return nil, err
	}
	if i := best[moment]; i >= 2 && w.words[i-1].text == " " && w.words[i-2].isIgnored() && w.words[i-2].content == ofPart && layout != nil {
		layout = behindWords(layout)
	}
	p, err := w.steps()
	if err != nil {
		return nil, err
	}
	w.doubtEnds(&p)
	return programFormat(p, layout), nil
}

// steps compiles the wording to a program of fields: those of users and of the table of formats.
// The error says why no line can be read by it.
func (w *wording) steps() (program, error) {
	best, p, before := w.best(), program{more: w.more}, ""
	for i, word := range w.words {
		if word.name == "" {
			before = word.text
			if strings.ContainsAny(before, "\r\n") {
				return p, fmt.Errorf("it has a line break: %.40q", before)
			}
			continue
		}
		s := step{before: before, spell: w.spell, padded: word.padded, content: word.content}
		if word.spell.undo != nil {
			s.spell = word.spell
		}
		if s.spell.escape == '#' && (before == "|" || strings.HasSuffix(before, "{")) {
			s.without = '|' // it is one of several captured headers
		}
		if n := len(p.steps); word.protocol {
			s.content = token
			if n > 0 && mayHaveBlanks[p.steps[n-1].part] {
				s.before += "HTTP/" // which tells where the field before ends
			}
		}
		if best[word.part] == i {
			s.part = word.part
		} else if s.content == ofPart {
			s.content = (&step{part: word.part}).contents()
		}
		if word.pattern != "" {
			t, _ := newPattern(word.pattern)
			s.blanks = t.blanks()
		}
		switch n := len(p.steps); {
		case n > 0 && p.steps[n-1].part == requestLine && s.before == " " && s.part != statusCode:
			return p, fmt.Errorf("%s is not in quotes, and behind it stands a blank, which it has itself", w.words[i-2].name)
		case i > 0 && s.before == "" && !beginsWithSlash[s.part]:
			return p, fmt.Errorf("nothing stands between %s and %s, so it is not known where the first ends", w.words[i-1].name, word.name)
		}
		p.steps = append(p.steps, s)
		before = ""
	}
	if last := len(p.steps) - 1; before == "" && last >= 0 && p.steps[last].part != ignored && p.steps[last].contents() == anyText {
		p.more = false // the rest of the line is its own
	}
	p.after = before
	return p, nil
}

// doubtEnds notes which fields of clients end in a place that is not certain.
func (w *wording) doubtEnds(p *program) {
	if w.spell.undo == nil {
		return // which is a doubt about all of them
	}
	names := slices.DeleteFunc(slices.Clone(w.words), func(word word) bool { return word.name == "" })
	for i, s := range p.compile().steps {
		switch certain := s.certain; {
		case i == 0 || p.steps[i-1].contents() != anyText || p.steps[i-1].part == ignored && p.steps[i].part == ignored:
		case certain == onlyPlace:
			w.doubts = append(w.doubts, fmt.Sprintf("%s is not in quotes: a line that has %q in it is not read, as that could end it", names[i-1].name, p.steps[i].before))
		case certain == anyPlace && strings.Trim(p.steps[i].before, "?") != "":
			w.doubts = append(w.doubts, fmt.Sprintf("%s is not in quotes: what it has after its first %q is taken for %s", names[i-1].name, p.steps[i].before, names[i].name))
		}
	}
}

// ParseConfig returns the format of a name in a configuration: that of log_format in one of
// nginx, or LogFormat in one of Apache. Of several the last counts. Files that the
// configuration includes are not read.
func ParseConfig(config []byte, name string) (*Format, error) {
	d, err := findInConfig(config, name)
	if err != nil {
		return nil, err
	}
	f, err := d.parse()
	if err != nil {
		return nil, fmt.Errorf("the format %s: %w", name, err)
	}
	f.name, f.by = "custom", "the user's configuration, as "+name
	return f, nil
}

// ConfigText returns the directive of the format that ParseConfig returns, for Parse.
func ConfigText(config []byte, name string) (string, error) {
	d, err := findInConfig(config, name)
	return d.text, err
}

// definition is a format in a configuration.
type definition struct {
	name  string
	text  string // the directive, as Parse reads it
	parse func() (*Format, error)
}

func findInConfig(config []byte, name string) (definition, error) {
	var found []definition
	directives, err := nginxDirectives(string(config))
	for _, words := range directives {
		if len(words) > 1 {
			found = append(found, definition{words[1], nginxDirective(words), func() (*Format, error) { return nginxFormat(words[2:]) }})
		}
	}
	for _, words := range apacheLogFormats(config) {
		if len(words) > 2 {
			found = append(found, definition{words[2], apacheDirective(words), func() (*Format, error) { return apacheFormat(words[1]) }})
		}
	}
	var names []string
	for _, d := range slices.Backward(found) {
		if d.name == name {
			return d, nil
		}
		names = append(names, d.name)
	}
	switch {
	case len(names) > 0:
		slices.Sort(names)
		return definition{}, fmt.Errorf("it has no log_format or LogFormat called %q, but %s; files that it includes are not read", name, strings.Join(slices.Compact(names), ", "))
	case err != nil:
		return definition{}, err
	}
	return definition{}, fmt.Errorf("it has no log_format or LogFormat called %q; files that it includes are not read", name)
}

// nginxDirective writes the words of a log_format.
func nginxDirective(words []string) string {
	text := words[0]
	for _, word := range words[1:] {
		text += " '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word) + "'"
	}
	return text + ";"
}

// apacheDirective writes the words of a LogFormat.
func apacheDirective(words []string) string {
	return words[0] + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(words[1]) + `" ` + words[2]
}
