package twin

import (
	"bytes"
	"unicode/utf8"
)

// colonField reads a line as "rfc9309" and "original" do: the colon is
// required, and a line with a NUL anywhere is no field.
func colonField(text []byte) (key string, value []byte, ok bool) {
	if bytes.IndexByte(text, 0) >= 0 {
		return "", nil, false
	}
	k, v, ok := bytes.Cut(beforeByte(text, '#'), []byte(":"))
	return lower(trim(k)), trim(v), ok
}

func isColonField(text []byte) bool {
	_, _, ok := colonField(text)
	return ok
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

// requestPath returns the path of a URL, or of a request target, for "rfc9309"
// and "original".
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

func matchRFC9309(groups []*group, agents [][]byte, path []byte) (allowed bool, line int) {
	if isRobotsTxt(path) {
		return true, 0
	}
	// A caller without a token finds no group: groups keep no empty tokens.
	caller := lower(tokenPrefix(agents[0], wideTokenByte))
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
