package compile

import "github.com/robotsieve/robotsieve/automaton"

// Rule is one allow or disallow line.
type Rule struct {
	Line  int    // 1-based
	Value string // as in the file, trimmed
	// Pattern is the value in the spelling in which it is compared, its
	// wildcards and final '$' included. Empty for a rule that never matches, and
	// for an empty value.
	Pattern string
	// Specificity ranks the rules of a group where the longest pattern wins: the
	// length of Pattern in octets, which is 0 also for rules that never match.
	Specificity int
	// Form is the spelling that Pattern is in.
	Form automaton.Form
	// Allow says that the line was an allow line, else it was a disallow line.
	Allow bool
	// Inert says that the rule can match no path.
	Inert bool
}

// String returns the rule as a line of robots.txt, its key spelled as in the
// standard and its value as in the file.
func (r Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Value
	}
	return "Disallow: " + r.Value
}

// compilePattern fills in what the dialect makes of the rule's value.
func (p *parser) compilePattern(r *Rule) {
	if r.Value == "" {
		r.Inert = !p.reading.emptyRules
		return
	}
	form, pattern, ignored := p.reading.pattern(r.Value)
	if ignored != 0 {
		p.note(ignored, r.Value)
		r.Inert = true
		return
	}
	r.Form = form
	// Every path begins with a slash, and in FormDecoded there are no wildcards.
	if c := pattern[0]; c != '/' && (c != '*' || form == automaton.FormDecoded) {
		p.note(NoteNoSlash, r.Value)
		r.Inert = true
		return
	}
	r.Pattern, r.Specificity = pattern, len(pattern)
}
