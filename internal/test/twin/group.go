package twin

import (
	"bytes"
	"slices"
)

// A rule is one allow or disallow line.
type rule struct {
	allow   bool
	pattern []byte // in the form of comparison
	formB   bool   // rfc9309 only: compared with form B of the URL
	line    int
}

// A group is a run of agent lines with the rules that follow them ("record" in the original dialect).
type group struct {
	wildcard bool     // one of the agent lines is *
	tokens   []string // the other agent lines, in lower case
	rules    []rule
	closed   bool // a rule line was seen: the next agent line opens a new group
}

// parse groups the lines of a robots.txt. Lines of other keys neither open nor close a group (RFC 9309, 2.2.4). A rule
// outside all groups binds no crawler. A rule that does not count still closes the list of agents, and an agent that
// does not count still opens a group. If endRuns is true, a line of another key closes the list of agents, as a rule
// does.
func (d reading) parse(lines []line, wideTokens, endRuns bool) []*group {
	var groups []*group
	var g *group // to which rules belong
	for _, l := range lines {
		if d.blankEnds && len(trim(l.text)) == 0 {
			g = nil
			continue
		}
		text := d.text(l.text)
		key, value := d.field(text)
		switch key {
		case "user-agent":
			if g == nil || g.closed {
				g = &group{}
				groups = append(groups, g)
			}
			if d.wildcard(value) {
				g.wildcard = true
			} else if token, ok := d.token(value, wideTokens); ok {
				g.tokens = append(g.tokens, token)
			}
		case "allow", "disallow":
			if g == nil {
				continue
			}
			g.closed = true
			if pattern, formB, ok := d.pattern(value); ok {
				g.rules = append(g.rules, rule{key == "allow", pattern, formB, l.number})
			}
		default:
			if endRuns && g != nil && bytes.Contains(text, []byte(":")) {
				g.closed = true
			}
		}
	}
	return groups
}

// mergedRules returns the rules of all groups with a token or, if there are none, of all wildcard
// groups. A group with the token counts even without rules.
func mergedRules(groups []*group, token string) []rule {
	var specific, wildcard []rule
	named := false
	for _, g := range groups {
		if slices.Contains(g.tokens, token) {
			named = true
			specific = append(specific, g.rules...)
		}
		if g.wildcard {
			wildcard = append(wildcard, g.rules...)
		}
	}
	if named {
		return specific
	}
	return wildcard
}

// noMatch is the priority of a rule that does not match.
const noMatch = -1

// longestMatch gives the verdict of the rules by their priorities. Disallow wins only if it is strictly longer than the
// best allow, and among rules of one kind and priority the first in the file is reported. A disallow of priority 0 is
// an empty one: it forbids nothing but may be reported.
func longestMatch(rules []rule, priority func(rule) int) (allowed bool, line int) {
	type best struct{ priority, line int }
	allow, disallow := best{noMatch, 0}, best{noMatch, 0}
	for _, r := range rules {
		b := &disallow
		if r.allow {
			b = &allow
		}
		if p := priority(r); p > b.priority {
			*b = best{p, r.line}
		}
	}
	if disallow.priority > allow.priority {
		return disallow.priority == 0, disallow.line
	}
	return true, allow.line
}

// tokenPrefix returns the longest prefix of text made of bytes of the alphabet.
func tokenPrefix(text []byte, inAlphabet func(byte) bool) []byte {
	n := 0
	for n < len(text) && inAlphabet(text[n]) {
		n++
	}
	return text[:n]
}

// narrowTokenByte is the alphabet of product tokens in RFC 9309 and in Google's
// library: letters, hyphen and underscore.
func narrowTokenByte(c byte) bool {
	return isLetter(c) || c == '-' || c == '_'
}

// wideTokenByte adds digits and the dot, which real crawlers have in their names: MJ12bot, 360Spider, archive.org_bot.
func wideTokenByte(c byte) bool {
	return narrowTokenByte(c) || isDigit(c) || c == '.'
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
