package compile

import (
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
)

// dialectReading describes how a dialect reads a robots.txt and ranks its rules. How it reads URLs and
// names of crawlers is in the table of the same name in package automaton.
type dialectReading struct {
	maxLine       int  // how many bytes of a line are read, 0 for all
	cutsAtNUL     bool // a line with a NUL is cut there, otherwise dropped
	blankEnds     bool // a blank line ends a group
	optionalColon bool // a line of two words is a field without its colon
	lenientKeys   bool // keys may continue after a known one, or have known misspellings
	emptyTokens   bool // a user agent without a token binds crawlers without a name
	firstGroup    bool // only the first group with a token binds, otherwise all, merged
	emptyRules    bool // a rule with an empty value matches every path and forbids none
	indexPages    bool // an allow of an index page allows its directory

	dialect automaton.Dialect // the dialect that the row describes

	// wildcard reports whether the value of a user-agent line is for every crawler.
	wildcard func(value string) bool
	// token returns the part of a user-agent value that names crawlers, before conversion to lower
	// case; wideToken does so for Options.WideTokens.
	token, wideToken func(value string) string
	// pattern converts the non-empty value of a rule to the form in which it is compared, or returns
	// why the rule is ignored. It appends new text to t.
	pattern func(t *text, value string) (form automaton.Form, pattern string, ignored NoteKind)
}

var dialectReadings = [...]dialectReading{
	automaton.RFC9309: {
		dialect: automaton.RFC9309, wildcard: isStar, token: cutToken, wideToken: cutToken, pattern: canonicalPattern,
	},
	automaton.Google: {
		// Google's parser reads 8 times the longest URL of an old browser from a line, less one byte for
		// the final NUL.
		dialect: automaton.Google, maxLine: 8*2083 - 1, cutsAtNUL: true, optionalColon: true, lenientKeys: true,
		emptyTokens: true, emptyRules: true, indexPages: true,
		wildcard: isGoogleStar, token: googleToken, wideToken: cutToken, pattern: patternIn(automaton.FormRaw),
	},
	automaton.Original: {
		dialect: automaton.Original, blankEnds: true, firstGroup: true,
		wildcard: isStar, token: originalToken, wideToken: originalToken, pattern: patternIn(automaton.FormDecoded),
	},
}

// row returns the row of the dialect. It panics if there is none, as Compile promises.
func (o Options) row() *dialectReading {
	if !o.Dialect.Known() {
		panic("compile: unknown dialect " + o.Dialect.String())
	}
	return &dialectReadings[o.Dialect]
}

// isStar reports whether a user-agent line is for all crawlers.
func isStar(value string) bool { return value == "*" }

// isGoogleStar is isStar for Google's parser, which ignores anything after a space.
func isGoogleStar(value string) bool {
	return strings.HasPrefix(value, "*") && (len(value) == 1 || isSpace(value[1]))
}

// cutToken returns the product token that a value begins with.
func cutToken(value string) string { return value[:len(automaton.CutToken([]byte(value)))] }

// googleToken returns what Google's parser reads as the product token: letters, hyphens and
// underscores.
func googleToken(value string) string {
	end := 0
	for end < len(value) &&
		('a' <= lower(value[end]) && lower(value[end]) <= 'z' || value[end] == '-' || value[end] == '_') {
		end++
	}
	return value[:end]
}

// originalToken returns the name before a version. The wildcard must be the whole value, so a "*"
// with a version names nobody.
func originalToken(value string) string {
	name, _, _ := cutAt(value, '/')
	name = trim(name)
	if name == "*" {
		return ""
	}
	return name
}

// patternIn returns the conversion of values to FormRaw, as Google's parser does it, or to FormDecoded.
func patternIn(form automaton.Form) func(t *text, value string) (automaton.Form, string, NoteKind) {
	return func(t *text, value string) (automaton.Form, string, NoteKind) { return form, inForm(t, value, form), 0 }
}

// inForm returns a value in FormRaw or FormDecoded. Most are in both already.
func inForm(t *text, value string, form automaton.Form) string {
	if plain.IsCanonical(octetsOf(value)) {
		return value
	}
	for i := range len(value) {
		if c := value[i]; c == '%' || c >= utf8.RuneSelf {
			from := len(*t)
			*t, _ = automaton.AppendForm(*t, octetsOf(value), form, false)
			return view((*t)[from:])
		}
	}
	return value
}

// canonicalPattern converts a value to RFC 9309's canonical form. A pattern with a raw '?' that no
// gap precedes is compared in FormB, all others in FormA.
func canonicalPattern(t *text, value string) (form automaton.Form, pattern string, ignored NoteKind) {
	form = automaton.FormA
	if at := strings.IndexByte(value, '?'); at >= 0 && strings.IndexByte(value[:at], '*') < 0 {
		form = automaton.FormB
	}
	stripped, atEnd := strings.CutSuffix(value, "$")
	if isCanonical(stripped) {
		return form, value, 0
	}
	for i := range len(value) {
		if value[i] < 0x21 {
			return 0, "", NoteSpaceInPattern
		}
	}
	if !utf8.ValidString(value) {
		return 0, "", NoteNotUTF8
	}
	from, query := len(*t), false
	for more := true; more; {
		var segment string
		segment, stripped, more = cutAt(stripped, '*')
		*t, query = automaton.AppendForm(*t, octetsOf(segment), form, query)
		if more {
			*t = append(*t, '*')
		}
	}
	if atEnd {
		*t = append(*t, '$')
	}
	return form, view((*t)[from:]), 0
}

// isCanonical reports whether the text between the gaps of a pattern is the same in both canonical
// forms.
func isCanonical(pattern string) bool {
	for {
		at := plain.Canonical(octetsOf(pattern))
		if at == len(pattern) || pattern[at] != '*' {
			return at == len(pattern)
		}
		pattern = pattern[at+1:]
	}
}
