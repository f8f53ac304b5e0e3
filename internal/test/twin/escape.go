package twin

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// Escape returns the value of an allow or disallow line as the "google" dialect compares it: the hex digits of each %XX
// in upper case, and each byte from 0x80 up, valid UTF-8 or not, as %XX. Nothing is decoded.
func Escape(value []byte) []byte {
	return respell(value, never, func(_ int, c byte) bool { return c >= 0x80 })
}

// Decode returns a value or a path as the "original" dialect compares it: each %XX decoded, except %2F, which stays
// apart from a / and has its hex in upper case.
func Decode(text []byte) []byte {
	return respell(text, func(_ int, octet byte) bool { return octet != '/' }, never)
}

func never(int, byte) bool { return false }

// FormA returns form A of a URL's path and query, the form in which "rfc9309" compares most patterns (RFC 9309, 2.2.2):
// escapes of unreserved octets are decoded, the other escapes have their hex in upper case, and raw bytes that a URI
// may not hold are escaped. So are * and $, so that they cannot be mistaken for the operators of a pattern.
func FormA(path []byte) []byte { return canonical(path, false, false) }

// FormB returns form B of a URL's path and query: [FormA], but after the first raw ? the escapes of : / ? @ ! ' ( ) , ;
// are decoded as well. RFC 9309 has ?u=http://x and ?u=http%3A%2F%2Fx equal, while /a%2Fb and /a/b differ.
func FormB(path []byte) []byte { return canonical(path, false, true) }

// CanonicalPattern returns a pattern of the "rfc9309" dialect in the form in which it is compared, and whether that is
// form B rather than form A. It is form B if the pattern has a raw ? with no * before it: only then is it known where
// in the URL the query begins. In the result every * is the operator, and a $ can only be the last byte, where it is
// the operator too.
func CanonicalPattern(value []byte) (pattern []byte, formB bool) {
	upToQuery, _, hasQuery := strings.Cut(string(value), "?")
	formB = hasQuery && !strings.Contains(upToQuery, "*")
	return canonical(value, true, formB), formB
}

// canonical makes either form of a URL or of a pattern.
func canonical(text []byte, isPattern, formB bool) []byte {
	decodes := func(at int, octet byte) bool {
		inQuery := bytes.IndexByte(text[:at], '?') >= 0
		return isUnreserved(octet) || formB && inQuery && isQueryLiteral(octet)
	}
	escapes := func(at int, c byte) bool {
		isOperator := isPattern && (c == '*' || c == '$' && at == len(text)-1)
		return !isOperator && mustEscape(c)
	}
	return respell(text, decodes, escapes)
}

// respell copies text. It decodes each %XX for which decodes returns true, writes the others in upper case, and escapes
// each raw byte for which escapes returns true; both are told where in text it is. What an escape decodes to is never
// read again as the beginning of another.
func respell(text []byte, decodes, escapes func(at int, octet byte) bool) []byte {
	var out []byte
	for at := 0; at < len(text); at++ {
		octet, isEscape := percentEscape(text[at:])
		switch {
		case isEscape && decodes(at, octet):
			out = append(out, octet)
		case isEscape || escapes(at, text[at]):
			out = fmt.Appendf(out, "%%%02X", octet)
		default:
			out = append(out, text[at])
		}
		if isEscape {
			at += 2
		}
	}
	return out
}

// percentEscape returns the octet that the %XX at the beginning of text stands
// for, or the first byte of text and false if there is none.
func percentEscape(text []byte) (octet byte, ok bool) {
	if len(text) >= 3 && text[0] == '%' {
		if decoded, err := hex.DecodeString(string(text[1:3])); err == nil {
			return decoded[0], true
		}
	}
	return text[0], false
}

// isUnreserved is RFC 3986, 2.3.
func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("-._~", c) >= 0
}

// isQueryLiteral reports the bytes that mean the same raw and escaped within a query, which
// excludes the separators of its fields (& = + #).
func isQueryLiteral(c byte) bool { return strings.IndexByte(":/?@!'(),;", c) >= 0 }

// mustEscape reports the raw bytes that the canonical forms escape: what a URI may not contain, and
// the operators of patterns.
func mustEscape(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}*$", c) >= 0
}
