package format

import "bytes"

// unescape appends a field to dst with the escaping of Apache and nginx undone:
// \xHH in either case of hex, \" and \\, and \b \n \r \t \v \f. A backslash
// before any other byte stands for itself. Both servers escape a literal backslash,
// so the result is what the client sent, octet by octet. Percent-encoding is the
// URL's own and is kept.
func unescape(dst, field []byte) []byte {
	for {
		at := bytes.IndexByte(field, '\\')
		if at < 0 || at+1 == len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:at]...)
		field = field[at:]
		if len(field) >= 4 && field[1] == 'x' && hexValue(field[2]) >= 0 && hexValue(field[3]) >= 0 {
			dst = append(dst, byte(hexValue(field[2])<<4|hexValue(field[3])))
			field = field[4:]
			continue
		}
		if i := bytes.IndexByte([]byte(`"\bnrtvf`), field[1]); i >= 0 {
			dst = append(dst, "\"\\\b\n\r\t\v\f"[i])
		} else {
			dst = append(dst, field[:2]...)
		}
		field = field[2:]
	}
}

// hexValue returns the value of a hexadecimal digit, -1 if c is not one.
func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
