package format

import (
	"bytes"
	"encoding/hex"
)

var percents = spelling{'%', unpercent}

func unpercent(dst, field []byte) []byte {
	var octet [1]byte
	for {
		at := bytes.IndexByte(field, '%')
		if at < 0 || at+2 >= len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:at]...)
		if n, _ := hex.Decode(octet[:], field[at+1:at+3]); n == 1 {
			dst, field = append(dst, octet[0]), field[at+3:]
		} else {
			dst, field = append(dst, '%'), field[at+1:]
		}
	}
}
