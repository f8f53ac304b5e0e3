package field

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"
)

// ObjectLength returns the length of the object at the beginning of b, up to its closing bracket,
// without checking its content. It returns -1 if there is none.
func ObjectLength(b []byte) int {
	depth := 0
	for at := 0; at < len(b); at++ {
		switch b[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			n := stringLength(b[at:])
			if n < 0 {
				return -1
			}
			at += n - 1
		}
	}
	return -1
}

// Members yields the raw names and values of the object at the beginning of a line, the names
// without quotes. It stops at invalid JSON.
func Members(line []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		at := blanks(line, 0)
		for more := byteAt(line, at) == '{'; more; more = byteAt(line, at) == ',' {
			name, value := memberAt(line, blanks(line, at+1))
			if value < 0 {
				return
			}
			if at = value + ValueLength(line[value:]); at <= value || !yield(name, line[value:at]) {
				return
			}
			at = blanks(line, at)
		}
	}
}

// ValueLength returns the length of the value at the beginning of b, or a number below 1 if there
// is none or it doesn't end.
func ValueLength(b []byte) int {
	switch byteAt(b, 0) {
	case '"':
		return stringLength(b)
	case '{', '[':
		return ObjectLength(b)
	}
	return bareLength(b)
}

// byteAt returns a byte of b, or 0 beyond its end.
func byteAt(b []byte, at int) byte {
	if at < len(b) {
		return b[at]
	}
	return 0
}

// blanks returns the offset of the first non-blank byte of b at or after at.
func blanks(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

// stringLength returns the length of the string at the beginning of b, including its quotes, or -1
// if it doesn't end.
func stringLength(b []byte) int {
	end := 1
	for {
		n := bytes.IndexByte(b[end:], '"')
		if n < 0 {
			return -1
		}
		if end += n + 1; b[end-2] != '\\' || end == 2 {
			return end
		}
		escapes := 1
		for b[end-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

// bareLength returns the length of the number or literal at the beginning of b as fastjson reads
// them, including NaN and infinity, or 0 if there is none.
func bareLength(b []byte) int {
	n := 0
	for n < len(b) && numeric[b[n]] {
		n++
	}
	if n > 1 || n == 1 && b[0] != '-' && b[0] != '+' {
		return n
	}
	for _, literal := range [...]string{"true", "null", "false"} {
		if n == 0 && len(b) >= len(literal) && string(b[:len(literal)]) == literal {
			return len(literal)
		}
	}
	if b = b[n:min(n+3, len(b))]; bytes.EqualFold(b, nan) || bytes.EqualFold(b, inf) {
		return n + 3
	}
	return 0
}

var nan, inf = []byte("nan"), []byte("inf")

// numeric are the bytes that fastjson accepts in a number.
var numeric = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'.': true, '-': true, '+': true, 'e': true, 'E': true,
}

// mend appends an object to dst as JSON that fastjson accepts. Servers with user-defined lines log
// values that are neither quoted nor JSON, such as nothing or 0.001, 0.002 for nginx's
// "n":$upstream_response_time; these become null. It returns false for unreadable objects and for
// objects beyond the limits.
func mend(dst, line []byte) (mended []byte, ok bool) {
	depth, values := 0, 0
	for at := 0; at < len(line); {
		n := 1
		switch c := line[at]; c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			values++
		case ' ', '\t', '\r', ':':
		case '"':
			n = stringLength(line[at:])
		default:
			n = bareLength(line[at:])
		}
		if n <= 0 || depth > MaxDepth || values == MaxValues || depth == 0 && at+n < len(line) {
			return dst, false
		}
		dst = append(dst, line[at:at+n]...)
		if at += n; line[at-n] != ':' {
			continue
		}
		at = blanks(line, at)
		if c := byteAt(line, at); c == '"' || c == '{' || c == '[' {
			continue
		}
		if n = junkLength(line[at:]); n < 0 {
			return dst, false
		}
		value := bytes.TrimRight(line[at:at+n], " \t\r")
		if at += n; len(value) == 0 || bareLength(value) != len(value) {
			value = []byte("null")
		}
		dst = append(dst, value...)
	}
	return dst, depth == 0
}

// junkLength returns the length of a value that may be neither quoted nor JSON, up to the end of
// its object or the comma before the next member, or -1 if there is no such end.
func junkLength(b []byte) int {
	for i, c := range b {
		switch c {
		case '}':
			return i
		case ',':
			if byteAt(b, blanks(b, i+1)) == '"' {
				return i
			}
		case '"', '{', '[', ']':
			return -1
		}
	}
	return -1
}

// escaped maps each letter after a backslash to its byte, or to 0 if the escape is unknown.
var escaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// Unescape appends the unescaped contents of a JSON string to dst, which may be the same memory.
// Half of a surrogate pair becomes U+FFFD. nginx by default, and Apache, also write \xHH for a
// byte, and \v. Any other escape that isn't JSON stands for itself.
func Unescape(dst, raw []byte) []byte {
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 || at+1 == len(raw) {
			return append(dst, raw...)
		}
		dst, raw = append(dst, raw[:at]...), raw[at:]
		if c := escaped[raw[1]]; c != 0 {
			dst, raw = append(dst, c), raw[2:]
			continue
		}
		if c, ok := hexadecimal(raw, `\x`, 2); ok {
			dst, raw = append(dst, byte(c)), raw[4:]
			continue
		}
		c, ok := hexadecimal(raw, `\u`, 4)
		if !ok {
			dst, raw = append(dst, raw[:2]...), raw[2:]
			continue
		}
		raw = raw[6:]
		if low, ok := hexadecimal(raw, `\u`, 4); ok && c>>10 == 0xd800>>10 && low>>10 == 0xdc00>>10 {
			c, raw = 0x10000+c&0x3ff<<10+low&0x3ff, raw[6:]
		}
		dst = utf8.AppendRune(dst, c)
	}
}

// hexadecimal returns the value of the hexadecimal digits at the beginning of b.
func hexadecimal(b []byte, begin string, digits int) (n rune, ok bool) {
	if len(b) < len(begin)+digits || string(b[:len(begin)]) != begin {
		return 0, false
	}
	for _, c := range b[len(begin) : len(begin)+digits] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		n = n<<4 | rune(d)
	}
	return n, true
}
