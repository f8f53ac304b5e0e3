package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// goAccessValues are the specifiers of GoAccess that an audit needs, and numbers. Source:
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

// goAccessSpecifier is a specifier, perhaps with blanks before it, or a list of addresses.
var goAccessSpecifier = lazy.Regexp(`~h\{[^}]*\}?|(%~)?(%[^~])|%~`)

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

// addSpecifier adds what goAccessSpecifier has found.
func (w *wording) addSpecifier(groups []string, settings map[string]string) error {
	all, padded, name := groups[0], groups[1] != "", groups[2]
	switch {
	case all[0] == '~' && !strings.HasSuffix(all, "}"):
		return fmt.Errorf("a brace is not closed: %.40q", all)
	case all[0] == '~':
		w.add(all, value{part: forwardedFor})
		return nil
	case name == "": // %~ alone
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
		isOpen := w.words[i].part == moment && strings.HasSuffix(w.words[i].before, "[")
		if isOpen && zone.before == " " && zone.part == ignored && strings.HasPrefix(end, "]") {
			w.merge(i, 1)
		}
	}
}
