package compile

import (
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/automaton"
)

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
		r.Inert = p.o.Dialect != automaton.Google
		return
	}
	switch p.o.Dialect {
	case automaton.Google:
		r.Form, r.Pattern = automaton.FormRaw, escapeGoogle(r.Value)
	case automaton.RFC9309:
		if why := notRFC9309(r.Value); why != 0 {
			p.note(why, r.Value)
			r.Inert = true
			return
		}
		r.Form, r.Pattern = canonicalPattern(r.Value)
	default:
		r.Form, r.Pattern = automaton.FormDecoded, decodePattern(r.Value)
	}
	r.Specificity = len(r.Pattern)
	// Every path begins with a slash.
	if c := r.Pattern[0]; c != '/' && (c != '*' || p.o.Dialect == automaton.Original) {
		p.note(NoteNoSlash, r.Value)
		r.Inert, r.Pattern, r.Specificity = true, "", 0
	}
}

// escapeGoogle does what Google's parser does to a value: the hex of escapes in
// upper case, and octets outside ASCII escaped. It decodes nothing.
func escapeGoogle(value string) string {
	plain := 0
	for plain < len(value) && value[plain] != '%' && value[plain] < 0x80 {
		plain++
	}
	if plain == len(value) {
		return value
	}
	b := make([]byte, 0, len(value)+8)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= 0x80:
			b = automaton.AppendEscape(b, c)
		case c == '%' && i+2 < len(value) && isHex(value[i+1]) && isHex(value[i+2]):
			b = append(b, '%', upper(value[i+1]), upper(value[i+2]))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// notRFC9309 returns the note on a value that RFC 9309's grammar has no place
// for, 0 if it has one.
func notRFC9309(value string) NoteKind {
	for i := range len(value) {
		if value[i] < 0x21 {
			return NoteSpaceInPattern
		}
	}
	if !utf8.ValidString(value) {
		return NoteNotUTF8
	}
	return 0
}

// canonicalPattern spells a value in RFC 9309's canonical form. A pattern with a
// raw '?' that no wildcard precedes is compared in FormB, all others in FormA.
func canonicalPattern(value string) (automaton.Form, string) {
	form := automaton.FormA
	if head, _, _ := strings.Cut(value, "*"); strings.Contains(head, "?") {
		form = automaton.FormB
	}
	body, anchored := strings.CutSuffix(value, "$")
	if isCanonical(body) {
		return form, value
	}
	b := make([]byte, 0, len(value)+8)
	query := false
	for i, segment := range strings.Split(body, "*") {
		if i > 0 {
			b = append(b, '*')
		}
		b, query = automaton.AppendCanonical(b, []byte(segment), form, query)
	}
	if anchored {
		b = append(b, '$')
	}
	return form, string(b)
}

// isCanonical tells whether what lies between the wildcards of a pattern is the
// same in both canonical forms.
func isCanonical(body string) bool {
	for more := true; more; {
		var segment string
		segment, body, more = strings.Cut(body, "*")
		if !automaton.IsCanonical([]byte(segment)) {
			return false
		}
	}
	return true
}

func decodePattern(value string) string {
	if !strings.Contains(value, "%") {
		return value
	}
	return string(automaton.AppendDecoded(nil, []byte(value)))
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
