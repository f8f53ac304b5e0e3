package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// goAccessValues are the specifiers of GoAccess that an audit needs; all others are of no
// interest. Source: goaccess.io/man, "Log Format".
var goAccessValues = map[byte]value{
	'v': {part: hostName}, 'h': {part: clientAddr}, 'r': {part: requestLine}, 'm': {part: methodName}, 'U': {part: target}, 'q': {part: query},
	'H': {protocol: true}, 'T': {content: shape.Number}, 'D': {content: shape.Number}, 'L': {content: shape.Number}, 'n': {content: shape.Number}, 's': {part: statusCode}, 'b': {part: bodySize}, 'u': {part: userAgent}, 'R': {part: referrer},
}

// parseGoAccess reads a log-format of GoAccess, alone or as a line of its configuration with
// lines date-format, time-format or datetime-format. Without these a time is one of anyTime.
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
	for rest := strings.NewReplacer(`\t`, "\t", `\"`, `"`).Replace(settings["log-format"]); ; {
		if rest = w.cutAt(rest, "%~"); len(rest) < 2 {
			w.after += rest
			break
		}
		var err error
		if rest, err = w.addSpecifier(rest, settings); err != nil {
			return nil, err
		}
	}
	w.joinZone()
	w.doubtPaths()
	w.join()
	return w.format()
}

// doubtPaths makes a path one that may be rewritten if the query is a field of its own: servers
// that log it so, such as IIS, Apache by %U%q and CloudFront, log the path in ways of their own.
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

// addSpecifier adds what text begins with, a per cent sign and a letter or a tilde, and
// returns the rest.
func (w *wording) addSpecifier(text string, settings map[string]string) (rest string, err error) {
	if list, ok := strings.CutPrefix(text, "~h{"); ok {
		end := strings.IndexByte(list, '}')
		if end < 0 {
			return "", fmt.Errorf("a brace is not closed: %.40q", text)
		}
		w.add(text[:end+4], value{part: forwardedFor})
		return list[end+1:], nil
	}
	letter := text[1]
	if text[0] == '~' {
		w.after += "~"
		return text[1:], nil
	}
	rest = text[2:]
	switch letter {
	case '%':
		w.after += "%"
		return rest, nil
	case '~':
		if strings.HasPrefix(rest, "%") && len(rest) > 1 {
			before := len(w.words)
			rest, err = w.addSpecifier(rest, settings)
			if n := len(w.words); err == nil && n > before {
				w.words[n-1].padded = true
			}
		}
		return rest, err
	case 'd', 't', 'x':
		return rest, w.addGoAccessTime(letter, settings)
	}
	if !strings.Contains("vehrmUqHsbRuCKkMDTLn^", text[1:2]) {
		return "", fmt.Errorf("it has the specifier %q, which GoAccess does not know", text[:2])
	}
	w.add(text[:2], goAccessValues[letter])
	return rest, nil
}

// addGoAccessTime adds a date, a time of day, or both.
func (w *wording) addGoAccessTime(letter byte, settings map[string]string) error {
	name, date, clock, both := "%"+string(letter), settings["date-format"], settings["time-format"], settings["datetime-format"]
	isBoth := letter == 'x'
	switch {
	case isBoth && both != "":
		return w.addTime(name, both, 0)
	case date == "" && clock == "":
		w.add(name, value{part: map[byte]part{'d': day, 't': timeOfDay, 'x': moment}[letter], pattern: anyPattern})
		return nil
	case isBoth && date != "" && clock != "" && date != clock:
		return w.addTime(name, date+" "+clock, 0)
	case isBoth: // one of them has it all
		return w.addTime(name, cmp.Or(clock, date), 0)
	case letter == 'd':
		return w.addTime(name, cmp.Or(date, "%d/%b/%Y"), 0)
	}
	return w.addTime(name, cmp.Or(clock, "%H:%M:%S"), 0)
}

// joinZone makes one value of a date, a time of day and a zone in brackets, which GoAccess
// does not read: [%d:%t %^].
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
		if w.words[i].part == moment && strings.HasSuffix(w.words[i].before, "[") && zone.before == " " && zone.part == ignored && strings.HasPrefix(end, "]") {
			w.merge(i, 1)
		}
	}
}
