package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Texts of logs, files and names of files stay in a Report, and in the results of package
// job, with the bytes that they have. What writes them calls one of the functions below
// for each of them, once: the Rewrite of a result does it for all its texts.

// Printable returns text for people: control characters, characters that are not shown or
// that change the direction of others, and bytes that are not UTF-8 are written \xHH or
// \u{HHHH}, so that none of them acts on a terminal. The bytes cannot be recovered from
// it, because a backslash of the text stands for itself.
func Printable[T string | []byte](text T) string {
	s := make([]byte, 0, len(text))
	for b := []byte(text); len(b) > 0; {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1, c < 0x20, c == 0x7f:
			s = appendHex(s, b[0])
		case !strconv.IsPrint(c):
			s = appendCode(s, c)
		default:
			s = append(s, b[:n]...)
		}
		b = b[n:]
	}
	return string(s)
}

func appendHex(s []byte, octet byte) []byte {
	const hex = "0123456789abcdef"
	return append(s, '\\', 'x', hex[octet>>4], hex[octet&15])
}

func appendCode(s []byte, c rune) []byte {
	return append(strconv.AppendInt(append(s, `\u{`...), int64(c), 16), '}')
}

// InASCII writes the characters of other scripts in a name \u{HHHH}. Letters that look like
// those of another crawler's name must not pass for them: two of "G\u043e\u043eglebot" are
// Cyrillic.
func InASCII(name string) string {
	if strings.IndexFunc(name, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 {
		return name
	}
	s := make([]byte, 0, len(name))
	for len(name) > 0 {
		c, n := utf8.DecodeRuneInString(name)
		if n > 1 {
			s = appendCode(s, c)
		} else {
			s = append(s, name[0])
		}
		name = name[n:]
	}
	return string(s)
}

// ToUTF8 returns text as UTF-8, from which FromUTF8 returns the same bytes. A byte that is
// not UTF-8 is written \xHH, in lower case. So that no other text looks like one, a
// backslash before x5c, or before x and 80 to ff in lower case, is written \x5c. All other
// texts are returned as they are.
func ToUTF8(text string) string {
	if utf8.ValidString(text) && !strings.Contains(text, `\x`) {
		return text
	}
	s := make([]byte, 0, len(text))
	for len(text) > 0 {
		c, n := utf8.DecodeRuneInString(text)
		if _, coded := codedOctet(text); coded || c == utf8.RuneError && n == 1 {
			s = appendHex(s, text[0])
		} else {
			s = append(s, text[:n]...)
		}
		text = text[n:]
	}
	return string(s)
}

// FromUTF8 returns the text that ToUTF8 was given.
func FromUTF8(text string) string {
	if !strings.Contains(text, `\x`) {
		return text
	}
	s := make([]byte, 0, len(text))
	for len(text) > 0 {
		octet, coded := codedOctet(text)
		if coded {
			text = text[len(`\xHH`):]
		} else {
			octet, text = text[0], text[1:]
		}
		s = append(s, octet)
	}
	return string(s)
}

// codedOctet returns the byte of which text begins with the code.
func codedOctet(text string) (octet byte, ok bool) {
	if len(text) < len(`\xHH`) || text[:2] != `\x` || text[2:4] != strings.ToLower(text[2:4]) {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:4], 16, 8)
	return byte(n), err == nil && (n >= utf8.RuneSelf || n == '\\')
}
