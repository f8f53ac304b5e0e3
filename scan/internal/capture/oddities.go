package capture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/format"
)

// Refuse returns an error for a file that is obviously something else than a robots.txt, such as an archive or a log.
func Refuse(body []byte, file string) error {
	if form := FormOf(body); form != nil {
		return fmt.Errorf("%s: %s, not a robots.txt", file, form.Form)
	}
	if HasRule(compile.Compile(body, compile.Options{}), body) { // as nearly all have, and sooner found out
		return nil
	}
	if log := LogOf(body); log != "" {
		return fmt.Errorf("%s: it looks like a log (%s), not a robots.txt", file, log)
	}
	return nil
}

// LogOf returns the format of the log that the content resembles, "" if none.
func LogOf(body []byte) string {
	head := body[:min(len(body), format.SampleBytes)]
	if log, err := format.Detect(head, len(head) == len(body)); err == nil {
		return log.Name()
	}
	return ""
}

// Oddities returns warnings about a robots.txt, by the name of its file: it looks
// like a web page or like UTF-16, is cut at the limit, or has no rule.
func Oddities(r *compile.Robots, body []byte, file string) (list []string) {
	for _, n := range r.Notes {
		switch n.Kind {
		case compile.NoteMarkup, compile.NoteUTF16, compile.NoteTruncated:
			list = append(list, fmt.Sprintf("%s: %s", file, n))
		}
	}
	if !HasRule(r, body) {
		list = append(list, file+": "+whyNoRule(r, body)+", so it forbids nothing")
	}
	return list
}

// HasRule reports whether a robots.txt has a rule, as read here or by Google's parser.
func HasRule(r *compile.Robots, body []byte) bool {
	rules := func(g compile.Group) bool { return len(g.Rules) > 0 }
	return slices.ContainsFunc(r.Groups, rules) ||
		slices.ContainsFunc(compile.Compile(body, compile.Options{Dialect: automaton.Google}).Groups, rules)
}

// LookOf says what a robots.txt without a rule resembles.
func LookOf(r *compile.Robots, body []byte) string {
	for _, n := range r.Notes {
		if n.Kind == compile.NoteMarkup || n.Kind == compile.NoteUTF16 {
			what, _, _ := strings.Cut(n.Kind.String(), ",")
			return "it " + what
		}
	}
	return whyNoRule(r, body)
}

// whyNoRule is LookOf without the text of a note.
func whyNoRule(r *compile.Robots, body []byte) string {
	log := LogOf(body)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return "it is empty"
	case log != "":
		return "it looks like a log (" + log + ")"
	case len(r.Groups) == 0:
		return "no line names a user agent"
	}
	return "no group has a rule"
}
