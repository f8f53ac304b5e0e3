package format

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// members yields the keys and values of the JSON object that begins a line, as they are
// written. It ends where the line is no valid JSON.
func members(line []byte) func(yield func(key, value []byte) bool) {
	return func(yield func(key, value []byte) bool) {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '{' {
			return
		}
		for rest := line[1:]; ; {
			rest = bytes.TrimLeft(rest, " \t,")
			n := valueLength(rest)
			if n == 0 || rest[0] != '"' {
				return
			}
			key := rest[:n]
			rest = bytes.TrimLeft(rest[n:], " \t")
			if len(rest) == 0 || rest[0] != ':' {
				return
			}
			rest = bytes.TrimLeft(rest[1:], " \t")
			if n = valueLength(rest); n == 0 || !yield(key, rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// valueLength returns the length of the JSON value at the start of b, 0 if there is none
// or it does not end.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if i >= len(b) {
				return 0
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// isString tells whether a JSON value is a string.
func isString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// textOf returns what is between the quotes of a JSON string, as it is written; nil if it
// is no string.
func textOf(value []byte) []byte {
	if !isString(value) {
		return nil
	}
	return value[1 : len(value)-1]
}

// unescapeJSON appends what is between the quotes of a JSON string to dst, with its escapes
// undone; half of a surrogate pair becomes U+FFFD. nginx by default, and Apache, write also
// \xHH for an octet, and \v. Any other escape that JSON does not have stands for itself.
func unescapeJSON(dst, raw []byte) []byte {
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 || at+1 == len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:at]...)
		raw = raw[at:]
		if i := strings.IndexByte(`"\/bfnrtv`, raw[1]); i >= 0 {
			dst, raw = append(dst, "\"\\/\b\f\n\r\t\v"[i]), raw[2:]
			continue
		}
		if raw[1] == 'x' && len(raw) >= 4 && (hexDigits[raw[2]]|hexDigits[raw[3]])&notHex == 0 {
			dst, raw = append(dst, hexDigits[raw[2]]<<4|hexDigits[raw[3]]), raw[4:]
			continue
		}
		r, n := escapedRune(raw)
		if n == 0 {
			dst, raw = append(dst, raw[:2]...), raw[2:]
			continue
		}
		dst, raw = utf8.AppendRune(dst, r), raw[n:]
	}
}

// escapedRune returns the character that \uHHHH at the start of b stands for, or two of
// them that are a pair of surrogates, and its length; 0 if there is none.
func escapedRune(b []byte) (r rune, n int) {
	high, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(high) {
		if low, ok := hex4(b[6:]); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			return utf16.DecodeRune(high, low), 12
		}
	}
	return high, 6
}

// hex4 reads \uHHHH.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
