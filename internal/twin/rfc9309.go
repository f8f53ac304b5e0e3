package twin

import "unicode/utf8"

// parseRFC9309 groups the lines of a robots.txt. Lines of other keys neither
// open nor close a group (RFC 9309, 2.2.4).
func parseRFC9309(lines []line) []*group {
	var groups []*group
	for _, l := range lines {
		key, value, ok := strictField(l.text)
		if !ok {
			continue
		}
		switch key {
		case "user-agent":
			groups = groupForAgentLine(groups)
			addRFC9309Agent(groups[len(groups)-1], value)
		case "allow", "disallow":
			addRFC9309Rule(groups, key == "allow", value, l.number)
		}
	}
	return groups
}

// addRFC9309Agent adds the value of an agent line to its group. An empty token
// binds nobody, but its line has opened or joined the group all the same.
func addRFC9309Agent(g *group, value []byte) {
	if string(value) == "*" {
		g.wildcard = true
		return
	}
	if token := tokenPrefix(value, wideTokenByte); len(token) > 0 {
		g.tokens = append(g.tokens, lower(token))
	}
}

// addRFC9309Rule adds a rule to the last group. A rule without a usable pattern
// is left out, but it too closes the list of agents.
func addRFC9309Rule(groups []*group, allow bool, value []byte, number int) {
	if len(groups) == 0 {
		return
	}
	g := groups[len(groups)-1]
	g.closed = true
	if isRFC9309Pattern(value) {
		pattern, formB := CanonicalPattern(value)
		g.rules = append(g.rules, rule{allow, pattern, formB, number})
	}
}

// isRFC9309Pattern is the grammar of path-pattern (RFC 9309, 2.2), with one
// licence: a pattern may begin with * as well as with /.
func isRFC9309Pattern(value []byte) bool {
	if len(value) == 0 || value[0] != '/' && value[0] != '*' {
		return false
	}
	for _, c := range value {
		if c <= ' ' {
			return false
		}
	}
	return utf8.Valid(value)
}

func matchRFC9309(groups []*group, agent, url []byte) (allowed bool, line int) {
	path := Path(RFC9309, url)
	if isRobotsTxt(path) {
		return true, 0
	}
	// A caller without a token finds none: groups keep no empty ones.
	caller := lower(tokenPrefix(agent, wideTokenByte))
	rules := mergedRules(groups, func(token string) bool { return token == caller })
	formA, formB := FormA(path), FormB(path)
	return longestMatch(rules, func(r rule) int {
		form := formA
		if r.formB {
			form = formB
		}
		if !PatternMatches(r.pattern, form) {
			return noMatch
		}
		return len(r.pattern)
	})
}
