package compile

import "strings"

// The text of a robots.txt is bytes, of which ASCII alone has case and white space.
// These helpers do what package strings does for runes, which took 12 % of the time to
// compile lists (Go 1.26).

// isSpace tells what the parsers trim: ASCII white space, never Unicode's.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// trim returns s without the white space around it.
func trim(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// text is many strings in few pieces of memory.
type text struct{ strings.Builder }

// keep returns a copy of s.
func (t *text) keep(s string) string {
	from := t.Len()
	t.WriteString(s)
	return t.String()[from:]
}

// keepLower returns a copy of s with its ASCII letters in lower case.
func (t *text) keepLower(s string) string {
	from := t.Len()
	for i := range len(s) {
		t.WriteByte(lower(s[i]))
	}
	return t.String()[from:]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// cutAt is strings.Cut around a byte.
func cutAt(s string, c byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, c); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// hasPrefixFold reports whether s begins with a prefix, which is in lower case.
// strings.EqualFold takes U+017F for an s.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// equalFold compares s with a word in lower case.
func equalFold(s, word string) bool { return len(s) == len(word) && hasPrefixFold(s, word) }
