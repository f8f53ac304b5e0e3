package twin

import (
	"bytes"
	"strings"
)

// maxGoogleLine is how much of a line Google's library reads: 8 x 2083 - 1 bytes, from a buffer of
// eight times the longest URL of Internet Explorer.
const maxGoogleLine = 8*2083 - 1

// googleKeys are the keys that decide a match, each with its spellings. Google's library
// takes any key that begins with such a spelling for that key.
var googleKeys = map[string][]string{
	"user-agent": {"user-agent", "useragent", "user agent"},
	"allow":      {"allow"},
	"disallow":   {"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"},
}

// googleText returns the beginning of a line, up to a NUL or a comment.
func googleText(line []byte) []byte {
	return beforeByte(beforeByte(line[:min(len(line), maxGoogleLine)], 0), '#')
}

// googleField splits a line in key and value, both trimmed. Only a line without any colon may have spaces or tabs as
// its separator, and then only between exactly two words. Keys are compared by prefix, and some misspellings are
// accepted.
func googleField(text []byte) (key string, value []byte) {
	k, value, ok := bytes.Cut(text, []byte(":"))
	if !ok {
		words := bytes.FieldsFunc(trim(text), func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return "", nil
		}
		k, value = words[0], words[1]
	}
	for key, prefixes := range googleKeys {
		for _, prefix := range prefixes {
			if strings.HasPrefix(lower(trim(k)), prefix) {
				return key, trim(value)
			}
		}
	}
	return "", nil
}

// isGoogleWildcard is isWildcard for Google's library, where "* anything" is also the wildcard.
func isGoogleWildcard(value []byte) bool {
	return string(value) == "*" || len(value) > 1 && value[0] == '*' && strings.IndexByte(whitespace, value[1]) >= 0
}

// googleToken returns the product token. An empty one names the caller without a name.
func googleToken(value []byte, wide bool) (token string, ok bool) {
	alphabet := narrowTokenByte
	if wide {
		alphabet = wideTokenByte
	}
	return lower(tokenPrefix(value, alphabet)), true
}

func googlePattern(value []byte) (pattern []byte, formB, ok bool) { return Escape(value), false, true }

// googlePath is the extraction of Google's library before matching, which stops at a NUL.
func googlePath(url []byte) []byte {
	const ends = "/?;"
	url = bytes.TrimPrefix(url, []byte("//"))
	authority := afterScheme(url, ends)
	start := bytes.IndexAny(url[authority:], ends)
	// The first # of the url counts, not the first one after start: one in the authority leaves no path.
	url = beforeByte(url, '#')
	if start < 0 || authority+start > len(url) {
		return []byte("/")
	}
	return beforeByte(rooted(url[authority+start:]), 0)
}

func matchGoogle(groups []*group, agent, path []byte) (allowed bool, line int) {
	rules := mergedRules(groups, lower(agent))
	return longestMatch(rules, func(r rule) int { return googlePriority(r, path) })
}

// googlePriority is the length of the rule's pattern if it matches. An allow of an index page that does not match
// allows its directory instead, with the length of the directory's pattern.
func googlePriority(r rule, path []byte) int {
	if PatternMatches(r.pattern, path) {
		return len(r.pattern)
	}
	if directory, ok := indexDirectory(r); ok && PatternMatches(directory, path) {
		return len(directory)
	}
	return noMatch
}

// indexDirectory returns D/$ for an allow of D/index.htm followed by anything without a slash.
func indexDirectory(r rule) (pattern []byte, ok bool) {
	slash := bytes.LastIndexByte(r.pattern, '/')
	if !r.allow || slash < 0 || !bytes.HasPrefix(r.pattern[slash:], []byte("/index.htm")) {
		return nil, false
	}
	return append(bytes.Clone(r.pattern[:slash+1]), '$'), true
}
