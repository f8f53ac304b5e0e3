package compile

import (
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
)

// dialectRow is how a dialect reads a robots.txt and ranks its rules. How it reads URLs and
// the names of crawlers is in the table of the same name in package automaton.
type dialectRow struct {
	maxLine       int  // the bytes of a line that are read, 0 for all
	cutsAtNUL     bool // a line with a NUL is read up to that, else it is dropped
	blankEnds     bool // a blank line ends a group
	optionalColon bool // a line of two words is a field without its colon
	lenientKeys   bool // keys may go on after a known one, or be misspelled in known ways
	emptyTokens   bool // a user agent without a token binds crawlers without a name
	firstGroup    bool // of the groups with one token the first binds, else all, merged
	emptyRules    bool // a rule with an empty value matches every path, and forbids none
	indexPages    bool // an allow of an index page allows its directory

	dialect automaton.Dialect // of the row

	// wildcard reports whether the value of a user-agent line is for every crawler.
	wildcard func(value string) bool
	// token returns the part of the value of a user-agent line that names crawlers, and
	// wideToken the same with Options.WideTokens. The case is not yet lower.
	token, wideToken func(value string) string
	// pattern returns the value of a rule, which is not empty, as it is compared, and in
	// which form, or the reason for which the rule is ignored. What it must write, it appends to t.
	pattern func(t *text, value string) (form automaton.Form, pattern string, ignored NoteKind)
}

// dialectRows has one row for each dialect.
var dialectRows = [...]dialectRow{
	automaton.RFC9309: {
		dialect: automaton.RFC9309, wildcard: isStar, token: cutToken, wideToken: cutToken, pattern: canonicalPattern,
	},
	automaton.Google: {
		// The parser keeps of a line 8 times the longest URL of an old browser, less
		// one byte for the final NUL.
		dialect: automaton.Google, maxLine: 8*2083 - 1, cutsAtNUL: true, optionalColon: true, lenientKeys: true,
		emptyTokens: true, emptyRules: true, indexPages: true,
		wildcard: isGoogleStar, token: googleToken, wideToken: cutToken, pattern: googlePattern,
	},
	automaton.Original: {
		dialect: automaton.Original, blankEnds: true, firstGroup: true,
		wildcard: isStar, token: originalToken, wideToken: originalToken, pattern: decodedPattern,
	},
}

// row returns the row of a dialect. That it panics if there is none is part of the
// contract of Compile.
func (o Options) row() *dialectRow {
	if !o.Dialect.Known() {
		panic("compile: unknown dialect " + o.Dialect.String())
	}
	return &dialectRows[o.Dialect]
}

// isStar reports whether a user-agent line is for all crawlers.
func isStar(value string) bool { return value == "*" }

// isGoogleStar is isStar to Google's parser, which allows anything after a space.
func isGoogleStar(value string) bool {
	return strings.HasPrefix(value, "*") && (len(value) == 1 || isSpace(value[1]))
}

// cutToken returns the product token that a value begins with.
func cutToken(value string) string { return value[:len(automaton.CutToken([]byte(value)))] }

// googleToken returns what Google's parser takes for the product token: letters,
// hyphens and underscores.
func googleToken(value string) string {
	end := 0
	for end < len(value) &&
		('a' <= lower(value[end]) && lower(value[end]) <= 'z' || value[end] == '-' || value[end] == '_') {
		end++
	}
	return value[:end]
}

// originalToken returns the name before a version. A name that has become "*" is neither
// the wildcard, which must be the whole value, nor a name.
func originalToken(value string) string {
	name, _, _ := cutAt(value, '/')
	if name = trim(name); name == "*" {
		return ""
	}
	return name
}

// googlePattern writes a value as Google's parser does, in FormRaw.
func googlePattern(t *text, value string) (automaton.Form, string, NoteKind) {
	return automaton.FormRaw, inForm(t, value, automaton.FormRaw), 0
}

// decodedPattern writes a value in FormDecoded.
func decodedPattern(t *text, value string) (automaton.Form, string, NoteKind) {
	return automaton.FormDecoded, inForm(t, value, automaton.FormDecoded), 0
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

// canonicalPattern writes a value in RFC 9309's canonical form. A pattern with a raw '?'
// that no gap precedes is compared in FormB, all others in FormA.
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
		if *t, query = automaton.AppendForm(*t, octetsOf(segment), form, query); more {
			*t = append(*t, '*')
		}
	}
	if atEnd {
		*t = append(*t, '$')
	}
	return form, view((*t)[from:]), 0
}

// isCanonical reports whether what lies between the gaps of a pattern is the
// same in both canonical forms.
func isCanonical(pattern string) bool {
	for {
		at := plain.Canonical(octetsOf(pattern))
		if at == len(pattern) || pattern[at] != '*' {
			return at == len(pattern)
		}
		pattern = pattern[at+1:]
	}
}
