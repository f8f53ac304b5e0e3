package twin

import (
	"bytes"
	"unicode/utf8"
)

// plainText returns a line up to a comment, nothing if there is a NUL anywhere in it.
func plainText(line []byte) []byte {
	if bytes.IndexByte(line, 0) >= 0 {
		return nil
	}
	return beforeByte(line, '#')
}

// colonField splits a line at its colon, which is required.
func colonField(text []byte) (key string, value []byte) {
	k, v, ok := bytes.Cut(text, []byte(":"))
	if !ok {
		return "", nil
	}
	return lower(trim(k)), trim(v)
}

func isWildcard(value []byte) bool { return string(value) == "*" }

// rfc9309Token returns the product token. An empty one binds no crawler.
func rfc9309Token(value []byte, _ bool) (token string, ok bool) {
	token = lower(tokenPrefix(value, wideTokenByte))
	return token, token != ""
}

// rfc9309Pattern has the grammar of path-pattern (RFC 9309, 2.2), with one
// licence: a pattern may begin with * as well as with /.
func rfc9309Pattern(value []byte) (pattern []byte, formB, ok bool) {
	if len(value) == 0 || value[0] != '/' && value[0] != '*' || !utf8.Valid(value) {
		return nil, false, false
	}
	for _, c := range value {
		if c <= ' ' {
			return nil, false, false
		}
	}
	pattern, formB = CanonicalPattern(value)
	return pattern, formB, true
}

// requestPath returns the path of a URL, or of a request target, for "rfc9309" and "original".
func requestPath(url []byte) []byte {
	const ends = "/?#"
	start := 0
	if !bytes.HasPrefix(url, []byte("/")) {
		start = afterScheme(url, ends)
		length := bytes.IndexAny(url[start:], ends)
		if length < 0 {
			return []byte("/")
		}
		start += length
	}
	return rooted(beforeByte(url[start:], '#'))
}

func matchRFC9309(groups []*group, agent, path []byte) (allowed bool, line int) {
	if isRobotsTxt(path) {
		return true, 0
	}
	// A caller without a token finds no group: groups keep no empty tokens.
	rules := mergedRules(groups, lower(tokenPrefix(agent, wideTokenByte)))
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
