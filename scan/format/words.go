package format

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// The notations of GoAccess and Envoy, and regular expressions. Those of nginx and Apache are
// longer and have separate files.

// goAccessValues lists the specifiers of GoAccess that an audit needs, and numbers. Source:
// goaccess.io/man, "Log Format".
var goAccessValues = sync.OnceValue(func() map[string]value {
	return valuesOf(`host %v
		ip %h
		request %r
		method %m
		target %U
		query %q
		protocol %H
		status %s
		bytes %b
		ua %u
		referer %R
		#number %T %D %L %n`)
})

// goAccessSpecifier matches a specifier, optionally after blanks, or a list of addresses.
var goAccessSpecifier = lazy.Regexp(`~h\{[^}]*\}?|(%~)?(%[^~])|%~`)

// parseGoAccess parses a log-format of GoAccess, either alone or as a line of its configuration
// with lines date-format, time-format or datetime-format. Without these lines, times are read by
// anyTime.
func parseGoAccess(text string) (*Format, error) {
	settings := map[string]string{}
	for line := range strings.Lines(text) {
		name, setting, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains([]string{"log-format", "date-format", "time-format", "datetime-format"}, name) {
			settings[name] = strings.TrimSpace(setting)
		} else if settings["log-format"] == "" {
			settings["log-format"] = strings.TrimSpace(line)
		}
	}
	if len(settings["log-format"]) == 0 {
		return nil, errors.New("the line log-format is missing")
	}
	w := &wording{spell: backslashed, more: true}
	text = strings.NewReplacer(`\t`, "\t", `\"`, `"`).Replace(settings["log-format"])
	err := w.scan(text, goAccessSpecifier(), func(groups []string) error { return w.addSpecifier(groups, settings) })
	if err != nil {
		return nil, err
	}
	w.joinZone()
	w.doubtPaths()
	w.join()
	return w.format()
}

// doubtPaths marks a path as possibly rewritten if the query is a separate field. Servers that log
// it this way, such as IIS, Apache with %U%q and CloudFront, log paths in their own ways.
func (w *wording) doubtPaths() {
	if !slices.ContainsFunc(w.words, func(word word) bool { return word.part == query }) {
		return
	}
	for i := range w.words {
		if w.words[i].part == target {
			w.words[i].part = rewrittenPath
		}
	}
}

// addSpecifier adds a match of goAccessSpecifier.
func (w *wording) addSpecifier(groups []string, settings map[string]string) error {
	all, padded, name := groups[0], groups[1] != "", groups[2]
	switch {
	case all[0] == '~' && !strings.HasSuffix(all, "}"):
		return fmt.Errorf("a brace is not closed: %.40q", all)
	case all[0] == '~':
		w.add(all, value{part: forwardedFor})
		return nil
	case name == "": // a lone %~
		return nil
	case name == "%%":
		w.after += "%"
		return nil
	case strings.Contains("dtx", name[1:]):
		if err := w.addGoAccessTime(name[1], settings); err != nil {
			return err
		}
	case strings.Contains("vehrmUqHsbRuCKkMDTLn^", name[1:]):
		w.add(name, goAccessValues()[name])
	default:
		return fmt.Errorf("it has the specifier %q, which GoAccess does not know", name)
	}
	w.words[len(w.words)-1].padded = padded
	return nil
}

// addGoAccessTime adds a date, a time of day, or both.
func (w *wording) addGoAccessTime(letter byte, settings map[string]string) error {
	name, date, clock := "%"+string(letter), settings["date-format"], settings["time-format"]
	both := settings["datetime-format"]
	isBoth := letter == 'x'
	switch {
	case isBoth && both != "":
		return w.addTime(name, both, 0)
	case date == "" && clock == "":
		w.add(name, value{part: map[byte]part{'d': day, 't': timeOfDay, 'x': moment}[letter], pattern: anyPattern})
		return nil
	case isBoth && date != "" && clock != "" && date != clock:
		return w.addTime(name, date+" "+clock, 0)
	case isBoth: // one of them covers both
		return w.addTime(name, cmp.Or(clock, date), 0)
	case letter == 'd':
		return w.addTime(name, cmp.Or(date, "%d/%b/%Y"), 0)
	}
	return w.addTime(name, cmp.Or(clock, "%H:%M:%S"), 0)
}

// joinZone joins a date, a time of day and a zone in brackets, which GoAccess ignores: [%d:%t %^].
func (w *wording) joinZone() {
	for i := 0; i+1 < len(w.words); i++ {
		if a := &w.words[i]; a.part == day && a.pattern == anyPattern && w.words[i+1].part == timeOfDay {
			a.part = moment
			w.merge(i, 1)
		}
	}
	w.joinTimes()
	for i := 0; i+1 < len(w.words); i++ {
		end := w.after
		if i+2 < len(w.words) {
			end = w.words[i+2].before
		}
		zone := w.words[i+1]
		isOpen := w.words[i].part == moment && strings.HasSuffix(w.words[i].before, "[")
		if isOpen && zone.before == " " && zone.part == ignored && strings.HasPrefix(end, "]") {
			w.merge(i, 1)
		}
	}
}

// envoyOperators lists the command operators of Envoy that an audit needs, and those that Envoy
// writes itself. The path is the client's only if no route has rewritten it. Source: envoyproxy.io,
// "Access logging", "Command Operators".
var envoyOperators = sync.OnceValue(func() map[string]value {
	return valuesOf(`method REQ(:METHOD)
		target REQ(X-ENVOY-ORIGINAL-PATH?:PATH)
		rewritten REQ(:PATH)
		protocol PROTOCOL
		status RESPONSE_CODE
		bytes BYTES_SENT
		host REQ(:AUTHORITY)|REQ(HOST)
		ua REQ(USER-AGENT)
		claim REQ(SIGNATURE-AGENT)
		referer REQ(REFERER)
		xff REQ(X-FORWARDED-FOR)
		scheme REQ(X-FORWARDED-PROTO)! REQ(:SCHEME)
		ip DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT|DOWNSTREAM_REMOTE_ADDRESS
		ip - DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT|DOWNSTREAM_DIRECT_REMOTE_ADDRESS
		#number BYTES_RECEIVED DURATION RESPONSE_DURATION REQUEST_DURATION CONNECTION_ID RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)
		#token RESPONSE_FLAGS UPSTREAM_HOST UPSTREAM_LOCAL_ADDRESS DOWNSTREAM_LOCAL_ADDRESS HOSTNAME STREAM_ID
		#unbroken UPSTREAM_CLUSTER`)
})

// envoyOperator matches a command operator, optionally with a maximum length. A time may have a
// layout.
var envoyOperator = lazy.Regexp(`%(?:START_TIME(?:\(([^)]*)\))?|([A-Z0-9_]+(?:\([^)]*\))?)(?::\d+)?)%`)

// parseEnvoy parses a format string of Envoy, which escapes nothing.
func parseEnvoy(text string) (*Format, error) {
	w := new(wording)
	text = strings.ReplaceAll(strings.TrimSuffix(text, `\n`), `\"`, `"`)
	err := w.scan(text, envoyOperator(), func(groups []string) error {
		switch name, layout, operator := groups[0], groups[1], groups[2]; {
		case operator != "":
			w.add(name, envoyOperators()[strings.ToUpper(operator)])
		case layout != "":
			return w.addTime(name, layout, 0)
		default:
			w.add(name, value{part: moment, pattern: isoPattern})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.join()
	return w.format()
}

// parseRegexp returns the format for a regular expression of package regexp. Its named groups are
// fields, with the same names as in a JSON map. A line matches the format if any part of it
// matches. Times are parsed by anyTime, and escapes of nginx and Apache are undone.
func parseRegexp(text string) (*Format, error) {
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	f := &Format{meaning: meaning{layout: anyTime}}
	var other *regexp.Regexp
	if matchesWholeLines(text) {
		other = regexp.MustCompile("(?U:" + text + ")")
	} else {
		f.doubts = []string{"The regular expression does not begin with ^ and end with $, " +
			"so a field may be found where a client has written the like of it."}
	}
	groups := make([]part, expression.NumSubexp()+1)
	for i, name := range expression.SubexpNames() {
		if name == "" {
			continue
		}
		p, ok := fieldNames[name]
		switch {
		case !ok:
			return nil, unknownField(name)
		case slices.Contains(groups, p):
			return nil, fmt.Errorf("the field %q comes twice", name)
		}
		groups[i], f.has[p], f.spell[p] = p, true, backslashed
	}
	f.newReader = func(f *Format) Reader {
		return &regexpReader{values: values{meaning: f.meaning}, expression: expression, other: other, groups: groups}
	}
	return f, f.auditable()
}

// matchesWholeLines reports whether a valid expression begins with ^ and ends with $.
func matchesWholeLines(text string) bool {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat {
		return false
	}
	last := tree.Sub[len(tree.Sub)-1].Op
	return tree.Sub[0].Op == syntax.OpBeginText && last == syntax.OpEndText
}

// regexpReader reads lines with a regular expression. Unlike other readers it allocates for each
// line.
type regexpReader struct {
	lines
	values
	expression *regexp.Regexp
	// other swaps the preference of expression for long and short matches. Both find the same groups
	// in a line, unless a group can end in several places.
	other  *regexp.Regexp
	groups []part // of each group
}

func (e *regexpReader) Next(r *Record) Kind {
	if e.at >= len(e.chunk) {
		return End
	}
	r.Offset = e.at
	r.Line = e.search()
	if len(r.Line) == 0 {
		return Blank
	}
	e.begin()
	at := e.expression.FindSubmatchIndex(r.Line)
	if at == nil || e.isUnclear(r.Line, at) {
		return Unparsed
	}
	for i, p := range e.groups {
		if from := at[2*i]; from >= 0 && p != ignored {
			e.text[p] = r.Line[from:at[2*i+1]]
		}
	}
	if !e.next(r) {
		return e.without(r)
	}
	return Request
}

// isUnclear reports whether a field that affects verdicts can end in several places. The target
// doesn't count, because wherever it ends, it is the client's text.
func (e *regexpReader) isUnclear(line []byte, at []int) bool {
	if e.other == nil {
		return false
	}
	short := e.other.FindSubmatchIndex(line)
	for i, p := range e.groups {
		switch p {
		case ignored, target, path, hostPath, decodedPath, rewrittenPath, query:
			continue
		}
		if !slices.Equal(short[2*i:2*i+2], at[2*i:2*i+2]) {
			return true
		}
	}
	return false
}

// Complete sets the other fields of the request that Next returned last.
func (e *regexpReader) Complete(r *Record) { e.complete(r) }

// Plausible reports whether the record looks like one from a log of the format.
func (e *regexpReader) Plausible(r *Record) bool { return e.plausible(r) }
