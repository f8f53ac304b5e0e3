package compile

import (
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// Rule is one allow or disallow line.
type Rule struct {
	Line  int    // 1-based
	Value string // as in the file, trimmed
	// Pattern is Value in the form in which it is compared, including gaps (*) and a final '$'. It is
	// empty if Value is, or if the rule never matches.
	Pattern string
	Form    automaton.Form // the spelling that Pattern is in
	Allow   bool           // an allow line, otherwise a disallow line
	Inert   bool           // the rule never matches
}

// String formats the rule as a line of robots.txt, with the standard key and the value from the
// file.
func (r Rule) String() string {
	key := "Disallow: "
	if r.Allow {
		key = "Allow: "
	}
	return strings.TrimSuffix(key+r.Value, " ")
}

// compilePattern fills in the fields that are derived from the rule's value.
func (p *parser) compilePattern(r *Rule) {
	if r.Value == "" {
		r.Inert = !p.row.emptyRules
		return
	}
	form, pattern, ignored := p.row.pattern(&p.text, r.Value)
	if ignored != 0 {
		p.note(ignored, r.Value)
		r.Inert = true
		return
	}
	r.Form = form
	// Every path begins with a slash, and in FormDecoded there are no gaps.
	if c := pattern[0]; c != '/' && (c != '*' || form == automaton.FormDecoded) {
		kind := NoteNoSlash
		if hasPrefixFold(r.Value, "http://") || hasPrefixFold(r.Value, "https://") {
			kind = NoteFullURL
		}
		p.note(kind, r.Value)
		r.Inert = true
		return
	}
	r.Pattern = pattern
}
