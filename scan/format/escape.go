package format

import (
	"bytes"
	"encoding/hex"
)

// unescape appends a field to dst with the escaping of Apache and nginx undone:
// \xHH with digits in either case, \" and \\, and \b \n \r \t \v \f. A backslash
// before any other byte stands for itself. Both servers escape a literal backslash,
// so the result is what the client sent, octet by octet. Percent-encoding is the
// URL's own and is kept.
func unescape(dst, field []byte) []byte {
	var octet [1]byte
	for {
		at := bytes.IndexByte(field, '\\')
		if at < 0 || at+1 == len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:at]...)
		field = field[at:]
		if len(field) >= 4 && field[1] == 'x' {
			if n, _ := hex.Decode(octet[:], field[2:4]); n == 1 {
				dst, field = append(dst, octet[0]), field[4:]
				continue
			}
		}
		if i := bytes.IndexByte([]byte(`"\bnrtvf`), field[1]); i >= 0 {
			dst = append(dst, "\"\\\b\n\r\t\v\f"[i])
		} else {
			dst = append(dst, field[:2]...)
		}
		field = field[2:]
	}
}
