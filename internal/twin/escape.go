package twin

import "strings"

// Escape returns the value of an allow or disallow line as the "google"
// dialect compares it: the hex digits of each %XX in upper case, and each byte
// from 0x80 up, valid UTF-8 or not, as %XX. Nothing is decoded.
func Escape(value []byte) []byte {
	var out []byte
	for i := 0; i < len(value); i++ {
		switch octet, ok := percentEscape(value[i:]); {
		case ok:
			out = appendEscape(out, octet)
			i += 2
		case value[i] >= 0x80:
			out = appendEscape(out, value[i])
		default:
			out = append(out, value[i])
		}
	}
	return out
}

// FormA returns form A of a URL's path and query, the form in which "rfc9309"
// compares most patterns (RFC 9309, 2.2.2): escapes of unreserved octets are
// decoded, the other escapes have their hex in upper case, and raw octets that
// a URI may not hold are escaped. So are * and $, so that they cannot be
// mistaken for the operators of a pattern.
func FormA(path []byte) []byte { return canonical(path, false, false) }

// FormB returns form B of a URL's path and query: [FormA], but after the first
// raw ? the escapes of : / ? @ ! ' ( ) , ; are decoded as well. RFC 9309 has
// ?u=http://x and ?u=http%3A%2F%2Fx equal, while /a%2Fb and /a/b differ.
func FormB(path []byte) []byte { return canonical(path, false, true) }

// CanonicalPattern returns a pattern of the "rfc9309" dialect in the form in
// which it is compared, and whether that is form B rather than form A. It is
// form B if the pattern has a raw ? with no * before it: only then is it known
// where in the URL the query begins. In the result every * is the operator,
// and a $ can only be the last byte, where it is the operator too.
func CanonicalPattern(value []byte) (pattern []byte, formB bool) {
	upToQuery, _, hasQuery := strings.Cut(string(value), "?")
	formB = hasQuery && !strings.Contains(upToQuery, "*")
	return canonical(value, true, formB), formB
}

// canonical makes either form in one pass, of a URL or of a pattern. What an
// escape decodes to is never read again as the beginning of another.
func canonical(text []byte, isPattern, formB bool) []byte {
	var out []byte
	inQuery := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		octet, escaped := percentEscape(text[i:])
		operator := isPattern && (c == '*' || c == '$' && i == len(text)-1)
		switch {
		case escaped && (isUnreserved(octet) || formB && inQuery && isQueryLiteral(octet)):
			out = append(out, octet)
			i += 2
		case escaped:
			out = appendEscape(out, octet)
			i += 2
		case !operator && mustEscape(c):
			out = appendEscape(out, c)
		default:
			out = append(out, c)
		}
		if c == '?' {
			inQuery = true
		}
	}
	return out
}

// Decode returns a value or a path as the "original" dialect compares it: each
// %XX decoded, except %2F, which stays apart from a / and has its hex in upper
// case.
func Decode(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		octet, escaped := percentEscape(text[i:])
		switch {
		case escaped && octet == '/':
			out = appendEscape(out, octet)
			i += 2
		case escaped:
			out = append(out, octet)
			i += 2
		default:
			out = append(out, text[i])
		}
	}
	return out
}

// percentEscape returns the octet that the %XX at the beginning of text stands
// for, if there is one.
func percentEscape(text []byte) (octet byte, ok bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	high, low := hexDigit(text[1]), hexDigit(text[2])
	if high < 0 || low < 0 {
		return 0, false
	}
	return byte(high<<4 | low), true
}

// hexDigit returns the value of a hex digit, or -1.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// appendEscape appends %XX, in upper case.
func appendEscape(out []byte, octet byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(out, '%', digits[octet>>4], digits[octet&15])
}

// isUnreserved is RFC 3986, 2.3.
func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("-._~", c) >= 0
}

// isQueryLiteral names the octets that mean the same raw and escaped within a
// query. Those that separate its fields (& = + #) are not among them.
func isQueryLiteral(c byte) bool { return strings.IndexByte(":/?@!'(),;", c) >= 0 }

// mustEscape names the raw octets that the canonical forms escape: what a URI
// may not hold, and the operators of patterns.
func mustEscape(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}*$", c) >= 0
}
