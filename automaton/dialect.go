package automaton

import "fmt"

// Dialect names one way of reading robots.txt. The zero value is RFC9309.
type Dialect uint8

const (
	// RFC9309 is the Robots Exclusion Protocol as published in RFC 9309.
	RFC9309 Dialect = iota
	// Google is the behaviour of the open-source parser google/robotstxt.
	Google
	// Original is the note of 1994 with the Allow line of the draft of 1996:
	// records, substrings of names, and the first matching rule.
	Original
)

var dialectNames = [...]string{RFC9309: "rfc9309", Google: "google", Original: "original"}

// String returns the name by which ParseDialect knows the dialect.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return fmt.Sprintf("Dialect(%d)", uint8(d))
}

// ParseDialect returns the dialect with the given name: rfc9309, google or
// original.
func ParseDialect(name string) (Dialect, error) {
	for d, n := range dialectNames {
		if n == name {
			return Dialect(d), nil
		}
	}
	return 0, fmt.Errorf("unknown dialect %q (known: rfc9309, google, original)", name)
}

// IsTokenByte tells whether c may stand in a product token as RFC 9309's
// dialect reads it: letters, digits, '_', '-' and '.'. The RFC allows only
// letters, '_' and '-'; the rest is there because crawlers called MJ12bot and
// archive.org_bot exist, and a group that names them must bind them.
func IsTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// CutToken returns the product token at the start of an agent's name: its
// longest prefix of bytes for which IsTokenByte holds. The result is a view.
func CutToken(name []byte) []byte {
	for i, c := range name {
		if !IsTokenByte(c) {
			return name[:i]
		}
	}
	return name
}
