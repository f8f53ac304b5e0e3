package format

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// maxUserFormat limits the text of a format, in bytes, and maxWords the number of its values.
const (
	maxUserFormat = 64 << 10
	maxWords      = 1000
)

// Parse returns the format that a user describes in the notation of a program that writes or reads
// logs:
//
//   - nginx: log_format NAME '…';, or the text between its quotes;
//   - Apache, and what follows it, such as varnishncsa and Fastly: LogFormat "…" NAME, or
//     the text between its quotes;
//   - GoAccess: its log-format, perhaps with lines date-format and time-format;
//   - Envoy: its format string;
//   - W3C: the line #Fields that a log lacks;
//   - JSON: the paths to the fields, as in "ua=request.headers.User-Agent.0 time=ts target=request.uri";
//   - a regular expression of package regexp with named groups, as in "(?P<ip>\S+)". It is
//     slow and allocates.
//
// A text that describes a JSON object is a format for JSON lines. The error says why lines can't be
// read or audited: the time or the target is missing, or nothing separates two fields. See also
// HasAgent and Doubts.
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
	return nil, fmt.Errorf("%.100q is no format in words of nginx ($remote_addr), Apache (%%{User-Agent}i), "+
		"GoAccess (%%h %%^), Envoy (%%REQ(USER-AGENT)%%), W3C (#Fields: date time cs-uri-stem), "+
		"a JSON map (ua=user_agent time=ts), "+
		"or a regular expression with named groups ((?P<ua>.*)). In a shell, put it in single quotes", text)
}

// language is a notation for formats.
type language struct {
	name  string
	is    func(text string) bool // whether a text is in this notation
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

// matcher returns a function that reports whether a text contains a match of an expression.
func matcher(expression string) func(text string) bool {
	compiled := lazy.Regexp(expression)
	return func(text string) bool { return compiled().MatchString(text) }
}

// isJSONMap reports whether a text consists only of words name=path.
func isJSONMap(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		name, _, ok := strings.Cut(w, "=")
		return !ok || strings.ContainsAny(w, `%$"'`) || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_@") != ""
	})
}

// refuseHAProxy explains how to read a log of HAProxy, whose format strings don't show which
// headers are captured.
func refuseHAProxy(string) (*Format, error) {
	return nil, errors.New("it does not tell which headers are captured: " +
		"name them in their order, as in haproxy:host,ua, or give a regular expression")
}

// word is a value in a user's format, with the text before it.
type word struct {
	before string
	name   string // the value's name in the user's notation
	value
	padded bool // blanks before the value don't belong to it
}

// value is the meaning of a variable.
type value struct {
	part part
	// rank orders the values for one part: the lowest counts.
	rank int
	// pattern is the strftime layout of a time, or anyPattern.
	pattern string
	// protocol is set for HTTP/1.1 and the like.
	protocol bool
	content  field.Content // what it can hold, if it isn't Any
	raw      bool          // clients control it
	spell    spelling      // if it isn't the default spelling
}

// wording is a parsed user's format in any notation.
type wording struct {
	words []word
	after string   // the text after the last value
	spell spelling // of all values
	more  bool     // anything may follow after a blank
	// verbatim means that the text is a JSON object whose values are logged without escaping.
	verbatim bool
	doubts   []string // Doubts
}

// valuesOf parses a table of a program's variables. Each line has the name of a field (fieldNames)
// and its variables. The first variable that a format has counts. Variables joined by a bar have
// the same rank, and a dash marks none, before those on a second line. An exclamation mark follows
// variables that clients control. A line that begins with what a field can hold has unneeded
// variables that the program itself writes. All unlisted variables may hold a client's words.
func valuesOf(table string) map[string]value {
	contents := map[string]field.Content{
		"#dash": field.Dash, "#number": field.Number, "#address": field.Address,
		"#token": field.Token, "#unbroken": field.Unbroken,
	}
	list := map[string]value{}
	for line := range strings.Lines(table) {
		names := strings.Fields(line)
		of := value{part: fieldNames[names[0]], content: contents[names[0]], protocol: names[0] == "protocol"}
		if names[0] == "server_port" {
			of.part = ownPort
		}
		for rank, equal := range names[1:] {
			for name := range strings.SplitSeq(equal, "|") {
				of.rank = rank
				name, of.raw = strings.CutSuffix(name, "!")
				list[name] = of
			}
		}
	}
	return list
}

// scan finds the values that an expression matches in a text. It calls add with the groups of each
// match, and keeps the texts between matches.
func (w *wording) scan(text string, expression *regexp.Regexp, add func(groups []string) error) error {
	from, all := 0, expression.FindAllStringSubmatchIndex(text, -1)
	w.words = slices.Grow(w.words, len(all))
	for _, at := range all {
		w.after += text[from:at[0]]
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		if err := add(groups); err != nil {
			return err
		}
		from = at[1]
	}
	w.after += text[from:]
	return nil
}

// add adds a value after the text collected in w.after.
func (w *wording) add(name string, v value) {
	w.words = append(w.words, word{before: w.after, name: name, value: v})
	w.after = ""
}

// addTime adds a time in a strftime layout. It ignores a mere fraction of a second unless another
// time is next to it.
func (w *wording) addTime(name, pattern string, rank int) error {
	p, err := newPattern(pattern)
	if err != nil {
		return err
	}
	w.add(name, value{part: p.part(), pattern: pattern, rank: rank})
	return nil
}

// join joins adjacent words that form one field.
func (w *wording) join() {
	w.joinTimes()
	w.joinPaths()
	w.joinRequests()
	for i := 1; i < len(w.words); i++ { // a port after a host belongs to the host
		if b := &w.words[i]; b.part == ownPort && (b.before == ":" || b.before == ",") && w.words[i-1].part == hostName {
			b.part = serverPort
		}
	}
}

// merge joins word i and the n words after it, and keeps its meaning.
func (w *wording) merge(i, n int) {
	for _, next := range w.words[i+1 : i+1+n] {
		w.words[i].name += next.before + next.name
	}
	w.words = slices.Delete(w.words, i+1, i+1+n)
}

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

// auditable says why no line of the format can be audited.
func (f *Format) auditable() error {
	switch {
	case f.targetPart() == ignored:
		return errors.New("it has no field for what was requested, such as $request, %r or target")
	case !f.HasTime() || f.layout == nil:
		return errors.New("it has no field for the time with its date, such as $time_local, %t or time")
	}
	return nil
}

// joinTimes joins adjacent times, such as day and time of day, with the text between them, unless
// that has quotes or brackets.
func (w *wording) joinTimes() {
	for i := 0; i+1 < len(w.words); {
		a, b := &w.words[i], w.words[i+1]
		if a.pattern == "" || b.pattern == "" || a.pattern == anyPattern || strings.ContainsAny(b.before, `"[]{}`) {
			i++
			continue
		}
		a.pattern += strings.ReplaceAll(b.before, "%", "%%") + b.pattern
		a.rank = min(a.rank, b.rank)
		if p, err := newPattern(a.pattern); err == nil {
			a.part = p.part()
		}
		w.merge(i, 1)
	}
}

// joinPaths joins a path and the query after it, and also adjacent values that aren't needed.
func (w *wording) joinPaths() {
	for i := 0; i+1 < len(w.words); {
		a, b := &w.words[i], w.words[i+1]
		isPath := a.part == path || a.part == rewrittenPath || a.part == query
		if b.before != "" || b.padded || !(isPath && b.part == query || a.isIgnored() && b.isIgnored()) {
			i++
			continue
		}
		if a.part == path {
			a.part = target
		}
		if a.content != b.content {
			a.content = field.Any
		}
		w.merge(i, 1)
	}
}

// joinRequests joins a method, a target and the protocol after them to a request line, as in
// GoAccess's target.
func (w *wording) joinRequests() {
	for i := 0; i+1 < len(w.words); i++ {
		method, next := &w.words[i], w.words[i+1:]
		if method.part != methodName || next[0].part != target || next[0].before != " " || next[0].content != field.Any {
			continue
		}
		switch {
		case len(next) > 1 && next[1].protocol && next[1].before == " ":
			method.part = requestLine
			w.merge(i, 2)
		case next[0].name == "%U":
			method.part = requestLine
			w.merge(i, 1)
		}
	}
}

// isIgnored reports whether a value isn't needed.
func (w *word) isIgnored() bool { return w.part == ignored && !w.protocol }

// best returns the word that counts for each part, or -1 if there is none.
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

// layout returns the layout of the words that count as times. It returns nil without a time that
// includes the date.
func (w *wording) layout(best [allParts]int) (layout, error) {
	of := func(p part) string { return w.words[best[p]].pattern }
	switch {
	case best[moment] >= 0:
		return layoutOf(of(moment))
	case best[day] < 0 || best[timeOfDay] < 0:
		return nil, nil
	case of(day) == anyPattern:
		return anyTime, nil
	}
	return layoutOf(of(day) + " " + of(timeOfDay))
}

// afterWords is a layout for a time after a user's name, separated only by a blank. Names may
// contain blanks, so it skips words before the time.
func afterWords(read layout) layout {
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

// mayHaveBlanks marks the parts in which a blank doesn't mean that a protocol begins.
var mayHaveBlanks = [allParts]bool{target: true, path: true, rewrittenPath: true, query: true}

// program returns the format of a wording for text lines.
func (w *wording) program() (*Format, error) {
	best := w.best()
	layout, err := w.layout(best)
	if err != nil {
		return nil, err
	}
	if i := best[moment]; i > 0 && w.words[i].before == " " && layout != nil {
		if user := w.words[i-1]; user.isIgnored() && user.holds() == field.Any {
			layout = afterWords(layout)
		}
	}
	p, spell, err := w.compile()
	if err != nil {
		return nil, err
	}
	f := p.format(layout, spell)
	w.doubtEnds(p)
	return f, nil
}

// compile returns the program of fields and the spelling of each part. The error says why no line
// could be read.
func (w *wording) compile() (p *program, spell [allParts]spelling, err error) {
	best := w.best()
	p = &program{Template: &field.Template{After: w.after, More: w.more}}
	p.Rules, p.fields = make([]field.Rule, 0, len(w.words)), make([]part, 0, len(w.words))
	for i, word := range w.words {
		of, how := ignored, w.spell
		if best[word.part] == i {
			of = word.part
		}
		if word.spell.undo != nil {
			how = word.spell
		}
		r := field.Rule{Before: word.before, Holds: word.holds(), Escape: how.escape, Padded: word.padded}
		if how.escape == '#' && (r.Before == "|" || strings.HasSuffix(r.Before, "{")) {
			r.Without = '|' // it is one of several captured headers
		}
		if word.protocol && i > 0 && mayHaveBlanks[p.fields[i-1]] {
			r.Before += "HTTP/" // it marks the end of the previous field
		}
		if times, err := newPattern(word.pattern); err == nil {
			r.Blanks = times.blanks()
		}
		switch {
		case strings.ContainsAny(r.Before, "\r\n"):
			return nil, spell, fmt.Errorf("it has a line break: %.40q", r.Before)
		case i > 0 && p.fields[i-1] == requestLine && r.Before == " " && of != statusCode:
			return nil, spell, fmt.Errorf("%s is not in quotes, and a blank follows it, which it has itself", w.words[i-1].name)
		case i > 0 && r.Before == "" && !beginsWithSlash[of]:
			return nil, spell, fmt.Errorf("nothing stands between %s and %s, so it is not known where the first ends",
				w.words[i-1].name, word.name)
		}
		p.add(r, of)
		spell[of] = how
	}
	if strings.ContainsAny(w.after, "\r\n") {
		return nil, spell, fmt.Errorf("it has a line break: %.40q", w.after)
	}
	if last := len(p.fields) - 1; w.after == "" && last >= 0 {
		ownsRest := p.fields[last] != ignored && p.Rules[last].Holds == field.Any
		p.More = p.More && !ownsRest
	}
	return p, spell, nil
}

// holds says what a word can hold.
func (w *word) holds() field.Content {
	switch {
	case w.protocol:
		return field.Token
	case w.content != field.Any || w.raw:
		return w.content
	}
	return holds[w.part]
}

// doubtEnds adds doubts about clients' fields whose end is uncertain. It is called after the
// program is compiled.
func (w *wording) doubtEnds(p *program) {
	if w.spell.undo == nil {
		return // this doubt covers all fields
	}
	for i, r := range p.Rules {
		switch {
		case i == 0 || p.Rules[i-1].Holds != field.Any || p.fields[i-1] == ignored && p.fields[i] == ignored:
		case r.Certain == field.OnlyPlace:
			w.doubts = append(w.doubts, fmt.Sprintf(
				"%s is not in quotes: a line that has %q in it is not read, as that could end it", w.words[i-1].name, r.Before))
		case r.Certain == field.FirstFitting:
			w.doubts = append(w.doubts, fmt.Sprintf(
				"%s is not in quotes: a line is not read if the User-Agent may begin after several %q",
				w.words[i-1].name, r.Before))
		case r.Certain == field.AnyPlace && strings.Trim(r.Before, "?") != "":
			w.doubts = append(w.doubts, fmt.Sprintf(
				"%s is not in quotes: what it has after its first %q is taken for %s",
				w.words[i-1].name, r.Before, w.words[i].name))
		}
	}
}
