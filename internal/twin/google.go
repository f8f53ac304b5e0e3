package twin

import (
	"bytes"
	"slices"
	"strings"
)

// maxGoogleLine is how much of a line Google's library reads: 8 x 2083 - 1
// bytes, from a buffer of eight times the longest URL of Internet Explorer.
const maxGoogleLine = 8*2083 - 1

// parseGoogle groups the lines of a robots.txt.
func parseGoogle(lines []line, wideTokens bool) []*group {
	var groups []*group
	for _, l := range lines {
		key, value, ok := googleField(l.text)
		if !ok {
			continue
		}
		switch directive := googleDirective(key); directive {
		case "user-agent":
			groups = groupForAgentLine(groups)
			addGoogleAgent(groups[len(groups)-1], value, wideTokens)
		case "allow", "disallow":
			addGoogleRule(groups, directive == "allow", value, l.number)
		}
	}
	return groups
}

// googleField splits a line in key and value, both trimmed. Only a line
// without any colon may have spaces or tabs as its separator, and then only
// between exactly two words.
func googleField(text []byte) (key, value []byte, ok bool) {
	text = text[:min(len(text), maxGoogleLine)]
	text = trim(beforeByte(beforeByte(text, 0), '#'))
	key, value, ok = bytes.Cut(text, []byte(":"))
	if !ok {
		words := bytes.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return nil, nil, false
		}
		key, value = words[0], words[1]
	}
	key, value = trim(key), trim(value)
	return key, value, len(key) > 0
}

// googleDirective tells which directive a key is, "" for one that matching
// does not know. Keys are compared by prefix, and some misspellings are
// accepted.
func googleDirective(key []byte) string {
	directives := []struct {
		name     string
		prefixes []string
	}{
		{"user-agent", []string{"user-agent", "useragent", "user agent"}},
		{"allow", []string{"allow"}},
		{"disallow", []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}},
	}
	for _, d := range directives {
		for _, prefix := range d.prefixes {
			if strings.HasPrefix(lower(key), prefix) {
				return d.name
			}
		}
	}
	return ""
}

// addGoogleAgent adds the value of an agent line to its group. "* anything" is
// the wildcard. An empty token is kept: it names the caller without a name.
func addGoogleAgent(g *group, value []byte, wideTokens bool) {
	if isGoogleWildcard(value) {
		g.wildcard = true
		return
	}
	alphabet := narrowTokenByte
	if wideTokens {
		alphabet = wideTokenByte
	}
	g.tokens = append(g.tokens, lower(tokenPrefix(value, alphabet)))
}

func isGoogleWildcard(value []byte) bool {
	if len(value) == 0 || value[0] != '*' {
		return false
	}
	return len(value) == 1 || strings.IndexByte(whitespace, value[1]) >= 0
}

// addGoogleRule adds a rule to the last group. A rule before all agent lines
// binds nobody.
func addGoogleRule(groups []*group, allow bool, value []byte, number int) {
	if len(groups) == 0 {
		return
	}
	g := groups[len(groups)-1]
	g.closed = true
	g.rules = append(g.rules, rule{allow: allow, pattern: Escape(value), line: number})
}

func matchGoogle(groups []*group, agents [][]byte, url []byte) (allowed bool, line int) {
	path := Path(Google, url)
	rules := mergedRules(groups, func(token string) bool {
		return slices.ContainsFunc(agents, func(agent []byte) bool { return lower(agent) == token })
	})
	return longestMatch(rules, func(r rule) int { return googlePriority(r, path) })
}

// googlePriority is the length of the rule's pattern if it matches. An allow
// of an index page that does not match allows its directory instead, with the
// length of the directory's pattern.
func googlePriority(r rule, path []byte) int {
	if PatternMatches(r.pattern, path) {
		return len(r.pattern)
	}
	if directory, ok := indexDirectory(r); ok && PatternMatches(directory, path) {
		return len(directory)
	}
	return noMatch
}

// indexDirectory returns D/$ for an allow of D/index.htm followed by anything
// without a slash.
func indexDirectory(r rule) (pattern []byte, ok bool) {
	slash := bytes.LastIndexByte(r.pattern, '/')
	if !r.allow || slash < 0 || !bytes.HasPrefix(r.pattern[slash:], []byte("/index.htm")) {
		return nil, false
	}
	return append(bytes.Clone(r.pattern[:slash+1]), '$'), true
}
