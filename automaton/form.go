package automaton

import (
	"bytes"

	"github.com/robotsieve/robotsieve/internal/plain"
)

// Form is a normal form of paths and patterns. Each rule of a Machine is compiled to one form, and
// is compared with the path in that form.
type Form uint8

const (
	// FormRaw is the URL as it stands (dialect Google).
	FormRaw Form = iota
	// FormA is RFC 9309's canonical form (2.2.2): escapes of unreserved octets are decoded; other
	// escapes are in upper case; '*', '$' and bytes that may not stand raw in a URL are escaped.
	FormA
	// FormB is FormA, except that after the first raw '?' the escapes of : / ? @ ! ' ( ) , ; are
	// decoded too, so that ?u=http://x equals ?u=http%3A%2F%2Fx.
	FormB
	// FormDecoded is the form of the 1994 note: all escapes are decoded except %2F, whose hex digit is
	// in upper case (dialect Original).
	FormDecoded
)

// What a form may do with a raw or escaped byte.
const (
	rawEscaped   = 1 << iota // raw, it becomes an escape in FormA and FormB
	rawPercent               // raw, it may begin an escape
	unreserved               // escaped, it becomes the byte in FormA and FormB
	queryDecoded             // escaped, after '?', it becomes the byte in FormB
	notASCII                 // raw, it becomes an escape in patterns in FormRaw
	notSlash                 // escaped, it becomes the byte in FormDecoded
)

var octets = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c < 0x21 || c >= 0x7f:
			t[c] = rawEscaped
		case 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || bytes.IndexByte([]byte("-._~"), byte(c)) >= 0:
			t[c] = unreserved
		}
		if c >= 0x80 {
			t[c] |= notASCII
		}
		if c != '/' {
			t[c] |= notSlash
		}
	}
	for _, c := range []byte("\"<>\\^`{|}*$") {
		t[c] |= rawEscaped
	}
	for _, c := range []byte(":/?@!'(),;") {
		t[c] |= queryDecoded
	}
	t['%'] |= rawPercent
	return t
}()

// spellings says for each form which raw octets become escapes, and which escapes become
// octets, anywhere and after the first raw '?'.
var spellings = [...]struct{ escapes, decodes, decodesInQuery uint8 }{
	FormRaw:     {escapes: notASCII},
	FormA:       {escapes: rawEscaped, decodes: unreserved, decodesInQuery: unreserved},
	FormB:       {escapes: rawEscaped, decodes: unreserved, decodesInQuery: unreserved | queryDecoded},
	FormDecoded: {decodes: notSlash, decodesInQuery: notSlash},
}

// AppendForm appends src in a form to dst. It serves paths, whole, and patterns,
// piece by piece between the operators: query says that a raw '?' came before src,
// and the second result says so of what follows src. FormRaw is for patterns only:
// Google's parser escapes what is not ASCII in these, and leaves paths alone. All
// escapes that remain are in upper case. AppendForm panics if the form is none of the four.
func AppendForm(dst, src []byte, form Form, query bool) ([]byte, bool) {
	spelling := &spellings[form]
	decodes := spelling.decodes
	if query {
		decodes = spelling.decodesInQuery
	}
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '%' && i+2 < len(src) && isHex(src[i+1]) && isHex(src[i+2]):
			c = unhex(src[i+1])<<4 | unhex(src[i+2])
			i += 2
			if octets[c]&decodes != 0 {
				dst = append(dst, c)
			} else {
				dst = appendEscape(dst, c)
			}
		case octets[c]&spelling.escapes != 0:
			dst = appendEscape(dst, c)
		default:
			if c == '?' {
				query, decodes = true, spelling.decodesInQuery
			}
			dst = append(dst, c)
		}
	}
	return dst, query
}

// appendEscape appends c to dst as a percent-encoded octet with upper-case hex.
func appendEscape(dst []byte, c byte) []byte {
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

// Forms returns a path, as Dialect.Path returns it, in the form that rules of a dialect are in, and
// in FormB if they may be in that as well. The results are views of path or of s, valid until
// either changes.
func (s *Scratch) Forms(d Dialect, path []byte) (form, inB []byte) {
	switch d.row().form {
	case FormRaw:
		return path, nil
	case FormDecoded:
		return s.decoded(path), nil
	}
	n := plain.Canonical(path)
	if n == len(path) {
		return path, path
	}
	s.a, s.b = formed(s.a, path, n, FormA), formed(s.b, path, n, FormB)
	return s.a, s.b
}

// formed returns a path, whose first n bytes are canonical, in FormA or FormB, in the memory of dst.
func formed(dst, path []byte, n int, form Form) []byte {
	isQuery := bytes.IndexByte(path[:n], '?') >= 0
	dst, _ = AppendForm(append(dst[:0], path[:n]...), path[n:], form, isQuery)
	return dst
}

// decoded returns path in FormDecoded, as a view of path or of s.
func (s *Scratch) decoded(path []byte) []byte {
	if bytes.IndexByte(path, '%') < 0 {
		return path
	}
	s.a, _ = AppendForm(s.a[:0], path, FormDecoded, false)
	return s.a
}
