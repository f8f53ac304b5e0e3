package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/lazy"
)

// readRules adds the notes on the paths of rules, of each path once.
func (l *linter) readRules() {
	seen := map[string]bool{}
	for _, g := range l.read[0].Groups {
		lines := map[string]int{} // of the paths of the group
		lower := map[string]compile.Rule{}
		for _, r := range g.Rules {
			if !r.Allow {
				lines[r.Value] = r.Line
			}
		}
		for _, r := range g.Rules {
			if r.Value == "" {
				continue
			}
			l.readCase(r, lower)
			if seen[r.Value] {
				continue
			}
			seen[r.Value] = true
			if at := strings.IndexByte(r.Value, '$'); at >= 0 && at < len(r.Value)-1 && !l.literal() {
				l.add(r.Line, "not-at-end", r.Value, "", "")
			}
			l.readEncoding(r)
			if beside := lines[r.Value+"/"]; beside > 0 && !r.Allow {
				l.add(r.Line, "missing-slash", r.Value, fmt.Sprintf("line %d has %s/", beside, r.Value), "")
			}
			if !r.Allow && private().MatchString(r.Value) {
				l.add(r.Line, "private-exposed", r.Value, "", "")
			}
		}
	}
}

// readCase adds a note on a rule with a path that differs only in case from one before it; lower holds
// the first rule of each spelling.
func (l *linter) readCase(r compile.Rule, lower map[string]compile.Rule) {
	low := strings.ToLower(r.Value)
	if first, known := lower[low]; !known {
		lower[low] = r
	} else if first.Value != r.Value && upperEscapes(first.Value) != upperEscapes(r.Value) {
		l.add(r.Line, "case", r.Value, fmt.Sprintf("line %d has %s", first.Line, first.Value), "")
	}
}

// escape matches a percent sign, with the two digits after it if they are there.
var escape = lazy.Regexp(`%([0-9A-Fa-f]{2})?`)

// upperEscapes returns a path with upper-case digits after each %.
func upperEscapes(value string) string { return escape().ReplaceAllStringFunc(value, strings.ToUpper) }

// entity matches a character reference of HTML.
var entity = lazy.Regexp(`&(amp|lt|gt|quot|#[0-9]+|#x[0-9a-fA-F]+);`)

// readEncoding adds a note on a path that is spelled differently in URLs.
func (l *linter) readEncoding(r compile.Rule) {
	var faults []string
	add := func(is bool, fault string) bool {
		if is {
			faults = append(faults, fault)
		}
		return is
	}
	escapes := escape().FindAllString(r.Value, -1)
	add(utf8.ValidString(r.Value) && utf8.RuneCountInString(r.Value) < len(r.Value), "characters outside ASCII")
	add(slices.ContainsFunc(escapes, func(e string) bool { return e != strings.ToUpper(e) }), "lower-case digits after %")
	never := add(slices.Contains(escapes, "%"), "% without two hexadecimal digits")
	never = add(entity().MatchString(r.Value), "a character reference of HTML") || never
	if len(faults) == 0 {
		return
	}
	n := l.add(r.Line, "encoding", r.Value, strings.Join(faults, ", "), "")
	if never { // does a URL have it
		n.Severity = asWarning.String()
	}
}

// private matches names of files and folders that are usually private. They are complete names, without
// extensions.
var private = lazy.Regexp(`(?i)(^|/)(admin|administrator|backups?|private|secret|internal|passwd|` +
	`credentials|phpmyadmin|\.git|\.env|\.htpasswd|\.ssh|id_rsa|dump|[^/]*\.(sql|bak|pem))([./$*?]|$)`)
