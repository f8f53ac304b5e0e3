package automaton

import (
	"bytes"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Form is a spelling of paths in which a pattern is compared with a URL. Each
// rule of a Machine is in one form, chosen when it was compiled, and so is the
// path that it is compared with.
type Form uint8

const (
	// FormRaw is the URL's own bytes (dialect google).
	FormRaw Form = iota
	// FormA is RFC 9309's canonical form (2.2.2): escapes of unreserved octets
	// decoded, other escapes in upper case, octets that may not stand raw in a
	// URL, and '*' and '$', escaped.
	FormA
	// FormB is FormA in which, after the first raw '?', the escapes of
	// : / ? @ ! ' ( ) , ; are decoded too, so that ?u=http://x and
	// ?u=http%3A%2F%2Fx are equal.
	FormB
	// FormDecoded is the form of the note of 1994: every escape decoded, but
	// for %2F, whose hex is in upper case (dialect original).
	FormDecoded
	formCount
)

// What the canonical forms do with an octet, whether raw or escaped.
const (
	rawEscaped   = 1 << iota // raw, it becomes an escape
	rawPercent               // raw, it may begin an escape
	unreserved               // escaped, it becomes the octet
	queryDecoded             // escaped, after '?', it becomes the octet in FormB
)

var octets = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c < 0x21 || c >= 0x7f:
			t[c] = rawEscaped
		case 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9':
			t[c] = unreserved
		}
	}
	for _, c := range []byte("-._~") {
		t[c] = unreserved
	}
	for _, c := range []byte("\"<>\\^`{|}*$") {
		t[c] = rawEscaped
	}
	for _, c := range []byte(":/?@!'(),;") {
		t[c] = queryDecoded
	}
	t['%'] = rawPercent
	return t
}()

// IsCanonical tells whether path is the same in every form: it has no '%', '*'
// or '$', no octet outside printable ASCII, and none of " < > \ ^ ` { | }.
func IsCanonical(path []byte) bool { return notCanonical.Index(path) == len(path) }

// IsPlain tells whether a request target is, as it stands, its path in every dialect and
// every form: it begins with a slash, has no fragment and is canonical. Nearly all are.
func IsPlain(target []byte) bool {
	return len(target) > 0 && target[0] == '/' && notPlain.Index(target) == len(target)
}

// notPlain are the octets that a target must not have to be plain: what is not
// canonical, NUL among it, and what begins a fragment.
var notPlain = func() *table.Classes {
	c := *notCanonical
	c.Add('#', 2) // the class of those with the same upper half
	return &c
}()

// notCanonical are the octets that a path must not have to be canonical.
var notCanonical = func() *table.Classes {
	const controls, puncts, digits, letters, backtick, braces = 1, 2, 4, 8, 16, 32
	var c table.Classes
	for octet := range 256 {
		if octets[octet]&(rawEscaped|rawPercent) == 0 {
			continue
		}
		switch octet >> 4 {
		case 2:
			c.Add(byte(octet), puncts)
		case 3:
			c.Add(byte(octet), digits)
		case 5:
			c.Add(byte(octet), letters)
		case 6:
			c.Add(byte(octet), backtick)
		case 7:
			c.Add(byte(octet), braces)
		default: // upper halves all of whose octets are among them
			c.Add(byte(octet), controls)
		}
	}
	return &c
}()

// AppendCanonical appends src in FormA or FormB to dst. It serves paths, whole,
// and patterns, piece by piece between the operators: query says that a raw
// '?' came before src, and the second result says so of what follows src.
func AppendCanonical(dst, src []byte, form Form, query bool) ([]byte, bool) {
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '%' && i+2 < len(src) && isHex(src[i+1]) && isHex(src[i+2]):
			c = unhex(src[i+1])<<4 | unhex(src[i+2])
			i += 2
			if octets[c]&unreserved != 0 || query && form == FormB && octets[c]&queryDecoded != 0 {
				dst = append(dst, c)
			} else {
				dst = AppendEscape(dst, c)
			}
		case octets[c]&rawEscaped != 0:
			dst = AppendEscape(dst, c)
		default:
			query = query || c == '?'
			dst = append(dst, c)
		}
	}
	return dst, query
}

// AppendDecoded appends src in FormDecoded to dst.
func AppendDecoded(dst, src []byte) []byte {
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c != '%' || i+2 >= len(src) || !isHex(src[i+1]) || !isHex(src[i+2]) {
			dst = append(dst, c)
			continue
		}
		c = unhex(src[i+1])<<4 | unhex(src[i+2])
		i += 2
		if c == '/' {
			dst = AppendEscape(dst, c)
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendEscape appends c to dst as a percent-encoded octet with upper-case hex.
func AppendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// unhex is the value of a hexadecimal digit; c must be one.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// rooted returns path with a slash before it if it has none.
func (s *Scratch) rooted(path []byte) []byte {
	if path[0] == '/' {
		return path
	}
	s.path = append(append(s.path[:0], '/'), path...)
	return s.path
}

// decoded returns path in FormDecoded, as a view of path or of s.
func (s *Scratch) decoded(path []byte) []byte {
	if bytes.IndexByte(path, '%') < 0 {
		return path
	}
	s.a = AppendDecoded(s.a[:0], path)
	return s.a
}
