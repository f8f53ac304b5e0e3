package audit

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Printable returns bytes from a log or a file as text for people: control characters
// and bytes that are not UTF-8 are written \xHH or \u{HHHH}, so that none of them acts on
// a terminal or is lost in JSON.
func Printable[T string | []byte](text T) string { return printableUpTo([]byte(text), unicode.MaxRune) }

// printableUpTo is Printable up to a highest character; others are written \u{HHHH}.
func printableUpTo(b []byte, highest rune) string {
	s := make([]byte, 0, len(b))
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1, c < 0x20, c == 0x7f:
			const hex = "0123456789abcdef"
			s = append(s, '\\', 'x', hex[b[0]>>4], hex[b[0]&15])
		case !strconv.IsPrint(c), c > highest:
			s = append(strconv.AppendInt(append(s, `\u{`...), int64(c), 16), '}')
		default:
			s = append(s, b[:n]...)
		}
		b = b[n:]
	}
	return string(s)
}
